"""How notebooks and `rich.print` show trees, searches and reports."""

from __future__ import annotations

from collections.abc import Collection
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult


class Shown:
    """A mixin for what notebooks and `rich.print` show as a picture or text in place of its `repr`.

    Its methods import the renderers, which are in higher layers, only when something is shown.
    """

    __slots__ = ()

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, str]:
        """Return what a notebook can show, by MIME type; the notebook chooses among them."""
        notebook: Any = import_module("expectitree.picture.notebook")
        bundle: dict[str, str] = notebook.bundle(self)
        return bundle

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield what the command line prints."""
        yield from import_module("expectitree.analysis.show").renderables(self, console, options)
