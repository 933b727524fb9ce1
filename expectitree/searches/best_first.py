"""Best-first search: walks from the root to the leaf from which it expects most, visits it, backs its interval up.

No window and no order: what is known of every node is in memory, so each walk may go wherever it
learns most. That the intervals hold v* is in the backing up alone, and so is that the search ends:
a walk goes through open nodes, and an open node has an open child. Where it goes is a guess, made
in floats in every mode (docs/best-first.md).

Plain functions of columns and numbers, interpreted or compiled as they stand; what one calls is
compiled with it. All are in one module, since machine code that is kept on disk is known to be
stale by its own file only.
"""

from __future__ import annotations

from math import erf, exp, sqrt
from typing import Any, NamedTuple

from expectitree.tree.columns import Column, Columns

EXACT, LOWER, RAISE = range(
    3
)  # what a walk is to do at a node: with which of its bounds, or with both
LEARNING, ORDERED, UNIFORM, BOUNDS = range(4)  # what guides it
VALUE, ACTION = range(2)  # when it is over: the root is exact, or its best action proved

# Numbers of the whole tree, by place in `tally`: how many leaves the root's bounds count for, the
# middle that utilities are measured from, the variance that the bounds suggest; leaves seen so far,
# and when all estimates are renewed next.
WEIGHT, CENTER, BREADTH, SEEN, RENEWAL = range(5)
TALLIES = 5

_CLOSE = (
    1 + 1e-6
)  # expected gains within this factor are equal: the first branch is taken, whatever rounding does
_GROWTH = 1.25  # of the leaves seen, until all estimates are renewed
_PRIOR = 2.0  # leaves that the variance of all counts for, where that of one depth is estimated
_DOUBT = 16.0  # squared standard errors up to which a slope is taken for chance
_HASTE = 2.0  # how much more a rival must promise than the favourite
_FAR = 6.0  # standard deviations from the mean, where a bound that is not known is taken to be,
_BEYOND = 1e100  # or where nothing is learnt, so far: beyond all numbers that are guessed with
_MOST = 1e300  # numbers beyond are taken for infinite
_INFINITE = float("inf")


class Beliefs(NamedTuple):
    """The columns that a best-first search writes."""

    lower: Column  # [N] the interval known to hold v*; starts as the node's bounds
    upper: Column  # [N]
    visits: Column  # [N] entries
    aim: Column  # [N] EXACT, LOWER or RAISE: what the last walk through the node was to do there
    depth: Column  # [N] branches from the root, by the path that ends with `own`
    own: Column  # [N] the one branch by which a node counts for its parent
    low: Column  # [N] lower and upper in floats
    high: Column  # [N]
    mean: Column  # [N] the estimate of v*,
    variance: Column  # [N] and how unsure it is
    cost_lower: Column  # [N] the leaves that it may take to lower the upper bound
    cost_raise: Column  # [N] the same to raise the lower bound
    rate: Column  # [N] at MAX and MIN: what its most promising child promises a leaf
    seen: Column  # [N] leaves seen at or below, at the last renewal
    total: Column  # [N] the sum of their utilities,
    squares: Column  # [N] and of the squares
    told: Column  # [N] what the leaves seen below say of the node's level,
    trust: Column  # [N] and how much that weighs
    level: Column  # [N] around what the leaves below lie, by all that was seen,
    doubt: Column  # [N] and the variance of that
    tally: Column  # [5] numbers of the whole tree
    spread: Column  # [height + 2] by depth: the variance of leaves below one node of that depth
    slope: Column  # [height + 2] by how much the last child of a node lies above the first
    freedom: Column  # [height + 2] by depth: the sums that these two are estimated from
    apart: Column
    by_rank: Column
    ranks: Column
    levels: Column
    route: Column  # [height + 2] by depth: the nodes of the last walk


NODE_CODES = "IBII"  # the type codes of the columns by node from `visits` on,
NODE_FLOATS = 14  # then so many of floats in every mode, `tally`,
DEPTH_FLOATS = 7  # and so many by depth, before `route`


class Limits(NamedTuple):
    """The numbers that a best-first search goes by."""

    eps: Any  # numbers that differ by at most this are equal; 0 in exact mode
    near: float  # the same for bounds in floats, in every mode
    zero: Any  # what sums start from
    scale: Any  # by which numbers are multiplied to be floats
    guide: int  # LEARNING, ORDERED, UNIFORM or BOUNDS
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
            return not is_reached(
                tree, beliefs, limits
            )  # what is shared may have come to be known elsewhere
        entries += depth + 1
        leaf = beliefs.route[depth]
        if tree.kind[leaf] == 0:
            take_in(beliefs, limits, leaf, tree.utility[leaf])
        back_up(tree, beliefs, limits, depth)
        if is_reached(tree, beliefs, limits):
            return False


def begin(tree: Columns, beliefs: Beliefs, limits: Limits) -> None:
    """Write what is known and guessed before any leaf is seen.

    Utilities are guessed to be spread evenly between the root's bounds, which weighs as much as two
    leaves; where a bound is not known, around the other or 0, which weighs next to nothing.
    """
    tally, depth, own = beliefs.tally, beliefs.depth, beliefs.own
    low, high = beliefs.low, beliefs.high
    first, child = tree.first, tree.child
    root = len(tree.kind) - 1
    for n in range(len(tree.kind)):
        low[n] = in_float(beliefs.lower[n], limits.scale)
        high[n] = in_float(beliefs.upper[n], limits.scale)
    for i in range(len(tree.kind)):
        n = root - i
        for b in range(first[n], first[n + 1]):
            depth[child[b]] = depth[n] + 1
            own[child[b]] = b
    if 0 < high[root] - low[root] < _MOST:
        tally[WEIGHT] = 2.0
        tally[CENTER] = (low[root] + high[root]) / 2
        tally[BREADTH] = (high[root] - low[root]) ** 2 / 12
    else:
        tally[WEIGHT] = 0.01
        tally[CENTER] = (
            low[root] if low[root] > -_MOST else high[root] if high[root] < _MOST else 0.0
        )
        tally[BREADTH] = 1.0
    tally[SEEN] = 0.0
    tally[RENEWAL] = 0.0


def in_float(number: Any, scale: Any) -> float:
    """Return a number as a float; an infinity is one whatever the scale."""
    if number - number != 0:
        return float(number)
    scaled = number * scale
    if scaled > _MOST:  # an answer may be beyond all that the scale was chosen for
        return _MOST
    return float(scaled) if scaled > -_MOST else -_MOST


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
    sure, hope = (lower, upper) if k == 1 else (upper, lower)
    first = second = -1  # the two actions that may bring most
    for b in range(begin, end):
        c = tree.child[b]
        if c == first:
            continue
        if first < 0 or (hope[c] > hope[first] if k == 1 else hope[c] < hope[first]):
            first, second = c, first
        elif second < 0 or (hope[c] > hope[second] if k == 1 else hope[c] < hope[second]):
            second = c
    for b in range(begin, end):
        c = tree.child[b]
        rival = second if c == first else first
        if rival < 0 or (
            hope[rival] <= sure[c] + limits.eps if k == 1 else hope[rival] >= sure[c] - limits.eps
        ):
            return True
    return False


def walk(tree: Columns, beliefs: Beliefs, limits: Limits, most: int) -> int:
    """Go from the root down to a leaf that is not seen, `route` says by which nodes; return how deep it lies.

    Where nodes are shared, what one parent has learnt may not have come to another: each node is
    backed up as it is entered, and the walk ends where that closes it; at the root, where that
    reaches the goal. Return -1 where more than `most` nodes would be entered.
    """
    node = len(tree.kind) - 1
    if beliefs.tally[SEEN] >= beliefs.tally[RENEWAL]:
        renew(tree, beliefs, limits)
        if beliefs.visits[node] > 0 and is_reached(tree, beliefs, limits):
            return 0  # what had come to one parent only was enough: no node is entered for that
    aim = EXACT
    depth = 0
    while depth < most:
        beliefs.route[depth] = node
        beliefs.aim[node] = aim
        beliefs.visits[node] += 1
        if tree.kind[node] == 0:
            return depth
        narrow(tree, beliefs, limits, node)
        if (
            beliefs.lower[node] == beliefs.upper[node]
            or depth == 0
            and is_reached(tree, beliefs, limits)
        ):
            return depth
        if depth == 0 and limits.goal == ACTION and tree.kind[node] != 3:
            branch, aim = choose_rival(tree, beliefs, limits, node)
        else:
            branch, aim = choose(tree, beliefs, limits, node, aim)
        node = tree.child[branch]
        depth += 1
    return -1


def take_in(beliefs: Beliefs, limits: Limits, leaf: int, utility: Any) -> None:
    """Write the utility of a leaf, and count it."""
    beliefs.lower[leaf] = beliefs.upper[leaf] = utility
    x = in_float(utility, limits.scale)
    beliefs.low[leaf] = beliefs.high[leaf] = beliefs.mean[leaf] = x
    beliefs.variance[leaf] = 0.0
    x -= beliefs.tally[CENTER]
    beliefs.seen[leaf] = 1.0
    beliefs.total[leaf] = x
    beliefs.squares[leaf] = x * x
    beliefs.tally[SEEN] += 1


def back_up(tree: Columns, beliefs: Beliefs, limits: Limits, depth: int) -> None:
    """Renew what is known and guessed of the nodes of the last walk, from its end up to the root."""
    route = beliefs.route
    if limits.guide <= ORDERED:
        for i in range(depth + 1):
            n = route[depth - i]
            if tree.kind[n] != 0:
                hear(tree, beliefs, n)
        hear_root(tree, beliefs)
        for i in range(depth + 1):
            n = route[i]
            if tree.kind[n] != 0:
                tell(tree, beliefs, n)
    for i in range(depth + 1):
        n = route[depth - i]
        if tree.kind[n] != 0:
            narrow(tree, beliefs, limits, n)
            estimate(tree, beliefs, limits, n)


def renew(tree: Columns, beliefs: Beliefs, limits: Limits) -> None:
    """Renew what is known and guessed of every node."""
    count = len(tree.kind)
    for n in range(count):
        if tree.kind[n] != 0:
            narrow(tree, beliefs, limits, n)
    if limits.guide <= ORDERED:
        learn(tree, beliefs, limits)
        for n in range(count):
            if tree.kind[n] != 0:
                hear(tree, beliefs, n)
        hear_root(tree, beliefs)
        for i in range(count):
            n = count - 1 - i
            if tree.kind[n] != 0:
                tell(tree, beliefs, n)
    else:
        for n in range(count):
            beliefs.mean[n] = middle_of(beliefs, n)
            beliefs.cost_lower[n] = beliefs.cost_raise[n] = 1.0
    for n in range(count):
        if tree.kind[n] != 0:
            estimate(tree, beliefs, limits, n)
    beliefs.tally[RENEWAL] = beliefs.tally[SEEN] + max(1.0, beliefs.tally[SEEN] * (_GROWTH - 1))


def narrow(tree: Columns, beliefs: Beliefs, limits: Limits, n: int) -> None:
    """Back the interval of an inner node up from its children's."""
    lower, upper, child = beliefs.lower, beliefs.upper, tree.child
    k = tree.kind[n]
    begin, end = tree.first[n], tree.first[n + 1]
    if k == 3:
        least = most = limits.zero
        least_is_known = most_is_known = True
        for b in range(begin, end):
            p = tree.probability[b]
            if (
                p > 0
            ):  # a sum of fractions must not meet an infinity: they may be too great for a float
                c = child[b]
                if lower[c] > -_INFINITE:
                    least += p * lower[c]
                else:
                    least_is_known = False
                if upper[c] < _INFINITE:
                    most += p * upper[c]
                else:
                    most_is_known = False
        if not least_is_known:
            least = -_INFINITE
        if not most_is_known:
            most = _INFINITE
    else:
        c = child[begin]
        least, most = lower[c], upper[c]
        for b in range(begin, end):
            c = child[b]
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

    To lower what MAX has, every child must come down: the one with the greatest upper bound. To
    raise it, one is enough: the one that promises most a leaf. MIN is the mirror, and at CHANCE
    each outcome counts by its probability.
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
                if limits.guide == BOUNDS:
                    score = far_high(beliefs, limits, c) - far_low(beliefs, limits, c)
                elif aim == EXACT:
                    width = far_high(beliefs, limits, c) - far_low(beliefs, limits, c)
                    score = width / (beliefs.cost_lower[c] + beliefs.cost_raise[c])
                else:
                    score = promise(tree, beliefs, limits, c, aim)
                score *= p
                if chosen == end or score > best * _CLOSE:
                    chosen, best = b, float(score)
        return chosen, aim
    every = LOWER if k == 1 else RAISE  # the aim for which every child must come
    if aim in (EXACT, every) or limits.guide == BOUNDS:
        sign = 1.0 if k == 1 else -1.0
        hope = greatest = 0.0
        for b in range(begin, end):
            c = tree.child[b]
            mean = sign * beliefs.mean[c]
            if b == begin or mean > greatest:
                greatest = mean
            if lower[c] < upper[c]:
                end_of = high[c] if k == 1 else -low[c]
                is_close = end_of >= best - limits.near and mean > hope + limits.near
                if chosen == end or end_of > best + limits.near or is_close:
                    chosen, best, hope = b, end_of, mean
        if aim == EXACT and hope < greatest - limits.near:
            aim = every
        return chosen, aim
    for b in range(begin, end):
        c = tree.child[b]
        may_help = upper[c] > lower[n] + limits.eps if k == 1 else lower[c] < upper[n] - limits.eps
        if lower[c] < upper[c] and may_help:
            score = gain_at(beliefs, limits, n, c, aim)
            if chosen == end or score > best * _CLOSE:
                chosen, best = b, score
    return chosen, aim


def choose_rival(tree: Columns, beliefs: Beliefs, limits: Limits, root: int) -> tuple[int, int]:
    """Return the branch at a player's root from which most is expected for the proof of which action is best.

    Either the favourite is raised, or the rival that may bring most is lowered (at MIN the mirror):
    where the favourite may not bring as much as the rival can, or the rival promises clearly more a
    leaf. All rivals must come down.
    """
    lower, upper, low, high, child = (
        beliefs.lower,
        beliefs.upper,
        beliefs.low,
        beliefs.high,
        tree.child,
    )
    is_max = tree.kind[root] == 1
    begin, end = tree.first[root], tree.first[root + 1]
    sign = 1.0 if is_max else -1.0
    to_raise, to_lower = (RAISE, LOWER) if is_max else (LOWER, RAISE)
    favourite = begin
    for b in range(begin, end):
        c, best = child[b], child[favourite]
        is_close = sign * beliefs.mean[c] >= sign * beliefs.mean[best] - limits.near
        end_of, most = (high[c], high[best]) if is_max else (-low[c], -low[best])
        if (
            sign * beliefs.mean[c] > sign * beliefs.mean[best] + limits.near
            or is_close
            and end_of > most + limits.near
        ):
            favourite = b
    best = child[favourite]
    sure = low[best] if is_max else -high[best]
    held = (
        low[root] if is_max else -high[root]
    )  # what some action is sure of: who can bring no more is no rival
    rival = end
    cost = most = 0.0
    for b in range(begin, end):
        c = child[b]
        if c != best and lower[c] < upper[c]:
            end_of = high[c] if is_max else -low[c]
            if rival == end or end_of > most + limits.near:
                rival, most = b, end_of
            if end_of > sure + limits.near:
                cost += beliefs.cost_lower[c] if is_max else beliefs.cost_raise[c]
    is_open = lower[best] < upper[best]
    if rival == end or is_open and most <= held + limits.near:
        return favourite, to_raise
    c = child[rival]
    if not is_open or (high[best] if is_max else -low[best]) < most - limits.near:
        return rival, to_lower
    up = promise(tree, beliefs, limits, best, to_raise)
    down = promise(tree, beliefs, limits, c, to_lower)
    if tree.kind[c] == 3:
        down = 0.0
        for b in range(tree.first[c], tree.first[c + 1]):
            outcome = child[b]
            if tree.probability[b] > 0 and lower[outcome] < upper[outcome]:
                down = max(
                    down, tree.probability[b] * promise(tree, beliefs, limits, outcome, to_lower)
                )
    down *= (beliefs.cost_lower[c] if is_max else beliefs.cost_raise[c]) / max(1.0, cost)
    if down > _HASTE * up * _CLOSE:
        return rival, to_lower
    return favourite, to_raise


def promise(tree: Columns, beliefs: Beliefs, limits: Limits, n: int, aim: int) -> float:
    """Return by how much a leaf below a node is expected to lower its upper bound, or raise its lower."""
    if tree.kind[n] == (2 if aim == LOWER else 1):
        return float(beliefs.rate[n])
    if aim == LOWER:
        return float(gain(beliefs, limits, n, beliefs.high[n], True) / beliefs.cost_lower[n])
    return float(gain(beliefs, limits, n, beliefs.low[n], False) / beliefs.cost_raise[n])


def gain_at(beliefs: Beliefs, limits: Limits, n: int, c: int, aim: int) -> float:
    """Return what a leaf below a child of MIN is expected to take off MIN's upper bound (or the mirror at MAX)."""
    low, high = beliefs.low, beliefs.high
    if aim == LOWER:
        return float(gain(beliefs, limits, c, min(high[n], high[c]), True) / beliefs.cost_lower[c])
    return float(gain(beliefs, limits, c, max(low[n], low[c]), False) / beliefs.cost_raise[c])


def gain(beliefs: Beliefs, limits: Limits, n: int, x: float, below: bool) -> float:
    """Return by how much v* of a node is expected to lie below x (else above), counting 0 where it does not.

    Of a normal distribution that is d * Phi(z) + s * phi(z) with d = x - mean, z = d / s; of a
    uniform one on [low, high] the square of what lies below x by twice the width.
    """
    if x > _MOST:
        x = far_high(beliefs, limits, n)
    elif x < -_MOST:
        x = far_low(beliefs, limits, n)
    if limits.guide == UNIFORM:
        least, most = far_low(beliefs, limits, n), far_high(beliefs, limits, n)
        part = x - least if below else most - x
        return part * part / (2 * (most - least)) if part > 0 and most > least else 0.0
    d = x - beliefs.mean[n] if below else beliefs.mean[n] - x
    if beliefs.variance[n] <= 0:
        return float(d) if d > 0 else 0.0
    s = sqrt(beliefs.variance[n])
    z = d / s
    return float(
        d * 0.5 * (1 + erf(z * 0.7071067811865476)) + s * 0.3989422804014327 * exp(-0.5 * z * z)
    )


def far_low(beliefs: Beliefs, limits: Limits, n: int) -> float:
    """Return a node's lower bound, or where none is known, what v* is hardly below."""
    low = beliefs.low[n]
    return float(low if low > -_MOST else beliefs.mean[n] - far(beliefs, limits, n))


def far_high(beliefs: Beliefs, limits: Limits, n: int) -> float:
    """Return a node's upper bound, or where none is known, what v* is hardly above."""
    high = beliefs.high[n]
    return float(high if high < _MOST else beliefs.mean[n] + far(beliefs, limits, n))


def far(beliefs: Beliefs, limits: Limits, n: int) -> float:
    """Return how far from the mean of a node an end is taken to be that is not known."""
    return _FAR * sqrt(beliefs.variance[n]) if limits.guide <= ORDERED else _BEYOND


def middle_of(beliefs: Beliefs, n: int) -> float:
    """Return the middle of what is known of a node; where nothing is, 0."""
    low, high = beliefs.low[n], beliefs.high[n]
    if high - low < _MOST:
        return float((low + high) / 2)
    return float(low if low > -_MOST else high if high < _MOST else 0.0)


# ---- What to expect of an inner node, by its children.


def estimate(tree: Columns, beliefs: Beliefs, limits: Limits, n: int) -> None:
    """Renew the guesses of an inner node: the mean and the variance of v*, and what it costs to learn more of it."""
    if limits.guide == BOUNDS:
        return
    low, high, means, variances = beliefs.low, beliefs.high, beliefs.mean, beliefs.variance
    cost_lower, cost_raise = beliefs.cost_lower, beliefs.cost_raise
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
    if limits.guide == UNIFORM:
        mean = middle_of(beliefs, n)
    mean = min(max(mean, low[n]), high[n])
    width = high[n] - low[n]
    if variance > width * width / 4:  # the most that an interval leaves room for
        variance = width * width / 4
    means[n] = mean
    variances[n] = variance
    # For one aim all children count, or at a player those beyond the estimate; for the other the
    # best for its cost.
    to_lower = to_raise = best = 0.0
    found = False
    for b in range(begin, end):
        c = tree.child[b]
        if not low[c] < high[c]:
            continue
        if k == 3:
            if tree.probability[b] > 0:
                to_lower += cost_lower[c]
                to_raise += cost_raise[c]
            continue
        if k == 1 and high[c] > mean + limits.near:
            to_lower += cost_lower[c]
        if k == 2 and low[c] < mean - limits.near:
            to_raise += cost_raise[c]
        if k == 1 and high[c] > low[n] + limits.near:
            score = gain_at(beliefs, limits, n, c, RAISE)
            if not found or score > best * _CLOSE:
                to_raise, best, found = cost_raise[c], score, True
        if k == 2 and low[c] < high[n] - limits.near:
            score = gain_at(beliefs, limits, n, c, LOWER)
            if not found or score > best * _CLOSE:
                to_lower, best, found = cost_lower[c], score, True
    beliefs.rate[n] = best
    cost_lower[n] = max(1.0, to_lower)
    cost_raise[n] = max(1.0, to_raise)


def greater_of(
    mean: float, variance: float, other_mean: float, other_variance: float
) -> tuple[float, float]:
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
    # The second moment about the mean of the greater, since of large numbers little would be left.
    mean, other_mean = mean - middle, other_mean - middle
    square = (mean * mean + variance) * p + (other_mean * other_mean + other_variance) * q
    return middle, max(0.0, square + (mean + other_mean) * a * density)


# ---- What to expect of a leaf, by the leaves seen.
#
# A leaf is taken to lie around the level of its parent, and that around the level of its own
# parent, normally: a random effect for each node, whose variance is that of its depth. Leaves that
# lie near each other may so be alike, as they are where utilities add up on the way down; where
# they are independent, the variances say so, and nothing is assumed.


def learn(tree: Columns, beliefs: Beliefs, limits: Limits) -> None:
    """Estimate for each depth how far leaves below one node spread, and whether children tend to stand in order.

    The first is half the mean squared difference of two leaves that part at such a node, no less
    than that of the depth below; the second the regression of a child's mean on its rank within its
    node. Both are held to what is true of all leaves, or to no order, unless what was seen says
    clearly more (James and Stein 1961).
    """
    seen, total, squares, depth, own = (
        beliefs.seen,
        beliefs.total,
        beliefs.squares,
        beliefs.depth,
        beliefs.own,
    )
    freedom, apart, by_rank, ranks, levels = (
        beliefs.freedom, beliefs.apart, beliefs.by_rank, beliefs.ranks, beliefs.levels,
    )  # fmt: skip
    for d in range(len(freedom)):
        freedom[d] = apart[d] = by_rank[d] = ranks[d] = levels[d] = 0.0
        beliefs.slope[d] = 0.0
    root = len(tree.kind) - 1
    deepest = depth[root]  # of inner nodes: below there is nothing to estimate
    for n in range(len(tree.kind)):
        if tree.kind[n] == 0:
            continue
        count = whole = square = same = inner = 0.0
        parts = r_sum = x_sum = xr_sum = rr_sum = xx_sum = 0.0
        for b in range(tree.first[n], tree.first[n + 1]):
            c = tree.child[b]
            if seen[c] == 0 or own[c] != b:
                continue
            count += seen[c]
            whole += total[c]
            square += squares[c]
            same += seen[c] * seen[c]
            inner += seen[c] * squares[c] - total[c] * total[c]
            parts += 1
            r = rank(tree, n, b)
            x = total[c] / seen[c]
            r_sum += r
            x_sum += x
            xr_sum += x * r
            rr_sum += r * r
            xx_sum += x * x
        deepest = max(deepest, depth[n])
        seen[n] = count
        total[n] = whole
        squares[n] = square
        if parts > 1:
            d = depth[n]
            freedom[d] += parts - 1
            apart[d] += (
                (parts - 1)
                * max(0.0, count * square - whole * whole - inner)
                / (count * count - same)
            )
            by_rank[d] += xr_sum - x_sum * r_sum / parts
            ranks[d] += rr_sum - r_sum * r_sum / parts
            levels[d] += xx_sum - x_sum * x_sum / parts
        if limits.guide == ORDERED:
            beliefs.slope[depth[n]] = (
                -1.0 if tree.kind[n] == 1 else 1.0 if tree.kind[n] == 2 else 0.0
            )
    count = seen[root] + beliefs.tally[WEIGHT]
    mean = total[root] / count
    variance = (
        squares[root] + beliefs.tally[WEIGHT] * beliefs.tally[BREADTH]
    ) / count - mean * mean
    variance = max(variance, 1e-12 * beliefs.tally[BREADTH])
    widest = 0.0
    for i in range(deepest + 1):
        d = deepest - i
        widest = max(widest, (apart[d] + _PRIOR * variance) / (freedom[d] + _PRIOR))
        beliefs.spread[d] = widest
        slope = beliefs.slope[d] * sqrt(widest)  # what the order is said to mean
        if freedom[d] > _PRIOR and ranks[d] > 0:
            fitted = by_rank[d] / ranks[d]
            error = max(0.0, levels[d] - fitted * by_rank[d]) / ((freedom[d] - 1) * ranks[d])
            off = fitted - slope
            if off * off > _DOUBT * error:
                slope += off * (1 - _DOUBT * error / (off * off))
        beliefs.slope[d] = slope


def rank(tree: Columns, n: int, b: int) -> float:
    """Return where a branch stands among those of its node, from -1/2 for the first to 1/2 for the last."""
    count = tree.first[n + 1] - tree.first[n]
    return float((b - tree.first[n]) / (count - 1) - 0.5 if count > 1 else 0.0)


def hear(tree: Columns, beliefs: Beliefs, n: int) -> None:
    """Renew what the leaves seen below an inner node say of its level: a mean, and its precision."""
    d = beliefs.depth[n]
    spread, deeper = beliefs.spread[d], beliefs.spread[d + 1]
    weight = weighed = 0.0
    for b in range(tree.first[n], tree.first[n + 1]):
        c = tree.child[b]
        if beliefs.own[c] != b:
            continue
        if tree.kind[c] == 0:
            if beliefs.seen[c] == 0:
                continue
            w, x = 1 / spread, beliefs.total[c]
        elif beliefs.trust[c] > 0:
            w, x = 1 / (spread - deeper + 1 / beliefs.trust[c]), beliefs.told[c]
        else:
            continue
        weight += w
        weighed += w * (x - beliefs.slope[d] * rank(tree, n, b))
    beliefs.trust[n] = weight
    beliefs.told[n] = weighed / weight if weight > 0 else 0.0


def hear_root(tree: Columns, beliefs: Beliefs) -> None:
    """Renew the level of the root: what its leaves say, with what its bounds say."""
    root = len(tree.kind) - 1
    weight = beliefs.tally[WEIGHT] / beliefs.spread[0]
    beliefs.level[root] = beliefs.trust[root] * beliefs.told[root] / (weight + beliefs.trust[root])
    beliefs.doubt[root] = 1 / (weight + beliefs.trust[root])


def tell(tree: Columns, beliefs: Beliefs, n: int) -> None:
    """Renew the levels of the children of an inner node from its own, and the estimates of its leaves not seen."""
    d = beliefs.depth[n]
    spread = beliefs.spread[d]
    between = spread - beliefs.spread[d + 1]
    for b in range(tree.first[n], tree.first[n + 1]):
        c = tree.child[b]
        if beliefs.own[c] != b:
            continue
        x = beliefs.level[n] + beliefs.slope[d] * rank(tree, n, b)
        if tree.kind[c] != 0:
            f = 1 / (1 + between * beliefs.trust[c])
            beliefs.level[c] = f * x + (1 - f) * beliefs.told[c]
            beliefs.doubt[c] = f * between + f * f * beliefs.doubt[n]
        elif beliefs.seen[c] == 0:
            is_open = beliefs.low[c] < beliefs.high[c]
            beliefs.mean[c] = min(max(x + beliefs.tally[CENTER], beliefs.low[c]), beliefs.high[c])
            beliefs.variance[c] = spread + beliefs.doubt[n] if is_open else 0.0
            beliefs.cost_lower[c] = beliefs.cost_raise[c] = 1.0
