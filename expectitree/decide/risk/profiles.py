"""The distribution of totals from each node on, under optimal play.

One distribution a node is computed, children first:

    TERMINAL  the utility, for certain
    CHANCE    the mixture of the outcomes' distributions
    MAX, MIN  that of the first best action

A branch shifts the distribution below it by its reward. A shared node is computed once. Means,
variances and extremes are computed next to the distributions, so that bins do not change them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any, NamedTuple

from expectitree.base import budget
from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import Number, to_nearest_float
from expectitree.decide.decimals import in_decimals
from expectitree.decide.risk.distribution import Distribution, mixture
from expectitree.searches.result import Search
from expectitree.tree.columns import CHANCE, NONE, TERMINAL
from expectitree.tree.model import Kind, Tree

MAX_IN_FRACTIONS = 20_000  # steps, for trees of floats; for more, they stay floats
MAX_EXACT_STEPS = 300_000  # of exact trees; later profiles are in floats
MAX_STEPS = 10_000_000  # totals that are computed, one or two microseconds each
_MEASURED = 10  # steps to measure a total of an action
_BITS = 200  # of a fraction whose arithmetic takes a step; longer ones take more


class Profile(NamedTuple):
    """The distribution of the total that MAX receives below a node.

    Attributes:
        distribution: The totals and their probabilities.
        mean: The expected total.
        variance: The variance of the total.
        least: The least total, which bins do not change.
        greatest: The greatest total.
    """

    distribution: Distribution
    mean: Any
    variance: Any
    least: Any
    greatest: Any

    @property
    def is_in_fractions(self) -> bool:
        """Whether the mean and the variance are fractions."""
        return isinstance(self.variance, Fraction)

    def in_floats(self) -> Profile:
        """Return the profile with each number rounded to a float."""
        numbers = map(to_nearest_float, (self.mean, self.variance, self.least, self.greatest))
        return Profile(self.distribution.in_floats(), *numbers)

    def shifted(self, by: Number) -> Profile:
        """Return the profile of the total plus a number."""
        if not by:
            return self
        distribution = self.distribution.shifted(by)
        return Profile(
            distribution, self.mean + by, self.variance, self.least + by, self.greatest + by
        )


class _TooManyTotalsError(Exception):
    """Fractions would take too long."""


def profiles_of(search: Search, most: int) -> Profiles:
    """Return the profiles of a search's tree, in fractions of decimals where that is quick."""
    tree = search.tree
    if not tree.exact and len(tree) <= MAX_IN_FRACTIONS:
        with suppress(_TooManyTotalsError):
            return Profiles(search, in_decimals(tree), most, MAX_IN_FRACTIONS)
    return Profiles(search, tree, most)


class Profiles:
    """The profile of every node that play can reach.

    Attributes:
        tree: The tree in whose numbers the profiles are.
        played: The nodes that play can reach, by optimal play after any first action.
    """

    def __init__(self, search: Search, tree: Tree, most: int, limit: int | None = None) -> None:
        self.search, self.tree, self.most, self.limit = search, tree, most, limit
        self.is_exact = search.tree.exact
        self.steps = 0
        self.played = self._played()
        self._found: dict[int, Profile] = {}
        kind, child = tree.columns.kind, tree.columns.child
        uses = Counter(child[b] for n in self.played for b in self._branches(n))
        for n in sorted(self.played):
            if n == tree.root_id and kind[n] in (Kind.MAX, Kind.MIN):
                continue
            branches = self._branches(n)
            self._found[n] = self._of_node(n, branches)
            for b in branches:
                uses[child[b]] -= 1
                if not uses[child[b]]:  # all profiles of a large tree would not fit in memory
                    self._found.pop(child[b], None)

    def after(self, branch: int) -> Profile:
        """Return the profile of a branch of the root, to be measured; -1 is the way to the root."""
        node = self.tree.root_id if branch == NONE else self.tree.columns.child[branch]
        paid = 0 if branch == NONE else self.tree.reward_of(branch)
        self._count([self._found[node]] * _MEASURED)
        return self._found[node].shifted(self.tree.root_reward + paid)

    def _branches(self, n: int) -> Sequence[int]:
        """Return the branches that play can take at a node; at the root, all actions."""
        tree, kind = self.tree, self.tree.columns.kind[n]
        if kind == CHANCE:
            return [b for b in tree.branches_of(n) if tree.columns.probability[b] > 0]
        if kind == TERMINAL or n == tree.root_id:
            return tree.branches_of(n)
        return [next(self.search.best_branches(n))]

    def _played(self) -> set[int]:
        reached, waiting = {self.tree.root_id}, [self.tree.root_id]
        while waiting:
            below = {self.tree.columns.child[b] for b in self._branches(waiting.pop())} - reached
            reached |= below
            waiting += below
        return reached

    def _of_node(self, n: int, branches: Sequence[int]) -> Profile:
        tree, columns = self.tree, self.tree.columns
        if columns.kind[n] == TERMINAL:
            utility: Any = columns.utility[n]
            one, zero = utility * 0 + 1, utility * 0
            certain = Distribution((utility,), (one,), False, self.is_exact)
            return Profile(certain, utility, zero, utility, utility)
        below = [self._found[columns.child[b]] for b in branches]
        rewards = [tree.reward_of(b) for b in branches]
        if len(branches) > 1 or rewards[0]:
            self._count(below)
            if self.limit is not None and self.steps > self.limit:
                raise _TooManyTotalsError
            if self.is_exact and self.steps > budget.most(MAX_EXACT_STEPS):
                below = [one.in_floats() for one in below]
                rewards = [*map(float, rewards)]
        if len(branches) == 1:
            return below[0].shifted(rewards[0])
        return self._mixed([columns.probability[b] for b in branches], rewards, below)

    def _count(self, below: Sequence[Profile]) -> None:
        """Count a step for each total; raise `AnalysisError` if there are too many."""
        for one in below:
            bits = one.variance.denominator.bit_length() if one.is_in_fractions else 0
            self.steps += len(one.distribution.totals) * (1 + bits // _BITS)
        if self.steps > budget.most(MAX_STEPS):
            raise AnalysisError(
                f"the distributions of totals take more than {budget.most(MAX_STEPS):,} steps: "
                f"put totals into fewer bins, such as --most {max(self.most // 10, 10)}, or "
                f"{budget.more()}"
            )

    def _mixed(
        self, shares: Sequence[Any], rewards: Sequence[Number], below: Sequence[Profile]
    ) -> Profile:
        """Return the mixture of profiles, each with its probability and a number to add."""
        parts = [*zip(shares, rewards, below, strict=True)]
        mixed = mixture([(p, r, one.distribution) for p, r, one in parts], self.most)
        mean = sum(p * (one.mean + r) for p, r, one in parts)
        variance = sum(p * (one.variance + (one.mean + r - mean) ** 2) for p, r, one in parts)
        least = min(one.least + r for _, r, one in parts)
        return Profile(mixed, mean, variance, least, max(one.greatest + r for _, r, one in parts))
