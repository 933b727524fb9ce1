"""Explain a search: the numbers behind every cut, and why nodes were skipped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from expectitree.numbers import Number, is_finite
from expectitree.searches.cuts import (
    ALPHA_CUT,
    BETA_CUT,
    CHANCE_CUT_HIGH,
    CHANCE_CUT_LOW,
    CUT_PROBING,
    NO_CUTS,
    is_probing,
)
from expectitree.searches.result import Search
from expectitree.searches.unvisited import BELOW_SKIPPED, VISITED
from expectitree.tree.columns import Bounds
from expectitree.tree.model import Kind

_FAILS = {ALPHA_CUT: "low", BETA_CUT: "high", CHANCE_CUT_LOW: "low", CHANCE_CUT_HIGH: "high"}
_KINDS = {ALPHA_CUT: "alpha", BETA_CUT: "beta", CHANCE_CUT_LOW: "chance", CHANCE_CUT_HIGH: "chance"}


@dataclass(frozen=True, slots=True)
class Cut:
    """A cut: a node that a search left before all its children were done."""

    kind: str  # alpha, beta or chance
    fails: str  # low: bound <= alpha; high: bound >= beta
    after: int  # children done; while probing: outcomes reached; of best-first: children visited
    of: int  # children
    probing: bool
    bound: Number  # the node's value is at most this (fails low) or at least this (fails high)
    window: Bounds
    rest: Number | None  # at CHANCE: the bound that all children left share
    nodes: int  # not visited because of this cut, leaves included
    leaves: int

    @classmethod
    def of_code(
        cls,
        code: int,
        after: int,
        of: int,
        interval: Bounds,
        window: Bounds,
        rest: Number | None = None,
        nodes: int = 0,
        leaves: int = 0,
    ) -> Cut:
        """Return the cut of a code of `star_minimax`."""
        plain = code % CUT_PROBING
        fails = _FAILS[plain]
        bound = interval[1] if fails == "low" else interval[0]
        return cls(
            _KINDS[plain], fails, after, of, is_probing(code), bound, window, rest, nodes, leaves
        )


class Explanation:
    """Why a search did not visit nodes, and its cuts, by node."""

    def __init__(self, search: Search) -> None:
        self.search = search
        self.reason, self.nodes, self.leaves, self.passed_over = search.unvisited

    def skipped_above(self, node: int) -> str | None:
        """Return why a node or the part of the tree around it was not entered; None if it was."""
        parent = self.search.tree.first_paths.parent
        while (
            not self.search.visits[node]
            and self.reason[node] in (VISITED, BELOW_SKIPPED)
            and parent[node] >= 0
        ):
            node = parent[node]
        return self.skipped(node)

    def skipped(self, node: int) -> str | None:
        """Return why a node was not entered, if it is the topmost of a part that was not."""
        return REASONS[self.reason[node]]

    def cut(self, node: int) -> Cut | None:
        """Return the cut that the last entry of a node made, if it made one."""
        search = self.search
        code = search.cut[node]
        if code in NO_CUTS or not search.visits[node]:
            return None
        is_chance = search.tree.columns.kind[node] == Kind.CHANCE
        return Cut.of_code(
            code,
            search.cut_after[node],
            len(search.tree.branches_of(node)),
            search.interval_of(node),
            (search.alpha[node], search.beta[node]),
            _common_bound(search, node, _FAILS[code % CUT_PROBING]) if is_chance else None,
            self.nodes[node],
            self.leaves[node],
        )

    @property
    def cuts(self) -> Mapping[int, Cut]:
        """Every cut that holds at the end of the search, parents first."""
        order = self.search.tree.first_paths.order
        return {n: cut for n in order if (cut := self.cut(n)) is not None}


# By the constants of `searches.unvisited`.
REASONS = (None, "cut", "passed over", "probability 0", None, "not reached")


def _common_bound(search: Search, n: int, fails: str) -> Number | None:
    """Return the bound that all open children share, or None where they differ."""
    columns = search.tree.columns
    bound = search.upper if fails == "low" else search.lower
    possible = (columns.child[b] for b in search.tree.branches_of(n) if columns.probability[b])
    ends = {
        bound[c] for c in possible if search.lower[c] < search.upper[c] and not search.visits[c]
    }
    end = ends.pop() if len(ends) == 1 else None
    return end if end is not None and is_finite(end) else None
