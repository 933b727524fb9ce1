"""The distribution of the total, from each node on, under optimal play.

One distribution a node is computed, children first:

    TERMINAL  the utility, for certain
    CHANCE    the mixture of the outcomes' distributions
    MAX, MIN  that of the first best action

A branch shifts the distribution below it by its reward. A shared node is computed once.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from functools import cached_property
from heapq import merge
from itertools import accumulate, permutations
from operator import mul
from typing import Any, NamedTuple, TypeAlias

from expectitree.base.budget import more, most
from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import Number, to_exact
from expectitree.base.rounding import to_nearest_float
from expectitree.base.tree.columns import CHANCE, NONE, TERMINAL
from expectitree.base.tree.transform import in_decimals
from expectitree.decide.records import Amount
from expectitree.searches.result import PLAYERS, Search

NEAR = 10**9  # unless the tree is exact, totals nearer than the greatest divided by this are one
_ROUNDING = 1e-12  # by which sums of probabilities may differ, unless the tree is exact
MAX_STEPS = 20_000_000  # of comparing pairs of actions, about a microsecond each
_IN_FRACTIONS = 10  # steps that a step in fractions takes
_A_PAIR = 40  # steps that a pair takes apart from its totals
MAX_IN_FRACTIONS = 20_000  # nodes, and steps, for trees of floats; later ones are in floats
MAX_EXACT_STEPS = 300_000  # of exact trees; later distributions are in floats
MAX_TOTALS = 1_000_000  # totals that are computed, one or two microseconds each
DRAWS, SEED = 100_000, 1  # of a simulation, where there are more
_MEASURED = 10  # steps to measure a total of an action
_BITS = 200  # of a fraction whose arithmetic takes a step; longer ones take more

Array: TypeAlias = Any  # of numpy, an optional library


class TooManyTotalsError(AnalysisError):
    """The distributions of totals take too many steps."""


@dataclass(frozen=True)
class Distribution:
    """Totals of play, or gains of the decision maker, and their probabilities."""

    totals: tuple[Amount, ...]  # rising
    probabilities: tuple[Amount, ...]  # of each total
    is_exact: bool = False  # whether the numbers are those of an exact tree

    def pairs(self) -> Iterator[tuple[Amount, Amount]]:
        """Yield each total with its probability."""
        return zip(self.totals, self.probabilities, strict=True)

    def shifted(self, by: Number) -> Distribution:
        """Return the distribution of the total plus a number."""
        if not by:
            return self
        return replace(self, totals=tuple(total + by for total in self.totals))

    def mirrored(self) -> Distribution:
        """Return the distribution of minus the total."""
        totals = tuple(-total for total in reversed(self.totals))
        return Distribution(totals, self.probabilities[::-1], self.is_exact)

    def in_floats(self) -> Distribution:
        """Return the distribution with each number rounded to a float."""
        if isinstance(self.totals[0], float):
            return self
        totals = tuple(map(to_nearest_float, self.totals))
        return Distribution(totals, tuple(map(to_nearest_float, self.probabilities)))

    @cached_property
    def mean(self) -> Amount:
        """The expected total."""
        return self._mean_of(self.totals)

    @cached_property
    def variance(self) -> Amount:
        """The variance of the total."""
        return self._mean_of([(total - self.mean) ** 2 for total in self.totals])

    def _mean_of(self, numbers: Sequence[Amount]) -> Amount:
        """Return the mean of a number for each total; sums of floats are rounded once."""
        products = map(mul, self.probabilities, numbers)
        if isinstance(numbers[0], float):
            return math.fsum(products)
        return sum(products)

    @cached_property
    def cumulative(self) -> tuple[Amount, ...]:
        """The probability of each total or less."""
        if isinstance(self.probabilities[0], Fraction):
            return tuple(accumulate(self.probabilities))
        return tuple(map(float, accumulate(map(to_exact, self.probabilities))))

    def below(self, total: Number) -> Amount:
        """Return the probability that the total is below a value."""
        return sum((p for t, p in self.pairs() if t < total), self.probabilities[0] * 0)

    def quantile(self, share: Number) -> Amount:
        """Return the least total that is not exceeded with at least this probability."""
        needed = share
        if not self.is_exact:
            needed = float(share) - _ROUNDING
        enough = bisect_left(self.cumulative, needed)
        return self.totals[min(enough, len(self.totals) - 1)]

    def mean_of_worst(self, share: Amount) -> Amount:
        """Return the mean of the worst totals, of which the share is this (CVaR)."""
        left, result = share, share * 0
        for total, p in self.pairs():
            taken = min(p, left)
            result += taken * total
            left -= taken
            if left <= 0:
                break
        return result / share


def mixture(parts: Sequence[tuple[Amount, Number, Distribution]]) -> Distribution:
    """Return the mixture of distributions, each with its probability and a number to add."""
    shares: dict[Amount, Amount] = {}
    for p, reward, part in parts:
        for total, share in part.pairs():
            total += reward
            shares[total] = shares.get(total, 0) + p * share
    is_exact = all(part.is_exact for _, _, part in parts)
    near = 0
    if not is_exact:
        near = max(map(abs, shares)) / NEAR
    totals: list[Amount] = []
    probabilities: list[Amount] = []
    first: Amount = None  # of the totals that are nearly the same
    for total, p in sorted(shares.items()):
        if not totals or total - first > near:
            first = total
            totals.append(total)
            probabilities.append(p)
        elif p:  # totals that are nearly the same are one, their mean
            both = probabilities[-1] + p
            totals[-1] += p / both * (total - totals[-1])
            probabilities[-1] = both
    return Distribution(tuple(totals), tuple(probabilities), is_exact)


def standard_deviation(variance: Number) -> float:
    """Return the square root of a variance; rounding may have made that of floats negative."""
    if isinstance(variance, float):
        return math.sqrt(max(variance, 0.0))
    context = Context(prec=40, Emin=MIN_EMIN, Emax=MAX_EMAX)  # digits: more than floats have
    exact = context.divide(Decimal(variance.numerator), Decimal(variance.denominator))
    return to_nearest_float(Fraction(context.sqrt(exact)))


# ---- Stochastic dominance between the actions of a decision.


@dataclass(frozen=True)
class Dominance:
    """One action dominates another: no one who prefers more would choose the other."""

    action: str  # the better action
    other: str  # the dominated action
    # 1 if every total is exceeded with at least the same probability; 2 if only everyone who also
    # avoids risk prefers it.
    order: int


def dominances(distributions: Mapping[str, Distribution]) -> tuple[Dominance, ...]:
    """Return which action dominates which, of the first order, or else of the second.

    Raises `AnalysisError` if comparing all pairs takes too many steps.
    """
    totals = sum(len(one.totals) for one in distributions.values())
    is_exact = any(one.is_exact for one in distributions.values())
    others = len(distributions) - 1
    steps = 2 * max(0, others) * totals
    if is_exact:
        steps *= _IN_FRACTIONS
    steps += _A_PAIR * len(distributions) * others
    if steps > most(MAX_STEPS):
        raise AnalysisError(
            f"comparing {len(distributions):,} actions takes {steps:,} steps, and "
            f"{most(MAX_STEPS):,} are allowed\nleave actions out, or {more()}"
        )
    orders = {
        (a, b): order_of(distributions[a], distributions[b])
        for a, b in permutations(distributions, 2)
    }
    return tuple(Dominance(*pair, order) for pair, order in orders.items() if order)


def not_implied(ranks: Mapping[Dominance, int]) -> Iterator[Dominance]:
    """Yield the pairs that do not follow from two pairs of the same or a lower rank.

    At each rank, the pairs are a strict order, so those that are left imply all others.
    """
    for rank in sorted(set(ranks.values())):
        below, above = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
        for one in ranks:
            if ranks[one] <= rank:
                below[one.action].add(one.other)
                above[one.other].add(one.action)
        for one in ranks:
            if ranks[one] == rank and below[one.action].isdisjoint(above[one.other]):
                yield one


def order_of(a: Distribution, b: Distribution) -> int:
    """Return the order in which a dominates b, 0 if it does not.

    With F the probability of at most t: the first order needs F_a <= F_b at every t, the second
    the same of the integrals of F. Both are steps, so the union of the totals is enough.
    """
    widest = max(abs(end) for d in (a, b) for end in (d.totals[0], d.totals[-1]))
    near, eps = widest / NEAR, _ROUNDING
    if a.is_exact and b.is_exact:
        near = eps = 0
    is_first, is_strict = True, False
    gap = area = 0  # F_b - F_a at the last total, and its integral up to it
    previous = min(a.totals[0], b.totals[0])
    for t, change in _steps(a, b, near):
        area += gap * (t - previous)
        gap += change
        if area < -eps * widest:
            return 0
        is_first = is_first and gap >= -eps
        is_strict = is_strict or gap > eps
        previous = t
    if not is_strict:
        return 0
    return 1 if is_first else 2


def _steps(a: Distribution, b: Distribution, near: Amount) -> Iterator[tuple[Amount, Amount]]:
    """Yield each total of two distributions, and by how much F_b - F_a changes there."""
    start, change = min(a.totals[0], b.totals[0]), 0
    for t, p in merge(((t, -p) for t, p in a.pairs()), b.pairs()):
        if t - start > near:  # nearer totals are the same
            yield start, change
            start, change = t, 0
        change += p
    yield start, change


# ---- The distributions of a tree.


class _Plays(NamedTuple):
    """What a simulated play looks up at each node and branch."""

    kind: Array
    first: Array  # branch of each node
    last: Array  # and one more
    utility: Array
    child: Array
    reward: Array
    upto: Array  # the sum of the weights of all branches before each one


class Profiles:
    """The distribution of totals at every node that play can reach.

    Trees of floats are computed in fractions of decimals where that is quick.

    Attributes:
        tree: The tree in whose numbers the distributions are.
        played: The nodes that play can reach, by optimal play after any first action.
    """

    def __init__(self, search: Search) -> None:
        self.search, self.tree = search, search.tree
        self.limit = most(MAX_EXACT_STEPS)  # after which distributions are in floats
        if self.tree.is_rounded:
            self.limit = MAX_IN_FRACTIONS
        if not self.tree.exact:
            self.limit = MAX_IN_FRACTIONS
            if len(self.tree) <= MAX_IN_FRACTIONS:
                self.tree = in_decimals(self.tree)
        self.is_exact = search.tree.exact
        self.steps = 0
        self.played = self._played()
        self._found: dict[int, Distribution] = {}

    def compute(self) -> None:
        """Compute the distributions below the root; raise `TooManyTotalsError`."""
        tree, child = self.tree, self.tree.columns.child
        uses = Counter(child[b] for n in self.played for b in self._branches(n))
        for n in sorted(self.played):
            if n == tree.root_id and tree.root.kind in PLAYERS:
                continue
            branches = self._branches(n)
            self._found[n] = self._of_node(n, branches)
            for b in branches:
                uses[child[b]] -= 1
                if not uses[child[b]]:  # all distributions of a large tree would not fit in memory
                    self._found.pop(child[b], None)

    def after(self, branch: int) -> Distribution:
        """Return the distribution of a branch of the root, to be measured; -1 is the root's."""
        node, paid = self._start_of(branch)
        self._count([self._found[node]] * _MEASURED)
        return self._found[node].shifted(paid)

    def simulated(self, branch: int) -> Distribution:
        """Return the distribution of the totals of `DRAWS` plays after a branch of the root."""
        import numpy as np

        plays = self._plays
        start, paid = self._start_of(branch)
        node, total = np.full(DRAWS, start), np.full(DRAWS, float(paid))
        random = np.random.default_rng(SEED)
        while (moving := np.flatnonzero(plays.kind[node] != TERMINAL)).size:
            low = plays.upto[plays.first[node[moving]]]
            high = plays.upto[plays.last[node[moving]]]
            drawn = low + random.random(moving.size) * (high - low)
            chosen = np.searchsorted(plays.upto, drawn, "right") - 1
            total[moving] += plays.reward[chosen]
            node[moving] = plays.child[chosen]
        totals, counts = np.unique(total + plays.utility[node], return_counts=True)
        return Distribution((*totals.tolist(),), (*(counts / DRAWS).tolist(),))

    @cached_property
    def _plays(self) -> _Plays:
        """The tree as arrays, for simulated plays: one for all first actions."""
        import numpy as np

        tree, columns = self.tree, self.tree.columns
        weight = np.zeros(len(columns.child))
        for n in self.played:
            for b in self._branches(n):
                weight[b] = columns.probability[b] if columns.kind[n] == CHANCE else 1
        return _Plays(
            kind=np.array(columns.kind),
            first=np.array(columns.first),
            last=np.array(columns.last),
            utility=np.array(columns.utility, float),
            child=np.array(columns.child),
            reward=np.array([float(tree.reward_of(b)) for b in range(len(weight))]),
            upto=np.concatenate([[0.0], np.cumsum(weight)]),
        )

    def _start_of(self, branch: int) -> tuple[int, Amount]:
        """Return the node after a branch of the root, and what is paid on the way."""
        if branch == NONE:
            return self.tree.root_id, self.tree.root_reward
        paid = self.tree.root_reward + self.tree.reward_of(branch)
        return self.tree.columns.child[branch], paid

    def _branches(self, n: int) -> Sequence[int]:
        """Return the branches that play can take at a node; at the root, all actions."""
        tree, kind = self.tree, self.tree.columns.kind[n]
        if kind == CHANCE:
            return [b for b in tree.branches_of(n) if tree.columns.probability[b] > 0]
        if kind == TERMINAL or n == tree.root_id:
            return tree.branches_of(n)
        return [next(self.search.best_branches(n))]

    def _played(self) -> set[int]:
        reached = {self.tree.root_id}
        for n in range(self.tree.root_id, -1, -1):
            if n in reached:
                reached.update(self.tree.columns.child[b] for b in self._branches(n))
        return reached

    def _of_node(self, n: int, branches: Sequence[int]) -> Distribution:
        tree, columns = self.tree, self.tree.columns
        if columns.kind[n] == TERMINAL:
            utility: Amount = columns.utility[n]
            return Distribution((utility,), (utility * 0 + 1,), self.is_exact)
        below = [self._found[columns.child[b]] for b in branches]
        rewards = [tree.reward_of(b) for b in branches]
        if len(branches) > 1 or rewards[0]:
            self._count(below)
            if self.steps > self.limit:
                below = [one.in_floats() for one in below]
        shares: list[Amount] = [columns.probability[b] for b in branches]
        if isinstance(below[0].totals[0], float):
            rewards, shares = [*map(float, rewards)], [*map(float, shares)]
        if len(branches) == 1:
            return below[0].shifted(rewards[0])
        return mixture([*zip(shares, rewards, below, strict=True)])

    def _count(self, below: Sequence[Distribution]) -> None:
        """Count a step for each total; raise `AnalysisError` if there are too many."""
        for distribution in below:
            steps, p = 1, distribution.probabilities[0]
            if isinstance(p, Fraction):
                steps += p.denominator.bit_length() // _BITS
            self.steps += len(distribution.totals) * steps
        if self.steps > most(MAX_TOTALS):
            raise TooManyTotalsError(
                f"the distributions of totals take more than {most(MAX_TOTALS):,} steps\n"
                f"merge outcomes, or {more()}"
            )
