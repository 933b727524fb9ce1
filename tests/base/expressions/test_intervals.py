"""Intervals contain the value, and are narrow; comparisons are certain or not decided."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from random import Random

import pytest
from base.expressions.test_evaluation import random_tree
from helpers import for_each

from expectitree.base.expressions.domains import FRACTIONS, rounded_fractions
from expectitree.base.expressions.evaluation import evaluate
from expectitree.base.expressions.intervals import Interval, intervals
from expectitree.base.expressions.parser import ExpressionError, parse
from expectitree.base.expressions.syntax import Apply, Expression

FINE = rounded_fractions(300)


def at(text: str, digits: int = 60, **values: Interval) -> Interval:
    found = evaluate(parse(text, [*values]), intervals(digits), values)
    assert isinstance(found, Interval)
    return found


def contains(interval: Interval, value: Fraction, error: Fraction = Fraction(0)) -> bool:
    return Fraction(interval.low) - error <= value <= Fraction(interval.high) + error


def random_numbers(random: Random) -> dict[str, Fraction]:
    return {
        name: Fraction(random.randint(-20, 20), random.randint(1, 9)) for name in ("x", "y", "zero")
    }


def with_functions(random: Random, tree: Expression) -> Expression:
    """Return a random tree in which some parts are operands of functions or powers."""
    if isinstance(tree, Apply) and tree.operation not in ("<", "<=", ">", ">=", "=", "if", "^"):
        operands = tuple(with_functions(random, part) for part in tree.operands)
        tree = Apply(tree.operation, operands)
        if random.random() < 0.4:
            positive = Apply("abs", (tree,))
            if random.random() < 0.3:
                return Apply("^", (positive, Apply("min", (*operands, parse("7/3", ())))))
            return Apply(random.choice(["exp", "sqrt", "log"]), (positive,))
    return tree


@for_each("seed", range(150), range(150, 300))
def test_the_interval_contains_the_value(seed: int) -> None:
    random = Random(seed)
    values = random_numbers(random)
    tree = with_functions(random, random_tree(random, 4))
    try:
        true = evaluate(tree, FINE, values)
    except ExpressionError:
        return
    for digits in (5, 20, 60):
        domain = intervals(digits)
        try:
            found = evaluate(tree, domain, {k: domain.number(v) for k, v in values.items()})
        except ExpressionError:  # 0 may lie within the interval of a divisor
            continue
        assert contains(found, true, abs(true) / 10**250 + Fraction(1, 10**290))


@for_each("seed", range(100), range(100, 200))
def test_the_interval_of_intervals_contains_all_values(seed: int) -> None:
    random = Random(seed)
    tree, domain = random_tree(random, 3), intervals(20)
    lows = random_numbers(random)
    highs = {k: v + Fraction(1, random.choice([3, 50])) for k, v in lows.items()}
    wide = {k: Interval(domain.number(lows[k]).low, domain.number(highs[k]).high) for k in lows}
    try:
        found = evaluate(tree, domain, wide)
    except ExpressionError:
        return
    for _ in range(20):
        values = {k: lows[k] + (highs[k] - lows[k]) * random.randint(0, 8) / 8 for k in lows}
        assert contains(found, evaluate(tree, FRACTIONS, values))


def test_intervals_are_as_narrow_as_their_digits() -> None:
    for digits in (10, 60, 240):
        found = at("exp(1) + log(2)*sqrt(2)/2^0.3 - (-1.5)^3", digits)
        assert 0 < found.high - found.low < Decimal(10) ** (3 - digits)
    assert at("2 + 3*4^2") == (50, 50)
    assert at("1/3").high - at("1/3").low == Decimal("1e-60")


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("x^2", 0, 4),
        ("(x - 3)^3", -64, -1),
        ("(x - 3)^-2", Fraction(1, 16), 1),
        ("abs(x)", 0, 2),
        ("abs(x - 2)", 0, 3),
        ("x*(x + 1)", -3, 6),
        ("-x", -2, 1),
        ("1/(x + 2)", Fraction(1, 4), 1),
        ("if(x < 0, 1, 2)", 1, 2),
        ("if(x = 3, 1, 2)", 2, 2),
        ("if(7 = 7, 1, 2)", 1, 1),
        ("if(x <= 2, 1, 2)", 1, 1),
        ("if(x < -1, 1, 2)", 2, 2),
    ],
)
def test_operations_on_an_interval(text: str, low: Fraction, high: Fraction) -> None:
    found = at(text, x=Interval(Decimal(-1), Decimal(2)))
    assert (Fraction(found.low), Fraction(found.high)) == (low, high)


def test_ends_at_zero() -> None:
    half = at("(x + 1)^0.5", x=Interval(Decimal(-1), Decimal(3)))
    assert half.low == 0
    assert 2 < half.high < Decimal("2.000000000001")
    root = at("sqrt(x + 1)", x=Interval(Decimal(-1), Decimal(3)))
    assert (root.low, root.high > 2) == (0, True)
    assert at("0^0.5") == (0, 0)
    # A square root that exists is of no negative number.
    near = at("sqrt(exp(1) - exp(1))")
    assert 0 == near.low < near.high < Decimal("1e-29")
    assert 0 <= at("exp(-1e7)").low < at("exp(-1e7)").high


@pytest.mark.parametrize(
    "text",
    ["1/x", "log(x)", "x^0.5", "x^-1", "1/(exp(1) - exp(1))", "sqrt(x - 3)", "exp(1e9)",
     "0^-0.5", "(exp(1e6) - 1)^9 - 1e400^(4e3)"],
)  # fmt: skip
def test_what_may_have_no_value_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        at(text, x=Interval(Decimal(-1), Decimal(2)))


def test_a_message_shows_a_number_of_the_interval() -> None:
    with pytest.raises(ExpressionError, match=r"^'1/x' divides by zero at x = 0.5$"):
        at("1/x", x=Interval(Decimal(-1), Decimal(2)))
