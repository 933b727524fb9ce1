"""Expressions: what the grammar reads, what it refuses and with which words, and its limits."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from expectitree.base.errors import NumberError
from expectitree.base.expressions.evaluation import FLOATS, evaluate
from expectitree.base.expressions.parser import ExpressionError, parse
from expectitree.base.expressions.syntax import (
    Apply,
    Expression,
    Name,
    Number,
    names_in,
    text_of,
)

NAMES = ("pr", "sens", "spec", "p_plus", "x")


def written_out(tree: Expression) -> str:
    """Return an expression with each operation before its operands, as `(- (- 1 2) 3)`."""
    if isinstance(tree, Apply):
        return f"({' '.join([tree.operation, *map(written_out, tree.operands)])})"
    assert isinstance(tree, Name | Number)
    return tree.name if isinstance(tree, Name) else tree.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", "1"),
        ("  1e-3 ", "1e-3"),
        ("5 %", "5%"),
        (".5", ".5"),
        ("x", "x"),
        ("1 - 2 - 3", "(- (- 1 2) 3)"),
        ("1/2/3", "(/ (/ 1 2) 3)"),
        ("1 + 2*3", "(+ 1 (* 2 3))"),
        ("(1 + 2)*3", "(* (+ 1 2) 3)"),
        ("1^2^3", "(^ 1 (^ 2 3))"),
        ("-1^2", "(negation (^ 1 2))"),
        ("(-1)^2", "(^ (negation 1) 2)"),
        ("1^-2", "(^ 1 (negation 2))"),
        ("1^-2^3", "(^ 1 (negation (^ 2 3)))"),
        ("1*-2", "(* 1 (negation 2))"),
        ("-1*2", "(* (negation 1) 2)"),
        ("1 - -2", "(- 1 (negation 2))"),
        ("+1", "1"),
        ("max(1, 2, x)", "(max 1 2 x)"),
        ("min(1)", "(min 1)"),
        ("if(x <= 1, 2, 3)", "(if (<= x 1) 2 3)"),
        ("if(x == 1, 2, 3)", "(if (= x 1) 2 3)"),
        ("5%^2", "(^ 5% 2)"),
        ("\n x\t", "x"),
    ],
)
def test_the_grammar(text: str, expected: str) -> None:
    tree = parse(text, NAMES)
    assert written_out(tree) == expected
    assert parse(text_of(tree), NAMES) == tree


@pytest.mark.parametrize(
    "text",
    [
        "pr*sens + (1 - pr)*(1 - spec)",
        "1 - (2 - 3) - 4",
        "1/(2*3)*4",
        "1 + (2 + 3)",
        "(1^2)^3^(4 + 5)",
        "-(1 + 2)",
        "-2^2",
        "(-2)^2",
        "2^-x",
        "(-(-1))^2",
        "max(0, min(1, x))",
        "if(x < 1 + 2, -x, 5%)",
        "2e3*.5/1.",
    ],
)
def test_minimal_text_is_written_back_as_it_was(text: str) -> None:
    assert text_of(parse(text, NAMES)) == text


ERRORS = [
    block.split("\n")
    for block in Path(__file__).with_name("errors.txt").read_text("utf-8").strip().split("\n\n")
]


@pytest.mark.parametrize(("text", "caret", "message"), ERRORS, ids=[case[0] for case in ERRORS])
def test_a_message_says_where_and_what_to_do(text: str, caret: str, message: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(text, NAMES)
    assert (str(caught.value), caught.value.offset) == (message, caret.index("^"))
    assert isinstance(caught.value, NumberError)


@pytest.mark.parametrize("text", ["", "  "])
def test_an_empty_text_is_not_an_expression(text: str) -> None:
    message = "^found nothing: write a number, a parameter, a function or '\\('$"
    with pytest.raises(ExpressionError, match=message):
        parse(text, NAMES)


def test_without_parameters_the_message_says_where_to_define_one() -> None:
    with pytest.raises(ExpressionError) as caught:
        parse("x + 1", ())
    assert str(caught.value) == ("unknown parameter 'x': define it under the root's `parameters:`")


@pytest.mark.parametrize(
    "text",
    [
        "(" * 101 + "x" + ")" * 101,
        "abs(" * 101 + "x",
        "2^" * 199 + "2",
        "9^9^9^9",
        "(" * 400,
        "1" * 400 + "x",
        "x" * 1_000_000,
        "max(" + "1," * 190,
        "\ud800",
        "1e" + "9" * 390,
        "(" * 100 + "9^9^9^9" + ")" * 100,
        "*".join(["9^9^9"] * 60),
        "exp(exp(exp(exp(9))))",
        "1e400^400",
        "9" * 350 + "^" + "9" * 40,
    ],
)
def test_hostile_text_is_refused_within_milliseconds(text: str) -> None:
    """The bound is generous for a slow machine, and far below exponential work."""
    start = time.process_time()
    with pytest.raises(NumberError):
        evaluate(parse(text, NAMES), FLOATS, {"x": 1.0})
    assert time.process_time() - start < 0.25


def test_the_limits_themselves_are_read() -> None:
    side_by_side = "^".join(["(x)"] * 100)
    for text in ("(" * 100 + "x" + ")" * 100, "1+" * 199 + "1", "2^" * 100 + "x", side_by_side):
        tree = parse(text, NAMES)
        assert parse(text_of(tree), NAMES) == tree
    assert evaluate(parse("1+" * 199 + "1", ()), FLOATS, {}) == 200


def test_names_are_those_of_shared_parts_too() -> None:
    assert names_in(parse("pr*sens + max(pr, spec^2)", NAMES)) == ("pr", "sens", "spec")
    doubled = parse("x", NAMES)
    for _ in range(5_000):  # a text of 2^5000 characters
        doubled = Apply("+", (doubled, doubled))
    assert names_in(doubled) == ("x",)
