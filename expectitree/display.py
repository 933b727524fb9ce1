"""How things show themselves in a notebook: what is shown asks here, and who knows how to draw has registered here.

A tree and a search lie below `render` and may not import it; yet notebooks ask the object itself,
by a method. So the package's `__init__`, which alone sees all layers, hands over a function that
imports `render` once it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

Bundle = dict[str, str]  # content by its MIME type

_show: Callable[[object], Bundle] | None = None


def show_by(show: Callable[[object], Bundle]) -> None:
    """Have notebooks show things by this function; one that returns nothing leaves it at their `repr`."""
    global _show
    _show = show


class Shown:
    """Something that a notebook shows as a picture or a text in place of its `repr`."""

    __slots__ = ()

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> Bundle:
        """Return what a notebook may show, by MIME type; it chooses, so that `include` and `exclude` save nothing."""
        return {} if _show is None else _show(self)
