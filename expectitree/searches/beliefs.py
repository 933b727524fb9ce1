"""The interval and the estimate of v* that a best-first search keeps for each node.

Estimates are floats, also where intervals are fractions (docs/background/best-first.md). Plain
functions over columns, interpreted or compiled as they are.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import erf, exp, sqrt
from typing import Any, NamedTuple

from expectitree.base.algorithms import OPTIONS, Algorithm
from expectitree.base.numbers import Number
from expectitree.base.tree.columns import (
    CHANCE,
    MAX,
    MIN,
    TERMINAL,
    Columns,
    FloatColumn,
    IntColumn,
    NumberColumn,
)
from expectitree.base.tree.scans import shifted
from expectitree.searches.intervals import close, sum_outcomes

EXACT, LOWER, RAISE = range(3)  # the aim of a walk at a node: both bounds, the upper, the lower
LEARNING, BOUNDS = range(2)  # what guides the walks: estimates that learn, or bounds alone
VALUE, ACTION = range(2)  # the goal: the root is exact, or its best action is proved

# Numbers of the whole tree, by place in `tally`: the leaves that the prior counts for, its mean
# (from which utilities are measured) and its variance; the leaves visited, and how many there must
# be for the next renewal of all estimates; the entries of nodes so far; the depth at which a walk
# goes on.
PRIOR_WEIGHT, CENTER, PRIOR_VARIANCE, SEEN, NEXT_RENEWAL, ENTRIES, PLACE = range(7)
MIN_VARIANCE = 1e-200  # of the prior: the search divides by variances, so none may round to 0

# Expected gains within this factor are equal, so that rounding does not decide between them.
GAIN_TIE = 1 + 1e-6
UNKNOWN_BOUND_SIGMAS = 6.0  # standard deviations from the mean to where an infinite bound is put
NO_BOUND = 1e100  # the distance to an infinite bound if there is no variance
GREATEST = 1e300  # estimates take greater numbers for infinite
INFINITE = float("inf")
NOT_A_NUMBER = float("nan")
NEAR = 1e-9  # of the greatest total: a smaller expected gain may be a rounding error
MIN_SCALE = 1e-100  # the search rescales numbers below this or above its inverse
SQRT_HALF = 0.7071067811865476
NORMAL_DENSITY_AT_0 = 0.3989422804014327


class Beliefs(NamedTuple):
    """The columns that a best-first search writes."""

    lower: NumberColumn  # [N] the interval known to hold v*; starts as the node's bounds
    upper: NumberColumn  # [N]
    visits: IntColumn  # [N] entries
    aim: IntColumn  # [N] the aim of the last walk through the node: EXACT, LOWER or RAISE
    depth: IntColumn  # [N] branches from the root, by the path that ends with `counting_branch`
    counting_branch: IntColumn  # [N] the branch whose parent counts the node's leaves, if shared
    low: FloatColumn  # [N] lower and upper in floats
    high: FloatColumn  # [N]
    mean: FloatColumn  # [N] the estimate of v*,
    variance: FloatColumn  # [N] and its variance
    cost_lower: FloatColumn  # [N] the leaves that it is expected to take to lower the upper bound
    cost_raise: FloatColumn  # [N] the same to raise the lower bound
    gain_rate: FloatColumn  # [N] at MAX and MIN the expected gain per leaf of the best child
    leaves_seen: FloatColumn  # [N] leaves visited at or below, at the last renewal
    leaf_total: FloatColumn  # [N] the sum of their utilities,
    leaf_squares: FloatColumn  # [N] and of the squares
    observed_mean: FloatColumn  # [N] the node's level by the leaves visited below,
    observed_precision: FloatColumn  # [N] and the precision of that
    level: FloatColumn  # [N] the level: the mean of the leaves below, by all leaves visited,
    level_variance: FloatColumn  # [N] and its variance
    advantage: FloatColumn  # [N] by how much the tree's estimate is above its siblings' mean
    tally: FloatColumn  # [7] numbers of the whole tree
    reward: FloatColumn  # [M] the rewards in floats; empty if no branch pays
    leaf_variance: FloatColumn  # [height + 2] by depth: of the leaves below one node of that depth
    slope: FloatColumn  # [height + 2] by how much the last child of a node lies above the first
    freedom: FloatColumn  # [height + 2] by depth: the sums that these two are estimated from
    deviations: FloatColumn
    rank_products: FloatColumn
    rank_squares: FloatColumn
    mean_squares: FloatColumn
    trust: FloatColumn  # [height + 2] by how much a child's level rises with its advantage
    advantage_products: FloatColumn  # [height + 2] the sums that it is estimated from
    advantage_squares: FloatColumn
    advantage_ranks: FloatColumn
    route: IntColumn  # [height + 2] by depth: the nodes of the last walk

    @classmethod
    def of(
        cls,
        intervals: tuple[NumberColumn, NumberColumn],
        column: Callable[[str, int], Any],
        floats: Callable[[int], Any],
        nodes: int,
        rewards: int,
        depths: int,
    ) -> Beliefs:
        """Return the columns at the start; `column` makes one of a type code and length.

        `floats` makes a column of floats, also for a tree in fractions.
        """
        whole = (column(code, nodes) for code in "IBII")
        by_node = (floats(nodes) for _ in range(15))  # from `low` to `advantage`
        others = floats(7), floats(rewards)
        by_depth = (floats(depths) for _ in range(11))  # from `leaf_variance`
        return cls._make([*intervals, *whole, *by_node, *others, *by_depth, column("q", depths)])


class Limits(NamedTuple):
    """The numbers that control a best-first search."""

    eps: Any  # numbers that differ by at most this are equal; 0 in fractions
    near: float  # the same for the estimates, which are floats
    zero: Any  # what sums start from
    scale: Any  # the factor that makes numbers floats of a moderate size
    guide: int  # LEARNING or BOUNDS
    goal: int  # VALUE or ACTION
    root: int
    shares: bool = True  # whether a node may have several parents
    # Empty for a finished tree. In a tree that grows, parents come before their children.
    grows: tuple[bool, ...] = ()

    @classmethod
    def of(
        cls,
        chosen: Algorithm,
        exact: bool,
        eps: Number,
        total: Number,
        greatest: Number,
        zero: Number,
        root: int = 0,
    ) -> Limits:
        """Return the numbers that control a best-first search.

        Values are equal if they differ by at most `eps`. `total` is the greatest magnitude of a
        total of a play, and `greatest` that of any such total or bound.
        """
        scale: Any = 1 if exact else 1.0
        if greatest and not MIN_SCALE < greatest < 1 / MIN_SCALE:
            # Estimates need squares, which must not overflow.
            scale = 1 / greatest if exact else min(1 / float(greatest), sys.float_info.max)
        near = NEAR * (float((total or greatest) * scale) or 1.0)
        goal = OPTIONS["goal"].values.index(chosen.goal)
        guide = OPTIONS["guide"].values.index(chosen.guide)
        return cls(eps, near, zero, scale, guide, goal, root)


def begin(tree: Columns, beliefs: Beliefs, limits: Limits) -> None:
    """Write the bounds and the estimates that hold before any leaf is visited.

    The prior takes utilities to be uniform between the root's bounds, and counts as much as two
    leaves. If a bound is infinite, the prior is centered on the other one, or on 0, and counts for
    next to nothing.
    """
    depth, counting_branch = beliefs.depth, beliefs.counting_branch
    low, high = beliefs.low, beliefs.high
    first, last, child = tree.first, tree.last, tree.child
    root = limits.root
    for n in range(len(tree.kind)):
        low[n] = in_float(beliefs.lower[n], limits.scale)
        high[n] = in_float(beliefs.upper[n], limits.scale)
    for b in range(len(tree.reward)):
        beliefs.reward[b] = in_float(tree.reward[b], limits.scale)
    for i in range(len(tree.kind)):
        n = root - i
        for b in range(first[n], last[n]):
            depth[child[b]] = depth[n] + 1
            counting_branch[child[b]] = b
    for n in range(len(tree.kind)):
        compare_estimates(tree, beliefs, limits, n)
    start_from(beliefs, limits)


def start_from(beliefs: Beliefs, limits: Limits) -> None:
    """Write the prior, and that no leaf is visited."""
    tally, low, high, root = beliefs.tally, beliefs.low, beliefs.high, limits.root
    if 0 < high[root] - low[root] < GREATEST:
        tally[PRIOR_WEIGHT] = 2.0
        tally[CENTER] = (low[root] + high[root]) / 2
        tally[PRIOR_VARIANCE] = max((high[root] - low[root]) ** 2 / 12, MIN_VARIANCE)
    else:
        tally[PRIOR_WEIGHT] = 0.01
        tally[CENTER] = middle_of(beliefs, root)
        tally[PRIOR_VARIANCE] = 1.0
    tally[SEEN] = 0.0
    tally[NEXT_RENEWAL] = 0.0


def compare_estimates(tree: Columns, beliefs: Beliefs, limits: Limits, n: int) -> None:
    """Write how far the tree's estimate of each inner child is above the mean of such estimates."""
    total = count = 0.0
    for b in range(tree.first[n], tree.last[n]):
        x = written_estimate(tree, limits, tree.child[b])
        if x == x:
            total += x
            count += 1
    if count < 2:  # nothing to compare with
        return
    for b in range(tree.first[n], tree.last[n]):
        c = tree.child[b]
        x = written_estimate(tree, limits, c)
        if x == x and beliefs.counting_branch[c] == b:
            beliefs.advantage[c] = x - total / count


def written_estimate(tree: Columns, limits: Limits, n: int) -> float:
    """Return the tree's estimate of an inner node; NaN if it is missing or too large to square."""
    if tree.kind[n] != TERMINAL:
        x = in_float(tree.utility[n], limits.scale)
        if -NO_BOUND < x < NO_BOUND:
            return x
    return NOT_A_NUMBER


def in_float(number: Any, scale: Any) -> float:
    """Return a scaled number as a float; an infinity stays infinite."""
    if number - number != 0:
        return float(number)
    scaled = number * scale
    if scaled > GREATEST:  # an answer may exceed all numbers for which the scale was chosen
        return GREATEST
    return float(scaled) if scaled > -GREATEST else -GREATEST


def take_in(beliefs: Beliefs, limits: Limits, leaf: int, utility: Any) -> None:
    """Write the utility of a leaf, and count it as visited."""
    beliefs.lower[leaf] = beliefs.upper[leaf] = utility
    x = in_float(utility, limits.scale)
    beliefs.low[leaf] = beliefs.high[leaf] = beliefs.mean[leaf] = x
    beliefs.variance[leaf] = 0.0
    x -= beliefs.tally[CENTER]
    beliefs.leaves_seen[leaf] = 1.0
    beliefs.leaf_total[leaf] = x
    beliefs.leaf_squares[leaf] = x * x
    beliefs.tally[SEEN] += 1


def narrow(tree: Columns, beliefs: Beliefs, limits: Limits, n: int) -> None:
    """Update the interval of an inner node from its children's intervals."""
    lower, upper = beliefs.lower, beliefs.upper
    pays = len(tree.reward) > 0
    k = tree.kind[n]
    begin, end = tree.first[n], tree.last[n]
    if k == CHANCE:
        least, most = sum_outcomes(
            tree, lower, upper, begin, end, limits.zero, INFINITE, False, pays
        )
    else:
        least, most = lower[n], upper[n]
        for b in range(begin, end):
            c = tree.child[b]
            low, high = lower[c], upper[c]
            if pays:
                low, high = shifted(low, tree.reward[b]), shifted(high, tree.reward[b])
            if b == begin or k == MAX and low > least or k == MIN and low < least:
                least = low
            if b == begin or k == MAX and high > most or k == MIN and high < most:
                most = high
    least, most = close(k, least, most, lower[n], upper[n], limits.eps)
    if lower[n] != least:  # converting a fraction takes as long as the rest
        beliefs.low[n] = in_float(least, limits.scale)
    if upper[n] != most:
        beliefs.high[n] = in_float(most, limits.scale)
    lower[n] = least
    upper[n] = most


def estimate(tree: Columns, beliefs: Beliefs, limits: Limits, n: int) -> None:
    """Update mean and variance of v* of an inner node, and the costs of moving its bounds."""
    if limits.guide == BOUNDS:
        return
    low, high, means, variances = beliefs.low, beliefs.high, beliefs.mean, beliefs.variance
    cost_lower, cost_raise = beliefs.cost_lower, beliefs.cost_raise
    pays = len(beliefs.reward) > 0
    k = tree.kind[n]
    begin, end = tree.first[n], tree.last[n]
    mean = variance = 0.0
    if k == CHANCE:
        for b in range(begin, end):
            c = tree.child[b]
            p = float(tree.probability[b])
            mean += p * (means[c] + beliefs.reward[b] if pays else means[c])
            variance += p * p * variances[c]
    else:
        sign = 1.0 if k == MAX else -1.0
        for b in range(begin, end):
            c = tree.child[b]
            x = sign * (means[c] + beliefs.reward[b] if pays else means[c])
            if b == begin:
                mean, variance = x, variances[c]
            else:
                mean, variance = greater_of(mean, variance, x, variances[c])
        mean *= sign
    mean = min(max(mean, low[n]), high[n])
    width = high[n] - low[n]
    if variance > width * width / 4:  # the greatest variance within an interval
        variance = width * width / 4
    means[n] = mean
    variances[n] = variance
    # One bound moves only if the bounds of all children beyond the estimate move (at CHANCE: of all
    # children). For the other bound, one child is enough: the best for its cost.
    to_lower = to_raise = best = 0.0
    found = False
    for b in range(begin, end):
        c = tree.child[b]
        if not low[c] < high[c]:
            continue
        if k == CHANCE:
            if tree.probability[b] != 0:
                to_lower += cost_lower[c]
                to_raise += cost_raise[c]
            continue
        r = beliefs.reward[b] if pays else 0.0
        if k == MAX and high[c] + r > mean + limits.near:
            to_lower += cost_lower[c]
        if k == MIN and low[c] + r < mean - limits.near:
            to_raise += cost_raise[c]
        if k == MAX and high[c] + r > low[n] + limits.near:
            score = gain_at(beliefs, limits, n, c, r, RAISE)
            if not found or score > best * GAIN_TIE:
                to_raise, best, found = cost_raise[c], score, True
        if k == MIN and low[c] + r < high[n] - limits.near:
            score = gain_at(beliefs, limits, n, c, r, LOWER)
            if not found or score > best * GAIN_TIE:
                to_lower, best, found = cost_lower[c], score, True
    beliefs.gain_rate[n] = best
    cost_lower[n] = max(1.0, to_lower)
    cost_raise[n] = max(1.0, to_raise)


def greater_of(
    mean: float, variance: float, other_mean: float, other_variance: float
) -> tuple[float, float]:
    """Return mean and variance of the greater of two independent normal variables.

    Source: Clark 1961, equations 2 to 4.
    """
    total = variance + other_variance
    if total <= 0:
        return max(mean, other_mean), 0.0
    a = sqrt(total)
    z = (mean - other_mean) / a
    p = 0.5 * (1 + erf(z * SQRT_HALF))
    q = 1 - p
    density = NORMAL_DENSITY_AT_0 * exp(-0.5 * z * z)
    middle = mean * p + other_mean * q + a * density
    # Compute the second moment about the mean of the greater: about 0, large numbers would cancel.
    mean, other_mean = mean - middle, other_mean - middle
    square = (mean * mean + variance) * p + (other_mean * other_mean + other_variance) * q
    return middle, max(0.0, square + (mean + other_mean) * a * density)


def gain_per_leaf(tree: Columns, beliefs: Beliefs, limits: Limits, n: int, aim: int) -> float:
    """Return by how much a leaf below a node is expected to move the bound that is the aim."""
    if tree.kind[n] == (MIN if aim == LOWER else MAX):
        return float(beliefs.gain_rate[n])
    if aim == LOWER:
        return float(gain(beliefs, limits, n, beliefs.high[n], True) / beliefs.cost_lower[n])
    return float(gain(beliefs, limits, n, beliefs.low[n], False) / beliefs.cost_raise[n])


def gain_at(beliefs: Beliefs, limits: Limits, n: int, c: int, reward: float, aim: int) -> float:
    """Return how far a leaf below a child of MIN is expected to lower MIN's upper bound.

    `reward` is that of the branch to the child. MAX is the mirror image.
    """
    if aim == LOWER:
        x = min(beliefs.high[n] - reward, beliefs.high[c])
        return float(gain(beliefs, limits, c, x, True) / beliefs.cost_lower[c])
    x = max(beliefs.low[n] - reward, beliefs.low[c])
    return float(gain(beliefs, limits, c, x, False) / beliefs.cost_raise[c])


def gain(beliefs: Beliefs, limits: Limits, n: int, x: float, below: bool) -> float:
    """Return the expected amount by which v* of a node is below x (or above); 0 where it is not.

    For a normal distribution that is d * Phi(z) + s * phi(z) with d = x - mean and z = d / s.
    """
    if x > GREATEST:
        x = finite_high(beliefs, limits, n)
    elif x < -GREATEST:
        x = finite_low(beliefs, limits, n)
    d = x - beliefs.mean[n] if below else beliefs.mean[n] - x
    if beliefs.variance[n] <= 0:
        return float(d) if d > limits.near else 0.0  # less is a rounding error
    s = sqrt(beliefs.variance[n])
    z = d / s
    return float(d * 0.5 * (1 + erf(z * SQRT_HALF)) + s * NORMAL_DENSITY_AT_0 * exp(-0.5 * z * z))


def finite_low(beliefs: Beliefs, limits: Limits, n: int) -> float:
    """Return a node's lower bound; if it is infinite, a number that v* is hardly below."""
    low = beliefs.low[n]
    return float(
        low if low > -GREATEST else beliefs.mean[n] - distance_to_unknown_bound(beliefs, limits, n)
    )


def finite_high(beliefs: Beliefs, limits: Limits, n: int) -> float:
    """Return a node's upper bound; if it is infinite, a number that v* is hardly above."""
    high = beliefs.high[n]
    return float(
        high if high < GREATEST else beliefs.mean[n] + distance_to_unknown_bound(beliefs, limits, n)
    )


def distance_to_unknown_bound(beliefs: Beliefs, limits: Limits, n: int) -> float:
    """Return the distance from a node's mean that replaces an infinite bound."""
    if limits.guide == BOUNDS:
        return NO_BOUND
    return UNKNOWN_BOUND_SIGMAS * sqrt(beliefs.variance[n])


def middle_of(beliefs: Beliefs, n: int) -> float:
    """Return the middle of a node's interval; the finite bound if only one is; or 0."""
    low, high = beliefs.low[n], beliefs.high[n]
    if high - low < GREATEST:
        return float((low + high) / 2)
    if low > -GREATEST:
        return float(low)
    return float(high if high < GREATEST else 0.0)
