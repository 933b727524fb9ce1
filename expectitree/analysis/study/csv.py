"""The report as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from expectitree.analysis.study.summary import Summary
from expectitree.analysis.study.text import CSV_COLUMNS, _fields
from expectitree.text.look import Look


def render(summary: Summary, look: Look) -> Iterator[str]:
    """Yield a heading, and a row for each kind of tree and search; a column for each parameter."""
    names = list(dict.fromkeys(name for row in summary.rows for name in row.tree))
    yield ",".join([*names, *CSV_COLUMNS[1:]])
    for row in summary.rows:
        line = io.StringIO()
        fields = ["" if field is None else field for field in _fields(row)[1:]]
        csv.writer(line, lineterminator="").writerow(
            [*(row.tree.get(name, "") for name in names), *fields]
        )
        yield line.getvalue()
