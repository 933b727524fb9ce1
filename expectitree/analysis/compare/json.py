"""Comparisons as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from expectitree.analysis.compare.report import Comparison
from expectitree.analysis.limit.json import limit_fields
from expectitree.text.json_values import dumps, search_fields, warning_fields


def render(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Yield an object for each file, on one line each."""
    for comparison in comparisons:
        limit, rows = comparison.limit, []
        for row in comparison.rows:
            fields = search_fields(comparison.file, row.search) | {"seconds": row.seconds}
            if limit is not None:
                fields["surplus"] = limit.surplus(row.search)
            rows.append(fields)
        about = {"file": comparison.file, **warning_fields(comparison.tree)}
        report: dict[str, Any] = {**about, "rows": rows}
        if limit is not None:
            report["limit"] = limit_fields(limit)
        yield dumps(report)
