"""The distributions as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from expectitree.analysis.risk.report import Risk
from expectitree.numbers import exact_text


def render(reports: Sequence[Risk]) -> Iterator[str]:
    """Yield a heading, and a row for each total of each action."""
    yield "file,action,total,probability,cumulative"
    for report in reports:
        for one in report.actions:
            found = one.distribution
            rows = zip(found.totals, found.probabilities, found.cumulative, strict=True)
            for numbers in rows:
                line = io.StringIO()
                cells = [report.file, one.action, *map(exact_text, numbers)]
                csv.writer(line, lineterminator="").writerow(cells)
                yield line.getvalue()
