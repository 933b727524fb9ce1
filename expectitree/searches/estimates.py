"""The interval and the estimate of v* of each node, from those of its children.

Plain functions over columns, interpreted or compiled as they are.
"""

from __future__ import annotations

from math import erf, exp, sqrt

from expectitree.base.numbers import INFINITY, Number
from expectitree.base.tree.columns import CHANCE, MAX, Columns
from expectitree.searches.beliefs import (
    AIM_OF_ALL,
    CENTER,
    GREATEST,
    HELPED,
    LOWER,
    RAISE,
    SEEN,
    SIGN,
    Beliefs,
    in_float,
    paid,
)
from expectitree.searches.intervals import close, end_of_branch, sum_of_outcomes
from expectitree.searches.problem import WalkObserver

# Expected gains within this factor are equal, so that rounding does not decide between them.
GAIN_TIE = 1 + 1e-6
UNKNOWN_BOUND_SIGMAS = 6.0  # standard deviations from the mean to where an infinite bound is put
SQRT_HALF = 0.7071067811865476
NORMAL_DENSITY_AT_0 = 0.3989422804014327


def take_in(beliefs: Beliefs, leaf: int, utility: Number) -> None:
    """Write the utility of a leaf, and count it as visited."""
    beliefs.lower[leaf] = beliefs.upper[leaf] = utility
    x = in_float(utility, beliefs.scale)
    beliefs.bound[LOWER][leaf] = beliefs.bound[RAISE][leaf] = beliefs.mean[leaf] = x
    beliefs.variance[leaf] = 0.0
    beliefs.tally[SEEN] += 1
    levels = beliefs.levels
    x -= beliefs.tally[CENTER]
    levels.leaves_seen[leaf] = 1.0
    levels.leaf_total[leaf] = levels.observed_mean[leaf] = x
    levels.leaf_squares[leaf] = x * x
    levels.observed_precision[leaf] = INFINITY


def narrow(tree: Columns, beliefs: Beliefs, n: int, observer: WalkObserver | None = None) -> None:
    """Update the interval of an inner node from its children's intervals."""
    lower, upper = beliefs.lower, beliefs.upper
    k = tree.kind[n]
    if k == CHANCE:
        least, most = sum_of_outcomes(tree, lower, upper, n)
    else:
        is_max = k == MAX
        least = most = -SIGN[AIM_OF_ALL[k]] * INFINITY
        for b in range(tree.first[n], tree.last[n]):
            low, high = end_of_branch(tree, lower, b), end_of_branch(tree, upper, b)
            if (low > least) == is_max:
                least = low
            if (high > most) == is_max:
                most = high
    least, most = close(k, (least, most), (lower[n], upper[n]), beliefs.eps)
    if upper[n] != most:  # converting a fraction takes as long as the rest
        beliefs.bound[LOWER][n] = in_float(most, beliefs.scale)
    if lower[n] != least:
        beliefs.bound[RAISE][n] = in_float(least, beliefs.scale)
    lower[n] = least
    upper[n] = most
    if observer is not None:
        observer.update(n, least, most)


def estimate(tree: Columns, beliefs: Beliefs, n: int) -> None:
    """Update mean and variance of v* of an inner node, and the costs of moving its bounds."""
    if tree.kind[n] == CHANCE:
        mean, variance = estimate_sum(tree, beliefs, n)
    else:
        mean, variance = estimate_best(tree, beliefs, n)
    high, low = beliefs.bound[LOWER][n], beliefs.bound[RAISE][n]
    beliefs.mean[n] = min(max(mean, low), high)
    greatest = (high - low) * (high - low) / 4  # the variance within an interval
    beliefs.variance[n] = variance if variance < greatest else greatest
    if tree.kind[n] == CHANCE:
        estimate_costs_of_all(tree, beliefs, n)
    else:
        estimate_costs_of_player(tree, beliefs, n)


def estimate_sum(tree: Columns, beliefs: Beliefs, n: int) -> tuple[float, float]:
    """Return mean and variance of v* of CHANCE."""
    mean = variance = 0.0
    for b in range(tree.first[n], tree.last[n]):
        c = tree.child[b]
        p = float(tree.probability[b])
        mean += p * (beliefs.mean[c] + paid(beliefs, b))
        variance += p * p * beliefs.variance[c]
    return mean, variance


def estimate_best(tree: Columns, beliefs: Beliefs, n: int) -> tuple[float, float]:
    """Return mean and variance of v* of MAX or MIN."""
    sign = SIGN[AIM_OF_ALL[tree.kind[n]]]
    mean = variance = 0.0
    for b in range(tree.first[n], tree.last[n]):
        c = tree.child[b]
        worth = sign * (beliefs.mean[c] + paid(beliefs, b)), beliefs.variance[c]
        if b == tree.first[n]:
            mean, variance = worth
        else:
            mean, variance = greater_of(mean, variance, *worth)
    return sign * mean, variance


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


def estimate_costs_of_all(tree: Columns, beliefs: Beliefs, n: int) -> None:
    """Update the costs at CHANCE, whose bounds move with those of every outcome."""
    high, low = beliefs.bound
    to_lower, to_raise = beliefs.cost
    lower_all = raise_all = 0.0
    for b in range(tree.first[n], tree.last[n]):
        c = tree.child[b]
        if low[c] < high[c] and tree.probability[b] != 0:
            lower_all += to_lower[c]
            raise_all += to_raise[c]
    to_lower[n] = max(1.0, lower_all)
    to_raise[n] = max(1.0, raise_all)


def estimate_costs_of_player(tree: Columns, beliefs: Beliefs, n: int) -> None:
    """Update the costs at MAX or MIN, and the gain of the child that is best for its cost.

    The upper bound of MAX falls only if those of all children above the estimate fall. For its
    lower bound, one child is enough.
    """
    every = AIM_OF_ALL[tree.kind[n]]
    single, sign = 1 - every, SIGN[every]
    bound, other_bound, cost = beliefs.bound[every], beliefs.bound[single], beliefs.cost[every]
    above = sign * beliefs.mean[n] + beliefs.near
    helpful = sign * other_bound[n] + beliefs.near
    cost_of_all = cost_of_best = best = 0.0
    for b in range(tree.first[n], tree.last[n]):
        c = tree.child[b]
        if bound[c] == other_bound[c]:
            continue
        top = sign * (bound[c] + paid(beliefs, b))
        if top > above:
            cost_of_all += cost[c]
        if top > helpful:
            score = gain_at(tree, beliefs, n, b, single)
            if cost_of_best == 0 or score > best * GAIN_TIE:
                best = score
                cost_of_best = beliefs.cost[single][c]
    beliefs.gain_rate[n] = best
    cost[n] = max(1.0, cost_of_all)
    beliefs.cost[single][n] = max(1.0, cost_of_best)


def gain_per_leaf(tree: Columns, beliefs: Beliefs, n: int, aim: int) -> float:
    """Return by how much a leaf below a node is expected to move the bound that is the aim."""
    if tree.kind[n] == HELPED[aim]:
        return float(beliefs.gain_rate[n])
    return gain(beliefs, n, beliefs.bound[aim][n], aim) / beliefs.cost[aim][n]


def gain_at(tree: Columns, beliefs: Beliefs, n: int, b: int, aim: int) -> float:
    """Return how far a leaf below a branch of MIN is expected to lower MIN's upper bound.

    MAX is the mirror image.
    """
    bound, c = beliefs.bound[aim], tree.child[b]
    x, bound_of_child = bound[n] - paid(beliefs, b), bound[c]
    if (bound_of_child < x) == (aim == LOWER):  # `min` and `max` take longer
        x = bound_of_child
    return gain(beliefs, c, x, aim) / beliefs.cost[aim][c]


def gain(beliefs: Beliefs, n: int, x: float, aim: int) -> float:
    """Return by how much v* of a node is expected to be below x; 0 where it is not.

    For a normal distribution that is d * Phi(z) + s * phi(z) with d = x - mean and z = d / s. If
    the aim is to raise, v* is expected to be above x.
    """
    if not -GREATEST <= x <= GREATEST:
        x = finite_bound(beliefs, n, aim)
    d = SIGN[aim] * float(x - beliefs.mean[n])
    if beliefs.variance[n] <= 0:
        if d > beliefs.near:  # less is a rounding error
            return d
        return 0.0
    s = sqrt(beliefs.variance[n])
    z = d / s
    return d * 0.5 * (1 + erf(z * SQRT_HALF)) + s * NORMAL_DENSITY_AT_0 * exp(-0.5 * z * z)


def finite_bound(beliefs: Beliefs, n: int, aim: int) -> float:
    """Return the bound that an aim moves; if it is infinite, a number that v* is hardly beyond."""
    x = float(beliefs.bound[aim][n])
    if -GREATEST <= x <= GREATEST:
        return x
    return float(beliefs.mean[n] + SIGN[aim] * UNKNOWN_BOUND_SIGMAS * sqrt(beliefs.variance[n]))
