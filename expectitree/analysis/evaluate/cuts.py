"""Explain a search: the numbers behind every cut, what the cut saved, and why nodes were skipped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from expectitree import compiling
from expectitree.numbers import Number, is_finite
from expectitree.searches.result import Search
from expectitree.searches.star_minimax import (
    ALPHA_CUT,
    BETA_CUT,
    CHANCE_CUT_HIGH,
    CHANCE_CUT_LOW,
    CUT_PROBING,
    NO_CUTS,
    NOT_CUT,
    PROBED,
    STOPPED,
)
from expectitree.tree import scans
from expectitree.tree.model import Bounds, Column, Columns, Kind, Repeated

TERMINAL = 0
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
            _KINDS[plain], fails, after, of, code >= CUT_PROBING, bound, window, rest, nodes, leaves
        )


class Explanation:
    """Why a search left what it left, node by node; a column is by node id."""

    def __init__(self, search: Search) -> None:
        self.search = search
        tree, count = search.tree, len(search.tree)
        self.reason: Column = Repeated(VISITED, count)  # [N] a constant below
        self.passed_over = 0  # nodes that were not entered because their interval was enough
        if not search.algorithm.player_cuts:
            return
        self.reason = compiling.zeros("B", count)
        self.nodes = compiling.zeros("i", count)  # [N] not visited because of the cut at this node
        self.leaves = compiling.zeros("i", count)  # [N] the same, of leaves
        owner = compiling.filled(
            "i", scans.NONE, count
        )  # [N] the cut that an unvisited node is below
        paths = tree.first_paths
        in_order = search.algorithm.in_order
        asked_by = paths.parent if in_order or not tree.is_sharing else self.asked_by
        self.passed_over = tree.scan(
            account_for_skipped, tree.columns, paths.order, paths.parent, paths.branch, search.visits,
            search.cut, search.cut_after, asked_by, owner, self.reason, self.nodes, self.leaves, in_order,
        )  # fmt: skip

    @cached_property
    def asked_by(self) -> Column:
        """For each node that best-first visited, the parent that gave it its window; else -1."""
        tree = self.search.tree
        column = compiling.filled("i", scans.NONE, len(tree))
        tree.scan(find_asking, tree.columns, self.search.visits, column)
        return column

    def skipped_above(self, node: int) -> str | None:
        """Return why a node or the part of the tree around it was not entered; None if it was."""
        parent = self.search.tree.first_paths.parent
        while (
            not self.search.visits[node]
            and self.reason[node] in (VISITED, BELOW_PASSED_OVER)
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


VISITED, CUT, PASSED_OVER, IMPOSSIBLE, BELOW_PASSED_OVER, NOT_REACHED = range(6)
REASONS = (None, "cut", "passed over", "probability 0", None, "not reached")
UNREACHABLE = -2  # the owner of nodes below one where the search stopped


def account_for_skipped(
    tree: Columns,
    order: Column,
    parent: Column,
    branch: Column,
    visits: Column,
    cut: Column,
    cut_after: Column,
    asked_by: Column,
    owner: Column,
    reason: Column,
    nodes: Column,
    leaves: Column,
    in_order: bool,
) -> int:
    """Write why each part of the tree was not visited; return how many nodes were passed over.

    A loop over columns, parents first. Below a cut, each unvisited node is counted once, under its
    first path. A search in order passes over children before the cut; best-first has no such order,
    so the cut is the reason for each child left.
    """
    kind, first, probability = tree.kind, tree.first, tree.probability
    passed_over = 0
    for i in range(len(order)):
        # Best-first asks for a shared node from a parent with a greater id, which comes first here.
        n = order[i] if in_order else len(order) - 1 - i
        above = parent[n]
        if visits[n] > 0:
            if cut[n] == PROBED:  # what it left belongs to the cut above, if any
                owner[n] = owner[asked_by[n]]
            elif cut[n] == STOPPED:
                owner[n] = UNREACHABLE
            elif cut[n] != NOT_CUT:
                owner[n] = n
            continue
        if above < 0:
            continue
        is_before_cut = (
            in_order
            and owner[above] == above
            and cut[above] < CUT_PROBING
            and branch[n] - first[above] < cut_after[above]
        )
        if visits[above] == 0:
            owner[n] = owner[above]
            if reason[above] == PASSED_OVER or reason[above] == BELOW_PASSED_OVER:
                reason[n] = BELOW_PASSED_OVER
        elif probability[branch[n]] == 0:
            reason[n] = IMPOSSIBLE
        elif owner[above] == UNREACHABLE:
            reason[n] = NOT_REACHED
        elif owner[above] < 0 or is_before_cut:
            reason[n] = PASSED_OVER
        else:
            reason[n] = CUT
            owner[n] = owner[above]
        if reason[n] == PASSED_OVER or reason[n] == BELOW_PASSED_OVER:
            passed_over += 1
        if owner[n] >= 0:
            nodes[owner[n]] += 1
            if kind[n] == TERMINAL:
                leaves[owner[n]] += 1
    return passed_over


def find_asking(tree: Columns, visits: Column, asked_by: Column) -> None:
    """Write for each visited node the parent from which `find_windows` passes its window down.

    A loop over columns, parents first.
    """
    child, probability = tree.child, tree.probability
    for i in range(len(visits)):
        n = len(visits) - 1 - i
        if visits[n] > 0:
            for b in range(tree.first[n], tree.first[n + 1]):
                c = child[b]
                if visits[c] > 0 and probability[b] > 0 and asked_by[c] < 0:
                    asked_by[c] = n


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
