"""Sample a parameter's range where the value is no quotient of polynomials."""

from __future__ import annotations

import itertools
from fractions import Fraction

from expectitree.algebra.thresholds import Threshold
from expectitree.analysis.sensitivity.pieces import Piece
from expectitree.analysis.sensitivity.ranges import Range
from expectitree.errors import AnalysisError, TreeError
from expectitree.numbers import to_exact
from expectitree.searches.engine import search_tree
from expectitree.tree.model import Tree

POINTS = 200  # of the range
_OFFSET = Fraction(381966, 10**6)  # of the distance between two points
_NEAR = Fraction(1, 10**6)  # of the range
_NARROW = Fraction(1, 10**9)  # of the range: where a bisection ends


def sample(tree: Tree, range_: Range) -> tuple[tuple[Piece, ...], tuple[Threshold, ...]]:
    """Return the parts of the range and the thresholds between 200 points.

    A change of the best actions between two points is narrowed by bisection. Changes between
    neighbouring points can be missed. Raises `AnalysisError` where the tree has no value.
    """
    sampler, width = Sampler(tree, range_.name), range_.high - range_.low
    # Between round numbers and within both ends, where two actions may tie at a single place.
    places = [range_.low + width * (i + _OFFSET) / POINTS for i in range(POINTS)]
    places = [range_.low + width * _NEAR, *places, range_.high - width * _NEAR]
    thresholds: list[Threshold] = []
    pieces: list[Piece] = []
    start, best = range_.low, sampler.best_at(places[0])
    for left, right in itertools.pairwise(places):
        found = sampler.best_at(right)
        while found != best:
            one = sampler.threshold(left, right, best, found, width * _NARROW)
            thresholds.append(one)
            pieces.append(Piece(start, one.middle, best, None))
            start, left, best = one.middle, one.upper, one.after
    pieces.append(Piece(start, range_.high, best, None))
    return tuple(pieces), tuple(thresholds)


def places_of(range_: Range, points: int = POINTS) -> list[Fraction]:
    """Return the values of a parameter at which its range is sampled."""
    return [range_.low + (range_.high - range_.low) * i / points for i in range(points + 1)]


class Sampler:
    """Evaluates a tree at values of one of its parameters."""

    def __init__(self, tree: Tree, name: str) -> None:
        self.tree, self.name = tree, name

    def tree_at(self, place: Fraction) -> Tree:
        """Return the tree at a value of the parameter."""
        value = place if self.tree.exact else float(place)
        try:
            return self.tree.with_parameters(**{self.name: value})
        except TreeError as error:
            raise AnalysisError(f"{error}; or give {self.name} a smaller range") from None

    def best_at(self, place: Fraction) -> tuple[str, ...]:
        """Return the best actions at a place."""
        return search_tree(self.tree_at(place)).ties

    def value_at(self, place: Fraction) -> Fraction:
        """Return the value of the tree at a place."""
        return to_exact(search_tree(self.tree_at(place)).value)

    def threshold(
        self,
        low: Fraction,
        high: Fraction,
        before: tuple[str, ...],
        after: tuple[str, ...],
        narrow: Fraction,
    ) -> Threshold:
        """Return the first change of the best actions that bisection finds between two places.

        A tie with the actions before the change counts as no change, unless it lasts.
        """
        lasts = set(before) <= set(after)
        while high - low > narrow:
            middle = (low + high) / 2
            best = self.best_at(middle)
            is_same = best == before if lasts else set(before) <= set(best)
            low, high, after = (middle, high, after) if is_same else (low, middle, best)
        low_value, high_value = self.value_at(low), self.value_at(high)
        ties = tuple(dict.fromkeys((*before, *after)))
        value = (low_value + high_value) / 2
        return Threshold(low, high, value, before, ties, after, low_value, high_value)
