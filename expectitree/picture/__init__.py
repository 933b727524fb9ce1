"""Pictures of a tree and a search: one layout, drawn in several formats."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

# The ending of a picture's file -> the module and the function that draw it, imported when needed.
PICTURES = {
    ".svg": ("picture.svg", "picture_svg"),
    ".png": ("picture.raster", "picture_png"),
    ".pdf": ("picture.raster", "picture_pdf"),
    ".dot": ("picture.dot", "picture_dot"),
    ".mmd": ("picture.mermaid", "picture_mermaid"),
    ".tex": ("picture.tikz", "picture_tikz"),
    ".html": ("page", "page_html"),
}
_PIECES = ("page_html", "picture_png", "picture_pdf")  # the others yield lines


def drawing(kind: str) -> Callable[..., Any]:
    """Return the function that draws a kind of picture, `svg` say: it yields text, or returns bytes."""
    module, function = PICTURES[f".{kind}"]
    draw: Callable[..., Any] = getattr(import_module(f"expectitree.{module}"), function)
    if function in _PIECES:
        return draw
    return lambda *arguments: (f"{line}\n" for line in draw(*arguments))
