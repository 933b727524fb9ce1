"""Make an ordinary `Tree` of a tree that has grown, with the row of each node."""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from expectitree.base.tree.builder import NodeId, TreeBuilder
from expectitree.base.tree.columns import CHANCE, UNKNOWN, UNSEEN
from expectitree.base.tree.model import Tree
from expectitree.games.growth import Growth


class Labels(Sequence["str | None"]):
    """The labels of the branches of a tree that has grown, made when they are first read."""

    def __init__(
        self, growth: Growth, first: Sequence[int], rows: Sequence[int], branches: Sequence[int]
    ) -> None:
        self._growth, self._first, self._rows, self._branches = growth, first, rows, branches
        self._known: dict[int, str | None] = {}

    def __len__(self) -> int:
        return len(self._branches)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self[b] for b in range(*at.indices(len(self)))]
        at = range(len(self))[at]
        if at not in self._known:
            node = bisect_right(self._first, at) - 1
            own = range(self._first[node], self._first[node + 1])
            labels = self._growth.labels(self._rows[node], [self._branches[b] for b in own])
            self._known.update(zip(own, labels, strict=True))
        return self._known[at]

    def __reduce__(self) -> Any:
        return list, (list(self),)


def harvest(growth: Growth, whole: bool = False) -> tuple[Tree, list[int]]:
    """Return the tree that has grown, and the row of each of its nodes.

    A row that no search asked for is a leaf whose utility is unknown. If the `whole` tree has
    grown, there is none, and branches of a node that lead to the same row become one.
    """
    copy = _Copy(growth, whole)
    copy.add_all()
    labels: Sequence[str | None] = Labels(growth, copy.first, copy.rows, copy.branches)
    estimated = frozenset(n for n, row in enumerate(copy.rows) if row in growth.estimated)
    tree = copy.builder.build(
        NodeId(len(copy.rows) - 1), title=growth.rules.title, estimated=estimated, check=False
    )
    return replace(tree, label=list(labels) if whole else labels), copy.rows


class _Copy:
    """A copy of the rows below the root, children first."""

    def __init__(self, growth: Growth, whole: bool) -> None:
        self.growth, self.whole = growth, whole
        self.builder = TreeBuilder(growth.rules.exact, sys.maxsize)
        self.rows: list[int] = []  # by node
        self.first = array("I", [0])  # by node, and one more: its first branch
        self.branches = array("I")  # of the growth, by branch
        self._node: dict[int, int] = {}  # by row

    def add_all(self) -> None:
        """Add every row that the root reaches; nothing recurses."""
        growth, waiting = self.growth, [0]
        while waiting:
            row = waiting[-1]
            own: Sequence[int] = range(growth.first[row], growth.last[row])
            children = (growth.child[b] for b in own)
            missing = [c for c in children if self._is_inner(c) and c not in self._node]
            if missing:
                waiting += reversed(missing)
                continue
            waiting.pop()
            if row in self._node:
                continue
            weights = {b: growth.probability[b] for b in own}
            if self.whole:
                weights = self._without_repeats(weights, growth.kind[row] == CHANCE)
            below = [self._node_of(growth.child[b]) for b in weights]
            self.branches.extend(weights)
            kind, estimate = growth.kind[row], growth.utility[row]
            probabilities = list(weights.values()) if kind == CHANCE else None
            node = self.builder.add_inner(kind, below, probabilities, None, estimate)
            self._node[row] = self._added(row, node)

    def _without_repeats(self, weights: dict[int, Any], is_chance: bool) -> dict[int, Any]:
        """Return the first branch to each row, for CHANCE with the sum of the probabilities."""
        growth = self.growth
        first: dict[int, int] = {}
        found: dict[int, Any] = {}
        for b, weight in weights.items():
            known = first.setdefault(growth.child[b], b)
            if known == b:
                found[b] = weight
            elif is_chance:
                found[known] += weight
        return found

    def _is_inner(self, row: int) -> bool:
        return self.growth.last[row] > 0

    def _node_of(self, row: int) -> int:
        """Return the node of a row; every branch to an unseen row has a leaf of its own."""
        if self.growth.kind[row] == UNSEEN:
            return self._added(row, self.builder.add_terminal(UNKNOWN))
        if row not in self._node:
            leaf = self.builder.add_terminal(self.growth.utility[row])
            self._node[row] = self._added(row, leaf)
        return self._node[row]

    def _added(self, row: int, node: int) -> int:
        """Remember the row of a node that was just added; return the node."""
        self.rows.append(row)
        self.first.append(len(self.branches))
        if row in self.growth.own_bounds or not row:
            self.builder.annotate(node, bounds=self.growth.bounds_of(row))
        return node
