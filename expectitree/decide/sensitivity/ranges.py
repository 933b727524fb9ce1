"""The parameter that an analysis moves, and the range through which it moves it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from expectitree.base.errors import AnalysisError, NumberError
from expectitree.base.expressions.evaluation import FRACTIONS
from expectitree.base.numbers import (
    Number,
    given_fraction,
    message_text,
    quote,
    to_fraction,
)
from expectitree.base.tree.model import Tree
from expectitree.base.tree.parameters import ParameterValues, with_values

Ends = tuple[Number, Number]


@dataclass(frozen=True, slots=True)
class Range:
    """A parameter, with the values through which it moves."""

    name: str  # the parameter's name
    low: Fraction  # the least value
    high: Fraction  # the greatest value
    current: Fraction  # the value in the file, or the one that was set
    unit: str | None = None  # the unit, such as $
    description: str | None = None  # what the number means

    def json_fields(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return {
            "parameter": self.name,
            "range": (self.low, self.high),
            "current": self.current,
            "unit": self.unit,
            "description": self.description,
        }

    def places(self, steps: int) -> list[Fraction]:
        """Return both ends and the values between them, equally far apart."""
        width = self.high - self.low
        return [self.low + width * i / steps for i in range(steps + 1)]


def range_of(tree: Tree, name: str, ends: Ends | None = None) -> Range:
    """Return the range of a parameter of an exact tree: the given one, or that of the file.

    Raises `AnalysisError` if there is none, and `TreeError` for a name that cannot be moved.
    """
    with_values(tree.parameters, {name: 0})  # refuses unknown and derived parameters
    parameter = tree.parameters[name]
    current = ParameterValues(tree.parameters, FRACTIONS)[name]
    chosen = parameter.range if ends is None else ends
    if chosen is None:
        raise AnalysisError(
            f"the parameter {name} has no range: write --parameter {name}=LOW..HIGH, or give it "
            "`range: [low, high]` in the file"
        )
    if isinstance(chosen, str) or not isinstance(chosen, Sequence) or len(chosen) != 2:
        raise AnalysisError(f"the range of {name} is {chosen!r}: expected (low, high)")
    low, high = (_exact(end, name) for end in chosen)
    if low >= high:
        raise AnalysisError(
            f"the range of {name} is {message_text(low)} to {message_text(high)}: "
            "expected its lower end first, and a greater upper end"
        )
    return Range(name, low, high, current, parameter.unit, parameter.description)


def _exact(end: Number | str, name: str) -> Fraction:
    number = given_fraction(end)
    try:
        return to_fraction(str(end)) if number is None else number
    except NumberError as error:
        raise AnalysisError(f"the range of {name} needs two finite numbers: {error}") from None


def parse_range(text: str) -> tuple[str, tuple[Fraction, Fraction] | None]:
    """Return the name and the ends in a text such as `pr=0..1`, or the name alone."""
    name, equals, ends = text.partition("=")
    name = name.strip()
    if not equals:
        return name, None
    low, dots, high = ends.partition("..")
    expected = f"expected NAME=LOW..HIGH, such as {name or 'pr'}=0..1"
    if not dots or "..." in ends:
        raise AnalysisError(f"found {quote(text)} as a parameter and its range, {expected}")
    try:
        return name, (FRACTIONS.number(low.strip()), FRACTIONS.number(high.strip()))
    except NumberError as error:
        raise AnalysisError(f"found {quote(text)}, {expected}: {error}") from None
