"""Grow the whole tree of a game ply by ply by its method `expand`. This module needs NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from expectitree.base.rounding import to_nearest_float
from expectitree.base.tree.columns import CHANCE, Bounds, Columns
from expectitree.base.tree.columns import ROUNDING as SUM_ROUNDING
from expectitree.base.tree.formulas import TreeText
from expectitree.base.tree.model import Tree
from expectitree.games.loops import Labels
from expectitree.games.rules import ROUNDING, Rules
from expectitree.games.states import FORGOTTEN, Replay
from expectitree.searches.progress import report

STATES_AT_ONCE = 2**16  # that `expand` receives: some MB, and a fraction of a second
MAX_KEY = 2**62  # the greatest number of a state, and of a key made of several


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
        super().__init__(rules)
        self._start, self.depth = start, depth
        self.rows = self.made = 1  # made: before equal states were merged
        self.merged = 0
        self.plies: list[Ply] = []
        self._bounds: dict[tuple[int, ...], Bounds] = {}  # by state, if states have bounds
        self.estimated: frozenset[int] = frozenset()  # leaves where the depth limit cuts

    def place_of(self, row: int) -> int:
        place: int = self.above[row]
        return place

    def grow(self) -> bool:
        """Make all plies; return False if a state does not fit, or a leaf has no estimate."""
        rules, states = self.rules, packed_column(self.rules, self._start)
        if states is None:
            return False
        place_above = (np.zeros(1, np.int64),) * 2
        bounds = np.array([[to_nearest_float(end)] for end in rules.bounds])
        while states.shape[1]:
            is_last = len(self.plies) == self.depth
            kind, parent, children, probability, value, *own_bounds = expanded(
                rules, states, self._count, is_last
            )
            for low, high in own_bounds:
                bounds = np.stack([np.maximum(bounds[0], low), np.minimum(bounds[1], high)])
                bounds = self._first_bounds(states, bounds)
            value = within(rules, states, value, bounds)
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
            key = parent * states.shape[1] + child
            kept = unrepeated(key, probability, kind[parent] == CHANCE)
            width = np.bincount(parent[kept], minlength=len(kind))
            branches = child[kept], probability[kept], place[kept]
            self.plies.append(Ply(kind, value, bounds, *place_above, width, *branches))
            place_above, bounds = above, bounds[:, above[0]]
            self.merged = self.made - self.rows
        return True

    def _first_bounds(self, states: Any, bounds: Any) -> Any:
        """Return the bounds that each state had in the first ply that has it."""
        pairs = zip(map(tuple, states.T.tolist()), zip(*bounds.tolist(), strict=True), strict=True)
        return np.array([self._bounds.setdefault(state, ends) for state, ends in pairs]).T

    def _count(self, _: int, branches: int) -> None:
        """Count the states that `expand` made."""
        self.made += branches
        # Of this ply, equal states do not share memory yet.
        self.rules.check_made(self.made - self.merged, self.depth)
        report(self.made, None)

    def tree(self) -> Tree:
        """Return the tree: the last ply comes first, so children come before their parents."""
        plies = self.plies[::-1]
        start = np.cumsum([0, *(len(ply.kind) for ply in plies)])  # by ply: its first node

        def column(code: str, name: str, shift: Any = 0 * start) -> Any:
            parts = [getattr(ply, name) + at for ply, at in zip(plies, shift, strict=False)]
            return buffer_of(np.concatenate(parts).astype(code))

        width, child = column("q", "width"), column("I", "child", np.append(0, start))
        first = buffer_of(np.append(0, np.cumsum(width)).astype("I"))
        columns = column("B", "kind"), column("d", "value"), first, child
        bounds = np.concatenate([ply.bounds for ply in plies], axis=1)
        below = np.asarray(child)
        differs = (bounds[:, below] != np.repeat(bounds, width, axis=1)).any(0)
        nodes = [self.rows - 1, *np.unique(below[differs]).tolist()]
        ends = zip(*bounds[:, nodes].tolist(), strict=True)
        self.objects, self.above = [FORGOTTEN] * (self.rows - 1), column("I", "above")
        self.objects.append(self._start)
        self.parent = column("I", "parent", start[1:])
        return Tree(
            Columns.of(*columns, column("d", "probability")),
            Labels(self, first, range(self.rows), column("I", "place")),
            local_bounds=dict(zip(nodes, ends, strict=True)),
            estimated=self.estimated,
            text=TreeText(self.rules.title),
        )


def buffer_of(column: Any) -> Any:
    """Return a view of a column, whose items are Python's own numbers."""
    return memoryview(column)


def packed_column(rules: Rules, state: Any) -> Any:
    """Return the numbers of a state as a column, None if they cannot hold it."""
    packed = rules.pack(state)
    if packed is None or max(map(abs, packed), default=0) > MAX_KEY:
        return None
    return np.array([packed], np.int64).T


def merged(states: Any) -> tuple[Any, Any, Any]:
    """Return the states that differ by first appearance, its place for each, and each one's rank.

    Columns become the digits of one number. Where it gets too large, ranks replace it.
    """
    key, size = np.zeros(states.shape[1], np.int64), 1
    for column in states if len(key) else ():
        digit, digits = column - column.min(), int(column.max()) - int(column.min()) + 1
        if size * digits > MAX_KEY:
            key, digit = (np.unique(x, return_inverse=True)[1] for x in (key, column))
            size, digits = int(key.max()) + 1, int(digit.max()) + 1
        key, size = key * digits + digit, size * digits
    _, first, number = np.unique(key, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    first = np.sort(first)
    return states[:, first], first, rank[number]


def unrepeated(key: Any, probability: Any, is_outcome: Any) -> Any:
    """Return which branches to keep: the first with each key; add outcomes' probabilities."""
    if (np.diff(np.sort(key)) != 0).all():
        return slice(None)
    _, first, number = np.unique(key, return_index=True, return_inverse=True)
    first = first[number]
    is_repeated = first != np.arange(len(key))
    added = is_repeated & is_outcome
    np.add.at(probability, first[added], probability[added])
    return ~is_repeated


# ---- Checks.


def expanded(
    rules: Rules, states: Any, listener: Callable[[int, int], None], is_last: bool = False
) -> list[Any]:
    """Return the columns that `expand` gives for some states, checked and sorted by parent.

    Those of the last ply have no children. The listener hears after each call how many states are
    done, and how many branches the last of them have.
    """
    parts = []
    for begin in range(0, states.shape[1], STATES_AT_ONCE):
        part = _expanded_at_once(rules, states[:, begin : begin + STATES_AT_ONCE], is_last)
        listener(begin + len(part[0]), len(part[1]))
        part[1] = part[1] + begin
        parts.append(part)
    return [np.concatenate(columns, axis=-1) for columns in zip(*parts, strict=True)]


def _expanded_at_once(rules: Rules, states: Any, is_last: bool) -> list[Any]:
    columns = [*map(np.asarray, rules.expand(states))]
    shapes = [tuple(column.shape) for column in columns]
    (numbers, count), branches = states.shape, shapes[1][:1] if len(shapes) > 1 else ()
    expected = [(count,), branches, (numbers, *branches), branches, (count,), (2, count)]
    if shapes != expected[: 6 if rules.has_bounds else 5]:
        names = "turns [n], parents [m], children [k, m], probabilities [m], values [n]"
        names += ", bounds [2, n]" if rules.has_bounds else ""
        rules.fail("expand", states, shapes, f"columns of the shapes {names}")
    kind, parent, children, probability, value, *own_bounds = columns
    if is_last:
        parent, children, probability = parent[:0], children[:, :0], probability[:0]
    if (parent < 0).any() or (parent >= count).any():
        rules.fail("expand", states, parent, "parents from 0 to n - 1")
    if (np.diff(parent) < 0).any():
        order = np.argsort(parent, kind="stable")
        parent, children, probability = parent[order], children[:, order], probability[order]
    width, total = np.bincount(parent, minlength=count), np.bincount(parent, probability, count)
    if not np.isin(kind, range(4)).all() or (not is_last and ((width > 0) != (kind > 0)).any()):
        rules.fail("expand", states, kind, "turns 0 (over) without children, or 1, 2, 3 with some")
    is_outcome = kind[parent] == CHANCE
    missing = np.abs(total - 1)[(kind == CHANCE) & (width > 0)].max(initial=0)
    is_right = np.where(is_outcome, (probability >= 0) & (probability <= 1), probability == 1)
    if not is_right.all() or missing > SUM_ROUNDING * width.max():
        rules.fail("expand", states, probability, "1 for moves, and the sum 1 for outcomes")
    return [kind, parent, children, probability.astype(float), value.astype(float), *own_bounds]


def within(rules: Rules, states: Any, value: Any, bounds: Any) -> Any:
    """Return values, which have to lie within bounds; they may miss them by rounding."""
    low, high = bounds
    slack = ROUNDING * np.where(np.isfinite(bounds), np.abs(bounds), 0).max(0)
    is_wrong = (value < low - slack) | (value > high + slack) | np.isinf(value) | (low > high)
    for leaf in np.flatnonzero(is_wrong)[:1]:
        expected = f"a finite value within the bounds [{low[leaf]}, {high[leaf]}]"
        rules.fail("expand", states[:, leaf], float(value[leaf]), expected)
    return np.clip(value, low, high)
