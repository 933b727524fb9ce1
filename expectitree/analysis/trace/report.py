"""Record a search step by step: the report of `trace`.

The search runs the same loop as always, over columns that call the recorder for each write. So a
trace cannot disagree with a count, and a search that is not traced costs nothing more
(docs/decisions/0010-trace.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any

from expectitree.analysis.evaluate.reasons import EndOf, branch_ends, find_quotient
from expectitree.analysis.trace.events import (
    CUT,
    ENTER,
    LEAVE,
    PASS,
    PROBE,
    TIGHTEN,
    VISIT,
    Event,
    Recorder,
    WalkRecorder,
)
from expectitree.base.algorithms import Algorithm
from expectitree.base.algorithms import algorithm as find_algorithm
from expectitree.base.display import Shown
from expectitree.base.errors import AnalysisError, SearchError
from expectitree.base.numbers import INFINITY, Number, is_finite, returned
from expectitree.base.tree.columns import Bounds, ChosenBounds
from expectitree.base.tree.model import Kind, Tree, check_tree
from expectitree.searches.cuts import NO_CUTS, fails_low
from expectitree.searches.engine import choose_bounds, search_window, searched_tree
from expectitree.searches.result import Search
from expectitree.searches.setup import far_of, greatest_total, rounding_error


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
        records = []
        for event in self.events:
            path, kind = self.tree.path_of(event.node), self.tree.node(event.node).kind.name
            ends = event.lower, event.upper, *(event.window or (None, None))
            row = (event.step, event.kind, path, kind, event.depth, *ends)
            records.append(dict(zip(names, row, strict=True)))
        return records


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
    if isinstance(at, str):
        at = tree.find(at).id
    if algorithm is None:
        algorithm = found.algorithm if isinstance(found, Search) else "expectiminimax"
    chosen = find_algorithm(algorithm)
    is_same = is_part = False
    if isinstance(found, Search):
        if found.grown is not None and not chosen.in_order:
            raise AnalysisError(
                f"{chosen.name} would choose other leaves in the tree that it has made of the "
                "game, so it cannot be repeated there: trace the whole tree, from `write_out`"
            )
        is_same = bounds is None and max_visits is None and chosen == found.algorithm
        is_part = found.grown is not None and found.stopped
        if bounds is None and found.bounds_source in ("option", "game"):
            bounds = found.root_bounds
        elif bounds is None and found.bounds_source == "leaves":
            bounds = "leaves"
        if max_visits is None and found.stopped:
            max_visits = found.counts.visits
    tree = searched_tree(tree)
    recorder, search = _record(tree, chosen, bounds, max_visits, is_part, at, most)
    if isinstance(found, Search) and is_same:
        search = replace(search, bounds_source=found.bounds_source, grown=found.grown)
    events = [returned(event, exact or not tree.exact) for event in recorder.events]
    return Trace(file, replace(search, rounds=not exact), events, recorder.total, at)


def _record(
    tree: Tree,
    algorithm: Algorithm,
    bounds: ChosenBounds,
    max_visits: int | None,
    is_part: bool,
    at: int | None,
    most: int | None,
) -> tuple[Recorder, Search]:
    """Search a tree and record it.

    A tree that is only a part, because a search of a game was stopped, is searched until the search
    needs more.
    """
    known = choose_bounds(tree, bounds, algorithm)
    kind = _Recorder if algorithm.in_order else WalkRecorder
    recorder = kind(tree, algorithm, rounding_error(tree, known[0]), at, most)
    try:
        search = search_window(
            tree, algorithm, known, known[0],
            "auto" if tree.exact else "interpreted", max_visits, recorder.listen,
        )  # fmt: skip
    except SearchError:
        visits = sum(recorder.columns["visits"]) if is_part else 0
        if not visits:
            raise
        return _record(tree, algorithm, bounds, visits, False, at, most)
    if isinstance(recorder, WalkRecorder):
        recorder.record_cuts(search)
    return recorder, search


def initial_intervals(search: Search) -> tuple[list[Number], list[Number]]:
    """Return the bounds of every node before a search."""
    lower, upper = search.tree.inherited_bounds(search.root_bounds)
    if search.algorithm.player_cuts:
        return list(lower), list(upper)
    count = len(search.tree)
    return [-INFINITY] * count, [INFINITY] * count  # expectiminimax uses no bounds


@dataclass(slots=True)
class _Sum:
    """A CHANCE node's sum of p * lower, or of p * upper, as the search has it."""

    finite: Any = 0
    infinite: int = 0  # terms

    def replace(self, was: Any, term: Any) -> None:
        """Put a term in place of another, which is 0 if the outcome is new."""
        # In one sum, as the search does it: two would be rounded differently.
        self.finite += _finite(term) - _finite(was)
        self.infinite += is_finite(was) - is_finite(term)


def _finite(term: Any) -> Any:
    return term if is_finite(term) else 0


@dataclass(slots=True)
class _Frame:
    """An inner node that the search has entered and not yet left."""

    node: int
    branch: int  # by which it was entered
    next: int  # the branches before this one are done
    end: int  # one past the last branch of this entry; a probe has one branch
    low: _Sum = field(default_factory=_Sum)  # of a CHANCE node
    high: _Sum = field(default_factory=_Sum)
    unsummed: int = 0  # terms that the search has still to write as it enters


class _Recorder(Recorder):
    """Makes events of the writes of a search in order, as `star_minimax` makes them."""

    def __init__(self, *settings: Any) -> None:
        super().__init__(*settings)
        self.far = far_of(greatest_total(self.tree), bool(self.tree.unit))
        self.stack: list[_Frame] = []
        # By branch: its bound when the search last added it to a sum. If several outcomes share the
        # child, it may be tighter by now.
        self.low_ends: dict[int, Number] = {}
        self.high_ends: dict[int, Number] = {}

    def end_of(self, low: bool) -> EndOf:
        """Return the bounds that the search added to a running sum."""
        return (self.low_ends if low else self.high_ends).__getitem__

    # ---- What expectiminimax writes: values, children before their parents.

    def on_value(self, n: int, _: Any, value: Number) -> None:
        paths = self.tree.first_paths
        kind = LEAVE if self.kind[n] else VISIT
        self.record(kind, n, paths.branch[n], paths.depth[n], (value, value))

    # ---- What star_minimax writes.

    def on_visits(self, n: int, _: int, __: int) -> None:
        """Enter an inner node. (A terminal is recorded when its interval is written.)"""
        if not self.kind[n]:
            return
        frame, depth = _Frame(n, -1, self.first[n], self.tree.columns.last[n]), len(self.stack)
        if self.stack:
            frame.branch = self.columns["frame_branch"][depth - 1]
            rank = self.columns["frame_rank"][depth - 1]
            self.record_passed(frame.branch)
            # Below MAX and MIN a probe searches its child in full.
            if rank >= 0 and self.kind[self.stack[-1].node] == Kind.CHANCE:
                self.record(PROBE, n, frame.branch, depth, place=rank)
                frame.next += rank
                frame.end = frame.next + 1
        if self.kind[n] == Kind.CHANCE and self.algorithm.chance_cuts:
            frame.unsummed = 2 * sum(self.probability[b] > 0 for b in self.tree.branches_of(n))
        self.stack.append(frame)

    def on_beta(self, n: int, _: Any, beta: Number) -> None:
        """Record an entry: its window is complete."""
        alpha = self.columns["alpha"][n]
        branch, depth = self.stack[-1].branch, len(self.stack) - 1
        about: dict[str, Any] = {"window": (alpha, beta)}
        above = self.stack[-2].node if depth else -1
        if depth and self.kind[above] == Kind.CHANCE and self.algorithm.chance_cuts:
            limits = self.columns["alpha"][above], self.columns["beta"][above]
            find = partial(find_quotient, self.tree, self.eps, self.stack[-2].branch, branch)
            about["quotients"] = (
                find(self.end_of(False), limits[0], alpha),
                find(self.end_of(True), limits[1], beta),
            )
        self.record(ENTER, n, branch, depth, **about)

    def on_low_term(self, b: int, was: Number, term: Number) -> None:
        """Add a term to the sum of lower bounds."""
        self.low_ends[b] = self.bound(True, b)
        self.add_term(b, was, term, low=True)

    def on_high_term(self, b: int, was: Number, term: Number) -> None:
        """Add a term to the sum of upper bounds."""
        self.high_ends[b] = self.bound(False, b)
        self.add_term(b, was, term, low=False)

    def add_term(self, b: int, was: Number, term: Number, low: bool) -> None:
        """Put an outcome's new term in place of the one before, or into the sum of a new entry."""
        frame = self.stack[-1]
        changed, is_new = frame.low if low else frame.high, frame.unsummed > 0
        # Another outcome that leads to the child just searched is not passed over: its turn comes.
        is_repeat = was != term and self.child[b] == self.child[frame.next - 1]
        if is_new:
            frame.unsummed -= 1
        elif not is_repeat and frame.next != b + 1:  # else the outcome was just entered or visited
            frame.next = b + 1
            self.record(PASS, self.child[b], b, len(self.stack))
        changed.replace(0 if is_new else was, term)
        if not is_new and is_finite(was) and not -self.far <= was <= self.far:
            column = self.columns["low_term" if low else "high_term"]
            own = (column[i] for i in self.tree.branches_of(frame.node) if self.probability[i] > 0)
            changed.finite = sum(x for x in own if is_finite(x))
        if not frame.unsummed:
            if (low or is_new) and not frame.low.infinite:
                self.tighten(frame.low.finite, low=True)
            if (not low or is_new) and not frame.high.infinite:
                self.tighten(frame.high.finite, low=False)

    def on_cut_after(self, n: int, _: int, after: int) -> None:
        """Record that the node is left before its last child."""
        frame = self.stack[-1]
        frame.end = min(frame.end, self.first[n] + after)

    def on_upper(self, n: int, _: Any, upper: Number) -> None:
        """Record a visit to a terminal, or the end of an entry: an interval is complete."""
        interval = (self.columns["lower"][n], upper)
        branch = self.leave(n, interval) if self.kind[n] else self.visit(n, interval)
        if self.stack:
            self.apply_child(branch)

    def leave(self, n: int, interval: Bounds) -> int:
        """Record the end of an entry; return the branch by which the node was entered."""
        frame, depth = self.stack[-1], len(self.stack) - 1
        self.record_passed(frame.end)
        about: dict[str, Any] = {
            "window": (self.columns["alpha"][n], self.columns["beta"][n]),
            "cut": self.columns["cut"][n],
            "after": self.columns["cut_after"][n],
        }
        if about["cut"] not in NO_CUTS:
            low = fails_low(about["cut"])
            terms = self.sum_terms(n, not low, self.upper[n] if low else self.lower[n])
            self.record(CUT, n, frame.branch, depth, terms=terms, **about)
        self.record(LEAVE, n, frame.branch, depth, interval, **about)
        return self.stack.pop().branch

    def visit(self, n: int, interval: Bounds) -> int:
        """Record a visit to a terminal; return the branch by which it was visited."""
        branch = -1
        if self.stack:
            branch = self.branch_to(n)
            self.record_passed(branch)
            if self.kind[self.stack[-1].node] == Kind.CHANCE and self.algorithm.probes:
                self.record(PROBE, n, branch, len(self.stack))
        self.record(VISIT, n, branch, len(self.stack), interval)
        return branch

    def branch_to(self, n: int) -> int:
        """Return the branch by which a terminal is visited: the first one left that leads to it."""
        if not self.tree.is_sharing:
            return self.tree.first_paths.branch[n]
        frame = self.stack[-1]
        branches = chain(range(frame.next, frame.end), range(self.first[frame.node], frame.next))
        own = [b for b in branches if self.child[b] == n and self.probability[b] > 0]
        return next(b for b in own if b == own[-1] or not self.is_passed(b))

    def is_passed(self, branch: int) -> bool:
        """Return whether a player passes over a branch, as `star_minimax` decides it.

        If several branches lead to a child, some may pay enough and others not.
        """
        node, eps = self.stack[-1].node, self.eps
        if self.kind[node] == Kind.CHANCE:
            return False
        alpha, beta = self.columns["alpha"][node], self.columns["beta"][node]
        low, high = branch_ends(self.tree, self.lower), branch_ends(self.tree, self.upper)
        before = range(self.first[node], branch)
        if self.kind[node] == Kind.MAX:
            alpha = max(chain([alpha], map(low, before)))
        else:
            beta = min(chain([beta], map(high, before)))
        return bool(high(branch) <= alpha + eps or low(branch) >= beta - eps)

    def record_passed(self, branch: int) -> None:
        """Record that the search passed over the children before `branch` that it did not enter."""
        frame = self.stack[-1]
        # The terms of a CHANCE node's sums show which outcomes were passed over.
        if self.kind[frame.node] != Kind.CHANCE or not self.algorithm.chance_cuts:
            for b in range(frame.next, branch):
                if self.probability[b] > 0:
                    self.record(PASS, self.child[b], b, len(self.stack))
                self.apply_child(b)
        frame.next = branch + 1

    def apply_child(self, branch: int) -> None:
        """Tighten a MAX or MIN node by a branch. (Terms do that at a CHANCE node.)"""
        kind = self.kind[self.stack[-1].node]
        if kind != Kind.CHANCE:
            low = kind == Kind.MAX
            self.tighten(self.bound(low, branch), low)

    def tighten(self, end: Any, low: bool) -> None:
        """Record a bound of the innermost open node if it is tighter than the one before."""
        frame, depth = self.stack[-1], len(self.stack) - 1
        lower, upper = self.lower[frame.node], self.upper[frame.node]
        if low and end > lower + self.eps:
            interval = (min(end, upper), upper)
        elif not low and end < upper - self.eps:
            interval = (lower, max(end, lower))
        else:
            return
        terms = self.sum_terms(frame.node, low, end)
        self.record(TIGHTEN, frame.node, frame.branch, depth, interval, terms=terms)
