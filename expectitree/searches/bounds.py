"""Choose the bounds of a tree's root, and check bounds and windows."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from numbers import Real
from typing import Any

from expectitree.base.algorithms import Algorithm
from expectitree.base.errors import SearchError, TreeError
from expectitree.base.numbers import exact_text, quote, to_exact_bound
from expectitree.base.rounding import Rounded, to_nearest_float
from expectitree.base.tree.bounds import check_bounds
from expectitree.base.tree.columns import NO_BOUNDS, Bounds, ChosenBounds
from expectitree.base.tree.model import Tree
from expectitree.searches.unknown import check_known


def choose_bounds(
    tree: Tree, bounds: ChosenBounds, algorithm: Algorithm | None = None
) -> tuple[Bounds, str]:
    """Return the root's bounds and where they came from: "option", "file", "leaves" or "none".

    Those who prune by hand do not know the leaves, so alphabeta has no bounds by default.
    """
    if bounds is None:
        written = tree.local_bounds.get(tree.root_id)
        if written is not None:
            return written, "file"
        is_alphabeta = algorithm and algorithm.prunes and not algorithm.needs_bounds
        bounds = "none" if tree.unknown or is_alphabeta else "leaves"
    if bounds == "none":
        return NO_BOUNDS, "none"
    if bounds == "leaves":
        check_known(tree)
        return tree.total_ends, "leaves"
    bounds = in_numbers_of(tree, checked_pair(bounds, "bounds", "lower and upper"))
    try:
        check_bounds(tree, bounds)
    except TreeError as error:
        raise SearchError(error.lines) from None
    return bounds, "option"


def checked_pair(ends: Any, name: str, expected: str) -> Bounds:
    """Return bounds or a window; raise `SearchError` unless they are two numbers in order."""
    is_pair = isinstance(ends, Sequence) and not isinstance(ends, str) and len(ends) == 2
    if not is_pair or not all(isinstance(end, Real) for end in ends):
        raise SearchError(f"found {quote(str(ends))} as {name}, expected two numbers, {expected}")
    low, high = ends
    if low != low or high != high:
        raise SearchError("NaN is not a bound\ngive numbers, or inf or -inf")
    if low > high:
        problem = f"{exact_text(low)} is greater than {exact_text(high)}"
        raise SearchError(f"of the {name}, {problem}\nswap them")
    return low, high


def in_numbers_of(tree: Tree, ends: Bounds) -> Bounds:
    """Return bounds or a window in the numbers of a tree: others would be rounded differently."""
    low, high = (to_exact_bound(end) if tree.exact else to_nearest_float(end) for end in ends)
    if tree.is_rounded:
        low, high = (Rounded.of(end) if isinstance(end, Fraction) else end for end in (low, high))
    return low, high
