"""The public functions of the sensitivity analysis: they read their arguments, then compute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType

from expectitree.decide.sensitivity.break_even import break_even
from expectitree.decide.sensitivity.everywhere import everywhere
from expectitree.decide.sensitivity.extremes import Tornado, spider
from expectitree.decide.sensitivity.extremes import tornado as tornado_of
from expectitree.decide.sensitivity.ranges import Range, parse_range, range_of, spider_range_of
from expectitree.decide.sensitivity.report import Sensitivity, one_way
from expectitree.decide.sensitivity.strategies import strategies_of
from expectitree.decide.sensitivity.tolerance import tolerances
from expectitree.decide.sensitivity.two_way import GRID, TwoWay, two_way
from expectitree.display import Shown
from expectitree.errors import AnalysisError, NumberError
from expectitree.numbers import Number, quote, to_exact, to_fraction
from expectitree.tree.columns import NONE
from expectitree.tree.model import Tree, check_tree
from expectitree.tree.paths import join, split

Ends = tuple[Number, Number]


def sensitivity(
    tree: Tree, parameter: str, *, range: Ends | None = None, file: str = ""
) -> Sensitivity:
    """Return how the best action and the value depend on one parameter of a tree.

    The answer is exact where formulas are made of + - * / and whole powers: the thresholds are
    roots of polynomials, rational or enclosed to within 1e-9. Otherwise the range is sampled.

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
        AnalysisError: The parameter has no range, or a probability leaves [0, 1] within it.
        TreeError: There is no such parameter, or it is derived from others.
    """
    check_tree(tree, "sensitivity")
    return one_way(tree, range_of(tree, parameter, range), file)


def sensitivity_map(
    tree: Tree,
    across: str,
    down: str,
    *,
    ranges: Sequence[Ends | None] = (None, None),
    grid: int = GRID,
    file: str = "",
) -> TwoWay:
    """Return the regions of the best actions as two parameters move.

        >>> import expectitree as et
        >>> tree = et.loads("parameters: {p: 1/2, prize: 10}\\nmax: {sure: 3, bet: {chance: {win: "
        ...                 "{p: p, utility: prize}, lose: {p: rest, utility: 0}}}}")
        >>> found = et.sensitivity_map(tree, "p", "prize", ranges=[(0, 1), (5, 15)], grid=3)
        >>> [row.pieces[0].end for row in found.rows]
        [Fraction(3, 5), Fraction(3, 10), Fraction(1, 5)]

    Args:
        tree: The tree.
        across: The parameter that varies along each row, where thresholds are exact.
        down: The parameter that has one value in each row.
        ranges: The ends of both; None for those in the file.
        grid: The number of rows.
        file: The name of the tree in outputs.

    Raises:
        AnalysisError: A parameter has no range, or a formula is not a rational function.
        TreeError: There is no such parameter, or it is derived from others.
    """
    check_tree(tree, "sensitivity")
    if grid < 2:
        raise AnalysisError(f"a map needs at least 2 rows, got {grid}")
    first, second = (range_of(tree, *one) for one in zip((across, down), ranges, strict=True))
    return two_way(tree, first, second, grid, file)


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
    return tornado_of(tree, ranges_of(tree, parameters, ranges or {}), fixed, file)


def ranges_of(
    tree: Tree, names: Sequence[str] = (), ranges: Mapping[str, Ends] = MappingProxyType({})
) -> list[Range]:
    """Return the ranges of some parameters; by default of all that have one in the file."""
    has_range = [name for name, one in tree.parameters.items() if one.range]
    chosen = [names] if isinstance(names, str) else list(names)
    chosen = chosen or [*dict.fromkeys((*has_range, *ranges))]
    if not chosen:
        raise AnalysisError(
            "no parameter has a range: give each one `range: [low, high]` in the file, or name one "
            "with its range, as in --parameter pr=0..1"
        )
    return [range_of(tree, name, ranges.get(name)) for name in chosen]


def spider_ranges(tree: Tree, names: Sequence[str] = ()) -> list[Range]:
    """Return -100% to +100% of some parameters.

    By default, these are all that have a range in the file, or else all that are not derived.
    """
    for name in names:
        if "=" in name:
            raise AnalysisError(
                f"found {quote(name)}: a spider moves from -100% to +100%, so name the parameter "
                "without a range"
            )
    basic = [name for name, one in tree.parameters.items() if not one.bases]
    chosen = list(names) or [name for name in basic if tree.parameters[name].range] or basic
    if not chosen:
        raise AnalysisError("the tree has no parameters: give its numbers names in `parameters`")
    return [spider_range_of(tree, name) for name in chosen]


def added(tree: Tree, path: str, *, file: str = "") -> Sensitivity:
    """Return how the decision depends on an amount that is added to the reward of a branch.

    The amount goes as far as the totals of the tree are apart, divided by the probability of the
    path. If no other path leads to the branch, a larger amount changes no decision.
    """
    branch = tree.find_branch(path)
    if branch == NONE:
        raise AnalysisError("an amount at the root changes no decision: name a branch below it")
    low, high = (to_exact(end) for end in tree.total_ends)
    width = (high - low or Fraction(1)) / (_probability_of(tree, path) or 1)
    amount = Range(f"added to {path}", -width, width, Fraction(0))
    pays = to_exact(tree.reward_of(branch))
    return replace(one_way(tree, amount, file, (branch,)), branch=path, branch_pays=pays)


def _probability_of(tree: Tree, path: str) -> Fraction:
    """Return the probability of a path if all players lead to it."""
    labels, found = split(path), Fraction(1)
    for length in range(1, len(labels) + 1):
        branch = tree.find_branch(join(labels[:length]))
        found *= to_exact(tree.columns.probability[branch])
    return found


# ---- What the command line asks.


@dataclass(frozen=True)
class Question:
    """A question of the command line about each of its trees.

    Attributes:
        name: "one-way", "everywhere", "map", "tornado", "spider", "until", "where", "add" or
            "strategies".
        parameters: Names, each with a range after `=` if it has one.
        fixed: Keep the current best strategy.
        until: Such as `value=0`.
        where: Such as `sell = test`.
        add: A path.
        grid: The rows of a map.
    """

    name: str
    parameters: Sequence[str] = ()
    fixed: bool = False
    until: str | None = None
    where: str | None = None
    add: str | None = None
    grid: int = GRID


def answer(question: Question, tree: Tree, file: str) -> Shown:
    """Return the report that answers a question about a tree."""
    if question.name == "tolerance":
        return tolerances(tree, file)
    check_tree(tree, "sensitivity")
    if question.name == "spider":
        return spider(tree, spider_ranges(tree, question.parameters), question.fixed, file=file)
    ranges = [range_of(tree, *parse_range(text)) for text in question.parameters]
    if question.name == "add":
        return added(tree, question.add or "", file=file)
    if question.name == "strategies":
        return strategies_of(tree, file)
    if question.name == "tornado":
        return tornado_of(tree, ranges or ranges_of(tree), question.fixed, file)
    if question.name in ("until", "where"):
        return break_even(tree, ranges[0], *_sides(question), file)
    if question.name == "everywhere":
        return everywhere(tree, ranges[0], file)
    if question.name == "map":
        return two_way(tree, ranges[0], ranges[1], question.grid, file)
    return one_way(tree, ranges[0], file)


def _sides(question: Question) -> tuple[str, str | Number]:
    """Return what a break-even question compares."""
    text = question.until if question.where is None else question.where
    left, equals, right = (part.strip() for part in (text or "").partition("="))
    if question.where is not None:
        if not left or not right:
            raise AnalysisError(f"found {quote(question.where)}, expected two paths: 'sell = test'")
        return left, right
    try:
        if left != "value" or not equals:
            raise NumberError(f"found {quote(str(question.until))}")
        return left, to_fraction(right)
    except NumberError as error:
        raise AnalysisError(f"{error}: expected value=X, such as value=0") from None
