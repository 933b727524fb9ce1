"""Reconstruct windows for a best-first search from its final intervals, to explain its cuts.

Plain functions over columns, interpreted or compiled as they are.
"""

from __future__ import annotations

from typing import NamedTuple

from expectitree.base.numbers import Number
from expectitree.base.tree.columns import (
    CHANCE,
    MAX,
    MIN,
    NONE,
    TERMINAL,
    Columns,
    IntColumn,
    NumberColumn,
)
from expectitree.searches.cuts import (
    ALPHA_CUT,
    BETA_CUT,
    CHANCE_CUT_HIGH,
    CHANCE_CUT_LOW,
    CUT_UNORDERED,
    NOT_CUT,
)
from expectitree.searches.intervals import (
    Ends,
    Interval,
    end_of_branch,
    outcome_limit,
    satisfies,
)


class Windows(NamedTuple):
    """The intervals that a search ended with, and the windows that explain them, by node.

    The columns are those of `Found`. Among fractions, infinite numbers are `recursion.Infinity`.
    """

    lower: NumberColumn
    upper: NumberColumn
    visits: IntColumn
    alpha: NumberColumn  # written, except the root's
    beta: NumberColumn  # written, except the root's
    cut: IntColumn  # written: a constant of `cuts`
    cut_after: IntColumn  # written: how many children were visited
    asked_by: IntColumn  # written: for visited nodes, the parent whose window gives theirs, or NONE


def find_windows(tree: Columns, windows: Windows, eps: Number, best: int, unfinished: int) -> int:
    """Write for each visited node a window that its interval satisfies; return the number of cuts.

    Windows are passed down as in a depth-first search, but follow from the final intervals. A node
    is cut if it fails low or high and a child is open. A node that satisfies nothing is marked as
    `unfinished`: probed or stopped. A shared node has the window of the parent with the greatest
    id. If the search had to prove only the best action at the root, this is the branch `best`.
    """
    lower, upper, alpha, beta = windows.lower, windows.upper, windows.alpha, windows.beta
    root, cuts = len(tree.kind) - 1, 0
    for n in range(root + 1):
        windows.asked_by[n] = NONE
    for n in range(root, -1, -1):
        if windows.visits[n] == 0 or tree.kind[n] == TERMINAL:
            continue
        is_proved = n == root and best != NONE
        if is_proved or satisfies(lower[n], upper[n], alpha[n], beta[n], eps):
            windows.cut[n] = find_cut(tree, windows, n, eps)
            cuts += windows.cut[n] != NOT_CUT
        else:
            windows.cut[n] = unfinished
        for b in range(tree.first[n], tree.last[n]):
            if windows.visits[tree.child[b]] > 0:
                windows.cut_after[n] += 1
            if tree.kind[tree.child[b]] == TERMINAL and takes_window(tree, windows, b):
                windows.asked_by[tree.child[b]] = n  # which is all that a terminal needs
        if tree.kind[n] == CHANCE:
            pass_window_to_outcomes(tree, windows, n)
        else:
            pass_window_to_actions(tree, windows, n, best)
    return cuts


def find_cut(tree: Columns, windows: Windows, n: int, eps: Number) -> int:
    """Return the cut at a node that is left with an open child because it fails low or high."""
    lower, upper = windows.lower, windows.upper
    if lower[n] == upper[n] or not has_open_child(tree, lower, upper, n):
        return NOT_CUT
    k = tree.kind[n]
    if k != MAX and upper[n] <= windows.alpha[n] + eps:
        return CUT_UNORDERED + (CHANCE_CUT_LOW if k == CHANCE else ALPHA_CUT)
    if k != MIN and lower[n] >= windows.beta[n] - eps:
        return CUT_UNORDERED + (CHANCE_CUT_HIGH if k == CHANCE else BETA_CUT)
    return NOT_CUT


def has_open_child(tree: Columns, lower: Ends, upper: Ends, n: int) -> bool:
    """Return whether a branch of a node is possible and leads to a child that is not exact."""
    for b in range(tree.first[n], tree.last[n]):
        c = tree.child[b]
        if tree.probability[b] > 0 and lower[c] < upper[c]:
            return True
    return False


def takes_window(tree: Columns, windows: Windows, b: int) -> bool:
    """Return whether the child of a branch is visited, and has no window yet."""
    c = tree.child[b]
    return bool(windows.visits[c] > 0 and tree.probability[b] > 0 and windows.asked_by[c] == NONE)


def pass_window_to_outcomes(tree: Columns, windows: Windows, n: int) -> None:
    """Write the windows of the children of CHANCE, from the bounds of the other outcomes."""
    alpha, beta, probability = windows.alpha, windows.beta, tree.probability
    begin, end = tree.first[n], tree.last[n]
    # First the sums of the outcomes that follow, in the place of the windows.
    sums: Interval = (0, 0)
    for i in range(end - begin):
        b = end - 1 - i
        if takes_window(tree, windows, b):
            beta[tree.child[b]], alpha[tree.child[b]] = sums
        sums = add_outcome(tree, windows, b, sums)
    sums = (0, 0)
    for b in range(begin, end):
        if takes_window(tree, windows, b):
            c = tree.child[b]
            low = outcome_limit(alpha[n], sums[1] + alpha[c], probability[b])
            high = outcome_limit(beta[n], sums[0] + beta[c], probability[b])
            hand_over(tree, windows, n, b, (low, high))
        sums = add_outcome(tree, windows, b, sums)


def add_outcome(tree: Columns, windows: Windows, b: int, sums: Interval) -> Interval:
    """Return the sums of p * lower and p * upper of some outcomes, and of one more."""
    p = tree.probability[b]
    if p == 0:
        return sums
    low, high = end_of_branch(tree, windows.lower, b), end_of_branch(tree, windows.upper, b)
    return sums[0] + p * low, sums[1] + p * high


def pass_window_to_actions(tree: Columns, windows: Windows, n: int, best: int) -> None:
    """Write the windows of the children of MAX or MIN.

    A child that cannot be better fails, so the window is (max(alpha, lower), beta) at MAX. The best
    action, if it was only to be proved, has to be at least as good as its rivals can be.
    """
    is_max, alpha, beta = tree.kind[n] == MAX, windows.alpha[n], windows.beta[n]
    ends, rival = (windows.upper, alpha) if is_max else (windows.lower, beta)
    for b in range(tree.first[n], tree.last[n]):
        end = end_of_branch(tree, ends, b)
        if (end > rival) == is_max and b != best:
            rival = end
    if is_max:
        of_best, window = (alpha, rival), (min(max(alpha, windows.lower[n]), beta), beta)
    else:
        of_best, window = (rival, beta), (alpha, max(min(beta, windows.upper[n]), alpha))
    for b in range(tree.first[n], tree.last[n]):
        if takes_window(tree, windows, b):
            hand_over(tree, windows, n, b, of_best if b == best else window)


def hand_over(tree: Columns, windows: Windows, n: int, b: int, window: Interval) -> None:
    """Make the window of a branch that of its child."""
    c = tree.child[b]
    windows.asked_by[c] = n
    windows.alpha[c], windows.beta[c] = window
    if len(tree.reward) > 0:
        windows.alpha[c] = windows.alpha[c] - tree.reward[b]
        windows.beta[c] = windows.beta[c] - tree.reward[b]
