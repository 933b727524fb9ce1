"""Reports as CSV: numbers as JSON has them, and texts that are harmless.

A text is escaped as on a terminal, and no spreadsheet takes it for a formula.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

from expectitree.base.numbers import escape, exact_text, is_finite, is_shown_as_fraction
from expectitree.base.rounding import to_nearest_float
from expectitree.text.json_values import listed

# What starts a formula, see https://owasp.org/www-community/attacks/CSV_Injection
_STARTS = tuple("=+-@＝＋－＠")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")


def render(reports: Any) -> Iterator[str]:
    """Yield a heading, and the records of a report, or of several ones."""
    records: list[dict[str, Any]] = []
    for report in listed(reports):
        records += getattr(report, "csv_records", report.to_records)()
    heading = list(dict.fromkeys(key for record in records for key in record)) or ["file"]
    yield from csv_lines([heading])
    yield from csv_lines([record.get(key) for key in heading] for record in records)


def csv_lines(rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """Yield each row as a line of CSV, without its end; None is an empty cell."""
    for cells in rows:
        line = io.StringIO()
        csv.writer(line).writerow(map(_cell, cells))  # ends in \r\n, so it quotes these two
        yield line.getvalue().removesuffix("\r\n")


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, Fraction) and not is_shown_as_fraction(value):
        rounded = to_nearest_float(value)
        if is_finite(rounded):
            return exact_text(rounded)
    if isinstance(value, (int, float, Fraction)):
        return exact_text(value)
    if isinstance(value, str):
        text = escape(value)
        if value.startswith(_STARTS) and not _NUMBER.fullmatch(value):
            text = f"'{text}"
        return text
    return value
