"""The distribution of totals for each first action, with optimal play afterwards.

A risk profile is the distribution of what MAX receives in all under a strategy (Clemen and Reilly,
Making Hard Decisions). One distribution a node is computed, children first:

    TERMINAL  the utility, for certain
    CHANCE    the mixture of the outcomes' distributions
    MAX, MIN  that of the first best action

A branch shifts the distribution below it by its reward. A shared node is computed once. Means and
variances are computed next to the distributions, so that bins do not change them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from expectitree.analysis.risk.distribution import (
    MOST_TOTALS,
    Distribution,
    mixture,
    standard_deviation,
)
from expectitree.analysis.risk.dominance import Dominance, dominances
from expectitree.display import Shown
from expectitree.errors import AnalysisError
from expectitree.numbers import Number, escape, quote
from expectitree.searches.by_utility import with_totals
from expectitree.searches.engine import evaluate
from expectitree.searches.result import Search
from expectitree.tree.columns import CHANCE, NONE, TERMINAL
from expectitree.tree.model import Kind, Tree

QUANTILES = ("0.05", "0.5", "0.95")
_TAIL = "0.05"  # of the CVaR


@dataclass(frozen=True)
class ActionRisk:
    """The risk of one action.

    Attributes:
        action: Its label; None if no player decides at the root.
        is_best: Whether it is a best action.
        mean: The expected total, which is the value of the action.
        variance: The variance of the total.
        sd: The standard deviation.
        quantiles: The totals that are not exceeded with a probability of 5%, 50% and 95%.
        loss: The probability of a total below 0.
        reach: The probability of a total of at least the target; None without a target.
        semideviation: The root of the mean square of what totals miss of the mean.
        cvar: The mean of the worst 5% of the totals.
        distribution: The totals and their probabilities.
    """

    action: str | None
    is_best: bool
    mean: Any
    variance: Any
    sd: float
    quantiles: tuple[Any, ...]
    loss: Any
    reach: Any
    semideviation: float
    cvar: Any
    distribution: Distribution


@dataclass(frozen=True)
class Risk(Shown):
    """The risk of each action at the root; `risk` makes it.

        >>> import expectitree as et
        >>> tree = et.loads("max: {sure: 3, bet: {chance: {1/4: 16, 3/4: 0}}}")
        >>> [(one.action, one.mean, one.loss) for one in et.risk(tree).actions]
        [('sure', 3.0, 0), ('bet', 4.0, 0)]

    Attributes:
        file: The name of the tree in outputs.
        tree: The tree.
        actions: One for each action at the root, in order.
        dominance: Which action stochastically dominates which, with `action`, `other` and `order`.
        target: The target, or None.
        is_tied: Whether several actions are best somewhere in play; then the first one was used.
    """

    file: str
    tree: Tree
    actions: tuple[ActionRisk, ...]
    dominance: tuple[Dominance, ...]
    target: Number | None
    is_tied: bool

    def to_records(self) -> list[dict[str, Any]]:
        """Return a flat dict for each action: the rows of a table for pandas or polars.

        >>> import expectitree as et
        >>> tree = et.loads("max: {sure: 3, bet: {chance: {1/4: 16, 3/4: 0}}}")
        >>> for row in et.risk(tree).to_records():
        ...     print(row["action"], row["mean"], row["sd"], row["max"])
        sure 3.0 0.0 3.0
        bet 4.0 6.928203230275509 16.0
        """
        return [
            {
                "file": self.file,
                "action": one.action,
                "mean": one.mean,
                "sd": one.sd,
                "min": one.distribution.totals[0],
                "q05": one.quantiles[0],
                "q50": one.quantiles[1],
                "q95": one.quantiles[2],
                "max": one.distribution.totals[-1],
                "loss": one.loss,
                "reach": one.reach,
                "semideviation": one.semideviation,
                "cvar": one.cvar,
            }
            for one in self.actions
        ]


def risk(
    tree: Tree,
    action: str | None = None,
    *,
    target: Number | None = None,
    most: int = MOST_TOTALS,
    file: str = "",
) -> Risk:
    """Compute the distribution of totals for each first action, with optimal play afterwards.

        >>> import expectitree as et
        >>> tree = et.loads("max: {sure: 3, bet: {chance: {1/4: 16, 3/4: 0}}}")
        >>> et.risk(tree, target=10).actions[1].reach
        0.25

    Args:
        tree: The tree.
        action: The label of the only action to compute.
        target: A total; the report has the probability of reaching it.
        most: More totals than this are put into bins.
        file: The name of the tree in outputs.

    Raises:
        AnalysisError: There is no such action.
        SearchError: As for `evaluate`.
    """
    tree = with_totals(tree)
    search = evaluate(tree)
    profiles = _Profiles(search, most)
    root = tree.root_id
    branches = [NONE]
    if tree.root.kind in (Kind.MAX, Kind.MIN):
        branches = [*tree.branches_of(root)]
        if action is not None:
            branches = [b for b in branches if tree.branch_label(root, b) == action]
    if not branches or (action is not None and branches == [NONE]):
        labels = [tree.branch_label(root, b) for b in tree.branches_of(root)][:8]
        known = f"the actions are {', '.join(map(escape, labels))}"
        if tree.root.kind not in (Kind.MAX, Kind.MIN):
            known = "no player decides at the root: leave the action out"
        raise AnalysisError(f"no action {quote(str(action))}: {known}")
    found = tuple(profiles.of_branch(b, target) for b in branches)
    named = {one.action: one.distribution for one in found if one.action is not None}
    eps = 0 if tree.exact else 1e-9
    is_tied = any(
        len(list(search.best_branches(n))) > 1
        for n in profiles.played
        if tree.columns.kind[n] in (Kind.MAX, Kind.MIN) and n != root
    )
    return Risk(file, tree, found, dominances(named, eps), target, is_tied)


class _Profiles:
    """The distribution, the mean and the variance of every node that optimal play can reach."""

    def __init__(self, search: Search, most: int) -> None:
        self.search, self.tree, self.most = search, search.tree, most
        self.zero: Any = self.tree.columns.utility[0] * 0
        self.played = self._played()
        self.found: dict[int, tuple[Distribution, Any, Any]] = {}
        columns = self.tree.columns
        uses = Counter(columns.child[b] for n in self.played for b in self._branches(n))
        for n in sorted(self.played):
            if n == self.tree.root_id and columns.kind[n] in (Kind.MAX, Kind.MIN):
                continue
            self.found[n] = self._of_node(n)
            for b in self._branches(n):
                child = columns.child[b]
                uses[child] -= 1
                if not uses[child]:  # large trees would take too much memory
                    self.found.pop(child, None)

    def _branches(self, n: int) -> list[int]:
        """Return the branches that play can take at a node; at the root, all actions."""
        tree, kind = self.tree, self.tree.columns.kind[n]
        if kind == TERMINAL:
            return []
        if kind == CHANCE:
            return [b for b in tree.branches_of(n) if tree.columns.probability[b] > 0]
        if n == tree.root_id:
            return [*tree.branches_of(n)]
        return [next(self.search.best_branches(n))]

    def _played(self) -> set[int]:
        """Return the nodes that play can reach, by optimal play after any first action."""
        reached, waiting = {self.tree.root_id}, [self.tree.root_id]
        while waiting:
            below = {self.tree.columns.child[b] for b in self._branches(waiting.pop())} - reached
            reached |= below
            waiting += below
        return reached

    def _of_node(self, n: int) -> tuple[Distribution, Any, Any]:
        """Return the distribution of a node, its mean, and its variance."""
        tree, columns = self.tree, self.tree.columns
        if columns.kind[n] == TERMINAL:
            u = columns.utility[n]
            return Distribution((u,), (self.zero + 1,)), u, self.zero
        branches = self._branches(n)
        below = [self.found[columns.child[b]] for b in branches]
        rewards = [tree.reward_of(b) for b in branches]
        if len(branches) == 1:
            distribution, mean, variance = below[0]
            return distribution.shifted(rewards[0]), mean + rewards[0], variance
        shares = [columns.probability[b] for b in branches]
        means = [m + r for (_, m, _), r in zip(below, rewards, strict=True)]
        mean = sum((p * m for p, m in zip(shares, means, strict=True)), self.zero)
        variance = sum(
            (
                p * (v + (m - mean) ** 2)
                for p, m, (_, _, v) in zip(shares, means, below, strict=True)
            ),
            self.zero,
        )
        parts = [(p, r, d) for p, r, (d, _, _) in zip(shares, rewards, below, strict=True)]
        return mixture(parts, tree.exact, self.most), mean, variance

    def of_branch(self, branch: int, target: Number | None) -> ActionRisk:
        """Return the risk of an action at the root; -1 is the tree itself."""
        tree, root = self.tree, self.tree.root_id
        node = root if branch == NONE else tree.columns.child[branch]
        added = tree.root_reward + (0 if branch == NONE else tree.reward_of(branch))
        below, mean, variance = self.found[node]
        distribution, mean = below.shifted(added), mean + added
        number = type(self.zero)
        semivariance = sum(
            p * (mean - total) ** 2
            for total, p in zip(distribution.totals, distribution.probabilities, strict=True)
            if total < mean
        )
        label = None if branch == NONE else tree.branch_label(root, branch)
        return ActionRisk(
            label,
            branch == NONE or self.search.is_best(root, branch),
            mean,
            variance,
            standard_deviation(variance),
            tuple(distribution.quantile(number(share)) for share in QUANTILES),
            distribution.below(self.zero),
            None if target is None else 1 - distribution.below(target),
            standard_deviation(semivariance),
            distribution.mean_of_worst(number(_TAIL)),
            distribution,
        )
