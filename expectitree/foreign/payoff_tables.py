"""Payoff tables in CSV: actions as rows, states as columns, and a row of probabilities.

    ,strong market,weak market
    large plant,200000,-180000
    small plant,100000,-20000
    probability,0.5,0.5

A table becomes a MAX node over its actions. Below each is a CHANCE node of the event `state`, with
the states as outcomes and the same probabilities.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from expectitree.base.errors import NumberError
from expectitree.base.numbers import message_text, quote, to_fraction, to_probability
from expectitree.base.tree.columns import NORMALIZED, SUM_TOLERANCE
from expectitree.base.tree.model import Tree
from expectitree.base.tree.paths import join
from expectitree.files.grammar.document import Data, Document, Mark, Place
from expectitree.files.grammar.values import NORMALIZE
from expectitree.files.rows import Warn
from expectitree.foreign.shared import Fields, Translation
from expectitree.text.phrases import plural

EVENT = "state"  # of every chance node, for `expectitree information --event state`
_PROBABILITY = re.compile(r"p|pr|prob\.?|probabilit.*", re.IGNORECASE)
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


def read(
    text: str,
    name: str,
    warn: Warn,
    exact_nodes: int,
    minimize: bool = False,
    normalize: bool = False,
) -> Tree:
    """Return the tree of a table, in which MIN chooses if its numbers are costs to `minimize`.

    Raises `FileError` with everything that is wrong.
    """
    table = Table(text, name, normalize)
    return table.tree(lambda: table.root(minimize), warn, exact_nodes)


class Cell(NamedTuple):
    """One cell: its text, with single blanks between words, and where it starts."""

    text: str
    line: int = 1
    column: int = 1


class Table(Translation):
    """The rows of one table: those of actions, and the row of probabilities if there is one."""

    states: list[Cell]
    actions: list[list[Cell]]
    probabilities: list[list[Cell]]
    # The same number is 1,234.5 or 1.234,5 or 1 234,5. A cell that has only one reading, such as
    # 0,5 or 1.234.567, shows the decimal mark of the whole table. If no cell shows it, and commas
    # separate the cells, it is the point. With another separator, it may be a comma.
    mark: str
    is_known: bool

    def __init__(self, text: str, name: str, normalize: bool = False) -> None:
        super().__init__(Document(name, (), locate=_locate, text=text, normalize=normalize))

    def root(self, is_cost: bool) -> Data:
        header, *rows = self.read_rows()
        self.states = header[1:]
        self.actions = [row for row in rows if not _is_probability(row[0])]
        self.probabilities = [row for row in rows if _is_probability(row[0])]
        self.check()
        if not self.probabilities:
            criterion, kind = ("minimax", "max") if is_cost else ("maximin", "min")
            found = "found no row `probability`: the states are equally likely (Laplace)"
            worst = f"For the best worst case ({criterion}), convert the table and write {kind}"
            self.notes.append(f"{found}. {worst} instead of chance")
        shares = [self.probability(cell) for row in self.probabilities for cell in row[1:]]
        actions: Fields = {}
        for row in self.actions:
            outcomes: Fields = {}
            for at, (state, cell) in enumerate(zip(self.states, row[1:], strict=True)):
                outcome: Fields = {"p": (shares[at], Place(cell))} if shares else {}
                outcome["utility"] = self.payoff(cell), Place(cell)
                outcomes[state.text] = self.mapping(outcome), Place(state)
            chance: Fields = {"event": (EVENT, Place(row[0]))}
            chance["chance"] = self.mapping(outcomes), Place(row[0])
            actions[row[0].text] = self.mapping(chance), Place(row[0])
        return self.mapping({"min" if is_cost else "max": (self.mapping(actions), Place())})

    # ---- Cells.

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

    def probability(self, cell: Cell) -> str:
        """Return the probability in a cell as the grammar writes it."""
        text = self.number(cell).replace(" %", "%")
        to_probability(text, exact=True)
        return text

    def payoff(self, cell: Cell) -> str:
        """Return the payoff in a cell as the grammar writes it."""
        text = self.number(cell)
        percent = _DECIMAL_PERCENT.fullmatch(text)
        text = f"{percent[1]}e-2" if percent else text
        if text != _UNKNOWN:
            to_fraction(text)
        return text

    # ---- Errors.

    def fault(self, cell: Cell, message: str, path: str | None = None) -> None:
        self.problems.add(Place(cell), path, message)

    def raise_any(self) -> None:
        if self.problems.found:
            raise self.problems.failure()

    def check(self) -> None:
        """Raise `FileError` with everything that is wrong with the rows."""
        rows = [*self.actions, *self.probabilities[:1]]
        if not self.states or not self.actions:
            missing = "actions (rows)" if self.states else "states (columns)"
            expected = "expected the names of states in the first row, and a row for each action"
            is_wider_below = not self.states and any(len(row) > 1 for row in self.actions)
            hint = "; delete the lines above that row" if is_wider_below else ""
            self.fault(Cell(""), f"the table has no {missing}: {expected}{hint}")
        elif not any(row[0].text for row in rows):
            found = "the first column is empty: delete it"
            self.fault(self.actions[0][0], f"{found}, so that the rows begin with actions")
        self.raise_any()
        for row in self.probabilities[1:]:
            self.fault(row[0], f"a second row {quote(row[0].text)}: keep one of them")
        self.check_names("state", self.states)
        self.check_names("action", [row[0] for row in self.actions])
        for state in filter(_is_probability, self.states):
            hint = "swap rows and columns, so that actions are rows and states are columns"
            self.fault(state, f"the probabilities are a column: {hint}")
        for row in rows:
            self.check_row(row)
        self.raise_any()
        if self.probabilities:
            self.check_sum(self.probabilities[0][1:])

    def check_names(self, what: str, cells: Sequence[Cell]) -> None:
        """Note names that are empty or repeated."""
        seen: dict[str, Cell] = {}
        for cell in cells:
            first = seen.setdefault(cell.text, cell)
            if not cell.text:
                self.fault(cell, f"this {what} has no name: write one")
            elif first is not cell:
                where = f"the first is at {first.line}:{first.column}"
                message = f"a second {what} {quote(cell.text)}, {where}: give it another name"
                self.fault(cell, message)

    def check_row(self, row: Sequence[Cell]) -> None:
        """Note a row without a number for each state, or else its cells that are not numbers."""
        found, expected = len(row) - 1, len(self.states)
        is_probability = _is_probability(row[0])
        if found != expected:
            has = f"has {plural(found, 'number')} for {plural(expected, 'state')}"
            hint = "write one below each state"
            if found > expected:
                hint = (
                    'name each state in the first row, and put a number such as "1,234" in quotes'
                )
            elif is_probability:
                hint += ", and delete a column that is not a state"
            self.fault(row[min(found, expected + 1)], f"the row {quote(row[0].text)} {has}: {hint}")
            return
        read = self.probability if is_probability else self.payoff
        for cell, state in zip(row[1:], self.states, strict=True):
            try:
                read(cell)
            except NumberError as error:
                path = join([row[0].text, state.text])
                self.fault(cell, str(error), None if is_probability else path)

    def check_sum(self, cells: Sequence[Cell]) -> None:
        """Raise `FileError` if probabilities do not sum to 1."""
        shares: list[Any] = [to_probability(self.probability(cell), True) for cell in cells]
        total = sum(shares)
        if abs(total - 1) > (NORMALIZED if self.source.normalize else SUM_TOLERANCE):
            found = f"the probabilities sum to {message_text(total)}, expected 1"
            hint = f": correct them, or {NORMALIZE}; a third is written 1/3"
            self.fault(cells[0], found + hint)
        self.raise_any()


def _locate(places: Sequence[Place]) -> list[Mark | None]:
    """Return line and column of places, whose containers are cells."""
    cells = [place.container for place in places]
    return [cell and (cell.line, cell.column) for cell in cells]


def _is_probability(cell: Cell) -> bool:
    return _PROBABILITY.fullmatch(cell.text) is not None


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
