"""Why a search left what it left: every cut with the numbers that justify it, and what it spared."""

from __future__ import annotations

from dataclasses import dataclass, replace

from expectitree.number import Number, brief
from expectitree.search.result import Search
from expectitree.search.star_minimax import (
    ALPHA_CUT,
    BETA_CUT,
    CHANCE_CUT_HIGH,
    CHANCE_CUT_LOW,
    CUT_PROBING,
    NOT_CUT,
    PROBED,
)
from expectitree.tree import Bounds, Kind, finite

_FAILS = {ALPHA_CUT: "low", BETA_CUT: "high", CHANCE_CUT_LOW: "low", CHANCE_CUT_HIGH: "high"}
_KINDS = {ALPHA_CUT: "alpha", BETA_CUT: "beta", CHANCE_CUT_LOW: "chance", CHANCE_CUT_HIGH: "chance"}


@dataclass(frozen=True, slots=True)
class Cut:
    """One node that a search left before all its children were done."""

    kind: str  # alpha, beta or chance
    fails: str  # low: bound <= alpha; high: bound >= beta
    after: int  # children done (while probing: outcomes reached)
    of: int
    probing: bool
    bound: Number  # what the node is worth at most (fails low) or at least (fails high)
    window: Bounds
    rest: Number | None  # the bound that all children left have in common, at CHANCE
    nodes: int = 0  # not visited below this cut, leaves included
    leaves: int = 0

    @property
    def reason(self) -> str:
        """The cut in one line, in numbers."""
        low = self.fails == "low"
        claim = f"at {'most' if low else 'least'} {brief(self.bound)} "
        claim += f"<= alpha {brief(self.window[0])}" if low else f">= beta {brief(self.window[1])}"
        where = f"after {self.after} of {self.of}"
        if self.kind == "chance":
            if self.probing:
                where = f"while probing, {where}"
            elif self.after == 0:
                where = "before any outcome"
            if self.rest is not None:
                claim = f"even if the rest were {brief(self.rest)}, {claim}"
            else:
                claim = f"even with the rest at {'best' if low else 'worst'}, {claim}"
        return f"{self.kind} cut {where}: {claim}{_spared(self.nodes - self.leaves, self.leaves)}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a search left, by node id."""

    cuts: dict[int, Cut]
    skipped: dict[int, str]  # the topmost node of each part that was never entered -> cut, passed over, probability 0
    passed_over: int  # nodes that were not entered because an interval said enough


def explain(search: Search) -> Explanation:
    """Return every cut that stands when the search is over, and why each part of the tree was not visited.

    A node that was cut and entered again shows what its last entry did, so there may be fewer cuts here than the
    search made. Below a cut, each unvisited node is counted once, under its first path.
    """
    tree = search.tree
    kind, _, first, _, probability = tree.columns
    cuts: dict[int, Cut] = {}
    skipped: dict[int, str] = {}
    counts: dict[int, list[int]] = {}
    owner = [-1] * len(tree)  # the cut that unvisited nodes below a node belong to
    passed_over = 0
    below_passed = bytearray(len(tree))
    order, parent, branch, _ = tree.first_paths
    for n in order:
        above = parent[n]
        if search.visits[n]:
            code = search.cut[n]
            if code not in (NOT_CUT, PROBED):
                cuts[n] = _cut(search, n)
                owner[n] = n
            elif code == PROBED:
                owner[n] = owner[above]
            continue
        if above >= 0 and search.visits[above]:
            if not probability[branch[n]]:
                skipped[n] = "probability 0"
            elif owner[above] == above and not _left_by_cut(search, above, branch[n] - first[above]):
                skipped[n] = "passed over"
            elif owner[above] >= 0:
                skipped[n] = "cut"
                owner[n] = owner[above]
            else:
                skipped[n] = "passed over"
        elif above >= 0:
            owner[n] = owner[above]
        below_passed[n] = skipped.get(n) == "passed over" or (n not in skipped and above >= 0 and below_passed[above])
        passed_over += below_passed[n]
        if owner[n] >= 0:
            tally = counts.setdefault(owner[n], [0, 0])
            tally[0] += 1
            tally[1] += not kind[n]
    for n, (nodes, leaves) in counts.items():
        cuts[n] = replace(cuts[n], nodes=nodes, leaves=leaves)
    return Explanation(cuts, skipped, passed_over)


def _left_by_cut(search: Search, node: int, place: int) -> bool:
    return bool(search.cut[node] >= CUT_PROBING or place >= search.cut_after[node])


def _cut(search: Search, n: int) -> Cut:
    code = search.cut[n]
    plain = code % CUT_PROBING
    fails = _FAILS[plain]
    kind, _, first, _, _ = search.tree.columns
    return Cut(
        _KINDS[plain],
        fails,
        search.cut_after[n],
        first[n + 1] - first[n],
        code >= CUT_PROBING,
        search.upper[n] if fails == "low" else search.lower[n],
        (search.alpha[n], search.beta[n]),
        _common_bound(search, n, fails) if kind[n] == Kind.CHANCE else None,
    )


def _common_bound(search: Search, n: int, fails: str) -> Number | None:
    """Return the bound that all children left open have in common, None where they differ."""
    _, _, first, child, probability = search.tree.columns
    column = search.upper if fails == "low" else search.lower
    ends = {
        column[child[b]]
        for b in range(first[n], first[n + 1])
        if probability[b] and search.lower[child[b]] < search.upper[child[b]] and not search.visits[child[b]]
    }
    end = ends.pop() if len(ends) == 1 else None
    return end if end is not None and finite(end) else None


def _spared(nodes: int, leaves: int) -> str:
    parts = []
    if nodes:
        parts.append(f"{nodes:,} node{'s' * (nodes != 1)}")
    if leaves:
        parts.append(f"{leaves:,} lea{'ves' if leaves != 1 else 'f'}")
    return f"; {', '.join(parts)} not visited" if parts else ""
