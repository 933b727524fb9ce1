"""The rows of a tree that grows: a row is a state with the plies left below it.

The columns are lists, which become longer while a search reads and writes them. A row that no
search has entered has the kind UNSEEN; `Rows.grow` finds out what it is. As a state is known once,
and so is a row, the table of rows is also the transposition table.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from expectitree.base.errors import GameError
from expectitree.base.numbers import Number
from expectitree.base.tree.columns import CHANCE, MAX, NONE, TERMINAL, UNSEEN, Columns
from expectitree.games.rules import EXACT_ROWS
from expectitree.games.states import UNASKED, States, lengthen
from expectitree.searches.progress import report
from expectitree.searches.tolerance import MOST_TOTALS, rounding_of_sums

MAX_TURNS = 100  # moves in a row that continue one player's turn, and so cost no ply
MAX_DEPTH = 10**9  # more than any number of rows
ROWS_SHOWN = 10_000  # between two reports of progress
UNKNOWN = float("nan")
UNKNOWN_YET = (0, MAX_DEPTH + 1)  # the value of a state that is not complete, and its height


class Rows:
    """The rows of states, with the intervals that searches narrow in `lower` and `upper`.

    A search adds its other columns to `node_columns`, each with the value of a new row. All columns
    are longer than needed.

    A row is *complete* if its value is known, and no leaf below it is an estimate. Then its state
    has this value for any number of plies that reaches these leaves, so rows of its state that grow
    later are leaves with this value.
    """

    def __init__(
        self,
        states: States,
        is_whole: bool = False,
        estimates: bool = False,
        best: dict[int, int] | None = None,
    ) -> None:
        self.states, self.rules, self.exact = states, states.rules, states.exact
        self.is_whole = is_whole  # whether all rows grow, and none is a leaf as it is complete
        self.estimates = estimates  # at inner rows
        self.most_exact = EXACT_ROWS  # that are computed in fractions
        self.kind: list[int] = []  # these are the lists of `columns`
        self.utility: list[Any] = []
        self.first: list[int] = []
        self.last: list[int] = []
        self.child: list[int] = []
        self.probability: list[Any] = []
        self.columns = Columns(
            self.kind, self.utility, self.first, self.child, self.probability, self.last, []
        )
        self.lower: list[Any] = []  # [N]
        self.upper: list[Any] = []  # [N]
        self.state: list[int] = []  # [N] its number
        self._level: list[int] = []  # [N] the plies left, and the moves so far that cost none
        self._front: list[int] = []  # [N] the place of the move that is its first branch
        # [N] the plies left at the leaf, or below the row, that has the least, as far as the
        # interval follows from them: `MAX_DEPTH` of an unseen row, -1 if a leaf is an estimate.
        # The latter is assumed of inner rows until `leave` has seen them.
        self._least: list[int] = []
        lower, upper = self.rules.bounds
        self.node_columns: list[tuple[Any, Any]] = [
            (self.kind, UNSEEN), (self.utility, UNKNOWN), (self._least, MAX_DEPTH),
            *((column, 0) for column in (self.first, self.last, self._front)),
            (self.lower, lower), (self.upper, upper),
        ]  # fmt: skip
        self.found: tuple[Any, ...] = ()  # the columns of a depth-first search, if there is one
        self.depth = 0  # plies left at the root of the search
        self.guesses: list[int] = []  # leaves where the depth limit cuts, in the order of growth
        self.count = self.merged = 0  # rows, and branches that lead to rows which were there
        self.is_news = False  # whether one of the next seven has changed
        self.room = 0  # how many rows the columns have
        self._lowest = MAX_DEPTH  # level of an inner row
        self.longest_turn = 0  # the most moves in a row that cost no ply
        self.widest = 1  # the most branches of a row
        self.greatest: Any = 0  # in magnitude, of the leaves so far
        self.has_chances = False  # whether a row is CHANCE
        # Whether a leaf is the end of the game, or bounds may say what a state is worth.
        self.has_ends = self.rules.has_bounds
        self._stride = MAX_TURNS + 2 if self.rules.continues_turns else 1  # of levels
        self._tables: defaultdict[int, dict[int, int]] = defaultdict(dict)  # by level and state
        self._complete: dict[int, tuple[Number, int]] = {}  # by state: its value and height
        self._latest: dict[int, int] = {}  # by state of a player: the row that grew last,
        self._best_before = best or {}  # and the place of the best move in the rows before these

    def plant(self, state: int, plies: int) -> int:
        """Return the row of a state, which has grown, to start a search there."""
        self.depth = plies
        (row,) = self._rows_of([state], plies * self._stride)
        if self.kind[row] == UNSEEN:
            self.grow(row)
        return row

    def grow_all(self, most: int) -> bool:
        """Grow all rows; return False if there are more than `most`."""
        row = 0
        while row < self.count <= most:
            if self.kind[row] == UNSEEN:
                self.grow(row)
            row += 1
        return row == self.count

    def add_columns(self, columns: Iterable[tuple[Any, Any]]) -> None:
        """Add columns of a search, each with the value of a new row."""
        added = [*columns]
        for column, value in added:
            column.extend([value] * self.room)
        self.node_columns += added

    def grow(self, row: int) -> None:
        """Find out what a row is: a leaf, or a node with rows for its children."""
        states, number, level = self.states, self.state[row], self._level[row]
        kind = states.kind[number]
        if kind == UNSEEN:
            kind = states.kind_of(number)
        if kind == TERMINAL or level < self._stride:  # which leaves no plies
            value = states.values[number]
            if value is UNASKED or value is None:
                value = states.value(number)
            self.kind[row], self.utility[row] = TERMINAL, value
            if value > self.greatest or -value > self.greatest:
                self.greatest, self.is_news = abs(value), True
            if kind == TERMINAL:
                self._end(row, number, value)
            else:
                self.guesses.append(row)
                self._least[row] = NONE
        else:
            self._open(row, number, kind, level)
        if self.exact and self._is_inexact():
            self._use_floats()

    def leave(self, row: int) -> None:
        """Note the leaves that the interval of a row follows from, and whether it is complete.

        As long as `has_ends` is false, no row is, and nobody needs to call this.
        """
        least = self._least
        plies = self._level[row] // self._stride
        fewest = plies - 1  # left below the row: with fewer plies, it would be a leaf
        for child in self.child[self.first[row] : self.last[row]]:
            if least[child] < fewest:
                fewest = least[child]
                if fewest < 0:
                    break
        least[row] = fewest
        if fewest >= 0 and self.lower[row] == self.upper[row]:
            self._complete[self.state[row]] = self.lower[row], plies - fewest

    @property
    def tolerance(self) -> Number:
        """Return what sums of the leaves so far, and of the bounds, may lose to rounding.

        Bounds may be far from all leaves, or infinite (decision 0002-tolerance).
        """
        if self.exact or not self.has_chances:
            return 0
        end = max(self.rules.finite_ends, default=0)
        size = max(self.greatest, min(end, MOST_TOTALS * self.greatest))
        return rounding_of_sums(size, self.depth, self.widest)

    @property
    def longest_path(self) -> int:
        """How many rows a path from the root may have, among those so far."""
        plies = self.depth - self._lowest // self._stride + 2
        return min(max(plies, 1) * (1 + self.longest_turn), self.room)

    def places(self, row: int) -> Sequence[int]:
        """Return the places among the moves of a state, in the order of a row's branches."""
        front, width = self._front[row], self.last[row] - self.first[row]
        return [front, *range(front), *range(front + 1, width)] if front else range(width)

    def is_estimated(self, row: int) -> bool:
        """Return whether a row is a leaf because the depth limit cuts there."""
        return self._least[row] < 0 and not self.last[row]

    def is_complete(self, row: int) -> bool:
        """Return whether no leaf that a search of a row needed is an estimate."""
        return self._least[row] >= 0

    @property
    def extent(self) -> tuple[int, int]:
        """How far the rows have grown: how many branches and guesses there are."""
        return len(self.child), len(self.guesses)

    def estimated(self, root: int, extent: tuple[int, int]) -> int:
        """Return how many leaves at and below a row were estimates when the rows had an extent."""
        first, last, child = self.first, self.last, self.child
        branches, guesses = extent
        seen, order = {root}, [root]
        for row in order:  # which grows
            if last[row] <= branches:
                below = [c for c in child[first[row] : last[row]] if c not in seen]
                seen.update(below)
                order += below
        return len(seen.intersection(self.guesses[:guesses]))

    def in_order(self, root: int) -> list[int]:
        """Return the inner rows at and below a row, children before their parents."""
        last, waiting = self.last, [root] if self.last[root] else []
        order: dict[int, None] = {}
        while waiting:
            row = waiting[-1]
            below = self.child[self.first[row] : last[row]]
            missing = [c for c in below if last[c] and c not in order]
            waiting += reversed(missing)
            if not missing:
                waiting.pop()
                order[row] = None
        return [*order]

    def line(self, row: int) -> list[int]:
        """Return the rows of the line of best play, as far as it is proved."""
        line = []
        while self.last[row]:
            line.append(row)
            first, last = self.first[row], self.last[row]
            if self.kind[row] == CHANCE:
                weights = self.probability[first:last]
                row = self.child[first + weights.index(max(weights))]
            elif self.lower[row] == self.upper[row]:
                row = self.child[first + self._best(row)]
            else:
                break
        return line

    def reached_from(self, start: int) -> Rows:
        """Return rows, not grown, with the intervals of the states reached from one."""
        states, numbers = self.states.reached_from(start)
        rows = Rows(states)
        rows.has_ends = self.has_ends
        for row, old in enumerate(self.state):
            if old in numbers:
                (new,) = rows._rows_of([numbers[old]], self._level[row])
                rows.lower[new], rows.upper[new] = self.lower[row], self.upper[row]
                rows._least[new] = self._least[row]
        pairs = self._complete.items()
        rows._complete = {numbers[old]: known for old, known in pairs if old in numbers}
        return rows

    # ---- Making rows.

    def _end(self, row: int, number: int, value: Number) -> None:
        """Note that the game ends at a leaf."""
        self._least[row] = self._level[row] // self._stride
        if not self.is_whole:
            self._complete[number] = value, 0
            if not self.has_ends:
                self.has_ends = self.is_news = True

    def _open(self, row: int, number: int, kind: int, level: int) -> None:
        """Add the branches of a row."""
        states, is_chance, front = self.states, kind == CHANCE, 0
        children, probabilities, _ = states.known[number] or states.ask(number)
        if is_chance and not self.has_chances:
            self.has_chances = self.is_news = True
        if not is_chance and not self.is_whole:  # a whole tree keeps the order of the game
            front = self._first_move(number)
            if front:
                children = [children[front], *children[:front], *children[front + 1 :]]
            self._latest[number] = row
        if self.estimates:
            estimate = states.estimate(number)
            self.utility[row] = UNKNOWN if estimate is None else estimate
        if self._stride == 1:
            rows = self._rows_of(children, level - 1)
        else:
            rows = self._rows_by_turn(children, *divmod(level, self._stride))
        if level < self._lowest:
            self._lowest, self.is_news = level, True
        if len(rows) > self.widest:
            self.widest, self.is_news = len(rows), True
        self.first[row] = len(self.child)
        self.child += rows
        self.last[row] = len(self.child)
        self.probability += probabilities
        self.kind[row], self._front[row] = kind, front
        self._least[row] = NONE

    def _rows_by_turn(self, children: list[int], plies: int, turns: int) -> list[int]:
        """Return the rows of states, some of which may cost no ply."""
        states, rows = self.states, []
        for child in children:
            level = (plies - 1) * self._stride
            if states.same_turn[child]:
                level = plies * self._stride + turns + 1
                if turns >= MAX_TURNS:
                    where = self.rules.where("same_turn", states.state(child))
                    raise GameError(
                        f"{where} is true {MAX_TURNS + 1} times in a row\ncorrect same_turn, or "
                        "the moves that never end the turn"
                    )
                if turns >= self.longest_turn:
                    self.longest_turn, self.is_news = turns + 1, True
            rows += self._rows_of([child], level)
        return rows

    def _rows_of(self, states: list[int], level: int) -> list[int]:
        """Return the rows of states at a level, after checks of their number."""
        before = count = self.count
        if count + len(states) > self.rules.max_rows:
            self.rules.check_made(count + len(states), self.depth)
        table, state_of, rows = self._tables[level], self.state, []
        for state in states:
            row = table.setdefault(state, count)
            if row == count:
                count += 1
                state_of.append(state)
            rows.append(row)
        self.merged += len(states) - count + before
        if count > before:
            self.count = count
            self._level += [level] * (count - before)
            self._begin(range(before, count), level)
        return rows

    def _begin(self, rows: range, level: int) -> None:
        """Fill in the columns of new rows."""
        if rows.stop > self.room:
            lengthen(self.node_columns, rows.stop)
            self.room, self.is_news = len(self.kind), True
        if rows.stop // ROWS_SHOWN > rows.start // ROWS_SHOWN:
            report(rows.stop, None)
        states, complete = self.states, self._complete
        if states.bounds:
            for row in rows:
                self.lower[row], self.upper[row] = states.bounds[self.state[row]]
        if complete and not complete.keys().isdisjoint(self.state[rows.start :]):
            plies = level // self._stride
            for row in rows:
                value, height = complete.get(self.state[row], UNKNOWN_YET)
                if height <= plies:  # then a search to this depth finds the same
                    self.kind[row], self.utility[row] = TERMINAL, value
                    self.lower[row] = self.upper[row] = value
                    self._least[row] = plies - height

    def _best(self, row: int) -> int:
        """Return which branch of a player's row is the best so far."""
        below = self.child[self.first[row] : self.last[row]]
        if self.kind[row] == MAX:
            ends = [self.lower[child] for child in below]
            return ends.index(max(ends))
        ends = [self.upper[child] for child in below]
        return ends.index(min(ends))

    def best_moves(self) -> dict[int, int]:
        """Return the place of the best move of each state of a player."""
        return {number: self._first_move(number) for number in self._latest}

    def _first_move(self, number: int) -> int:
        """Return the place of the best move of a player's state so far."""
        row = self._latest.get(number)
        if row is None:
            return self._best_before.get(number, 0)
        best, front = self._best(row), self._front[row]
        if best == 0:
            return front
        return best - 1 if best <= front else best

    # ---- Numbers.

    def _is_inexact(self) -> bool:
        """Return whether the rows are not to be computed in fractions any more."""
        if self.rules.exact and self.rules.options.exact is None and self.count > self.most_exact:
            self.rules.use_floats()
        return not self.rules.exact

    def _use_floats(self) -> None:
        """Convert all numbers from fractions to floats, and go on."""
        if self.states.exact:
            self.states.use_floats()
        self.exact, self.is_news = False, True
        self.greatest = float(self.greatest)
        pairs = self._complete.items()
        self._complete = {n: (float(value), height) for n, (value, height) in pairs}
        self.probability[:] = map(float, self.probability)
        for place, (column, value) in enumerate(self.node_columns):
            if isinstance(column, list) and not isinstance(value, int):
                column[:] = map(float, column)
                self.node_columns[place] = column, float(value)
