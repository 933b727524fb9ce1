"""Formulas and numbers as mathjs reads them, with which SilverDecisions computes."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from typing import Any

from expectitree.expressions.syntax import Apply, Expression, Number, fold
from expectitree.numbers import to_exact

_SHORT = 10**6  # denominators of fractions in place of floats
# Words that mathjs reads as operators or constants.
_WORDS = ("and", "end", "false", "in", "mod", "not", "null", "or", "to", "true", "undefined", "xor")


def simple(number: Any) -> Fraction:
    """Return a number as a fraction: for a float, a short one that equals it, if there is one.

    SilverDecisions computes with fractions whose terms are floats, so short ones are more precise.
    """
    if not isinstance(number, float):
        return Fraction(number)
    short = Fraction(number).limit_denominator(_SHORT)
    return short if float(short) == number else to_exact(number)


def has_if(expression: Expression) -> bool:
    """Return whether an expression has the function `if`, which mathjs lacks."""

    def combine(node: Expression, below: list[bool]) -> bool:
        return any(below) or isinstance(node, Apply) and node.operation == "if"

    return fold(expression, combine)


def without_percent(expression: Expression) -> Expression:
    """Return an expression with a quotient in place of each percentage."""

    def combine(node: Expression, operands: list[Expression]) -> Expression:
        if isinstance(node, Number) and node.text.endswith("%"):
            return Apply("/", (Number(node.text[:-1]), Number("100")))
        return Apply(node.operation, tuple(operands)) if isinstance(node, Apply) else node

    return fold(expression, combine)


def mathjs_names(parameters: Collection[str]) -> dict[str, str]:
    """Return the names of the parameters in mathjs, which reserves a few words."""
    names = {name: name for name in parameters}
    for name in names:
        while names[name] in _WORDS or names[name] != name and names[name] in parameters:
            names[name] += "_"
    return names
