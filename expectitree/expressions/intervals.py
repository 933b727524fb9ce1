"""Expressions over intervals of decimals that contain the value, whatever is rounded."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from expectitree.expressions.domains import FRACTIONS, Domain, UndefinedError
from expectitree.expressions.syntax import NEGATION
from expectitree.numbers import message_text

_GREATEST_EXPONENT = 1_000_000  # of ten
_ZERO = Decimal(0)


class Interval(NamedTuple):
    """A closed interval that contains a number."""

    low: Decimal
    high: Decimal

    @property
    def middle(self) -> Fraction:
        """The middle of the interval."""
        return (Fraction(self.low) + Fraction(self.high)) / 2


def _negative(a: Interval) -> Interval:
    return Interval(a.high.copy_negate(), a.low.copy_negate())


def _absolute(a: Interval) -> Interval:
    if a.low < 0 < a.high:
        return Interval(_ZERO, max(a.low.copy_negate(), a.high))
    return _negative(a) if a.high <= 0 else a


def _join(a: Interval, b: Interval) -> Interval:
    return Interval(min(a.low, b.low), max(a.high, b.high))


def _less(a: Interval, b: Interval) -> bool | None:
    return True if a.high < b.low else False if a.low >= b.high else None


def _at_most(a: Interval, b: Interval) -> bool | None:
    return True if a.high <= b.low else False if a.low > b.high else None


def _equal(a: Interval, b: Interval) -> bool | None:
    if a.high < b.low or b.high < a.low:
        return False
    return True if a.low == a.high == b.low == b.high else None


def _checked(value: Any) -> Any:
    if isinstance(value, Interval) and not (value.low.is_finite() and value.high.is_finite()):
        raise UndefinedError(f"is too large: it is beyond 10^{_GREATEST_EXPONENT:,}")
    return value


@cache
def intervals(digits: int) -> Domain:
    """Return the domain of intervals whose ends have a number of digits.

    The lower end of a result is rounded down and the upper end up. `exp`, `ln` and `sqrt` of the
    `decimal` module are correctly rounded, so the next decimals on both sides enclose the value.
    An undecided comparison is None.
    """
    down = Context(digits, ROUND_FLOOR, -_GREATEST_EXPONENT, _GREATEST_EXPONENT, traps=[])
    up = Context(digits, ROUND_CEILING, -_GREATEST_EXPONENT, _GREATEST_EXPONENT, traps=[])

    def number(written: str | Fraction) -> Interval:
        return of_text(written) if isinstance(written, str) else of_fraction(written)

    @cache
    def of_text(text: str) -> Interval:
        return of_fraction(FRACTIONS.number(text))

    def of_fraction(value: Fraction) -> Interval:
        ends = Decimal(value.numerator), Decimal(value.denominator)
        return Interval(down.divide(*ends), up.divide(*ends))

    def plus(a: Interval, b: Interval) -> Interval:
        return Interval(down.add(a.low, b.low), up.add(a.high, b.high))

    def minus(a: Interval, b: Interval) -> Interval:
        return Interval(down.subtract(a.low, b.high), up.subtract(a.high, b.low))

    def times(a: Interval, b: Interval) -> Interval:
        if a.low >= 0 and b.low >= 0:
            return Interval(down.multiply(a.low, b.low), up.multiply(a.high, b.high))
        pairs = [(x, y) for x in a for y in b]
        low = min(down.multiply(*pair) for pair in pairs)
        return Interval(low, max(up.multiply(*pair) for pair in pairs))

    def quotient(a: Interval, b: Interval) -> Interval:
        if b.low <= 0 <= b.high:
            raise UndefinedError("divides by zero")
        return times(a, Interval(down.divide(1, b.high), up.divide(1, b.low)))

    def increasing(function: Callable[[Decimal], Decimal]) -> Callable[[Interval], Interval]:
        def apply(a: Interval) -> Interval:
            return Interval(function(a.low).next_minus(down), function(a.high).next_plus(up))

        return apply

    exponential, logarithm, root = map(increasing, (down.exp, down.ln, down.sqrt))

    def exp(a: Interval) -> Interval:
        low, high = exponential(a)
        return Interval(max(low, _ZERO), high)

    def log(a: Interval) -> Interval:
        if a.low <= 0:
            raise UndefinedError("is the logarithm of a number that is not positive")
        return logarithm(a)

    def sqrt(a: Interval) -> Interval:
        if a.high < 0:
            raise UndefinedError("is the square root of a negative number")
        low, high = root(Interval(max(a.low, _ZERO), a.high))
        return Interval(max(low, _ZERO), high)

    def power(base: Interval, exponent: Interval) -> Interval:
        if exponent.low == exponent.high == exponent.low.to_integral_value():
            return whole_power(base, int(exponent.low))
        if base.low < 0 or base.low == 0 and exponent.low <= 0:
            raise UndefinedError("is a fractional power of a number that may not be positive")
        if base.high == 0:
            return Interval(_ZERO, _ZERO)
        low, high = exp(times(exponent, log(Interval(base.low or base.high, base.high))))
        return Interval(low if base.low else _ZERO, high)

    def whole_power(base: Interval, exponent: int) -> Interval:
        if exponent < 0:
            return quotient(number("1"), whole_power(base, -exponent))
        base = base if exponent % 2 else _absolute(base)
        found = number("1")
        for bit in f"{exponent:b}":
            found = times(found, found)
            found = times(found, base) if bit == "1" else found
        return found

    return Domain(
        number,
        {
            **{"+": plus, "-": minus, "*": times, "/": quotient, "^": power, NEGATION: _negative},
            **{"abs": _absolute, "exp": exp, "log": log, "sqrt": sqrt, "join": _join},
            "min": lambda *all_: Interval(min(a.low for a in all_), min(a.high for a in all_)),
            "max": lambda *all_: Interval(max(a.low for a in all_), max(a.high for a in all_)),
            "<": _less,
            "<=": _at_most,
            ">": lambda a, b: _less(b, a),
            ">=": lambda a, b: _at_most(b, a),
            "=": _equal,
        },
        _checked,
        lambda value: message_text(value.middle),
    )
