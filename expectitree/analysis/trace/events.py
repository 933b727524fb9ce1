"""The steps of a search: what an event is, and what all recorders of events have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from expectitree.numbers import INFINITY, Number
from expectitree.tree.model import Bounds, Column, Tree

MOST_TERMS = 8  # outcomes of a sum that is told term by term

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


class Event(NamedTuple):
    """One step of a search; `lower` and `upper` are what is known of the node after it."""

    kind: str  # a constant above
    node: int
    branch: int  # by which the node was come to, -1 at the root
    depth: int
    lower: Number
    upper: Number
    was: Bounds  # what was known before
    window: Bounds | None = None  # that of the node's entry: at enter, cut and leave
    place: int = -1  # at probe: the one child that is looked at, from 0
    cut: int = 0  # at cut and leave: the constant of `star_minimax`
    after: int = 0  # there: how many children were done
    step: int = 0  # its number, from 1
    terms: tuple[
        tuple[Number, Number], ...
    ] = ()  # p and end of every outcome, which make a bound of a CHANCE node
    walk: int = (
        0  # of best-first: the number of the walk, from 1; 0 for what is found when all are done
    )
    aim: str = ""  # at enter and visit of a walk: one of `AIMS`
    why: str = ""  # there: a constant above, or nothing where none holds


def concerns(tree: Tree, event: Event, node: int) -> bool:
    """Say whether a step is one of a node, or tells what comes of one of its branches."""
    if event.node == node:
        return True
    first = tree.columns.first
    return first[node] <= event.branch < first[node + 1] and event.kind not in (TIGHTEN, CUT)


class Telling(list[Any]):
    """A column that tells of every value written to it, with the one that was there."""

    def __init__(self, values: Iterable[Any], tell: Callable[[int, Any, Any], None]) -> None:
        super().__init__(values)
        self._tell = tell

    def __setitem__(self, at: Any, value: Any) -> None:
        was = self[at]
        super().__setitem__(at, value)
        self._tell(at, was, value)


class Recorder:
    """Makes events of what a search writes: a method `on_NAME` is told of what is written to the column NAME."""

    def __init__(self, tree: Tree, at: int | None, most: int | None) -> None:
        self.tree, self.at, self.most = tree, at, most
        self.kind, self.utility, self.first, self.child, self.probability = map(list, tree.columns)
        self.events: list[Event] = []
        self.total = self.step = 0
        self.columns: dict[str, Column] = {}
        self.lower: list[Number] = []  # what was told of every node
        self.upper: list[Number] = []

    def listen(self, name: str, column: Column) -> Column:
        """Return a column of the search, telling if what is written to it matters."""
        tell = getattr(self, f"on_{name}", None)
        self.columns[name] = column if tell is None else Telling(column, tell)
        if name in ("lower", "upper"):
            setattr(self, name, list(column))
        elif name == "value":
            self.lower, self.upper = [-INFINITY] * len(column), [INFINITY] * len(column)
        return self.columns[name]

    def tell(
        self,
        kind: str,
        node: int,
        branch: int,
        depth: int,
        lower: Number,
        upper: Number,
        **about: Any,
    ) -> None:
        """Tell of a step."""
        self.step += 1
        was = (self.lower[node], self.upper[node])
        self.lower[node], self.upper[node] = lower, upper
        event = Event(kind, node, branch, depth, lower, upper, was, step=self.step, **about)
        if self.at is None or concerns(self.tree, event, self.at):
            self.total += 1
            if self.most is None or len(self.events) < self.most:
                self.events.append(event)

    def told(self, kind: str, node: int, branch: int, depth: int, **about: Any) -> None:
        """Tell of something that changes no interval."""
        self.tell(kind, node, branch, depth, self.lower[node], self.upper[node], **about)
