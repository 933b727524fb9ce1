"""Where the best action changes as a parameter moves: thresholds, each verified on both sides.

1. Take the value of each action at a node as a piecewise function of the parameter.
2. Find the closed intervals on which each action's function equals the envelope of all.
3. Sweep over the ends of these intervals: between two ends, the set of best actions is constant.
4. Evaluate the tree exactly on both sides of each change, to verify it.

The last part of the module writes places as text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from functools import cmp_to_key
from itertools import groupby
from math import inf, nextafter
from typing import TYPE_CHECKING, NamedTuple

from expectitree.base.errors import AnalysisError
from expectitree.base.expressions.evaluation import DIGITS
from expectitree.base.numbers import (
    Number,
    are_near,
    decimal_text,
    exact_display,
    exact_text,
    is_shown_as_fraction,
    message_text,
    to_digits,
    typeset,
)
from expectitree.base.rounding import to_nearest_float
from expectitree.base.tree.columns import MAX, MIN, NONE
from expectitree.base.tree.paths import join, message_path
from expectitree.decide.algebra.polynomials import (
    VALUE_TOLERANCE,
    Root,
    between,
    compare,
    enclose,
    place_of,
)
from expectitree.decide.algebra.rationals import (
    Interval,
    Piecewise,
    Rational,
    agree,
    formula_text,
    greatest_of,
    shifted,
    where_equal,
)
from expectitree.decide.records import Fields, Labels
from expectitree.decide.sensitivity.functions import NodeFunctions

if TYPE_CHECKING:
    from expectitree.text.console import Characters

_DIGITS = 10  # of a place
_GUARD = 10  # digits that rounding may lose
_SHORT_DIGITS = 6  # of one in a table or a plot
_MAX_DIGITS = 15  # of a place that is shown without an exponent
_MAX_FRACTION_LENGTH = 24  # characters
_MAX_LENGTH = 12  # of an exact number in a table


@dataclass(frozen=True)
class Place:
    """A value of the parameter, or an interval that contains it."""

    lower: Fraction  # the place, or the lower end of the interval
    upper: Fraction  # the place, or the upper end
    value: Fraction  # the value there, of the root or of both sides of an equation

    @property
    def middle(self) -> Fraction:
        """The place, or the middle of the interval that contains it."""
        return (self.lower + self.upper) / 2

    @property
    def exact(self) -> Fraction | None:
        """The place, or None if it is not known to be rational."""
        return self.lower if self.lower == self.upper else None

    def json_fields(self) -> Fields:
        """Return the middle, the ends of the interval, a fraction if known, and the value.

        Ends that are decimals are rounded outwards.
        """
        low: Number = self.lower
        high: Number = self.upper
        if low != high and not is_shown_as_fraction(low):
            low, high = to_nearest_float(low), to_nearest_float(high)
            if low > self.lower:
                low = nextafter(low, -inf)
            if high < self.upper:
                high = nextafter(high, inf)
        exact = None
        if low == high and not exact_text(self.lower).startswith("about"):
            exact = str(self.lower)
        ends = {"at": self.middle, "at_lower": low, "at_upper": high}
        return {**ends, "exact": exact, "value": self.value}


@dataclass(frozen=True)
class Threshold(Place):
    """A value of the parameter at which the set of best actions differs from those beside it."""

    before: Labels  # the best actions below it; none at the left end of the range
    at: Labels  # the best actions at it, two or more; none if the value jumps there
    after: Labels  # the best actions above it; none at the right end of the range

    def json_fields(self) -> Fields:
        """Return the place, and the best actions around it."""
        actions = {"before": self.before, "at_ties": self.at, "after": self.after}
        return super().json_fields() | actions


@dataclass(frozen=True)
class Piece:
    """A part of the range on which the set of best actions is constant."""

    start: Fraction  # the left end of the part
    end: Fraction  # the right end
    best: Labels  # the best actions; empty if no player decides
    value: Rational | None  # the value, if it is one rational function on the whole part
    later: tuple[Fraction, ...] = ()  # where a later decision changes within the part

    def json_fields(self, name: str) -> Fields:
        """Return the fields for JSON, where the value is a formula of a parameter's name."""
        found = {"from": self.start, "to": self.end, "best": self.best, "value": self.formula(name)}
        return found | {"later_changes_at": self.later}

    def record(self) -> Fields:
        """Return the part for a table: its ends, the first best action, and how many there are."""
        best = next(iter(self.best), None)
        return {"start": self.start, "end": self.end, "best": best, "ties": len(self.best)}

    def formula(self, name: str) -> str | None:
        """Return the value as a formula of a parameter's name; None if it is not a short one."""
        return None if self.value is None else formula_text(self.value, name)


class Change(NamedTuple):
    """A place where an action becomes best or ceases to be; both ends of the range are such too."""

    place: Root
    at: Labels  # the best actions at it
    after: Labels  # the best actions from it to the next place; none after the last


class Decision:
    """The best actions of a player as functions of a parameter.

    Attributes:
        actions: The function of each action, by its label; empty if no player decides.
        value: The value of the node, by default `envelope`, that of the best action.
        changes: Every place where an action becomes best or ceases to be, in order.
    """

    def __init__(
        self,
        functions: NodeFunctions,
        actions: Mapping[str, Piecewise],
        envelope: Piecewise,
        value: Piecewise | None = None,
    ) -> None:
        self.functions, self.actions, self.value = functions, actions, value or envelope
        ends = [Change(end, (), ()) for end in (functions.left, functions.right)]
        self.changes = _changes(actions, envelope) if actions else ends
        self._verified: set[Fraction] = set()  # neighbouring thresholds share a side

    @classmethod
    def at_root(cls, functions: NodeFunctions) -> Decision:
        """Return the decision at the root; without a player there, it has only a value."""
        tree, reward = functions.tree, functions.reward_of(NONE)
        value = functions.of_branch(NONE)
        actions: dict[str, Piecewise] = {}
        kind = tree.columns.kind[tree.root_id]
        if kind not in (MAX, MIN):
            return cls(functions, {}, functions.check_limits("the tree", value))
        for b in tree.branches_of(tree.root_id):
            label = tree.branch_label(tree.root_id, b)
            action = shifted(functions.of_branch(b), reward)
            if tree.error:  # then actions whose functions are equal may differ by rounding
                action = next((f for f in actions.values() if agree(f, action)), action)
            actions[label] = functions.check_limits(message_path(join([label])), action)
        return cls(functions, actions, greatest_of(actions.values(), kind == MAX), value)

    def pieces(self) -> Iterator[Piece]:
        """Yield the parts of the range on which the set of best actions is constant."""
        left = self.changes[0]
        for here, later in zip(self.changes[1:], [*self.changes[2:], None], strict=True):
            if later is None or here.after != left.after or here.at != left.after:
                piece = self._piece(left.place, here.place, left.after)
                if not self.functions.tree.error or piece.start < piece.end:
                    yield piece
                left = here

    def _piece(self, left: Root, right: Root, best: Labels) -> Piece:
        parts = [part for part in self.value.parts() if part[1] < right and left < part[2]]
        value: Rational | None = parts[0][0]
        if parts[1:]:
            value = None
        later = tuple(self._place_of(start) for _, start, _ in parts[1:])
        return Piece(self._place_of(left), self._place_of(right), best, value, later)

    def _place_of(self, root: Root) -> Fraction:
        """Return the place of a root, without the rounding errors of irrational constants."""
        place = place_of(root)
        if self.functions.tree.error:
            return to_digits(place, DIGITS - _GUARD)
        return place

    def thresholds(self, is_verified: bool = True) -> Iterator[Threshold]:
        """Yield every threshold in order; verify it by evaluations of the tree."""
        padded = [None, *self.changes, None]
        for previous, here, later in zip(padded, self.changes, padded[2:], strict=False):
            before = previous.after if previous else ()
            if (previous and before != here.at) or (later and here.after != here.at):
                neighbours = [side.place for side in (previous, later) if side]
                lower, upper = enclose(here.place, neighbours)
                if lower == upper:
                    lower = upper = self._place_of(here.place)
                value = self.value(place_of(here.place, VALUE_TOLERANCE))
                if lower < upper:
                    value = to_digits(value)
                threshold = Threshold(lower, upper, value, before, here.at, here.after)
                if is_verified:
                    self._verify(threshold, here.place, neighbours)
                yield threshold

    def _verify(self, threshold: Threshold, place: Root, neighbours: Sequence[Root]) -> None:
        """Evaluate the tree at a threshold that is known exactly, and on both sides of it."""
        exact = place.exact
        if exact is not None:
            self._check(exact, threshold.at)
        for other in neighbours:
            left, right = sorted((other, place))
            side, best = threshold.upper, threshold.after
            if left is other:
                side, best = threshold.lower, threshold.before
            if exact is not None:
                side = between(left, right)
            self._check(side, best)

    def _check(self, place: Fraction, best: Labels) -> None:
        if self.functions.tree.error:
            place = to_digits(place, DIGITS)  # it has thousands, of constants with 60 digits
        if place in self._verified:
            return
        self._verified.add(place)
        evaluated = self.functions.evaluated_at(place)
        if evaluated is None:
            return
        (search, found), value = evaluated, self.value(place)
        allowed = {*best}
        if search.eps:  # long fractions are rounded: values up to twice that apart may be equal
            near = 2 * search.eps
            allowed |= {a for a, f in self.actions.items() if are_near(f(place), value, near)}
        if not {*best} <= {*found} <= allowed or not are_near(search.value, value, search.eps):
            raise AnalysisError(
                f"at {self.functions.range.name} = {message_text(place)} the best actions are "
                f"{', '.join(found)} (value {message_text(search.value)}), but {', '.join(best)} "
                f"(value {message_text(value)}) were computed: this is a defect of expectitree, "
                "please report it with the tree"
            )


def _changes(actions: Mapping[str, Piecewise], envelope: Piecewise) -> list[Change]:
    """Return every place where an action becomes best or ceases to be, and both ends, in order."""
    labels = [*actions]
    equal: dict[int, list[Interval]] = {}  # actions may share a function
    ends = []
    for action, function in enumerate(actions.values()):
        if id(function) not in equal:
            equal[id(function)] = where_equal(function, envelope)
        for start, end in equal[id(function)]:
            ends += [(start, action, True), (end, action, False)]

    key = cmp_to_key(compare)
    ends.sort(key=lambda end: key(end[0]))
    changes = []
    best: Counter[int] = Counter()  # the intervals that contain the place
    for _, group in groupby(ends, key=lambda end: key(end[0])):
        here = list(group)
        best.update(action for _, action, is_start in here if is_start)
        at = tuple(labels[action] for action in sorted(best))
        best -= Counter(action for _, action, is_start in here if not is_start)
        after = tuple(labels[action] for action in sorted(best))
        changes.append(Change(here[0][0], at, after))
    return changes


# ---- As text.


def number_text(value: Fraction) -> str:
    """Return a number for a table: short digits, or a short fraction in that notation."""
    text = exact_text(value)
    is_rounded = "/" in text and not is_shown_as_fraction(value)
    if is_rounded or len(text) > _MAX_LENGTH:
        return decimal_text(value)
    return typeset(text)


def short_text(place: Place) -> str:
    """Return a place for a table or a plot: with six digits, or fewer if no more are known."""
    if place.exact is not None:
        return number_text(place.exact)
    for digits in range(_SHORT_DIGITS, 0, -1):
        ends = {decimal_text(end, digits) for end in (place.lower, place.upper)}
        if len(ends) == 1:
            return ends.pop()
    return number_text(place.middle)


def place_texts(place: Place, marks: Characters) -> tuple[str, str]:
    """Return a place for the ends of intervals, and in full: `2/91`, `2/91 = 0.021978…`.

    An exact decimal is both. Otherwise, or if fractions are not shown, there are only digits that
    are known, with an ellipsis. The
    numbers on both sides of a short one have no first digits in common: they are `≈ 0.5`.
    """
    digits = _known_digits(place.lower, place.upper, marks)
    if place.exact is None:
        return digits, digits
    text = exact_display(place.exact)
    if len(text) > _MAX_FRACTION_LENGTH or text.startswith("about"):
        return digits, digits
    if "/" not in text:
        return text, text
    if not is_shown_as_fraction(place.exact):
        return digits, digits
    return text, f"{text} = {digits}"


def _known_digits(lower: Fraction, upper: Fraction, marks: Characters) -> str:
    """Return the first digits that all numbers between two have, or that both ends round to."""
    near, far = sorted((lower, upper), key=abs)
    least = _quotient(far, 1, ROUND_DOWN).adjusted() + 1  # digits before the point
    if not 0 < least <= _MAX_DIGITS:
        least = 1
    if lower * upper <= 0:
        return f"{marks.about} 0"
    for digits in range(max(_DIGITS, least), least - 1, -1):
        known = _quotient(near, digits, ROUND_DOWN)
        unit = Fraction(10) ** (known.adjusted() + 1 - digits)
        if abs(far) <= abs(Fraction(known)) + unit:
            return f"{typeset(str(known))}{marks.ellipsis}"
        rounded = {_quotient(end, digits, ROUND_HALF_EVEN) for end in (near, far)}
        if len(rounded) == 1:
            return f"{marks.about} {typeset(f'{rounded.pop().normalize():f}')}"
    middle = _quotient((lower + upper) / 2, least, ROUND_HALF_EVEN)
    return f"{marks.about} {typeset(str(middle))}"


def _quotient(value: Fraction, digits: int, rounding: str) -> Decimal:
    context = Context(prec=digits, rounding=rounding)
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))
