"""Record the walks of a best-first search from what it writes into its columns.

The recorder depends on the order of the writes in `best_first` (docs/decisions/0010-trace.md). A
walk writes `aim`, then `visits`, of each node that it enters, from the root down. It writes
`lower`, then `upper`, of each node that it backs up, and of the leaf. `mean` has the estimates.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from expectitree.analysis.evaluate.terms import branch_ends
from expectitree.analysis.trace.events import (
    AIMS,
    CLOSE,
    CUT,
    ENTER,
    TIGHTEN,
    VISIT,
    Recorder,
    Why,
)
from expectitree.base.numbers import INFINITY, Number
from expectitree.searches.beliefs import EXACT, LOWER, RAISE
from expectitree.searches.cuts import NO_CUTS, fails_low
from expectitree.searches.result import Search
from expectitree.tree.model import Kind


class WalkRecorder(Recorder):
    """Makes events of what a best-first search writes."""

    def __init__(self, *settings: Any) -> None:
        super().__init__(*settings)
        self.way: list[tuple[int, int]] = []  # the last walk's nodes, each with its branch
        self.place: dict[int, int] = {}  # node -> its index in `way`
        self.walk = 0

    def on_visits(self, n: int, _: int, __: int) -> None:
        """Record that a walk enters a node. (A leaf is recorded when its utility is written.)"""
        if n == self.tree.root_id:
            self.walk += 1
            self.way, self.place, branch = [], {}, -1
        else:
            above = self.way[-1][0]
            own = (b for b in self.tree.branches_of(above) if self.child[b] == n)
            branch = max(own, key=partial(self.attraction, self.kind[above]))
        self.place[n] = len(self.way)
        self.way.append((n, branch))
        if self.kind[n]:
            self.record(ENTER, n, branch, self.place[n], **self.about())

    def on_upper(self, n: int, _: Any, upper: Number) -> None:
        """Record the new bounds of a node."""
        lower = self.columns["lower"][n]
        if n in self.place:
            depth, branch = self.place[n], self.way[self.place[n]][1]
        else:  # from time to time the search backs up all intervals
            paths = self.tree.first_paths
            depth, branch = paths.depth[n], paths.branch[n]
        was, found = (self.lower[n], self.upper[n]), (lower, upper)
        if not self.kind[n]:
            self.record(VISIT, n, branch, depth, found, **self.about())
        elif lower == upper and found != was:
            terms = self.sum_terms(n, True, lower)
            self.record(CLOSE, n, branch, depth, found, walk=self.walk, terms=terms)
        else:
            for low in (True, False):
                if found[not low] != was[not low]:
                    interval = (lower, was[1]) if low else found
                    terms = self.sum_terms(n, low, found[not low])
                    self.record(TIGHTEN, n, branch, depth, interval, walk=self.walk, terms=terms)

    def attraction(self, kind: int, branch: int) -> Any:
        """Return what a walk prefers of several branches from a node of some kind to one child."""
        if kind == Kind.CHANCE:
            return self.probability[branch]
        reward: Any = self.tree.reward_of(branch)
        return reward if kind == Kind.MAX else -reward

    def record_cuts(self, search: Search) -> None:
        """Record the cuts, which are found when the search is over, parents first."""
        paths = self.tree.first_paths
        for n in paths.order:
            if search.visits[n] and search.cut[n] not in NO_CUTS:
                low = fails_low(search.cut[n])
                self.record(
                    CUT, n, paths.branch[n], paths.depth[n],
                    window=(search.alpha[n], search.beta[n]), cut=search.cut[n],
                    after=search.cut_after[n],
                    terms=self.sum_terms(n, not low, search.upper[n] if low else search.lower[n]),
                )  # fmt: skip

    def about(self) -> dict[str, Any]:
        """Return the walk, its aim at its last node, and why it went there."""
        n = self.way[-1][0]
        aim = AIMS[self.columns["aim"][n]]
        if len(self.way) == 1 and self.algorithm.goal == "action" and self.is_player(n):
            aim = "action"
        return {"walk": self.walk, "aim": aim, "why": self.why()}

    def is_player(self, n: int) -> bool:
        return self.kind[n] in (Kind.MAX, Kind.MIN)

    # ---- Why it goes there.

    def why(self) -> Why:
        """Return why the walk went on to its last node, as the intervals and estimates show it.

        It runs before anything is backed up, so it sees the numbers that decided the choice.
        """
        if len(self.way) == 1:
            return Why.NOT_KNOWN
        above, (n, branch) = self.way[-2][0], self.way[-1]
        is_max, by_bounds = self.kind[above] == Kind.MAX, self.algorithm.guide == "bounds"
        is_open = [
            b for b in self.tree.branches_of(above)
            if self.probability[b] > 0 and self.lower[self.child[b]] < self.upper[self.child[b]]
        ]  # fmt: skip
        others = [b for b in is_open if self.child[b] != n]
        if not others:
            return Why.ONLY_OPEN
        if self.is_player(above) and len(self.way) == 2 and self.algorithm.goal == "action":
            return Why.NOT_KNOWN if by_bounds else self.why_action(above, branch, is_max, others)
        by_ends = self.columns["aim"][above] in (EXACT, LOWER if is_max else RAISE)
        if not by_bounds and not (by_ends and self.is_player(above)):
            return Why.EXPECTED_GAIN
        if self.is_player(above):
            reason = Why.MAX_UPPER if is_max else Why.MIN_LOWER
            return reason if self.has_best_end(branch, others, is_max, self.eps) else Why.NOT_KNOWN
        share = self.share(branch)
        is_greatest = share < INFINITY and all(share >= self.share(b) - self.eps for b in is_open)
        return Why.MAX_SHARE if is_greatest else Why.NOT_KNOWN

    def why_action(self, root: int, branch: int, is_max: bool, others: list[int]) -> Why:
        """Return why a search for the best action went on to an action at the root."""
        mean, reward, sign = self.columns["mean"], self.columns["reward"], 1 if is_max else -1
        estimates = {
            b: sign * (mean[self.child[b]] + (reward[b] if len(reward) else 0))
            for b in self.tree.branches_of(root)
        }
        n, favourite = self.child[branch], max(estimates, key=estimates.__getitem__)
        if self.columns["aim"][n] == (RAISE if is_max else LOWER):
            if estimates[branch] < estimates[favourite]:
                return Why.NOT_KNOWN
            return Why.MAX_ESTIMATE if is_max else Why.MIN_ESTIMATE
        best = self.child[favourite]
        rivals = [b for b in others if self.child[b] != best]
        if n == best or not self.has_best_end(branch, rivals, is_max, 0):
            return Why.NOT_KNOWN
        return Why.RIVAL_UPPER if is_max else Why.RIVAL_LOWER

    def has_best_end(self, branch: int, others: list[int], is_max: bool, slack: Any) -> bool:
        """Return whether no other branch has a greater upper bound (MIN: a lesser lower bound)."""
        # As recorded: the search's columns already have the utility of the leaf.
        end_of = branch_ends(self.tree, self.upper if is_max else self.lower)
        if is_max:
            return all(end_of(branch) >= end_of(b) - slack for b in others)
        return all(end_of(branch) <= end_of(b) + slack for b in others)

    def share(self, branch: int) -> Any:
        """Return an outcome's share of the width of its CHANCE node's interval."""
        low, high = self.lower[self.child[branch]], self.upper[self.child[branch]]
        is_bounded = low > -INFINITY and high < INFINITY
        return self.probability[branch] * (high - low) if is_bounded else INFINITY
