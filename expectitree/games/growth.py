"""A tree that grows: a search asks for rows, and the rules of a game make them.

The columns are lists, which become longer while a search reads and writes them. A child that the
search has not asked for is a row of the kind UNSEEN; `Growth.grow` finds out what it is. States
with equal keys and the same number of plies left share one row, so the table of rows is also the
transposition table.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from expectitree.base.errors import GameError
from expectitree.base.numbers import Number
from expectitree.base.tree.columns import CHANCE, MAX, NONE, TERMINAL, UNSEEN, Bounds, Columns
from expectitree.games.rules import Rules
from expectitree.searches.progress import report

MAX_TURNS = 100  # moves in a row that continue one player's turn, and so cost no ply
MAX_STATES = 20_000  # in memory; others are made again from the nearest ancestor in memory
ROWS_SHOWN = 10_000  # between two reports of progress
UNKNOWN = float("nan")


class Replay:
    """The states of rows: some are in memory, others are made again by playing their moves.

    `parent` has the row above each row, and `root` is the only row without one.
    """

    def __init__(self, rules: Rules, start: Any) -> None:
        self.rules, self.root, self._start = rules, 0, start
        self.parent: Any = array("q")  # [N] the row that a row was made for,
        self.above: Any = array("q")  # [N] and the branch from there
        self._states: dict[int, Any] = {}
        self._kept: deque[int] = deque()  # their rows, the oldest first: a dict finds it slowly

    def state(self, row: int) -> Any:
        """Return the state of an inner row; play its moves again if it is not in memory."""
        path = []
        while row != self.root and row not in self._states:
            path.append(row)
            row = self.parent[row]
        state = self._start if row == self.root else self._states[row]
        for row in reversed(path):
            state = self.rules.play(state, self._move_to(row, state))
            self._keep(row, state)
        return state

    def _move_to(self, row: int, state: Any) -> Any:
        """Return the move to a row from the state above it."""
        raise NotImplementedError

    def _keep(self, row: int, state: Any) -> None:
        """Keep a state in memory; forget the oldest one if there are too many."""
        if len(self._states) >= MAX_STATES:
            del self._states[self._kept.popleft()]
        self._states[row] = state
        self._kept.append(row)


class Growth(Replay):
    """The rows of a tree that grows down to `depth` plies. The root is row 0.

    A search reads `columns`, and narrows the intervals in `lower` and `upper`. It adds its other
    columns to `node_columns` and `branch_columns`, each with the value of a new row. All columns
    are longer than needed.

    A row is *complete* if its value is known, and no leaf below it is an estimate. Then it has this
    value for any number of plies that reaches these leaves, so other rows of its state are made
    from it, also at the next depth of iterative deepening.
    """

    def __init__(
        self,
        rules: Rules,
        depth: int,
        start: Any,
        before: Any = None,  # the tree of the depth before, or an `Order`
        values: dict[Any, Number] | None = None,
        shares: bool = True,
        estimates: bool = False,
    ) -> None:
        super().__init__(rules, start)
        self.depth, self.before = depth, before
        self.twin = NONE if before is None else 0  # the root's row in `before`
        self.values = values if rules.merges else None  # of leaves, by key, if they are kept
        self.shares = shares  # complete rows
        self.estimates = estimates  # at inner rows
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
        self._plies = array("i")  # [N] left until the depth limit
        self._turns = array("i")  # [N] moves in a row that cost no ply
        self._twin = array("i")  # [N] the row of the same node in `before`
        self._state_row = array("i")  # [N] the first row of the same state
        self._complete = array("i")  # [N] by the first row of a state: its row that is complete
        # [N] the plies left at the leaf that has the least, as far as the interval follows from
        # leaves: -1 if one of them is an estimate, `depth` without any
        self._least: list[int] = []
        lower, upper = rules.bounds
        self.node_columns: list[tuple[Any, Any]] = [
            (self.kind, UNSEEN),
            (self.utility, UNKNOWN),
            *((column, 0) for column in (self.first, self.last, self._plies, self._turns)),
            *((self.lower, lower), (self.upper, upper), (self._least, depth)),
            *((column, NONE) for column in (self.parent, self.above, self._twin)),
            *((column, NONE) for column in (self._state_row, self._complete)),
        ]
        self.branch_columns: list[tuple[Any, Any]] = []
        # Called with a row and its new children, after the columns have them.
        self.on_rows: Callable[[int, Sequence[int]], None] | None = None
        self.moves: list[Any] = []  # [M]
        self.own_bounds: dict[int, Bounds] = {}  # of rows, if states have bounds
        self.estimated: set[int] = set()  # leaves where the depth limit cuts
        self._solved: set[int] = set()  # leaves where the game goes on, but the value is known
        self.made = 0  # nodes
        self.is_news = False  # whether one of the next three has changed
        self.fewest_plies = depth  # left at a row
        self.longest_turn = 0  # the most moves in a row that cost no ply
        self.widest = 1  # the most branches of a row
        self.greatest: Any = 0  # in magnitude, of the leaves so far
        self.measures = False  # whether to update it
        self.has_chances = False  # whether a row is CHANCE
        self.merged = 0  # how often a state was found again
        self._used = 0  # rows
        self._free: list[int] = []  # those that are in use no more
        self._rows: dict[Any, int] = {}  # by key: the first row of the state
        self._others: dict[tuple[int, int, int], int] = {}  # by it, the plies left, and the turns
        self._one: Any = rules.zero + 1

    def plant(self) -> None:
        self._new_rows(1, self.rules.bounds)
        self._twin[0] = self.twin
        self._state_row[0] = 0
        if self.on_rows is not None:
            self.on_rows(NONE, [0])
        self._settle(0, NONE, self._start, self.depth, 0)

    def grow(self, parent: int, branch: int) -> None:
        """Find out what the unseen child of a branch is: a leaf, a new node, or a known one."""
        rules, row = self.rules, self.child[branch]
        state = self._states.get(parent)
        state = rules.play(self.state(parent) if state is None else state, self.moves[branch])
        plies, turns, key = self._plies[parent] - 1, 0, None
        if rules.continues_turns and rules.is_same_turn(state):
            plies, turns = plies + 1, self._turns[parent] + 1
            if turns > self.longest_turn:
                self.longest_turn, self.is_news = turns, True
            if turns > MAX_TURNS:
                raise GameError(
                    f"{rules.where('same_turn', state)} is true {MAX_TURNS + 1} times in a row: "
                    "correct same_turn, or the moves that never end the turn"
                )
        if rules.merges:
            key = rules.key(state)
            known = self._find(key, row, plies, turns)
            if known == row:  # it has become a leaf
                return
            if known != NONE:
                goes_on = known in self.estimated or known in self._solved
                rules.check_same(state, self.kind[known], goes_on)
                rules.check_known(state, partial(self.state, known))
                self.child[branch] = known
                self.merged += 1
                self.made -= 1
                if self.on_rows is None:
                    self._free.append(row)
                return
        self._settle(row, parent, state, plies, turns, key)

    def _find(self, key: Any, row: int, plies: int, turns: int) -> int:
        """Return a row in place of a new one for the state with a key; NONE if there is none.

        It is the new row if that has become a leaf, whose value is that of a complete row.
        """
        first = self._rows.setdefault(key, row)
        self._state_row[row] = first
        source, place = self, first
        if first == row:
            if self.before is None:
                return NONE
            source, place = self.before, self.before._rows.get(key, NONE)
        elif self._plies[first] == plies and self._turns[first] == turns:
            return first
        else:
            known = self._others.setdefault((first, plies, turns), row)
            if known != row:
                return known
        complete = NONE if place == NONE else source._complete[place]
        if complete == NONE or not self.shares:
            return NONE
        at = source._plies[complete]
        height = at - source._least[complete]
        if plies < height:
            return NONE
        if source is self and plies > at:  # so that no row is below itself
            self._others[first, plies, turns] = complete
            return complete
        is_leaf = source.kind[complete] == TERMINAL
        if not is_leaf or complete in source._solved:
            self._solved.add(row)
        value = source.utility[complete] if is_leaf else source.lower[complete]
        self._plies[row], self._turns[row] = plies, turns
        self._end(row, value, plies - height)
        return row

    def leave(self, row: int) -> None:
        """Note the leaves that the interval of a row follows from, and whether it is complete."""
        least = self._least
        found = min(map(least.__getitem__, self.child[self.first[row] : self.last[row]]))
        least[row] = found
        if found >= 0 and self.lower[row] == self.upper[row]:
            self._complete[self._state_row[row]] = row

    def _move_to(self, row: int, state: Any) -> Any:
        return self.moves[self.above[row]]

    def bounds_of(self, row: int) -> Bounds:
        """Return the bounds of all values at a row and below it."""
        while self.own_bounds and row > 0 and row not in self.own_bounds:
            row = self.parent[row]
        return self.own_bounds.get(row, self.rules.bounds)

    def labels(self, row: int, branches: Sequence[int]) -> list[str | None]:
        state = self.state(row) if self.rules.has_labels else None
        return self.rules.labels(state, [self.moves[b] for b in branches])

    def in_order(self) -> list[int]:
        """Return the rows that have grown, children before their parents."""
        kind, last, waiting = self.kind, self.last, [0]
        order: dict[int, None] = {}
        while waiting:
            row = waiting[-1]
            below = self.child[self.first[row] : last[row]]
            missing = [c for c in below if last[c] and c not in order]
            waiting += reversed(missing)
            if not missing:
                waiting.pop()
                order.update((c, None) for c in below if kind[c] != UNSEEN)
                order[row] = None
        return [*order]

    def forget(self) -> None:
        """Free all memory except what `labels` needs."""
        for column, _ in (*self.node_columns, *self.branch_columns, (self.child, NONE)):
            if column is not self.parent and column is not self.above:
                del column[:]
        del self.probability[:]
        for index in (self._rows, self._others, self._states, self._kept, self.own_bounds):
            index.clear()
        self.before = self.values = None
        self.rules.forget()

    def grow_all(self) -> None:
        for parent, branch in self._branches():
            if self.kind[self.child[branch]] == UNSEEN:
                self.grow(parent, branch)

    def _branches(self) -> Iterator[tuple[int, int]]:
        """Yield every row and branch depth first, also those that grow in the meantime."""
        waiting = [(0, self.first[0])]
        while waiting:
            row, branch = waiting.pop()
            if branch < self.last[row]:
                waiting.append((row, branch + 1))
                yield row, branch
                child = self.child[branch]
                if self.above[child] == branch and self.last[child]:
                    waiting.append((child, self.first[child]))

    def repeats(self) -> int:
        """Return how many positions are known to come again below themselves.

        Only the first path to each row is followed.
        """
        found = set()
        for row, first in enumerate(self._state_row):
            above = row if first != row else NONE
            while above != NONE and first not in found:
                above = self.parent[above]
                if above != NONE and self._state_row[above] == first:
                    found.add(first)
        return len(found)

    # ---- Making rows.

    def _settle(
        self, row: int, parent: int, state: Any, plies: int, turns: int, key: Any = None
    ) -> None:
        """Fill in the row of a state, and add unseen rows for its children."""
        rules = self.rules
        kind = rules.kind(state)
        bounds = self._bound(row, parent, state) if rules.has_bounds else rules.bounds
        self._plies[row], self._turns[row] = plies, turns
        if plies < self.fewest_plies:
            self.fewest_plies, self.is_news = plies, True
        if kind == TERMINAL or plies == 0:
            if kind != TERMINAL:
                self.estimated.add(row)
            value = self._value(state, kind, bounds, key)
            self._end(row, value, plies if kind == TERMINAL else -1)
            return
        if self.estimates:
            estimate = rules.estimate(state, kind, bounds)
            self.utility[row] = UNKNOWN if estimate is None else estimate
        moves, probabilities, twins = self._moves_of(row, state, kind)
        count = len(moves)
        rows = self._new_rows(count, bounds)
        if count > self.widest:
            self.widest, self.is_news = count, True
        self.kind[row] = kind
        if kind == CHANCE:
            self.has_chances = True
        self.first[row] = first = len(self.child)
        self.last[row] = first + count
        self.child += rows
        self.probability += probabilities or [self._one] * count
        self.moves += moves
        if self.branch_columns:
            lengthen(self.branch_columns, first + count)
        for child, branch in zip(rows, range(first, first + count), strict=True):
            self.parent[child], self.above[child] = row, branch
        if twins:
            for c, twin in zip(rows, twins, strict=True):
                self._twin[c] = twin
        self._keep(row, state)
        if self.on_rows is not None:
            self.on_rows(row, rows)

    def _bound(self, row: int, parent: int, state: Any) -> Bounds:
        """Return the bounds of a state, and fill them in."""
        bounds = self.bounds_of(parent)
        own = self.rules.bounds_of(state, bounds)
        if own == bounds:
            return bounds
        self.own_bounds[row] = self.lower[row], self.upper[row] = own
        return own

    def _value(self, state: Any, kind: int, bounds: Bounds, key: Any) -> Number:
        """Return the value of a leaf, which may be known."""
        value = None if self.values is None else self.values.get(key)
        if value is None:
            value = self.rules.value(state, kind, bounds)
            if self.values is not None and key is not None:
                self.values[key] = value
        return value

    def _end(self, row: int, value: Number, least: int) -> None:
        """Fill in the row of a leaf."""
        self.kind[row] = TERMINAL
        self.utility[row] = value
        self._least[row] = least
        if least >= 0 and self._state_row[row] != NONE:
            self._complete[self._state_row[row]] = row
        if self.measures and abs(value) > self.greatest:
            self.greatest, self.is_news = abs(value), True

    def _new_rows(self, count: int, bounds: Bounds) -> list[int]:
        """Return unseen rows with some bounds, after checks of their number."""
        before = self.made
        self.made = made = before + count
        if made > self.rules.max_rows:
            self.made = before
            self.rules.check_made(made, self.depth)
        if self.rules.exact:
            self.rules.check_exact(made + self.merged)
        if made // ROWS_SHOWN > before // ROWS_SHOWN:
            report(made, None)
        free = self._free
        rows = free[-count:]
        del free[-count:]
        if len(rows) < count:
            start, self._used = self._used, self._used + count - len(rows)
            rows += range(start, self._used)
            lengthen(self.node_columns, self._used)
        if self.rules.has_bounds:
            for row in rows:
                self.lower[row], self.upper[row] = bounds
        return rows

    def _moves_of(
        self, row: int, state: Any, kind: int
    ) -> tuple[Sequence[Any], Sequence[Number] | None, Sequence[int]]:
        """Return the moves of a state, probabilities if it is CHANCE, and each child's twin.

        If `before` has the node, its moves are sorted by the intervals found there: for MAX the
        greatest lower bounds come first, for MIN the least upper bounds.
        """
        before, twin = self.before, self._twin[row]
        if before is None or twin == NONE or not before.last[twin]:
            moves, probabilities = self.rules.moves(state, kind)
            return moves, probabilities, [NONE] * len(moves) if before else ()
        child, lower, upper = before.child, before.lower, before.upper
        branches: list[int] = list(range(before.first[twin], before.last[twin]))
        if kind == MAX:
            branches.sort(key=lambda b: (-lower[child[b]], -upper[child[b]]))
        elif kind != CHANCE:
            branches.sort(key=lambda b: (upper[child[b]], lower[child[b]]))
        probabilities = [before.probability[b] for b in branches] if kind == CHANCE else None
        return [before.moves[b] for b in branches], probabilities, [child[b] for b in branches]


def lengthen(columns: list[tuple[Any, Any]], length: int) -> None:
    """Make columns at least so long, and a quarter longer than before, if they are too short."""
    before = len(columns[0][0])
    if before < length:
        for column, value in columns:
            values = [value] if isinstance(column, list) else array(column.typecode, [value])
            column.extend(values * max(length - before, before // 4, 16))
