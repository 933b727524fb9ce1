"""The public functions of the sensitivity analysis: they read their arguments, then compute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from expectitree.decide.sensitivity.extremes import Tornado
from expectitree.decide.sensitivity.extremes import tornado as tornado_of
from expectitree.decide.sensitivity.ranges import Ends, Range, range_of, ranges_of
from expectitree.decide.sensitivity.report import Sensitivity, one_way
from expectitree.decide.sensitivity.two_way import GRID, TwoWay, two_way
from expectitree.errors import AnalysisError
from expectitree.numbers import to_exact
from expectitree.tree.columns import NONE
from expectitree.tree.model import Tree, check_tree
from expectitree.tree.paths import join, split


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
    chosen = ranges_of(tree, parameters, ranges or {})
    return tornado_of(tree, *chosen, is_fixed=fixed, file=file)


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
