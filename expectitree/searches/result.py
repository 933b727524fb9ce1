"""`Search`: what a search found out, as columns beside the tree's own, and the answers read from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from expectitree import compiling
from expectitree.algorithms import Algorithm
from expectitree.display import Shown
from expectitree.errors import SearchError
from expectitree.numbers import Number, display_text
from expectitree.tree import scans
from expectitree.tree.model import Bounds, Kind, Node, Tree


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
class Search(Shown):
    """The outcome of one search of one tree; columns are by node id."""

    tree: Tree
    algorithm: Algorithm
    bounds: Bounds  # of the root; also its window
    bounds_source: str  # "option", "file" or "leaves"; "none" where nothing is known beforehand
    eps: Number  # numbers that differ by at most this were taken as equal; 0 in exact mode
    engine: str  # interpreted, compiled or exact
    lower: Sequence[Any]  # [N] the interval known to hold v*
    upper: Sequence[Any]  # [N]
    visits: Sequence[Any]  # [N] how often the node was entered
    alpha: Sequence[Any]  # [N] the window of the last entry of an inner node (where visits > 0)
    beta: Sequence[Any]  # [N]
    cut: Sequence[Any]  # [N] how the last entry ended: the constants of `star_minimax`
    cut_after: Sequence[
        Any
    ]  # [N] how many children, or (while probing) outcomes, were done before the cut
    cuts: int
    stopped: bool  # there were too many visits

    @property
    def value(self) -> Number:
        """v* of the root; raises `SearchError` where it is not known."""
        if not self.is_known:
            lower, upper = map(display_text, self.interval_of(-1))
            why = "the search was stopped" if self.stopped else "more was not asked for"
            raise SearchError(f"{why}: the value lies in [{lower}, {upper}]")
        value: Number = self.lower[-1]
        return value

    @property
    def is_known(self) -> bool:
        """Whether v* of the root is known: unless the search was stopped, or only asked which action is best."""
        return self.is_exact(-1)

    @property
    def is_answered(self) -> bool:
        """Whether what was asked is known: v*, or which action is best."""
        return not self.stopped or self.is_exact(-1)

    @property
    def is_decided(self) -> bool:
        """Whether the best action at the root is proved, and v* not known: more was not asked for."""
        is_asked = self.algorithm.goal == "action" and self.tree.columns.kind[-1] in (
            Kind.MAX,
            Kind.MIN,
        )
        return is_asked and not self.stopped and not self.is_exact(-1)

    @property
    def best(self) -> str | None:
        """The label of the first best action at the root; None where the root is not a player's."""
        root = len(self.tree) - 1
        branch = next(self.iterate_best(root), None)
        return None if branch is None else self.tree.branch_label(root, branch)

    @cached_property
    def ties(self) -> tuple[str, ...]:
        """Every action at the root that is proved to be worth as much as the best, in order."""
        return self.best_actions(len(self.tree) - 1)

    @cached_property
    def counts(self) -> Counts:
        """Nodes and leaves, total and visited, visits and cuts."""
        tree, kind = self.tree, self.tree.columns.kind
        if self.algorithm.player_cuts:
            visited, leaves, visits = tree.scan(scans.tally, kind, self.visits)
        else:
            visited, leaves, visits = len(tree), tree.leaves, len(tree)
        return Counts(len(tree), visited, tree.leaves, leaves, visits, self.cuts, tree.unfolded)

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
        """Say whether a branch of a player's node is proved to be best there: it is worth the node's known value.

        At the root of a search for the best action it is that action.
        """
        k = self.tree.columns.kind[node]
        if k not in (Kind.MAX, Kind.MIN):
            return False
        if not self.is_exact(node):
            return node == len(self.tree) - 1 and branch in self.decided
        child = self.tree.columns.child[branch]
        if k == Kind.MAX:
            return bool(self.lower[child] >= self.lower[node] - self.eps)
        return bool(self.upper[child] <= self.upper[node] + self.eps)

    def best_branches(self, node: int) -> list[int]:
        """Return the branches of a player's node that are proved to be best there (`is_best`), in order."""
        return list(self.iterate_best(node))

    def iterate_best(self, node: int) -> Iterator[int]:
        """Yield what `best_branches` returns, one at a time: a wide node is not gone through without need."""
        if not self._has_best(node):
            if node == len(self.tree) - 1:
                yield from self.decided
            return
        start, end = self.tree.columns.first[node : node + 2]
        while True:
            best = self._scan_best(scans.next_best, node, start, end)
            if best < 0:
                return
            yield best
            start = best + 1

    def count_best(self, node: int) -> int:
        """Return how many branches `best_branches` has."""
        start, end = self.tree.columns.first[node : node + 2]
        if self._has_best(node):
            return self._scan_best(scans.count_best, node, start, end)
        return len(self.decided) if node == len(self.tree) - 1 else 0

    @cached_property
    def decided(self) -> tuple[int, ...]:
        """The branches of the root to the one child that is proved to be best while v* is not known.

        It is the child that has both of the root's ends: were there two, v* would be known.
        """
        if not self.is_decided:
            return ()
        root = len(self.tree) - 1
        start, end = self.tree.columns.first[root : root + 2]
        child = self.tree.columns.child
        best = next(child[b] for b in range(start, end) if self._has_both_ends(root, child[b]))
        return tuple(b for b in range(start, end) if child[b] == best)

    def _has_both_ends(self, node: int, child: int) -> bool:
        lower, upper, eps = self.lower, self.upper, self.eps
        if self.tree.columns.kind[node] == Kind.MAX:
            return bool(lower[child] >= lower[node] - eps and upper[child] >= upper[node] - eps)
        return bool(lower[child] <= lower[node] + eps and upper[child] <= upper[node] + eps)

    def _has_best(self, node: int) -> bool:
        return self.tree.columns.kind[node] in (Kind.MAX, Kind.MIN) and self.is_exact(node)

    def _scan_best(self, loop: Callable[..., int], node: int, start: int, end: int) -> int:
        is_max = self.tree.columns.kind[node] == Kind.MAX
        ends, limit = (
            (self.lower, self.lower[node] - self.eps)
            if is_max
            else (self.upper, self.upper[node] + self.eps)
        )
        rows = 0 if self.engine != "compiled" else end - start
        found: int = compiling.run(
            loop, self.tree.columns.child, ends, start, end, limit, is_max, rows=rows
        )
        return found

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
        reached = {len(kind) - 1}
        waiting = [len(kind) - 1]
        while waiting:
            n = waiting.pop()
            if kind[n] == Kind.CHANCE:
                below = {
                    child[b]
                    for b in range(first[n], first[n + 1])
                    if probability[b] > 0 and kind[child[b]]
                }
            else:
                best = next(self.iterate_best(n), None)
                if best is None:
                    continue
                chosen[n] = best
                below = {child[best]}
            waiting += below - reached
            reached |= below
        return dict(sorted(chosen.items(), reverse=True))

    def _id(self, node: Node | str) -> int:
        return self.tree.find(node).id if isinstance(node, str) else node.id

    def __repr__(self) -> str:
        c = self.counts
        lower, upper = map(display_text, self.interval_of(-1))
        value = lower if self.is_known else f"in [{lower}, {upper}]"
        return (
            f"<Search {self.algorithm.full_name}: {value}, {c.visited:,} of {c.total:,} nodes, "
            f"{c.leaves_visited:,} of {c.leaves_total:,} leaves>"
        )
