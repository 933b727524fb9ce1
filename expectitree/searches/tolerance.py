"""Bound what rounding may change in the numbers of a search (docs/decisions/0002-tolerance.md)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import chain
from typing import Any

from expectitree.base.numbers import Number, is_finite, to_digits
from expectitree.base.tree.columns import Bounds
from expectitree.base.tree.model import FLOAT_UNIT, Tree
from expectitree.base.tree.scans import LEAST_FLOAT

MOST_TOTALS = 3  # a sum that decides anything is no greater than this times the greatest total
_FUNCTIONS = 16  # terms that lose as much as the exponentials and logarithms of an attitude


def rounding_error(tree: Tree, bounds: Bounds) -> Number:
    """Return what the sums of a pruning search may lose to rounding; 0 in fractions.

    The terms of these sums are bounds as well as utilities. A sum that is much greater than all
    totals decides nothing (decision 0002).
    """
    if not tree.has_rounding:
        return 0
    size: Any = greatest_number(tree, bounds)
    height = tree.heights[-1]
    if tree.roundoff:
        size = min(size, MOST_TOTALS * tree.greatest_magnitude)
    terms = tree.most_outcomes + (0 if tree.attitude is None else _FUNCTIONS)
    loss: Any = rounding_of_sums(size, height, terms, tree.roundoff)
    if tree.exact:  # with few digits, since no more are needed
        loss += 2 * tree.error * (1 + height * size)
        return to_digits(Fraction(loss) * Fraction(101, 100), 3)
    error: float = loss
    return error


def rounding_of_sums(size: Any, depth: int, terms: int, unit: Any = FLOAT_UNIT) -> Number:
    """Return what sums of some terms of a magnitude may lose to rounding on so many plies."""
    # (To ask for `Fraction`, which has a metaclass, takes five times as long.)
    loss: Any = unit * size if isinstance(size, (float, int)) else Fraction(unit) * size
    loss = loss or min(size, LEAST_FLOAT)  # a product of such numbers loses the least float
    error: Number = loss * depth * (3 * terms + 6)
    return error


def greatest_total(tree: Tree) -> Number:
    """Return the greatest magnitude of a known total of a play."""
    return _greatest(tree.total_ends)


def greatest_number(tree: Tree, bounds: Bounds) -> Number:
    """Return the greatest magnitude among all bounds and the totals that nodes may receive."""
    pairs = (bounds, *tree.local_bounds.values())
    return _greatest((tree.greatest_magnitude, *chain.from_iterable(pairs)))


def _greatest(numbers: Iterable[Any]) -> Number:
    """Return the greatest magnitude of the finite numbers; 0 if there is none."""
    magnitudes: Iterator[Any] = (abs(number) for number in numbers if is_finite(number))
    return max(magnitudes, default=0)
