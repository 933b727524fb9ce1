"""A hook through which higher layers show trees, searches and reports in notebooks and with rich.

A tree and a search lie below the renderers and may not import them. The package's `__init__`, which
sees all layers, registers functions that import the renderers when they are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

Bundle = dict[str, str]  # content by its MIME type
Renderables = Callable[[object, "Console", "ConsoleOptions"], "RenderResult"]

_bundle: Callable[[object], Bundle] | None = None
_renderables: Renderables | None = None


def show_by(bundle: Callable[[object], Bundle], renderables: Renderables) -> None:
    """Register the functions that show things: in notebooks, and with `rich.print`.

    Where `bundle` returns nothing, notebooks show the `repr`.
    """
    global _bundle, _renderables
    _bundle, _renderables = bundle, renderables


class Shown:
    """A mixin for what notebooks and `rich.print` show as a picture or text in place of its `repr`."""

    __slots__ = ()

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> Bundle:
        """Return what a notebook can show, by MIME type; the notebook chooses among them."""
        return {} if _bundle is None else _bundle(self)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield what the command line prints."""
        yield from () if _renderables is None else _renderables(self, console, options)
