"""Why a search left what it left: every cut with the numbers that justify it, and what it spared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from expectitree.numbers import Number, cell_text, is_finite
from expectitree.searches.cuts import (
    ALPHA_CUT,
    BETA_CUT,
    CHANCE_CUT_HIGH,
    CHANCE_CUT_LOW,
    CUT_PROBING,
    NO_CUTS,
)
from expectitree.searches.result import Search
from expectitree.searches.unvisited import BELOW_SKIPPED, VISITED
from expectitree.tree.model import Bounds, Kind

_FAILS = {ALPHA_CUT: "low", BETA_CUT: "high", CHANCE_CUT_LOW: "low", CHANCE_CUT_HIGH: "high"}
_KINDS = {ALPHA_CUT: "alpha", BETA_CUT: "beta", CHANCE_CUT_LOW: "chance", CHANCE_CUT_HIGH: "chance"}


@dataclass(frozen=True, slots=True)
class Cut:
    """One node that a search left before all its children were done."""

    kind: str  # alpha, beta or chance
    fails: str  # low: bound <= alpha; high: bound >= beta
    after: int  # children done (while probing: outcomes reached; of a search not in order: looked at, wherever)
    of: int
    probing: bool
    bound: Number  # what the node is worth at most (fails low) or at least (fails high)
    window: Bounds
    rest: Number | None  # the bound that all children left have in common, at CHANCE
    nodes: int  # not visited below this cut, leaves included
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
        """Return the cut that a search has recorded at a node, by a constant of `star_minimax`."""
        plain = code % CUT_PROBING
        fails = _FAILS[plain]
        bound = interval[1] if fails == "low" else interval[0]
        return cls(
            _KINDS[plain], fails, after, of, code >= CUT_PROBING, bound, window, rest, nodes, leaves
        )

    @property
    def where(self) -> str:
        """How far the node's children were done."""
        if self.probing:
            return f"while probing, after {self.after} of {self.of}"
        if self.after:
            return f"after {self.after} of {self.of}"
        return f"before any {'outcome' if self.kind == 'chance' else 'action'}"

    @property
    def reason(self) -> str:
        """The cut in one line, in numbers."""
        low = self.fails == "low"
        claim = f"at {'most' if low else 'least'} {cell_text(self.bound)} "
        claim += (
            f"<= alpha {cell_text(self.window[0])}"
            if low
            else f">= beta {cell_text(self.window[1])}"
        )
        if self.kind == "chance":
            if self.rest is not None:
                claim = f"even if the rest were {cell_text(self.rest)}, {claim}"
            else:
                rest = "the rest" if self.after < self.of else "what is open"
                claim = f"even with {rest} at {'best' if low else 'worst'}, {claim}"
        return (
            f"{self.kind} cut {self.where}: {claim}{_spared(self.nodes - self.leaves, self.leaves)}"
        )


class Explanation:
    """Why a search left what it left, node by node."""

    def __init__(self, search: Search) -> None:
        self.search = search
        self.reason, self.nodes, self.leaves, self.passed_over = search.unvisited

    def skipped_above(self, node: int) -> str | None:
        """Return why the part was not entered that a node belongs to; None where the node was."""
        parent = self.search.tree.first_paths.parent
        while (
            not self.search.visits[node]
            and self.reason[node] in (VISITED, BELOW_SKIPPED)
            and parent[node] >= 0
        ):
            node = parent[node]
        return self.skipped(node)

    def skipped(self, node: int) -> str | None:
        """Return why a node was not entered, where it is the topmost of a part that never was."""
        return _REASONS[self.reason[node]]

    def cut(self, node: int) -> Cut | None:
        """Return the cut that was made at a node, if one was: what its last entry did."""
        search = self.search
        code = search.cut[node]
        if code in NO_CUTS or not search.visits[node]:
            return None
        kind, _, first, _, _ = search.tree.columns
        return Cut.of_code(
            code,
            search.cut_after[node],
            first[node + 1] - first[node],
            search.interval_of(node),
            (search.alpha[node], search.beta[node]),
            _common_bound(search, node, _FAILS[code % CUT_PROBING])
            if kind[node] == Kind.CHANCE
            else None,
            self.nodes[node],
            self.leaves[node],
        )

    @property
    def cuts(self) -> Mapping[int, Cut]:
        """Every cut that stands when the search is over, parents first; perhaps fewer than were made."""
        order = self.search.tree.first_paths.order
        return {n: cut for n in order if (cut := self.cut(n)) is not None}


# By the constants of `searches.unvisited`.
_REASONS = (None, "cut", "passed over", "probability 0", None, "not reached")


def _common_bound(search: Search, n: int, fails: str) -> Number | None:
    """Return the bound that all children left open have in common, None where they differ."""
    _, _, first, child, probability = search.tree.columns
    column = search.upper if fails == "low" else search.lower
    ends = {
        column[child[b]]
        for b in range(first[n], first[n + 1])
        if probability[b]
        and search.lower[child[b]] < search.upper[child[b]]
        and not search.visits[child[b]]
    }
    end = ends.pop() if len(ends) == 1 else None
    return end if end is not None and is_finite(end) else None


def _spared(nodes: int, leaves: int) -> str:
    parts = []
    if nodes:
        parts.append(f"{nodes:,} node{'s' * (nodes != 1)}")
    if leaves:
        parts.append(f"{leaves:,} lea{'ves' if leaves != 1 else 'f'}")
    return f"; {', '.join(parts)} not visited" if parts else ""
