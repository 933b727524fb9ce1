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
from expectitree.base.tree.columns import (
    MAX,
    MIN,
    TERMINAL,
    Columns,
    FloatColumn,
    IntColumn,
    NumberColumn,
)

# The aim of a walk at a node: to lower its upper bound, to raise its lower bound, or to make it
# exact. To raise a bound is to lower the upper bound of the mirror image, in which MAX and MIN are
# swapped and every number is negated. So functions that know an aim are written for LOWER, and
# multiply by the sign of the aim. The other aim is `1 - aim`.
LOWER, RAISE, EXACT = range(3)
SIGN = (1.0, -1.0)
AIM_OF_ALL = (EXACT, LOWER, RAISE, EXACT)  # by kind: the aim of MAX or MIN that needs all children
HELPED = (MIN, MAX)  # by aim: the player for whom one child is enough, where the other needs all
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
    """The columns that a best-first search writes, and the numbers that control it."""

    lower: NumberColumn  # [N] the interval known to hold v*; starts as the node's bounds
    upper: NumberColumn  # [N]
    visits: IntColumn  # [N] entries
    aim: IntColumn  # [N] the aim of the last walk through the node
    depth: IntColumn  # [N] branches from the root, by the path that ends with `counting_branch`
    counting_branch: IntColumn  # [N] the branch whose parent counts the node's leaves, if shared
    mean: FloatColumn  # [N] the estimate of v*,
    variance: FloatColumn  # [N] and its variance
    gain_rate: FloatColumn  # [N] at MAX and MIN the expected gain per leaf of the best child
    bound: Pair  # [N] by aim: the bound that it moves, upper or lower, in floats
    cost: Pair  # [N] by aim: the leaves that it is expected to take
    levels: Levels
    spread: Spread
    moments: Moments
    reward: FloatColumn  # [M] the rewards in floats; empty if no branch pays
    tally: FloatColumn  # [TALLIES] numbers of the whole tree
    route: IntColumn  # [height + 2] by depth: the nodes of the last walk
    root: int = 0
    eps: Number = 0  # numbers that differ by at most this are equal; 0 in fractions
    near: float = 0.0  # the same for the estimates, which are floats
    scale: Number = 1  # the factor that makes numbers floats of a moderate size
    goal: int = VALUE  # or ACTION
    shares: bool = True  # whether a node may have several parents
    # Empty for a finished tree. In a tree that grows, parents come before their children.
    grows: tuple[bool, ...] = ()

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

        columns: Any = (
            lower,
            upper,
            *(column(code, "node") for code in "IBIIddd"),  # visits to gain_rate
            *((column("d", "node"), column("d", "node")) for _ in range(2)),
            floats(Levels, "node"),
            floats(Spread, "depth"),
            floats(Moments, "depth"),
            column("d", "branch"),
            column("d", "tally"),
            column("q", "depth"),
        )
        return cls(*columns)

    def controlled(
        self, chosen: Algorithm, exact: bool, eps: Number, total: Number, greatest: Number
    ) -> Beliefs:
        """Return the same columns with the numbers that control a search.

        Values are equal if they differ by at most `eps`. `total` is the greatest magnitude of a
        total of a play, and `greatest` that of any such total or bound.
        """
        scale: Number = 1 if exact else 1.0
        if greatest and not MIN_SCALE < greatest < 1 / MIN_SCALE:
            # Estimates need squares, which must not overflow.
            scale = 1 / greatest if exact else min(1 / float(greatest), sys.float_info.max)
        near = NEAR * (float((total or greatest) * scale) or 1.0)
        goal = OPTIONS["goal"].values.index(chosen.goal)
        return self._replace(eps=eps, near=near, scale=scale, goal=goal)


def begin(tree: Columns, beliefs: Beliefs) -> None:
    """Write what is known of every node before any leaf is visited."""
    for b in range(len(tree.reward)):
        beliefs.reward[b] = in_float(tree.reward[b], beliefs.scale)
    for i in range(len(tree.kind)):
        n = beliefs.root - i
        begin_node(beliefs, n)
        for b in range(tree.first[n], tree.last[n]):
            beliefs.depth[tree.child[b]] = beliefs.depth[n] + 1
            beliefs.counting_branch[tree.child[b]] = b
    for n in range(len(tree.kind)):
        compare_estimates(tree, beliefs, n)
    begin_prior(beliefs)


def begin_node(beliefs: Beliefs, n: int) -> None:
    """Write the bounds of a node, and that one leaf is expected to move each."""
    beliefs.bound[LOWER][n] = in_float(beliefs.upper[n], beliefs.scale)
    beliefs.bound[RAISE][n] = in_float(beliefs.lower[n], beliefs.scale)
    beliefs.cost[LOWER][n] = beliefs.cost[RAISE][n] = 1.0


def begin_prior(beliefs: Beliefs) -> None:
    """Write the prior, and that no leaf is visited.

    The prior takes utilities to be uniform between the root's bounds, and counts as much as two
    leaves. If a bound is infinite, the prior is centered on the other one, or on 0, and counts for
    next to nothing.
    """
    tally = beliefs.tally
    low, high = beliefs.bound[RAISE][beliefs.root], beliefs.bound[LOWER][beliefs.root]
    tally[PRIOR_WEIGHT], tally[PRIOR_VARIANCE] = 0.01, 1.0
    if 0 < high - low < GREATEST:
        tally[PRIOR_WEIGHT] = 2.0
        tally[PRIOR_VARIANCE] = max((high - low) ** 2 / 12, MIN_VARIANCE)
    if low < -GREATEST:
        low = 0.0 if high > GREATEST else high
    if high > GREATEST:
        high = low
    tally[CENTER] = (low + high) / 2
    tally[SEEN] = tally[NEXT_RENEWAL] = 0.0


def compare_estimates(tree: Columns, beliefs: Beliefs, n: int) -> None:
    """Write how far the tree's estimate of each inner child is above the mean of such estimates."""
    total = count = 0.0
    for b in range(tree.first[n], tree.last[n]):
        x = written_estimate(tree, beliefs, tree.child[b])
        if x == x:
            total += x
            count += 1
    if count < 2:  # nothing to compare with
        return
    for b in range(tree.first[n], tree.last[n]):
        c = tree.child[b]
        x = written_estimate(tree, beliefs, c)
        if x == x and beliefs.counting_branch[c] == b:
            beliefs.levels.advantage[c] = x - total / count


def written_estimate(tree: Columns, beliefs: Beliefs, n: int) -> float:
    """Return the tree's estimate of an inner node; NaN if it is missing or too large to square."""
    if tree.kind[n] != TERMINAL:
        x = in_float(tree.utility[n], beliefs.scale)
        if -NO_BOUND < x < NO_BOUND:
            return x
    return NOT_A_NUMBER


def paid(beliefs: Beliefs, b: int) -> float:
    """Return the reward of a branch as a float."""
    if len(beliefs.reward) > 0:
        return beliefs.reward[b]
    return 0.0


def in_float(number: Number, scale: Number) -> float:
    """Return a scaled number as a float; an infinity stays infinite."""
    if number - number != 0:
        return float(number)
    # An answer may exceed all numbers for which the scale was chosen.
    return float(min(max(number * scale, -GREATEST), GREATEST))
