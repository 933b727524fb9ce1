"""Choose the rows of a tree to show, and their order, before any renderer draws."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from expectitree.base import compiling
from expectitree.base.tree.columns import Column, Columns, Readable
from expectitree.base.tree.model import Kind, Tree
from expectitree.searches.result import Search


class Row(NamedTuple):
    """One row of an outline: a node at the end of a branch, or (node -1) branches left out."""

    node: int
    parent: int
    branch: int
    depth: int
    last: bool  # among the rows of its parent
    is_first: bool  # a later row of a shared node refers to the first
    is_folded: bool  # the node's children are terminals, and have no rows
    hidden: int = 0  # nodes left out: in this run, or below this node
    hidden_branches: int = 0


def outline(search: Search, most_rows: int | None, *, folded: bool) -> Iterator[Row]:
    """Yield the rows of a tree, parents first, in branch order; about `most_rows` of them, or all.

    A node over terminals only is one row, without rows for its children (except at the root, and
    nowhere if not `folded`). The strategy comes first, then cuts, then nodes near the root.
    """
    if most_rows is None:
        return _rows(search.tree, None, (), folded)
    return _rows(search.tree, _choose(search, most_rows, folded), _totals(search.tree), folded)


def _totals(tree: Tree) -> Column:
    """Return how many nodes are at and below the children of all branches before each.

    Each node counts under its first path only. A run of branches has the difference of two totals:
    in a deep tree, a sum of the sizes of subtrees is much greater than the number of nodes.
    """
    code = "q"
    first_branch = compiling.zeros("q", 0)
    if len(tree) * (tree.heights[-1] + 1) < 2**31:  # a node counts once for each node above it
        code = "i"
    nodes: Column = compiling.zeros(code, len(tree.columns.child) + 1)
    if tree.is_sharing:
        first_branch = tree.first_paths.branch
    tree.columns.scan(_add_up, first_branch, nodes)
    return nodes


def _add_up(tree: Columns, first_branch: Column, nodes: Column) -> None:
    """Write the totals of nodes.

    A loop over columns, to be interpreted or compiled; `first_branch` is empty where every branch
    is a node's first.
    """
    first, last, child = tree.first, tree.last, tree.child
    shares = len(first_branch) > 0
    total = 0
    for b in range(len(child)):
        c = child[b]
        if not shares or first_branch[c] == b:
            total += 1
            if first[c] < last[c]:
                total += nodes[last[c]] - nodes[first[c]]
        nodes[b + 1] = total


def _is_one_row(tree: Tree, node: int) -> bool:
    """Return whether a node's children, all terminals without notes, are shown on its own row."""
    kind, first, child = tree.columns.kind, tree.columns.first, tree.columns.child
    if not kind[node] or node == tree.root_id or kind[child[first[node]]]:
        return False
    children = child[first[node] : tree.columns.last[node]]
    return not any(kind[n] or n in tree.notes for n in children)


def _rows(
    tree: Tree, chosen: dict[int, list[int]] | None, totals: Readable[int], folded: bool
) -> Iterator[Row]:
    """Yield the rows of the chosen branches of each node, and of the runs that are left out."""

    def row_of(n: int, parent: int, b: int, depth: int) -> Row:
        is_first = b < 0 or tree.is_first_path(n, b)
        is_folded = folded and is_first and _is_one_row(tree, n)
        return Row(n, parent, b, depth, b < 0, is_first, is_folded)

    kind = tree.columns.kind
    child = tree.columns.child
    stack = [row_of(tree.root_id, -1, -1, 0)]
    while stack:
        row = stack.pop()
        n = row.node
        depth = row.depth + 1
        if n < 0 or not kind[n] or not row.is_first or row.is_folded:
            yield row
            continue
        branches = tree.branches_of(n)
        left = branches.start  # the branches from this one on have no rows yet
        shown: Sequence[int] = branches
        if chosen is not None:
            shown = chosen.get(n, ())
        below: list[Row] = []
        for b in (*shown, branches.stop):
            if left < b:
                nodes = totals[b] - totals[left]
                below.append(Row(-1, n, left, depth, False, False, False, nodes, b - left))
            if b < branches.stop:
                below.append(row_of(child[b], n, b, depth))
            left = b + 1
        if below[0].hidden_branches == len(branches):  # the node's own row says what is left out
            (rest,) = below
            yield row._replace(hidden=rest.hidden, hidden_branches=rest.hidden_branches)
            continue
        yield row
        below[-1] = below[-1]._replace(last=True)
        stack.extend(reversed(below))


def _choose(search: Search, most_rows: int, folded: bool) -> dict[int, list[int]]:
    """Return the branches that are shown, by node and in order.

    Best-first from the root: a step along the strategy costs least.
    """
    tree = search.tree
    kind, child, probability = tree.columns.kind, tree.columns.child, tree.columns.probability
    chosen: dict[int, list[int]] = {}
    heap: list[tuple[float, int, int, int, bool]] = []

    def offer(node: int, cost: float, is_played: bool) -> None:
        if not kind[node] or (folded and _is_one_row(tree, node)):
            return
        best = None
        first = list(tree.branches_of(node)[:most_rows])
        if is_played:
            best = next(search.best_branches(node), None)
        if best is not None and best > first[-1]:
            first.append(best)
        for place, b in enumerate(first):
            is_chance = kind[node] == Kind.CHANCE
            is_next = b == best or (is_chance and probability[b] > 0)
            step = 1.5 + place / 4
            if is_chance and is_next:
                step = 1.25 + place / 4
            elif is_chance:
                step = 3.0
            elif is_next:
                step = 1.0
            step += _cost_of_child(search, child[b])
            heappush(heap, (cost + step, b, child[b], node, is_played and is_next))

    offer(tree.root_id, 0.0, True)
    for _ in range(most_rows - 1):
        if not heap:
            break
        cost, b, c, node, is_played = heappop(heap)
        insort(chosen.setdefault(node, []), b)
        if tree.is_first_path(c, b):
            offer(c, cost, is_played)
    return chosen


def _cost_of_child(search: Search, child: int) -> float:
    """Return what a child adds to the cost of its row: less for a cut, more if not visited."""
    if not search.visits[child]:
        return 2.0
    if search.cut[child]:
        return -0.5
    return 0.0
