"""Rounded fractions, against `decimal` with many more digits."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from random import Random

import pytest
from helpers import cases

from expectitree.base.expressions.evaluation import (
    DIGITS,
    FRACTIONS,
    UndefinedError,
    evaluate,
    rounded_fractions,
)
from expectitree.base.expressions.parser import ExpressionError, parse
from expectitree.base.rounding import BITS, UNIT, Rounded

ROUNDED = rounded_fractions()
FUNCTIONS = ["exp", "log", "sqrt", "^"]


def in_decimals(operation: str, operands: list[Fraction], digits: int = 700) -> Fraction:
    """Return the result by `decimal` with so many digits that their error does not matter."""
    with localcontext() as context:
        context.prec, context.Emax, context.Emin = digits, 10**9, -(10**9)
        numbers = [Decimal(one.numerator) / Decimal(one.denominator) for one in operands]
        if operation == "^":
            base, exponent = numbers
            found = (base.ln() * exponent).exp()
        else:
            found = getattr(numbers[0], {"log": "ln"}.get(operation, operation))()
    return Fraction(found)


def random_operand(random: Random, operation: str) -> Fraction:
    """Return a number of any size; for a logarithm, often one next to 1."""
    size = Fraction(10) ** random.choice([0, 0, -1, 1, -5, 3, -40, -300])
    value = Fraction(random.randint(1, 10**9), random.randint(1, 10**9)) * size
    if operation == "exp":
        return random.choice([-1, 1]) * value
    return 1 + random.choice([-1, 1]) * min(value, Fraction(1, 2)) if value < 1 else value


@pytest.mark.parametrize("operation", FUNCTIONS)
@pytest.mark.parametrize("digits", [5, 60, 240])
def test_the_relative_error_is_below_the_bound(operation: str, digits: int) -> None:
    random, domain = Random(f"{operation} {digits}"), rounded_fractions(digits)
    for _ in range(25):
        operands = [random_operand(random, operation)]
        if operation == "^":
            operands = [random_operand(random, "log"), random_operand(random, "exp") % 50]
        if operation == "exp":
            operands = [operands[0] % 20_000 - 10_000]
        found = domain.operations[operation](*operands)
        true = in_decimals(operation, operands)
        assert abs(found - true) < abs(true) / 10 ** (digits - 1), operands


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("sqrt(9/4)", Fraction(3, 2)),
        ("exp(0)", Fraction(1)),
        ("log(1)", Fraction(0)),
        ("4^(1/2)", Fraction(2)),
        ("(-2/3)^-3", Fraction(-27, 8)),
        ("0^(1/3)", Fraction(0)),
        ("1/3 + 1/7", Fraction(10, 21)),
    ],
)
def test_a_rational_result_is_exact(text: str, exact: Fraction) -> None:
    noted: list[bool] = []
    domain = rounded_fractions(note=lambda: noted.append(True))
    assert evaluate(parse(text, ()), domain, {}) == exact
    assert not noted


def test_each_rounded_result_is_noted() -> None:
    noted: list[bool] = []
    domain = rounded_fractions(note=lambda: noted.append(True))
    evaluate(parse("exp(1) + sqrt(2) + sqrt(4)", ()), domain, {})
    assert len(noted) == 2


def test_a_rounded_result_has_60_digits() -> None:
    e = evaluate(parse("exp(1)", ()), ROUNDED, {})
    with localcontext() as context:
        context.prec = DIGITS
        assert e == Fraction(Decimal(1).exp())


def test_a_result_too_long_for_fractions_is_rounded() -> None:
    long = "0.123456789^2000"
    with pytest.raises(ExpressionError, match="more than 10,000 bits"):
        evaluate(parse(long, ()), FRACTIONS, {})
    found, true = evaluate(parse(long, ()), ROUNDED, {}), Fraction("0.123456789") ** 2000
    assert abs(found - true) < true / 10**59
    negative = evaluate(parse("(-0.123456789)^2001", ()), ROUNDED, {})
    assert abs(negative + true * Fraction("0.123456789")) < true / 10**59
    factor = Fraction(3**4000, 2**6000)
    product = ROUNDED.checked(factor * factor)
    assert product != factor * factor
    assert abs(product - factor * factor) < factor * factor / 10**59


@pytest.mark.parametrize(
    ("text", "reason"),
    cases("formulas", "rounded"),
)
def test_what_has_no_value_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ExpressionError, match=reason):
        evaluate(parse(text, ()), ROUNDED, {})


def test_operations_with_a_value_at_the_limit() -> None:
    assert evaluate(parse("exp(-69000)", ()), ROUNDED, {}) > 0
    with pytest.raises(UndefinedError):
        ROUNDED.checked(Fraction(1, 10**30_001))


def test_rounding_to_200_bits_keeps_the_order() -> None:
    """Bounds and utilities are rounded alone, and no utility may get outside its bounds."""
    random = Random(5)
    for _ in range(300):
        exact = random_operand(random, "log") * 10 ** random.randint(0, 300)
        step = exact / 2 ** random.randint(BITS - 3, BITS + 3)
        values = sorted(exact + step * Fraction(random.randint(-9, 9), 4) for _ in range(8))
        values += [Fraction(int(value)) for value in values if value > 1]
        values.sort()
        rounded = [Rounded.of(value) for value in values]
        assert rounded == sorted(rounded)
        for value, found in zip(values, rounded, strict=True):
            assert abs(found - value) <= value * Fraction(UNIT)
            assert Rounded.of(-value) == -found
            assert Rounded.of(found) == found
            assert found.numerator.bit_length() <= BITS or found.numerator % 2 == 0
