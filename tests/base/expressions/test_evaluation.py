"""The values of expressions in floats and in fractions, against Python's own arithmetic."""

from __future__ import annotations

import math
import operator
import time
from contextlib import suppress
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from helpers import LONG, cases

from expectitree.base.errors import NumberError
from expectitree.base.expressions.evaluation import FLOATS, FRACTIONS, Domain, evaluate
from expectitree.base.expressions.parser import ExpressionError, parse
from expectitree.base.expressions.syntax import (
    COMPARISONS,
    NEGATION,
    Apply,
    Expression,
    Name,
    Number,
    text_of,
)

VALUES = {"x": Fraction(1, 3), "y": Fraction(-2), "zero": Fraction(0)}
COMPUTE: dict[str, Any] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "^": lambda base, exponent: base ** int(exponent),
    NEGATION: operator.neg,
    "abs": abs,
    "min": lambda *operands: min(operands),
    "max": lambda *operands: max(operands),
}


def value(text: str, domain: Domain = FRACTIONS, values: Any = VALUES) -> Any:
    return evaluate(parse(text, [*values]), domain, values)


def random_tree(random: Random, depth: int) -> Expression:
    """Return a random syntax tree, among them ones with no value."""
    kind = random.random()
    if depth == 0 or kind < 0.2:
        if random.random() < 0.3:
            return Name(random.choice([*VALUES]))
        return Number(random.choice(["0", "1", "2", "3", "7", "0.5", "1.25", ".1", "5%", "2e1"]))
    if kind < 0.7:
        operation, count = random.choice("+-*/"), 2
    elif kind < 0.78:
        power = Number(random.choice("0123"))
        exponent = power if random.random() < 0.7 else Apply(NEGATION, (power,))
        return Apply("^", (random_tree(random, depth - 1), exponent))
    elif kind < 0.86:
        operation, count = NEGATION, 1
    elif kind < 0.95:
        operation = random.choice(["min", "max", "abs"])
        count = 1 if operation == "abs" else random.randint(1, 3)
    else:
        sides = [random_tree(random, depth - 1) for _ in range(4)]
        test = Apply(random.choice(COMPARISONS), tuple(sides[:2]))
        return Apply("if", (test, *sides[2:]))
    return Apply(operation, tuple(random_tree(random, depth - 1) for _ in range(count)))


def by_definition(tree: Expression) -> Fraction:
    """Return the value of a tree by Python's arithmetic; raise `ZeroDivisionError` for none."""
    if isinstance(tree, Number):
        percent = tree.text.endswith("%")
        return Fraction(tree.text.rstrip("%")) / (100 if percent else 1)
    if isinstance(tree, Name):
        return VALUES[tree.name]
    if tree.operation == "if":
        test, yes, no = tree.operands
        return by_definition(yes if by_definition(test) else no)
    found: Fraction = COMPUTE[tree.operation](*map(by_definition, tree.operands))
    return found


def check_value(tree: Expression) -> bool:
    """Compare the value of a tree with its definition; return whether it has one."""
    text = text_of(tree)
    if len(text) <= 400:
        assert parse(text, VALUES) == tree, text
    try:
        expected = by_definition(tree)
    except ZeroDivisionError:
        with pytest.raises(ExpressionError, match="divides by zero"):
            evaluate(tree, FRACTIONS, VALUES)
        return False
    found = evaluate(tree, FRACTIONS, VALUES)
    assert isinstance(found, Fraction)
    assert found == expected, text
    with suppress(ExpressionError):  # a rounding error makes a divisor 0
        near = evaluate(tree, FLOATS, {name: float(number) for name, number in VALUES.items()})
        assert isinstance(near, float), text
    return True


@pytest.mark.parametrize("count", [3_000, pytest.param(100_000, marks=LONG)], ids=["few", "many"])
def test_values_are_those_of_python_and_survive_being_written(count: int) -> None:
    random = Random(14)
    trees = (random_tree(random, random.randint(0, 5)) for _ in range(count))
    assert sum(map(check_value, trees)) > count / 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-2^2", -4),
        ("2^3^2", 512),
        ("1/3", Fraction(1, 3)),
        ("5%", Fraction(1, 20)),
        ("sqrt(4)", 2),
        ("4^(1/2)", 2),
        ("4^0.5", 2),
        ("(8/27)^(-2/3)", Fraction(9, 4)),
        ("1^0.123", 1),
        ("0^0.5", 0),
        ("0^0", 1),
        ("exp(0)", 1),
        ("exp(x - 1/3)", 1),
        ("log(3*x)", 0),
        ("(1/2)^100", Fraction(1, 2**100)),
        ("(-1)^(10^30)", 1),
        ("(-1)^(10^30 + 1)", -1),
        ("(-1)^-1", -1),
        ("1^(10^300)", 1),
        ("(10^3000)^(1/1000)", 1000),
        ("(2^9000)^(1/4500)", 4),
        ("(7^300)^(1/3)", 7**100),
        ("sqrt(3^6000)", 3**3000),
        ("if(x < 1, 5, 1/zero)", 5),
        ("if(x > 1, 1/zero, 6)", 6),
        ("if(3*x = 1, 7, 8)", 7),
    ],
)
def test_exact_values(text: str, expected: int | Fraction) -> None:
    found = value(text)
    assert isinstance(found, Fraction)
    assert found == expected


def test_floats_are_those_of_the_math_module() -> None:
    floats = {"x": 0.3}
    assert value("exp(x)", FLOATS, floats) == math.exp(0.3)
    assert value("log(x)", FLOATS, floats) == math.log(0.3)
    assert value("sqrt(x) + x^x", FLOATS, floats) == math.sqrt(0.3) + 0.3**0.3
    assert value("1/3 + 30%", FLOATS, floats) == 1 / 3 + 0.3


@pytest.mark.parametrize(("text", "exact", "in_floats"), cases("formulas", "formulas"))
def test_what_has_no_value(text: str, exact: str, in_floats: str) -> None:
    floats = {name: float(number) for name, number in VALUES.items()}
    for message, domain, values in (
        (exact, FRACTIONS, VALUES),
        (exact if in_floats == "same" else in_floats, FLOATS, floats),
    ):
        if message:
            with pytest.raises(ExpressionError) as caught:
                value(text, domain, values)
            assert str(caught.value) == message
            assert caught.value.offset is None


@pytest.mark.parametrize(
    "text",
    [
        "9^9^9^9",
        "(-9)^9^9",
        "(1/9)^9^9",
        "*".join(["9e399"] * 60),
        "+".join([f"1/{k}7" for k in range(100, 160)]),
        "((((((((((9^9)^9)^9)^9)^9)^9)^9)^9)^9)^9)^9",
        "(3^6000 + 1)^(1/1000)",
        "(3^6000 + 1)^(1/6000)",
        "(3^6000 + 1)^(1/100)",
        "(3^6000 + 1)^(1/9)",
        "(3^6000 + 1)^(1/2)",
        "2^(1/10^400)",
        "2^(10^400)",
        "0.1^(10^400)",
        "2^(1 + 1/10^300)",
    ],
)
def test_hostile_numbers_take_milliseconds(text: str) -> None:
    for domain in (FLOATS, FRACTIONS):
        start = time.perf_counter()
        with suppress(NumberError):
            value(text, domain, {})
        assert time.perf_counter() - start < 0.25
