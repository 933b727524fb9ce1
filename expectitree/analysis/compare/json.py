"""Comparisons as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from expectitree.analysis.compare.report import Comparison
from expectitree.text.json_values import dumps, search_fields, warning_fields


def render(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Yield an object for each file, on one line each."""
    for comparison in comparisons:
        rows = [
            search_fields(comparison.file, row.search) | {"seconds": row.seconds}
            for row in comparison.rows
        ]
        about = {"file": comparison.file, **warning_fields(comparison.tree)}
        yield dumps({**about, "rows": rows})
