"""Comparisons as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from fractions import Fraction

from expectitree.analysis.compare.report import Comparison
from expectitree.numbers import exact_text


def render(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Yield a heading, and a row for each file and algorithm."""
    records = [record for comparison in comparisons for record in comparison.to_records()]
    lines: list[list[object]] = [[*records[0]]]
    lines += [[_cell(name, value) for name, value in record.items()] for record in records]
    for cells in lines:
        line = io.StringIO()
        csv.writer(line, lineterminator="").writerow(cells)
        yield line.getvalue()


def _cell(name: str, value: object) -> object:
    if name == "seconds":
        return f"{value:.6f}"
    if isinstance(value, bool):
        return int(value)
    return exact_text(value) if isinstance(value, (float, Fraction)) else value
