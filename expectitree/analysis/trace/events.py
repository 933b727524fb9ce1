"""The steps of a search as events, and what makes them of a search."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

from expectitree.analysis.evaluate.cuts import Cut
from expectitree.analysis.evaluate.reasons import EndOf, Quotient, Terms, branch_ends, sum_terms
from expectitree.base.algorithms import Algorithm
from expectitree.base.numbers import Number
from expectitree.base.tree.columns import Bounds, Column
from expectitree.base.tree.model import Kind, Tree
from expectitree.searches.cuts import NO_CUTS, fails_low
from expectitree.searches.result import Search
from expectitree.searches.tolerance import rounding_error

ENTER, PROBE, VISIT, PASS, TIGHTEN, CLOSE, CUT, LEAVE = (
    "enter", "probe", "visit", "pass", "tighten", "close", "cut", "leave"
)  # fmt: skip

# What a walk is to do at a node: what `best_first` writes as its aim; and at the root of a search
# for the best action.
AIMS = ("lower", "raise", "exact", "action")


class Event(NamedTuple):
    """One step of a search; `lower` and `upper` are the node's bounds after it.

    These, `was` and `window` are without the reward of the branch that led to the node.
    """

    kind: str  # a constant above
    node: int
    branch: int  # that led to the node, -1 at the root
    depth: int
    lower: Number
    upper: Number
    was: Bounds  # before the step
    window: Bounds | None = None  # of the node's entry: at enter, cut and leave
    place: int = -1  # at probe: which child is visited, from 0
    cut: int = 0  # at cut and leave: the constant of `cuts`
    after: int = 0  # at cut and leave: how many children were done
    step: int = 0  # its number, from 1
    terms: Terms = ()  # of the sum that makes a CHANCE node's bound
    walk: int = 0  # of best-first: from 1; 0 for cuts, which are found after the last walk
    aim: str = ""  # at enter and visit of a walk: one of `AIMS`
    quotients: tuple[Quotient | None, ...] = ()  # at enter of an outcome: of its alpha and beta

    @property
    def tightened(self) -> tuple[str, Number, Number]:
        """The bound that a tighten step changes, and its value before and after."""
        if self.lower != self.was[0]:
            return "lower", self.was[0], self.lower
        return "upper", self.was[1], self.upper

    def cut_in(self, tree: Tree) -> Cut:
        """Return the cut that a cut step records."""
        assert self.window is not None
        children, interval = len(tree.branches_of(self.node)), (self.lower, self.upper)
        return Cut(self.cut, self.after, children, interval, self.window)


class Recorder:
    """Makes events of a search, and knows the interval of each node after them."""

    def __init__(
        self, tree: Tree, algorithm: Algorithm, bounds: Bounds, at: int | None, most: int | None
    ) -> None:
        self.tree, self.algorithm, self.at, self.most = tree, algorithm, at, most
        self.eps = rounding_error(tree, bounds)
        self.kind, self.child = list(tree.columns.kind), list(tree.columns.child)
        self.lower, self.upper = map(list, tree.inherited_bounds(bounds))
        self.events: list[Event] = []
        self.total = self.step = self.entries = 0

    def record(
        self, kind: str, node: int, branch: int, depth: int, interval: Bounds | None = None,
        **about: Any,
    ) -> None:  # fmt: skip
        """Record a step, with the node's interval after it if the step changes that."""
        self.step += 1
        was = (self.lower[node], self.upper[node])
        lower, upper = self.lower[node], self.upper[node] = interval or was
        if self.at in (None, node) or self._is_result(kind, branch):
            self.total += 1
            if self.most is None or len(self.events) < self.most:
                self.events.append(
                    Event(kind, node, branch, depth, lower, upper, was, step=self.step, **about)
                )

    def _is_result(self, kind: str, branch: int) -> bool:
        """Return whether a step changes what the node `at` knows of a child."""
        assert self.at is not None
        return kind not in (TIGHTEN, CUT) and branch in self.tree.branches_of(self.at)

    def tighten(
        self, node: int, branch: int, depth: int, end: Any, low: bool, walk: int = 0
    ) -> None:
        """Record a tighter lower or upper bound of a node."""
        lower, upper = self.lower[node], self.upper[node]
        interval = (min(end, upper), upper) if low else (lower, max(end, lower))
        terms = self.sum_terms(node, low, end)
        self.record(TIGHTEN, node, branch, depth, interval, walk=walk, terms=terms)

    def record_cut(self, node: int, branch: int, depth: int, cut: int, **about: Any) -> None:
        """Record a cut, with the sum that proves it."""
        low = fails_low(cut)
        terms = self.sum_terms(node, not low, self.upper[node] if low else self.lower[node])
        self.record(CUT, node, branch, depth, cut=cut, terms=terms, **about)

    def sum_terms(self, node: int, low: bool, total: Number) -> Terms:
        """Return the terms of a CHANCE node's bound, if the bound is their sum and they are few."""
        return sum_terms(self.tree, self.eps, node, self.end_of(low), total)

    def end_of(self, low: bool) -> EndOf:
        """Return the bounds, by branch, that a sum of lower or of upper bounds has."""
        return branch_ends(self.tree, self.lower if low else self.upper)


class ObservedColumn(list[Any]):
    """A column that calls a function with the place of each value written to it."""

    def __init__(self, values: Iterable[Any], observe: Callable[[int], None]) -> None:
        super().__init__(values)
        self._observe = observe

    def __setitem__(self, at: Any, value: Any) -> None:
        super().__setitem__(at, value)
        self._observe(at)


class WalkRecorder(Recorder):
    """Makes events of what a best-first search writes into its columns.

    It depends on the order of the writes in `best_first` (docs/decisions/0010-trace.md). A walk
    writes `aim`, then `visits`, of each node that it enters, from the root down. It writes `lower`,
    then `upper`, of each node that it backs up, and of the leaf.
    """

    def __init__(self, *settings: Any) -> None:
        super().__init__(*settings)
        self.columns: dict[str, Column] = {}
        self.way: list[tuple[int, int]] = []  # the last walk's nodes, each with its branch
        self.place: dict[int, int] = {}  # node -> its index in `way`
        self.walk = 0

    def listen(self, name: str, column: Column) -> Column:
        """Return the column for a search to write to: an observed one if its writes matter."""
        observe = {"visits": self.on_visits, "upper": self.on_upper}.get(name)
        self.columns[name] = ObservedColumn(column, observe) if observe else column
        return self.columns[name]

    def on_visits(self, n: int) -> None:
        """Record that a walk enters a node. (A leaf is recorded when its utility is written.)"""
        self.entries += 1
        if n == self.tree.root_id:
            self.walk += 1
            self.way, self.place, branch = [], {}, -1
        else:
            above = self.way[-1][0]
            own = (b for b in self.tree.branches_of(above) if self.child[b] == n)
            branch = max(own, key=partial(self.attraction, self.kind[above]))
        self.place[n] = len(self.way)
        self.way.append((n, branch))
        if self.kind[n]:
            self.record(ENTER, n, branch, self.place[n], **self.about())

    def on_upper(self, n: int) -> None:
        """Record the new bounds of a node."""
        if n in self.place:
            depth, branch = self.place[n], self.way[self.place[n]][1]
        else:  # from time to time the search backs up all intervals
            paths = self.tree.first_paths
            depth, branch = paths.depth[n], paths.branch[n]
        was = (self.lower[n], self.upper[n])
        lower, upper = interval = (self.columns["lower"][n], self.columns["upper"][n])
        if not self.kind[n]:
            self.record(VISIT, n, branch, depth, interval, **self.about())
        elif lower == upper and interval != was:
            terms = self.sum_terms(n, True, lower)
            self.record(CLOSE, n, branch, depth, interval, walk=self.walk, terms=terms)
        else:
            for low in (True, False):
                if interval[not low] != was[not low]:
                    self.tighten(n, branch, depth, interval[not low], low, self.walk)

    def attraction(self, kind: int, branch: int) -> Any:
        """Return what a walk prefers of several branches from a node of some kind to one child."""
        if kind == Kind.CHANCE:
            return self.tree.columns.probability[branch]
        reward: Any = self.tree.reward_of(branch)
        return reward if kind == Kind.MAX else -reward

    def about(self) -> dict[str, Any]:
        """Return the walk, and its aim at its last node."""
        n = self.way[-1][0]
        aim = AIMS[self.columns["aim"][n]]
        is_player = self.kind[n] in (Kind.MAX, Kind.MIN)
        if len(self.way) == 1 and self.algorithm.goal == "action" and is_player:
            aim = "action"
        return {"walk": self.walk, "aim": aim}

    def finish(self, search: Search) -> None:
        """Record the cuts, which are found when the search is over, parents first."""
        paths = self.tree.first_paths
        for n in paths.order:
            if search.visits[n] and search.cut[n] not in NO_CUTS:
                window, after = (search.alpha[n], search.beta[n]), search.cut_after[n]
                place = paths.branch[n], paths.depth[n]
                self.record_cut(n, *place, search.cut[n], window=window, after=after)
