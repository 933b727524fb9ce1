"""Where the best action changes as a parameter moves: thresholds, each verified on both sides.

1. Take the value of each action at the root as a piecewise function of the parameter.
2. Find the closed intervals on which each action's function equals the envelope of all.
3. Sweep over the ends of these intervals: between two ends, the set of best actions is constant.
4. Evaluate the tree exactly on both sides of each change, to verify it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from itertools import groupby
from typing import Any, NamedTuple

from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import are_near, message_text, to_digits
from expectitree.decide.algebra.piecewise import Piecewise, greatest_of, where_equal
from expectitree.decide.algebra.polynomials import Root, between, compare
from expectitree.decide.algebra.rationals import Rational, formula_text
from expectitree.searches.result import Search

TOLERANCE = Fraction(1, 10**9)  # the width of the interval around a threshold that is not rational
VALUE_TOLERANCE = Fraction(1, 10**24)  # the same, where the value at the threshold is computed
MIN_DIGITS = 3  # of a threshold that is not rational

# Returns the search of a tree at a place, and its best actions; None where the tree has no value.
SearchAt = Callable[[Fraction], tuple[Search, tuple[str, ...]] | None]


@dataclass(frozen=True)
class Threshold:
    """A value of the parameter at which the set of best actions differs from those beside it."""

    lower: Fraction  # the interval that contains the threshold,
    upper: Fraction  # which is known exactly if the two are equal
    value: Fraction  # of the root at the threshold
    before: tuple[str, ...]  # the best actions below it; none at the left end of the range
    at: tuple[str, ...]  # the best actions at it, two or more; none if the value jumps there
    after: tuple[str, ...]  # the best actions above it; none at the right end of the range
    value_lower: Fraction  # the root's value at `lower`
    value_upper: Fraction  # the root's value at `upper`

    @property
    def middle(self) -> Fraction:
        """The threshold, or the middle of the interval that contains it."""
        return (self.lower + self.upper) / 2

    @property
    def exact(self) -> Fraction | None:
        """The threshold, or None if it is not known to be rational."""
        return self.lower if self.lower == self.upper else None


@dataclass(frozen=True)
class Piece:
    """A part of the range on which the set of best actions is constant.

    Attributes:
        start: The left end of the part.
        end: The right end.
        best: The best actions; empty if no player decides at the root.
        value: The root's value, if it is one rational function on the whole part.
    """

    start: Fraction
    end: Fraction
    best: tuple[str, ...]
    value: Rational | None

    def json_fields(self, name: str) -> dict[str, Any]:
        """Return the fields for JSON, where the value is a formula of a parameter's name."""
        value = None if self.value is None else formula_text(self.value, name)
        return {"from": self.start, "to": self.end, "best": self.best, "value": value}


class Change(NamedTuple):
    """A place where an action becomes best or ceases to be; both ends of the range are such too."""

    place: Root
    at: tuple[str, ...]  # the best actions at it
    after: tuple[str, ...]  # the best actions from it to the next place; none after the last


class Decision:
    """The best actions at the root of a tree, as a function of a parameter.

    Attributes:
        value: The value of the root.
        changes: Every place where an action becomes best or ceases to be, in order.
    """

    def __init__(
        self,
        actions: Sequence[tuple[str, Piecewise]],
        is_max: bool,
        search_at: SearchAt = lambda _: None,
        value: Piecewise | None = None,
        parameter: str = "",
    ) -> None:
        """`value` is that of the root, where it is not the best action's."""
        envelope = greatest_of((function for _, function in actions), is_max)
        self.value = envelope if value is None else value
        self.changes = _changes(actions, envelope)
        self.search_at, self.parameter = search_at, parameter
        self._verified: set[Fraction] = set()  # neighbouring thresholds share a side

    @property
    def start(self) -> tuple[str, ...]:
        """The best actions at the left end."""
        return self.changes[0].at

    def pieces(self) -> Iterator[Piece]:
        """Yield the parts of the range on which the set of best actions is constant."""
        left = self.changes[0]
        for here, later in zip(self.changes[1:], [*self.changes[2:], None], strict=True):
            if later is None or here.after != left.after or here.at != left.after:
                yield self._piece(left.place, here.place, left.after)
                left = here

    def _piece(self, left: Root, right: Root, best: tuple[str, ...]) -> Piece:
        values = {
            value
            for value, start, end in self.value.parts()
            if compare(start, right) < 0 and compare(left, end) < 0
        }
        start, end = place_of(left), place_of(right)
        best = () if best == ("",) else best  # no player decides at the root
        return Piece(start, end, best, values.pop() if len(values) == 1 else None)

    def thresholds(self, tolerance: Fraction = TOLERANCE) -> list[Threshold]:
        """Return every threshold in order, verified."""
        padded = [None, *self.changes, None]
        found = []
        for previous, here, later in zip(padded, self.changes, padded[2:], strict=False):
            if (previous and previous.after != here.at) or (later and here.after != here.at):
                found.append(self._threshold(previous, here, later, tolerance))
        return found

    def _threshold(
        self, previous: Change | None, here: Change, later: Change | None, tolerance: Fraction
    ) -> Threshold:
        neighbours = [side.place for side in (previous, later) if side]
        lower, upper = enclose(here.place, neighbours, tolerance)
        is_exact = lower == upper
        if is_exact:
            self._check(lower, here.at)
        if previous:
            self._check(between(previous.place, here.place) if is_exact else lower, previous.after)
        if later:
            self._check(between(here.place, later.place) if is_exact else upper, here.after)
        return Threshold(
            lower,
            upper,
            self.value(lower)
            if is_exact
            else to_digits(self.value(place_of(here.place, VALUE_TOLERANCE))),
            previous.after if previous else (),
            here.at,
            here.after,
            self.value(lower),
            self.value(upper),
        )

    def _check(self, place: Fraction, best: tuple[str, ...]) -> None:
        if place in self._verified:
            return
        self._verified.add(place)
        if (searched := self.search_at(place)) is None:
            return
        (search, found), value = searched, self.value(place)
        if found != best or not are_near(search.value, value, search.eps):
            raise AnalysisError(
                f"at {self.parameter} = {message_text(place)} the best actions are "
                f"{', '.join(found)} (value {message_text(search.value)}), but {', '.join(best)} "
                f"(value {message_text(value)}) were computed: this is a defect of expectitree, "
                "please report it with the tree"
            )


def _changes(actions: Sequence[tuple[str, Piecewise]], envelope: Piecewise) -> list[Change]:
    """Return every place where an action becomes best or ceases to be, and both ends, in order."""
    equal = {id(f): where_equal(f, envelope) for f in {id(f): f for _, f in actions}.values()}
    ends = [
        (end, action, is_start)
        for action, (_, function) in enumerate(actions)
        for interval in equal[id(function)]
        for end, is_start in zip(interval, (True, False), strict=True)
    ]
    key = cmp_to_key(compare)
    ends.sort(key=lambda end: key(end[0]))
    changes = []
    best: Counter[int] = Counter()  # the intervals that contain the place
    for _, group in groupby(ends, key=lambda end: key(end[0])):
        here = list(group)
        best.update(action for _, action, is_start in here if is_start)
        at = tuple(actions[action][0] for action in sorted(best))
        best -= Counter(action for _, action, is_start in here if not is_start)
        after = tuple(actions[action][0] for action in sorted(best))
        changes.append(Change(here[0][0], at, after))
    return changes


def place_of(root: Root, tolerance: Fraction = TOLERANCE) -> Fraction:
    """Return a place: a rational, or the middle of an interval within the tolerance around it."""
    lower, upper = enclose(root, (), tolerance)
    return (lower + upper) / 2


def enclose(
    place: Root, neighbours: Sequence[Root], tolerance: Fraction = TOLERANCE
) -> tuple[Fraction, Fraction]:
    """Return a rational place twice, or two decimals around it, one unit of the last digit apart.

    The decimals are within the tolerance, have three digits or more, and do not enclose a
    neighbour.
    """
    place.simplify()
    step = tolerance
    while place.exact is None:
        lower = place.lower // step * step
        upper = lower + step
        has_digits = min(abs(lower), abs(upper)) >= 10 ** (MIN_DIGITS - 1) * step
        if (
            place.upper <= upper
            and has_digits
            and not any(
                compare(Root.at(lower), n) <= 0 <= compare(Root.at(upper), n) for n in neighbours
            )
        ):
            return lower, upper
        step /= 10
        place.simplify(step.denominator)
    return place.exact, place.exact
