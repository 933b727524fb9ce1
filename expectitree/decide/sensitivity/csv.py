"""The reports as CSV: the rows of their records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from expectitree.text.csv import csv_lines


def render(reports: Sequence[Any]) -> Iterator[str]:
    """Yield a heading, and the records of all reports."""
    records = [record for report in reports for record in report.to_records()]
    heading = list(dict.fromkeys(key for record in records for key in record)) or ["file"]
    yield from csv_lines([heading])
    yield from csv_lines([record.get(key) for key in heading] for record in records)
