"""How the best action and the value depend on one parameter at a time.

1. Compute the value of each node as a function of the parameter (`functions.py`).
2. Find where the functions of the root's actions cross, and verify each place (`decisions.py`).

If a formula is not a rational function, sample the range instead, and say so. A tornado does so for
each parameter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from expectitree.base.budget import TooMuchWorkError, limited_work
from expectitree.base.errors import (
    NO_PARAMETERS,
    AnalysisError,
)
from expectitree.base.numbers import to_exact, to_fraction
from expectitree.base.tree.columns import NONE
from expectitree.base.tree.folding import unshare
from expectitree.base.tree.model import Tree, check_tree
from expectitree.base.tree.parameters import parameter_values
from expectitree.base.tree.paths import join, split
from expectitree.decide.algebra.polynomials import VALUE_TOLERANCE, between, place_of, roots_between
from expectitree.decide.algebra.rationals import MAX_STEPS, Piecewise, slope_of
from expectitree.decide.sensitivity.decisions import Decision, Piece, Threshold
from expectitree.decide.sensitivity.functions import NodeFunctions, best_actions
from expectitree.decide.sensitivity.parameters import (
    INEXACT,
    Ends,
    Range,
    SensitivityReport,
    exact_tree,
    range_of,
    why_not_exact,
)
from expectitree.decide.sensitivity.sampling import Sampler, with_strategy
from expectitree.searches.engine import search_tree
from expectitree.searches.result import Search


@dataclass(frozen=True)
class Sensitivity(SensitivityReport):
    """The best action and the value as functions of one parameter; `sensitivity` makes it.

        >>> import expectitree as et
        >>> tree = et.loads("parameters: {p: 1/2}\\nmax: {sure: 3, bet: {chance: {win: "
        ...                 "{p: p, utility: 10}, lose: {p: rest, utility: 0}}}}")
        >>> found = et.sensitivity(tree, "p", range=(0, 1))
        >>> [(piece.end, piece.best) for piece in found.pieces]
        [(Fraction(3, 10), ('sure',)), (Fraction(1, 1), ('bet',))]

    Attributes:
        file: The name of the tree in outputs.
        tree: The tree.
        range: The parameter, with its `low` and `high`, and its `current` value.
        pieces: The parts of the range, from low to high, with `start`, `end`, `best` and `value`.
        thresholds: The values at which the best actions change. Each has `lower` and `upper`, which
            contain it, `exact` (None if it is not rational), the root's `value` there, and the
            best actions `before`, `at` and `after` it.
        best: The best actions at the current value.
        value: The root's value at the current value.
        actions: The value of each action as a function of the parameter; empty if it was sampled.
        function: The root's value as a function of the parameter; None if it was sampled.
        reason: Why the range was sampled; empty if it was not.
        branch: The path of the branch to which an amount is added; None if a parameter moves.
        branch_pays: What this branch pays now.
    """

    range: Range
    pieces: tuple[Piece, ...]
    thresholds: tuple[Threshold, ...]
    best: tuple[str, ...]
    value: Fraction
    actions: Mapping[str, Piecewise]
    function: Piecewise | None = None
    reason: str = ""
    branch: str | None = None
    branch_pays: Fraction = Fraction(0)

    @property
    def method(self) -> str:
        """The method: exact, or sampled if the value is not a rational function."""
        return "sampled" if self.reason else "exact"

    @property
    def slack(self) -> tuple[Fraction | None, Fraction | None]:
        """How far the parameter can fall and rise before another action is best.

        None where it can move to the end of the range, and if it is outside the range.
        """
        here = self.range.current
        if not self.range.low <= here <= self.range.high:
            return None, None
        below = [t.upper for t in self.thresholds if t.lower <= here and t.before != self.best]
        above = [t.lower for t in self.thresholds if t.upper >= here and t.after != self.best]
        zero = Fraction(0)  # where the value lies within the interval of a threshold
        fall = max(here - max(below), zero) if below else None
        rise = max(min(above) - here, zero) if above else None
        return fall, rise

    def value_at(self, at: Fraction | float | str) -> Fraction:
        """Return the root's value at a value of the parameter."""
        place = to_fraction(at) if isinstance(at, str) else to_exact(at)
        if self.function is not None:
            return self.function(place)
        settings = self.range.settings(place)
        return to_exact(search_tree(self.tree.with_parameters(**settings)).value)

    def json_fields(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        fall, rise = self.slack
        branch = {"branch": self.branch, "branch_pays": self.branch_pays}
        return {
            **self.range.json_fields(),
            **({} if self.branch is None else branch),
            "best": self.best,
            "value": self.value,
            "can_fall_by": fall,
            "can_rise_by": rise,
            "pieces": [piece.json_fields(self.range.name) for piece in self.pieces],
            "thresholds": self.thresholds,
            "method": self.method,
            "reason": self.reason or None,
        }

    def to_records(self) -> list[dict[str, Any]]:
        """Return a flat dict for each piece: the rows of a table for pandas or polars.

        `best` is the first best action, and `ties` how many are best. `value` is a formula, or None
        if it is not a single short one.
        """
        name = self.range.name
        return [
            {"file": self.file, "parameter": name, **piece.record(), "value": piece.formula(name)}
            for piece in self.pieces
        ]


def sensitivity(
    tree: Tree, parameter: str, *, range: Ends | None = None, file: str = ""
) -> Sensitivity:
    """Return how the best action and the value depend on one parameter of a tree.

    The answer is exact where formulas are made of + - * / and whole powers: the thresholds are
    roots of polynomials, rational or enclosed to within 1e-9. Otherwise the range is sampled, and
    so it is with an attitude to risk.

        >>> import expectitree as et
        >>> tree = et.loads("parameters: {p: {value: 1/2, range: [0, 1]}}\\nmax: {sure: 3, bet: "
        ...                 "{chance: {win: {p: p, utility: 10}, lose: {p: rest, utility: 0}}}}")
        >>> found = et.sensitivity(tree, "p")
        >>> found.thresholds[0].exact, found.thresholds[0].after
        (Fraction(3, 10), ('bet',))

    Args:
        tree: The tree.
        parameter: The name of the parameter that moves.
        range: Its least and greatest value; by default, those in the file.
        file: The name of the tree in outputs.

    Raises:
        AnalysisError: The parameter has no range, or no part of it is valid.
        TreeError: There is no such parameter, or it is derived from others.
    """
    check_tree(tree)
    return _one_way(tree, range_of(tree, parameter, range), file)


def added(tree: Tree, path: str, *, file: str = "") -> Sensitivity:
    """Return how the decision depends on an amount that is added to the reward of a branch.

    The amount goes as far as the totals of the tree are apart, divided by the probability of the
    path. If no other path leads to the branch, a larger amount changes no decision.
    """
    check_tree(tree, "--add")
    branch = tree.find_branch(path)
    if branch == NONE:
        raise AnalysisError("an amount at the root changes no decision: name a branch below it")
    low, high = (to_exact(end) for end in tree.total_ends)
    labels, probability = split(path), Fraction(1)
    for length in range(1, len(labels) + 1):
        above = tree.find_branch(join(labels[:length]))
        probability *= to_exact(tree.columns.probability[above])
    width = (high - low or Fraction(1)) / (probability or 1)
    amount = Range(f"added to {path}", -width, width, Fraction(0))
    pays = to_exact(tree.reward_of(branch))
    return replace(_one_way(tree, amount, file, branch), branch=path, branch_pays=pays)


def _one_way(tree: Tree, range: Range, file: str, added: int | None = None) -> Sensitivity:
    """Return how the best action depends on one parameter, or on an amount added to a branch."""
    try:
        with limited_work(MAX_STEPS):
            functions = NodeFunctions(exact_tree(tree, added is None), range, added).valid_part()
            decision, now = Decision.at_root(functions), functions.now
            parts = tuple(decision.pieces()), tuple(decision.thresholds())
            found = decision.actions, decision.value
            return Sensitivity(
                file, tree, functions.range, *parts, best_actions(now), to_exact(now.value), *found
            )
    except INEXACT as error:
        reason = why_not_exact(error)
    if added is not None:
        raise AnalysisError(f"{reason}: use a smaller tree")
    now, sampler = search_tree(tree), Sampler(tree, range)
    best, value = best_actions(now), to_exact(now.value)
    return Sensitivity(file, tree, sampler.range, *sampler.sample(), best, value, {}, reason=reason)


# ---- Tornado.


@dataclass(frozen=True)
class Bar:
    """The effect of one parameter on the value."""

    range: Range  # the parameter and its range
    least: Fraction  # the least value over the whole range
    least_at: Fraction  # where it is
    greatest: Fraction  # the greatest value
    greatest_at: Fraction  # where it is
    thresholds: tuple[Threshold, ...]  # where the best action changes; empty with a fixed strategy
    method: str  # "exact" or "sampled"
    later: tuple[Fraction, ...] = ()  # where only a later decision changes; empty if sampled

    def json_fields(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        own = {name: value for name, value in vars(self).items() if name not in ("range", "later")}
        own["later_changes_at"] = self.later
        return self.range.json_fields() | own

    @property
    def changes(self) -> tuple[Threshold, ...]:
        """The thresholds that are more than a tie at a single place."""
        return tuple(t for t in self.thresholds if t.before and t.after and t.before != t.after)


@dataclass(frozen=True)
class Tornado(SensitivityReport):
    """The least and the greatest value over the range of each parameter; `tornado` makes it."""

    value: Fraction  # the value with all parameters as they are
    best: tuple[str, ...]  # the best actions with all parameters as they are
    is_fixed: bool  # whether the strategy is today's; otherwise the decisions follow the parameter
    bars: tuple[Bar, ...]  # one for each parameter, the widest first
    assumed: tuple[str, ...] = ()  # parameters without a range, which move by 10% both ways
    left_out: Mapping[str, str] = field(default_factory=dict)  # why others cannot: reasons by name

    def json_fields(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        names = ("value", "best", "bars", "assumed", "left_out")
        strategy = "fixed" if self.is_fixed else "re-optimized"
        return {name: getattr(self, name) for name in names} | {"strategy": strategy}

    def to_records(self) -> list[dict[str, Any]]:
        """Return a flat dict for each bar: the rows of a table."""
        names = ("least", "least_at", "greatest", "greatest_at")
        return [
            {"file": self.file, "parameter": bar.range.name}
            | {"low": bar.range.low, "high": bar.range.high}
            | {name: getattr(bar, name) for name in names}
            for bar in self.bars
        ]


def tornado(
    tree: Tree,
    parameters: Sequence[str] = (),
    *,
    ranges: Mapping[str, Ends] | None = None,
    fixed: bool = False,
    file: str = "",
) -> Tornado:
    """Return the least and the greatest value over the range of each parameter.

        >>> import expectitree as et
        >>> tree = et.loads("parameters: {p: {value: 1/2, range: [1/4, 1]}}\\nmax: {sure: 3, bet: "
        ...                 "{chance: {win: {p: p, utility: 10}, lose: {p: rest, utility: 0}}}}")
        >>> bar = et.tornado(tree).bars[0]
        >>> bar.least, bar.greatest
        (Fraction(3, 1), Fraction(10, 1))

    Args:
        tree: The tree.
        parameters: Their names; by default, all that are not derived from others. One without a
            range moves by 10% of its value both ways, within [0, 1] if it is a probability.
        ranges: By name, the least and greatest value, where they are not those of the file.
        fixed: Keep the current best strategy; otherwise the decisions follow the parameter.
        file: The name of the tree in outputs.

    Raises:
        AnalysisError: There is no parameter that can move.
        TreeError: There is no such parameter, or it is derived from others.
    """
    check_tree(tree)
    chosen = [parameters] if isinstance(parameters, str) else list(parameters)
    given = ranges or {}
    if not tree.parameters:
        raise AnalysisError(
            "the tree has no parameters",
            "name its uncertain numbers under `parameters:` in the file, as in `parameters: {pr: "
            "{value: 0.5, range: [0.3, 0.7]}}`; without them, ask --add PATH or --strategies",
            NO_PARAMETERS,
        )
    try:
        exact = exact_tree(tree)
    except INEXACT:
        exact = None
    search = search_tree(exact or tree)
    if fixed and len(search.tree) > len(tree):  # decisions depend on what was paid earlier
        tree = unshare(tree)
        search = search_tree(tree)
    bars, assumed, left_out = [], [], {}
    for name in chosen or [name for name, one in tree.parameters.items() if not one.bases]:
        has_range = chosen or name in given or tree.parameters[name].range
        try:
            ends = given.get(name) if has_range else _assumed_ends(tree, name)
            bars.append(_bar(tree, exact, search, range_of(tree, name, ends), fixed))
        except (AnalysisError, TooMuchWorkError) as error:
            left_out[name] = str(error)
            continue
        if not has_range:
            assumed.append(name)
    if not bars:
        problems = "; ".join(f"{name}: {why}" for name, why in left_out.items())
        raise AnalysisError(
            f"no parameter can move ({problems}): give one a range, as in -p pr=0..1"
        )
    bars.sort(key=lambda bar: bar.least - bar.greatest)
    found = tuple(bars), tuple(assumed), left_out
    return Tornado(file, tree, to_exact(search.value), search.ties, fixed, *found)


def _assumed_ends(tree: Tree, name: str) -> Ends:
    """Return 10% less and more than the value of a parameter without a range."""
    now = parameter_values(tree)[name]
    if not now:
        raise AnalysisError("it is 0 or not known, so 10% of it says nothing")
    low, high = sorted((to_exact(now) * Fraction(9, 10), to_exact(now) * Fraction(11, 10)))
    return low, high


def _bar(tree: Tree, exact: Tree | None, search: Search, range: Range, is_fixed: bool) -> Bar:
    """Return the bar of a parameter; without exact functions, sample its range."""
    strategy = search.strategy_branches if is_fixed else {}
    parts: Any = (), ()  # the pieces and the thresholds
    method = "sampled"
    if exact is not None:
        with suppress(*INEXACT), limited_work(MAX_STEPS):
            functions = NodeFunctions(exact, range, strategy=strategy).valid_part()
            values = _values(functions)
            if not is_fixed:
                decision = Decision.at_root(functions)
                parts = tuple(decision.pieces()), tuple(decision.thresholds(is_verified=False))
            range, method = functions.range, "exact"
    if method == "sampled":
        sampler = Sampler(with_strategy(tree, strategy), range)
        range, values = sampler.range, sampler.extremes()
        if not is_fixed:
            parts = sampler.sample()
    if range.low <= range.current <= range.high:
        values[range.current] = to_exact(search.value)
    least, greatest = min(values, key=values.__getitem__), max(values, key=values.__getitem__)
    ends = values[least], least, values[greatest], greatest
    later = tuple(place for piece in parts[0] for place in piece.later)
    return Bar(range, *ends, parts[1], method, later)


def _values(functions: NodeFunctions) -> dict[Fraction, Fraction]:
    """Return the values at the ends of the pieces, where a slope is 0, and within, by their places.

    A place that is not rational is given to within 1e-24. It may lie just beside a piece, whose
    least or greatest value is then that at a place within.
    """
    value = functions.check_limits("the tree", functions.of_branch(NONE))
    places: list[Fraction] = []
    for piece, left, right in value.parts():
        flat = roots_between(slope_of(piece), left, right)
        places += [place_of(root, VALUE_TOLERANCE) for root in (left, *flat, right)]
        places.append(between(left, right))
    return {place: value(place) for place in places}
