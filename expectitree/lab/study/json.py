"""A study as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from expectitree.lab.study.report import Summary
from expectitree.text.json_values import dumps


def render(summary: Summary) -> Iterator[str]:
    """Yield one object."""
    study = summary.study
    yield dumps(
        {
            "file": study.file,
            "title": study.title,
            "seed": study.seed,
            "trees": {"done": summary.done, "total": summary.total},
            "rows": [{"tree": dict(row.tree), **row.figures} for row in summary.rows],
        }
    )
