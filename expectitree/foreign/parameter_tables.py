"""Tables of parameters from spreadsheets, in CSV.

    name,value,low,high,unit,description
    pr,0.5,0.3,0.7,,probability of oil

Only the column `name` is required. An empty cell leaves what the tree file has.
"""

from __future__ import annotations

from expectitree.base.errors import FileError, NumberError
from expectitree.base.names import did_you_mean
from expectitree.base.numbers import exact_text, quote, to_fraction
from expectitree.base.tree.parameters import Setting
from expectitree.files import read_text
from expectitree.files.grammar.document import with_excerpts
from expectitree.foreign.spreadsheets import Cell, Spreadsheet

_NUMBERS = ("value", "low", "high")
_COLUMNS = ("name", *_NUMBERS, "unit", "description")


def read_settings(path: str) -> dict[str, Setting]:
    """Return what a table sets, by the names of the parameters.

    Raises `FileError` with everything that is wrong with it.
    """
    text, file = read_text(path)
    text = text.removeprefix("\ufeff")
    table = Spreadsheet(text, file)
    try:
        return table.checked(lambda: _settings(table))
    except FileError as error:
        raise with_excerpts(error, text) from None


def _settings(table: Spreadsheet) -> dict[str, Setting]:
    header, *rows = table.read_rows()
    columns = [cell.text.lower() for cell in header]
    for cell, column in zip(header, columns, strict=True):
        hint = did_you_mean(column, _COLUMNS)
        if column not in _COLUMNS and hint:
            table.fault(cell, f"unknown column {quote(cell.text)}{hint}")
    if "name" not in columns:
        expected = f"expected a first row with the names of columns: {', '.join(_COLUMNS)}"
        table.fault(header[0] if header else Cell(""), f"found no column name, {expected}")
    table.raise_any()
    found: dict[str, Setting] = {}
    for row in rows:
        filled = {column: cell for column, cell in zip(columns, row, strict=False) if cell.text}
        name = filled.get("name")
        if name is None:
            table.fault(row[0], "the cell in the column name is empty: name the parameter")
        elif name.text in found:
            table.fault(name, f"a second row {quote(name.text)}: keep one of them")
        else:
            found[name.text] = _setting(table, name, filled)
    return found


def _setting(table: Spreadsheet, name: Cell, filled: dict[str, Cell]) -> Setting:
    numbers = {}
    for column in [one for one in _NUMBERS if one in filled]:
        try:
            numbers[column] = to_fraction(table.payoff(filled[column]))
        except NumberError as error:
            table.fault(filled[column], f"{name.text}, column {column}: {error}")
            return Setting(None)
    ends = [numbers[column] for column in ("low", "high") if column in numbers]
    if len(ends) == 1 or ends and ends[0] >= ends[1]:
        table.fault(name, f"{name.text}: expected low and high with low < high, or neither")
    value = exact_text(numbers["value"]) if "value" in numbers else None
    unit, description = (filled[c].text if c in filled else None for c in ("unit", "description"))
    place = f"{table.source.name}:{name.line}:{name.column}"
    return Setting(value, (ends[0], ends[-1]) if ends else None, unit, description, place)
