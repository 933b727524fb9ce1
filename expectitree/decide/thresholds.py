"""Thresholds, and the actions that they separate, as text."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from math import inf, nextafter
from typing import TYPE_CHECKING, Any

from expectitree.base.numbers import (
    Number,
    decimal_text,
    escape,
    exact_text,
    is_shown_as_fraction,
    to_nearest_float,
)
from expectitree.decide.sensitivity.decisions import Place, Threshold
from expectitree.text.json_values import json_number

if TYPE_CHECKING:
    from expectitree.text.console import Characters

_MAX_NAMES = 3  # of actions that tie
_DIGITS = 10  # of a place
_MAX_DIGITS = 15  # of a place that is shown without an exponent
_MAX_FRACTION_LENGTH = 24  # characters
_MAX_LENGTH = 12  # of an exact number in a table


def number_text(value: Fraction) -> str:
    """Return a number for a table: a short fraction or decimal as it is, else rounded."""
    text = exact_text(value)
    return text if len(text) <= _MAX_LENGTH else decimal_text(value)


def place_texts(place: Place, marks: Characters) -> tuple[str, str]:
    """Return a place for the ends of intervals, and in full: `2/91`, `2/91 = 0.021978…`.

    An exact decimal is both. Otherwise, only digits that are known are shown, with an ellipsis. The
    numbers on both sides of a short one have no first digits in common: they are `≈ 0.5`.
    """
    digits = _known_digits(place.lower, place.upper, marks)
    text = digits if place.exact is None else exact_text(place.exact)
    if place.exact is None or len(text) > _MAX_FRACTION_LENGTH or text.startswith("about"):
        return digits, digits
    return text, f"{text} = {digits}" if "/" in text else text


def _known_digits(lower: Fraction, upper: Fraction, marks: Characters) -> str:
    """Return the first digits that all numbers between two have, or that both ends round to."""
    near, far = sorted((lower, upper), key=abs)
    whole = _quotient(far, 1, ROUND_DOWN).adjusted() + 1
    least = whole if 0 < whole <= _MAX_DIGITS else 1
    for digits in range(max(_DIGITS, least), least - 1, -1) if lower * upper > 0 else ():
        found = _quotient(near, digits, ROUND_DOWN)
        unit = Fraction(10) ** (found.adjusted() + 1 - digits)
        if abs(far) <= abs(Fraction(found)) + unit:
            return f"{found}{marks.ellipsis}"
        rounded = {_quotient(end, digits, ROUND_HALF_EVEN) for end in (near, far)}
        if len(rounded) == 1:
            return f"{marks.about} {rounded.pop().normalize():f}"
    middle = (lower + upper) / 2 if lower * upper > 0 else Fraction(0)
    return f"{marks.about} {_quotient(middle, least, ROUND_HALF_EVEN)}"


def _quotient(value: Fraction, digits: int, rounding: str) -> Decimal:
    context = Context(prec=digits, rounding=rounding)
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))


def place_fields(one: Place, name: str) -> dict[str, Any]:
    """Return a place for JSON: its middle, the ends of its interval, and a fraction if known.

    Ends that are decimals are rounded outwards.
    """
    low: Number = one.lower
    high: Number = one.upper
    if low != high and not is_shown_as_fraction(low):
        low, high = to_nearest_float(low), to_nearest_float(high)
        low = low if low <= one.lower else nextafter(low, -inf)
        high = high if high >= one.upper else nextafter(high, inf)
    is_long = one.exact is None or exact_text(one.exact).startswith("about")
    return {
        name: json_number(one.middle),
        f"{name}_lower": json_number(low),
        f"{name}_upper": json_number(high),
        "exact": None if is_long else str(one.exact),
    }


def threshold_fields(one: Threshold, name: str = "at", ties: str = "at_ties") -> dict[str, Any]:
    """Return a threshold of a parameter for JSON."""
    actions = {"before": one.before, ties: one.at, "after": one.after}
    return {**place_fields(one, name), "value": one.value, **actions}


def names_text(actions: Sequence[str]) -> str:
    """Return the names of actions, of many the first ones: `a, b and c`."""
    names = [escape(action) for action in actions[:_MAX_NAMES]]
    if len(actions) > _MAX_NAMES:
        names.append(f"{len(actions) - _MAX_NAMES:,} more")
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:]))) or "-"
