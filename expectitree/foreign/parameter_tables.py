"""Tables of parameters from spreadsheets, in CSV.

    name,value,low,high,unit,description
    pr,0.5,0.3,0.7,,probability of oil

Only the column `name` is required. An empty cell leaves what the tree file has.
"""

from __future__ import annotations

import re

from expectitree.base.errors import FileError
from expectitree.base.names import did_you_mean
from expectitree.base.numbers import exact_text, quote
from expectitree.base.tree.parameters import Setting
from expectitree.files import read_text
from expectitree.files.grammar.document import with_excerpts
from expectitree.files.rows import Warn
from expectitree.foreign.spreadsheets import Cell, Spreadsheet, words

_NUMBERS = ("value", "low", "high")
# The columns by all their names, as `words` returns them.
_NAME = re.compile(
    r"""(?P<name>(?:name|parameter|variable|input)s?)
    |(?P<value>(?:base|basis|nominal|most\ likely)(?:\ ?(?:case|value|wert|fall|estimate))?
        |values?|wert|valeur|valore?|baseline|best\ (?:guess|estimate)|p50|estimate|mode)
    |(?P<low>(?:low|lower|min|minimum|minimal|minimo|p10|von)(?:\ (?:case|value|bound|limit))?
        |untergrenze)
    |(?P<high>(?:high|upper|max|maximum|maximal|maximo|massimo|p90|bis)
        (?:\ (?:case|value|bound|limit))?|obergrenze)
    |(?P<unit>units?|einheit|unite|unidade?|unita)
    |(?P<description>(?:description|note|comment)s?|beschreibung|descripcion)""",
    re.VERBOSE,
)


def read_settings(path: str, warn: Warn) -> dict[str, Setting]:
    """Return what a table sets, by the names of the parameters; warn of columns not used.

    Raises `FileError` with everything that is wrong with it.
    """
    text, file = read_text(path)
    text = text.removeprefix("\ufeff")
    table = Spreadsheet(text, file)
    try:
        settings = table.checked(lambda: _settings(table))
    except FileError as error:
        raise with_excerpts(error, text) from None
    table.warn_of_notes(warn)
    return settings


def _settings(table: Spreadsheet) -> dict[str, Setting]:
    header, *rows = table.read_rows()
    matches = [_NAME.fullmatch(words(cell.text)) for cell in header]
    columns = [str(match.lastgroup) if match else "" for match in matches]
    known = zip(header, columns, strict=True)
    table.check_names("column", [cell._replace(text=column) for cell, column in known if column])
    if "name" not in columns:
        hint = f"write the names of columns in the first row: {', '.join(_NAME.groupindex)}"
        table.fault(Cell(""), f"found no column name\n{hint}")
    table.raise_any()
    for cell, column in zip(header, columns, strict=True):
        if cell.text and not column:
            hint = did_you_mean(cell.text, _NAME.groupindex)
            table.notes.append(f"the column {quote(cell.text)} is not used{hint}")
    names, settings = [], {}
    for row in rows:
        filled = {column: cell for column, cell in zip(columns, row, strict=False) if cell.text}
        names.append(filled.get("name", row[0]._replace(text="")))
        settings[names[-1].text] = _setting(table, names[-1], filled)
    table.check_names("parameter", names)
    return settings


def _setting(table: Spreadsheet, name: Cell, filled: dict[str, Cell]) -> Setting:
    numbers = {
        column: table.read(table.value, filled[column], f"{name.text}, column {column}")
        for column in _NUMBERS
        if column in filled
    }
    value = exact_text(numbers.pop("value")) if "value" in numbers else None
    ends = [*numbers.values()]
    if len(ends) == 1 or (ends and ends[0] >= ends[1]):
        fault = "low and high are not the ends of a range\nwrite low < high, or neither"
        table.fault(name, f"{name.text}: {fault}")
    unit, description = (filled[c].text if c in filled else None for c in ("unit", "description"))
    return Setting(
        value,
        (ends[0], ends[-1]) if ends else None,
        unit,
        description,
        f"{table.source.name}:{name.line}:{name.column}",
    )
