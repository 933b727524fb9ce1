"""Where the value reaches a number, or where two actions tie."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from expectitree.base.display import Shown
from expectitree.base.errors import AnalysisError, NumberError
from expectitree.base.numbers import quote, to_digits, to_fraction
from expectitree.base.tree.columns import NONE
from expectitree.base.tree.model import Tree, check_tree
from expectitree.decide.algebra.polynomials import (
    VALUE_TOLERANCE,
    Root,
    compare,
    enclose,
    place_of,
)
from expectitree.decide.algebra.rationals import Piecewise, constant, merged, where_equal
from expectitree.decide.sensitivity.decisions import Place
from expectitree.decide.sensitivity.functions import NodeFunctions
from expectitree.decide.sensitivity.quotients import exact_only, exact_tree
from expectitree.decide.sensitivity.ranges import Ends, Range, range_of
from expectitree.decide.thresholds import place_fields

VALUE = "value"  # of the tree, in an equation


@dataclass(frozen=True)
class Meeting(Place):
    """A place, or a part of the range, where two values are equal."""

    is_part: bool  # whether they are equal from `lower` to `upper`


@dataclass(frozen=True)
class BreakEven(Shown):
    """The places where a value reaches a number, or two values are equal, as a parameter moves."""

    question = "sensitivity"

    file: str
    tree: Tree
    range: Range  # the parameter and its range
    left: str  # what is compared: a path, or "value"
    right: str  # a path, or a number
    meetings: tuple[Meeting, ...]  # where they are equal, from the least value of the parameter

    def json_fields(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        places = [
            {**place_fields(one, "at"), "value": one.value, "is_part": one.is_part}
            for one in self.meetings
        ]
        sides = {"left": self.left, "right": self.right}
        return {**self.range.json_fields(), **sides, "places": places, "method": "exact"}

    def to_records(self) -> list[dict[str, Any]]:
        """Return a flat dict for each place: the rows of a table."""
        return [
            {"file": self.file, "parameter": self.range.name, "at": one.middle, "value": one.value}
            for one in self.meetings
        ]


def break_even(
    tree: Tree, parameter: str, equation: str, *, range: Ends | None = None, file: str = ""
) -> BreakEven:
    """Return where two values are equal as a parameter moves.

    Args:
        tree: The tree.
        parameter: The name of the parameter that moves.
        equation: `value = 0`, which is about the value of the tree, or two paths: `sell = test`.
        range: The ends of the parameter's range; by default, those in the file.
        file: The name of the tree in outputs.

    Raises:
        AnalysisError: The equation is not one, a formula is not a rational function, or a
            probability leaves [0, 1].
        TreeError: A path leads nowhere.
    """
    check_tree(tree, "sensitivity")
    left, right = _sides_of(equation)
    moved = range_of(tree, parameter, range)
    with exact_only("a break-even point", "use --parameter alone, which then samples"):
        functions = NodeFunctions(exact_tree(tree), moved)
        functions.check_feasible()
        sides = _function(functions, left), _function(functions, right)
        found = tuple(_meeting(sides[0], *ends) for ends in merged(where_equal(*sides)))
    return BreakEven(file, tree, moved, left, str(right), found)


def _sides_of(equation: str) -> tuple[str, str | Fraction]:
    left, _, right = (part.strip() for part in equation.partition("="))
    try:
        if left and right:
            return left, to_fraction(right) if left == VALUE else right
        why = f"found {quote(equation)}"
    except NumberError as error:
        why = str(error)
    raise AnalysisError(
        f"{why} in --until: expected the value of the tree and a number, such as 'value = 0', or "
        "two paths, such as 'sell = test'"
    )


def _meeting(function: Piecewise, start: Root, end: Root) -> Meeting:
    low, high = enclose(start)[0], enclose(end)[1]
    middle = (place_of(start, VALUE_TOLERANCE) + place_of(end, VALUE_TOLERANCE)) / 2
    value = function(middle) if low == high else to_digits(function(middle))
    return Meeting(low, high, value, compare(start, end) < 0)


def _function(functions: NodeFunctions, side: str | Fraction) -> Piecewise:
    if isinstance(side, Fraction):
        return Piecewise((constant(side),), (), functions.left, functions.right)
    if side == VALUE:
        return functions.check_limits("the tree", functions.of_branch(NONE))
    branch = functions.tree.find_branch(side)
    return functions.check_limits(side, functions.of_branch(branch))
