"""How risky each action is: the report behind `risk`.

A risk profile is the distribution of what MAX receives in all under a strategy (Clemen and Reilly,
Making Hard Decisions): one of the actions first, then optimal play.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from expectitree.base.display import Shown
from expectitree.base.errors import AnalysisError
from expectitree.base.expressions.syntax import names_in
from expectitree.base.names import did_you_mean
from expectitree.base.numbers import Number, escape, quote, returned, to_exact
from expectitree.decide.risk.distribution import MAX_TOTALS, Distribution, standard_deviation
from expectitree.decide.risk.dominance import Dominance, dominances
from expectitree.decide.risk.profiles import Profile, Profiles, profiles_of
from expectitree.searches.by_utility import with_totals
from expectitree.searches.engine import search_tree
from expectitree.searches.result import Search
from expectitree.tree.columns import NONE
from expectitree.tree.model import Kind, Tree

QUANTILES = ("0.05", "0.5", "0.95")
TAIL = "0.05"  # the share of the worst totals whose mean is the CVaR
_PLAYERS = (Kind.MAX, Kind.MIN)
_MAX_LABELS = 8  # in a message


@dataclass(frozen=True)
class ActionRisk:
    """The risk of one action.

    Attributes:
        action: Its label; None if no player decides at the root.
        is_best: Whether it is a best action.
        mean: The expected total: the value of the action, unless the tree has an attitude to risk.
        variance: The variance of the total.
        sd: The standard deviation.
        least: The least total that can occur.
        greatest: The greatest total that can occur.
        quantiles: By the texts "0.05", "0.5" and "0.95": the least total that is not exceeded with
            at least that probability.
        loss: The probability of a total below 0.
        reach: The probability of a total of at least the target; None without a target.
        semideviation: The root mean square of the shortfall below the mean (0 for other totals).
        cvar: The mean of the worst 5% of the totals.
        distribution: The totals and their probabilities.
    """

    action: str | None
    is_best: bool
    mean: Any
    variance: Any
    sd: float
    least: Any
    greatest: Any
    quantiles: Mapping[str, Any]
    loss: Any
    reach: Any
    semideviation: float
    cvar: Any
    distribution: Distribution

    def json_fields(self) -> dict[str, Any]:
        """Return the fields for JSON, where the totals are pairs, and the ends `min` and `max`."""
        names = {"least": "min", "greatest": "max"}
        found = {names.get(name, name): value for name, value in vars(self).items()}
        pairs = self.distribution.pairs()
        return found | {"binned": self.distribution.is_binned, "distribution": pairs}


@dataclass(frozen=True)
class Tie:
    """A node below the root with several best actions, which may differ in risk.

    Attributes:
        path: The first path to the node.
        used: The action that the distributions use: the first of the best.
        others: The other best actions.
    """

    path: str
    used: str
    others: tuple[str, ...]


@dataclass(frozen=True)
class Risk(Shown):
    """The risk of each action at the root; `risk` makes it.

        >>> import expectitree as et
        >>> tree = et.loads("max: {sure: 3, bet: {chance: {1/4: 16, 3/4: 0}}}")
        >>> for one in et.risk(tree).actions:
        ...     print(one.action, one.mean, one.least, one.greatest)
        sure 3.0 3.0 3.0
        bet 4.0 0.0 16.0

    Attributes:
        file: The name of the tree in outputs.
        tree: The tree.
        actions: One for each action at the root, in order.
        dominance: Which action stochastically dominates which, with `action`, `other` and `order`.
        target: The target, or None.
        ties: The nodes below the root that play can reach and that have several best actions.
        unit: The unit of totals: that of the parameters in utilities and rewards, if it is one.
    """

    question = "risk"
    has_plot = True

    file: str
    tree: Tree
    actions: tuple[ActionRisk, ...]
    dominance: tuple[Dominance, ...]
    target: Number | None
    ties: tuple[Tie, ...]
    unit: str | None

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
                "min": one.least,
                "q05": one.quantiles["0.05"],
                "q50": one.quantiles["0.5"],
                "q95": one.quantiles["0.95"],
                "max": one.greatest,
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
    most: int = MAX_TOTALS,
    exact: bool = False,
    file: str = "",
) -> Risk:
    """Return the distribution of totals for each first action, with optimal play afterwards.

        >>> import expectitree as et
        >>> tree = et.loads("max: {sure: 3, bet: {chance: {1/4: 16, 3/4: 0}}}")
        >>> et.risk(tree, target=10).actions[1].reach
        0.25

    Args:
        tree: The tree.
        action: The label of the only action to compute.
        target: A total; the report has the probability of reaching it.
        most: More totals than this are put into bins.
        exact: Return numbers of an exact tree as `Fraction`; otherwise rounded to floats.
        file: The name of the tree in outputs.

    Raises:
        AnalysisError: There is no such action.
        SearchError: As for `evaluate`.
    """
    tree, unit = with_totals(tree), _unit(tree)
    branches = _actions(tree, action)
    search = search_tree(tree)
    profiles = profiles_of(search, most)
    own = {b: profiles.after(b) for b in branches}  # too many are an error before they are slow
    found = tuple(_measured(search, b, profile, target, exact) for b, profile in own.items())
    named = {tree.branch_label(tree.root_id, b): own[b].distribution for b in own if b != NONE}
    ties = tuple(_ties(search, profiles))
    return Risk(file, tree, found, dominances(named), target, ties, unit)


def _actions(tree: Tree, action: str | None) -> list[int]:
    """Return the branches of the root to compute; -1 if no player decides there."""
    root = tree.root_id
    if tree.root.kind not in _PLAYERS:
        if action is None:
            return [NONE]
        known = "no player decides at the root: remove the action"
        raise AnalysisError(f"no action {quote(action)}: {known}")
    branches = {tree.branch_label(root, b): b for b in tree.branches_of(root)}
    if action is None:
        return [*branches.values()]
    if action not in branches:
        labels = [*map(escape, branches)]
        more = ["…"] * (len(labels) > _MAX_LABELS)
        known = f"the actions are {', '.join([*labels[:_MAX_LABELS], *more])}"
        raise AnalysisError(f"no action {quote(action)}{did_you_mean(action, branches)}: {known}")
    return [branches[action]]


def _measured(
    search: Search, branch: int, profile: Profile, target: Number | None, exact: bool
) -> ActionRisk:
    """Return the risk of an action at the root; -1 is the tree itself."""
    tree, root, found = search.tree, search.tree.root_id, profile.distribution
    share = type(profile.mean)  # `Fraction` or float
    # Profiles of a tree of floats are in fractions of decimals; each result is rounded once.
    number = partial(returned, exact=exact and tree.exact)
    quantiles = {text: number(found.quantile(Fraction(text))) for text in QUANTILES}
    at_least = None if target is None else 1 - found.below(_same_kind(target, profile.mean))
    return ActionRisk(
        action=None if branch == NONE else tree.branch_label(root, branch),
        is_best=branch == NONE or search.is_best(root, branch),
        mean=number(profile.mean),
        variance=number(profile.variance),
        sd=standard_deviation(profile.variance),
        least=number(profile.least),
        greatest=number(profile.greatest),
        quantiles=quantiles,
        loss=number(found.below(0)),
        reach=None if at_least is None else number(at_least),
        semideviation=standard_deviation(found.semivariance(profile.mean)),
        cvar=number(found.mean_of_worst(share(TAIL))),
        distribution=found if exact and tree.exact else found.in_floats(),
    )


def _same_kind(target: Number, mean: Any) -> Any:
    """Return a target as a fraction if totals are fractions; 0.1 is then 1/10."""
    return to_exact(target) if isinstance(mean, Fraction) else target


def _ties(search: Search, profiles: Profiles) -> Iterator[Tie]:
    tree = search.tree
    for n in sorted(profiles.played - {tree.root_id}, reverse=True):
        if tree.columns.kind[n] in _PLAYERS:
            used, *others = (tree.branch_label(n, b) for b in search.best_branches(n))
            if others:
                yield Tie(tree.path_of(n), used, tuple(others))


def _unit(tree: Tree) -> str | None:
    """Return the unit of the parameters in utilities and rewards; None if there are several."""
    if tree.formulas is None:
        return None
    columns = (tree.formulas.nodes, tree.formulas.rewards)
    names = {
        name for column in columns for formula in column.values() for name in names_in(formula)
    }
    units = {tree.parameters[name].unit for name in names} - {None}
    return units.pop() if len(units) == 1 else None
