"""Thresholds, and the actions that they separate, as text."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from expectitree.algebra.thresholds import Threshold
from expectitree.numbers import escape, exact_text

_MOST_NAMES = 3  # of actions that tie
_DIGITS = 10  # of a place
_LONGEST_FRACTION = 24  # characters


def place_texts(exact: Fraction | None, lower: Fraction, ellipsis: str) -> tuple[str, str]:
    """Return a place for the ends of intervals, and in full: `2/91`, `2/91 = 0.021978…`.

    An exact decimal is both. So are the digits that are certain, with an ellipsis.
    """
    text = "" if exact is None else exact_text(exact)
    if text and "/" not in text and not text.startswith("about"):
        return text, text
    digits = f"{_digits(lower)}{ellipsis}"
    if "/" in text and len(text) <= _LONGEST_FRACTION:
        return text, f"{text} = {digits}"
    return digits, digits


def threshold_texts(threshold: Threshold, ellipsis: str) -> tuple[str, str]:
    """Return a threshold for the ends of intervals, and in full."""
    return place_texts(threshold.exact, threshold.lower, ellipsis)


def _digits(value: Fraction) -> str:
    """Return the first digits of a number, cut off."""
    floor = Context(prec=_DIGITS, rounding=ROUND_FLOOR)
    quotient = floor.divide(Decimal(abs(value.numerator)), Decimal(value.denominator))
    return f"{'-' if value < 0 else ''}{quotient}"


def fraction_text(exact: Fraction | None) -> str | None:
    """Return an exact place for JSON; None if it is not known or too long to be written."""
    text = "about" if exact is None else exact_text(exact)
    return None if text.startswith("about") else text


def names_text(actions: Sequence[str]) -> str:
    """Return the names of actions, of many the first ones: `a, b and c`."""
    names = [escape(action) for action in actions[:_MOST_NAMES]]
    if len(actions) > _MOST_NAMES:
        names.append(f"{len(actions) - _MOST_NAMES:,} more")
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:]))) or "-"
