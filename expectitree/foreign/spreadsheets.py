"""CSV files as spreadsheets in different countries write them: rows of cells, and their numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from expectitree.base.errors import NumberError
from expectitree.base.numbers import quote
from expectitree.base.reading import check_length, to_fraction
from expectitree.base.spellings import CURRENCY, INDIAN
from expectitree.base.tree.paths import composed
from expectitree.files.grammar.document import Document, Mark, Place
from expectitree.foreign.shared import Read, Translation, without_accents

_UNKNOWN = "?"  # a payoff that is not known yet
_DECIMAL_PERCENT = re.compile(r"([-+]?[0-9]*(?:\.[0-9]*)?) ?%")
_SEPARATORS = "\t;,"  # the first of those that are most frequent in the first row
_LINE_END = re.compile(r"\r\n|\r|\n")
_UNIT = rf"(?:[A-Z]{{0,2}}{CURRENCY}|Rs\.?|kr\.?)"  # such as €, R$ and US$
_CURRENCY = re.compile(rf"([-+]?) ?{_UNIT} ?")
_CURRENCY_AFTER = re.compile(rf" ?{_UNIT}$")
_BLANKS = re.compile(r"[-+]?[1-9][0-9]{0,2}(?:[ '’][0-9]{3})+(?:[.,][0-9]*)?(?: ?%)?")
_SWAP = str.maketrans(".,", ",.")
# With a decimal point: the integer part has groups of thousands, or only digits.
_POINT = re.compile(
    r"[-+]?(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|[0-9]*)(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?(?: ?%)?"
)
_INDIAN = re.compile(rf"[-+]?{INDIAN}(?:\.[0-9]*)?(?: ?%)?")


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

    def __init__(self, text: str, name: str, normalize: bool = False) -> None:
        super().__init__(
            Document(name, (), locate=_locate, text=composed(text), normalize=normalize)
        )

    def read_rows(self) -> list[list[Cell]]:
        """Return the rows; find out what separates their cells, and what is the decimal mark."""
        lines = self.source.text.splitlines()
        first = next((line for line in lines if line.strip()), "")
        separator = max(_SEPARATORS, key=re.sub('"[^"]*"', "", first).count)
        rows = [row for row in self.rows(separator) if row[0].text != "sep="]  # a line for Excel
        self.raise_any()
        shown = {_marks(_plain(cell.text)) for row in rows[1:] for cell in row[1:]} & {".", ","}
        self.mark = "," if shown == {","} else "."
        self.is_known = bool(shown) or separator == ","
        return rows or [[]]

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
        return rows[:-1]

    def cells(self, separator: str) -> Iterator[tuple[Cell, bool]]:
        """Yield each cell, and whether it is the last of its row."""
        plain = rf"[^{separator}\r\n]*"
        # A cell may be in quotes, where two quotes mean one.
        token = re.compile(rf' *()("([^"]*(?:""[^"]*)*)")?({plain})({separator}|\r\n|\r|\n|\Z)')
        line, start = 1, 0  # the current line, and its place
        for match in token.finditer(self.source.text):
            _, quoted, inner, rest, end = match.groups("")
            raw = inner.replace('""', '"') if quoted else rest
            cell = Cell(" ".join(raw.split()), line, match.start(1) - start + 1)
            if quoted and rest.strip():
                hint = 'within quotes, write "" for a quote'
                self.fault(cell, f"text follows the closing quote\n{hint}")
            elif not quoted and cell.text.startswith('"'):
                self.fault(cell, "a quote opens this cell, and none closes it\nadd one at its end")
            yield cell, end != separator
            for line_end in _LINE_END.finditer(match[0]):
                line, start = line + 1, match.start() + line_end.end()

    def number(self, cell: Cell) -> str:
        """Return the number in a cell, without currency and thousands separators.

        Raises `NumberError` if the cell is empty, or the number has two readings.
        """
        if not cell.text:
            raise NumberError("the cell is empty\nwrite a number, or 0")
        check_length(cell.text)
        text = _plain(cell.text)
        if text in "-\u2013\u2014":
            raise NumberError(f"{quote(cell.text)} may be 0 or a missing number\nwrite the number")
        marks = _marks(text)
        if not marks:
            return text
        if self.mark not in marks:
            reason = f"{quote(cell.text)} has a decimal comma, and another number has a point"
            raise NumberError(f"{reason}\nwrite all decimals in one way")
        if len(marks) > 1 and not self.is_known:
            reason = f"{quote(cell.text)} has a thousands separator or a decimal mark"
            hint = "write it without a separator, or with another number of decimals"
            raise NumberError(f"{reason}, and no other cell shows which\n{hint}")
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

    def value(self, cell: Cell) -> Fraction:
        """Return the known number in a cell."""
        return to_fraction(self.payoff(cell))

    def read(self, read: Callable[[Cell], Read], cell: Cell, path: str | None = None) -> Read:
        """Return what a function reads in a cell; if it fails, note that and read 0."""
        try:
            return read(cell)
        except NumberError as error:
            self.fault(cell, error.lines, path)
            return read(Cell("0"))

    def fault(self, cell: Cell, message: str, path: str | None = None) -> None:
        self.problems.add(Place(cell), path, message)

    def check_names(self, what: str, cells: Sequence[Cell]) -> None:
        """Note names that are empty or repeated."""
        seen: dict[str, Cell] = {}
        for cell in cells:
            first = seen.setdefault(cell.text, cell)
            if not cell.text:
                self.fault(cell, f"this {what} has no name\nwrite one")
            elif first is not cell:
                self.fault(
                    cell,
                    f"a second {what} {quote(cell.text)}, the first is at {first.line}:"
                    f"{first.column}\nkeep one of them, or rename it",
                )


def _locate(places: Sequence[Place]) -> list[Mark | None]:
    """Return line and column of places, whose containers are cells."""
    return [place.container and place.container[1:] for place in places]


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
    is_point = is_point or _INDIAN.fullmatch(text)
    return "." * bool(is_point) + "," * bool(is_comma)


def words(name: str) -> str:
    """Return a name in small letters, without accents and signs: `Prob. (%)` becomes `prob`."""
    return " ".join(re.findall(r"[^\W_]+", without_accents(name.casefold())))
