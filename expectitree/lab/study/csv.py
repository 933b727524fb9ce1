"""A study as CSV."""

from __future__ import annotations

from collections.abc import Iterator

from expectitree.lab.study.report import Summary
from expectitree.text.csv import csv_lines


def render(summary: Summary) -> Iterator[str]:
    """Yield a heading, and a row for each kind of tree and search; each parameter has a column."""
    records = summary.to_records()
    return csv_lines([[*record] for record in records[:1]] + [[*r.values()] for r in records])
