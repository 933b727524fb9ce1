"""The strategies that are best for some weight of a criterion: the efficiency frontier."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any, cast

from expectitree.base.errors import AnalysisError
from expectitree.base.expressions.evaluation import DIGITS, evaluate
from expectitree.base.expressions.syntax import Expression, Number, names_in, text_of
from expectitree.base.numbers import INFINITY, are_near, message_text, to_digits
from expectitree.base.tree.criteria import objective_of, tree_of
from expectitree.base.tree.formulas import Amounts, Criteria
from expectitree.base.tree.model import Tree, check_tree
from expectitree.base.tree.parameters import ParameterValues
from expectitree.base.tree.paths import ROOT
from expectitree.base.tree.report import TreeReport, check_one_decider
from expectitree.decide.algebra.rationals import VARIABLE
from expectitree.decide.frontier.envelope import Line, Lines, standing
from expectitree.decide.records import Fields, Records, attributes
from expectitree.decide.sensitivity.exact import exact_only
from expectitree.decide.sensitivity.parameters import (
    INEXACT,
    RATIONALS,
    Ends,
    Range,
    exact_tree,
    moving_with,
    range_of,
)
from expectitree.searches.backward_induction import value_under
from expectitree.searches.engine import search_tree
from expectitree.searches.result import PLAYERS, Search


@dataclass(frozen=True)
class Strategy:
    """One way to play, and what is expected of each criterion."""

    action: str | None  # the first action; None if no player decides at the root
    choices: Mapping[str, str]  # the label of the action by the path of each node that it reaches
    criteria: Mapping[str, Fraction]
    start: Any = None  # the least weight at which it is best; None if it is never best
    end: Any = None  # the greatest such weight, the same if it is best at one weight
    increments: Mapping[str, Fraction] | None = None  # of criteria, to the strategy before
    # Or "same", "best at one weight", "dominated", "extendedly dominated", "worse in this range".
    status: str = "best"
    by: tuple[int, ...] = ()  # the numbers, from 1, of the best strategies that are the reason


@dataclass(frozen=True)
class Frontier(TreeReport):
    """The strategies that are best for some weight, and the first actions that never are.

        >>> import expectitree as et
        >>> found = et.frontier(et.load("example:programmes"))
        >>> [(one.action, one.status, one.by) for one in found.never]
        [('A', 'dominated', (2,)), ('C', 'extendedly dominated', (2, 3))]

    Attributes:
        file: The name of the tree in outputs.
        tree: The tree.
        range: The weight, with its `current` value; `high` is infinity if it has no upper end.
        parts: What the weight multiplies, and the rest of the objective. Each is one criterion, by
            its name, or a sum of several, `per WEIGHT` and `the rest`: the factors by criterion.
        is_icer: Whether the weights at which the best strategy changes are ICERs.
        best: The strategies that are best for some weight, from its least value up.
        never: The best strategies of each first action that none of these begins with. One may be
            the `same` as one of these for each criterion, or best at the weight `start` alone.
    """

    question = "frontier"
    has_decider = True
    has_plot = True
    exact = False  # numbers that are shown, as in other reports; `--exact` shows fractions

    range: Range
    parts: dict[str, dict[str, Fraction]]
    is_icer: bool
    best: tuple[Strategy, ...]
    never: tuple[Strategy, ...]

    @property
    def weighed(self) -> str:
        """The criterion that the weight multiplies, such as an effect, or `per WEIGHT`."""
        return next(iter(self.parts))

    @property
    def other(self) -> str:
        """The other criterion, such as a cost, or `the rest`."""
        return next(reversed(self.parts))

    def amounts_of(self, strategy: Strategy) -> dict[str, Fraction]:
        """Return what a strategy is worth in both parts of the objective."""
        return _amounts(self.parts, strategy.criteria)

    def json_fields(self) -> Fields:
        """Return the fields for JSON."""
        return self.range.json_fields() | attributes(self, "weighed", "other", "best", "never")

    def to_records(self) -> Records:
        """Return a flat dict for each strategy: the rows of a table for pandas or polars.

        Each has `file`, `action`, `status`, `by`, `start` and `end` (the weights between which it
        is best), and its criteria by name.
        """
        return [
            {"file": self.file}
            | attributes(one, "action", "status", "start", "end")
            | {"by": " ".join(map(str, one.by)), **one.criteria}
            for one in (*self.best, *self.never)
        ]


def frontier(
    tree: Tree, parameter: str = "", *, range: Ends | None = None, file: str = ""
) -> Frontier:
    """Return the strategies that are best for some weight of a criterion, and where they change.

        >>> import expectitree as et
        >>> found = et.frontier(et.load("example:programmes"))
        >>> [(one.action, float(one.start)) for one in found.best]
        [('usual care', 0.0), ('B', 5000.0), ('D', 12500.0), ('E', 20000.0)]

    Args:
        tree: A tree with criteria, in which one player decides.
        parameter: The weight: a parameter in which the objective is linear. It can be left out if
            the objective has one parameter.
        range: The least and the greatest weight; by default, from 0 without an end.
        file: The name of the tree in outputs.

    Raises:
        AnalysisError: The tree has no criteria, or both players decide, or the objective is not
            linear in the parameter, or other formulas depend on it.
        TreeError: There is no such parameter, or it is derived from others.
    """
    check_tree(tree, "frontier")
    criteria = tree.criteria
    if not criteria:
        raise AnalysisError(
            "a frontier needs several criteria\nwrite `criteria: [cost, effect]` and "
            "`objective: wtp*effect - cost`, and amounts such as `utility: {cost: 120, effect: 3}`"
        )
    check_one_decider(tree, "a frontier")
    name = parameter or _only_parameter(tree, criteria)
    moved = range_of(tree, name, (0, 1) if range is None else range)
    if range is None:
        moved = replace(moved, high=cast("Fraction", INFINITY))
    low, high = moved.low, moved.high
    with exact_only("a frontier", "write an objective that is linear in its weight"):
        exact = replace(exact_tree(tree), local_bounds={})
        parts, is_icer = _parts(exact, criteria, name)
    lines = Lines(exact, name)
    found, meetings = lines.envelope(low, high)
    ends = [*pairwise([low, *meetings, high])]
    _verify(lines, name, found, ends)
    trees = {criterion: tree_of(exact, criterion) for criterion in criteria.by_name}

    def strategy(line: Line, **about: Any) -> Strategy:
        choices = {exact.path_of(n): exact.branch_label(n, b) for n, b in line.choices.items()}
        totals: Fields = {k: value_under(one, line.choices) for k, one in trees.items()}
        return Strategy(choices.get(ROOT), choices, totals, **about)

    best = [strategy(line, start=a, end=b) for line, (a, b) in zip(found, ends, strict=True)]
    for i, (one, two) in enumerate(pairwise(best), 1):
        before, after = (_amounts(parts, both.criteria) for both in (one, two))
        added = {label: after[label] - before[label] for label in reversed(before)}
        best[i] = replace(two, increments=added)
    never = []
    for line in _after_other_actions(lines, found, (low, high)):
        status, by, weight = standing(line, found, [low, *meetings, high])
        never.append(strategy(line, status=status, by=by, start=weight, end=weight))
    return Frontier(file, tree, moved, parts, is_icer, tuple(best), tuple(never))


def _after_other_actions(
    lines: Lines, best: Sequence[Line], ends: tuple[Fraction, Fraction]
) -> Iterator[Line]:
    """Yield the best lines after each first action with which none of the best begins."""
    root = lines.tree.root
    firsts = {line.choices.get(root.id) for line in best}
    if root.kind in PLAYERS:
        for b in lines.tree.branches_of(root.id):
            if b not in firsts:
                yield from lines.envelope(*ends, b)[0]


def _only_parameter(tree: Tree, criteria: Criteria) -> str:
    """Return the parameter in the objective; raise `AnalysisError` if there is not one."""
    names = [name for name in names_in(criteria.objective) if name in tree.parameters]
    if len(names) == 1:
        return names[0]
    found = f"the objective {text_of(criteria.objective)} depends on {', '.join(names) or 'none'}"
    hint = "write one, as in wtp*effect - cost"
    if names:
        hint = f"choose one, as in -p {names[0]}"
    raise AnalysisError(f"a frontier moves the parameter that is a weight, and {found}\n{hint}")


def _amounts(
    parts: Mapping[str, Mapping[str, Fraction]], criteria: Mapping[str, Fraction]
) -> dict[str, Fraction]:
    """Return what some criteria are worth in each part of an objective."""
    return {
        label: sum((x * criteria[name] for name, x in factors.items()), Fraction(0))
        for label, factors in parts.items()
    }


def _parts(
    tree: Tree, criteria: Criteria, name: str
) -> tuple[dict[str, dict[str, Fraction]], bool]:
    """Return the part of the objective that a parameter multiplies, the rest, and `is_icer`.

    Raises `AnalysisError` for another objective, or if the parameter is not only a weight.
    """
    values = ParameterValues(tree.parameters, RATIONALS, {name: VARIABLE})
    units = {one: objective_of(criteria, {one: Number("1")}) for one in criteria.by_name}
    worth = {one: evaluate(unit, RATIONALS, values) for one, unit in units.items()}
    degrees = {weight.degree if weight.is_polynomial else 2 for weight in worth.values()}
    if max(degrees) != 1:
        raise AnalysisError(
            f"a frontier needs an objective that is linear in its weight, as in "
            f"{name}*effect - cost; {text_of(criteria.objective)} is not linear in {name}"
        )
    rest = {one: weight(Fraction(0)) for one, weight in worth.items() if weight(Fraction(0))}
    slopes = {one: weight(Fraction(1)) - weight(Fraction(0)) for one, weight in worth.items()}
    weighed = {one: factor for one, factor in slopes.items() if factor}
    for formula in _moving_formulas(tree, name):
        raise AnalysisError(
            f"{name} is not only a weight, because the formula {text_of(formula)} depends on it, "
            f"too\nask `sensitivity -p {name}`"
        )
    parts, is_icer = {}, False
    for label, factors in {f"per {name}": weighed, "the rest": rest}.items():
        if len(factors) == 1 and not weighed.keys() & rest.keys():
            label, factors = next(iter(factors)), dict.fromkeys(factors, Fraction(1))
        parts[label] = factors
    if len(weighed) == len(rest) == 1:
        (per_unit,), (cost,) = weighed.values(), rest.values()
        is_icer = tree.gain_sign * cost < 0 and abs(cost) == abs(per_unit)
    return parts, is_icer


def _moving_formulas(tree: Tree, name: str) -> Iterator[Expression]:
    """Yield the formulas that depend on a parameter, apart from the objective."""
    moving = moving_with(tree, [name])
    for formula in tree.formulas.expressions():
        parts: Iterable[Expression] = [formula]
        if isinstance(formula, Amounts):
            parts = dict(formula.amounts).values()
        yield from (part for part in parts if not moving.isdisjoint(names_in(part)))


def weighed_parts(tree: Tree, name: str) -> tuple[dict[str, dict[str, Fraction]], bool] | None:
    """Return the part of the objective that a weight multiplies, the rest, and `is_icer`.

    Return None if the objective is not linear in the parameter, or if other formulas depend on it.
    """
    if not tree.criteria:
        return None
    try:
        return _parts(tree, tree.criteria, name)
    except (AnalysisError, *INEXACT):
        return None


def _verify(
    lines: Lines, name: str, best: Sequence[Line], ends: Sequence[tuple[Fraction, Fraction]]
) -> None:
    """Evaluate the tree at each weight where the best strategy changes, and after the last.

    The value is convex in the weight, and no less than each line. So it is a line between two
    places where it equals this line.
    """
    tree = lines.tree

    @cache
    def search_at(place: Fraction) -> Search:
        return search_tree(tree.with_parameters(**{name: place}))

    for line, (start, end) in zip(best, ends, strict=True):
        for place in (start, start + 1 if end == INFINITY else end):
            if tree.error:
                place = to_digits(place, DIGITS)
            search, value = search_at(place), tree.gain_sign * line.at(place)
            if not are_near(search.value, value, max(search.eps, lines.near * abs(value))):
                raise AnalysisError(
                    f"at {name} = {message_text(place)} the tree is worth "
                    f"{message_text(search.value)}, and not {message_text(value)}: this "
                    "is a defect of expectitree, please report it with the tree"
                )
