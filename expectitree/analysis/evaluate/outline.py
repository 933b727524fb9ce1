"""Choose the rows of a tree to show, and their order, before any renderer draws."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator
from heapq import heappop, heappush
from typing import NamedTuple

from expectitree import compiling
from expectitree.searches.cuts import NOT_CUT, PROBED, STOPPED
from expectitree.searches.result import Search
from expectitree.tree import scans
from expectitree.tree.columns import Column, Columns
from expectitree.tree.model import Kind, Tree

SHORT_TREE = 60  # rows that are shown by default


class Row(NamedTuple):
    """One row of an outline: a node at the end of a branch, or (node -1) branches left out."""

    node: int
    parent: int
    branch: int
    depth: int
    last: bool  # among the rows of its parent
    is_first: bool  # a later row of a shared node refers to the first
    hidden: int = 0  # nodes left out: in this run, or below this node
    hidden_cuts: int = 0
    hidden_branches: int = 0


def outline(
    search: Search,
    most_rows: int | None = SHORT_TREE,
    *,
    folded: bool = True,
) -> Iterator[Row]:
    """Yield the rows of a tree, parents first, in branch order; about `most_rows` of them, or all.

    A node over terminals only is one row, without rows for its children (except at the root, and
    nowhere if not `folded`). The strategy comes first, then cuts, then nodes near the root.
    """
    tree = search.tree
    if most_rows is None or _rows_of_all(tree, most_rows, folded) <= most_rows:
        yield from _rows(tree, None, None, folded)
        return
    nodes, cuts = compiling.zeros("i", len(tree)), compiling.zeros("i", len(tree))
    cut = search.cut if search.algorithm.player_cuts else cuts  # else nothing was cut
    first_branch = tree.first_paths.branch if tree.is_sharing else compiling.zeros("i", 0)
    tree.scan(_count_below, tree.columns, first_branch, cut, nodes, cuts)
    below = _Below(tree.columns.child, first_branch, nodes, cuts)
    yield from _rows(tree, _choose(search, most_rows, folded), below, folded)


class _Below(NamedTuple):
    """How many nodes and cuts are at and below each node, each under its first path."""

    child: Column
    first_branch: Column  # empty where every branch is a node's first
    nodes: Column
    cuts: Column

    def left_out(self, node: int, begin: int, end: int, depth: int) -> Row:
        """Return the row in place of a run of branches."""
        hidden, hidden_cuts = compiling.run(_count_run, *self, begin, end, rows=end - begin)
        return Row(-1, node, begin, depth, False, False, hidden, hidden_cuts, end - begin)


def _count_below(
    tree: Columns, first_branch: Column, cut: Column, nodes: Column, cuts: Column
) -> None:
    """Write how many nodes and cuts are at and below each node, each under its first path.

    A loop over columns, to be interpreted or compiled; `first_branch` is empty where every branch
    is a node's first.
    """
    first, last, child = tree.first, tree.last, tree.child
    shares = len(first_branch) > 0
    for n in range(len(nodes)):
        below = 1
        cuts_below = 0
        if cut[n] != NOT_CUT and cut[n] != PROBED and cut[n] != STOPPED:
            cuts_below = 1
        for b in range(first[n], last[n]):
            c = child[b]
            if not shares or first_branch[c] == b:
                below += nodes[c]
                cuts_below += cuts[c]
        nodes[n] = below
        cuts[n] = cuts_below


def is_one_row(tree: Tree, node: int) -> bool:
    """Say whether a node's children, all terminals without notes, are shown on its own row."""
    kind, first, child = tree.columns.kind, tree.columns.first, tree.columns.child
    if not kind[node] or node == tree.root_id or kind[child[first[node]]]:
        return False
    begin, end = first[node], tree.columns.last[node]
    if not compiling.run(scans.are_all_terminals, kind, child, begin, end, rows=end - begin):
        return False
    return not tree.notes or not any(c in tree.notes for c in child[begin:end])


def _rows_of_all(tree: Tree, enough: int, folded: bool) -> int:
    """Return how many rows the whole tree has, counting no further than is needed."""
    rows = 0
    kind = tree.columns.kind
    for n in range(len(tree)):
        if kind[n] and not (folded and is_one_row(tree, n)):
            rows += len(tree.branches_of(n))
            if rows > enough:
                break
    return rows + 1


def _rows(
    tree: Tree, chosen: dict[int, list[int]] | None, hidden: _Below | None, folded: bool
) -> Iterator[Row]:
    kind, child = tree.columns.kind, tree.columns.child
    stack = [Row(tree.root_id, -1, -1, 0, True, True)]
    while stack:
        row = stack.pop()
        n, depth = row.node, row.depth + 1
        if n < 0 or not row.is_first or not kind[n] or (folded and is_one_row(tree, n)):
            yield row
            continue
        branches = tree.branches_of(n)
        left, end = branches.start, branches.stop  # the branches from `left` on have no rows yet
        below: list[Row] = []
        for b in branches if chosen is None else chosen.get(n, ()):
            if hidden is not None and left < b:
                below.append(hidden.left_out(n, left, b, depth))
            left = b + 1
            below.append(Row(child[b], n, b, depth, False, tree.is_first_path(child[b], b)))
        if hidden is not None and left < end:
            rest = hidden.left_out(n, left, end, depth)
            if below:
                below.append(rest)
            else:
                row = row._replace(
                    hidden=rest.hidden,
                    hidden_cuts=rest.hidden_cuts,
                    hidden_branches=rest.hidden_branches,
                )
        yield row
        if below:
            below[-1] = below[-1]._replace(last=True)
            stack.extend(reversed(below))


def _count_run(
    child: Column, first_branch: Column, nodes: Column, cuts: Column, begin: int, end: int
) -> tuple[int, int]:
    """Count the nodes and cuts at and below the children of a run of branches, by first paths.

    A loop over columns, to be interpreted or compiled.
    """
    hidden = hidden_cuts = 0
    shares = len(first_branch) > 0
    for b in range(begin, end):
        c = child[b]
        if not shares or first_branch[c] == b:
            hidden += nodes[c]
            hidden_cuts += cuts[c]
    return hidden, hidden_cuts


def _choose(search: Search, most_rows: int, folded: bool) -> dict[int, list[int]]:
    """Return the branches that are shown, by node and in order.

    Best-first from the root: a step along the strategy costs least.
    """
    tree = search.tree
    kind, child, probability = tree.columns.kind, tree.columns.child, tree.columns.probability
    chosen: dict[int, list[int]] = {}
    heap: list[tuple[float, int, int, int, bool]] = []

    def offer(node: int, cost: float, is_played: bool) -> None:
        if not kind[node] or (folded and is_one_row(tree, node)):
            return
        best = next(search.best_branches(node), None) if is_played else None
        some = list(tree.branches_of(node)[:most_rows])
        if best is not None and best > some[-1]:
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
            is_next_played = is_played and (
                b == best or kind[node] == Kind.CHANCE and probability[b] > 0
            )
            heappush(heap, (cost + step, b, c, node, is_next_played))

    offer(tree.root_id, 0.0, True)
    for _ in range(most_rows - 1):
        if not heap:
            break
        cost, b, c, node, is_played = heappop(heap)
        insort(chosen.setdefault(node, []), b)
        if tree.is_first_path(c, b):
            offer(c, cost, is_played)
    return chosen
