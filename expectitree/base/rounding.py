"""Rounding: `Rounded` after every operation, to 200 bits, and `round_once` where a result returns.

The numerators and denominators of exact values may grow with the size of a tree: a chain of 5,000
chance nodes whose probabilities have 15 digits has a value of 75,000 digits. Such a tree, and one
with numbers that are irrational, is computed in `Rounded`. All code for fractions works with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from math import fsum, inf, lcm
from typing import Any, Self, TypeAlias

Operation: TypeAlias = Callable[[Any, Any], Any]
BITS = 200
UNIT = 2.0**-BITS  # what one operation loses at most, as a part of its result
LONG = 4_000  # bits: longer values are rounded


def _rounded(operation: Operation) -> Any:
    """Return an operation of fractions that rounds its result."""

    def apply(self: Fraction, other: Any) -> Any:
        result = operation(self, other)
        if isinstance(result, Fraction):
            return Rounded.of(result)
        return result

    return apply


class Rounded(Fraction):
    """A number with at most 200 significant bits.

    >>> from fractions import Fraction
    >>> third = Rounded.of(Fraction(1, 3))
    >>> third == Fraction(1, 3), abs(third - Fraction(1, 3)) < UNIT
    (False, True)
    """

    __slots__ = ()

    @classmethod
    def of(cls, value: Fraction | int) -> Self:
        """Return the number rounded to nearest, half to even."""
        numerator, denominator = value.numerator, value.denominator
        shift = BITS - numerator.bit_length() + denominator.bit_length()
        if shift > 0:
            numerator <<= shift
        else:
            denominator <<= -shift
        quotient, rest = divmod(abs(numerator), denominator)
        if quotient >> BITS:  # 201 bits: with 200 or 201, a smaller number could round to a greater
            rest += (quotient & 1) * denominator
            quotient, denominator, shift = quotient >> 1, denominator << 1, shift - 1
        quotient += 2 * rest > denominator or (2 * rest == denominator and quotient & 1)
        if numerator < 0:
            quotient = -quotient
        if shift <= 0:
            return cls(quotient << -shift)
        return cls(quotient, 1 << shift)

    __add__, __radd__ = _rounded(Fraction.__add__), _rounded(Fraction.__radd__)
    __sub__, __rsub__ = _rounded(Fraction.__sub__), _rounded(Fraction.__rsub__)
    __mul__, __rmul__ = _rounded(Fraction.__mul__), _rounded(Fraction.__rmul__)
    __truediv__, __rtruediv__ = _rounded(Fraction.__truediv__), _rounded(Fraction.__rtruediv__)

    def __neg__(self) -> Rounded:
        return Rounded(-self.numerator, self.denominator)

    def __abs__(self) -> Rounded:
        return Rounded(abs(self.numerator), self.denominator)


def rounded_column(column: Iterable[Any]) -> list[Any]:
    """Return fractions rounded to 200 bits; floats, which are NaN or infinite, stay as they are."""
    return [x if isinstance(x, float) else Rounded.of(x) for x in column]


def sum_of(values: Sequence[Any]) -> Any:
    """Return a sum of floats or of fractions; rounded if its denominator has over 4,000 bits."""
    if values and isinstance(values[0], float):
        return fsum(values)
    common = 1
    for denominator in {value.denominator for value in values}:
        common = lcm(common, denominator)
        if common.bit_length() > LONG:
            return sum(map(Rounded.of, values), Rounded(0))
    # Whole numbers are added in a third of the time.
    return Fraction(sum(x.numerator * (common // x.denominator) for x in values), common)


def have_long_values(columns: Any) -> bool:
    """Return whether a value of a tree of fractions may need more than 4,000 bits.

    The denominator of a node's value divides the least common multiple of its children's
    denominators, each times the denominator of the child's probability.
    """
    child = columns.child
    # An unknown utility is NaN, a float.
    utility = [1 if u.__class__ is float else u.denominator for u in columns.utility]
    weights = [p.denominator for p in columns.probability]
    paid = [r.denominator for r in columns.reward] or [1] * len(weights)
    for n, (first, last) in enumerate(zip(columns.first, columns.last, strict=False)):
        for b in range(first, last):
            below = lcm(utility[child[b]], paid[b]) * weights[b]
            utility[n] = lcm(utility[n], below)
            if utility[n].bit_length() > LONG:
                return True
    return False


class WrittenFraction(Fraction):
    """A number that is shown as its file writes it: `1/3`, `10/4` or `12.5%`.

    The result of an operation is an ordinary `Fraction`; but the negative is shown like it, since a
    cost is a negative reward.
    """

    __slots__ = ("text",)
    text: str

    def __new__(cls, value: Any, denominator: Any = None, text: str = "") -> Self:
        if not text:  # the result of a method of `Fraction`
            return Fraction(value, denominator)  # type: ignore[return-value]
        written = super().__new__(cls, value, denominator)
        written.text = text
        return written

    def __neg__(self) -> Fraction:
        digits = self.text.lstrip("+-")
        return WrittenFraction(-self.numerator, self.denominator, f"{'-' * (self > 0)}{digits}")

    def __repr__(self) -> str:
        return f"Fraction({self.numerator}, {self.denominator})"

    def __reduce__(self) -> tuple[Any, ...]:
        return WrittenFraction, (self.numerator, self.denominator, self.text)

    def __copy__(self) -> WrittenFraction:
        return self

    def __deepcopy__(self, memo: object) -> WrittenFraction:
        return self


def to_nearest_float(value: float | Fraction) -> float:
    """Return a number rounded once to a float; infinite if it is beyond all floats."""
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def round_once(value: Any, exact: bool) -> Any:
    """Return a number as a function with the argument `exact` returns it: itself, or rounded.

    This also converts the numbers in tuples and dataclasses.
    """
    if exact:
        return Fraction(value) if value.__class__ is WrittenFraction else value
    if isinstance(value, Fraction):
        return to_nearest_float(value)
    if isinstance(value, tuple):
        make = getattr(type(value), "_make", tuple)
        return make(round_once(part, exact) for part in value)
    if is_dataclass(value) and not isinstance(value, type):
        values = {
            field.name: round_once(getattr(value, field.name), exact) for field in fields(value)
        }
        return replace(value, **values)
    return value
