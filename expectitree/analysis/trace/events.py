"""The steps of a search as events, and what all recorders of events share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

from expectitree.analysis.evaluate.cuts import Cut
from expectitree.analysis.evaluate.terms import EndOf, Quotient, Terms, sum_terms
from expectitree.base.algorithms import Algorithm
from expectitree.base.numbers import INFINITY, Number
from expectitree.base.tree.columns import Bounds, Column
from expectitree.base.tree.model import Tree
from expectitree.base.tree.scans import shifted

ENTER, PROBE, VISIT, PASS, TIGHTEN, CLOSE, CUT, LEAVE = (
    "enter", "probe", "visit", "pass", "tighten", "close", "cut", "leave"
)  # fmt: skip

# What a walk is to do at a node: what `best_first` writes as its aim; and at the root of a search
# for the best action.
AIMS = ("exact", "lower", "raise", "action")


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
    cut: int = 0  # at cut and leave: the constant of `star_minimax`
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


class ObservedColumn(list[Any]):
    """A column that calls a function with each value written to it, and with the one before."""

    def __init__(self, values: Iterable[Any], observe: Callable[[int, Any, Any], None]) -> None:
        super().__init__(values)
        self._observe = observe

    def __setitem__(self, at: Any, value: Any) -> None:
        was = self[at]
        super().__setitem__(at, value)
        self._observe(at, was, value)


class Recorder:
    """Makes events of a search: it calls `on_NAME` for each write to the column NAME."""

    def __init__(
        self, tree: Tree, algorithm: Algorithm, eps: Any, at: int | None, most: int | None
    ) -> None:
        self.tree, self.algorithm, self.eps, self.at, self.most = tree, algorithm, eps, at, most
        columns = tree.columns
        self.kind, self.first = list(columns.kind), list(columns.first)
        self.child, self.probability = list(columns.child), list(columns.probability)
        self.reward = list(columns.reward)  # empty if no branch pays
        self.events: list[Event] = []
        self.total = self.step = 0
        self.columns: dict[str, Column] = {}
        self.lower: list[Number] = []  # [N] as the events so far have it
        self.upper: list[Number] = []

    def listen(self, name: str, column: Column) -> Column:
        """Return the column for a search to write to: an observed one if its writes matter."""
        observe = getattr(self, f"on_{name}", None)
        self.columns[name] = column if observe is None else ObservedColumn(column, observe)
        if name in ("lower", "upper"):
            setattr(self, name, list(column))
        elif name == "value":
            self.lower, self.upper = [-INFINITY] * len(column), [INFINITY] * len(column)
        return self.columns[name]

    def record(
        self, kind: str, node: int, branch: int, depth: int, interval: Bounds | None = None,
        **about: Any,
    ) -> None:  # fmt: skip
        """Record a step, with the node's interval after it if the step changes that."""
        self.step += 1
        was = (self.lower[node], self.upper[node])
        self.lower[node], self.upper[node] = interval or was
        if self.at in (None, node) or self._is_result(kind, branch):
            self.total += 1
            if self.most is None or len(self.events) < self.most:
                lower, upper = interval or was
                self.events.append(
                    Event(kind, node, branch, depth, lower, upper, was, step=self.step, **about)
                )

    def _is_result(self, kind: str, branch: int) -> bool:
        """Return whether a step changes what the node `at` knows of a child."""
        assert self.at is not None
        return kind not in (TIGHTEN, CUT) and branch in self.tree.branches_of(self.at)

    def sum_terms(self, node: int, low: bool, total: Number) -> Terms:
        """Return the terms of a CHANCE node's bound, if the bound is their sum and they are few."""
        return sum_terms(self.tree, self.eps, node, self.end_of(low), total)

    def bound(self, low: bool, branch: int) -> Any:
        """Return the lower or the upper bound of a branch, as the search has it."""
        end = self.columns["lower" if low else "upper"][self.child[branch]]
        return shifted(end, self.reward[branch]) if self.reward else end

    def end_of(self, low: bool) -> EndOf:
        """Return the bounds, by branch, that a sum of lower or of upper bounds has."""
        return partial(self.bound, low)
