"""The report as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from expectitree.analysis.compare.report import Comparison
from expectitree.analysis.compare.text import RIGHT, _headings, _rows, _sentences, _total_rows
from expectitree.numbers import escape
from expectitree.text.look import Look
from expectitree.text.table import escaped, markdown


def render(comparisons: Sequence[Comparison], look: Look) -> Iterator[str]:
    """Yield a Markdown table for each file, and its sentence."""
    for comparison in comparisons:
        title = f": {comparison.tree.title}" if comparison.tree.title else ""
        yield f"### {escaped(escape(comparison.file + title))}"
        yield ""
        yield from markdown(_headings(comparison), _rows(comparison), RIGHT)
        yield ""
        for disagreement in comparison.disagreements:
            yield f"**WRONG: {escaped(disagreement)}**"
        yield from map(escaped, _sentences(comparison))
        yield ""
    if len(comparisons) > 1:
        yield f"### All {len(comparisons)} files"
        yield ""
        headings = tuple(h for h in _headings(comparisons[0]) if h not in ("value", "best"))
        yield from markdown(headings, _total_rows(comparisons), RIGHT)
        yield ""
