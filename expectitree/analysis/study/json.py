"""The report as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from expectitree.analysis.study.summary import Summary
from expectitree.analysis.study.text import CSV_COLUMNS, _fields
from expectitree.text.json_values import dumps
from expectitree.text.look import Look


def render(summary: Summary, look: Look) -> Iterator[str]:
    """Yield one object."""
    study = summary.study
    rows = [
        dict(zip(CSV_COLUMNS, _fields(row), strict=True)) | {"tree": dict(row.tree)}
        for row in summary.rows
    ]
    yield dumps(
        {
            "file": study.file,
            "title": study.title,
            "seed": study.seed,
            "trees": {"done": summary.done, "total": summary.total},
            "rows": rows,
        }
    )
