"""The steps of a search as events, and what makes them of a search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

from expectitree.analysis.evaluate.cuts import Cut
from expectitree.analysis.evaluate.reasons import Quotient, Sums, Terms
from expectitree.base.algorithms import Algorithm
from expectitree.base.numbers import Number
from expectitree.base.tree.columns import Bounds, ChosenBounds
from expectitree.base.tree.model import Kind, Tree
from expectitree.base.tree.scans import shifted
from expectitree.searches.bounds import choose_bounds
from expectitree.searches.cuts import NO_CUTS, fails_low
from expectitree.searches.engine import search_window
from expectitree.searches.result import Search
from expectitree.searches.tolerance import rounding_error

ENTER, PROBE, VISIT, PASS, TIGHTEN, CLOSE, CUT, LEAVE = (
    "enter", "probe", "visit", "pass", "tighten", "close", "cut", "leave"
)  # fmt: skip

AIMS = ("lower", "raise", "exact", "action")  # of a walk of best-first; the last at a root


Place: TypeAlias = tuple[int, int, int]  # a node, the branch that led to it, its depth


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
        children = len(tree.branches_of(self.node))
        interval = (self.lower, self.upper)
        return Cut(self.cut, self.after, children, interval, self.window)


class Recorder(Sums):
    """Makes events of a search, and knows the interval of each node after them."""

    def __init__(
        self, tree: Tree, algorithm: Algorithm, bounds: ChosenBounds, *kept: int | None
    ) -> None:
        self.algorithm = algorithm
        self.at, self.most = kept
        self.known = choose_bounds(tree, bounds, algorithm)
        super().__init__(tree, rounding_error(tree, self.known[0]))
        self.kind = list(tree.columns.kind)
        self.child = list(tree.columns.child)
        self.lower, self.upper = map(list, tree.inherited_bounds(self.known[0]))
        self.events: list[Event] = []
        self.total = self.step = self.entries = self.walk = 0

    def search(self, max_visits: int | None, asked: Mapping[str, Any]) -> Search:
        """Search the tree and record it; `asked` has the window and the seed, if known."""
        about = {"window": self.known[0], **asked, "max_visits": max_visits, "observer": self}
        return search_window(self.tree, self.algorithm, self.known, engine="interpreted", **about)

    def record(
        self, kind: str, place: Place, interval: Bounds | None = None, /, **about: Any
    ) -> None:
        """Record a step, with the node's interval after it if the step changes that."""
        self.step += 1
        node, branch, _ = place
        was = self.lower[node], self.upper[node]
        self.lower[node], self.upper[node] = interval = interval or was
        if self.at is not None and node != self.at:
            is_result = kind not in (TIGHTEN, CUT) and branch in self.tree.branches_of(self.at)
            if not is_result:
                return
        self.total += 1
        if self.most is None or len(self.events) < self.most:
            about |= {"step": self.step, "walk": self.walk}
            self.events.append(Event(kind, *place, *interval, was, **about))

    def tighten(self, place: Place, low: bool, bound: Number) -> None:
        """Record a tighter lower or upper bound of a node."""
        node = place[0]
        terms = self.terms(place[0], low, bound)
        interval = self.lower[node], max(bound, self.lower[node])
        if low:
            interval = min(bound, self.upper[node]), self.upper[node]
        self.record(TIGHTEN, place, interval, terms=terms)

    def record_cut(self, place: Place, cut: int, **about: Any) -> None:
        """Record a cut, with the sum that proves it."""
        low, (node, _, _) = not fails_low(cut), place
        bounds = self.upper[node], self.lower[node]
        self.record(CUT, place, cut=cut, terms=self.terms(node, low, bounds[low]), **about)

    def first_place(self, node: int) -> Place:
        """Return the place of a node on the first path to it."""
        paths = self.tree.first_paths
        return node, paths.branch[node], paths.depth[node]

    def end_of(self, branch: int, low: bool) -> Number:
        """Return the lower or the upper bound that a sum has for a branch."""
        ends = self.upper
        if low:
            ends = self.lower
        return shifted(ends[self.child[branch]], self.tree.reward_of(branch))


class WalkRecorder(Recorder):
    """Makes events of what it sees of a best-first search (`searches.problem.WalkObserver`)."""

    def __init__(self, *settings: Any) -> None:
        super().__init__(*settings)
        self.places: dict[int, Place] = {}  # of the last walk's nodes

    def enter(self, node: int, branch: int, depth: int, aim: int) -> None:
        """Record that a walk enters a node."""
        if depth == 0:
            self.walk += 1
            self.places = {}
        place = self.places[node] = node, branch, depth
        kind, utility, name = self.kind[node], self.tree.columns.utility[node], AIMS[aim]
        if kind == Kind.TERMINAL:
            self.record(VISIT, place, (utility, utility), aim=name)
            return
        if depth == 0 and kind != Kind.CHANCE and self.algorithm.goal == "action":
            name = "action"
        self.record(ENTER, place, aim=name)

    def update(self, node: int, lower: Number, upper: Number) -> None:
        """Record the new bounds of a node: from time to time, of one that is not on the way."""
        place = self.places.get(node) or self.first_place(node)
        if lower == upper and (lower, upper) != (self.lower[node], self.upper[node]):
            self.record(CLOSE, place, (lower, upper), terms=self.terms(node, True, lower))
        if lower != self.lower[node]:
            self.tighten(place, True, lower)
        if upper != self.upper[node]:
            self.tighten(place, False, upper)

    def finish(self, search: Search) -> None:
        """Record the cuts, which are found when the search is over, parents first."""
        self.walk = 0
        for node in self.tree.first_paths.order:
            cut = search.cut[node]
            after = search.cut_after[node]
            if search.visits[node] and cut not in NO_CUTS:
                window = search.alpha[node], search.beta[node]
                self.record_cut(self.first_place(node), cut, window=window, after=after)
