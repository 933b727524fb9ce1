"""The steps of a search as events, and what all recorders of events share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from expectitree.analysis.evaluate.cuts import Cut
from expectitree.analysis.evaluate.terms import Terms
from expectitree.numbers import INFINITY, Number
from expectitree.tree.columns import Bounds, Column
from expectitree.tree.model import Tree

ENTER, PROBE, VISIT, PASS, TIGHTEN, CLOSE, CUT, LEAVE = (
    "enter", "probe", "visit", "pass", "tighten", "close", "cut", "leave"
)  # fmt: skip

# What a walk is to do at a node: what `best_first` writes as its aim; and at the root of a search
# for the best action.
AIMS = ("exact", "lower", "raise", "action")
# Why a walk goes on to a child, as far as the intervals and estimates show it.
ONLY_OPEN = "only open"
GREATEST_UPPER = "greatest upper bound"  # of the open ones
LEAST_LOWER = "least lower bound"
GREATEST_SHARE = "greatest p times width"
GREATEST_ESTIMATE = "greatest estimate"
LEAST_ESTIMATE = "least estimate"
RIVAL_UPPER = (
    "greatest upper bound of a rival"  # of the action that has the greatest estimate at the root
)
RIVAL_LOWER = "least lower bound of a rival"
EXPECTED_GAIN = "expected gain"  # by a leaf


class WindowFormula(NamedTuple):
    """How one end of an outcome's window follows from the window of its CHANCE node."""

    end: str  # alpha or beta
    limit: Number  # of the CHANCE node
    others: Terms  # the outcomes besides this one
    p: Number  # of this outcome
    found: Number


class Event(NamedTuple):
    """One step of a search; `lower` and `upper` are the node's bounds after it."""

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
    why: str = ""  # at enter and visit of a walk: a constant above, or nothing
    formulas: tuple[WindowFormula, ...] = ()  # at enter of an outcome


def concerns(tree: Tree, event: Event, node: int) -> bool:
    """Say whether a step is about a node, or changes the node's knowledge of a child."""
    if event.node == node:
        return True
    return event.branch in tree.branches_of(node) and event.kind not in (TIGHTEN, CUT)


def cut_of(event: Event, tree: Tree) -> Cut:
    """Return the cut that an event records."""
    assert event.window is not None
    children, interval = len(tree.branches_of(event.node)), (event.lower, event.upper)
    return Cut.of_code(event.cut, event.after, children, interval, event.window)


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

    def __init__(self, tree: Tree, at: int | None, most: int | None) -> None:
        self.tree, self.at, self.most = tree, at, most
        columns = tree.columns
        self.kind, self.first = list(columns.kind), list(columns.first)
        self.child, self.probability = list(columns.child), list(columns.probability)
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
        self,
        kind: str,
        node: int,
        branch: int,
        depth: int,
        lower: Number,
        upper: Number,
        **about: Any,
    ) -> None:
        """Record a step."""
        self.step += 1
        was = (self.lower[node], self.upper[node])
        self.lower[node], self.upper[node] = lower, upper
        event = Event(kind, node, branch, depth, lower, upper, was, step=self.step, **about)
        if self.at is None or concerns(self.tree, event, self.at):
            self.total += 1
            if self.most is None or len(self.events) < self.most:
                self.events.append(event)

    def record_unchanged(self, kind: str, node: int, branch: int, depth: int, **about: Any) -> None:
        """Record a step that changes no bounds."""
        self.record(kind, node, branch, depth, self.lower[node], self.upper[node], **about)
