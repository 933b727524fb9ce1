"""`Search`: what a search found out, as columns beside the tree's own, and the answers read from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from expectitree.number import Number, readable
from expectitree.search.algorithms import Algorithm
from expectitree.tree import Bounds, Column, Kind, Node, Tree


@dataclass(frozen=True, slots=True)
class Counts:
    """How many nodes and leaves there are, and how many a search entered."""

    total: int
    visited: int
    leaves_total: int
    leaves_visited: int
    visits: int  # entries of nodes, revisits and probes included
    cuts: int
    unfolded: int | str

    @property
    def share(self) -> float:
        """The share of the leaves that were visited."""
        return self.leaves_visited / self.leaves_total


@dataclass(frozen=True)
class Search:
    """The outcome of one search of one tree; columns are by node id."""

    tree: Tree
    algorithm: Algorithm
    bounds: Bounds  # of the root; also its window
    bounds_source: str  # "option", "file" or "leaves"
    eps: Number  # numbers that differ by at most this were taken as equal; 0 in exact mode
    lower: Column  # [N] the interval known to hold v*
    upper: Column  # [N]
    visits: Column  # [N] how often the node was entered
    alpha: Column  # [N] the window of the last entry of an inner node (where visits > 0)
    beta: Column  # [N]
    cut: Column  # [N] how the last entry ended: the constants of `star_minimax`
    cut_after: Column  # [N] after how many children, or (while probing) outcomes, the cut was made
    cuts: int

    @property
    def value(self) -> Number:
        """v* of the root."""
        value: Number = self.lower[-1]
        return value

    @property
    def best(self) -> str | None:
        """The label of the first best action at the root; None where the root is not a player's."""
        return next(iter(self.ties), None)

    @cached_property
    def ties(self) -> tuple[str, ...]:
        """Every action at the root that is proved to be worth as much as the best, in order."""
        return self.best_actions(len(self.tree) - 1)

    @cached_property
    def counts(self) -> Counts:
        """Nodes and leaves, total and visited, visits and cuts."""
        tree = self.tree
        visited = len(tree) - self.visits.count(0)
        inner_visited = sum(1 for k, v in zip(tree.columns.kind, self.visits, strict=True) if k and v)
        return Counts(
            len(tree), visited, tree.leaves, visited - inner_visited, sum(self.visits), self.cuts, tree.unfolded
        )

    def interval(self, node: Node | str) -> Bounds:
        """Return the interval known to hold v* of a node, given as such or by its path."""
        n = self._id(node)
        return self.lower[n], self.upper[n]

    def interval_of(self, node: int) -> Bounds:
        """Return the interval known to hold v* of a node id."""
        return self.lower[node], self.upper[node]

    def visited(self, node: Node | str) -> bool:
        """Say whether the search entered a node, given as such or by its path."""
        return bool(self.visits[self._id(node)])

    def is_exact(self, node: int) -> bool:
        """Say whether v* of a node id is known."""
        return bool(self.lower[node] == self.upper[node])

    def is_best(self, node: int, branch: int) -> bool:
        """Say whether a branch of a player's node is proved to be worth the node's known value."""
        k = self.tree.columns.kind[node]
        if k not in (Kind.MAX, Kind.MIN) or not self.is_exact(node):
            return False
        child = self.tree.columns.child[branch]
        if k == Kind.MAX:
            return bool(self.lower[child] >= self.lower[node] - self.eps)
        return bool(self.upper[child] <= self.upper[node] + self.eps)

    def best_branches(self, node: int) -> list[int]:
        """Return the branches of a player's node that are proved to be worth its known value, in order."""
        first = self.tree.columns.first
        return [b for b in range(first[node], first[node + 1]) if self.is_best(node, b)]

    def best_actions(self, node: int) -> tuple[str, ...]:
        """Return the labels of `best_branches`."""
        return tuple(self.tree.branch_label(node, b) for b in self.best_branches(node))

    @cached_property
    def strategy(self) -> Mapping[str, str]:
        """The best action, by path, at every node of a player that optimal play can reach; parents first."""
        chosen = self.strategy_branches
        return {
            path: self.tree.branch_label(node.id, chosen[node.id])
            for node, path in self.tree.walk()
            if node.id in chosen
        }

    @cached_property
    def strategy_branches(self) -> Mapping[int, int]:
        """The first best branch of every player's node that optimal play can reach, parents first."""
        kind, _, first, child, probability = self.tree.columns
        chosen: dict[int, int] = {}
        reached = bytearray(len(kind))
        reached[-1] = 1
        for n in range(len(kind) - 1, -1, -1):
            if not reached[n] or not kind[n]:
                continue
            if kind[n] == Kind.CHANCE:
                for b in range(first[n], first[n + 1]):
                    if probability[b] > 0:
                        reached[child[b]] = 1
            else:
                best = self.best_branches(n)
                if best:
                    chosen[n] = best[0]
                    reached[child[best[0]]] = 1
        return chosen

    def _id(self, node: Node | str) -> int:
        return self.tree.find(node).id if isinstance(node, str) else node.id

    def __repr__(self) -> str:
        c = self.counts
        return (
            f"<Search {self.algorithm.full_name}: {readable(self.value)}, {c.visited:,} of {c.total:,} nodes, "
            f"{c.leaves_visited:,} of {c.leaves_total:,} leaves>"
        )
