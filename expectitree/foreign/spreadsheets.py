"""CSV files as spreadsheets in different countries write them: rows of cells, and their numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from expectitree.base.errors import NumberError
from expectitree.base.numbers import quote, to_fraction
from expectitree.files.grammar.document import Document, Mark, Place
from expectitree.foreign.shared import Translation

_UNKNOWN = "?"  # a payoff that is not known yet
_DECIMAL_PERCENT = re.compile(r"([-+]?[0-9]*\.?[0-9]*) ?%")
_SEPARATORS = "\t;,"  # the first of those that are most frequent in the first row
_LINE_END = re.compile(r"\r\n|\r|\n")
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


class Spreadsheet(Translation):
    """The rows of a file."""

    # The same number is 1,234.5 or 1.234,5 or 1 234,5. A cell that has only one reading, such as
    # 0,5 or 1.234.567, shows the decimal mark of the whole table. If no cell shows it, and commas
    # separate the cells, it is the point. With another separator, it may be a comma.
    mark: str
    is_known: bool

    def __init__(self, text: str, name: str) -> None:
        super().__init__(Document(name, (), locate=_locate, text=text))

    def read_rows(self) -> list[list[Cell]]:
        """Return the rows; find out what separates their cells, and what is the decimal mark."""
        lines = self.source.text.splitlines()
        first = next((line for line in lines if line.strip()), "")
        separator = max(_SEPARATORS, key=re.sub('"[^"]*"', "", first).count)
        rows = self.rows(separator)
        self.raise_any()
        shown = {_marks(_plain(cell.text)) for row in rows[1:] for cell in row[1:]} & {".", ","}
        self.mark = "," if shown == {","} else "."
        self.is_known = bool(shown) or separator == ","
        return rows

    def rows(self, separator: str) -> list[list[Cell]]:
        """Return the rows that have any text, without the empty cells at their ends.

        Python's `csv` would not give the lines and columns of cells.
        """
        rows: list[list[Cell]] = [[]]
        for cell, ends_row in self.cells(separator):
            rows[-1].append(cell)
            if ends_row:
                while rows[-1] and not rows[-1][-1].text:
                    rows[-1].pop()
                if rows[-1]:
                    rows.append([])
        return rows[:-1] or [[]]

    def cells(self, separator: str) -> Iterator[tuple[Cell, bool]]:
        """Yield each cell, and whether it is the last of its row."""
        plain = rf"[^{separator}\r\n]*"
        # A cell may be in quotes, where two quotes mean one.
        token = re.compile(rf'((?: *"([^"]*(?:""[^"]*)*)")?)({plain})({separator}|\r\n|\r|\n|\Z)')
        line, start, end = 1, 0, separator  # the current line, its place, and what ends a cell
        at = 0
        while end:
            match = token.match(self.source.text, at)
            assert match is not None  # a cell may be empty, and the text ends somewhere
            quoted, inner, rest, end = match.groups("")
            raw = inner.replace('""', '"') if quoted else rest
            blanks = len(match[0]) - len(match[0].lstrip(" "))
            cell = Cell(" ".join(raw.split()), line, at + blanks - start + 1)
            if quoted and rest.strip():
                hint = 'within quotes, write "" for a quote'
                self.fault(cell, f"text follows the closing quote: {hint}")
            elif not quoted and cell.text.startswith('"'):
                self.fault(cell, "a quote opens this cell, and none closes it: add one at its end")
            yield cell, end != separator
            at = match.end()
            for line_end in _LINE_END.finditer(match[0]):
                line, start = line + 1, match.start() + line_end.end()

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

    def payoff(self, cell: Cell) -> str:
        """Return the payoff in a cell as the grammar writes it."""
        text = self.number(cell)
        percent = _DECIMAL_PERCENT.fullmatch(text)
        text = f"{percent[1]}e-2" if percent else text
        if text != _UNKNOWN:
            to_fraction(text)
        return text

    def fault(self, cell: Cell, message: str, path: str | None = None) -> None:
        self.problems.add(Place(cell), path, message)

    def raise_any(self) -> None:
        if self.problems.found:
            raise self.problems.failure()


def _locate(places: Sequence[Place]) -> list[Mark | None]:
    """Return line and column of places, whose containers are cells."""
    cells = [place.container for place in places]
    return [cell and (cell.line, cell.column) for cell in cells]


# ---- Numbers, as spreadsheets in different countries write them.


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
