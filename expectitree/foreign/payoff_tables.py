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
from typing import Any

from expectitree.base.errors import FileError, NumberError, Problem
from expectitree.base.numbers import escape, message_text, quote, to_fraction, to_probability
from expectitree.files.grammar.document import Data, Document, Mark, Place
from expectitree.files.grammar.problems import MAX_PROBLEMS
from expectitree.files.grammar.reader import read_tree
from expectitree.files.rows import Warn
from expectitree.foreign.amounts import Amounts, Cell
from expectitree.text.phrases import plural
from expectitree.tree.bounds import SUM_TOLERANCE
from expectitree.tree.model import Tree
from expectitree.tree.paths import join, message_path

EVENT = "state"  # of every chance node, for `expectitree information --event state`
_PROBABILITY = re.compile(r"p|pr|prob\.?|probabilit.*", re.IGNORECASE)
_UNKNOWN = "?"  # a payoff that is not known yet
_DECIMAL_PERCENT = re.compile(r"([-+]?[0-9]*\.?[0-9]*) ?%")
_SEPARATORS = "\t;,"  # the first of those that are most frequent in the first row
_LINE_END = re.compile(r"\r\n|\r|\n")


def read(text: str, name: str, warn: Warn | None, exact_nodes: int, minimize: bool = False) -> Tree:
    """Return the tree of a table.

    Args:
        text: The table.
        name: The text's name in messages.
        warn: Called with a message if the table has no probabilities.
        exact_nodes: A tree of more nodes has floats in place of fractions.
        minimize: Whether the numbers are costs, so that MIN chooses.

    Raises:
        FileError: The table is not complete, or cells are wrong. The error lists every problem.
    """
    table = _Table(text, name)
    table.check()
    if warn is not None and not table.probabilities:
        criterion, kind = ("minimax", "max") if minimize else ("maximin", "min")
        found = "found no row `probability`: the states are equally likely (Laplace)"
        worst = f"For the best worst case ({criterion}), convert the table and write {kind}"
        warn(f"{name}: {found}. {worst} instead of chance")
    return read_tree(table.document("min" if minimize else "max"), warn, exact_nodes=exact_nodes)


class _Table:
    """The rows of one table: those of actions, and the row of probabilities if there is one."""

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name
        self.problems: list[Problem] = []
        first = next((line for line in text.splitlines() if line.strip()), "")
        separator = max(_SEPARATORS, key=re.sub('"[^"]*"', "", first).count)
        header, *rows = self.rows(separator)
        self.states = header[1:]
        self.actions = [row for row in rows if not _is_probability(row[0])]
        self.probabilities = [row for row in rows if _is_probability(row[0])]
        self.amounts = Amounts((cell for row in rows for cell in row[1:]), separator)

    # ---- Cells.

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
        self.raise_any()
        return rows[:-1] or [[]]

    def cells(self, separator: str) -> Iterator[tuple[Cell, bool]]:
        """Yield each cell, and whether it is the last of its row."""
        plain = rf"[^{separator}\r\n]*"
        # A cell may be in quotes, where two quotes mean one.
        token = re.compile(rf'((?: *"([^"]*(?:""[^"]*)*)")?)({plain})({separator}|\r\n|\r|\n|\Z)')
        line, start, end = 1, 0, separator  # the current line, its place, and what ends a cell
        at = 0
        while end:
            match = token.match(self.text, at)
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

    def probability(self, cell: Cell) -> str:
        """Return the probability in a cell as the grammar writes it."""
        text = self.amounts.number(cell).replace(" %", "%")
        to_probability(text, exact=True)
        return text

    def payoff(self, cell: Cell) -> str:
        """Return the payoff in a cell as the grammar writes it."""
        text = self.amounts.number(cell)
        percent = _DECIMAL_PERCENT.fullmatch(text)
        text = f"{percent[1]}e-2" if percent else text
        if text != _UNKNOWN:
            to_fraction(text)
        return text

    # ---- Errors.

    def fault(self, cell: Cell, message: str, path: str | None = None) -> None:
        """Note an error in a cell; raise `FileError` when there are enough."""
        self.problems.append(Problem(self.name, escape(message), path, cell.line, cell.column))
        if len(self.problems) >= MAX_PROBLEMS:
            raise FileError(self.problems, stopped=True)

    def raise_any(self) -> None:
        """Raise `FileError` if there is an error."""
        if self.problems:
            raise FileError(self.problems)

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
                path = message_path(join([row[0].text, state.text]))
                self.fault(cell, str(error), None if is_probability else path)

    def check_sum(self, cells: Sequence[Cell]) -> None:
        """Raise `FileError` if probabilities do not sum to 1."""
        shares: list[Any] = [to_probability(self.probability(cell), True) for cell in cells]
        total = sum(shares)
        if abs(total - 1) > SUM_TOLERANCE:
            found = f"the probabilities sum to {message_text(total)}, expected 1"
            self.fault(cells[0], f"{found}: correct them; a third is written 1/3")
        self.raise_any()

    # ---- The tree.

    def document(self, kind: str) -> Document:
        """Return the tree as the structure of a tree file, with a root of a kind."""
        places: dict[int, list[Cell]] = {}  # of the items of a mapping, by its id
        shares = [self.probability(cell) for row in self.probabilities for cell in row[1:]]
        actions: list[tuple[str, Data]] = []
        for row in self.actions:
            outcomes: list[tuple[str, Data]] = []
            for at, (state, cell) in enumerate(zip(self.states, row[1:], strict=True)):
                p = (("p", shares[at]),) if shares else ()
                outcome = (*p, ("utility", self.payoff(cell)))
                outcomes.append((state.text, outcome))
                places[id(outcome)] = [cell, cell]
            chance = tuple(outcomes)
            places[id(chance)] = [*self.states]
            actions.append((row[0].text, (("event", EVENT), ("chance", chance))))
        body = tuple(actions)
        places[id(body)] = [row[0] for row in self.actions]

        def locate(wanted: Sequence[Place]) -> list[Mark | None]:
            found: list[Mark | None] = []
            for container, at, *_ in wanted:
                cells = places.get(id(container))
                found.append((cells[at].line, cells[at].column) if cells else None)
            return found

        root = ((kind, body),)
        return Document(self.name, root, locate=locate, text=self.text, has_labels=True)


def _is_probability(cell: Cell) -> bool:
    return _PROBABILITY.fullmatch(cell.text) is not None
