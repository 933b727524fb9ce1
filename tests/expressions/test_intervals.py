"""Intervals contain the value, and are narrow; comparisons are certain or not decided."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest
from expressions.test_evaluation import random_tree

from expectitree.expressions.domains import FRACTIONS, rounded_fractions
from expectitree.expressions.evaluation import evaluate
from expectitree.expressions.intervals import Interval, intervals, point
from expectitree.expressions.parser import ExpressionError, parse
from expectitree.expressions.syntax import Apply, Expression, Name

FINE = rounded_fractions(300)


def at(text: str, digits: int = 60, **values: Any) -> Any:
    values = {name: v if isinstance(v, Interval) else point(v) for name, v in values.items()}
    return evaluate(parse(text, [*values]), intervals(digits), values)


def random_numbers(random: Random) -> dict[str, Fraction]:
    return {
        name: Fraction(random.randint(-20, 20), random.randint(1, 9)) for name in ("x", "y", "zero")
    }


def with_functions(random: Random, tree: Expression) -> Expression:
    """Return a random tree in which some parts are operands of functions."""
    if isinstance(tree, Apply) and tree.operation not in ("<", "<=", ">", ">=", "=", "if", "^"):
        operands = tuple(with_functions(random, part) for part in tree.operands)
        tree = Apply(tree.operation, operands)
        if random.random() < 0.4:
            return Apply(random.choice(["exp", "sqrt", "log"]), (Apply("abs", (tree,)),))
    return tree


@pytest.mark.parametrize("seed", range(300))
def test_the_interval_contains_the_value(seed: int) -> None:
    random = Random(seed)
    values = random_numbers(random)
    tree = with_functions(random, random_tree(random, 4))
    try:
        true = evaluate(tree, FINE, values)
    except ExpressionError:
        return
    for digits in (10, 60):
        try:
            found = evaluate(tree, intervals(digits), {k: point(v) for k, v in values.items()})
        except ExpressionError:  # 0 may lie within the interval of a divisor
            continue
        error = abs(true) / 10**250 + Fraction(1, 10**290)
        assert found.low - error <= true <= found.high + error


@pytest.mark.parametrize("seed", range(200))
def test_the_interval_of_intervals_contains_all_values(seed: int) -> None:
    random = Random(seed)
    tree = random_tree(random, 3)
    lows = random_numbers(random)
    wide = {k: Interval(v, v + Fraction(1, random.choice([3, 50]))) for k, v in lows.items()}
    try:
        found = evaluate(tree, intervals(), wide)
    except ExpressionError:
        return
    for _ in range(20):
        values = {k: v.low + (v.high - v.low) * random.randint(0, 8) / 8 for k, v in wide.items()}
        assert found.low <= evaluate(tree, FRACTIONS, values) <= found.high


@pytest.mark.parametrize(
    ("text", "exact"),
    [("exp(0) + 1/3", Fraction(4, 3)), ("4^0.5", Fraction(2)), ("(-2)^3", Fraction(-8))],
)
def test_an_exact_value_is_a_point(text: str, exact: Fraction) -> None:
    assert at(text) == point(exact)


def test_intervals_are_as_narrow_as_their_digits() -> None:
    for digits in (10, 60, 240):
        found = at("exp(1) + log(2)*sqrt(2)/2^0.3", digits)
        assert 0 < found.high - found.low < Fraction(1, 10 ** (digits - 3))
    chain = at("*".join(["exp(0.01)"] * 30))
    assert chain.high.denominator.bit_length() < 2000
    assert at("0.123^1500*7.1^2000/0.123^1500/7.1^2000").high - 1 < Fraction(1, 10**50)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x^2", (0, 4)),
        ("x^3", (-1, 8)),
        ("abs(x)", (0, 2)),
        ("x*x", (-2, 4)),
        ("sqrt(x + 1)", (0, None)),
        ("min(x, 1)", (-1, 1)),
        ("max(x, 1)", (1, 2)),
        ("if(x < 5, 1, 2)", (1, 1)),
        ("if(x < 0, 1, 2)", (1, 2)),
        ("if(x >= 3, 1, 2)", (2, 2)),
        ("if(x = 3, 1, 2)", (2, 2)),
        ("if(x = 1, 1, 2)", (1, 2)),
        ("if(1 > x, 1, 2)", (1, 2)),
        ("if(x <= 2, 1, 2)", (1, 1)),
        ("-x", (-2, 1)),
    ],
)
def test_operations_on_an_interval(text: str, expected: tuple[int, int | None]) -> None:
    found = at(text, x=Interval(Fraction(-1), Fraction(2)))
    assert found.low == expected[0]
    assert expected[1] is None or found.high == expected[1]


def test_a_square_root_of_what_may_be_zero() -> None:
    found = at("sqrt(exp(1) - exp(1))")
    assert found.low == 0
    assert found.high < Fraction(1, 10**29)


@pytest.mark.parametrize("text", ["1/x", "log(x)", "x^0.5", "x^-1", "1/(exp(1) - exp(1))"])
def test_what_may_have_no_value_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        at(text, x=Interval(Fraction(-1), Fraction(2)))


def test_a_message_shows_a_number_of_the_interval() -> None:
    with pytest.raises(ExpressionError, match=r"'1/x' divides by zero at x = 0.5"):
        evaluate(
            Apply("/", (parse("1", ()), Name("x"))),
            intervals(),
            {"x": Interval(Fraction(-1), Fraction(2))},
        )
