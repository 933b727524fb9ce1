"""Pictures of a tree and a search: one content and one layout, drawn in several formats.

To add a format, write a module with a function `draw` and add its row to `PICTURES` in
`expectitree/__init__.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from expectitree.tables import PICTURES, module_of

_WHOLE = ("html", "png", "pdf")  # the other modules yield lines


def drawing(kind: str) -> Callable[..., Any]:
    """Return the function that draws a kind of picture: it yields text or returns bytes."""
    draw: Callable[..., Any] = module_of(PICTURES[f".{kind}"]).draw
    return draw if kind in _WHOLE else lambda *given: (f"{line}\n" for line in draw(*given))
