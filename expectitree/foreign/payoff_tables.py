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
from expectitree.base.numbers import message_text, quote, to_probability
from expectitree.base.tree.columns import SUM_TOLERANCE
from expectitree.base.tree.model import Tree
from expectitree.base.tree.paths import join
from expectitree.files.grammar.document import Data, Place
from expectitree.files.rows import Warn
from expectitree.foreign.shared import Fields
from expectitree.foreign.spreadsheets import Cell, Spreadsheet
from expectitree.text.phrases import plural

EVENT = "state"  # of every chance node, for `expectitree information --event state`
_PROBABILITY = re.compile(r"p|pr|prob\.?|probabilit.*", re.IGNORECASE)


def read(text: str, name: str, warn: Warn, exact_nodes: int, minimize: bool = False) -> Tree:
    """Return the tree of a table, in which MIN chooses if its numbers are costs to `minimize`.

    Raises `FileError` with everything that is wrong.
    """
    table = Table(text, name)
    return table.tree(lambda: table.root(minimize), warn, exact_nodes)


class Table(Spreadsheet):
    """The rows of one table: those of actions, and the row of probabilities if there is one."""

    states: list[Cell]
    actions: list[list[Cell]]
    probabilities: list[list[Cell]]

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

    def probability(self, cell: Cell) -> str:
        """Return the probability in a cell as the grammar writes it."""
        text = self.number(cell).replace(" %", "%")
        to_probability(text, exact=True)
        return text

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
        if abs(total - 1) > SUM_TOLERANCE:
            found = f"the probabilities sum to {message_text(total)}, expected 1"
            self.fault(cells[0], f"{found}: correct them; a third is written 1/3")
        self.raise_any()


def _is_probability(cell: Cell) -> bool:
    return _PROBABILITY.fullmatch(cell.text) is not None
