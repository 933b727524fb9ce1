"""Read the numbers in a table, as spreadsheets in different countries write them.

The same number is 1,234.5 or 1.234,5 or 1 234,5. A cell that has only one reading, such as 0,5 or
1.234.567, shows the decimal mark of the whole table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from expectitree.base.errors import NumberError
from expectitree.base.numbers import quote
from expectitree.foreign.csv.cells import Cell

_SIGNS = "$€£¥"
_CURRENCY = re.compile(rf"([-+]?) ?[{_SIGNS}] ?")
_CURRENCY_AFTER = re.compile(rf" ?[{_SIGNS}](\)?)$")
_BLANKS = re.compile(r"[-+]?[1-9][0-9]{0,2}(?:[ '’][0-9]{3})+(?:[.,][0-9]*)?(?: ?%)?")
_MARK_NAMES = {".": "point", ",": "comma"}
_SWAP = str.maketrans(".,", ",.")
# With a decimal point: the integer part has groups of thousands, or only digits.
_POINT = re.compile(
    r"[-+]?(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|[0-9]*)(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?(?: ?%)?"
)


class Amounts:
    """Reads the numbers of one table.

    Args:
        cells: The cells with numbers.
        separator: The separator of the cells. If no cell shows the decimal mark, and commas
            separate the cells, it is the point. With another separator, it may be a comma.
    """

    def __init__(self, cells: Iterable[Cell], separator: str) -> None:
        self.shown: dict[str, Cell] = {}  # by a decimal mark, the first cell that shows it
        for cell in cells:
            marks = _marks(_plain(cell.text))
            if len(marks) == 1:
                self.shown.setdefault(marks, cell)
        is_comma = "," in self.shown and "." not in self.shown
        self.mark = "," if is_comma else "."
        self.is_known = bool(self.shown) or separator == ","

    def number(self, cell: Cell) -> str:
        """Return the number in a cell, without currency and thousands separators.

        Raises `NumberError` if the cell is empty, or the number has two readings.
        """
        if not cell.text:
            raise NumberError("the cell is empty: write a number, or 0")
        text = _plain(cell.text)
        marks = _marks(text)
        if not marks:
            return text
        if self.mark not in marks:
            raise NumberError(_wrong_mark(cell, marks, self.shown.get(self.mark)))
        if len(marks) > 1 and not self.is_known:
            raise NumberError(_two_readings(cell, text))
        text = text.translate(_SWAP) if self.mark == "," else text
        return text.replace(",", "")


def _plain(text: str) -> str:
    """Return the text of a number without currency, and without blanks between thousands."""
    text = text.replace("−", "-")
    if text[:1] + text[-1:] == "()":  # how accountants write a loss
        text = f"-{text[1:-1]}"
    text = _CURRENCY_AFTER.sub(r"\1", text)
    text = _CURRENCY.sub(r"\1", text, count=1) if _CURRENCY.match(text) else text
    if _BLANKS.fullmatch(text):
        text = re.sub(r"(?<=[0-9])[ '’](?=[0-9])", "", text)
    return text


def _marks(text: str) -> str:
    """Return the marks that can be the decimal mark of a number; none if it has no such sign."""
    if "." not in text and "," not in text:
        return ""
    is_point, is_comma = _POINT.fullmatch(text), _POINT.fullmatch(text.translate(_SWAP))
    return "." * bool(is_point) + "," * bool(is_comma)


def _wrong_mark(cell: Cell, mark: str, other: Cell | None) -> str:
    found = f"{quote(cell.text)} has a decimal {_MARK_NAMES[mark]}"
    if other is None:
        return f"{found}: write a decimal point"
    where = f"{quote(other.text)} at {other.line}:{other.column}"
    return f"{found}, and {where} does not: write all decimals in one way"


def _two_readings(cell: Cell, text: str) -> str:
    """Return the message about a number such as 1.234, which is 1234 in some countries."""
    head, mark, tail = re.split("([.,])", text)
    # Four digits are not a group of thousands.
    decimal = head + ("" if tail.startswith("000") else f"{mark}{tail[:3]}0") + tail[3:]
    found = f"{quote(cell.text)} has a thousands separator or a decimal mark"
    return f"{found}, and no other cell shows which: write {head}{tail} or {decimal}"
