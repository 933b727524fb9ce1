"""Tornado: how far each parameter alone moves the value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from expectitree.base.budget import limited_work
from expectitree.base.display import Shown
from expectitree.base.numbers import to_exact
from expectitree.decide.algebra.piecewise import Piecewise
from expectitree.decide.algebra.polynomials import roots_between
from expectitree.decide.algebra.rationals import MAX_SECONDS, slope_of
from expectitree.decide.algebra.thresholds import Threshold, place_of
from expectitree.decide.sensitivity.functions import NodeFunctions
from expectitree.decide.sensitivity.quotients import INEXACT, exact_tree
from expectitree.decide.sensitivity.ranges import Ends, Range, ranges_of
from expectitree.decide.sensitivity.report import (
    check_feasible,
    decision_of,
)
from expectitree.decide.sensitivity.sampling import POINTS, Sampler, sample
from expectitree.decide.thresholds import threshold_fields
from expectitree.searches.backward_induction import value_under
from expectitree.searches.engine import search_tree
from expectitree.tree.columns import NONE
from expectitree.tree.model import Tree, check_tree


@dataclass(frozen=True)
class Bar:
    """The effect of one parameter on the value.

    Attributes:
        range: The parameter and its range.
        least: The least value over the whole range.
        least_at: Where it is.
        greatest: The greatest value over the whole range.
        greatest_at: Where it is.
        thresholds: Where the best action changes; empty with a fixed strategy.
        method: "exact" or "sampled".
    """

    range: Range
    least: Fraction
    least_at: Fraction
    greatest: Fraction
    greatest_at: Fraction
    thresholds: tuple[Threshold, ...]
    method: str = "exact"

    def json_fields(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        thresholds = [threshold_fields(one) for one in self.thresholds]
        return self.range.json_fields() | {
            "least": self.least,
            "least_at": self.least_at,
            "greatest": self.greatest,
            "greatest_at": self.greatest_at,
            "thresholds": thresholds,
            "method": self.method,
        }

    @property
    def width(self) -> Fraction:
        """The greatest value less the least."""
        return self.greatest - self.least


@dataclass(frozen=True)
class Tornado(Shown):
    """The least and the greatest value over the range of each parameter; `tornado` makes it.

    Attributes:
        file: The name of the tree in outputs.
        tree: The tree.
        value: The value with all parameters as they are.
        best: The best actions with all parameters as they are.
        is_fixed: Whether the strategy is today's; otherwise the decisions follow the parameter.
        bars: One for each parameter, the widest first.
    """

    question = "sensitivity"
    has_plot = True

    file: str
    tree: Tree
    value: Fraction
    best: tuple[str, ...]
    is_fixed: bool
    bars: tuple[Bar, ...]

    def json_fields(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        strategy = "fixed" if self.is_fixed else "re-optimized"
        return {"value": self.value, "best": self.best, "strategy": strategy, "bars": self.bars}

    def csv_rows(self, _points: int) -> Iterator[Sequence[object]]:
        """Yield a heading, and a row for each bar."""
        columns = ("parameter", "low", "high", "least", "least_at", "greatest", "greatest_at")
        yield columns
        for row in self.to_records():
            yield [row[column] for column in columns]

    def to_records(self) -> list[dict[str, Any]]:
        """Return a flat dict for each bar: the rows of a table.

        Each has `file`, `parameter`, its range from `low` to `high`, and the `least` and `greatest`
        value with their places `least_at` and `greatest_at`.
        """
        return [
            {
                "file": self.file,
                "parameter": bar.range.name,
                "low": bar.range.low,
                "high": bar.range.high,
                "least": bar.least,
                "least_at": bar.least_at,
                "greatest": bar.greatest,
                "greatest_at": bar.greatest_at,
            }
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
        parameters: Their names; by default, all that have a range in the file.
        ranges: By name, the least and greatest value, where they are not those of the file.
        fixed: Keep the current best strategy; otherwise the decisions follow the parameter.
        file: The name of the tree in outputs.

    Raises:
        AnalysisError: There is no parameter with a range, or a probability leaves [0, 1].
        TreeError: There is no such parameter, or it is derived from others.
    """
    check_tree(tree, "sensitivity")
    chosen = ranges_of(tree, parameters, ranges or {})
    return tornado_of(tree, *chosen, is_fixed=fixed, file=file)


def tornado_of(tree: Tree, *ranges: Range, is_fixed: bool = False, file: str = "") -> Tornado:
    """Return the least and the greatest value over each range; by default, those in the file."""
    try:
        exact = exact_tree(tree)
    except INEXACT:
        exact = None
    search = search_tree(tree if exact is None else exact)
    found = (_bar(tree, exact, one, is_fixed) for one in ranges or ranges_of(tree))
    bars = sorted(found, key=lambda bar: -bar.width)
    return Tornado(file, tree, to_exact(search.value), search.ties, is_fixed, tuple(bars))


def _bar(tree: Tree, exact: Tree | None, range: Range, is_fixed: bool) -> Bar:
    """Return the bar of a parameter; without exact functions, sample its range."""
    if exact is None:
        return _sampled_bar(tree, range, is_fixed)
    try:
        with limited_work(MAX_SECONDS):
            strategy = search_tree(exact).strategy_branches if is_fixed else None
            functions = NodeFunctions(exact, range.name, range.low, range.high, strategy=strategy)
            check_feasible(functions, range)
            ends = extremes(functions.check_limits("the tree", functions.of_branch(NONE)))
            if is_fixed:
                return Bar(range, *ends, ())
            decision, _ = decision_of(functions, is_verified=False)
            return Bar(range, *ends, tuple(decision.thresholds()))
    except INEXACT:
        return _sampled_bar(tree, range, is_fixed)


def extremes(value: Piecewise) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """Return the least value, where it is, the greatest value, and where it is.

    They are at the ends of the pieces or where a slope is 0; a place that is not rational is given
    to within 1e-9.
    """
    places: dict[Fraction, Fraction] = {}
    for piece, left, right in value.parts():
        stationary = roots_between(slope_of(piece), left, right)
        for place in (left, *stationary, right):
            at = place_of(place)
            places[at] = value(at)
    least = min(places, key=lambda at: places[at])
    greatest = max(places, key=lambda at: places[at])
    return places[least], least, places[greatest], greatest


def _sampled_bar(tree: Tree, range_: Range, is_fixed: bool) -> Bar:
    strategy = search_tree(tree).strategy_branches if is_fixed else {}
    sampler = Sampler(tree, range_.name)
    values = {
        at: to_exact(value_under(sampler.tree_at(at), strategy)) for at in range_.places(POINTS)
    }
    least, greatest = min(values, key=values.__getitem__), max(values, key=values.__getitem__)
    thresholds = () if is_fixed else sample(tree, range_)[1]
    ends = values[least], least, values[greatest], greatest
    return Bar(range_, *ends, thresholds, "sampled")
