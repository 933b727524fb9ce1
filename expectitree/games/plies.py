"""Grow the whole tree of a game ply by ply, in NumPy columns, by the game's method `expand`."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, NamedTuple, NoReturn

from expectitree.base.algorithms import Algorithm
from expectitree.base.errors import GameError
from expectitree.base.numbers import INFINITY, to_nearest_float
from expectitree.base.tree.columns import CHANCE, MAX, SUM_TOLERANCE, Columns, Repeated
from expectitree.base.tree.columns import ROUNDING as SUM_ROUNDING
from expectitree.base.tree.model import Tree
from expectitree.games.growth import Replay
from expectitree.games.loops import Labels
from expectitree.games.rules import ROUNDING, Rules
from expectitree.searches.engine import choose_bounds
from expectitree.searches.progress import report
from expectitree.searches.result import Search
from expectitree.searches.setup import Engine

STATES_AT_ONCE = 2**16  # that `expand` receives: some MB, and a fraction of a second
MAX_KEY = 2**62
NAMES = ("turns", "parents", "children", "probabilities", "values", "bounds")


def can_expand(rules: Rules) -> bool:
    """Return whether the tree of a game may grow by plies: in floats, and of merged states.

    The user's own estimates are of states that only the other methods make.
    """
    is_merged = rules.merges and not rules.continues_turns
    own = rules.options.estimate is not None or rules.options.exact
    return is_merged and not own and hasattr(rules.game, "expand") and bool(find_spec("numpy"))


class Ply(NamedTuple):
    """The states after one number of plies, in the order in which a search finds them first."""

    kind: Any  # [n]
    value: Any  # [n] utilities and estimates
    bounds: Any  # [2, n]
    parent: Any  # [n] the row in the ply above that the state was found from first,
    above: Any  # [n] and the place of the move there
    width: Any  # [n] the number of branches
    child: Any  # [m] by branch: the row in the next ply
    probability: Any  # [m]
    place: Any  # [m] of the first move that leads to the child


class Plies(Replay):
    """A whole tree by plies. A row is a node of the tree."""

    def __init__(self, rules: Rules, start: Any, depth: int) -> None:
        super().__init__(rules, start)
        self.depth = depth
        self.rows = self.made = 1  # made: before equal states were merged
        self.plies: list[Ply] = []
        self.estimated: frozenset[int] = frozenset()  # leaves where the depth limit cuts

    def grow(self) -> bool:
        """Make all plies; return False if a state does not fit, or a leaf has no estimate."""
        import numpy as np

        rules = self.rules
        packed = rules.pack(self._start)
        if packed is None:
            return False
        states, found = np.array([packed], np.int64).T, (np.zeros(1, np.int64),) * 2
        bounds = np.array([[to_nearest_float(end)] for end in rules.bounds])
        while states.size:
            is_last = len(self.plies) == self.depth
            kind, parent, children, probability, value, *own = self._expanded(states, is_last)
            for low, high in own:
                bounds = np.stack([np.maximum(bounds[0], low), np.minimum(bounds[1], high)])
            value = _within(rules, states, value, bounds)
            if is_last:
                self.estimated = frozenset(np.flatnonzero(kind).tolist())
                kind = np.zeros_like(kind)
            if np.isnan(value[kind == 0]).any():
                return False
            states, first, child = merged(children)
            self.rows += states.shape[1]
            width = np.bincount(parent, minlength=len(kind))
            place = np.arange(len(parent)) - (np.cumsum(width) - width)[parent]
            above = parent[first], place[first]
            kept = unrepeated(parent * states.shape[1] + child, probability, kind[parent])
            width = np.bincount(parent[kept], minlength=len(kind))
            branches = child[kept], probability[kept], place[kept]
            self.plies.append(Ply(kind, value, bounds, *found, width, *branches))
            found, bounds = above, bounds[:, above[0]]
        return True

    @property
    def merged(self) -> int:
        """How often a state was found again."""
        return self.made - self.rows

    def _expanded(self, states: Any, is_last: bool) -> list[Any]:
        """Return the columns of `expand` for all states; those of the last ply have no children."""
        import numpy as np

        parts = []
        for at in range(0, states.shape[1], STATES_AT_ONCE):
            part = expanded(self.rules, states[:, at : at + STATES_AT_ONCE], is_last)
            self.made += len(part[1])
            self.rules.check_made(self.made, self.depth)
            part[1] = part[1] + at
            parts.append(part)
            report(self.made, None)
        columns = [np.concatenate(column, axis=-1) for column in zip(*parts, strict=True)]
        return columns

    # ---- The tree.

    def tree(self) -> Tree:
        """Return the tree: the last ply comes first, so children come before their parents."""
        import numpy as np

        plies = self.plies[::-1]
        start = np.cumsum([0, *(len(ply.kind) for ply in plies)])  # by ply: its first node

        def column(code: str, parts: Any) -> Any:
            return memoryview(np.concatenate([*parts]).astype(code))

        first = column("I", ([0], np.cumsum(np.concatenate([ply.width for ply in plies]))))
        columns = Columns.of(
            column("B", (ply.kind for ply in plies)),
            column("d", (ply.value for ply in plies)),
            first,
            column("I", (ply.child + at for ply, at in zip(plies, [0, *start], strict=False))),
            column("d", (ply.probability for ply in plies)),
        )
        self.root = self.rows - 1
        self.parent = column("I", (p.parent + at for p, at in zip(plies, start[1:], strict=True)))
        self.above = column("I", (ply.above for ply in plies))
        places = column("I", (ply.place for ply in plies))
        bounds = {self.root: tuple(plies[-1].bounds[:, 0].tolist())}
        for ply, before, at in zip(plies, plies[1:], start.tolist(), strict=False):
            own = np.flatnonzero((ply.bounds != before.bounds[:, ply.parent]).any(0))
            ends = zip(*ply.bounds[:, own].tolist(), strict=True)
            bounds.update(zip((own + at).tolist(), ends, strict=True))
        return Tree(
            columns,
            Labels(self, first, range(self.rows), places),
            local_bounds=bounds,
            estimated=self.estimated,
            title=self.rules.title,
        )

    def labels(self, node: int, places: Any) -> list[str | None]:
        """Return the labels of the moves at some places of a node."""
        state = self.state(node)
        moves, _ = self.rules.moves(state, self.rules.kind(state))
        return self.rules.labels(state, [moves[place] for place in places])

    def _move_to(self, row: int, state: Any) -> Any:
        return self.rules.moves(state, self.rules.kind(state))[0][self.above[row]]

    # ---- The values.

    def search(self, algorithm: Algorithm) -> Search:
        """Return the search by backward induction, whose values come from the last ply up."""
        import numpy as np

        tree, below, values = self.tree(), np.zeros(0), []
        for ply in reversed(self.plies):
            below = values_of(ply, below)
            values.append(below)
        value = memoryview(np.concatenate(values))
        bounds, source = choose_bounds(tree, None)
        eps = None if any((ply.kind == CHANCE).any() for ply in self.plies) else 0
        nothing = Repeated(0, self.rows)
        windows = Repeated(-INFINITY, self.rows), Repeated(INFINITY, self.rows)
        columns = value, value, Repeated(1, self.rows), *windows, nothing, nothing
        return Search(
            tree, algorithm, bounds, source, eps, Engine.INTERPRETED, *columns, 0, False
        )


def values_of(ply: Ply, below: Any) -> Any:
    """Return v* of the rows of a ply, as `backward_induction` computes it, from those below."""
    import numpy as np

    value, first = ply.value.copy(), np.cumsum(ply.width) - ply.width
    rows = np.arange(len(value))
    for at in range(ply.width.max(initial=0)):
        rows = rows[ply.width[rows] > at]
        branch, kind = first[rows] + at, ply.kind[rows]
        worth, is_chance = below[ply.child[branch]], kind == CHANCE
        before = value[rows] if at else np.where(is_chance, 0.0, worth)
        is_better = np.where(kind == MAX, worth > before, worth < before)
        total = before + ply.probability[branch] * worth
        value[rows] = np.where(is_chance, total, np.where(is_better, worth, before))
    return value


def merged(states: Any) -> tuple[Any, Any, Any]:
    """Return the states that differ by first appearance, its place for each, and each one's rank."""
    import numpy as np

    key, size = np.zeros(states.shape[1], np.int64), 1
    for column in states if states.size else ():
        digit, digits = column - column.min(), int(column.max()) - int(column.min()) + 1
        if size * digits > MAX_KEY:
            (size, key), (digits, digit) = ranks(key), ranks(column)
        key, size = key * digits + digit, size * digits
    order = np.argsort(key)
    key = key[order]
    start = np.flatnonzero(np.append(True, key[1:] != key[:-1])[: len(key)])
    first = np.minimum.reduceat(order, start) if len(order) else order
    by_first = np.argsort(first)
    rank, number = np.empty_like(first), np.empty_like(order)
    rank[by_first] = np.arange(len(first))
    number[order] = np.repeat(rank, np.diff(np.append(start, len(order))))
    first = first[by_first]
    return states[:, first], first, number


def ranks(column: Any) -> tuple[int, Any]:
    """Return how many numbers a column has, and the rank of each row's number among them."""
    import numpy as np

    numbers, rank = np.unique(column, return_inverse=True)
    return len(numbers), rank


def unrepeated(key: Any, probability: Any, kind: Any) -> Any:
    """Return which branches to keep: the first with each key.

    A CHANCE's probability of a repeated one is added to that of the first.
    """
    import numpy as np

    found = np.sort(key)
    if (found[1:] != found[:-1]).all():
        return slice(None)
    _, first, number = np.unique(key, return_index=True, return_inverse=True)
    first = first[number]
    repeated = first != np.arange(len(key))
    outcomes = repeated & (kind == CHANCE)
    np.add.at(probability, first[outcomes], probability[outcomes])
    return ~repeated


# ---- Checks.


def expanded(rules: Rules, states: Any, is_last: bool) -> list[Any]:
    """Return the columns that `expand` gives for some states, checked and sorted by parent.

    Those of the last ply have no children.
    """
    import numpy as np

    names = NAMES if rules.has_bounds else NAMES[:-1]
    found = rules.expand(states)
    if not isinstance(found, tuple) or len(found) != len(names):
        _fail(rules, states, "something else", f"a tuple of {', '.join(names)}")
    kind, parent, children, probability, value, *own = [*map(np.asarray, found)]
    (numbers, count), branches = states.shape, parent.size
    shapes = (count,), (branches,), (numbers, branches), (branches,), (count,), (2, count)
    for name, column, shape in zip(names, map(np.asarray, found), shapes, strict=False):
        if column.shape != shape:
            _fail(rules, states, f"{name} of the shape {column.shape}", f"the shape {shape}")
    if is_last:
        parent, children, probability = parent[:0], children[:, :0], probability[:0]
    elif (parent < 0).any() or (parent >= count).any():
        _fail(rules, states, "a parent that is not a row", f"rows from 0 to {count - 1}")
    elif (parent[1:] < parent[:-1]).any():
        order = np.argsort(parent, kind="stable")
        parent, children, probability = parent[order], children[:, order], probability[order]
    width, total = np.bincount(parent, minlength=count), np.bincount(parent, probability, count)
    is_chance = (kind == CHANCE) & (width > 0)
    missing = np.where(is_chance, np.abs(total - 1), 0)
    if not is_last and ((width > 0) != (kind > 0)).any() or not ((0 <= kind) & (kind <= 3)).all():
        _fail(rules, states, "other turns", "0 without children if the game is over, or 1, 2 or 3")
    p_of_players = probability[~is_chance[parent]]
    is_probability = (probability >= 0).all() and (p_of_players == 1).all()
    if not is_probability or not (missing <= SUM_TOLERANCE).all():
        _fail(rules, states, "other probabilities", "1 for moves, and the sum 1 for outcomes")
    is_off = missing > SUM_ROUNDING * width
    if is_off.any():
        probability = np.where(is_off[parent], probability / total[parent], probability)
    return [kind, parent, children, probability.astype(float), value.astype(float), *own]


def _within(rules: Rules, states: Any, value: Any, bounds: Any) -> Any:
    """Return values, which have to lie within bounds; they may miss them by rounding."""
    import numpy as np

    low, high = bounds
    slack = ROUNDING * np.where(np.isfinite(bounds), np.abs(bounds), 0).max(0)
    is_wrong = (value < low - slack) | (value > high + slack) | np.isinf(value)
    for row in np.flatnonzero(is_wrong | (low > high))[:1]:
        expected = f"a finite number within the bounds [{low[row]}, {high[row]}]"
        _fail(rules, states[:, row], f"the value {value[row]}", expected)
    return np.clip(value, low, high)


def _fail(rules: Rules, states: Any, found: str, expected: str) -> NoReturn:
    raise GameError(f"{rules.where('expand', states)} gives {found}, expected {expected}")
