"""Reconstruct windows for a best-first search from its final intervals, to explain its cuts.

Plain functions over columns, interpreted or compiled as they are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from expectitree.base.tree.columns import (
    CHANCE,
    MAX,
    MIN,
    NONE,
    TERMINAL,
    Columns,
    IntColumn,
    NumberColumn,
    Readable,
)
from expectitree.base.tree.scans import shifted
from expectitree.searches.cuts import (
    ALPHA_CUT,
    BETA_CUT,
    CHANCE_CUT_HIGH,
    CHANCE_CUT_LOW,
    CUT_UNORDERED,
    NOT_CUT,
    PROBED,
    STOPPED,
)
from expectitree.searches.intervals import end_of_branch, satisfies


class Windows(NamedTuple):
    """The intervals that a search ended with, and the windows that explain them, by node."""

    lower: NumberColumn
    upper: NumberColumn
    visits: IntColumn
    alpha: NumberColumn  # written
    beta: NumberColumn  # written
    cut: IntColumn  # written: a constant of `cuts`
    cut_after: IntColumn  # written: how many children were visited
    asked_by: IntColumn  # written: for visited nodes, the parent whose window gives theirs, or NONE


def find_windows(
    tree: Columns,
    found: Windows,
    root: int,
    window: tuple[Any, Any],
    eps: Any,
    inf: Any,
    is_action: bool,
    stopped: bool,
) -> int:
    """Write for each visited node a window that its interval satisfies; return the number of cuts.

    Windows are passed down as in `depth_first`, but follow from the final intervals. A node is cut
    if it fails low or high and a child is open. A node that satisfies nothing is marked as probed,
    or as stopped. A shared node has the window of the parent with the greatest id. With
    `is_action`, the search had to prove only the best action at the root.
    """
    lower, upper, alpha, beta = found.lower, found.upper, found.alpha, found.beta
    alpha[root], beta[root] = window
    cuts = 0
    for n in range(len(tree.kind)):
        found.asked_by[n] = NONE
    for i in range(len(tree.kind)):
        n = root - i
        k = tree.kind[n]
        if found.visits[n] == 0 or k == TERMINAL:
            continue
        is_exact = lower[n] == upper[n]
        is_decided = is_action and n == root and not stopped and k != CHANCE
        if is_decided or satisfies(lower[n], upper[n], alpha[n], beta[n], eps):
            found.cut[n] = find_cut(tree, found, n, eps)
            if found.cut[n] != NOT_CUT:
                cuts += 1
        else:
            found.cut[n] = STOPPED if stopped else PROBED
        best = find_best(tree, lower, upper, n, eps) if is_decided and not is_exact else NONE
        for b in range(tree.first[n], tree.last[n]):
            c = tree.child[b]
            if found.visits[c] == 0:
                continue
            found.cut_after[n] += 1
            if tree.probability[b] > 0 and found.asked_by[c] == NONE:
                found.asked_by[c] = n
                if tree.kind[c] != TERMINAL:
                    alpha[c], beta[c] = child_window(tree, found, n, b, best, inf)
    return cuts


def find_cut(tree: Columns, found: Windows, n: int, eps: Any) -> int:
    """Return the cut at a node that is left with an open child because it fails low or high."""
    lower, upper = found.lower, found.upper
    if lower[n] == upper[n] or not has_open_child(tree, lower, upper, n):
        return NOT_CUT
    fails_low = upper[n] <= found.alpha[n] + eps
    fails_high = lower[n] >= found.beta[n] - eps
    k = tree.kind[n]
    if fails_low and k != MAX:
        return CUT_UNORDERED + (CHANCE_CUT_LOW if k == CHANCE else ALPHA_CUT)
    if fails_high and k != MIN:
        return CUT_UNORDERED + (CHANCE_CUT_HIGH if k == CHANCE else BETA_CUT)
    return NOT_CUT


def has_open_child(tree: Columns, lower: Readable[Any], upper: Readable[Any], n: int) -> bool:
    """Return whether a branch of a node is possible and leads to a child that is not exact."""
    for b in range(tree.first[n], tree.last[n]):
        c = tree.child[b]
        if tree.probability[b] > 0 and lower[c] < upper[c]:
            return True
    return False


def find_best(tree: Columns, lower: Readable[Any], upper: Readable[Any], n: int, eps: Any) -> int:
    """Return the branch of a player's node that is proved best: it has both bounds of the node.

    Another branch may have one of them, and be worth no more. Of two branches to one child, the
    reward decides: infinite bounds do not show the difference.
    """
    sign = 1 if tree.kind[n] == MAX else -1
    for b in range(tree.first[n], tree.last[n]):
        low = end_of_branch(tree, lower, b)
        high = end_of_branch(tree, upper, b)
        if sign * low >= sign * lower[n] - eps and sign * high >= sign * upper[n] - eps:
            best = b
            if len(tree.reward) > 0:
                for other in range(tree.first[n], tree.last[n]):
                    is_same = tree.child[other] == tree.child[b]
                    if is_same and sign * tree.reward[other] > sign * tree.reward[best]:
                        best = other
            return best
    return NONE


def child_window(
    tree: Columns, found: Windows, n: int, branch: int, best: int, inf: Any
) -> tuple[Any, Any]:
    """Return the window of a child, from the node's window and the other branches' bounds."""
    lower, upper = found.lower, found.upper
    alpha, beta = found.alpha[n], found.beta[n]
    k = tree.kind[n]
    c = tree.child[branch]
    child_alpha = alpha
    child_beta = beta
    if k == CHANCE:
        # alpha_i = (alpha - (high without i)) / p_i = upper_i + (alpha - high) / p_i; beta_i is the
        # mirror. A reward would be added to upper_i, and subtracted for the child.
        p = tree.probability[branch]
        child_alpha = upper[c] + (alpha - upper[n]) / p if alpha > -inf and upper[n] < inf else -inf
        child_beta = lower[c] + (beta - lower[n]) / p if beta < inf and lower[n] > -inf else inf
        return child_alpha, child_beta
    if branch == best:
        # The best action only has to be at least as good as its rivals can be.
        sign = 1 if k == MAX else -1
        ends = upper if k == MAX else lower
        rival = alpha if k == MAX else beta
        for b in range(tree.first[n], tree.last[n]):
            end = end_of_branch(tree, ends, b)
            if b != best and sign * end > sign * rival:
                rival = end
        if k == MAX:
            child_beta = rival
        else:
            child_alpha = rival
    elif k == MAX:
        # A child that cannot be better fails low: the window is (max(alpha, lower), beta).
        if lower[n] > alpha:
            child_alpha = lower[n] if lower[n] < beta else beta
    elif upper[n] < beta:
        child_beta = upper[n] if upper[n] > alpha else alpha
    if len(tree.reward) > 0:
        child_alpha = shifted(child_alpha, -tree.reward[branch])
        child_beta = shifted(child_beta, -tree.reward[branch])
    return child_alpha, child_beta
