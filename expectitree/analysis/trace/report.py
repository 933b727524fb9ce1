"""Record a search step by step: the report of `trace`.

The search runs the same loop as always, over columns that call the recorder for each write. So a
trace cannot disagree with a count, and a search that is not traced costs nothing more
(docs/decisions/0010-trace.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from expectitree.algorithms import Algorithm
from expectitree.algorithms import algorithm as find_algorithm
from expectitree.analysis.evaluate.terms import MOST_TERMS, Terms, is_same
from expectitree.analysis.trace.best_first_recorder import WalkRecorder
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
    WindowFormula,
)
from expectitree.display import Shown
from expectitree.numbers import INFINITY, Number, is_finite
from expectitree.searches.cuts import NO_CUTS, fails_low
from expectitree.searches.engine import choose_bounds, search_window
from expectitree.searches.result import Search
from expectitree.searches.setup import tolerance
from expectitree.tree.columns import Bounds
from expectitree.tree.model import Kind, Tree, check_tree


@dataclass(frozen=True)
class Trace(Shown):
    """The steps of one search of one file's tree."""

    file: str
    search: Search
    events: Sequence[Event]
    total: int  # steps that match `at`, including those beyond `most`
    at: int | None = None  # the node to follow, if only one

    @property
    def tree(self) -> Tree:
        """The tree that was searched."""
        return self.search.tree


def trace(
    tree: Tree,
    algorithm: Algorithm | str,
    *,
    bounds: Bounds | None = None,
    at: int | str | None = None,
    most: int | None = None,
    max_visits: int | None = None,
    file: str = "",
) -> Trace:
    """Search a tree and return every step, or those that concern the node `at` (an id or path).

    The trace keeps the first `most` events and counts all. The engine is the interpreted or the
    exact one.
    """
    check_tree(tree)
    chosen = find_algorithm(algorithm)
    if isinstance(at, str):
        at = tree.find(at).id
    root_bounds, source = choose_bounds(tree, bounds)
    eps = tolerance(tree, root_bounds)
    kind = _Recorder if chosen.in_order else WalkRecorder
    recorder = kind(tree, chosen, eps, at, most)
    search = search_window(
        tree, chosen, root_bounds, source, root_bounds,
        "exact" if tree.exact else "interpreted", max_visits, recorder.listen,
    )  # fmt: skip
    if isinstance(recorder, WalkRecorder):
        recorder.record_cuts(search)
    return Trace(file, search, recorder.events, recorder.total, at)


def initial_intervals(search: Search) -> tuple[list[Number], list[Number]]:
    """Return the bounds of every node before a search."""
    lower, upper = search.tree.inherited_bounds(search.bounds)
    if search.algorithm.player_cuts:
        return list(lower), list(upper)
    count = len(search.tree)
    return [-INFINITY] * count, [INFINITY] * count  # expectiminimax uses no bounds


@dataclass(slots=True)
class _Sum:
    """A CHANCE node's sum of p * lower, or of p * upper, as the search has it."""

    total: Number  # of the finite terms
    ends: dict[int, Number] | None  # of few outcomes: the bounds in the sum, by branch
    infinite: int = 0  # terms


@dataclass(slots=True)
class _Frame:
    """An inner node that the search has entered and not yet left."""

    node: int
    branch: int  # by which it was entered
    begin: int
    end: int  # the branches of this entry; a probe has one
    next: int  # the branches before this one are done
    best: Number  # of a player's node: the greatest child lower, or the least child upper
    sums: dict[bool, _Sum]  # of a CHANCE node: of lower bounds (True) and of upper bounds
    unsummed: int  # terms that the search has still to write as it enters
    last: int = -1  # the branch of the last step


class _Recorder(Recorder):
    """Makes events of the writes of a search in order, as `star_minimax` makes them."""

    def __init__(
        self, tree: Tree, algorithm: Algorithm, eps: Any, at: int | None, most: int | None
    ) -> None:
        super().__init__(tree, at, most)
        self.algorithm, self.eps = algorithm, eps
        self.stack: list[_Frame] = []

    # ---- What expectiminimax writes: values, children before their parents.

    def on_value(self, n: int, _: Any, value: Number) -> None:
        paths = self.tree.first_paths
        self.record(
            LEAVE if self.kind[n] else VISIT, n, paths.branch[n], paths.depth[n], value, value
        )

    # ---- What star_minimax writes.

    def on_visits(self, n: int, _: int, __: int) -> None:
        """Enter an inner node. (A terminal is recorded when its interval is written.)"""
        if not self.kind[n]:
            return
        begin, end = self.first[n], self.tree.columns.last[n]
        branch, rank = -1, -1
        if self.stack:
            depth = len(self.stack) - 1
            branch, rank = self.columns["frame_branch"][depth], self.columns["frame_rank"][depth]
            above = self.stack[-1]
            self.record_passed(above, branch)
            if self.kind[above.node] != Kind.CHANCE:
                rank = -1  # below MAX and MIN a probe searches its child in full
            if rank >= 0:
                self.record_unchanged(PROBE, n, branch, depth + 1, place=rank)
                if self.kind[n] != Kind.CHANCE:
                    begin += rank
                    end = begin + 1
        frame = _Frame(
            n, branch, begin, end, begin, INFINITY if self.kind[n] == Kind.MIN else -INFINITY, {}, 0
        )
        if self.kind[n] == Kind.CHANCE and self.algorithm.chance_cuts:
            zero = self.probability[0] * 0
            possible = sum(self.probability[b] > 0 for b in range(begin, end))
            for low in (True, False):
                frame.sums[low] = _Sum(zero, {} if possible <= MOST_TERMS else None)
            frame.unsummed = 2 * possible
        self.stack.append(frame)

    def on_beta(self, n: int, _: Any, beta: Number) -> None:
        """Record an entry: its window is complete."""
        window = (self.columns["alpha"][n], beta)
        frame, depth = self.stack[-1], len(self.stack) - 1
        formulas = self.formulas(frame.branch, window) if depth else ()
        self.record_unchanged(ENTER, n, frame.branch, depth, window=window, formulas=formulas)

    def formulas(self, branch: int, window: Bounds) -> tuple[WindowFormula, ...]:
        """Return how an outcome's alpha and beta follow from its CHANCE node, where they do."""
        above = self.stack[-2].node
        branches = self.tree.branches_of(above)
        is_chance = self.algorithm.chance_cuts and self.kind[above] == Kind.CHANCE
        if not is_chance or len(branches) > MOST_TERMS:
            return ()
        p: Any = self.probability[branch]
        others = [b for b in branches if b != branch and self.probability[b] > 0]
        formulas = []
        for end, found, bound in zip(
            ("alpha", "beta"), window, (self.upper, self.lower), strict=True
        ):
            limit: Any = self.columns[end][above]
            terms = tuple((self.probability[b], bound[self.child[b]]) for b in others)
            if is_finite(limit) and all(is_finite(other) for _, other in terms):
                computed = (limit - sum(q * other for q, other in terms)) / p
                if is_same(self.tree, self.eps, computed, found):
                    formulas.append(WindowFormula(end, limit, terms, p, found))
        return tuple(formulas)

    def on_low_term(self, b: int, was: Number, term: Number) -> None:
        """Add a term to the sum of lower bounds."""
        self.add_term(b, was, term, low=True)

    def on_high_term(self, b: int, was: Number, term: Number) -> None:
        """Add a term to the sum of upper bounds."""
        self.add_term(b, was, term, low=False)

    def add_term(self, b: int, was: Any, term: Any, low: bool) -> None:
        """Add an outcome's new term in place of the one before."""
        frame = self.stack[-1]
        side, is_new = frame.sums[low], frame.unsummed > 0
        if side.ends is not None:
            side.ends[b] = self.columns["lower" if low else "upper"][self.child[b]]
        if is_new:
            frame.unsummed -= 1
        else:
            self.pass_over(frame, b)
            side.infinite -= not is_finite(was)
        side.infinite += not is_finite(term)
        if is_finite(term):
            side.total += term - was if is_finite(was) and not is_new else term
        if not frame.unsummed:
            for each in (True, False) if is_new else (low,):
                self.tighten_by_sum(frame, each)

    def pass_over(self, frame: _Frame, b: int) -> None:
        """Record that an outcome was passed over, unless it was just entered or visited."""
        if frame.last != b:
            frame.last = b
            self.record_unchanged(PASS, self.child[b], b, len(self.stack))

    def on_cut_after(self, n: int, _: int, after: int) -> None:
        frame = self.stack[-1]
        frame.end = min(frame.end, self.first[n] + after)

    def on_upper(self, n: int, _: Any, upper: Number) -> None:
        """Record a visit to a terminal, or the end of an entry: an interval is complete."""
        lower = self.columns["lower"][n]
        if not self.kind[n]:
            self.visit(n, lower)
            return
        frame = self.stack[-1]
        if self.kind[n] != Kind.CHANCE or not self.algorithm.chance_cuts:
            self.record_passed(frame, frame.end)
        depth = len(self.stack) - 1
        window = (self.columns["alpha"][n], self.columns["beta"][n])
        code = self.columns["cut"][n]
        after = self.columns["cut_after"][n]
        if code not in NO_CUTS:
            low = fails_low(code)
            terms = self.terms(frame, not low)
            about = {"window": window, "cut": code, "after": after, "terms": terms}
            self.record_unchanged(CUT, n, frame.branch, depth, **about)
        self.record(
            LEAVE, n, frame.branch, depth, lower, upper, window=window, cut=code, after=after
        )
        self.stack.pop()
        if self.stack:
            self.apply_child(self.stack[-1], n)

    def visit(self, n: int, utility: Number) -> None:
        branch = -1
        if self.stack:
            frame = self.stack[-1]
            branch = self.branch_to(frame, n)
            self.record_passed(frame, branch)
            if self.kind[frame.node] == Kind.CHANCE and self.algorithm.probes:
                self.record_unchanged(PROBE, n, branch, len(self.stack))
        self.record(VISIT, n, branch, len(self.stack), utility, utility)
        if self.stack:
            self.apply_child(self.stack[-1], n)

    def branch_to(self, frame: _Frame, n: int) -> Any:
        """Return the branch by which a terminal is visited: the first that leads to it."""
        branches = (*range(frame.next, frame.end), *range(frame.begin, frame.next))
        is_chance = self.kind[frame.node] == Kind.CHANCE
        return next(
            b for b in branches
            if self.child[b] == n and (not is_chance or self.probability[b] > 0)
        )  # fmt: skip

    def record_passed(self, frame: _Frame, branch: int) -> None:
        """Record that the search passed over the children before `branch` that it did not enter."""
        # The terms of a CHANCE node's sums show which outcomes were passed over.
        if self.kind[frame.node] != Kind.CHANCE or not self.algorithm.chance_cuts:
            for b in range(frame.next, branch):
                c = self.child[b]
                if self.kind[frame.node] != Kind.CHANCE or self.probability[b] > 0:
                    self.record_unchanged(PASS, c, b, len(self.stack))
                self.apply_child(frame, c)
        frame.next = branch + 1
        frame.last = branch

    def apply_child(self, frame: _Frame, c: int) -> None:
        """Tighten a MAX or MIN node by a child. (Terms do that at a CHANCE node.)"""
        n = frame.node
        lower, upper = self.columns["lower"][c], self.columns["upper"][c]
        if self.kind[n] == Kind.MAX and lower > frame.best:
            frame.best = lower
            if lower > self.lower[n] + self.eps:
                self.tighten(frame, lower, self.upper[n])
        elif self.kind[n] == Kind.MIN and upper < frame.best:
            frame.best = upper
            if upper < self.upper[n] - self.eps:
                self.tighten(frame, self.lower[n], upper)

    def tighten_by_sum(self, frame: _Frame, low: bool) -> None:
        """Tighten a CHANCE node by one of its sums."""
        n, side, terms = frame.node, frame.sums[low], self.terms(frame, low)
        if side.infinite:
            return
        lower, upper = self.lower[n], self.upper[n]
        if low and side.total > lower + self.eps:
            self.tighten(frame, min(side.total, upper), upper, terms)
        elif not low and side.total < upper - self.eps:
            self.tighten(frame, lower, max(side.total, lower), terms)

    def terms(self, frame: _Frame, low: bool) -> Terms:
        """Return the terms of one of a CHANCE node's sums, if they are few."""
        ends = frame.sums[low].ends if low in frame.sums else None
        return tuple((self.probability[b], end) for b, end in sorted(ends.items())) if ends else ()

    def tighten(self, frame: _Frame, lower: Number, upper: Number, terms: Terms = ()) -> None:
        """Record a tighter bound of the node of a frame."""
        depth = len(self.stack) - 1
        self.record(TIGHTEN, frame.node, frame.branch, depth, lower, upper, terms=terms)
