"""Explain a search: the numbers behind every cut, and why nodes were skipped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from expectitree.base.numbers import Number, is_finite
from expectitree.searches.cuts import (
    ALPHA_CUT,
    BETA_CUT,
    CHANCE_CUT_HIGH,
    CHANCE_CUT_LOW,
    CUT_PROBING,
    NO_CUTS,
    fails_low,
    is_probing,
)
from expectitree.searches.result import Search
from expectitree.searches.unvisited import BELOW_SKIPPED, VISITED
from expectitree.tree.columns import Bounds
from expectitree.tree.model import Kind
from expectitree.tree.scans import shifted

_KINDS = {ALPHA_CUT: "alpha", BETA_CUT: "beta", CHANCE_CUT_LOW: "chance", CHANCE_CUT_HIGH: "chance"}
# By the constants of `searches.unvisited`.
REASONS = (None, "cut", "passed over", "probability 0", None, "not reached")


@dataclass(frozen=True, slots=True)
class Cut:
    """A cut: a node that a search left before all its children were done."""

    code: int  # of `searches.cuts`
    after: int  # children done; while probing: outcomes reached; of best-first: children visited
    of: int  # children
    interval: Bounds  # of the node
    window: Bounds
    rest: Number | None = None  # at CHANCE: the bound that all branches left share
    nodes: int = 0  # not visited because of this cut, leaves included
    leaves: int = 0
    is_of_game: bool = False  # the nodes it left were never made: branches are counted as leaves

    @property
    def kind(self) -> str:
        """The kind: alpha, beta or chance."""
        return _KINDS[self.code % CUT_PROBING]

    @property
    def probing(self) -> bool:
        """Whether a probe made the cut."""
        return is_probing(self.code)

    @property
    def is_low(self) -> bool:
        """Whether the node fails low (`bound` <= alpha); else it fails high (`bound` >= beta)."""
        return fails_low(self.code)

    @property
    def bound(self) -> Number:
        """What the node is worth at most (fails low) or at least (fails high)."""
        return self.interval[self.is_low]

    @property
    def limit(self) -> Number:
        """The end of the window that the bound does not exceed (at beta: reaches)."""
        return self.window[not self.is_low]

    @property
    def relation(self) -> str:
        """What the bound is: `at most` or `at least` the value."""
        return "at most" if self.is_low else "at least"

    @property
    def comparison(self) -> str:
        """How the bound compares with the limit."""
        return "<= alpha" if self.is_low else ">= beta"


class Explanation:
    """The cuts of a search, and its reasons for not visiting nodes, by node."""

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
        return Cut(
            code,
            search.cut_after[node],
            len(search.tree.branches_of(node)),
            search.interval_of(node),
            (search.alpha[node], search.beta[node]),
            _common_bound(search, node, search.upper if fails_low(code) else search.lower),
            self.nodes[node],
            self.leaves[node],
            search.grown is not None,
        )

    @property
    def cuts(self) -> Mapping[int, Cut]:
        """Every cut that holds at the end of the search, parents first."""
        order = self.search.tree.first_paths.order
        return {n: cut for n in order if (cut := self.cut(n)) is not None}


def _common_bound(search: Search, n: int, ends: Sequence[Number]) -> Number | None:
    """Return the bound that all open outcomes of a CHANCE node share; None where they differ."""
    tree, columns = search.tree, search.tree.columns
    if columns.kind[n] != Kind.CHANCE:
        return None
    possible = ((b, columns.child[b]) for b in tree.branches_of(n) if columns.probability[b])
    found = {
        shifted(ends[c], tree.reward_of(b))
        for b, c in possible
        if not search.is_exact(c) and not search.visits[c]
    }
    end = found.pop() if len(found) == 1 else None
    return end if end is not None and is_finite(end) else None
