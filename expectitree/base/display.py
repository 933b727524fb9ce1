"""How notebooks show trees, searches and reports."""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

from expectitree.base.tables import module_of


class Shown:
    """A mixin for what notebooks show as a picture or text in place of its `repr`.

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
        bundle: dict[str, str] = module_of("picture.notebook").bundle(self)
        return bundle
