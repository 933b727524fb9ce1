"""A search step by step: what it wrote into its columns, in the order in which it wrote it.

The search itself knows nothing of this: the same loop runs over columns that tell what is written
to them, so a trace cannot disagree with a count, and costs nothing where nobody listens
(docs/decisions/0010-trace.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from expectitree.algorithms import Algorithm
from expectitree.algorithms import algorithm as find_algorithm
from expectitree.analysis.trace.best_first_recorder import WalkRecorder
from expectitree.analysis.trace.events import (
    CUT,
    ENTER,
    LEAVE,
    MOST_TERMS,
    PASS,
    PROBE,
    TIGHTEN,
    VISIT,
    Event,
    Recorder,
)
from expectitree.display import Shown
from expectitree.numbers import INFINITY, Number
from expectitree.searches.cuts import NO_CUTS, fails_low
from expectitree.searches.engine import choose_bounds, search_window
from expectitree.searches.result import Search
from expectitree.searches.setup import tolerance
from expectitree.tree.model import Bounds, Kind, Tree, check_tree


@dataclass(frozen=True)
class Trace(Shown):
    """The steps of one search of one file's tree."""

    file: str
    search: Search
    events: Sequence[Event]
    total: int  # how many there were, of those that were asked for
    at: int | None = None  # the node that was followed, if only one was

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
    """Search a tree and return every step, or those at one node (`at`: its id or path) and what comes of its children.

    At most `most` events are kept, the first ones; all are counted. The engine is the interpreted
    or the exact one.
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
        tree, chosen, root_bounds, source, root_bounds, "exact" if tree.exact else "interpreted", max_visits,
        recorder.listen,
    )  # fmt: skip
    if isinstance(recorder, WalkRecorder):
        recorder.tell_cuts(search)
    return Trace(file, search, recorder.events, recorder.total, at)


def initial_intervals(search: Search) -> tuple[list[Number], list[Number]]:
    """Return what was known of every node before a search began: its bounds."""
    lower, upper = search.tree.inherited_bounds(search.bounds)
    if search.algorithm.player_cuts:
        return list(lower), list(upper)
    count = len(search.tree)
    return [-INFINITY] * count, [INFINITY] * count  # expectiminimax asks for none


def replay(search: Search, events: Iterable[Event]) -> tuple[list[Number], list[Number]]:
    """Return the intervals of all nodes after some events of a trace, from the first one on."""
    lower, upper = initial_intervals(search)
    for event in events:
        lower[event.node], upper[event.node] = event.lower, event.upper
    return lower, upper


@dataclass(slots=True)
class _Frame:
    """An inner node that is entered and not yet left."""

    node: int
    branch: int  # by which it was entered
    begin: int
    end: int  # the branches that this entry is for: of a probe a single one
    next: int  # the branches before this one are done
    low: Number  # running: the greatest (MAX) or least (MIN) child lower, or the sum of p * lower
    high: Number
    low_open: int = 0  # outcomes whose bound is infinite
    high_open: int = 0
    unsummed: int = 0  # outcomes of which the search has not told yet, as it enters
    last: int = -1  # the branch whose child was entered, visited or passed over last
    low_ends: dict[int, Number] | None = None  # of few outcomes: what makes the sums
    high_ends: dict[int, Number] | None = None


class _Recorder(Recorder):
    """Makes events of what a search in order writes: the order of its writes is that of `star_minimax`."""

    def __init__(
        self, tree: Tree, algorithm: Algorithm, eps: Any, at: int | None, most: int | None
    ) -> None:
        super().__init__(tree, at, most)
        self.algorithm, self.eps = algorithm, eps
        self.stack: list[_Frame] = []

    # ---- What expectiminimax writes: values, children before their parents.

    def on_value(self, n: int, _: Any, value: Number) -> None:
        paths = self.tree.first_paths
        self.tell(
            LEAVE if self.kind[n] else VISIT, n, paths.branch[n], paths.depth[n], value, value
        )

    # ---- What star_minimax writes.

    def on_visits(self, n: int, _: int, __: int) -> None:
        """A node is entered. (A terminal is told of when its interval is written.)"""
        if not self.kind[n]:
            return
        begin, end = self.first[n], self.first[n + 1]
        branch, rank = -1, -1
        if self.stack:
            depth = len(self.stack) - 1
            branch, rank = self.columns["frame_branch"][depth], self.columns["frame_rank"][depth]
            above = self.stack[-1]
            self.come_to(above, branch)
            if self.kind[above.node] != Kind.CHANCE:
                rank = -1  # the child that a probe goes through is searched as any
            if rank >= 0:
                self.told(PROBE, n, branch, depth + 1, place=rank)
                if self.kind[n] != Kind.CHANCE:
                    begin += rank
                    end = begin + 1
        k = self.kind[n]
        start: Number = -INFINITY if k == Kind.MAX else INFINITY if k == Kind.MIN else 0
        frame = _Frame(n, branch, begin, end, begin, start, start)
        if k == Kind.CHANCE and self.algorithm.chance_cuts:
            frame.low = frame.high = self.probability[0] * 0
            possible = sum(self.probability[b] > 0 for b in range(begin, end))
            frame.unsummed = 2 * possible  # lower and upper
            if possible <= MOST_TERMS:
                frame.low_ends, frame.high_ends = {}, {}
        self.stack.append(frame)

    def on_beta(self, n: int, _: Any, beta: Number) -> None:
        """The window of an entry is complete."""
        window = (self.columns["alpha"][n], beta)
        frame = self.stack[-1]
        self.told(ENTER, n, frame.branch, len(self.stack) - 1, window=window)

    def on_low_term(self, b: int, was: Number, term: Number) -> None:
        frame = self.stack[-1]
        if frame.low_ends is not None:
            frame.low_ends[b] = self.columns["lower"][self.child[b]]
        if frame.unsummed:
            frame.unsummed -= 1
            if term > -INFINITY:
                frame.low += term
            else:
                frame.low_open += 1
            return
        self.pass_over(frame, b)
        if was > -INFINITY:
            frame.low += term - was
        else:
            frame.low += term
            frame.low_open -= 1
        self.tighten_sums(frame, low=True)

    def on_high_term(self, b: int, was: Number, term: Number) -> None:
        frame = self.stack[-1]
        if frame.high_ends is not None:
            frame.high_ends[b] = self.columns["upper"][self.child[b]]
        if frame.unsummed:
            frame.unsummed -= 1
            if term < INFINITY:
                frame.high += term
            else:
                frame.high_open += 1
            if not frame.unsummed:
                self.tighten_sums(frame, low=True)
                self.tighten_sums(frame, low=False)
            return
        self.pass_over(frame, b)
        if was < INFINITY:
            frame.high += term - was
        else:
            frame.high += term
            frame.high_open -= 1
        self.tighten_sums(frame, low=False)

    def pass_over(self, frame: _Frame, b: int) -> None:
        """Tell that the child of an outcome is taken in, unless it was just entered or visited."""
        if frame.last != b:
            frame.last = b
            self.told(PASS, self.child[b], b, len(self.stack))

    def on_cut_after(self, n: int, _: int, after: int) -> None:
        frame = self.stack[-1]
        frame.end = min(frame.end, self.first[n] + after)

    def on_upper(self, n: int, _: Any, upper: Number) -> None:
        """An interval is complete: a terminal is visited, or an inner node is left."""
        lower = self.columns["lower"][n]
        if not self.kind[n]:
            self.visit(n, lower)
            return
        frame = self.stack[-1]
        if self.kind[n] != Kind.CHANCE or not self.algorithm.chance_cuts:
            self.come_to(frame, frame.end)
        depth = len(self.stack) - 1
        window = (self.columns["alpha"][n], self.columns["beta"][n])
        code = self.columns["cut"][n]
        after = self.columns["cut_after"][n]
        if code not in NO_CUTS:
            low = fails_low(code)
            self.told(
                CUT,
                n,
                frame.branch,
                depth,
                window=window,
                cut=code,
                after=after,
                terms=self.terms(frame, not low),
            )
        self.tell(LEAVE, n, frame.branch, depth, lower, upper, window=window, cut=code, after=after)
        self.stack.pop()
        if self.stack:
            self.take_in(self.stack[-1], n)

    def visit(self, n: int, utility: Number) -> None:
        branch = -1
        if self.stack:
            frame = self.stack[-1]
            branch = self.branch_to(frame, n)
            self.come_to(frame, branch)
            if self.kind[frame.node] == Kind.CHANCE and self.algorithm.probes:
                self.told(PROBE, n, branch, len(self.stack))
        self.tell(VISIT, n, branch, len(self.stack), utility, utility)
        if self.stack:
            self.take_in(self.stack[-1], n)

    def branch_to(self, frame: _Frame, n: int) -> int:
        """Return the branch by which a terminal is visited: the first that leads there, since then it is exact."""
        for start, end in ((frame.next, frame.end), (frame.begin, frame.next)):
            for b in range(start, end):
                if self.child[b] == n and (
                    self.kind[frame.node] != Kind.CHANCE or self.probability[b] > 0
                ):
                    return b
        raise AssertionError(
            f"terminal {n} was visited from node {frame.node}, which has no branch to it"
        )

    def come_to(self, frame: _Frame, branch: int) -> None:
        """Take in the children before `branch` that the search did not enter: it passed them over."""
        if self.kind[frame.node] == Kind.CHANCE and self.algorithm.chance_cuts:
            pass  # their terms tell
        else:
            for b in range(frame.next, branch):
                c = self.child[b]
                if self.kind[frame.node] != Kind.CHANCE or self.probability[b] > 0:
                    self.told(PASS, c, b, len(self.stack))
                self.take_in(frame, c)
        frame.next = branch + 1
        frame.last = branch

    def take_in(self, frame: _Frame, c: int) -> None:
        """Take in what is known of a child of MAX or MIN.

        (The terms of a CHANCE node's sums tell of its children.)
        """
        n = frame.node
        lower, upper = self.columns["lower"][c], self.columns["upper"][c]
        if self.kind[n] == Kind.MAX and lower > frame.low:
            frame.low = lower
            if lower > self.lower[n] + self.eps:
                self.tighten(frame, lower, self.upper[n])
        elif self.kind[n] == Kind.MIN and upper < frame.high:
            frame.high = upper
            if upper < self.upper[n] - self.eps:
                self.tighten(frame, self.lower[n], upper)

    def tighten_sums(self, frame: _Frame, low: bool) -> None:
        n = frame.node
        if low and not frame.low_open and frame.low > self.lower[n] + self.eps:
            self.tighten(
                frame, min(frame.low, self.upper[n]), self.upper[n], self.terms(frame, True)
            )
        elif not low and not frame.high_open and frame.high < self.upper[n] - self.eps:
            self.tighten(
                frame, self.lower[n], max(frame.high, self.lower[n]), self.terms(frame, False)
            )

    def terms(self, frame: _Frame, low: bool) -> tuple[tuple[Number, Number], ...]:
        ends = frame.low_ends if low else frame.high_ends
        return tuple((self.probability[b], end) for b, end in sorted(ends.items())) if ends else ()

    def tighten(
        self,
        frame: _Frame,
        lower: Number,
        upper: Number,
        terms: tuple[tuple[Number, Number], ...] = (),
    ) -> None:
        self.tell(TIGHTEN, frame.node, frame.branch, len(self.stack) - 1, lower, upper, terms=terms)
