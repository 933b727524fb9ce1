"""The reports as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from expectitree.text.csv import csv_lines

POINTS = 101  # of a range


def render(reports: Sequence[Any], points: int = POINTS) -> Iterator[str]:
    """Yield a heading and the rows of all reports; `points` is the number of values of a range."""
    for position, report in enumerate(reports):
        heading, *rows = report.csv_rows(points)
        if not position:
            yield from csv_lines([("file", *heading)])
        yield from csv_lines((report.file, *cells) for cells in rows)
