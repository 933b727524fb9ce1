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
from collections.abc import Sequence
from typing import Any

from expectitree.base.errors import NumberError
from expectitree.base.numbers import message_text, quote, to_fraction, to_probability
from expectitree.files.grammar.document import Data, Document, Mark, Place
from expectitree.files.grammar.reader import read_tree
from expectitree.files.rows import Warn
from expectitree.foreign.csv.amounts import Amounts
from expectitree.foreign.csv.cells import Cell, Faults, read_rows, separator_of
from expectitree.tree.columns import SUM_TOLERANCE
from expectitree.tree.model import Tree
from expectitree.tree.paths import join, message_path

EVENT = "state"  # of every chance node, for `expectitree information --event state`
_PROBABILITY = re.compile(r"p|pr|prob\.?|probabilit.*", re.IGNORECASE)
_UNKNOWN = "?"  # a payoff that is not known yet
_DECIMAL_PERCENT = re.compile(r"([-+]?[0-9]*\.?[0-9]*) ?%")


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
    faults = Faults(name)
    separator = separator_of(text)
    rows = read_rows(text, separator, faults)
    faults.raise_any()
    table = _Table(rows or [[]], separator, faults)
    table.check()
    faults.raise_any()
    if warn is not None and not table.probabilities:
        criterion, kind = ("minimax", "max") if minimize else ("maximin", "min")
        found = "found no row `probability`: the states are equally likely (Laplace)"
        worst = f"For the best worst case ({criterion}), convert the table and write {kind}"
        warn(f"{name}: {found}. {worst} instead of chance{table.guess()}")
    if warn is not None and (row := table.total()) is not None:
        found = f"the row {quote(row)} is the sum of the rows above it, and is read as an action"
        warn(f"{name}: {found}: delete it if it is a total")
    return read_tree(table.document(name, text, minimize), warn, exact_nodes=exact_nodes)


def _is_probability(cell: Cell) -> bool:
    return _PROBABILITY.fullmatch(cell.text) is not None


class _Table:
    """The rows of one table: those of actions, and the row of probabilities if there is one."""

    def __init__(self, rows: Sequence[Sequence[Cell]], separator: str, faults: Faults) -> None:
        self.faults = faults
        header, *below = rows
        self.states = header[1:]
        self.actions = [row for row in below if not _is_probability(row[0])]
        self.probabilities = [row for row in below if _is_probability(row[0])]
        self.amounts = Amounts((cell for row in below for cell in row[1:]), separator)

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

    def check(self) -> None:
        """Note everything that is wrong with the rows."""
        if not self.states or not self.actions:
            missing = "actions (rows)" if self.states else "states (columns)"
            expected = "expected the names of states in the first row, and a row for each action"
            is_wider_below = not self.states and any(len(row) > 1 for row in self.actions)
            hint = "; delete the lines above that row" if is_wider_below else ""
            self.faults.add(Cell(""), f"the table has no {missing}: {expected}{hint}")
            return
        if not any(row[0].text for row in (*self.actions, *self.probabilities)):
            found = "the first column is empty: delete it"
            self.faults.add(self.actions[0][0], f"{found}, so that the rows begin with actions")
            return
        for row in self.probabilities[1:]:
            self.faults.add(row[0], f"a second row {quote(row[0].text)}: keep one of them")
        self._check_names("state", self.states)
        self._check_names("action", [row[0] for row in self.actions])
        for state in filter(_is_probability, self.states):
            hint = "swap rows and columns, so that actions are rows and states are columns"
            self.faults.add(state, f"the probabilities are a column: {hint}")
        rows = [*self.actions, *self.probabilities[:1]]
        for row in rows:
            if self._is_whole(row):
                self._check_numbers(row)
        if self.probabilities and not self.faults.found:
            self._check_sum(self.probabilities[0][1:])

    def _check_names(self, what: str, cells: Sequence[Cell]) -> None:
        seen: dict[str, Cell] = {}
        for cell in cells:
            if not cell.text:
                self.faults.add(cell, f"this {what} has no name: write one")
            elif cell.text in seen:
                first = seen[cell.text]
                where = f"the first is at {first.line}:{first.column}"
                message = f"a second {what} {quote(cell.text)}, {where}: give it another name"
                self.faults.add(cell, message)
            seen.setdefault(cell.text, cell)

    def _is_whole(self, row: Sequence[Cell]) -> bool:
        """Return whether a row has a number for each state; note it if not."""
        found, expected = len(row) - 1, len(self.states)
        if found == expected:
            return True
        has = f"has {found} number{'s' * (found != 1)} for {expected} state{'s' * (expected != 1)}"
        hint = "write one below each state"
        if found > expected:
            hint = 'name each state in the first row, and put a number such as "1,234" in quotes'
        elif _is_probability(row[0]):
            hint = "write one below each state, and delete a column that is not a state"
        at = row[expected + 1] if found > expected else row[-1]
        self.faults.add(at, f"the row {quote(row[0].text)} {has}: {hint}")
        return False

    def _check_numbers(self, row: Sequence[Cell]) -> None:
        """Note every cell of a row that is not a number."""
        is_probability = _is_probability(row[0])
        read = self.probability if is_probability else self.payoff
        for cell, state in zip(row[1:], self.states, strict=True):
            try:
                read(cell)
            except NumberError as error:
                path = join([row[0].text, state.text])
                self.faults.add(cell, str(error), None if is_probability else message_path(path))

    def _check_sum(self, cells: Sequence[Cell]) -> None:
        shares: list[Any] = [to_probability(self.probability(cell), True) for cell in cells]
        total = sum(shares)
        if abs(total - 1) > SUM_TOLERANCE:
            found = f"the probabilities sum to {message_text(total)}, expected 1"
            self.faults.add(cells[0], f"{found}: correct them; a third is written 1/3")

    def guess(self) -> str:
        """Return a hint if the numbers of a row sum to 1, so that they may be probabilities."""
        for name, *cells in self.actions:
            try:
                shares: list[Any] = [to_probability(self.probability(cell), True) for cell in cells]
            except NumberError:
                continue
            if sum(shares) == 1 and not set(shares) <= {0, 1}:
                return f". If the row {quote(name.text)} has the probabilities, call it probability"
        return ""

    def total(self) -> str | None:
        """Return the name of the last action if its payoffs are the sums of those above."""
        rows = [[self.payoff(cell) for cell in row[1:]] for row in self.actions]
        if len(rows) < 3 or any(_UNKNOWN in row for row in rows):
            return None
        *others, last = [[to_fraction(text) for text in row] for row in rows]
        is_total = last == [sum(column) for column in zip(*others, strict=True)]
        return self.actions[-1][0].text if is_total and any(last) else None

    def document(self, name: str, text: str, minimize: bool) -> Document:
        """Return the tree as the structure of a tree file."""
        places: dict[tuple[int, int], Cell] = {}  # by container and place in it
        shares = [[("p", self.probability(cell))] for row in self.probabilities for cell in row[1:]]
        rows: list[tuple[str, Data]] = []
        for row in self.actions:
            outcomes: list[tuple[str, Data]] = []
            for at, (state, cell) in enumerate(zip(self.states, row[1:], strict=True)):
                outcome = (*(shares[at] if shares else ()), ("utility", self.payoff(cell)))
                outcomes.append((state.text, outcome))
                places |= {(id(outcome), key): cell for key in range(len(outcome))}
            chance = tuple(outcomes)
            places |= {(id(chance), at): cell for at, cell in enumerate(self.states)}
            rows.append((row[0].text, (("event", EVENT), ("chance", chance))))
        actions = tuple(rows)
        places |= {(id(actions), at): row[0] for at, row in enumerate(self.actions)}

        def locate(wanted: Sequence[Place]) -> list[Mark | None]:
            found = [places.get((id(place.container), place.at)) for place in wanted]
            return [cell and (cell.line, cell.column) for cell in found]

        root = (("min" if minimize else "max", actions),)
        return Document(name, root, locate=locate, text=text, has_labels=True)
