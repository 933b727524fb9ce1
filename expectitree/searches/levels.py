"""Estimates of leaves from the leaves visited: a random effect for each node, by its depth.

In this model, a leaf is normally distributed around the level of its parent, that level around the
level of the parent's parent, and so on. The variances depend on the depth. So leaves that are near
each other may be alike, as they are where utilities add up on the way down. If leaves are
independent, the variances show that. The levels of siblings may also depend on their estimates in
the tree, and on their ranks.
"""

from __future__ import annotations

from expectitree.base.numbers import INFINITY
from expectitree.base.tree.columns import TERMINAL, UNSEEN, Columns
from expectitree.searches.beliefs import (
    CENTER,
    LOWER,
    PRIOR_VARIANCE,
    PRIOR_WEIGHT,
    RAISE,
    Beliefs,
)

PRIOR_LEAVES = 2.0  # the weight of the variance of all leaves, in estimates of that of one depth
SLOPE_SIGNIFICANCE = 16.0  # squared standard errors up to which a slope counts as chance
TRUST_VARIANCE = 0.25  # of the prior of the trust in estimates, whose mean is 1


def is_inner(tree: Columns, n: int) -> bool:
    """Return whether a node has children."""
    return TERMINAL < tree.kind[n] < UNSEEN


def learn(tree: Columns, beliefs: Beliefs, nodes: range) -> None:
    """Estimate for each depth the variance of leaves below one node, the trust and the slope.

    `nodes` has children before their parents.

    The variance is half the mean squared difference of two leaves that part at a node of that
    depth. It is shrunk towards that of all leaves, and is at least that of the depth below.
    """
    moments = beliefs.moments
    for column in moments:
        for d in range(len(column)):
            column[d] = 0.0
    deepest = 0  # of inner nodes: there is nothing to estimate below, except where the tree grows
    for n in nodes:
        if is_inner(tree, n):
            add_leaves(tree, beliefs, n)
            deepest = max(deepest, beliefs.depth[n])
    if len(beliefs.grows) > 0:
        deepest = len(moments.freedom) - 2

    widest = 0.0
    # The variance of all leaves, by those visited and the prior.
    levels, tally, root = beliefs.levels, beliefs.tally, beliefs.root
    count = levels.leaves_seen[root] + tally[PRIOR_WEIGHT]
    mean = levels.leaf_total[root] / count
    squares = levels.leaf_squares[root] + tally[PRIOR_WEIGHT] * tally[PRIOR_VARIANCE]
    variance = max(squares / count - mean * mean, 1e-12 * tally[PRIOR_VARIANCE])
    for d in range(deepest, -1, -1):
        total = moments.deviations[d] + PRIOR_LEAVES * variance
        widest = max(widest, total / (moments.freedom[d] + PRIOR_LEAVES))
        beliefs.spread.leaf_variance[d] = widest
        fit(beliefs, d)


def add_leaves(tree: Columns, beliefs: Beliefs, n: int) -> None:
    """Sum up the visited leaves below a node, and how its children differ, for its depth."""
    levels, moments = beliefs.levels, beliefs.moments
    seen, totals, advantage = levels.leaves_seen, levels.leaf_total, levels.advantage
    parts = count = total = squares = 0.0
    pairs = differences = 0.0  # of leaves below different children, and their sum of squares
    means = ranks = advantages = 0.0
    for b in range(tree.first[n], tree.last[n]):
        c = tree.child[b]
        if seen[c] > 0 and beliefs.counting_branch[c] == b:
            pairs += count * seen[c]
            differences += count * levels.leaf_squares[c] + seen[c] * squares
            differences -= 2 * total * totals[c]
            parts += 1
            count += seen[c]
            total += totals[c]
            squares += levels.leaf_squares[c]
            means += totals[c] / seen[c]
            ranks += rank(tree, n, b)
            advantages += advantage[c]
    seen[n], totals[n], levels.leaf_squares[n] = count, total, squares
    if parts < 2:
        return

    d = beliefs.depth[n]
    moments.freedom[d] += parts - 1
    moments.deviations[d] += (parts - 1) * max(0.0, differences) / (2 * pairs)
    for b in range(tree.first[n], tree.last[n]):
        c = tree.child[b]
        if seen[c] > 0 and beliefs.counting_branch[c] == b:
            x = totals[c] / seen[c] - means / parts
            r = rank(tree, n, b) - ranks / parts
            a = advantage[c] - advantages / parts
            moments.mean_mean[d] += x * x
            moments.mean_rank[d] += x * r
            moments.mean_advantage[d] += x * a
            moments.rank_rank[d] += r * r
            moments.rank_advantage[d] += r * a
            moments.advantage_advantage[d] += a * a


def fit(beliefs: Beliefs, d: int) -> None:
    """Fit the regressions of a child's mean on its advantage, and of the rest on its rank.

    An estimate is a guess of the value, in the same units. So the search trusts it in full before
    leaves are visited, and less where the leaves do not confirm it. The slope is 0 unless the
    leaves clearly contradict that (James and Stein 1961).
    """
    moments = beliefs.moments
    trust, slope = 1.0, 0.0
    products, squares = moments.mean_advantage[d], moments.advantage_advantage[d]
    fitted, error = regression(beliefs, d, products, squares)
    if error < INFINITY:
        trust = (error + TRUST_VARIANCE * fitted) / (error + TRUST_VARIANCE)
    # What is left for the rank to explain.
    moments.mean_mean[d] += trust * (trust * squares - 2 * products)
    moments.mean_rank[d] -= trust * moments.rank_advantage[d]

    fitted, error = regression(beliefs, d, moments.mean_rank[d], moments.rank_rank[d])
    if fitted * fitted > SLOPE_SIGNIFICANCE * error:
        slope = fitted * (1 - SLOPE_SIGNIFICANCE * error / (fitted * fitted))
    beliefs.spread.trust[d], beliefs.spread.slope[d] = trust, slope


def regression(beliefs: Beliefs, d: int, products: float, squares: float) -> tuple[float, float]:
    """Return the fitted coefficient, and its squared standard error: infinite if leaves are few."""
    moments = beliefs.moments
    if moments.freedom[d] <= PRIOR_LEAVES or squares <= 0:
        return 0.0, INFINITY
    fitted = products / squares
    rest = max(0.0, moments.mean_mean[d] - fitted * products)
    return fitted, rest / ((moments.freedom[d] - 1) * squares)


def rank(tree: Columns, n: int, b: int) -> float:
    """Return the rank of a branch within its node: -1/2 for the first, 1/2 for the last."""
    count = tree.last[n] - tree.first[n]
    if count == 1:
        return 0.0
    return float((b - tree.first[n]) / (count - 1) - 0.5)


def lead(tree: Columns, beliefs: Beliefs, n: int, b: int) -> float:
    """Return by how much the level of a child is expected to be above that of its parent."""
    spread, d = beliefs.spread, beliefs.depth[n]
    by_estimate = spread.trust[d] * beliefs.levels.advantage[tree.child[b]]
    return float(by_estimate + spread.slope[d] * rank(tree, n, b))


def update_level_from_children(tree: Columns, beliefs: Beliefs, n: int) -> None:
    """Update the observed mean and precision of a node's level from those of its children."""
    mean, precision = beliefs.levels.observed_mean, beliefs.levels.observed_precision
    d, leaf_variance = beliefs.depth[n], beliefs.spread.leaf_variance
    between = leaf_variance[d] - leaf_variance[d + 1]
    weight = weighed = 0.0
    for b in range(tree.first[n], tree.last[n]):
        c = tree.child[b]
        if precision[c] > 0 and beliefs.counting_branch[c] == b:
            variance = leaf_variance[d]  # of a leaf around the node's level
            if tree.kind[c] != TERMINAL:
                variance = between + 1 / precision[c]
            w = 1 / variance
            weight += w
            weighed += w * (mean[c] - lead(tree, beliefs, n, b))
    precision[n] = weight
    mean[n] = weighed / (weight or 1.0)


def update_root_level(beliefs: Beliefs) -> None:
    """Update the level of the root from its leaves and from the prior."""
    levels, root = beliefs.levels, beliefs.root
    prior = beliefs.tally[PRIOR_WEIGHT] / beliefs.spread.leaf_variance[0]
    observed = levels.observed_precision[root]
    levels.level[root] = observed * levels.observed_mean[root] / (prior + observed)
    levels.level_variance[root] = 1 / (prior + observed)


def pass_level_to_children(tree: Columns, beliefs: Beliefs, n: int) -> None:
    """Update the levels of a node's children, and the estimates of its leaves not visited."""
    level, level_variance = beliefs.levels.level, beliefs.levels.level_variance
    precision = beliefs.levels.observed_precision
    d, leaf_variance = beliefs.depth[n], beliefs.spread.leaf_variance
    between = leaf_variance[d] - leaf_variance[d + 1]
    for b in range(tree.first[n], tree.last[n]):
        c = tree.child[b]
        if beliefs.counting_branch[c] != b:
            continue
        x = level[n] + lead(tree, beliefs, n, b)
        if is_inner(tree, c):
            f = 1 / (1 + between * precision[c])
            level[c] = f * x + (1 - f) * beliefs.levels.observed_mean[c]
            level_variance[c] = f * between + f * f * level_variance[n]
        elif precision[c] == 0:
            low, high = beliefs.bound[RAISE][c], beliefs.bound[LOWER][c]
            beliefs.mean[c] = min(max(x + beliefs.tally[CENTER], low), high)
            beliefs.variance[c] = 0.0
            if low < high:
                beliefs.variance[c] = leaf_variance[d] + level_variance[n]
