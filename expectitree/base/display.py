"""How notebooks and `rich.print` show trees, searches and reports."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, ClassVar

from expectitree.base.tables import SHOWS, module_of

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult


class Shown:
    """A mixin for what notebooks and `rich.print` show as a picture or text in place of its `repr`.

    A report names the question that it answers, whose renderers are in a folder of `QUESTIONS`.
    """

    __slots__ = ()
    question: ClassVar[str] = ""
    is_shown_alone: ClassVar[bool] = False  # renderers of other reports show several at once
    has_plot: ClassVar[bool] = False  # a notebook shows the plot too

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, str]:
        """Return what a notebook can show, by MIME type; the notebook chooses among them."""
        bundle: dict[str, str] = module_of(SHOWS["notebook"]).bundle(self)
        return bundle

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield what the command line prints."""
        yield from module_of(SHOWS["console"]).renderables(self, console, options)
