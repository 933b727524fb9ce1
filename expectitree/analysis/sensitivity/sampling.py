"""Sample a parameter's range where the value is no quotient of polynomials."""

from __future__ import annotations

import itertools
from fractions import Fraction

from expectitree.algebra.thresholds import Threshold
from expectitree.analysis.sensitivity.pieces import Piece
from expectitree.analysis.sensitivity.ranges import Range
from expectitree.numbers import to_exact
from expectitree.searches.engine import evaluate
from expectitree.tree.model import Tree

POINTS = 200  # of the range
_NARROW = Fraction(1, 10**9)  # of the range: where a bisection ends


def sample(tree: Tree, range_: Range) -> tuple[tuple[Piece, ...], tuple[Threshold, ...]]:
    """Return the parts of the range and the thresholds between 200 points; a tree of floats.

    A change of the best actions between two points is narrowed by bisection. Two changes between
    neighbouring points are missed.
    """
    width = range_.high - range_.low

    def at(place: Fraction) -> tuple[tuple[str, ...], Fraction]:
        search = evaluate(tree.with_parameters(**{range_.name: float(place)}))
        return search.ties, to_exact(search.value)

    places = [range_.low + width * i / POINTS for i in range(POINTS + 1)]
    thresholds: list[Threshold] = []
    pieces: list[Piece] = []
    start, (best, _) = places[0], at(places[0])
    for left, right in itertools.pairwise(places):
        found, _ = at(right)
        if found != best:
            low, high = left, right
            while high - low > _NARROW * width:
                middle = (low + high) / 2
                low, high = (middle, high) if at(middle)[0] == best else (low, middle)
            low_value, high_value = at(low)[1], at(high)[1]
            both = tuple(dict.fromkeys((*best, *found)))
            thresholds.append(
                Threshold(
                    low, high, (low_value + high_value) / 2, best, both, found,
                    low_value, high_value,
                )
            )  # fmt: skip
            pieces.append(Piece(start, thresholds[-1].middle, best, None))
            start, best = thresholds[-1].middle, found
    pieces.append(Piece(start, places[-1], best, None))
    return tuple(pieces), tuple(thresholds)
