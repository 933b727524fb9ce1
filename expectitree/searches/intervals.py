"""What all searches share: how their loops end, and the arithmetic of intervals."""

from __future__ import annotations

import sys
from typing import TypeAlias

from expectitree.base.numbers import INFINITY, Number
from expectitree.base.tree.columns import MAX, MIN, Columns, Readable
from expectitree.base.tree.scans import shifted

Interval: TypeAlias = tuple[Number, Number]
Ends: TypeAlias = Readable[Number]  # the lower or the upper ends of intervals, by node
NO_LIMIT = sys.maxsize  # of visits

# The reasons for which the loop of a search returns to its caller.
DONE = 0
STOPPED_EARLY = 1  # at its limit of visits
# The caller may make the columns longer and call the loop again, which then goes on.
PAUSED = 2  # after some visits, so that the caller can show progress
WAITING = 3  # before an unseen node, until it has grown


def end_of_branch(tree: Columns, ends: Ends, b: int) -> Number:
    """Return the end of a branch's interval: that of its child plus the reward."""
    end = ends[tree.child[b]]
    if len(tree.reward) > 0:
        return shifted(end, tree.reward[b])
    return end


def find_proved(tree: Columns, lower: Ends, upper: Ends, n: int, eps: Number) -> int:
    """Return the branch to a player's child that is proved best; if none is, one past the last."""
    for b in range(tree.first[n], tree.last[n]):
        if is_proved(tree, (lower, upper), n, b, eps):
            return b
    return tree.last[n]


def is_proved(tree: Columns, ends: tuple[Ends, Ends], n: int, b: int, eps: Number) -> bool:
    """Return whether no other branch of a player's node can be better than this one.

    Of two branches to one child, the reward decides: infinite bounds do not show the difference.
    """
    lower, upper = ends
    is_max = tree.kind[n] == MAX
    for other in range(tree.first[n], tree.last[n]):
        if tree.child[other] == tree.child[b]:
            if len(tree.reward) > 0:
                more = tree.reward[other] - tree.reward[b]
                if (is_max and more > 0) or (not is_max and more < 0):
                    return False
        elif is_max:
            if end_of_branch(tree, upper, other) > end_of_branch(tree, lower, b) + eps:
                return False
        elif end_of_branch(tree, lower, other) < end_of_branch(tree, upper, b) - eps:
            return False
    return True


def satisfies(lower: Number, upper: Number, alpha: Number, beta: Number, eps: Number) -> bool:
    """Return whether an interval satisfies the contract: exact, fail low, or fail high."""
    return bool(not lower < upper or upper <= alpha + eps or lower >= beta - eps)


def sum_of_outcomes(tree: Columns, lower: Ends, upper: Ends, n: int) -> Interval:
    """Return the sums of p * (reward + lower) and p * (reward + upper) over possible outcomes.

    A sum is infinite if one of its terms is: a sum of fractions must not meet an infinity, because
    it may be too large for a float.
    """
    low: Number = 0
    high: Number = 0
    for b in range(tree.first[n], tree.last[n]):
        p = tree.probability[b]
        if p != 0:  # which is faster than `p > 0` for a fraction
            least, most = end_of_branch(tree, lower, b), end_of_branch(tree, upper, b)
            low = low + p * least if least > -INFINITY and low > -INFINITY else -INFINITY
            high = high + p * most if most < INFINITY and high < INFINITY else INFINITY
    return low, high


def outcome_limit(limit: Number, others: Number, p: Number) -> Number:
    """Return the end of an outcome's window, from that of CHANCE and the sum of the others.

    `others` is the sum of p * upper of all other outcomes for alpha, and of p * lower for beta.
    """
    return (limit - others) / p


def close(kind: int, found: Interval, known: Interval, few_eps: Number) -> Interval:
    """Intersect an interval with the one known so far; return it, or one number twice.

    An interval narrower than `few_eps` is one number. If the one found is, it replaces the other.
    """
    (low, high), (lower, upper) = found, known
    if high > (low + few_eps if few_eps else low):  # to add 0 to a fraction takes time
        if lower > low:
            low = lower
        if upper < high:
            high = upper
    if high != low and high <= (low + few_eps if few_eps else low):
        low = high = one_number(kind, low, high)
    return low, high


def one_number(kind: int, low: Number, high: Number) -> Number:
    """Return the number that stands for an interval which is exact but for rounding.

    It is what a player is sure of, and the middle for CHANCE.
    """
    if kind == MAX:
        return low
    if kind == MIN:
        return high
    return (low + high) / 2
