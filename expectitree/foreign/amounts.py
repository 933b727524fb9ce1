"""Read the numbers in a payoff table, as spreadsheets in different countries write them.

The same number is 1,234.5 or 1.234,5 or 1 234,5. A cell that has only one reading, such as 0,5 or
1.234.567, shows the decimal mark of the whole table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from expectitree.base.errors import NumberError
from expectitree.base.numbers import quote

_CURRENCY = re.compile(r"([-+]?) ?[$€£¥] ?")
_CURRENCY_AFTER = re.compile(r" ?[$€£¥]$")
_BLANKS = re.compile(r"[-+]?[1-9][0-9]{0,2}(?:[ '’][0-9]{3})+(?:[.,][0-9]*)?(?: ?%)?")
_SWAP = str.maketrans(".,", ",.")
# With a decimal point: the integer part has groups of thousands, or only digits.
_POINT = re.compile(
    r"[-+]?(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|[0-9]*)(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?(?: ?%)?"
)


class Cell(NamedTuple):
    """One cell: its text, with single blanks between words, and where it starts."""

    text: str
    line: int = 1
    column: int = 1


class Amounts:
    """Reads the numbers of one table.

    Args:
        cells: The cells with numbers.
        separator: The separator of the cells. If no cell shows the decimal mark, and commas
            separate the cells, it is the point. With another separator, it may be a comma.
    """

    def __init__(self, cells: Iterable[Cell], separator: str) -> None:
        shown = {_marks(_plain(cell.text)) for cell in cells} & {".", ","}
        self.mark = "," if shown == {","} else "."
        self.is_known = bool(shown) or separator == ","

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
            found = f"{quote(cell.text)} has a decimal comma, and another number has a point"
            raise NumberError(f"{found}: write all decimals in one way")
        if len(marks) > 1 and not self.is_known:
            found = f"{quote(cell.text)} has a thousands separator or a decimal mark"
            hint = "write it without a separator, or with another number of decimals"
            raise NumberError(f"{found}, and no other cell shows which: {hint}")
        text = text.translate(_SWAP) if self.mark == "," else text
        return text.replace(",", "")


def _plain(text: str) -> str:
    """Return the text of a number without currency, and without blanks between thousands."""
    text = text.replace("−", "-")
    if text.startswith("(") and text.endswith(")"):  # how accountants write a loss
        text = f"-{text[1:-1]}"
    text = _CURRENCY_AFTER.sub("", text)
    text = _CURRENCY.sub(r"\1", text, count=1) if _CURRENCY.match(text) else text
    if _BLANKS.fullmatch(text):
        text = re.sub("[ '’](?=[0-9])", "", text)
    return text


def _marks(text: str) -> str:
    """Return the marks that can be the decimal mark of a number; none if it has no such sign."""
    if "." not in text and "," not in text:
        return ""
    is_point, is_comma = _POINT.fullmatch(text), _POINT.fullmatch(text.translate(_SWAP))
    return "." * bool(is_point) + "," * bool(is_comma)
