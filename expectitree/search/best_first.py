"""Best-first search: walks from the root to the leaf from which it expects most, visits it, backs its interval up.

No window and no order: what is known of every node is in memory, so each walk may go wherever it learns most. That the
intervals hold v* is in the backing up alone, and so is that the search ends: a walk goes through open nodes, and an
open node has an open child. Where it goes is a guess, made in floats in every mode.

Plain functions of columns and numbers, interpreted or compiled as they stand; what one calls is compiled with it.
"""

from __future__ import annotations

from math import erf, exp, sqrt
from typing import Any, NamedTuple

from expectitree.tree import Column, Columns

EXACT, LOWER, RAISE = range(3)  # what a walk is to do at a node: with which of its bounds, or with both
LEARNING, UNIFORM, BOUNDS = range(3)  # what guides it
VALUE, ACTION = range(2)  # when it is over: the root is exact, or its best action proved

# What is learnt of all leaves, by place in `tally`.
WEIGHT, SUM, SQUARES, CENTER, SEEN, RENEWAL = range(6)

_CLOSE = 1 + 1e-6  # expected gains within this factor are equal: the first branch is taken, whatever rounding does
_GROWTH = 1.25  # of the leaves seen, until all estimates are renewed
_FAR = 6.0  # standard deviations from the mean, where a bound that is not known is taken to be
_MOST = 1e300


class Beliefs(NamedTuple):
    """The columns that a best-first search writes."""

    lower: Column  # [N] the interval known to hold v*; starts as the node's bounds
    upper: Column  # [N]
    visits: Column  # [N] entries
    aim: Column  # [N] EXACT, LOWER or RAISE: what the last walk through the node was to do there
    low: Column  # [N] lower and upper in floats
    high: Column  # [N]
    mean: Column  # [N] the estimate of v*,
    variance: Column  # [N] and how unsure it is
    cost_lower: Column  # [N] the leaves that it may take to lower the upper bound
    cost_raise: Column  # [N] the same to raise the lower bound
    tally: Column  # [6] what is learnt of all leaves
    route: Column  # [height + 1] by depth: the nodes of the last walk


FLOAT_CODES = "dddddd"  # the type codes of the columns by node that are floats in every mode
TALLIES = 6


class Limits(NamedTuple):
    """The numbers that a best-first search goes by."""

    eps: Any  # numbers that differ by at most this are equal; 0 in exact mode
    near: float  # the same for bounds in floats, in every mode
    zero: Any  # what sums start from
    scale: Any  # by which numbers are multiplied to be floats
    guide: int  # LEARNING, UNIFORM or BOUNDS
    goal: int  # VALUE or ACTION


def best_first(tree: Columns, beliefs: Beliefs, limits: Limits, most_visits: int) -> bool:
    """Visit leaf after leaf until the goal is reached; return whether the search was stopped before that.

    It is stopped where the entries of nodes would become more than `most_visits`.
    """
    begin(tree, beliefs, limits)
    entries = 0
    while True:
        depth = walk(tree, beliefs, limits, most_visits - entries)
        if depth < 0:
            return True
        entries += depth + 1
        leaf = beliefs.route[depth]
        if tree.kind[leaf] == 0:
            take_in(beliefs, limits, leaf, tree.utility[leaf])
        back_up(tree, beliefs, limits, depth)
        if is_reached(tree, beliefs, limits):
            return False


def begin(tree: Columns, beliefs: Beliefs, limits: Limits) -> None:
    """Write what is known and guessed before any leaf is seen.

    Utilities not yet seen are guessed to be spread evenly between the root's bounds, which weighs as much as two
    leaves; where a bound is not known, around the other or 0, which weighs next to nothing.
    """
    tally = beliefs.tally
    low, high = beliefs.low, beliefs.high
    for n in range(len(tree.kind)):
        low[n] = in_float(beliefs.lower[n], limits.scale)
        high[n] = in_float(beliefs.upper[n], limits.scale)
    root = len(tree.kind) - 1
    if high[root] - low[root] < _MOST:
        weight, center, spread = 2.0, (low[root] + high[root]) / 2, (high[root] - low[root]) ** 2 / 12
    else:
        weight, center, spread = 0.01, 0.0, 1.0
        if abs(low[root]) < _MOST:
            center = low[root]
        elif abs(high[root]) < _MOST:
            center = high[root]
    tally[WEIGHT] = weight
    tally[SUM] = 0.0
    tally[SQUARES] = weight * spread
    tally[CENTER] = center
    tally[SEEN] = 0.0
    tally[RENEWAL] = 0.0


def in_float(number: Any, scale: Any) -> float:
    """Return a number as a float; an infinity is one whatever the scale."""
    if number - number != 0:
        return float(number)
    return float(number * scale)


def is_reached(tree: Columns, beliefs: Beliefs, limits: Limits) -> bool:
    """Say whether the root is exact, or if that is the goal, an action at the root proved to be best."""
    root = len(tree.kind) - 1
    lower, upper = beliefs.lower, beliefs.upper
    if lower[root] == upper[root]:
        return True
    k = tree.kind[root]
    if limits.goal == VALUE or k == 0 or k == 3:
        return False
    begin, end = tree.first[root], tree.first[root + 1]
    best = tree.child[begin]
    for b in range(begin, end):
        c = tree.child[b]
        if k == 1 and lower[c] > lower[best] or k == 2 and upper[c] < upper[best]:
            best = c
    for b in range(begin, end):
        c = tree.child[b]
        if k == 1 and c != best and upper[c] > lower[best] + limits.eps:
            return False
        if k == 2 and c != best and lower[c] < upper[best] - limits.eps:
            return False
    return True


def walk(tree: Columns, beliefs: Beliefs, limits: Limits, most: int) -> int:
    """Go from the root down to a leaf that is not seen, `route` says by which nodes; return how deep it lies.

    Where nodes are shared, what one parent has learnt may not have come to another: each node is backed up as it is
    entered, and the walk ends where that closes it. Return -1 where more than `most` nodes would be entered.
    """
    if beliefs.tally[SEEN] >= beliefs.tally[RENEWAL]:
        renew(tree, beliefs, limits)
    node = len(tree.kind) - 1
    aim = EXACT
    depth = 0
    while depth < most:
        beliefs.route[depth] = node
        beliefs.aim[node] = aim
        beliefs.visits[node] += 1
        if tree.kind[node] == 0:
            return depth
        narrow(tree, beliefs, limits, node)
        if beliefs.lower[node] == beliefs.upper[node]:
            return depth
        if depth == 0 and limits.goal == ACTION and tree.kind[node] != 3:
            branch, aim = choose_rival(tree, beliefs, limits, node)
        else:
            branch, aim = choose(tree, beliefs, limits, node, aim)
        node = tree.child[branch]
        depth += 1
    return -1


def take_in(beliefs: Beliefs, limits: Limits, leaf: int, utility: Any) -> None:
    """Write the utility of a leaf, and learn from it."""
    tally = beliefs.tally
    beliefs.lower[leaf] = beliefs.upper[leaf] = utility
    x = in_float(utility, limits.scale)
    beliefs.low[leaf] = beliefs.high[leaf] = beliefs.mean[leaf] = x
    beliefs.variance[leaf] = 0.0
    x -= tally[CENTER]
    tally[WEIGHT] += 1
    tally[SUM] += x
    tally[SQUARES] += x * x
    tally[SEEN] += 1


def back_up(tree: Columns, beliefs: Beliefs, limits: Limits, depth: int) -> None:
    """Renew what is known and guessed of the nodes of the last walk, from its end up to the root."""
    for d in range(depth, -1, -1):
        n = beliefs.route[d]
        if tree.kind[n] != 0:
            narrow(tree, beliefs, limits, n)
            estimate(tree, beliefs, limits, n)


def renew(tree: Columns, beliefs: Beliefs, limits: Limits) -> None:
    """Renew what is known and guessed of every node, children first."""
    tally = beliefs.tally
    mean = tally[SUM] / tally[WEIGHT]
    variance = tally[SQUARES] / tally[WEIGHT] - mean * mean
    mean += tally[CENTER]
    if variance < 0:
        variance = 0.0
    for n in range(len(tree.kind)):
        if tree.kind[n] != 0:
            narrow(tree, beliefs, limits, n)
            estimate(tree, beliefs, limits, n)
        elif beliefs.lower[n] < beliefs.upper[n]:
            beliefs.mean[n] = min(max(mean, beliefs.low[n]), beliefs.high[n])
            beliefs.variance[n] = variance
            beliefs.cost_lower[n] = beliefs.cost_raise[n] = 1.0
        else:
            beliefs.mean[n] = beliefs.low[n]
    tally[RENEWAL] = tally[SEEN] + max(1.0, tally[SEEN] * (_GROWTH - 1))


def narrow(tree: Columns, beliefs: Beliefs, limits: Limits, n: int) -> None:
    """Back the interval of an inner node up from its children's."""
    lower, upper = beliefs.lower, beliefs.upper
    k = tree.kind[n]
    begin, end = tree.first[n], tree.first[n + 1]
    if k == 3:
        least = most = limits.zero
        for b in range(begin, end):
            p = tree.probability[b]
            if p > 0:
                c = tree.child[b]
                least += p * lower[c]
                most += p * upper[c]
    else:
        c = tree.child[begin]
        least, most = lower[c], upper[c]
        for b in range(begin, end):
            c = tree.child[b]
            if k == 1 and lower[c] > least or k == 2 and lower[c] < least:
                least = lower[c]
            if k == 1 and upper[c] > most or k == 2 and upper[c] < most:
                most = upper[c]
    if most > least + limits.eps:
        if lower[n] > least:
            least = lower[n]
        if upper[n] < most:
            most = upper[n]
    if most != least and most <= least + limits.eps:
        if k == 1:
            most = least
        elif k == 2:
            least = most
        else:
            least = most = (least + most) / 2
    lower[n] = least
    upper[n] = most
    beliefs.low[n] = in_float(least, limits.scale)
    beliefs.high[n] = in_float(most, limits.scale)


# ---- Where to go.


def choose(tree: Columns, beliefs: Beliefs, limits: Limits, n: int, aim: int) -> tuple[int, int]:
    """Return the branch by which a walk goes on from an open node, and what it is to do there.

    To lower what MAX has, every child must come down: the one with the greatest upper bound. To raise it, one is
    enough: the one that is expected to bring most for its cost. MIN is the mirror, and at CHANCE each outcome counts
    by its probability.
    """
    lower, upper, low, high = beliefs.lower, beliefs.upper, beliefs.low, beliefs.high
    k = tree.kind[n]
    begin, end = tree.first[n], tree.first[n + 1]
    chosen = end
    best = 0.0
    if k == 3:
        for b in range(begin, end):
            c = tree.child[b]
            p = tree.probability[b]
            if p > 0 and lower[c] < upper[c]:
                if aim == EXACT or limits.guide == BOUNDS:
                    score = p * (far_high(beliefs, c) - far_low(beliefs, c))
                elif aim == LOWER:
                    score = p * gain(beliefs, limits, c, high[c], True) / beliefs.cost_lower[c]
                else:
                    score = p * gain(beliefs, limits, c, low[c], False) / beliefs.cost_raise[c]
                if chosen == end or score > best * _CLOSE:
                    chosen, best = b, float(score)
        return chosen, aim
    every = LOWER if k == 1 else RAISE  # the aim for which every child must come
    if aim in (EXACT, every) or limits.guide == BOUNDS:
        sign = 1.0 if k == 1 else -1.0
        second = greatest = 0.0
        for b in range(begin, end):
            c = tree.child[b]
            hope = sign * beliefs.mean[c]
            if b == begin or hope > greatest:
                greatest = hope
            if lower[c] < upper[c]:
                score = high[c] if k == 1 else -low[c]
                if (
                    chosen == end
                    or score > best + limits.near
                    or score >= best - limits.near
                    and hope > second + limits.near
                ):
                    chosen, best, second = b, score, hope
        if aim == EXACT and second < greatest - limits.near:
            aim = every
        return chosen, aim
    for b in range(begin, end):
        c = tree.child[b]
        if lower[c] < upper[c]:
            if k == 1 and upper[c] > lower[n]:
                score = gain(beliefs, limits, c, max(low[n], low[c]), False) / beliefs.cost_raise[c]
            elif k == 2 and lower[c] < upper[n]:
                score = gain(beliefs, limits, c, min(high[n], high[c]), True) / beliefs.cost_lower[c]
            else:
                continue
            if chosen == end or score > best * _CLOSE:
                chosen, best = b, score
    return chosen, aim


def choose_rival(tree: Columns, beliefs: Beliefs, limits: Limits, root: int) -> tuple[int, int]:
    """Return the branch at a player's root from which most is expected for the proof of which action is best.

    Either the action that is sure of most is raised, or the rival that may bring most is lowered (at MIN the mirror).
    """
    lower, upper, low, high = beliefs.lower, beliefs.upper, beliefs.low, beliefs.high
    is_max = tree.kind[root] == 1
    begin, end = tree.first[root], tree.first[root + 1]
    sign = 1.0 if is_max else -1.0
    favourite = begin
    for b in range(begin, end):
        c, best = tree.child[b], tree.child[favourite]
        if sign * beliefs.mean[c] > sign * beliefs.mean[best] + limits.near:
            favourite = b
    rival = end
    most = 0.0
    best = tree.child[favourite]
    for b in range(begin, end):
        c = tree.child[b]
        if c != best and lower[c] < upper[c]:
            score = high[c] if is_max else -low[c]
            if rival == end or score > most + limits.near:
                rival, most = b, score
    to_raise = RAISE if is_max else LOWER
    if rival == end:
        return favourite, to_raise
    to_lower = LOWER if is_max else RAISE
    if lower[best] == upper[best]:
        return rival, to_lower
    c = tree.child[rival]
    if is_max:
        down = gain(beliefs, limits, c, high[c], True) / beliefs.cost_lower[c]
        up = gain(beliefs, limits, best, low[best], False) / beliefs.cost_raise[best]
    else:
        down = gain(beliefs, limits, c, low[c], False) / beliefs.cost_raise[c]
        up = gain(beliefs, limits, best, high[best], True) / beliefs.cost_lower[best]
    if up > down * _CLOSE:
        return favourite, to_raise
    return rival, to_lower


def far_low(beliefs: Beliefs, n: int) -> float:
    """Return a node's lower bound, or where none is known, what v* is hardly below."""
    low = beliefs.low[n]
    return float(low if low > -_MOST else beliefs.mean[n] - _FAR * sqrt(beliefs.variance[n]))


def far_high(beliefs: Beliefs, n: int) -> float:
    """Return a node's upper bound, or where none is known, what v* is hardly above."""
    high = beliefs.high[n]
    return float(high if high < _MOST else beliefs.mean[n] + _FAR * sqrt(beliefs.variance[n]))


def gain(beliefs: Beliefs, limits: Limits, n: int, x: float, below: bool) -> float:
    """Return by how much v* of a node is expected to lie below x (else above), counting 0 where it does not.

    Of a normal distribution that is d * Phi(z) + s * phi(z) with d = x - mean, z = d / s; of a uniform one on
    [low, high] the square of what lies below x by twice the width.
    """
    if x > _MOST:
        x = far_high(beliefs, n)
    elif x < -_MOST:
        x = far_low(beliefs, n)
    if limits.guide == UNIFORM:
        least, most = far_low(beliefs, n), far_high(beliefs, n)
        part = x - least if below else most - x
        return part * part / (2 * (most - least)) if part > 0 and most > least else 0.0
    d = x - beliefs.mean[n] if below else beliefs.mean[n] - x
    if beliefs.variance[n] <= 0:
        return float(d) if d > 0 else 0.0
    s = sqrt(beliefs.variance[n])
    z = d / s
    return float(d * 0.5 * (1 + erf(z * 0.7071067811865476)) + s * 0.3989422804014327 * exp(-0.5 * z * z))


# ---- What to expect.


def estimate(tree: Columns, beliefs: Beliefs, limits: Limits, n: int) -> None:
    """Renew the guesses of an inner node: the mean and the variance of v*, and what it costs to learn more of it."""
    if limits.guide == BOUNDS:
        return
    low, high, means, variances = beliefs.low, beliefs.high, beliefs.mean, beliefs.variance
    k = tree.kind[n]
    begin, end = tree.first[n], tree.first[n + 1]
    mean = variance = 0.0
    if k == 3:
        for b in range(begin, end):
            c = tree.child[b]
            p = float(tree.probability[b])
            mean += p * means[c]
            variance += p * p * variances[c]
    else:
        sign = 1.0 if k == 1 else -1.0
        for b in range(begin, end):
            c = tree.child[b]
            if b == begin:
                mean, variance = sign * means[c], variances[c]
            else:
                mean, variance = greater_of(mean, variance, sign * means[c], variances[c])
        mean *= sign
    if limits.guide == UNIFORM and high[n] - low[n] < _MOST:
        mean = (low[n] + high[n]) / 2
    mean = min(max(mean, low[n]), high[n])
    width = high[n] - low[n]
    if variance > width * width / 4:  # the most that an interval leaves room for
        variance = width * width / 4
    means[n] = mean
    variances[n] = variance
    # For one aim all children count, or at a player those beyond the estimate; for the other the best for its cost.
    to_lower = to_raise = best = 0.0
    for b in range(begin, end):
        c = tree.child[b]
        if not low[c] < high[c]:
            continue
        if k == 3:
            if tree.probability[b] > 0:
                to_lower += beliefs.cost_lower[c]
                to_raise += beliefs.cost_raise[c]
        elif k == 1:
            if high[c] > mean:
                to_lower += beliefs.cost_lower[c]
            if high[c] > low[n]:
                score = gain(beliefs, limits, c, max(low[n], low[c]), False) / beliefs.cost_raise[c]
                if to_raise == 0 or score > best * _CLOSE:
                    to_raise, best = beliefs.cost_raise[c], score
        else:
            if low[c] < mean:
                to_raise += beliefs.cost_raise[c]
            if low[c] < high[n]:
                score = gain(beliefs, limits, c, min(high[n], high[c]), True) / beliefs.cost_lower[c]
                if to_lower == 0 or score > best * _CLOSE:
                    to_lower, best = beliefs.cost_lower[c], score
    beliefs.cost_lower[n] = max(1.0, to_lower)
    beliefs.cost_raise[n] = max(1.0, to_raise)


def greater_of(mean: float, variance: float, other_mean: float, other_variance: float) -> tuple[float, float]:
    """Return mean and variance of the greater of two independent normal variables (Clark 1961, equations 2 to 4)."""
    spread = variance + other_variance
    if spread <= 0:
        return max(mean, other_mean), 0.0
    a = sqrt(spread)
    z = (mean - other_mean) / a
    p = 0.5 * (1 + erf(z * 0.7071067811865476))
    q = 1 - p
    density = 0.3989422804014327 * exp(-0.5 * z * z)
    middle = mean * p + other_mean * q + a * density
    # The second moment about the greater mean, since of large numbers little would be left.
    mean, other_mean = mean - middle, other_mean - middle
    square = (mean * mean + variance) * p + (other_mean * other_mean + other_variance) * q
    return middle, max(0.0, square + (mean + other_mean) * a * density)
