"""What can be told of a tree by going through its columns: plain loops, to be interpreted or compiled as they stand.

Children come before their parents, so a forward scan hands things up and a backward scan hands them
down.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from expectitree.tree.columns import Column, Columns

NONE = -1  # in a column of nodes or branches


def utility_range(kind: Column, utility: Column) -> tuple[int, int, Any, Any]:
    """Return how many terminals there are, how many are not known (NaN), and the others' least and greatest utility.

    Where none is known these are inf and -inf.
    """
    leaves = unknown = 0
    least = math.inf
    greatest = -math.inf
    for n in range(len(kind)):
        if kind[n] == 0:
            leaves += 1
            u = utility[n]
            if (
                not least <= u <= greatest
            ):  # as nearly all do, so that it costs nothing to ask for the others
                if u != u:
                    unknown += 1
                    continue
                if u < least:
                    least = u
                if u > greatest:
                    greatest = u
    return leaves, unknown, least, greatest


def find_unknown(kind: Column, utility: Column, found: Column) -> None:
    """Write the terminals whose utility is not known, as many as there are."""
    count = 0
    for n in range(len(kind)):
        if kind[n] == 0 and utility[n] != utility[n]:
            found[count] = n
            count += 1


def widest(first: Column) -> int:
    """Return the most branches that a node has."""
    most = 0
    for n in range(len(first) - 1):
        if first[n + 1] - first[n] > most:
            most = first[n + 1] - first[n]
    return most


def children_on_the_way(first: Column, child: Column, leaves: Column, most: float) -> float:
    """Return how many children there are beside and on the ways from the root to all leaves; write the leaves below.

    A way is counted as often as it can be gone, but of no node more than `most` ways.
    """
    total = 0.0
    for n in range(len(first) - 1):
        below = 0.0
        for b in range(first[n], first[n + 1]):
            below += leaves[child[b]]
        width = first[n + 1] - first[n]
        leaves[n] = min(below, most) if width > 0 else 1.0
        total += width * leaves[n] if width > 0 else 0.0
    return total


def greatest(column: Column) -> int:
    """Return the greatest of a column of whole numbers."""
    most = 0
    for i in range(len(column)):
        if column[i] > most:
            most = column[i]
    return most


def measure_heights(tree: Columns, height: Column) -> None:
    """Write for each node the branches on the longest way down to a terminal."""
    kind, _, first, child, _ = tree
    for n in range(len(kind)):
        highest = -1
        for b in range(first[n], first[n + 1]):
            h = height[child[b]]
            if h > highest:
                highest = h
        height[n] = highest + 1


def measure_unfolded(tree: Columns, logarithm: Column) -> None:
    """Write for each node the decimal logarithm of the nodes below it, itself included, each path counted."""
    kind, _, first, child, _ = tree
    for n in range(len(kind)):
        if kind[n] == 0:
            continue
        most = 0.0
        for b in range(first[n], first[n + 1]):
            if logarithm[child[b]] > most:
                most = logarithm[child[b]]
        total = 10.0**-most
        for b in range(first[n], first[n + 1]):
            total += 10.0 ** (logarithm[child[b]] - most)
        logarithm[n] = most + math.log10(total)


def hand_down_bounds(tree: Columns, lower: Column, upper: Column) -> None:
    """Narrow each node's bounds to those of every node above it."""
    _, _, first, child, _ = tree
    for n in range(len(lower) - 1, -1, -1):
        for b in range(first[n], first[n + 1]):
            c = child[b]
            if lower[n] > lower[c]:
                lower[c] = lower[n]
            if upper[n] < upper[c]:
                upper[c] = upper[n]


def next_outside(kind: Column, utility: Column, lower: Column, upper: Column, start: int) -> int:
    """Return the first node from `start` whose utility or estimate lies outside its bounds; -1 if there is none.

    So does a terminal that is not known where its bounds leave no number. Columns of bounds that
    have a single row hold for every node.
    """
    each = len(lower) > 1
    for n in range(start, len(utility)):
        at = n if each else 0
        u = utility[n]
        if not lower[at] <= u <= upper[at]:
            if u < lower[at] or u > upper[at]:  # NaN, where there is none, does neither
                return n
            if kind[n] == 0 and lower[at] > upper[at]:
                return n
    return -1


def walk(tree: Columns, order: Column, parent: Column, branch: Column, depth: Column) -> None:
    """Write how each node is first met when the tree is walked from the root, parents first, in branch order.

    `branch` is all -1 beforehand. The columns written are themselves the way back up, so no stack
    is needed.
    """
    kind, _, first, child, _ = tree
    node = len(kind) - 1
    parent[node] = -1
    order[0] = node
    count = 1
    b = int(first[node])
    root = node
    while True:
        if b == first[node + 1]:
            if node == root:
                return
            b = branch[node] + 1
            node = parent[node]
            continue
        c = child[b]
        if branch[c] >= 0:
            b += 1
            continue
        parent[c] = node
        branch[c] = b
        depth[c] = depth[node] + 1
        order[count] = c
        count += 1
        if kind[c] == 0:
            b += 1
        else:
            node = int(c)
            b = int(first[node])


def number_shared(tree: Columns, order: Column, number: Column) -> None:
    """Write 1, 2, … for the nodes that several branches lead to, in the order in which they are first met; else 0."""
    child = tree.child
    for b in range(len(child)):
        if number[child[b]] < 2:
            number[child[b]] += 1
    count = 0
    for i in range(len(order)):
        n = order[i]
        if number[n] == 2:
            count += 1
            number[n] = count
        else:
            number[n] = 0


def tally(kind: Column, visits: Column) -> tuple[int, int, int]:
    """Return the nodes and the leaves that were visited, and all visits."""
    nodes = leaves = total = 0
    for n in range(len(kind)):
        v = visits[n]
        if v > 0:
            nodes += 1
            total += v
            if kind[n] == 0:
                leaves += 1
    return nodes, leaves, total


def are_all_terminals(kind: Column, child: Column, begin: int, end: int) -> bool:
    """Say whether the branches from `begin` up to `end` all lead to terminals."""
    for b in range(begin, end):
        if kind[child[b]] != 0:
            return False
    return True
