"""The distributions as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from expectitree.decide.risk.report import Risk
from expectitree.text.csv import csv_lines


def render(reports: Sequence[Risk]) -> Iterator[str]:
    """Yield a heading, and a row for each total of each action."""
    yield "file,action,total,probability,cumulative"
    for report in reports:
        for one in report.distributed:
            found = one.distribution
            rows = zip(found.totals, found.probabilities, found.cumulative, strict=True)
            yield from csv_lines((report.file, one.action, *numbers) for numbers in rows)
