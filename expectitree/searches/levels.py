"""Estimates of leaves from the leaves visited: a random effect for each node, by its depth.

In this model, a leaf is normally distributed around the level of its parent, that level around the
level of the parent's parent, and so on. The variances depend on the depth. So leaves that are near
each other may be alike, as they are where utilities add up on the way down. If leaves are
independent, the variances show that. The levels of siblings may also depend on their estimates in
the tree, and on their ranks.
"""

from __future__ import annotations

from expectitree.base.tree.columns import TERMINAL, UNSEEN, Columns
from expectitree.searches.beliefs import CENTER, PRIOR_VARIANCE, PRIOR_WEIGHT, Beliefs, Limits

PRIOR_LEAVES = 2.0  # the weight of the variance of all leaves, in estimates of that of one depth
SLOPE_SIGNIFICANCE = 16.0  # squared standard errors up to which a slope counts as chance
TRUST_VARIANCE = 0.25  # of the prior of the trust in estimates, whose mean is 1


def learn(tree: Columns, beliefs: Beliefs, limits: Limits) -> None:
    """Estimate for each depth the variance of leaves below one node, the trust and the slope.

    The variance is half the mean squared difference of two leaves that part at a node of that
    depth. It is shrunk towards that of all leaves, and is at least that of the depth below.
    """
    leaves_seen = beliefs.leaves_seen
    leaf_total, leaf_squares = beliefs.leaf_total, beliefs.leaf_squares
    depth, counting_branch = beliefs.depth, beliefs.counting_branch
    freedom, deviations, mean_squares = beliefs.freedom, beliefs.deviations, beliefs.mean_squares
    rank_products, rank_squares = beliefs.rank_products, beliefs.rank_squares
    advantage_products, advantage_squares = beliefs.advantage_products, beliefs.advantage_squares
    advantage_ranks = beliefs.advantage_ranks
    for d in range(len(freedom)):
        freedom[d] = deviations[d] = rank_products[d] = rank_squares[d] = mean_squares[d] = 0.0
        advantage_products[d] = advantage_squares[d] = advantage_ranks[d] = 0.0
    root = limits.root
    # Of inner nodes: there is nothing to estimate below, except where the tree grows.
    deepest = len(freedom) - 2 if len(limits.grows) > 0 else depth[root]
    for i in range(len(tree.kind)):
        n = len(tree.kind) - 1 - i if len(limits.grows) > 0 else i
        if tree.kind[n] in (TERMINAL, UNSEEN):
            continue
        count = whole = square = same = inner = 0.0
        parts = r_sum = x_sum = xr_sum = rr_sum = xx_sum = 0.0
        a_sum = xa_sum = ra_sum = aa_sum = 0.0
        for b in range(tree.first[n], tree.last[n]):
            c = tree.child[b]
            if leaves_seen[c] == 0 or counting_branch[c] != b:
                continue
            count += leaves_seen[c]
            whole += leaf_total[c]
            square += leaf_squares[c]
            same += leaves_seen[c] * leaves_seen[c]
            inner += leaves_seen[c] * leaf_squares[c] - leaf_total[c] * leaf_total[c]
            parts += 1
            r = rank(tree, n, b)
            x = leaf_total[c] / leaves_seen[c]
            r_sum += r
            x_sum += x
            xr_sum += x * r
            rr_sum += r * r
            xx_sum += x * x
            a = beliefs.advantage[c]
            a_sum += a
            xa_sum += x * a
            ra_sum += r * a
            aa_sum += a * a
        deepest = max(deepest, depth[n])
        leaves_seen[n] = count
        leaf_total[n] = whole
        leaf_squares[n] = square
        if parts > 1:
            d = depth[n]
            freedom[d] += parts - 1
            deviations[d] += (
                (parts - 1)
                * max(0.0, count * square - whole * whole - inner)
                / (count * count - same)
            )
            rank_products[d] += xr_sum - x_sum * r_sum / parts
            rank_squares[d] += rr_sum - r_sum * r_sum / parts
            mean_squares[d] += xx_sum - x_sum * x_sum / parts
            advantage_products[d] += xa_sum - x_sum * a_sum / parts
            advantage_squares[d] += aa_sum - a_sum * a_sum / parts
            advantage_ranks[d] += ra_sum - r_sum * a_sum / parts
    count = leaves_seen[root] + beliefs.tally[PRIOR_WEIGHT]
    mean = leaf_total[root] / count
    variance = (
        leaf_squares[root] + beliefs.tally[PRIOR_WEIGHT] * beliefs.tally[PRIOR_VARIANCE]
    ) / count - mean * mean
    variance = max(variance, 1e-12 * beliefs.tally[PRIOR_VARIANCE])
    widest = 0.0
    for i in range(deepest + 1):
        d = deepest - i
        widest = max(
            widest, (deviations[d] + PRIOR_LEAVES * variance) / (freedom[d] + PRIOR_LEAVES)
        )
        beliefs.leaf_variance[d] = widest
        fit_trust(beliefs, d)
        fit_slope(beliefs, d)


def fit_trust(beliefs: Beliefs, d: int) -> None:
    """Fit the regression of a child's mean on its advantage, and shrink it towards 1.

    An estimate is a guess of the value, in the same units. So the search trusts it in full before
    leaves are visited, and less where the leaves do not confirm it.
    """
    products, squares = beliefs.advantage_products[d], beliefs.advantage_squares[d]
    trust = 1.0
    if beliefs.freedom[d] > PRIOR_LEAVES and squares > 0:
        fitted, error = regression(beliefs, d, products, squares)
        trust = (error + TRUST_VARIANCE * fitted) / (error + TRUST_VARIANCE)
    beliefs.trust[d] = trust
    # What is left for the rank to explain.
    beliefs.mean_squares[d] += trust * (trust * squares - 2 * products)
    beliefs.rank_products[d] -= trust * beliefs.advantage_ranks[d]


def fit_slope(beliefs: Beliefs, d: int) -> None:
    """Fit the regression of a child's mean on its rank, and shrink it towards 0.

    The slope is 0 unless the leaves clearly contradict that (James and Stein 1961).
    """
    slope, squares = 0.0, beliefs.rank_squares[d]
    if beliefs.freedom[d] > PRIOR_LEAVES and squares > 0:
        fitted, error = regression(beliefs, d, beliefs.rank_products[d], squares)
        if fitted * fitted > SLOPE_SIGNIFICANCE * error:
            slope = fitted * (1 - SLOPE_SIGNIFICANCE * error / (fitted * fitted))
    beliefs.slope[d] = slope


def regression(beliefs: Beliefs, d: int, products: float, squares: float) -> tuple[float, float]:
    """Return the fitted coefficient, and its squared standard error."""
    fitted = products / squares
    rest = max(0.0, beliefs.mean_squares[d] - fitted * products)
    return fitted, rest / ((beliefs.freedom[d] - 1) * squares)


def rank(tree: Columns, n: int, b: int) -> float:
    """Return the rank of a branch within its node: -1/2 for the first, 1/2 for the last."""
    count = tree.last[n] - tree.first[n]
    return float((b - tree.first[n]) / (count - 1) - 0.5 if count > 1 else 0.0)


def update_level_from_children(tree: Columns, beliefs: Beliefs, n: int) -> None:
    """Update the observed mean and precision of a node's level from those of its children."""
    d = beliefs.depth[n]
    leaf_variance, deeper = beliefs.leaf_variance[d], beliefs.leaf_variance[d + 1]
    slope, trust, advantage = beliefs.slope[d], beliefs.trust[d], beliefs.advantage
    weight = weighed = 0.0
    for b in range(tree.first[n], tree.last[n]):
        c = tree.child[b]
        if beliefs.counting_branch[c] != b:
            continue
        if tree.kind[c] in (TERMINAL, UNSEEN):
            if beliefs.leaves_seen[c] == 0:
                continue
            w, x = 1 / leaf_variance, beliefs.leaf_total[c]
        elif beliefs.observed_precision[c] > 0:
            w, x = (
                1 / (leaf_variance - deeper + 1 / beliefs.observed_precision[c]),
                beliefs.observed_mean[c],
            )
        else:
            continue
        weight += w
        weighed += w * (x - slope * rank(tree, n, b) - trust * advantage[c])
    beliefs.observed_precision[n] = weight
    beliefs.observed_mean[n] = weighed / weight if weight > 0 else 0.0


def update_root_level(beliefs: Beliefs, root: int) -> None:
    """Update the level of the root from its leaves and from the prior."""
    prior = beliefs.tally[PRIOR_WEIGHT] / beliefs.leaf_variance[0]
    observed = beliefs.observed_precision[root]
    beliefs.level[root] = observed * beliefs.observed_mean[root] / (prior + observed)
    beliefs.level_variance[root] = 1 / (prior + observed)


def pass_level_to_children(tree: Columns, beliefs: Beliefs, n: int) -> None:
    """Update the levels of a node's children, and the estimates of its leaves not visited."""
    d = beliefs.depth[n]
    leaf_variance, level = beliefs.leaf_variance[d], beliefs.level[n]
    slope, trust, advantage = beliefs.slope[d], beliefs.trust[d], beliefs.advantage
    between = leaf_variance - beliefs.leaf_variance[d + 1]
    for b in range(tree.first[n], tree.last[n]):
        c = tree.child[b]
        if beliefs.counting_branch[c] != b:
            continue
        x = level + slope * rank(tree, n, b) + trust * advantage[c]
        if TERMINAL < tree.kind[c] < UNSEEN:
            f = 1 / (1 + between * beliefs.observed_precision[c])
            beliefs.level[c] = f * x + (1 - f) * beliefs.observed_mean[c]
            beliefs.level_variance[c] = f * between + f * f * beliefs.level_variance[n]
        elif beliefs.leaves_seen[c] == 0:
            is_open = beliefs.low[c] < beliefs.high[c]
            beliefs.mean[c] = min(max(x + beliefs.tally[CENTER], beliefs.low[c]), beliefs.high[c])
            beliefs.variance[c] = leaf_variance + beliefs.level_variance[n] if is_open else 0.0
            beliefs.cost_lower[c] = beliefs.cost_raise[c] = 1.0
