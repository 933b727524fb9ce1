"""The columns of a best-first search, and the numbers that control it.

Estimates are floats, also where intervals are fractions (docs/background/best-first.md). Plain
functions over columns, interpreted or compiled as they are.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from expectitree.base.algorithms import OPTIONS, Algorithm
from expectitree.base.numbers import Number
from expectitree.base.tree.columns import TERMINAL, Columns, FloatColumn, IntColumn, NumberColumn

# The aim of a walk at a node: to lower its upper bound, to raise its lower bound, or to make it
# exact. To raise a bound is to lower the upper bound of the mirror image, in which MAX and MIN are
# swapped and every number is negated. So functions that know an aim are written for LOWER, and
# multiply by the sign of the aim.
LOWER, RAISE, EXACT = range(3)
VALUE, ACTION = range(2)  # the goal: the root is exact, or its best action is proved

# Numbers of the whole tree, by place in `tally`: the leaves that the prior counts for, its mean
# (from which utilities are measured) and its variance; the leaves visited, and how many there must
# be for the next renewal of all estimates; the entries of nodes so far; the depth at which a walk
# goes on.
PRIOR_WEIGHT, CENTER, PRIOR_VARIANCE, SEEN, NEXT_RENEWAL, ENTRIES, PLACE, TALLIES = range(8)
MIN_VARIANCE = 1e-200  # of the prior: the search divides by variances, so none may round to 0

NO_BOUND = 1e100  # estimates in the tree beyond this are ignored, since their squares are too large
GREATEST = 1e300  # estimates take greater numbers for infinite
NOT_A_NUMBER = float("nan")
NEAR = 1e-9  # of the greatest total: a smaller expected gain may be a rounding error
MIN_SCALE = 1e-100  # the search rescales numbers below this or above its inverse

Pair: TypeAlias = tuple[FloatColumn, FloatColumn]  # for the aims LOWER and RAISE


class Levels(NamedTuple):
    """What leaves teach about each node: columns [N]. Utilities are measured from `CENTER`."""

    advantage: FloatColumn  # by how much the tree's estimate is above the mean of the siblings'
    leaves_seen: FloatColumn  # leaves visited at or below, at the last renewal
    leaf_total: FloatColumn  # the sum of their utilities,
    leaf_squares: FloatColumn  # and of the squares
    observed_mean: FloatColumn  # the node's level by the leaves visited below,
    observed_precision: FloatColumn  # and the precision of that; infinite at a leaf visited
    level: FloatColumn  # the level: the mean of the leaves below, by all leaves visited,
    level_variance: FloatColumn  # and its variance


class Spread(NamedTuple):
    """What leaves teach about each depth: columns [height + 2]."""

    leaf_variance: FloatColumn  # of the leaves below one node of that depth
    slope: FloatColumn  # by how much the last child of a node lies above the first
    trust: FloatColumn  # by how much a child's level rises with its advantage


class Moments(NamedTuple):
    """The sums that `Spread` is estimated from: columns [height + 2].

    Products are of what a child's mean, rank and advantage differ from those of its siblings.
    """

    freedom: FloatColumn  # children beyond the first of each node
    deviations: FloatColumn  # the variance of leaves, times that
    mean_mean: FloatColumn
    mean_rank: FloatColumn
    mean_advantage: FloatColumn
    rank_rank: FloatColumn
    rank_advantage: FloatColumn
    advantage_advantage: FloatColumn


class Beliefs(NamedTuple):
    """The columns that a best-first search writes."""

    lower: NumberColumn  # [N] the interval known to hold v*; starts as the node's bounds
    upper: NumberColumn  # [N]
    visits: IntColumn  # [N] entries
    aim: IntColumn  # [N] the aim of the last walk through the node
    depth: IntColumn  # [N] branches from the root, by the path that ends with `counting_branch`
    counting_branch: IntColumn  # [N] the branch whose parent counts the node's leaves, if shared
    bound: Pair  # [N] by aim: the bound that it moves, upper or lower, in floats
    cost: Pair  # [N] by aim: the leaves that it is expected to take
    mean: FloatColumn  # [N] the estimate of v*,
    variance: FloatColumn  # [N] and its variance
    gain_rate: FloatColumn  # [N] at MAX and MIN the expected gain per leaf of the best child
    levels: Levels
    spread: Spread
    moments: Moments
    reward: FloatColumn  # [M] the rewards in floats; empty if no branch pays
    tally: FloatColumn  # [TALLIES] numbers of the whole tree
    route: IntColumn  # [height + 2] by depth: the nodes of the last walk

    @classmethod
    def of(
        cls, lower: NumberColumn, upper: NumberColumn, column: Callable[[str, str], Any]
    ) -> Beliefs:
        """Return the columns at the start: the intervals, and zeros.

        `column` makes a column of a type code, with a row for each "node", "branch" that pays,
        "depth", or number of the "tally".
        """

        def floats(kind: Any, rows: str) -> Any:
            return kind._make(column("d", rows) for _ in kind._fields)

        return cls(
            lower,
            upper,
            visits=column("I", "node"),
            aim=column("B", "node"),
            depth=column("I", "node"),
            counting_branch=column("I", "node"),
            bound=(column("d", "node"), column("d", "node")),
            cost=(column("d", "node"), column("d", "node")),
            mean=column("d", "node"),
            variance=column("d", "node"),
            gain_rate=column("d", "node"),
            levels=floats(Levels, "node"),
            spread=floats(Spread, "depth"),
            moments=floats(Moments, "depth"),
            reward=column("d", "branch"),
            tally=column("d", "tally"),
            route=column("q", "depth"),
        )


class Limits(NamedTuple):
    """The numbers that control a best-first search."""

    eps: Any  # numbers that differ by at most this are equal; 0 in fractions
    near: float  # the same for the estimates, which are floats
    scale: Any  # the factor that makes numbers floats of a moderate size
    goal: int  # VALUE or ACTION
    root: int = 0
    shares: bool = True  # whether a node may have several parents
    # Empty for a finished tree. In a tree that grows, parents come before their children.
    grows: tuple[bool, ...] = ()

    @classmethod
    def of(
        cls, chosen: Algorithm, exact: bool, eps: Number, total: Number, greatest: Number
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
        return cls(eps, near, scale, OPTIONS["goal"].values.index(chosen.goal))


def begin(tree: Columns, beliefs: Beliefs, limits: Limits) -> None:
    """Write what is known of every node before any leaf is visited."""
    for b in range(len(tree.reward)):
        beliefs.reward[b] = in_float(tree.reward[b], limits.scale)
    for n in range(len(tree.kind)):
        begin_node(beliefs, limits, n)
    root = limits.root
    for i in range(len(tree.kind)):
        n = root - i
        for b in range(tree.first[n], tree.last[n]):
            beliefs.depth[tree.child[b]] = beliefs.depth[n] + 1
            beliefs.counting_branch[tree.child[b]] = b
    for n in range(len(tree.kind)):
        compare_estimates(tree, beliefs, limits, n)
    begin_prior(beliefs, limits)


def begin_node(beliefs: Beliefs, limits: Limits, n: int) -> None:
    """Write the bounds of a node, and that one leaf is expected to move each."""
    beliefs.bound[LOWER][n] = in_float(beliefs.upper[n], limits.scale)
    beliefs.bound[RAISE][n] = in_float(beliefs.lower[n], limits.scale)
    beliefs.cost[LOWER][n] = beliefs.cost[RAISE][n] = 1.0


def begin_prior(beliefs: Beliefs, limits: Limits) -> None:
    """Write the prior, and that no leaf is visited.

    The prior takes utilities to be uniform between the root's bounds, and counts as much as two
    leaves. If a bound is infinite, the prior is centered on the other one, or on 0, and counts for
    next to nothing.
    """
    tally, root = beliefs.tally, limits.root
    low, high = beliefs.bound[RAISE][root], beliefs.bound[LOWER][root]
    is_bounded = 0 < high - low < GREATEST
    tally[PRIOR_WEIGHT] = 2.0 if is_bounded else 0.01
    tally[PRIOR_VARIANCE] = max((high - low) ** 2 / 12, MIN_VARIANCE) if is_bounded else 1.0
    if low < -GREATEST:
        low = 0.0 if high > GREATEST else high
    if high > GREATEST:
        high = low
    tally[CENTER] = (low + high) / 2
    tally[SEEN] = tally[NEXT_RENEWAL] = 0.0


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
            beliefs.levels.advantage[c] = x - total / count


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
    # An answer may exceed all numbers for which the scale was chosen.
    return float(min(max(number * scale, -GREATEST), GREATEST))
