"""The grammar of a parameter from a table: `{by: age, table: {40: 0.0016, 50: 0.0031}}`.

Its value is a balanced tree of `if`, so all that knows formulas knows tables.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from expectitree.base.errors import ExpectitreeError
from expectitree.base.expressions.evaluation import FRACTIONS
from expectitree.base.expressions.parser import parse
from expectitree.base.expressions.syntax import BELOW_TABLE, Apply, BelowTable, Expression
from expectitree.base.numbers import escape, quote
from expectitree.files.grammar.document import Data, GrammarError, Place
from expectitree.files.grammar.values import ValueReader
from expectitree.files.grammar.words import filled_mapping, require

_FORM = (
    " as table\nwrite values by number, such as `{40: 0.0016, 50: 0.0031}`, or the name of a CSV "
    "file with two columns"
)


class Row(NamedTuple):
    """A row of a table."""

    key: Expression
    value: Expression


def read_rows(values: ValueReader, data: Data) -> list[Row]:
    """Return the rows of a table, whose keys are numbers and increase; raise `GrammarError`."""
    rows: list[Row] = []
    last: Fraction | None = None
    for place, about, key, written in _written_rows(values, data):
        try:
            require(isinstance(written, str) and written, written, " as a value\nwrite a number")
            number = FRACTIONS.number(key)
            rows.append(Row(parse(key, ()), values.parse(written)))
        except ExpectitreeError as error:
            raise GrammarError(f"{about}{error.reason}", place, error.hint) from None
        if last is not None and number <= last:
            fault = "the key is not greater than the one before\nsort them, and keep one of equals"
            raise GrammarError(f"{about}{fault}", place)
        last = number
    if len(rows) < 2:
        raise GrammarError(f"found {len(rows)} row{_FORM}; for one number, write `value`")
    return rows


def _written_rows(values: ValueReader, data: Data) -> Iterator[tuple[Place | None, str, str, Data]]:
    """Yield the place of each row, where it is in words, its key and its value."""
    if not isinstance(data, str) or not data:
        for index, (key, written) in enumerate(filled_mapping(data, _FORM)):
            yield Place(data, index), f"{escape(key)}: ", key, written
        return
    from expectitree.files.sources import read_text

    content, _ = read_text(os.path.join(values.folder or os.curdir, data))
    reader = csv.reader(content.splitlines())
    try:
        lines = [(reader.line_num, cells) for cells in reader if cells]
    except csv.Error as error:  # of a field that is too long
        raise GrammarError(f"{escape(data)}: {error}") from None
    for index, (line, cells) in enumerate(lines):
        about = f"{escape(data)}, line {line}: "
        if len(cells) != 2:
            raise GrammarError(
                f"{about}found {quote(','.join(cells))}\nwrite a key, a comma and its value"
            )
        key, written = (cell.strip() for cell in cells)
        if index or key[:1] in "-.0123456789":  # else it is the heading
            yield None, about, key, written


def look_up(by: Expression, rows: Sequence[Row], between: str, parameter: str) -> Expression:
    """Return the formula of a parameter from a table: the value at that of another formula."""
    cases = rows
    if between:
        lines = [Row(low.key, _line(by, low, high)) for low, high in pairwise(rows)]
        cases = [*lines, rows[-1]]
    below = BelowTable(BELOW_TABLE, (by, rows[0].key), parameter)
    return Apply("if", (Apply("<", (by, rows[0].key)), below, _case(by, cases)))


def _case(by: Expression, cases: Sequence[Row]) -> Expression:
    """Return the formula of the last case whose key is not greater."""
    if len(cases) == 1:
        return cases[0].value
    middle = len(cases) // 2
    halves = _case(by, cases[:middle]), _case(by, cases[middle:])
    return Apply("if", (Apply("<", (by, cases[middle].key)), *halves))


def _line(by: Expression, low: Row, high: Row) -> Expression:
    """Return the formula of a line through two rows."""
    rise, run = Apply("-", (high.value, low.value)), Apply("-", (high.key, low.key))
    part = Apply("*", (Apply("/", (rise, run)), Apply("-", (by, low.key))))
    return Apply("+", (low.value, part))
