"""The distribution of totals from each node on, under optimal play.

One distribution a node is computed, children first:

    TERMINAL  the utility, for certain
    CHANCE    the mixture of the outcomes' distributions
    MAX, MIN  that of the first best action

A branch shifts the distribution below it by its reward. A shared node is computed once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from expectitree.base import budget
from expectitree.base.errors import AnalysisError
from expectitree.base.tree.columns import CHANCE, NONE, TERMINAL
from expectitree.base.tree.model import Kind
from expectitree.decide.decimals import in_decimals
from expectitree.decide.risk.distribution import Distribution, mixture
from expectitree.searches.result import Search

MAX_IN_FRACTIONS = 20_000  # nodes, and steps, for trees of floats; later ones are in floats
MAX_EXACT_STEPS = 300_000  # of exact trees; later distributions are in floats
MAX_STEPS = 10_000_000  # totals that are computed, one or two microseconds each
_MEASURED = 10  # steps to measure a total of an action
_BITS = 200  # of a fraction whose arithmetic takes a step; longer ones take more


class Profiles:
    """The distribution of totals at every node that play can reach.

    Trees of floats are computed in fractions of decimals where that is quick.

    Attributes:
        tree: The tree in whose numbers the distributions are.
        played: The nodes that play can reach, by optimal play after any first action.
    """

    def __init__(self, search: Search) -> None:
        self.search, self.tree = search, search.tree
        self.limit = budget.most(MAX_EXACT_STEPS)  # after which distributions are in floats
        if not self.tree.exact:
            self.limit = MAX_IN_FRACTIONS
            if len(self.tree) <= MAX_IN_FRACTIONS:
                self.tree = in_decimals(self.tree)
        tree = self.tree
        self.is_exact = search.tree.exact
        self.steps = 0
        self.played = self._played()
        self._found: dict[int, Distribution] = {}
        kind, child = tree.columns.kind, tree.columns.child
        uses = Counter(child[b] for n in self.played for b in self._branches(n))
        for n in sorted(self.played):
            if n == tree.root_id and kind[n] in (Kind.MAX, Kind.MIN):
                continue
            branches = self._branches(n)
            self._found[n] = self._of_node(n, branches)
            for b in branches:
                uses[child[b]] -= 1
                if not uses[child[b]]:  # all distributions of a large tree would not fit in memory
                    self._found.pop(child[b], None)

    def after(self, branch: int) -> Distribution:
        """Return the distribution of a branch of the root, to be measured; -1 is the root's."""
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

    def _of_node(self, n: int, branches: Sequence[int]) -> Distribution:
        tree, columns = self.tree, self.tree.columns
        if columns.kind[n] == TERMINAL:
            utility: Any = columns.utility[n]
            return Distribution((utility,), (utility * 0 + 1,), self.is_exact)
        below = [self._found[columns.child[b]] for b in branches]
        rewards = [tree.reward_of(b) for b in branches]
        if len(branches) > 1 or rewards[0]:
            self._count(below)
            if self.steps > self.limit:
                below = [one.in_floats() for one in below]
        if isinstance(below[0].totals[0], float):
            rewards = [*map(float, rewards)]
        if len(branches) == 1:
            return below[0].shifted(rewards[0])
        shares: list[Any] = [columns.probability[b] for b in branches]
        if isinstance(below[0].totals[0], float):
            shares = [*map(float, shares)]
        return mixture([*zip(shares, rewards, below, strict=True)])

    def _count(self, below: Sequence[Distribution]) -> None:
        """Count a step for each total; raise `AnalysisError` if there are too many."""
        for one in below:
            p = one.probabilities[0]
            bits = p.denominator.bit_length() if isinstance(p, Fraction) else 0
            self.steps += len(one.totals) * (1 + bits // _BITS)
        if self.steps > budget.most(MAX_STEPS):
            raise AnalysisError(
                f"the distributions of totals take more than {budget.most(MAX_STEPS):,} steps: "
                f"merge outcomes, or {budget.more()}"
            )
