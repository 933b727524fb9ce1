"""A study as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from expectitree.analysis.study.report import Summary


def render(summary: Summary) -> Iterator[str]:
    """Yield a heading, and a row for each kind of tree and search; each parameter has a column."""
    records = summary.to_records()
    if not records:
        return
    text = io.StringIO()
    writer = csv.DictWriter(text, list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    yield from text.getvalue().splitlines()
