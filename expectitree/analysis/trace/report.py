"""Record a search step by step: the report of `trace`.

The search is the same as always, and calls the recorder, so a trace cannot disagree with a count
(docs/decisions/0010-trace.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from expectitree.analysis.evaluate.reasons import Quotient
from expectitree.analysis.trace.events import (
    ENTER,
    LEAVE,
    PASS,
    PROBE,
    VISIT,
    Event,
    Place,
    Recorder,
    WalkRecorder,
)
from expectitree.base.algorithms import Algorithm
from expectitree.base.algorithms import algorithm as find_algorithm
from expectitree.base.display import Shown
from expectitree.base.errors import AnalysisError, SearchError
from expectitree.base.numbers import INFINITY, Number
from expectitree.base.rounding import round_once
from expectitree.base.tree.columns import NONE, Bounds, ChosenBounds
from expectitree.base.tree.model import Kind, Tree, check_tree
from expectitree.searches.cuts import NO_CUTS
from expectitree.searches.engine import searched_tree
from expectitree.searches.problem import ALL, Window
from expectitree.searches.recursion import without_infinities
from expectitree.searches.result import Search


@dataclass(frozen=True)
class Trace(Shown):
    """The steps of one search of one tree; `trace` makes it.

        >>> import expectitree as et
        >>> steps = et.trace(et.load("example:risk"), "star1")
        >>> [(event.kind, steps.tree.path_of(event.node)) for event in steps.events[:3]]
        [('enter', '/'), ('enter', 'left'), ('visit', 'left/#1')]

    Attributes:
        file: The name of the tree in outputs.
        search: The search.
        events: The steps, each with its `kind` ("enter", "probe", "visit", "pass", "tighten",
            "close", "cut" or "leave"), `node`, and the node's bounds `lower` and `upper` after it.
        total: The number of steps, those beyond `most` included.
        at: The id of the node to follow, if only one.
    """

    question = "trace"
    is_shown_alone = True

    file: str
    search: Search
    events: Sequence[Event]
    total: int
    at: int | None = None

    @property
    def tree(self) -> Tree:
        """The tree that was searched."""
        return self.search.tree

    def to_records(self) -> list[dict[str, Any]]:
        """Return a flat dict for each step: the rows of a table for pandas or polars.

        Each has `step`, `event`, `path` and `kind` of the node, `depth`, the node's bounds `lower`
        and `upper` after the step, and its window `alpha` and `beta` at enter, cut and leave.
        """
        names = ("step", "event", "path", "kind", "depth", "lower", "upper", "alpha", "beta")
        return [dict(zip(names, self._row(event), strict=True)) for event in self.events]

    def _row(self, event: Event) -> tuple[object, ...]:
        path = self.tree.path_of(event.node)
        kind = self.tree.node(event.node).kind.name
        ends = event.lower, event.upper, *(event.window or (None, None))
        return event.step, event.kind, path, kind, event.depth, *ends


def trace(
    found: Tree | Search,
    algorithm: Algorithm | str | None = None,
    *,
    bounds: ChosenBounds = None,
    at: int | str | None = None,
    most: int | None = None,
    max_visits: int | None = None,
    exact: bool = False,
    file: str = "",
) -> Trace:
    """Search a tree, or repeat a search, and return every step.

        >>> import expectitree as et
        >>> steps = et.trace(et.load("example:risk"), "star1", at="right")
        >>> [event.kind for event in steps.events]
        ['enter', 'visit', 'tighten', 'visit', 'tighten', 'tighten', 'leave']

    Args:
        found: The tree to search, or a search to repeat. A search of a game is repeated in the
            tree that it made.
        algorithm: A key of `ALGORITHMS`, or what `algorithm` returns. By default a search is
            repeated with its own, and a tree is searched by expectiminimax.
        bounds: `(lower, upper)` of the root, as for `evaluate`; by default those of the search.
        at: Keep only the steps that concern this node: an id or a path.
        most: Keep only this many steps, the first ones. All steps are counted.
        max_visits: As for `evaluate`.
        exact: Return numbers of an exact tree as `Fraction`; otherwise rounded to floats.
        file: The name of the tree in outputs.

    Raises:
        AnalysisError: A best-first search of a game cannot be repeated.
        SearchError: As for `evaluate`.
        TreeError: The path `at` names no node.
    """
    tree = found.tree if isinstance(found, Search) else found
    check_tree(tree, "trace")
    at = tree.find(at).id if isinstance(at, str) else at
    if algorithm is None:
        algorithm = found.algorithm if isinstance(found, Search) else "expectiminimax"
    chosen = find_algorithm(algorithm)
    about, kept = dict[str, Any](), dict[str, Any]()  # of a search that is repeated as it was
    if isinstance(found, Search):
        if (chosen, bounds, max_visits) == (found.algorithm, None, None):
            about = {"window": found.root_window, "seed": found.seed}
            kept = {"bounds_source": found.bounds_source, "grown": found.grown}
        bounds, max_visits = _settings_of(found, chosen, bounds, max_visits)
    kind = DepthFirstRecorder if chosen.in_order or not chosen.is_built_in else WalkRecorder
    make = partial(kind, searched_tree(tree), chosen, bounds, at, most)
    recorder = make()
    try:
        traced = recorder.search(max_visits, about)
    except SearchError:
        if not (recorder.entries and isinstance(found, Search) and found.grown and found.stopped):
            raise
        entries, recorder = recorder.entries, make()
        traced = recorder.search(entries, about)  # a part of a game, until the search needs more
    recorder.finish(traced)
    events = [round_once(event, exact or not traced.tree.exact) for event in recorder.events]
    return Trace(file, replace(traced, exact=exact, **kept), events, recorder.total, at)


def _settings_of(
    search: Search, algorithm: Algorithm, bounds: ChosenBounds, max_visits: int | None
) -> tuple[ChosenBounds, int | None]:
    """Return the bounds and the limit of visits to repeat a search with, unless they are given."""
    if search.grown is not None and not (algorithm.in_order or algorithm.needs_whole_tree):
        raise AnalysisError(
            f"{algorithm.name} would choose other leaves in the tree that it has made of the "
            "game, so it cannot be repeated there\ntrace the whole tree, from `write_out`"
        )
    if bounds is None and search.bounds_source in ("option", "game"):
        bounds = search.root_bounds
    elif bounds is None and search.bounds_source == "leaves":
        bounds = "leaves"
    if max_visits is None and search.stopped:
        max_visits = search.counts.visits
    return bounds, max_visits


class DepthFirstRecorder(Recorder):
    """Makes events of what it sees of a depth-first search (`searches.problem.Observer`)."""

    def __init__(self, *settings: Any) -> None:
        super().__init__(*settings)
        self.path: list[tuple[Place, Window]] = []  # the open entries
        # By branch: the bounds of an outcome in the sums of its CHANCE node. If several outcomes
        # lead to the child, it may be narrower by now.
        self.summed: dict[int, Bounds] = {}

    def end_of(self, branch: int, low: bool) -> Number:
        """Return a bound of a branch in the sums of its CHANCE node."""
        return self.summed[branch][not low]

    def is_in_chance(self) -> bool:
        """Return whether the innermost open node is a CHANCE node."""
        return bool(self.path) and self.kind[self.path[-1][0][0]] == Kind.CHANCE

    def enter(self, node: int, branch: int, window: Window, rank: int) -> None:
        """Record the entry of an inner node."""
        self.entries += 1
        place = (node, branch, len(self.path))
        window = _with_floats(window)
        if rank != ALL:
            self.record(PROBE, place, place=rank)
        quotients: tuple[Quotient | None, ...] = ()
        if self.is_in_chance() and self.algorithm.chance_cuts:
            (_, above, _), limits = self.path[-1]
            ends = zip((False, True), limits, window, strict=True)
            quotients = tuple(self.quotient(above, branch, *end) for end in ends)
        self.record(ENTER, place, window=window, quotients=quotients)
        self.path.append((place, window))

    def visit(self, node: int, branch: int) -> None:
        """Record the visit of a terminal."""
        self.entries += 1
        place = (node, branch, len(self.path))
        utility = self.tree.columns.utility[node]
        if self.is_in_chance() and self.algorithm.probes:
            self.record(PROBE, place)
        self.record(VISIT, place, (utility, utility))

    def skip(self, node: int, branch: int) -> None:
        """Record that the search passes over a child."""
        self.record(PASS, (node, branch, len(self.path)))

    def narrow(self, node: int, branch: int, low: Number, high: Number) -> None:
        """Record the bounds that follow from the children of an inner node so far."""
        if self.kind[node] == Kind.CHANCE:
            if not self.algorithm.chance_cuts:
                return  # the end of the entry shows the value
            branches = self.tree.branches_of(node)
            end_of = super().end_of
            repeats = len({self.child[b] for b in branches}) < len(branches)
            for b in branches:
                # Where outcomes lead to one child, the search adds up the rest again.
                if b == branch or branch == NONE or (repeats and b > branch):
                    self.summed[b] = end_of(b, True), end_of(b, False)
        low, high = _with_floats((low, high))
        place, _ = self.path[-1]
        if self.kind[node] != Kind.MIN and self.lower[node] + self.eps < low < INFINITY:
            self.tighten(place, True, low)
        if self.kind[node] != Kind.MAX and -INFINITY < high < self.upper[node] - self.eps:
            self.tighten(place, False, high)

    def leave(self, node: int, interval: Window, cut: int, after: int) -> None:
        """Record the end of an entry."""
        place, window = self.path.pop()
        about: dict[str, Any] = {"window": window, "cut": cut, "after": after}
        if cut not in NO_CUTS:
            self.record_cut(place, **about)
        self.record(LEAVE, place, _with_floats(interval), **about)

    def finish(self, search: Search) -> None:
        """Give the last event of a node the interval that the search returns.

        In floats, an interval that is exact but for rounding becomes one number at the end.
        """
        if not self.entries:  # backward induction, or a search that says nothing
            self.lower, self.upper = [-INFINITY] * len(self.tree), [INFINITY] * len(self.tree)
            for node, value in enumerate(search.lower):
                kind = VISIT if self.kind[node] == Kind.TERMINAL else LEAVE
                self.record(kind, self.first_place(node), (value, value))
        last = {event.node: place for place, event in enumerate(self.events)}
        for node, place in last.items():
            low, high = search.lower[node], search.upper[node]
            if (low, high) != (self.lower[node], self.upper[node]):
                self.events[place] = self.events[place]._replace(lower=low, upper=high)


def _with_floats(window: Window) -> Window:
    alpha, beta = without_infinities(window)
    return alpha, beta
