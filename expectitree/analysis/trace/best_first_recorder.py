"""Record the walks of a best-first search from what it writes into its columns.

The recorder depends on the order of the writes in `best_first` (docs/decisions/0010-trace.md). A
walk writes `aim`, then `visits`, of each node that it enters, from the root down. It writes
`lower`, then `upper`, of each node that it backs up, and of the leaf. `mean` has the estimates.
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
    Terms,
)
from expectitree.numbers import INFINITY, Number
from expectitree.searches.beliefs import EXACT, LOWER, RAISE
from expectitree.searches.cuts import NO_CUTS, fails_low
from expectitree.searches.result import Search
from expectitree.tree.model import Kind, Tree


class WalkRecorder(Recorder):
    """Makes events of what a best-first search writes."""

    def __init__(
        self, tree: Tree, algorithm: Algorithm, eps: Any, at: int | None, most: int | None
    ) -> None:
        super().__init__(tree, at, most)
        self.algorithm, self.eps = algorithm, eps
        self.zero: Any = self.probability[0] * 0 if self.probability else 0
        self.way: list[tuple[int, int]] = []  # the last walk's nodes, each with its branch
        self.place: dict[int, int] = {}  # node -> its index in `way`
        self.walk = 0

    def on_visits(self, n: int, _: int, __: int) -> None:
        """Record that a walk enters a node. (A leaf is recorded when its utility is written.)"""
        if n == len(self.kind) - 1:
            self.walk += 1
            self.way, self.place = [(n, -1)], {n: 0}
        else:
            above = self.way[-1][0]
            self.place[n] = len(self.way)
            self.way.append((n, self.branch_to(above, n)))
        if self.kind[n]:
            _, branch = self.way[-1]
            self.record_unchanged(
                ENTER, n, branch, len(self.way) - 1, walk=self.walk, aim=self.aim(n), why=self.why()
            )

    def on_upper(self, n: int, _: Any, upper: Number) -> None:
        """Record the new bounds of a node."""
        lower = self.columns["lower"][n]
        place = self.place.get(n, -1)
        if place >= 0:
            depth, branch = place, self.way[place][1]
        else:  # from time to time the search backs up all intervals
            paths = self.tree.first_paths
            depth, branch = paths.depth[n], paths.branch[n]
        if not self.kind[n]:
            about = {"walk": self.walk, "aim": self.aim(n), "why": self.why()}
            self.record(VISIT, n, branch, depth, lower, upper, **about)
            return
        was = (self.lower[n], self.upper[n])
        if was == (lower, upper):
            return
        lower_terms = self.terms(n, lower, True)
        if lower == upper:
            self.record(CLOSE, n, branch, depth, lower, upper, walk=self.walk, terms=lower_terms)
            return
        if lower != was[0]:
            self.record(TIGHTEN, n, branch, depth, lower, was[1], walk=self.walk, terms=lower_terms)
        if upper != was[1]:
            terms = self.terms(n, upper, False)
            self.record(TIGHTEN, n, branch, depth, lower, upper, walk=self.walk, terms=terms)

    def record_cuts(self, search: Search) -> None:
        """Record the cuts, which are found when the search is over, parents first."""
        paths = self.tree.first_paths
        for n in paths.order:
            if search.visits[n] and search.cut[n] not in NO_CUTS:
                low = fails_low(search.cut[n])
                end = search.upper[n] if low else search.lower[n]
                about = {
                    "window": (search.alpha[n], search.beta[n]),
                    "cut": search.cut[n],
                    "after": search.cut_after[n],
                    "terms": self.terms(n, end, not low),
                }
                self.record_unchanged(CUT, n, paths.branch[n], paths.depth[n], **about)

    def branch_to(self, above: int, n: int) -> int:
        """Return the branch that a walk took: the likeliest if several lead to the child."""
        own = [b for b in self.tree.branches_of(above) if self.child[b] == n]
        return max(own, key=lambda b: self.probability[b])

    def aim(self, n: int) -> str:
        """Return the aim of the walk at a node."""
        if (
            len(self.way) == 1
            and self.algorithm.goal == "action"
            and self.kind[n] in (Kind.MAX, Kind.MIN)
        ):
            return AIMS[3]
        return AIMS[self.columns["aim"][n]]

    def terms(self, n: int, end: Number, low: bool) -> Terms:
        """Return the terms of a CHANCE node's bound, if the bound is their sum and they are few."""
        own = self.tree.branches_of(n)
        if self.kind[n] != Kind.CHANCE or len(own) > MOST_TERMS:
            return ()
        column = self.columns["lower" if low else "upper"]
        terms = tuple(
            (self.probability[b], column[self.child[b]]) for b in own if self.probability[b]
        )
        total = self.zero
        for p, x in terms:
            total += p * x
        return terms if total == end or abs(total - end) <= 4 * self.eps else ()

    # ---- Why it goes there.

    def why(self) -> str:
        """Return why the walk went on to its last node, as the intervals and estimates show it.

        It runs before anything is backed up, so it sees the numbers that decided the choice.
        """
        if len(self.way) < 2:
            return ""
        above, (n, branch) = self.way[-2][0], self.way[-1]
        kind, guide = self.kind[above], self.algorithm.guide
        aim, own_aim = self.columns["aim"][above], self.columns["aim"][n]
        # As recorded: the search's columns already have the utility of the leaf.
        lower, upper, mean = self.lower, self.upper, self.columns["mean"]
        children = {
            self.child[b]: b
            for b in self.tree.branches_of(above)
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
                if sign * mean[n] < sign * mean[favourite]:
                    return ""
                return GREATEST_ESTIMATE if kind == Kind.MAX else LEAST_ESTIMATE
            is_it = n != favourite and all(
                sign * ends[n] >= sign * ends[c] for c in is_open if c != favourite
            )
            return (RIVAL_UPPER if kind == Kind.MAX else RIVAL_LOWER) if is_it else ""
        if kind == Kind.CHANCE:
            if guide != "bounds":
                return EXPECTED_GAIN
            most = self.share(branch)
            others = (self.share(b) for b in self.open_outcomes(above))
            is_greatest = most < INFINITY and all(most >= share - self.eps for share in others)
            return GREATEST_SHARE if is_greatest else ""
        if aim in (EXACT, LOWER if kind == Kind.MAX else RAISE) or guide == "bounds":
            is_best_end = all(sign * ends[n] >= sign * ends[c] - self.eps for c in is_open)
            return best_end if is_best_end else ""
        return EXPECTED_GAIN

    def open_outcomes(self, n: int) -> list[int]:
        possible = [b for b in self.tree.branches_of(n) if self.probability[b] > 0]
        return [b for b in possible if self.lower[self.child[b]] < self.upper[self.child[b]]]

    def share(self, branch: int) -> Any:
        """Return an outcome's share of the width of its CHANCE node's interval."""
        low, high = self.lower[self.child[branch]], self.upper[self.child[branch]]
        is_bounded = low > -INFINITY and high < INFINITY
        return self.probability[branch] * (high - low) if is_bounded else INFINITY
