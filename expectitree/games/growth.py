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
    columns to `node_columns` and `branch_columns`, each with the value of a new row.
    """

    def __init__(
        self,
        rules: Rules,
        depth: int,
        start: Any,
        before: Growth | None = None,
        estimates: bool = False,
    ) -> None:
        super().__init__(rules, start)
        self.depth, self.before = depth, before
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
        self.node_columns: list[tuple[Any, Any]] = []
        self.branch_columns: list[tuple[Any, Any]] = []
        # Called with a row and its new children, after the columns have them.
        self.on_rows: Callable[[int, range], None] | None = None
        self.moves: list[Any] = []  # [M]
        self.own_bounds: dict[int, Bounds] = {}  # of rows, if states have bounds
        self.estimated: set[int] = set()  # leaves where the depth limit cuts
        self.widest = 1  # the most branches of a row
        self.has_chances = False  # whether a row is CHANCE
        self.measures = False  # whether to update `greatest`
        self.greatest: Any = 0  # in magnitude, of the leaves so far
        self.merged = 0  # how often a state was found again
        self._plies = array("q")  # [N] left until the depth limit
        self._turns = array("q")  # [N] moves in a row that cost no ply
        self._twin = array("q")  # [N] the row of the same node in `before`
        self._rows: dict[Any, int] = {}  # by key
        self._one: Any = rules.zero + 1

    def plant(self) -> None:
        self._append_rows(1, NONE, NONE, self.rules.bounds, [NONE if self.before is None else 0])
        self._settle(0, self._start, self.depth, 0)

    def grow(self, branch: int) -> None:
        """Find out what the unseen child of a branch is: a leaf, a new node, or a known one."""
        rules, row = self.rules, self.child[branch]
        parent = self.parent[row]
        state = self._states.get(parent)
        state = rules.play(self.state(parent) if state is None else state, self.moves[branch])
        plies, turns = self._plies[parent] - 1, 0
        if rules.continues_turns and rules.is_same_turn(state):
            plies, turns = plies + 1, self._turns[parent] + 1
            if turns > MAX_TURNS:
                raise GameError(
                    f"{rules.where('same_turn', state)} is true {MAX_TURNS + 1} times in a row: "
                    "correct same_turn, or the moves that never end the turn"
                )
        if rules.merges:
            known = self._rows.setdefault((rules.key(state), plies, turns), row)
            if known != row:
                rules.check_same(state, self.kind[known], known in self.estimated)
                rules.check_known(state, partial(self.state, known))
                self.child[branch] = known
                self.merged += 1
                return
        self._settle(row, state, plies, turns)

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

    def grow_all(self) -> None:
        for branch in self._branches():
            if self.kind[self.child[branch]] == UNSEEN:
                self.grow(branch)

    def _branches(self) -> Iterator[int]:
        """Yield every branch depth first, including those of rows that grow in the meantime."""
        waiting = [(self.first[0], self.last[0])]
        while waiting:
            branch, last = waiting.pop()
            if branch + 1 < last:
                waiting.append((branch + 1, last))
            if branch < last:
                yield branch
                child = self.child[branch]
                if self.above[child] == branch and self.last[child] > self.first[child]:
                    waiting.append((self.first[child], self.last[child]))

    def repeats(self) -> int:
        """Return how many positions are known to come again below themselves.

        Only the first path to each row is followed.
        """
        row_of: dict[Any, int] = {}  # by key: the first row
        first = {row: row_of.setdefault(key, row) for (key, *_), row in self._rows.items()}
        found = set()
        for row, known in first.items():
            above = row
            while known != row and known not in found and (above := self.parent[above]) != NONE:
                if first.get(above, above) == known:
                    found.add(known)
        return len(found)

    # ---- Making rows.

    def _settle(self, row: int, state: Any, plies: int, turns: int) -> None:
        """Fill in the row of a state, and add unseen rows for its children."""
        rules = self.rules
        kind = rules.kind(state)
        bounds = rules.bounds
        if rules.has_bounds:
            bounds = self.bounds_of(self.parent[row])
            own = rules.bounds_of(state, bounds)
            if own != bounds:
                self.own_bounds[row] = bounds = own
                self.lower[row], self.upper[row] = bounds
        self._plies[row], self._turns[row] = plies, turns
        if kind == TERMINAL or plies == 0:
            self.kind[row] = TERMINAL
            self.utility[row] = value = rules.value(state, kind, bounds)
            if self.measures:
                self.greatest = max(self.greatest, abs(value))
            if kind != TERMINAL:
                self.estimated.add(row)
            return
        if self.estimates:
            estimate = rules.estimate(state, kind, bounds)
            self.utility[row] = UNKNOWN if estimate is None else estimate
        moves, probabilities, twins = self._moves_of(row, state, kind)
        count = len(moves)
        self.widest = max(self.widest, count)
        rows = range(len(self.kind), len(self.kind) + count)
        rules.check_made(rows.stop, self.depth)
        rules.check_exact(rows.stop)
        self.kind[row] = kind
        self.has_chances |= kind == CHANCE
        self.first[row] = len(self.child)
        self.last[row] = len(self.child) + count
        branch = len(self.child)
        self.child.extend(rows)
        self.probability.extend(probabilities or [self._one] * count)
        self.moves += moves
        for column, value in self.branch_columns:
            column += [value] * count
        self._append_rows(count, row, branch, bounds, twins)
        self._keep(row, state)

    def _append_rows(
        self, count: int, parent: int, branch: int, bounds: Bounds, twins: list[int]
    ) -> None:
        """Add unseen rows for the children of a parent; the first one is at a branch."""
        rows = range(len(self.kind), len(self.kind) + count)
        self.kind += [UNSEEN] * count
        self.utility += [UNKNOWN] * count
        self.first += [0] * count
        self.last += [0] * count
        self.lower += [bounds[0]] * count
        self.upper += [bounds[1]] * count
        for column, value in self.node_columns:
            column += [value] * count
        self.parent.extend([parent] * count)
        self.above.extend(range(branch, branch + count))
        self._plies.extend([0] * count)
        self._turns.extend([0] * count)
        self._twin.extend(twins)
        if self.on_rows is not None:
            self.on_rows(parent, rows)
        if rows.start // ROWS_SHOWN < rows.stop // ROWS_SHOWN:
            report(rows.stop, None)

    def _moves_of(
        self, row: int, state: Any, kind: int
    ) -> tuple[Sequence[Any], Sequence[Number] | None, list[int]]:
        """Return the moves of a state, probabilities if it is CHANCE, and each child's twin.

        If `before` has the node, its moves are sorted by the intervals found there: for MAX the
        greatest lower bounds come first, for MIN the least upper bounds.
        """
        before, twin = self.before, self._twin[row]
        if before is None or twin == NONE or not before.last[twin]:
            moves, probabilities = self.rules.moves(state, kind)
            return moves, probabilities, [NONE] * len(moves)
        child, lower, upper = before.child, before.lower, before.upper
        branches: list[int] = list(range(before.first[twin], before.last[twin]))
        if kind == MAX:
            branches.sort(key=lambda b: (-lower[child[b]], -upper[child[b]]))
        elif kind != CHANCE:
            branches.sort(key=lambda b: (upper[child[b]], lower[child[b]]))
        probabilities = [before.probability[b] for b in branches] if kind == CHANCE else None
        return [before.moves[b] for b in branches], probabilities, [child[b] for b in branches]
