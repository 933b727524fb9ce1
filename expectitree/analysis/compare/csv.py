"""Comparisons as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from expectitree.analysis.compare.report import Comparison
from expectitree.text.csv import csv_lines


def render(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Yield a heading, and a row for each file and algorithm."""
    records = [record for comparison in comparisons for record in comparison.to_records()]
    for record in records:
        if "seconds" in record:
            record["seconds"] = f"{record['seconds']:.6f}"
    return csv_lines([[*records[0]], *(record.values() for record in records)])
