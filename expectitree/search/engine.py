"""Runs a search: prepares the columns, calls the loop, wraps the outcome. A compiled engine plugs in here.

The loops of `backward_induction` and `star_minimax` take columns and numbers only, so that an engine is a choice
of column type and of how the same text is executed: lists of floats interpreted, lists of `Fraction` exact.
"""

from __future__ import annotations

import sys
from array import array
from operator import sub

from expectitree.builder import check_bounds
from expectitree.errors import SearchError, TreeError
from expectitree.number import INFINITY, Number, shortest
from expectitree.search.algorithms import Algorithm, algorithm
from expectitree.search.backward_induction import backward_induction
from expectitree.search.result import Search
from expectitree.search.star_minimax import Work, star_minimax
from expectitree.tree import Bounds, Column, Columns, Tree, finite

RELATIVE_EPS = 1e-9  # of the greatest utility: what is a tie on paper
ROUNDING_EPS = 1e-14  # of the greatest bound: what running sums may have lost


def evaluate(
    tree: Tree,
    algorithm_name: str | Algorithm = "expectiminimax",
    *,
    bounds: Bounds | None = None,
    probes: int | None = None,
    probe_order: str | None = None,
) -> Search:
    """Search a tree and return what is known of every node afterwards.

    `bounds` hold for every utility (`inf` where nothing is known); without them the root's own from the file are
    taken, else the least and the greatest utility. Raises `SearchError` for an unknown algorithm or unsound bounds.
    """
    chosen = algorithm_name if isinstance(algorithm_name, Algorithm) else algorithm(algorithm_name)
    if probes is not None or probe_order is not None:
        chosen = algorithm(chosen.name, probes, probe_order)
    root_bounds, source = choose_bounds(tree, bounds)
    return search_window(tree, chosen, root_bounds, source, root_bounds)


def search_window(tree: Tree, algorithm: Algorithm, bounds: Bounds, source: str, window: Bounds) -> Search:
    """Search a tree's root in a window: exact, or failing low or high, by the contract of `star_minimax`."""
    count, eps = len(tree), tolerance(tree, bounds)
    columns = Columns(*map(list, tree.columns))  # a list hands out objects it has; an array makes them anew
    zero: Number = columns.probability[0] * 0 if count > 1 else 0
    lower, upper = tree.inherited_bounds(bounds)
    once = array("I", [1]) * count
    nothing = array("B", bytes(count))
    alpha: Column = [-INFINITY] * count
    beta: Column = [INFINITY] * count
    if not algorithm.player_cuts:
        backward_induction(columns, lower, zero)
        return Search(tree, algorithm, bounds, source, eps, lower, lower, once, alpha, beta, nothing, nothing, 0)
    branches, depths = len(columns.child), tree.heights[-1] + 1
    work = Work(
        lower,
        upper,
        array("I", [0]) * count,
        alpha,
        beta,
        nothing,
        array("I", [0]) * count,
        [zero] * branches,
        [zero] * branches,
        *([0] * depths for _ in range(9)),
    )
    # More probes than any node has children find nothing to do.
    probes = algorithm.probes
    if probes > 1:
        probes = min(probes, max(map(sub, columns.first[1:], columns.first)))
    cuts = star_minimax(
        columns,
        work,
        *window,
        eps,
        zero,
        INFINITY,
        INFINITY if tree.exact else sys.float_info.max,
        algorithm.chance_cuts,
        probes,
        algorithm.probe_order == "cyclic",
    )
    return Search(tree, algorithm, bounds, source, eps, *work[:7], cuts)


def choose_bounds(tree: Tree, bounds: Bounds | None) -> tuple[Bounds, str]:
    """Return the root's bounds and where they came from: "option", "file" or "leaves"."""
    if bounds is not None:
        if bounds[0] != bounds[0] or bounds[1] != bounds[1]:
            raise SearchError("NaN is no bound: give numbers, or inf or -inf")
        if bounds[0] > bounds[1]:
            raise SearchError(
                f"bounds are lower, upper, and {shortest(bounds[0])} is greater than {shortest(bounds[1])}: swap them"
            )
        try:
            check_bounds(tree, bounds)
        except TreeError as error:
            raise SearchError(str(error)) from None
        return bounds, "option"
    written = tree.local_bounds.get(len(tree) - 1)
    return (tree.utility_range, "leaves") if written is None else (written, "file")


def tolerance(tree: Tree, bounds: Bounds) -> Number:
    """Return eps, by which two numbers may differ and be taken as equal: 0 in exact mode.

    It is 1e-9 of the greatest magnitude among the utilities, so that what ties on paper ties here too, and no less
    than what sums of bounds may lose to rounding (docs/decisions/0002-tolerance.md).
    """
    if tree.exact:
        return 0
    greatest = max(abs(float(utility)) for utility in tree.utility_range)
    widest = max((abs(float(end)) for end in bounds if finite(end)), default=0.0)
    return max(RELATIVE_EPS * greatest, ROUNDING_EPS * widest)
