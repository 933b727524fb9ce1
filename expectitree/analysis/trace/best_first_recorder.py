"""The steps of a best-first search: its walks, made of what it writes into its columns.

What it must know of `best_first` is the order of its writes (see docs/decisions/0010-trace.md). A
walk writes `aim`, then `visits`, of each node that it enters, from the root down. Whatever is
written to `lower`, then to `upper`, is an interval backed up, wherever that happens; or at a leaf
its utility. `mean` has the estimates.
"""

from __future__ import annotations

from typing import Any

from expectitree.algorithms import Algorithm
from expectitree.analysis.trace.events import (
    AIMS,
    CLOSE,
    CUT,
    ENTER,
    EXPECTED_GAIN,
    GREATEST_ESTIMATE,
    GREATEST_SHARE,
    GREATEST_UPPER,
    LEAST_ESTIMATE,
    LEAST_LOWER,
    MOST_TERMS,
    ONLY_OPEN,
    RIVAL_LOWER,
    RIVAL_UPPER,
    TIGHTEN,
    VISIT,
    Recorder,
)
from expectitree.numbers import INFINITY, Number
from expectitree.searches.best_first import EXACT, LOWER, RAISE
from expectitree.searches.cuts import NO_CUTS, fails_low
from expectitree.searches.result import Search
from expectitree.tree.model import Kind, Tree

Terms = tuple[tuple[Number, Number], ...]


class WalkRecorder(Recorder):
    """Makes events of what a best-first search writes."""

    def __init__(
        self, tree: Tree, algorithm: Algorithm, eps: Any, at: int | None, most: int | None
    ) -> None:
        super().__init__(tree, at, most)
        self.algorithm, self.eps = algorithm, eps
        self.zero: Any = self.probability[0] * 0 if self.probability else 0
        self.way: list[
            tuple[int, int]
        ] = []  # the nodes of the last walk, each with the branch that it was come to by
        self.place: dict[int, int] = {}  # where in `way` a node stands
        self.walk = 0

    def on_visits(self, n: int, _: int, __: int) -> None:
        """A walk enters a node. (A leaf is told of when its utility is written.)"""
        if n == len(self.kind) - 1:
            self.walk += 1
            self.way, self.place = [(n, -1)], {n: 0}
        else:
            above = self.way[-1][0]
            self.place[n] = len(self.way)
            self.way.append((n, self.branch_to(above, n)))
        if self.kind[n]:
            _, branch = self.way[-1]
            self.told(
                ENTER, n, branch, len(self.way) - 1, walk=self.walk, aim=self.aim(n), why=self.why()
            )

    def on_upper(self, n: int, _: Any, upper: Number) -> None:
        """An interval is complete."""
        lower = self.columns["lower"][n]
        place = self.place.get(n, -1)
        if place >= 0:
            depth, branch = place, self.way[place][1]
        else:  # all intervals are backed up from time to time
            paths = self.tree.first_paths
            depth, branch = paths.depth[n], paths.branch[n]
        if not self.kind[n]:
            self.tell(
                VISIT,
                n,
                branch,
                depth,
                lower,
                upper,
                walk=self.walk,
                aim=self.aim(n),
                why=self.why(),
            )
            return
        was = (self.lower[n], self.upper[n])
        if was == (lower, upper):
            return
        if lower == upper:
            self.tell(
                CLOSE,
                n,
                branch,
                depth,
                lower,
                upper,
                walk=self.walk,
                terms=self.terms(n, lower, True),
            )
            return
        if lower != was[0]:
            self.tell(
                TIGHTEN,
                n,
                branch,
                depth,
                lower,
                was[1],
                walk=self.walk,
                terms=self.terms(n, lower, True),
            )
        if upper != was[1]:
            self.tell(
                TIGHTEN,
                n,
                branch,
                depth,
                lower,
                upper,
                walk=self.walk,
                terms=self.terms(n, upper, False),
            )

    def tell_cuts(self, search: Search) -> None:
        """Tell of the cuts that are found when the search is over, parents first."""
        paths = self.tree.first_paths
        for n in paths.order:
            if search.visits[n] and search.cut[n] not in NO_CUTS:
                low = fails_low(search.cut[n])
                end = search.upper[n] if low else search.lower[n]
                self.told(
                    CUT, n, paths.branch[n], paths.depth[n], window=(search.alpha[n], search.beta[n]),
                    cut=search.cut[n], after=search.cut_after[n], terms=self.terms(n, end, not low),
                )  # fmt: skip

    def branch_to(self, above: int, n: int) -> int:
        """Return the branch by which a walk went on: of several to one child the likeliest, or the first."""
        own = [b for b in range(self.first[above], self.first[above + 1]) if self.child[b] == n]
        return max(own, key=lambda b: self.probability[b])

    def aim(self, n: int) -> str:
        """Return what the walk is to do at a node."""
        if (
            len(self.way) == 1
            and self.algorithm.goal == "action"
            and self.kind[n] in (Kind.MAX, Kind.MIN)
        ):
            return AIMS[3]
        return AIMS[self.columns["aim"][n]]

    def terms(self, n: int, end: Number, low: bool) -> Terms:
        """Return what a bound of a CHANCE node is summed from, nothing where it is not, or of many outcomes."""
        begin, stop = self.first[n], self.first[n + 1]
        if self.kind[n] != Kind.CHANCE or stop - begin > MOST_TERMS:
            return ()
        column = self.columns["lower" if low else "upper"]
        terms = tuple(
            (self.probability[b], column[self.child[b]])
            for b in range(begin, stop)
            if self.probability[b]
        )
        total = self.zero
        for p, x in terms:
            total += p * x
        return terms if total == end or abs(total - end) <= 4 * self.eps else ()

    # ---- Why it goes there.

    def why(self) -> str:
        """Return why the walk went on to its last node: what is so of the intervals and estimates at this moment.

        It is called before anything is backed up, so that they are those which the choice was made
        by. What they do not show is not told; of the gain that is expected, that the choice goes by
        it.
        """
        if len(self.way) < 2:
            return ""
        above, (n, branch) = self.way[-2][0], self.way[-1]
        kind, guide = self.kind[above], self.algorithm.guide
        aim, own_aim = self.columns["aim"][above], self.columns["aim"][n]
        # What is told already: the columns may have gone on, where a leaf's utility is written.
        lower, upper, mean = self.lower, self.upper, self.columns["mean"]
        children = {
            self.child[b]: b
            for b in range(self.first[above], self.first[above + 1])
            if kind != Kind.CHANCE or self.probability[b] > 0
        }
        is_open = [c for c in children if lower[c] < upper[c]]
        if is_open == [n]:
            return ONLY_OPEN
        sign: Any = 1 if kind == Kind.MAX else -1
        best_end = GREATEST_UPPER if kind == Kind.MAX else LEAST_LOWER
        ends: Any = upper if kind == Kind.MAX else lower
        if len(self.way) == 2 and self.algorithm.goal == "action" and kind != Kind.CHANCE:
            if guide == "bounds":
                return ""
            favourite = max(children, key=lambda c: sign * mean[c])
            if own_aim == (RAISE if kind == Kind.MAX else LOWER):
                is_best = sign * mean[n] >= sign * mean[favourite]
                return (
                    (GREATEST_ESTIMATE if kind == Kind.MAX else LEAST_ESTIMATE) if is_best else ""
                )
            is_it = n != favourite and all(
                sign * ends[n] >= sign * ends[c] for c in is_open if c != favourite
            )
            return (RIVAL_UPPER if kind == Kind.MAX else RIVAL_LOWER) if is_it else ""
        if kind == Kind.CHANCE:
            if guide != "bounds":
                return EXPECTED_GAIN
            shares = [self.share(b) for b in self.open_outcomes(above)]
            most = self.share(branch)
            return (
                GREATEST_SHARE
                if most < INFINITY and all(most >= share - self.eps for share in shares)
                else ""
            )
        if aim in (EXACT, LOWER if kind == Kind.MAX else RAISE) or guide == "bounds":
            return (
                best_end
                if all(sign * ends[n] >= sign * ends[c] - self.eps for c in is_open)
                else ""
            )
        return EXPECTED_GAIN

    def open_outcomes(self, n: int) -> list[int]:
        own = range(self.first[n], self.first[n + 1])
        return [
            b
            for b in own
            if self.probability[b] > 0 and self.lower[self.child[b]] < self.upper[self.child[b]]
        ]

    def share(self, branch: int) -> Any:
        """Return an outcome's part of the width of its CHANCE node's interval."""
        low, high = self.lower[self.child[branch]], self.upper[self.child[branch]]
        return (
            self.probability[branch] * (high - low)
            if low > -INFINITY and high < INFINITY
            else INFINITY
        )
