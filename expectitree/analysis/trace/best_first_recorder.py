"""Record the walks of a best-first search from what it writes into its columns.

The recorder depends on the order of the writes in `best_first` (docs/decisions/0010-trace.md). A
walk writes `aim`, then `visits`, of each node that it enters, from the root down. It writes
`lower`, then `upper`, of each node that it backs up, and of the leaf. `mean` has the estimates.
"""

from __future__ import annotations

from typing import Any

from expectitree.algorithms import Algorithm
from expectitree.analysis.evaluate.terms import Terms, sum_terms
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
    ONLY_OPEN,
    RIVAL_LOWER,
    RIVAL_UPPER,
    TIGHTEN,
    VISIT,
    Recorder,
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
        return sum_terms(self.tree, self.eps, n, self.columns["lower" if low else "upper"], end)

    # ---- Why it goes there.

    def why(self) -> str:
        """Return why the walk went on to its last node, as the intervals and estimates show it.

        It runs before anything is backed up, so it sees the numbers that decided the choice.
        """
        if len(self.way) < 2:
            return ""
        above, (n, branch) = self.way[-2][0], self.way[-1]
        kind, is_open = self.kind[above], self.open_branches(above)
        open_children = {self.child[b] for b in is_open}
        if open_children == {n}:
            return ONLY_OPEN
        if kind == Kind.CHANCE:
            return self.why_outcome(branch, is_open)
        is_max, by_bounds = kind == Kind.MAX, self.algorithm.guide == "bounds"
        if len(self.way) == 2 and self.algorithm.goal == "action":
            return "" if by_bounds else self.why_action(above, n, is_max, open_children)
        aim = self.columns["aim"][above]
        if not by_bounds and aim not in (EXACT, LOWER if is_max else RAISE):
            return EXPECTED_GAIN
        if not self.has_best_end(n, open_children, is_max, self.eps):
            return ""
        return GREATEST_UPPER if is_max else LEAST_LOWER

    def why_outcome(self, branch: int, is_open: list[int]) -> str:
        """Return why a walk went on to an outcome."""
        if self.algorithm.guide != "bounds":
            return EXPECTED_GAIN
        share = self.share(branch)
        is_greatest = share < INFINITY and all(share >= self.share(b) - self.eps for b in is_open)
        return GREATEST_SHARE if is_greatest else ""

    def why_action(self, root: int, n: int, is_max: bool, open_children: set[int]) -> str:
        """Return why a search for the best action went on to an action at the root."""
        mean, sign = self.columns["mean"], 1 if is_max else -1
        favourite = max(
            (self.child[b] for b in self.tree.branches_of(root)), key=lambda c: sign * mean[c]
        )
        if self.columns["aim"][n] == (RAISE if is_max else LOWER):
            if sign * mean[n] < sign * mean[favourite]:
                return ""
            return GREATEST_ESTIMATE if is_max else LEAST_ESTIMATE
        if n == favourite or not self.has_best_end(n, open_children - {favourite}, is_max, 0):
            return ""
        return RIVAL_UPPER if is_max else RIVAL_LOWER

    def has_best_end(self, n: int, others: set[int], is_max: bool, slack: Any) -> bool:
        """Say whether no other child has a greater upper bound (at MIN: a lesser lower bound)."""
        # As recorded: the search's columns already have the utility of the leaf.
        if is_max:
            return all(self.upper[n] >= self.upper[c] - slack for c in others)
        return all(self.lower[n] <= self.lower[c] + slack for c in others)

    def open_branches(self, n: int) -> list[int]:
        """Return the possible branches to children that are not solved."""
        is_chance = self.kind[n] == Kind.CHANCE
        own = self.tree.branches_of(n)
        possible = [b for b in own if not is_chance or self.probability[b] > 0]
        return [b for b in possible if self.lower[self.child[b]] < self.upper[self.child[b]]]

    def share(self, branch: int) -> Any:
        """Return an outcome's share of the width of its CHANCE node's interval."""
        low, high = self.lower[self.child[branch]], self.upper[self.child[branch]]
        is_bounded = low > -INFINITY and high < INFINITY
        return self.probability[branch] * (high - low) if is_bounded else INFINITY
