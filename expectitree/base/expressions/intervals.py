"""Expressions over intervals of decimals that contain the value, whatever is rounded."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from expectitree.base.expressions.domains import FRACTIONS, Domain, UndefinedError
from expectitree.base.expressions.syntax import NEGATION
from expectitree.base.numbers import message_text

_MAX_EXPONENT = 1_000_000  # of ten
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


def _verdict(holds: bool, fails: bool) -> bool | None:
    if holds:
        return True
    return False if fails else None


def _less(a: Interval, b: Interval) -> bool | None:
    return _verdict(a.high < b.low, a.low >= b.high)


def _at_most(a: Interval, b: Interval) -> bool | None:
    return _verdict(a.high <= b.low, a.low > b.high)


def _equal(a: Interval, b: Interval) -> bool | None:
    return _verdict(a.low == a.high == b.low == b.high, a.high < b.low or b.high < a.low)


def _checked(value: Any) -> Any:
    if isinstance(value, Interval) and not (value.low.is_finite() and value.high.is_finite()):
        raise UndefinedError(f"is too large: it is beyond 10^{_MAX_EXPONENT:,}")
    return value


class _Arithmetic:
    """Operations on intervals whose ends have a number of digits.

    The lower end of a result is rounded down and the upper end up. `exp`, `ln` and `sqrt` of the
    `decimal` module are correctly rounded, so the next decimals on both sides enclose the value.
    """

    def __init__(self, digits: int) -> None:
        ends = -_MAX_EXPONENT, _MAX_EXPONENT
        self.down = Context(digits, ROUND_FLOOR, *ends, traps=[])
        self.up = Context(digits, ROUND_CEILING, *ends, traps=[])
        self.of_text = cache(lambda text: self.number(FRACTIONS.number(text)))

    def number(self, written: str | Fraction) -> Interval:
        if isinstance(written, str):
            found: Interval = self.of_text(written)
            return found
        ends = Decimal(written.numerator), Decimal(written.denominator)
        return Interval(self.down.divide(*ends), self.up.divide(*ends))

    def plus(self, a: Interval, b: Interval) -> Interval:
        return Interval(self.down.add(a.low, b.low), self.up.add(a.high, b.high))

    def minus(self, a: Interval, b: Interval) -> Interval:
        return Interval(self.down.subtract(a.low, b.high), self.up.subtract(a.high, b.low))

    def times(self, a: Interval, b: Interval) -> Interval:
        down, up = self.down.multiply, self.up.multiply
        if a.low >= 0 and b.low >= 0:
            return Interval(down(a.low, b.low), up(a.high, b.high))
        pairs = [(x, y) for x in a for y in b]
        return Interval(min(down(*pair) for pair in pairs), max(up(*pair) for pair in pairs))

    def quotient(self, a: Interval, b: Interval) -> Interval:
        if b.low <= 0 <= b.high:
            raise UndefinedError("divides by zero")
        return self.times(a, Interval(self.down.divide(1, b.high), self.up.divide(1, b.low)))

    def _increasing(self, function: Callable[[Decimal], Decimal], a: Interval) -> Interval:
        return Interval(function(a.low).next_minus(self.down), function(a.high).next_plus(self.up))

    def exp(self, a: Interval) -> Interval:
        low, high = self._increasing(self.down.exp, a)
        return Interval(max(low, _ZERO), high)

    def log(self, a: Interval) -> Interval:
        if a.low <= 0:
            raise UndefinedError("is the logarithm of a number that is not positive")
        return self._increasing(self.down.ln, a)

    def sqrt(self, a: Interval) -> Interval:
        if a.high < 0:
            raise UndefinedError("is the square root of a negative number")
        low, high = self._increasing(self.down.sqrt, Interval(max(a.low, _ZERO), a.high))
        return Interval(max(low, _ZERO), high)

    def power(self, base: Interval, exponent: Interval) -> Interval:
        if exponent.low == exponent.high == exponent.low.to_integral_value():
            return self._whole_power(base, int(exponent.low))
        if base.low < 0 or base.low == 0 and exponent.low <= 0:
            raise UndefinedError("is a fractional power of a number that may not be positive")
        if base.high == 0:
            return Interval(_ZERO, _ZERO)
        positive = Interval(base.low or base.high, base.high)
        low, high = self.exp(self.times(exponent, self.log(positive)))
        return Interval(low if base.low else _ZERO, high)

    def _whole_power(self, base: Interval, exponent: int) -> Interval:
        one = Interval(Decimal(1), Decimal(1))
        if exponent < 0:
            return self.quotient(one, self._whole_power(base, -exponent))
        base, found = (base if exponent % 2 else _absolute(base)), one
        for bit in f"{exponent:b}":
            found = self.times(found, found)
            if bit == "1":
                found = self.times(found, base)
        return found


@cache
def intervals(digits: int) -> Domain:
    """Return the domain of intervals whose ends have a number of digits.

    An undecided comparison is None.
    """
    on = _Arithmetic(digits)
    return Domain(
        on.number,
        {
            **{"+": on.plus, "-": on.minus, "*": on.times, "/": on.quotient, "^": on.power},
            **{"exp": on.exp, "log": on.log, "sqrt": on.sqrt, "abs": _absolute, "join": _join},
            NEGATION: _negative,
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
