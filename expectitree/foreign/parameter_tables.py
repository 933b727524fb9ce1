"""Tables of parameters from spreadsheets, in CSV.

    name,value,low,high,unit,description
    pr,0.5,0.3,0.7,,probability of oil

Only the column `name` is required. An empty cell leaves what the tree file has.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from fractions import Fraction

from expectitree.base.errors import FileError, NumberError
from expectitree.base.names import did_you_mean
from expectitree.base.numbers import exact_text, message_text, quote, to_fraction
from expectitree.base.tree.parameters import Setting
from expectitree.files import read_text
from expectitree.files.grammar.document import TooManyProblemsError, with_excerpts
from expectitree.foreign.payoff_tables import Cell, Table, table_of

COLUMNS = ("name", "value", "low", "high", "unit", "description")


def read_settings(path: str) -> dict[str, Setting]:
    """Return what a table sets, by the names of the parameters.

    Raises `FileError` with everything that is wrong with it.
    """
    text, name = read_text(path)
    text = text.removeprefix("\ufeff")
    table = table_of(text, name)
    found: dict[str, Setting] = {}
    try:
        with suppress(TooManyProblemsError):
            found = _settings(table, name)
        table.raise_any()
    except FileError as error:
        raise with_excerpts(error, text) from None
    return found


def _settings(table: Table, file: str) -> dict[str, Setting]:
    header, *rows = table.read_rows()
    columns = {cell.text.lower(): place for place, cell in enumerate(header)}
    for cell in header:
        hint = did_you_mean(cell.text, COLUMNS)
        if cell.text.lower() not in COLUMNS and hint:
            table.fault(cell, f"unknown column {quote(cell.text)}{hint}")
    if "name" not in columns:
        expected = f"expected a first row with the names of columns: {', '.join(COLUMNS)}"
        table.fault(header[0] if header else Cell(""), f"found no column name, {expected}")
    table.raise_any()
    found: dict[str, Setting] = {}
    for row in rows:
        filled = {
            column: row[place]
            for column, place in columns.items()
            if column in COLUMNS and place < len(row) and row[place].text
        }
        if "name" not in filled:
            if filled:
                table.fault(row[0], "the cell in the column name is empty: name the parameter")
            continue
        name = filled["name"].text
        if name in found:
            table.fault(filled["name"], f"a second row {quote(name)}: keep one of them")
        found[name] = _setting(table, filled, file)
    return found


def _setting(table: Table, filled: Mapping[str, Cell], file: str) -> Setting:
    name, numbers = filled["name"], dict[str, Fraction]()
    for column in ("value", "low", "high"):
        if column in filled:
            try:
                numbers[column] = to_fraction(table.payoff(filled[column]))
            except NumberError as error:
                table.fault(filled[column], f"{name.text}, column {column}: {error}")
    ends = numbers.get("low"), numbers.get("high")
    if len(filled.keys() & {"low", "high"}) == 1:
        table.fault(name, f"{name.text}: found one of low and high: fill in both, or neither")
    elif ends[0] is not None and ends[1] is not None and ends[0] >= ends[1]:
        found = f"low is {message_text(ends[0])} and high {message_text(ends[1])}"
        table.fault(filled["low"], f"{name.text}: {found}: expected low < high")
    unit, description = (filled[c].text if c in filled else None for c in ("unit", "description"))
    range_ = None if ends[0] is None or ends[1] is None else (ends[0], ends[1])
    value = exact_text(numbers["value"]) if "value" in numbers else None
    return Setting(value, range_, unit, description, f"{file}:{name.line}:{name.column}")
