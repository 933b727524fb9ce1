"""Scans: plain loops over all rows of a tree, interpreted or compiled as they are.

Children come before their parents. So a forward scan passes results up, and a backward scan passes
them down.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

from expectitree.base.numbers import INFINITY, Number
from expectitree.base.tree.columns import (
    CHANCE,
    NONE,
    TERMINAL,
    Columns,
    FloatColumn,
    IntColumn,
    NumberColumn,
    Readable,
)

Measures: TypeAlias = tuple[int, int, int, int, Number, Number, int]
LEAST_FLOAT = 5e-324  # what a product of floats may lose, however small it is


def measure(tree: Columns, height: IntColumn, mark: int) -> Measures:
    """Return numbers of nodes, the range of utilities, and the first node without a mark, or NONE.

    The numbers are those of terminals, of unknown ones, of the most branches of a node, and of the
    most outcomes of a CHANCE node.

    An unknown utility is NaN. Without a known one the range is from inf to -inf.

    Marks are what `adopt.find_fault` adds to heights. They are subtracted. If `height` is empty,
    there are none.
    """
    kind, utility, first, last = tree.kind, tree.utility, tree.first, tree.last
    unmarked = NONE
    is_marked = len(height) > 0
    leaves = unknown = widest = outcomes = 0
    least: Number = math.inf
    greatest: Number = -math.inf
    for n in range(len(kind)):
        if is_marked and height[n] >= mark:
            height[n] -= mark
        elif is_marked and unmarked == NONE:
            unmarked = n
        if kind[n] == TERMINAL:
            leaves += 1
            u = utility[n]
            if not least <= u <= greatest:  # this test alone is quick for nearly all
                if u != u:
                    unknown += 1
                    continue
                if u < least:
                    least = u
                if u > greatest:
                    greatest = u
            continue
        width = last[n] - first[n]
        if width > widest:
            widest = width
        if kind[n] == CHANCE and width > outcomes:
            outcomes = width
    return leaves, unknown, widest, outcomes, least, greatest, unmarked


def measure_rounding(
    tree: Columns, value: Readable[float], unit: float, error: FloatColumn
) -> float:
    """Write a bound of the error of each inner node's value; return the greatest.

    `error` has the errors of the utilities, which are mostly 0.

    Each value is the sum of p * (reward + value) over the outcomes of a CHANCE node, and the
    greatest or least reward + value at MAX and MIN. One operation loses at most `unit` of its
    result (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1).
    """
    kind, first, last, child = tree.kind, tree.first, tree.last, tree.child
    probability, reward = tree.probability, tree.reward
    pays = len(reward) > 0
    most = 0.0
    for n in range(len(kind)):
        k = kind[n]
        if k == TERMINAL:
            continue
        lost = size = least = 0.0
        count = 4  # the rounding of the outcome's number, of p, of the product and of the reward
        for b in range(first[n], last[n]):
            c = child[b]
            x = value[c]
            below = error[c]
            if pays and reward[b] != 0:  # three roundings: of both numbers and of their sum
                paid: Any = reward[b]
                below += unit * (abs(paid) + abs(x))
                x += paid
                below += unit * abs(x)
            if k == CHANCE:
                p = probability[b]
                if p > 0:
                    lost += p * below
                    size += p * abs(x)
                    count += 1
                    if x != 0:
                        least = LEAST_FLOAT
            elif below > lost:
                lost = below
        if count > 5:  # one outcome of probability 1 loses nothing
            lost += count * (unit * size + least)
        error[n] = lost
        if lost > most:
            most = lost
    return most


def measure_totals(tree: Columns, least: NumberColumn, greatest: NumberColumn) -> Number:
    """Write the least and the greatest total that may still be received from each node.

    A total is the utility of a terminal plus the rewards on a path to it. Where no utility is
    known, the range is from inf to -inf. Return the greatest magnitude among all these.
    """
    kind, first, last, child, reward = tree.kind, tree.first, tree.last, tree.child, tree.reward
    magnitude: Number = 0.0
    for n in range(len(kind)):
        if kind[n] == TERMINAL:
            u = tree.utility[n]
            least[n] = u if u == u else INFINITY
            greatest[n] = u if u == u else -INFINITY
        else:
            least[n] = INFINITY
            greatest[n] = -INFINITY
            for b in range(first[n], last[n]):
                low = shifted(least[child[b]], reward[b])
                high = shifted(greatest[child[b]], reward[b])
                if low < least[n]:
                    least[n] = low
                if high > greatest[n]:
                    greatest[n] = high
        if least[n] <= greatest[n]:
            if -least[n] > magnitude:
                magnitude = -least[n]
            if greatest[n] > magnitude:
                magnitude = greatest[n]
    return magnitude


def shifted(end: Number, by: Number) -> Number:
    """Return the end of an interval plus a reward; an infinite end stays as it is.

    (A sum of a fraction and an infinity fails if the fraction is too large for a float.)
    """
    if -INFINITY < end < INFINITY:
        return end + by
    return end


def count_path_children(tree: Columns, leaves: FloatColumn, most: float) -> float:
    """Estimate the work of best-first: over all root-to-leaf paths, the children compared.

    Write the number of paths from each node to `leaves`, but at most `most`.
    """
    first, last, child = tree.first, tree.last, tree.child
    total = 0.0
    for n in range(len(last)):
        below = 0.0
        for b in range(first[n], last[n]):
            below += leaves[child[b]]
        width = last[n] - first[n]
        leaves[n] = 1.0
        if width > 0:
            leaves[n] = min(below, most)
            total += width * leaves[n]
    return total


def measure_heights(tree: Columns, height: IntColumn, tallest: int) -> None:
    """Write for each node the branches on the longest path to a terminal, at most `tallest`."""
    kind, first, last, child = tree.kind, tree.first, tree.last, tree.child
    for n in range(len(kind)):
        highest = -1
        for b in range(first[n], last[n]):
            h = height[child[b]]
            if h > highest:
                highest = h
        height[n] = highest + 1 if highest < tallest else tallest


def number_inner(tree: Columns, number: IntColumn) -> None:
    """Write for each node the number of inner nodes before it."""
    count = 0
    for n in range(len(tree.kind)):
        number[n] = count
        if tree.kind[n] != TERMINAL:
            count += 1


def measure_unfolded(tree: Columns, logarithm: FloatColumn) -> None:
    """Write for each node the decimal logarithm of its size without sharing."""
    kind, first, last, child = tree.kind, tree.first, tree.last, tree.child
    for n in range(len(kind)):
        if kind[n] == TERMINAL:
            continue
        most = 0.0
        for b in range(first[n], last[n]):
            if logarithm[child[b]] > most:
                most = logarithm[child[b]]
        total = 10.0**-most
        for b in range(first[n], last[n]):
            total += 10.0 ** (logarithm[child[b]] - most)
        logarithm[n] = most + math.log10(total)


def pass_down_bounds(tree: Columns, lower: NumberColumn, upper: NumberColumn) -> None:
    """Narrow each node's bounds to those of every node above it, less the rewards in between."""
    first, last, child = tree.first, tree.last, tree.child
    pays = len(tree.reward) > 0
    for n in range(len(lower) - 1, -1, -1):
        for b in range(first[n], last[n]):
            c = child[b]
            low = lower[n]
            high = upper[n]
            if pays:
                low = shifted(low, -tree.reward[b])
                high = shifted(high, -tree.reward[b])
            if low > lower[c]:
                lower[c] = low
            if high < upper[c]:
                upper[c] = high


def next_outside(
    tree: Columns, lower: NumberColumn, upper: NumberColumn, eps: Number, start: int
) -> int:
    """Return the first node from `start` whose utility or estimate is outside its bounds, or NONE.

    An unknown terminal is outside if no number is within its bounds. `eps` is the rounding
    error of the bounds. Columns of one row have the bounds of all nodes.
    """
    kind, utility = tree.kind, tree.utility
    step = int(len(lower) > 1)
    for n in range(start, len(kind)):
        u = utility[n]
        low = lower[n * step]
        high = upper[n * step]
        if not low <= u <= high:
            if u < low - eps or u > high + eps:  # NaN is neither
                return n
            if kind[n] == TERMINAL and low > high + 2 * eps:
                return n
    return NONE


def walk(
    tree: Columns, order: IntColumn, parent: IntColumn, branch: IntColumn, depth: IntColumn
) -> None:
    """Write the first path to each node, parents first, in branch order (`Tree.first_paths`).

    `branch` must be NONE throughout. The columns written lead back up, so no stack is needed.
    """
    kind, first, last, child = tree.kind, tree.first, tree.last, tree.child
    node = len(kind) - 1
    parent[node] = NONE
    order[0] = node
    count = 1
    b = int(first[node])
    root = node
    while True:
        if b == last[node]:
            if node == root:
                return
            b = branch[node] + 1
            node = parent[node]
            continue
        c = child[b]
        if branch[c] != NONE:
            b += 1
            continue
        parent[c] = node
        branch[c] = b
        depth[c] = depth[node] + 1
        order[count] = c
        count += 1
        if kind[c] == TERMINAL:
            b += 1
        else:
            node = int(c)
            b = int(first[node])


def number_shared(tree: Columns, order: IntColumn, number: IntColumn) -> None:
    """Write 1, 2, … for the nodes with several parents, in order of their first paths; else 0."""
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


def tally(tree: Columns, visits: IntColumn) -> tuple[int, int, int]:
    """Return the numbers of visited nodes, of visited leaves, and of visits."""
    kind = tree.kind
    nodes = leaves = total = 0
    for n in range(len(kind)):
        v = visits[n]
        if v > 0:
            nodes += 1
            total += v
            if kind[n] == TERMINAL:
                leaves += 1
    return nodes, leaves, total
