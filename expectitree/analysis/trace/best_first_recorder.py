"""Record the walks of a best-first search from what it writes into its columns.

The recorder depends on the order of the writes in `best_first` (docs/decisions/0010-trace.md). A
walk writes `aim`, then `visits`, of each node that it enters, from the root down. It writes
`lower`, then `upper`, of each node that it backs up, and of the leaf.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from expectitree.analysis.trace.events import (
    AIMS,
    CLOSE,
    CUT,
    ENTER,
    TIGHTEN,
    VISIT,
    Recorder,
)
from expectitree.base.numbers import Number
from expectitree.base.tree.model import Kind
from expectitree.searches.cuts import NO_CUTS, fails_low
from expectitree.searches.result import Search


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
        """Return the walk, and its aim at its last node."""
        n = self.way[-1][0]
        aim = AIMS[self.columns["aim"][n]]
        is_player = self.kind[n] in (Kind.MAX, Kind.MIN)
        if len(self.way) == 1 and self.algorithm.goal == "action" and is_player:
            aim = "action"
        return {"walk": self.walk, "aim": aim}
