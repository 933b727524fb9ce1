"""Comparisons as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from expectitree.analysis.compare.report import Comparison
from expectitree.analysis.limit.json import limit_fields
from expectitree.text.json_values import dumps, search_fields


def render(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Yield an object for each file, on one line each."""
    for comparison in comparisons:
        rows = [
            search_fields(comparison.file, row.search) | {"seconds": row.seconds}
            for row in comparison.rows
        ]
        limit = comparison.limit
        if limit is not None:
            rows = [
                fields | {"surplus": limit.surplus(row.search)}
                for fields, row in zip(rows, comparison.rows, strict=True)
            ]
        yield dumps(
            {"file": comparison.file, "rows": rows}
            | ({} if limit is None else {"limit": limit_fields(limit)})
        )
