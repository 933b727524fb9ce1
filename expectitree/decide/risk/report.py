"""How risky each action is: the report behind `risk`.

A risk profile is the distribution of the total under a strategy (Clemen and Reilly, Making Hard
Decisions): one of the actions first, then optimal play. A loss, the worst totals and dominance are
those of the decision maker, whose gain is minus the total for MIN.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from importlib.util import find_spec

from expectitree.base.errors import AnalysisError
from expectitree.base.names import did_you_mean
from expectitree.base.numbers import Number, quote, to_exact
from expectitree.base.rounding import round_once
from expectitree.base.tree.columns import NONE
from expectitree.base.tree.model import Tree
from expectitree.base.tree.report import TreeReport
from expectitree.decide.records import Amount, Fields, Records, attributes
from expectitree.decide.risk.distribution import (
    DRAWS,
    Distribution,
    Dominance,
    Profiles,
    TooManyTotalsError,
    dominances,
    not_implied,
    standard_deviation,
)
from expectitree.decide.risk.rules import Rules, rules_of
from expectitree.searches.by_utility import with_totals
from expectitree.searches.engine import search_tree
from expectitree.searches.result import PLAYERS, Search
from expectitree.text.phrases import names_text

QUANTILES = ("0.05", "0.5", "0.95")
TAIL = "0.05"  # the share of the worst totals whose mean is the CVaR
_KINDS = ("deterministic dominance", "first order", "second order")
_NO_PROBABILITIES = (
    "the table has no probabilities, and the totals of its actions no distribution\nadd a row "
    "`probability`"
)


@dataclass(frozen=True)
class ActionRisk:
    """The risk of one action."""

    action: str | None  # its label; None if no player decides at the root
    is_best: bool  # whether it is a best action
    mean: Amount  # the expected total: its value, unless the tree has an attitude to risk
    variance: Amount  # of the total
    sd: float  # the standard deviation
    least: Amount  # the least total that can occur
    greatest: Amount  # the greatest total that can occur
    # By the texts "0.05", "0.5" and "0.95": the least total that is not exceeded with at least that
    # probability.
    quantiles: Mapping[str, Amount]
    loss: Amount  # the probability of a total below 0; for MIN, above 0
    # The probability of a total of at least the target, for MIN of at most that; None without one.
    reach: Amount
    cvar: Amount  # the mean of the worst 5% of the totals for the decision maker
    distribution: Distribution  # the totals and their probabilities

    def json_fields(self) -> Fields:
        """Return the fields for JSON, where the totals are pairs, and the ends `min` and `max`."""
        names = {"least": "min", "greatest": "max"}
        found = {names.get(name, name): value for name, value in vars(self).items()}
        return found | {"distribution": self.distribution.pairs()}


@dataclass(frozen=True)
class Risk(TreeReport):
    """The risk of each action at the root; `risk` makes it.

        >>> import expectitree as et
        >>> found = et.risk(et.loads("max: {sure: 3, bet: {chance: {1/4: 16, 3/4: 0}}}"))
        >>> [(one.action, one.mean, one.least) for one in found.actions]
        [('sure', 3.0, 3.0), ('bet', 4.0, 0.0)]

    Attributes:
        file: The name of the tree in outputs.
        tree: The tree.
        actions: One for each action at the root, in order.
        dominance: Which action stochastically dominates which, with `action`, `other` and `order`.
        target: The target, or None.
        ties: The paths of nodes below the root where several actions are best, so that the first of
            them is used; the others may be more or less risky.
        draws: The number of plays that were simulated, since there are too many totals; else None.
        rules: For a payoff table, what the rules for decisions without probabilities choose; else
            None. If the table has no probabilities, there are no `actions`.
        charted: The action whose distribution a terminal shows; by default, the best one.
        is_detailed: Whether a terminal shows the regret in each state.
    """

    question = "risk"
    has_decider = True
    has_plot = True

    actions: tuple[ActionRisk, ...]
    dominance: tuple[Dominance, ...]
    target: Number | None
    ties: tuple[str, ...]
    draws: int | None = None
    rules: Rules | None = None
    charted: str | None = field(default=None, repr=False)
    is_detailed: bool = field(default=False, repr=False)

    @property
    def distributed(self) -> tuple[ActionRisk, ...]:
        """The actions; raises `AnalysisError` if there are no probabilities."""
        if not self.actions:
            raise AnalysisError(_NO_PROBABILITIES)
        return self.actions

    @property
    def dominance_lines(self) -> Mapping[Dominance, str]:
        """Which action dominates which, and how, without what two others show."""
        sign = self.tree.gain_sign
        ends = {one.action: sorted([sign * one.least, sign * one.greatest]) for one in self.actions}
        ranks = {}
        for one in self.dominance:
            is_certain = ends[one.action][0] >= ends[one.other][1]
            ranks[one] = 0 if is_certain else one.order
        return {one: _KINDS[ranks[one]] for one in not_implied(ranks)}

    @property
    def charted_action(self) -> ActionRisk:
        """The action whose distribution a terminal shows; raises `AnalysisError`."""
        if self.charted is None:
            return next(one for one in self.distributed if one.is_best)
        actions = {one.action or "the tree": one for one in self.distributed}
        if self.charted in actions:
            return actions[self.charted]
        hint = did_you_mean(self.charted, actions)
        raise AnalysisError(
            f"no action {quote(self.charted)}{hint}: the actions are {names_text([*actions])}"
        )

    def to_records(self) -> Records:
        """Return a flat dict for each action: the rows of a table for pandas or polars.

        >>> import expectitree as et
        >>> tree = et.loads("max: {sure: 3, bet: {chance: {1/4: 16, 3/4: 0}}}")
        >>> for row in et.risk(tree).to_records():
        ...     print(row["action"], row["mean"], row["sd"], row["max"])
        sure 3.0 0.0 3.0
        bet 4.0 6.928203230275509 16.0
        """
        return [
            {"file": self.file}
            | attributes(one, "action", "mean", "sd")
            | {"min": one.least}
            | dict(zip(("q05", "q50", "q95"), one.quantiles.values(), strict=True))
            | {"max": one.greatest}
            | attributes(one, "loss", "reach", "cvar")
            for one in self.distributed
        ]


def risk(
    tree: Tree,
    *,
    target: Number | None = None,
    hurwicz: Number | None = None,
    exact: bool = False,
    file: str = "",
) -> Risk:
    """Return the distribution of totals for each first action, with optimal play afterward.

    Where there are too many totals, 100,000 plays are simulated, and dominance is not tested. Of a
    payoff table, also return what the rules for decisions without probabilities choose.

        >>> import expectitree as et
        >>> tree = et.loads("max: {sure: 3, bet: {chance: {1/4: 16, 3/4: 0}}}")
        >>> et.risk(tree, target=10).actions[1].reach
        0.25

    Args:
        tree: The tree.
        target: A total; the report has the probability of reaching it.
        hurwicz: The weight of the best total in the rule of Hurwicz; by default, 1/2.
        exact: Return numbers of an exact tree as `Fraction`; otherwise rounded to floats.
        file: The name of the tree in outputs.

    Raises:
        AnalysisError: There are too many totals, or a target has no probability.
        SearchError: As for `evaluate`.
    """
    tree = with_totals(tree)
    branches: Sequence[int] = [NONE]  # if no player decides at the root
    if tree.root.kind in PLAYERS:
        branches = tree.branches_of(tree.root_id)
    search = search_tree(tree)
    rules = rules_of(tree, hurwicz, exact)
    if rules and not tree.has_probabilities:
        if target is not None or tree.attitude is not None:
            raise AnalysisError(_NO_PROBABILITIES)
        return Risk(file, tree, (), (), None, (), rules=rules)
    profiles, draws = Profiles(search), None
    try:
        profiles.compute()
        own = {b: profiles.after(b) for b in branches}  # too many are found before they are slow
    except TooManyTotalsError:
        if find_spec("numpy") is None:
            raise
        own, draws = {b: profiles.simulated(b) for b in branches}, DRAWS
    found = tuple(_measured(search, b, profile, target, exact) for b, profile in own.items())
    gains = {
        tree.branch_label(tree.root_id, b): _gains(tree, one) for b, one in own.items() if b != NONE
    }
    if draws and tree.attitude is None:  # the means are known
        values = {b: search.interval_of_branch(b)[0] + (b != NONE) * tree.root_reward for b in own}
        means = (round_once(value, exact and tree.exact) for value in values.values())
        found = tuple(replace(one, mean=mean) for one, mean in zip(found, means, strict=True))
    dominance = () if draws else dominances(gains)
    ties = tuple(_ties(search, profiles))
    return Risk(file, tree, found, dominance, target, ties, draws, rules)


def _gains(tree: Tree, totals: Distribution) -> Distribution:
    """Return the distribution of what the decision maker gains."""
    if tree.gain_sign > 0:
        return totals
    return totals.mirrored()


def _measured(
    search: Search, branch: int, found: Distribution, target: Number | None, exact: bool
) -> ActionRisk:
    """Return the risk of an action at the root; -1 is the tree itself."""
    tree, action, is_best = search.tree, None, True
    if branch != NONE:
        action = tree.branch_label(tree.root_id, branch)
        is_best = search.is_best(tree.root_id, branch)
    share = type(found.mean)  # `Fraction` or float
    # Distributions of a tree of floats are in fractions of decimals; each result is rounded once.
    is_exact = exact and tree.exact
    number = partial(round_once, exact=is_exact)
    reach, gains, sign = None, _gains(tree, found), tree.gain_sign
    if target is not None:
        if issubclass(share, Fraction):
            target = to_exact(target)  # 0.1 is 1/10 where totals are fractions
        reach = number(1 - gains.below(sign * target))
    return ActionRisk(
        action=action,
        is_best=is_best,
        mean=number(found.mean),
        variance=number(found.variance),
        sd=standard_deviation(found.variance),
        least=number(found.totals[0]),
        greatest=number(found.totals[-1]),
        quantiles={text: number(found.quantile(Fraction(text))) for text in QUANTILES},
        loss=number(gains.below(0)),
        reach=reach,
        cvar=number(sign * gains.mean_of_worst(share(TAIL))),
        distribution=found if is_exact else found.in_floats(),
    )


def _ties(search: Search, profiles: Profiles) -> Iterator[str]:
    columns = search.tree.columns
    for n in sorted(profiles.played - {search.tree.root_id}, reverse=True):
        kinds = [columns.kind[columns.child[b]] for b in search.best_branches(n)]
        if columns.kind[n] in PLAYERS and len(kinds) > 1 and any(kinds):  # not only terminals
            yield search.tree.path_of(n)
