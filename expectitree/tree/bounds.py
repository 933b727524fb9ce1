"""Whether utilities lie within their bounds."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from expectitree.base import numbers
from expectitree.base.errors import TreeError
from expectitree.tree import scans
from expectitree.tree.columns import Bounds

if TYPE_CHECKING:
    from expectitree.tree.model import Tree

SUM_TOLERANCE = 1e-9  # the most by which probabilities may miss the sum 1, to be normalised
ROUNDING = 4e-16  # the most by which rounded probabilities that sum to 1 on paper miss it


def check_bounds(tree: Tree, root_bounds: Bounds | None) -> None:
    """Raise `TreeError` if a utility or an estimate lies outside its bounds."""
    for node, message in outside_bounds(tree, root_bounds):
        raise TreeError(f"{numbers.escape(tree.path_of(node))}: {message}")


def outside_bounds(tree: Tree, root_bounds: Bounds | None) -> Iterator[tuple[int, str]]:
    """Yield each node whose utility or estimate lies outside its inherited bounds, and a message.

    An unknown terminal lies outside if its bounds contain no number.
    """
    columns, (lower, upper) = tree.columns, tree.inherited_bounds(root_bounds)
    # Without rewards, bounds are compared as they are written.
    eps: Any = 0
    if columns.pays and tree.unit:
        part = Fraction(tree.unit) * len(tree) if tree.exact else SUM_TOLERANCE
        eps = part * tree.greatest_magnitude
    n = -1
    while (n := tree.scan(scans.next_outside, columns, lower, upper, eps, n + 1)) >= 0:
        low, high = map(numbers.message_text, (lower[n], upper[n]))
        if lower[n] > upper[n]:
            message = (
                f"the bounds on the way here leave no number (at least {low}, at most "
                f"{high}): correct the bounds"
            )
        else:
            what = "estimate" if columns.kind[n] else "utility"
            shift = " (shifted by the rewards on the way here)" if columns.pays else ""
            message = (
                f"the {what} {numbers.message_text(columns.utility[n])} lies outside the bounds "
                f"[{low}, {high}]{shift}: widen the bounds, or correct the {what}"
            )
        yield n, message
