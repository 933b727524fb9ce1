"""Pictures of a tree and a search: one content and one layout, drawn in several formats.

To add a format, write a module with a function `draw` and add its row to `PICTURES`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

# The ending of a picture's file -> the module that draws it, imported when it is needed.
PICTURES = {
    ".svg": "picture.svg",
    ".png": "picture.png",
    ".pdf": "picture.pdf",
    ".dot": "picture.dot",
    ".mmd": "picture.mermaid",
    ".tex": "picture.tikz",
    ".html": "page",
}
_WHOLE = ("html", "png", "pdf")  # the other modules yield lines


def drawing(kind: str) -> Callable[..., Any]:
    """Return the function that draws a kind of picture: it yields text or returns bytes."""
    draw: Callable[..., Any] = import_module(f"expectitree.{PICTURES[f'.{kind}']}").draw
    return draw if kind in _WHOLE else lambda *given: (f"{line}\n" for line in draw(*given))
