"""Tornado: how far each parameter alone moves the value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from expectitree.base.budget import limited_work
from expectitree.base.display import Shown
from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import to_exact
from expectitree.base.tree.columns import NONE
from expectitree.base.tree.model import Tree, check_tree
from expectitree.decide.algebra.polynomials import place_of, roots_between
from expectitree.decide.algebra.rationals import MAX_SECONDS, slope_of
from expectitree.decide.sensitivity.decisions import Decision, Threshold
from expectitree.decide.sensitivity.functions import NodeFunctions
from expectitree.decide.sensitivity.parameters import INEXACT, Ends, Range, exact_tree, range_of
from expectitree.decide.sensitivity.sampling import POINTS, Sampler, sample
from expectitree.searches.backward_induction import value_under
from expectitree.searches.engine import search_tree


@dataclass(frozen=True)
class Bar:
    """The effect of one parameter on the value."""

    range: Range  # the parameter and its range
    least: Fraction  # the least value over the whole range
    least_at: Fraction  # where it is
    greatest: Fraction  # the greatest value over the whole range
    greatest_at: Fraction  # where it is
    thresholds: tuple[Threshold, ...]  # where the best action changes; empty with a fixed strategy
    method: str  # "exact" or "sampled"

    def json_fields(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        own = {name: value for name, value in vars(self).items() if name != "range"}
        return self.range.json_fields() | own

    @property
    def width(self) -> Fraction:
        """The greatest value less the least."""
        return self.greatest - self.least


@dataclass(frozen=True)
class Tornado(Shown):
    """The least and the greatest value over the range of each parameter; `tornado` makes it."""

    question = "sensitivity"
    has_plot = True

    file: str
    tree: Tree
    value: Fraction  # the value with all parameters as they are
    best: tuple[str, ...]  # the best actions with all parameters as they are
    is_fixed: bool  # whether the strategy is today's; otherwise the decisions follow the parameter
    bars: tuple[Bar, ...]  # one for each parameter, the widest first

    def json_fields(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        strategy = "fixed" if self.is_fixed else "re-optimized"
        return {"value": self.value, "best": self.best, "strategy": strategy, "bars": self.bars}

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
    chosen = [parameters] if isinstance(parameters, str) else list(parameters)
    given = ranges or {}
    has_range = [name for name, one in tree.parameters.items() if one.range]
    chosen = chosen or list(dict.fromkeys((*has_range, *given)))
    if not chosen:
        raise AnalysisError(
            "no parameter has a range: give each one `range: [low, high]` in the file, or name one "
            "with its range, as in --parameter pr=0..1"
        )
    try:
        exact = exact_tree(tree)
    except INEXACT:
        exact = None
    search = search_tree(exact or tree)
    bars = [_bar(tree, exact, range_of(tree, one, given.get(one)), fixed) for one in chosen]
    bars.sort(key=lambda bar: -bar.width)
    return Tornado(file, tree, to_exact(search.value), search.ties, fixed, tuple(bars))


def _bar(tree: Tree, exact: Tree | None, range: Range, is_fixed: bool) -> Bar:
    """Return the bar of a parameter; without exact functions, sample its range."""
    strategy = search_tree(exact or tree).strategy_branches if is_fixed else {}
    thresholds: Iterable[Threshold] = ()
    method = "sampled"
    if exact is not None:
        with suppress(*INEXACT), limited_work(MAX_SECONDS):
            functions = NodeFunctions(exact, range, strategy=strategy)
            values = _extremes(functions)
            if not is_fixed:
                thresholds = tuple(Decision.at_root(functions).thresholds(is_verified=False))
            method = "exact"
    if method == "sampled":
        sampler = Sampler(tree, range.name)
        trees = ((at, sampler.tree_at(at)) for at in range.places(POINTS))
        values = {at: to_exact(value_under(moved, strategy)) for at, moved in trees}
        thresholds = () if is_fixed else sample(tree, range)[1]
    least, greatest = min(values, key=values.__getitem__), max(values, key=values.__getitem__)
    ends = values[least], least, values[greatest], greatest
    return Bar(range, *ends, tuple(thresholds), method)


def _extremes(functions: NodeFunctions) -> dict[Fraction, Fraction]:
    """Return the values at the ends of the pieces and where a slope is 0, by their places.

    A place that is not rational is given to within 1e-9.
    """
    functions.check_feasible()
    value = functions.check_limits("the tree", functions.of_branch(NONE))
    places = [
        place_of(root)
        for piece, left, right in value.parts()
        for root in (left, *roots_between(slope_of(piece), left, right), right)
    ]
    return {place: value(place) for place in places}
