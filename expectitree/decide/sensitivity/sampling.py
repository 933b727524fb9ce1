"""Sample a parameter's range where the value is not a rational function."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from time import monotonic

from expectitree.base import budget
from expectitree.base.errors import AnalysisError, NumberError, TreeError
from expectitree.base.numbers import message_text
from expectitree.decide.algebra.polynomials import MIN_DIGITS, TOLERANCE, VALUE_TOLERANCE
from expectitree.decide.sensitivity.decisions import Piece, Threshold
from expectitree.decide.sensitivity.enclosures import Enclosures, Verdict
from expectitree.decide.sensitivity.ranges import Range
from expectitree.tree.model import Tree

POINTS = 200  # of the range
_MAX_SECONDS = 20  # for one parameter
_OFFSET = Fraction(381966, 10**6)  # of the distance between two points
_NEAR = Fraction(1, 10**6)  # of the range
_MIN_STEP = Fraction(1, 10**30)  # between the ends of an interval around 0
_JUMP = Fraction(1, 10**9)  # of a value, between two places that are next to each other


def sample(tree: Tree, range_: Range) -> tuple[tuple[Piece, ...], tuple[Threshold, ...]]:
    """Return the parts of the range and the thresholds between 200 points.

    A change of the best actions between two points is narrowed by bisection until the digits of its
    place are known. Changes between neighbouring points can be missed. Raises `AnalysisError` where
    the tree has no value.
    """
    sampler, width = Sampler(tree, range_.name), range_.high - range_.low
    # Between round numbers and within both ends, where two actions may tie at a single place.
    places = [range_.low + width * (i + _OFFSET) / POINTS for i in range(POINTS)]
    places = [range_.low + width * _NEAR, *places, range_.high - width * _NEAR]
    thresholds: list[Threshold] = []
    pieces: list[Piece] = []
    start, best = range_.low, sampler.verdict_at(places[0]).best
    for left, right in itertools.pairwise(places):
        found = sampler.verdict_at(right).best
        while found != best:
            one = sampler.threshold(left, right, best, found)
            thresholds.append(one)
            pieces.append(Piece(start, one.middle, best, None))
            start, left, best = one.middle, one.upper, one.after
    pieces.append(Piece(start, range_.high, best, None))
    return tuple(pieces), tuple(thresholds)


class Sampler:
    """Evaluates a tree at values of one of its parameters."""

    def __init__(self, tree: Tree, name: str) -> None:
        self.tree, self.name = tree, name
        self.enclosures = Enclosures(tree, name)
        self.deadline = monotonic() + _MAX_SECONDS * budget.factor()

    def tree_at(self, place: Fraction) -> Tree:
        """Return the tree at a value of the parameter."""
        try:
            return self.tree.with_parameters(**{self.name: place})
        except TreeError as error:
            raise AnalysisError(f"{error}; or give {self.name} a smaller range") from None

    def verdict_at(self, place: Fraction) -> Verdict:
        """Return the best actions at a place, and the value of the tree."""
        if monotonic() > self.deadline:
            raise AnalysisError(
                f"evaluating {len(self.tree):,} nodes at hundreds of values of {self.name} takes "
                f"more than {_MAX_SECONDS * budget.factor():g} seconds: make the tree smaller, or "
                f"its formulas simpler; or {budget.more()}"
            )
        try:
            return self.enclosures.verdict_at(place)
        except NumberError as error:
            self.tree_at(place)  # raises the error with the path of the formula
            at = f"{self.name} = {message_text(place)}"
            raise AnalysisError(f"{error} (at {at}): give {self.name} a smaller range") from None

    def value_at(self, place: Fraction) -> Fraction:
        """Return the value of the tree at a place, rounded if it is not known exactly."""
        return self.verdict_at(place).value

    def threshold(
        self, low: Fraction, high: Fraction, before: tuple[str, ...], after: tuple[str, ...]
    ) -> Threshold:
        """Return the first change of the best actions that bisection finds between two places.

        A tie with the actions before the change counts as no change, unless it lasts.
        """
        lasts = set(before) <= set(after)

        def is_before(place: Fraction) -> bool:
            best = self.verdict_at(place).best
            return best == before if lasts else set(before) <= set(best)

        ends = low, high
        low, high = _bisected(low, high, is_before, TOLERANCE)
        after, tie = self.verdict_at(high).best, self.verdict_at(low)
        if tie.is_certain and not lasts and set(before) < set(tie.best):
            high = low
        else:
            # At an end of the interval, there may be a jump, or a tie that is not certain.
            gap = _power_of_ten(high - low) / 10**MIN_DIGITS
            for place in (low, high):
                near = max(ends[0], place - gap), min(ends[1], place + gap)
                if is_before(near[0]) and not is_before(near[1]):
                    low, high = near
                    break
        sides = _bisected(low, high, is_before, VALUE_TOLERANCE)
        left, right = (self.value_at(side) for side in sides)
        jumps = abs(left - right) > _JUMP * (abs(left) + abs(right))
        ties = () if jumps else tuple(dict.fromkeys((*before, *after)))
        return Threshold(low, high, (left + right) / 2, before, ties, after)


def _bisected(
    low: Fraction, high: Fraction, is_before: Callable[[Fraction], bool], tolerance: Fraction
) -> tuple[Fraction, Fraction]:
    """Return two places within a tolerance around a change, and no short decimal between them."""
    while (middle := _place_between(low, high, tolerance)) is not None:
        low, high = (middle, high) if is_before(middle) else (low, middle)
    return low, high


def _place_between(low: Fraction, high: Fraction, tolerance: Fraction) -> Fraction | None:
    """Return a short decimal near the middle of two places; None if they are close enough.

    Then no number with the digits that a threshold needs is between them.
    """
    finest = tolerance
    while finest > _MIN_STEP and min(abs(low), abs(high)) < 10 ** (MIN_DIGITS - 1) * finest:
        finest /= 10
    middle = (low + high) / 2
    width = _power_of_ten(high - low) if low < high else finest
    for step in (max(finest, width), max(finest, width / 10)):
        place = round(middle / step) * step
        if low < place < high:
            return place
    return None


def _power_of_ten(width: Fraction) -> Fraction:
    """Return the greatest power of ten that is at most a width."""
    return Fraction(10) ** (Decimal(width.numerator) / Decimal(width.denominator)).adjusted()
