"""Where the value reaches a number, or where two actions tie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from expectitree.base.display import Shown
from expectitree.base.errors import AnalysisError, NumberError
from expectitree.base.numbers import Number, quote, to_digits, to_exact, to_fraction
from expectitree.decide.algebra.piecewise import Piecewise, merged, where_equal
from expectitree.decide.algebra.polynomials import Root, compare
from expectitree.decide.algebra.rationals import constant
from expectitree.decide.algebra.thresholds import VALUE_TOLERANCE, enclose, place_of
from expectitree.decide.sensitivity.functions import NodeFunctions
from expectitree.decide.sensitivity.quotients import exact_only, exact_tree
from expectitree.decide.sensitivity.ranges import Range
from expectitree.decide.sensitivity.report import check_feasible
from expectitree.decide.thresholds import place_fields
from expectitree.tree.columns import NONE
from expectitree.tree.model import Tree

VALUE = "value"  # of the tree, in an equation


@dataclass(frozen=True)
class Meeting:
    """A place, or a part of the range, where two values are equal.

    Attributes:
        lower: The place, or the lower end of an interval that contains it.
        upper: The place, or the upper end.
        value: What both are worth in the middle.
        is_part: Whether the two are equal from `lower` to `upper`.
    """

    lower: Fraction
    upper: Fraction
    value: Fraction
    is_part: bool = False

    @property
    def exact(self) -> Fraction | None:
        """The place, or None if it is not known to be rational."""
        return self.lower if self.lower == self.upper else None


@dataclass(frozen=True)
class BreakEven(Shown):
    """The places where a value reaches a number, or two values are equal, as a parameter moves.

    Attributes:
        file: The name of the tree in outputs.
        tree: The tree.
        range: The parameter and its range.
        left: What is compared: a path, or "value".
        right: A path, or a number.
        meetings: Where they are equal, from the least value of the parameter.
        is_of_two: Whether two branches are compared, not the value with a number.
    """

    question = "sensitivity"

    file: str
    tree: Tree
    range: Range
    left: str
    right: str
    meetings: tuple[Meeting, ...]
    is_of_two: bool

    def json_fields(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        places = [
            {**place_fields(one, "at"), "value": one.value, "is_part": one.is_part}
            for one in self.meetings
        ]
        sides = {"left": self.left, "right": self.right}
        return {**self.range.json_fields(), **sides, "places": places, "method": "exact"}

    def csv_rows(self, _points: int) -> Iterator[Sequence[object]]:
        """Yield a heading, and the middle of each place."""
        yield "parameter", "at", "value"
        for one in self.meetings:
            yield self.range.name, (one.lower + one.upper) / 2, one.value


def break_even(
    tree: Tree, range: Range, left: str, right: str | Number, file: str = ""
) -> BreakEven:
    """Return where two values are equal as a parameter moves.

    Args:
        tree: The tree.
        range: The parameter and its range.
        left: "value" (of the tree), or the path of a branch.
        right: A number, "value", or the path of a branch.
        file: The name of the tree in outputs.

    Raises:
        AnalysisError: A formula is not a rational function, or a probability leaves [0, 1].
        TreeError: A path leads nowhere.
    """
    otherwise = "use --parameter alone, which then samples"
    with exact_only("a break-even point", otherwise):
        functions = NodeFunctions(exact_tree(tree), range.name, range.low, range.high)
        check_feasible(functions, range)
        sides = _function(functions, left), _function(functions, right)
        found = tuple(_meeting(sides[0], *ends) for ends in merged(where_equal(*sides)))
    is_of_two = isinstance(right, str)
    return BreakEven(file, tree, range, left, str(right), found, is_of_two)


def sides_of(text: str) -> tuple[str, str | Number]:
    """Return the two sides of an equation: `value = 0`, or two paths as in `sell = test`."""
    left, _, right = (part.strip() for part in text.partition("="))
    try:
        if left and right:
            return left, to_fraction(right) if left == VALUE else right
        why = f"found {quote(text)}"
    except NumberError as error:
        why = str(error)
    raise AnalysisError(
        f"{why} in --until: expected the value of the tree and a number, such as 'value = 0', or "
        "two paths, such as 'sell = test'"
    )


def _meeting(function: Piecewise, start: Root, end: Root) -> Meeting:
    low, high = enclose(start, ())[0], enclose(end, ())[1]
    middle = (place_of(start, VALUE_TOLERANCE) + place_of(end, VALUE_TOLERANCE)) / 2
    value = function(middle) if low == high else to_digits(function(middle))
    return Meeting(low, high, value, compare(start, end) < 0)


def _function(functions: NodeFunctions, side: str | Number) -> Piecewise:
    if not isinstance(side, str):
        return Piecewise((constant(to_exact(side)),), (), functions.left, functions.right)
    if side == VALUE:
        return functions.check_limits("the tree", functions.of_branch(NONE))
    branch = functions.tree.find_branch(side)
    return functions.check_limits(side, functions.of_branch(branch))
