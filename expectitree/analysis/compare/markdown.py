"""Comparisons as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from expectitree.analysis.compare.report import Comparison
from expectitree.analysis.compare.text import (
    conclusion,
    disagreement_text,
    file_table,
    totals_table,
)
from expectitree.base.numbers import escape
from expectitree.text.tables import markdown, markdown_escaped


def render(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Yield a table and sentences for each file, and the totals of several files."""
    for comparison in comparisons:
        title = f": {comparison.tree.title}" if comparison.tree.title else ""
        yield f"### {markdown_escaped(escape(comparison.file + title))}"
        yield ""
        yield from markdown(*file_table(comparison))
        yield ""
        for disagreement in comparison.disagreements:
            yield f"**WRONG: {markdown_escaped(escape(disagreement_text(disagreement)))}**"
        yield markdown_escaped(conclusion(comparison))
        yield ""
    if len(comparisons) > 1:
        yield f"### All {len(comparisons)} files"
        yield ""
        yield from markdown(*totals_table(comparisons))
        yield ""
