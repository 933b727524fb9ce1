"""The domains over which expressions are evaluated: floats and fractions.

A domain defines the numbers, operators and functions of an expression. Every operation
takes values of the domain and returns one, or raises `UndefinedError`. To add a domain, such as
intervals, make another `Domain`; the evaluator stays as it is.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from expectitree.expressions.syntax import INEXACT, NEGATION
from expectitree.numbers import message_text, to_float, to_fraction

_MOST_BITS = 10_000  # of a numerator or a denominator; about 3,000 digits
_ZERO = "divides by zero"
_INEXACT = f"{INEXACT}: compute in floats"
_TOO_MANY_BITS = f"is too large: it has more than {_MOST_BITS:,} bits"


class UndefinedError(ArithmeticError):
    """An operation without a value; the message continues the text of the operation."""


@dataclass(frozen=True, slots=True)
class Domain:
    """A kind of values.

    Attributes:
        number: Returns the value of a number as written, such as `0.5` or `5%`.
        operations: The operators, functions and comparisons by their names in the syntax tree, but
            not `if`. A comparison returns True, False, or None if the values do not decide it. Then
            the operation `join` receives the values of both cases of the `if`.
        checked: Returns the result of an operation, or raises `UndefinedError` if it is too large.
        text: Returns a value as text for messages.
    """

    number: Callable[[str], Any]
    operations: Mapping[str, Callable[..., Any]]
    checked: Callable[[Any], Any]
    text: Callable[[Any], str] = message_text


def _float(text: str) -> float:
    value = to_float(text.removesuffix("%"))
    return float(_fraction(text)) if text.endswith("%") else value


def _fraction(text: str) -> Fraction:
    number = text.removesuffix("%")
    return to_fraction(number) / (1 if number == text else 100)


def _checked_float(value: float) -> float:
    if not math.isfinite(value):
        raise UndefinedError("is too large for floating point")
    return value


def _checked_fraction(value: Fraction) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_BITS:
        raise UndefinedError(_TOO_MANY_BITS)
    return value


def _quotient(a: Any, b: Any) -> Any:
    if not b:
        raise UndefinedError(_ZERO)
    return a / b


def _check(operation: str, *operands: Any) -> None:
    """Raise `UndefinedError` for operands for which an operation has no real value."""
    if operation == "^" and not operands[0] and operands[1] < 0:
        raise UndefinedError(_ZERO)
    if operation == "^" and operands[0] < 0 and operands[1] % 1:
        raise UndefinedError("is a fractional power of a negative number")
    if operation == "log" and operands[0] <= 0:
        raise UndefinedError("is the logarithm of a number that is not positive")
    if operation == "sqrt" and operands[0] < 0:
        raise UndefinedError("is the square root of a negative number")


def _of_floats(operation: str, function: Callable[..., float]) -> Callable[..., float]:
    """Return a function of the `math` module as an operation that returns infinity on overflow."""

    def apply(*operands: float) -> float:
        _check(operation, *operands)
        try:
            return function(*operands)
        except OverflowError:
            return math.inf

    return apply


def _exact_power(base: Fraction, exponent: Fraction) -> Fraction:
    """Return a power, if the exponent is an integer or the base has an exact root."""
    _check("^", base, exponent)
    root = _exact_root(base, exponent.denominator)
    power = exponent.numerator
    bits = max(root.numerator.bit_length(), root.denominator.bit_length())
    if (bits - 1) * abs(power) > _MOST_BITS:
        raise UndefinedError(_TOO_MANY_BITS)
    return root**power


def _exact_root(base: Fraction, degree: int) -> Fraction:
    if degree == 1:
        return base
    ends = base.numerator, base.denominator
    roots = [_integer_root(end, degree) for end in ends]
    if any(root**degree != end for root, end in zip(roots, ends, strict=True)):
        raise UndefinedError(_INEXACT)
    return Fraction(*roots)


def _integer_root(n: int, degree: int) -> int:
    """Return the greatest integer whose power is at most `n` >= 0."""
    if n < 2 or degree >= n.bit_length():
        return min(n, 1)
    guess = _above_root(n, degree)
    while (better := ((degree - 1) * guess + n // guess ** (degree - 1)) // degree) < guess:
        guess = better
    return guess


def _above_root(n: int, degree: int) -> int:
    """Return a number that is a little greater than the root, from which Newton's method starts."""
    size = math.log2(n) / degree
    return int(2**size * (1 + 1e-9)) + 1 if size < 1000 else 1 << -(-n.bit_length() // degree)


def _exact_exp(a: Fraction) -> Fraction:
    if a:
        raise UndefinedError(_INEXACT)
    return Fraction(1)


def _exact_log(a: Fraction) -> Fraction:
    _check("log", a)
    if a != 1:
        raise UndefinedError(_INEXACT)
    return Fraction(0)


def _exact_sqrt(a: Fraction) -> Fraction:
    _check("sqrt", a)
    return _exact_root(a, 2)


_SHARED: Mapping[str, Callable[..., Any]] = {
    **{"+": operator.add, "-": operator.sub, "*": operator.mul, "/": _quotient},
    **{"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq},
    **{NEGATION: operator.neg, "abs": abs},
    "min": lambda *operands: min(operands),
    "max": lambda *operands: max(operands),
}
FLOATS = Domain(
    _float,
    {
        **_SHARED,
        "^": _of_floats("^", math.pow),
        **{name: _of_floats(name, getattr(math, name)) for name in ("exp", "log", "sqrt")},
    },
    _checked_float,
)
# `exp`, `log`, `sqrt` and powers have a value where it is rational: exp(0), log(1), 4^(1/2).
FRACTIONS = Domain(
    _fraction,
    {
        **_SHARED,
        **{"^": _exact_power, "exp": _exact_exp, "log": _exact_log, "sqrt": _exact_sqrt},
    },
    _checked_fraction,
)
