"""Expressions over intervals of fractions that are known to contain the value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import cache
from typing import Any

from expectitree.expressions.domains import (
    DIGITS,
    FRACTIONS,
    Domain,
    UndefinedError,
    rounded_fractions,
)
from expectitree.expressions.syntax import NEGATION

_LONGEST_POINT = 10_000  # bits; a longer number is rounded outwards
_SPARE_BITS = 4  # of a rounded end, for each of its digits


@dataclass(frozen=True, slots=True)
class Interval:
    """A closed interval that contains a number; a point is the number itself."""

    low: Fraction
    high: Fraction

    @property
    def is_point(self) -> bool:
        """Whether the number is known exactly."""
        return self.low == self.high

    @property
    def middle(self) -> Fraction:
        """The number, or the middle of the interval."""
        return self.low if self.is_point else (self.low + self.high) / 2

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.low + other.low, self.high + other.high)

    def __sub__(self, other: Interval) -> Interval:
        return Interval(self.low - other.high, self.high - other.low)

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low)

    def __mul__(self, other: Interval) -> Interval:
        if self.is_point and other.is_point:
            return point(self.low * other.low)
        return _hull(a * b for a in (self.low, self.high) for b in (other.low, other.high))


def point(value: Fraction) -> Interval:
    """Return the interval of a number that is known exactly."""
    return Interval(value, value)


def _hull(values: Any) -> Interval:
    found = [*values]
    return Interval(min(found), max(found))


def _join(a: Interval, b: Interval) -> Interval:
    return _hull((a.low, a.high, b.low, b.high))


def _absolute(a: Interval) -> Interval:
    if a.low < 0 < a.high:
        return Interval(Fraction(0), max(-a.low, a.high))
    return -a if a.high <= 0 else a


def _quotient(a: Interval, b: Interval) -> Interval:
    if b.low <= 0 <= b.high:
        raise UndefinedError("divides by zero")
    return a * Interval(1 / b.high, 1 / b.low)


def _less(a: Interval, b: Interval) -> bool | None:
    return True if a.high < b.low else False if a.low >= b.high else None


def _at_most(a: Interval, b: Interval) -> bool | None:
    return True if a.high <= b.low else False if a.low > b.high else None


def _equal(a: Interval, b: Interval) -> bool | None:
    if a.high < b.low or b.high < a.low:
        return False
    return True if a.is_point and a == b else None


@cache
def intervals(digits: int = DIGITS) -> Domain:
    """Return the domain of intervals whose ends are rounded to a number of digits.

    An exact result is a point. A comparison of intervals that overlap is not decided.
    """
    rounded = rounded_fractions(digits).operations
    contexts = [
        Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN, rounding=rounding)
        for rounding in (ROUND_FLOOR, ROUND_CEILING)
    ]

    def checked(value: Any) -> Any:
        if not isinstance(value, Interval):
            return value
        ends = value.low, value.high
        bits = max(part.bit_length() for end in ends for part in end.as_integer_ratio())
        if bits <= (_LONGEST_POINT if value.is_point else _SPARE_BITS * digits):
            return value
        return Interval(
            *(
                Fraction(context.divide(Decimal(end.numerator), Decimal(end.denominator)))
                for context, end in zip(contexts, ends, strict=True)
            )
        )

    def at(operation: str, *operands: Fraction) -> Interval:
        """Return the result of an operation on numbers."""
        try:
            return point(FRACTIONS.operations[operation](*operands))
        except UndefinedError:
            found = rounded[operation](*operands)
            error = abs(found) / 10 ** (digits - 1)
            return Interval(found - error, found + error)

    def increasing(operation: str) -> Callable[[Interval], Interval]:
        def apply(a: Interval) -> Interval:
            low = at(operation, a.low)
            return low if a.is_point else Interval(low.low, at(operation, a.high).high)

        return apply

    def sqrt(a: Interval) -> Interval:
        is_near_zero = a.low < 0 <= a.high  # a square root that exists is of no negative number
        return increasing("sqrt")(Interval(Fraction(0), a.high) if is_near_zero else a)

    def power(base: Interval, exponent: Interval) -> Interval:
        if base.low <= 0 and not (base.is_point and exponent.is_point):
            if not (exponent.is_point and exponent.low.denominator == 1):
                raise UndefinedError("is a power of a number that is not known to be positive")
            if exponent.low < 0:
                return _quotient(point(Fraction(1)), power(base, -exponent))
            if exponent.low % 2 == 0:
                base = _absolute(base)
        ends = [at("^", a, b) for a in (base.low, base.high) for b in (exponent.low, exponent.high)]
        return _hull(end for one in ends for end in (one.low, one.high))

    return Domain(
        lambda number: point(FRACTIONS.number(number)),
        {
            **{"+": Interval.__add__, "-": Interval.__sub__, "*": Interval.__mul__},
            **{"/": _quotient, "^": power, NEGATION: Interval.__neg__, "abs": _absolute},
            **{"exp": increasing("exp"), "log": increasing("log"), "sqrt": sqrt, "join": _join},
            "min": lambda *all_: Interval(min(a.low for a in all_), min(a.high for a in all_)),
            "max": lambda *all_: Interval(max(a.low for a in all_), max(a.high for a in all_)),
            "<": _less,
            "<=": _at_most,
            ">": lambda a, b: _less(b, a),
            ">=": lambda a, b: _at_most(b, a),
            "=": _equal,
        },
        checked,
        lambda value: FRACTIONS.text(value.middle),
    )
