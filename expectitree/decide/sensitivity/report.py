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
from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import to_exact
from expectitree.base.reading import to_fraction
from expectitree.base.tree.columns import NONE
from expectitree.base.tree.folding import unshare
from expectitree.base.tree.model import Tree, check_tree
from expectitree.base.tree.parameters import parameter_values
from expectitree.base.tree.paths import join, split
from expectitree.decide.algebra.polynomials import VALUE_TOLERANCE, between, place_of, roots_between
from expectitree.decide.algebra.rationals import MAX_STEPS, Piecewise, slope_of
from expectitree.decide.records import Fields, Labels, Records, attributes
from expectitree.decide.sensitivity.decisions import Decision, Piece, Threshold
from expectitree.decide.sensitivity.functions import NO_STRATEGY, NodeFunctions, best_actions
from expectitree.decide.sensitivity.parameters import (
    INEXACT,
    SAMPLED,
    Ends,
    NotRationalError,
    Range,
    SensitivityReport,
    exact_tree,
    method_of,
    range_of,
    why_fixed,
    why_not_exact,
)
from expectitree.decide.sensitivity.sampling import Sampler, with_strategy
from expectitree.searches.engine import search_tree


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
    best: Labels
    value: Fraction
    actions: Mapping[str, Piecewise]
    function: Piecewise | None = None
    reason: str = ""
    branch: str | None = None
    branch_pays: Fraction = Fraction(0)

    @property
    def slack(self) -> tuple[Fraction | None, Fraction | None]:
        """How far the parameter can fall and rise before another action is best.

        None where it can move to the end of the range, and if it is outside the range.
        """
        here = self.range.current
        if not self.range.low <= here <= self.range.high:
            return None, None
        # Within the interval of a threshold, the value is at a distance of 0.
        falls = [
            max(here - threshold.upper, Fraction(0))
            for threshold in self.thresholds
            if threshold.lower <= here and threshold.before != self.best
        ]
        rises = [
            max(threshold.lower - here, Fraction(0))
            for threshold in self.thresholds
            if threshold.upper >= here and threshold.after != self.best
        ]
        return min(falls, default=None), min(rises, default=None)

    def value_at(self, at: Fraction | float | str) -> Fraction:
        """Return the root's value at a value of the parameter."""
        place = to_fraction(at) if isinstance(at, str) else to_exact(at)
        if self.function is not None:
            return self.function(place)
        return to_exact(search_tree(self.range.moved(self.tree, place)).value)

    def json_fields(self) -> Fields:
        """Return the fields for JSON."""
        found = self.range.json_fields()
        if self.branch is not None:
            found |= attributes(self, "branch", "branch_pays")
        found |= attributes(self, "best", "value")
        found["can_fall_by"], found["can_rise_by"] = self.slack
        found["pieces"] = [piece.json_fields(self.range.name) for piece in self.pieces]
        found |= attributes(self, "thresholds", "method")
        return found | {"reason": self.reason or None}

    def to_records(self) -> Records:
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

    The answer is exact where the parameter is only in + - * / and whole powers: the thresholds are
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
        raise AnalysisError("an amount at the root changes no decision\nname a branch below it")
    low, high = (to_exact(end) for end in tree.total_ends)
    labels, probability = split(path), Fraction(1)
    while labels:
        above = tree.find_branch(join(labels))
        probability *= to_exact(tree.columns.probability[above])
        labels = labels[:-1]
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
            about = best_actions(now), to_exact(now.value)
            values = decision.actions, decision.value
            return Sensitivity(file, tree, functions.range, *parts, *about, *values)
    except INEXACT as error:
        reason = why_not_exact(error)
    if added is not None:
        raise AnalysisError(f"{reason}\nuse a smaller tree")
    now, sampler = search_tree(tree), Sampler(tree, range)
    best, value = best_actions(now), to_exact(now.value)
    return Sensitivity(file, tree, sampler.range, *sampler.sample(), best, value, {}, reason=reason)


# ---- Tornado.

_ROUNDING = Fraction(1, 10**12)  # of sampled values, as a part of the value
_BAR_STEPS = MAX_STEPS // 4  # of exact functions, shared by the parameters
_HINT = (
    "name its uncertain numbers under `parameters:` in the file, as in `parameters: {pr: {value: "
    "0.5, range: [0.3, 0.7]}}`; without them, ask --add PATH or --strategies"
)


@dataclass(frozen=True)
class Bar:
    """The effect of one parameter on the value."""

    range: Range  # the parameter and its range
    least: Fraction  # the least value over the whole range
    least_at: Fraction  # where it is
    greatest: Fraction  # the greatest value
    greatest_at: Fraction  # where it is
    thresholds: tuple[Threshold, ...]  # where the best action changes; empty with a fixed strategy
    method: str  # "exact", "60 digits" or "sampled"
    later: tuple[Fraction, ...] = ()  # where only a later decision changes; empty if sampled

    def json_fields(self) -> Fields:
        """Return the fields for JSON."""
        own = {**vars(self), "later_changes_at": self.later}
        del own["range"], own["later"]
        return self.range.json_fields() | own

    @property
    def changes(self) -> tuple[Threshold, ...]:
        """The thresholds that are more than a tie at a single place."""
        return tuple(t for t in self.thresholds if t.before and t.after and t.before != t.after)


@dataclass(frozen=True)
class Tornado(SensitivityReport):
    """The least and the greatest value over the range of each parameter; `tornado` makes it."""

    value: Fraction  # the value with all parameters as they are
    best: Labels  # the best actions with all parameters as they are
    is_fixed: bool  # whether the strategy is today's; otherwise the decisions follow the parameter
    bars: tuple[Bar, ...]  # one for each parameter, the widest first
    assumed: Labels = ()  # parameters without a range, which move by 10% both ways
    left_out: Mapping[str, str] = field(default_factory=dict)  # why others cannot: reasons by name

    @property
    def moving(self) -> tuple[Bar, ...]:
        """The bars of the parameters that have an effect on the value or on a decision."""
        least = _ROUNDING * abs(self.value)
        return tuple(
            bar for bar in self.bars if bar.greatest - bar.least > least or bar.changes or bar.later
        )

    @property
    def policy(self) -> str:
        """Whether the strategy is fixed or re-optimized."""
        return "fixed" if self.is_fixed else "re-optimized"

    def json_fields(self) -> Fields:
        """Return the fields for JSON."""
        own = attributes(self, "value", "best", "bars", "assumed", "left_out")
        return own | {"strategy": self.policy}

    def to_records(self) -> Records:
        """Return a flat dict for each bar: the rows of a table."""
        return [
            {"file": self.file, "parameter": bar.range.name}
            | attributes(bar.range, "low", "high")
            | attributes(bar, "least", "least_at", "greatest", "greatest_at")
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
    chosen = [parameters] if isinstance(parameters, str) else parameters
    names = chosen or [name for name, one in tree.parameters.items() if not one.is_derived]
    if not names:
        raise AnalysisError("the tree has no parameters", _HINT)
    bars, assumed, left_out = _Bars(tree, fixed, len(names)), [], {}
    for name in names:
        ends = (ranges or {}).get(name)
        is_assumed = not (chosen or ends or tree.parameters[name].range)
        try:
            if not chosen and (why := why_fixed(tree, name)):
                raise AnalysisError(why)
            if is_assumed:
                ends = _assumed_ends(tree, name)
            bars.add(range_of(tree, name, ends))
        except (AnalysisError, TooMuchWorkError) as error:
            left_out[name] = str(error)
        else:
            assumed += [name] * is_assumed
    if not bars.done:
        problems = "; ".join(map(": ".join, left_out.items()))
        raise AnalysisError(
            f"no parameter can move ({problems})\ngive one a range, as in -p pr=0..1"
        )
    bars.done.sort(key=lambda bar: bar.least - bar.greatest)
    about = to_exact(bars.search.value), bars.search.ties, fixed
    return Tornado(file, tree, *about, tuple(bars.done), tuple(assumed), left_out)


def _assumed_ends(tree: Tree, name: str) -> Ends:
    """Return 10% less and more than the value of a parameter without a range."""
    now = parameter_values(tree)[name]
    if not now:
        raise AnalysisError("it is 0 or not known, so 10% of it says nothing")
    low, high = sorted(to_exact(now) * Fraction(tenths, 10) for tenths in (9, 11))
    return low, high


class _Bars:
    """Makes the bars of a tornado: `done`."""

    def __init__(self, tree: Tree, is_fixed: bool, count: int) -> None:
        self.exact = None
        with suppress(*INEXACT):
            self.exact = exact_tree(tree)
        self.search = search_tree(self.exact or tree)
        if is_fixed and len(self.search.tree) > len(tree):  # decisions depend on earlier payments
            tree = unshare(tree)
            self.search = search_tree(tree)
        self.tree, self.is_fixed, self.steps = tree, is_fixed, _BAR_STEPS // count
        self.strategy = self.search.strategy_branches if is_fixed else NO_STRATEGY
        self.done: list[Bar] = []

    def add(self, range: Range) -> None:
        """Add the bar of a parameter; without exact functions, sample its range."""
        try:
            range, values, *changes = self._from_functions(range)
            method = method_of(self.exact or self.tree)
        except INEXACT:
            sampler, method = Sampler(with_strategy(self.tree, self.strategy), range), SAMPLED
            range, values, changes = sampler.range, sampler.extremes(), [(), ()]
            if not self.is_fixed:
                changes = [*sampler.sample()]
        if range.low <= range.current <= range.high:
            values[range.current] = to_exact(self.search.value)
        least, greatest = (end(values, key=values.__getitem__) for end in (min, max))
        ends = values[least], least, values[greatest], greatest
        pieces, thresholds = changes
        later = tuple(place for piece in pieces for place in piece.later)
        self.done.append(Bar(range, *ends, thresholds, method, later))

    def _from_functions(self, range: Range) -> tuple[Any, ...]:
        """Return the range, values in it, its pieces and its thresholds, which are verified."""
        if self.exact is None:
            raise NotRationalError
        with limited_work(self.steps):
            functions = NodeFunctions(self.exact, range, strategy=self.strategy).valid_part()
            values, range = _values(functions), functions.range
            if self.is_fixed:
                return range, values, (), ()
            decision = Decision.at_root(functions)
            pieces, thresholds = tuple(decision.pieces()), tuple(decision.thresholds(False))
        if thresholds and not Sampler(self.tree, range).confirms(pieces, thresholds):
            thresholds = tuple(decision.thresholds())
        return range, values, pieces, thresholds


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
