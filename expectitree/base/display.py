"""How `print` and notebooks show trees, searches and reports."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, ClassVar

from expectitree.base.tables import module_of


class Shown:
    """A mixin for what `print` shows as the command's text, and a notebook as tables or a picture.

    A report names the question that it answers, whose renderers are in a folder of `QUESTIONS`.
    """

    __slots__ = ()
    question: ClassVar[str] = ""
    is_shown_alone: ClassVar[bool] = False  # renderers of other reports show several at once
    has_plot: ClassVar[bool] = False  # a notebook shows the plot too
    has_decider: ClassVar[bool] = False  # the question is asked for the tree's decision maker

    def __init_subclass__(cls) -> None:
        # `dataclass` keeps a `__repr__` in the class itself; its own shows all fields of all parts.
        cls.__repr__ = cls.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        title = getattr(getattr(self, "tree", None), "title", None) or getattr(self, "file", "")
        return f"<{type(self).__name__}{title and f' of {title!r}'}>"

    def __str__(self) -> str:
        if not self.question:
            return repr(self)
        text: str = module_of("analysis.show").to_text(self)
        return text

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        """Yield what a console of rich shows: the text of the command line, in its colors."""
        yield from module_of("analysis.show").segments(self, console, options)

    def _repr_html_(self) -> str | None:
        return self._repr_mimebundle_().get("text/html")

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, str]:
        """Return what a notebook can show, by MIME type; the notebook chooses among them."""
        bundle: dict[str, str] = module_of("picture.notebook").bundle(self)
        return bundle
