"""Which rows of a tree are shown, and in what order: a pass that decides before any renderer draws."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from typing import NamedTuple

from expectitree.search.result import Search
from expectitree.search.star_minimax import NOT_CUT, PROBED
from expectitree.tree import Column, Kind, Tree

SHORT_TREE = 60  # rows that are shown without being asked


class Row(NamedTuple):
    """One row of an outline: a node at the end of a branch, or (node -1) a run of branches that is left out."""

    node: int
    parent: int
    branch: int
    depth: int
    last: bool  # among the rows of its parent
    first_met: bool  # else the node stands in full at its first path
    hidden: int = 0  # nodes left out: in this run, or below this node
    hidden_cuts: int = 0
    hidden_branches: int = 0


def outline(search: Search, most_rows: int | None = SHORT_TREE) -> Iterator[Row]:
    """Yield the rows of a tree, parents first, in branch order; about `most_rows` of them, or all.

    A node over terminals only is one row, without rows for its children (except at the root). What is shown first:
    the strategy, then what a search cut, then what lies near the root.
    """
    tree = search.tree
    order, parent, _, _ = tree.first_paths
    if most_rows is None or _rows_of_all(tree, most_rows) <= most_rows:
        yield from _rows(tree, None, None, None)
        return
    chosen = _choose(search, most_rows)
    nodes, cuts = [1] * len(tree), [0] * len(tree)
    for n in reversed(order):
        if search.cut[n] not in (NOT_CUT, PROBED):
            cuts[n] += 1
        if parent[n] >= 0:
            nodes[parent[n]] += nodes[n]
            cuts[parent[n]] += cuts[n]
    yield from _rows(tree, chosen, nodes, cuts)


def is_one_row(tree: Tree, node: int) -> bool:
    """Say whether a node's children, all terminals without notes, are told on its own row."""
    kind, _, first, child, _ = tree.columns
    if not kind[node] or node == len(tree) - 1:
        return False
    children = child[first[node] : first[node + 1]]
    return not any(kind[c] for c in children) and not any(c in tree.notes for c in children if tree.notes)


def _rows_of_all(tree: Tree, enough: int) -> int:
    """Return how many rows the whole tree has, counting no further than is needed."""
    rows = 0
    kind, _, first, _, _ = tree.columns
    for n in range(len(tree)):
        if kind[n] and not is_one_row(tree, n):
            rows += first[n + 1] - first[n]
            if rows > enough:
                break
    return rows + 1


def _rows(tree: Tree, chosen: set[int] | None, nodes: Column | None, cuts: Column | None) -> Iterator[Row]:
    kind, _, first, child, _ = tree.columns
    first_parent, first_branch = tree.first_paths.parent, tree.first_paths.branch
    stack: list[Row] = [Row(len(tree) - 1, -1, -1, 0, True, True)]
    while stack:
        row = stack.pop()
        n = row.node
        if n < 0 or not row.first_met or not kind[n] or is_one_row(tree, n):
            yield row
            continue
        below: list[Row] = []
        left: list[int] = []
        for b in range(first[n], first[n + 1]):
            if chosen is not None and b not in chosen:
                left.append(b)
                continue
            if left:
                below.append(_left_out(tree, n, left, row.depth + 1, nodes, cuts))
                left = []
            c = child[b]
            below.append(Row(c, n, b, row.depth + 1, False, first_parent[c] == n and first_branch[c] == b))
        if left and below:
            below.append(_left_out(tree, n, left, row.depth + 1, nodes, cuts))
        if not below:
            run = _left_out(tree, n, left, row.depth + 1, nodes, cuts)
            yield row._replace(hidden=run.hidden, hidden_cuts=run.hidden_cuts, hidden_branches=run.hidden_branches)
            continue
        yield row
        below[-1] = below[-1]._replace(last=True)
        stack.extend(reversed(below))


def _left_out(tree: Tree, node: int, branches: list[int], depth: int, nodes: Column | None, cuts: Column | None) -> Row:
    hidden = hidden_cuts = 0
    if nodes is not None and cuts is not None:
        own = [c for b in branches if tree.first_paths.branch[c := tree.columns.child[b]] == b]
        hidden = sum(nodes[c] for c in own)
        hidden_cuts = sum(cuts[c] for c in own)
    return Row(-1, node, branches[0], depth, False, False, hidden, hidden_cuts, len(branches))


def _choose(search: Search, most_rows: int) -> set[int]:
    """Return the branches that are shown: best-first from the root, where a step along the strategy costs least."""
    tree = search.tree
    kind, _, first, child, probability = tree.columns
    strategy = search.strategy_branches
    chosen: set[int] = set()
    heap: list[tuple[float, int, int]] = []

    def offer(node: int, cost: float) -> None:
        if not kind[node] or (is_one_row(tree, node) and node != len(tree) - 1):
            return
        best = strategy.get(node)
        begin, end = first[node], first[node + 1]
        some = list(range(begin, min(end, begin + most_rows)))
        if best is not None and best >= begin + most_rows:
            some.append(best)
        for place, b in enumerate(some):
            step = 1.0 if b == best else 1.5 + place / 4
            if kind[node] == Kind.CHANCE:
                step = 1.25 + place / 4 if probability[b] else 3.0
            c = child[b]
            if not search.visits[c]:
                step += 2
            elif search.cut[c]:
                step -= 0.5
            heappush(heap, (cost + step, b, c))

    offer(len(tree) - 1, 0.0)
    while heap and len(chosen) < most_rows - 1:
        cost, b, c = heappop(heap)
        chosen.add(b)
        if tree.first_paths.branch[c] == b:
            offer(c, cost)
    return chosen
