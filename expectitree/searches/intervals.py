"""What all searches share: how their loops end, and the arithmetic of intervals."""

from __future__ import annotations

import sys
from typing import Any

from expectitree.base.tree.columns import MAX, MIN, Columns, NumberColumn, Readable
from expectitree.base.tree.scans import shifted

NO_LIMIT = sys.maxsize  # of visits

# The reasons for which the loop of a search returns to its caller.
DONE = 0
STOPPED_EARLY = 1  # at its limit of visits
# The caller may make the columns longer and call the loop again, which then goes on.
PAUSED = 2  # after some visits, so that the caller can show progress
WAITING = 3  # before an unseen node, until it has grown


def end_of_branch(tree: Columns, ends: Readable[Any], b: int) -> Any:
    """Return the end of a branch's interval: that of its child plus the reward."""
    end = ends[tree.child[b]]
    return shifted(end, tree.reward[b]) if len(tree.reward) > 0 else end


def satisfies(lower: Any, upper: Any, alpha: Any, beta: Any, eps: Any) -> bool:
    """Return whether an interval satisfies the contract: exact, fail low, or fail high."""
    return bool(not lower < upper or upper <= alpha + eps or lower >= beta - eps)


def sum_outcomes(
    tree: Columns,
    lower: NumberColumn,
    upper: NumberColumn,
    begin: int,
    end: int,
    zero: Any,
    inf: Any,
    bounded: bool,
    pays: bool,
) -> tuple[Any, Any]:
    """Return the sums of p * (reward + lower) and p * (reward + upper); infinite if a bound is.

    `bounded` says that none is, and `pays` that branches have rewards. A sum of fractions must
    not meet an infinity, because it may be too large for a float.
    """
    child, probability = tree.child, tree.probability
    low = high = zero
    low_open = high_open = False
    for b in range(begin, end):
        p = probability[b]
        if p != 0:  # which is faster than `p > 0` for a fraction
            c = child[b]
            least = lower[c]
            most = upper[c]
            if pays:
                least = shifted(least, tree.reward[b])
                most = shifted(most, tree.reward[b])
            if bounded or least > -inf:
                low += p * least
            else:
                low_open = True
            if bounded or most < inf:
                high += p * most
            else:
                high_open = True
    if low_open:
        low = -inf
    if high_open:
        high = inf
    return low, high


def close(kind: int, low: Any, high: Any, lower: Any, upper: Any, few_eps: Any) -> tuple[Any, Any]:
    """Intersect [low, high] with the interval [lower, upper] so far; return it, or one number.

    An interval narrower than `few_eps` is one number. If [low, high] is, it replaces the interval.
    """
    if high > (low + few_eps if few_eps else low):  # to add 0 to a fraction takes time
        if lower > low:
            low = lower
        if upper < high:
            high = upper
    if high != low and high <= (low + few_eps if few_eps else low):
        if kind == MAX:
            high = low
        elif kind == MIN:
            low = high
        else:
            low = high = (low + high) / 2
    return low, high
