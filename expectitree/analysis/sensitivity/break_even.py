"""Where the value reaches a number, or where two actions tie."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from expectitree.algebra.piecewise import Piecewise, where_equal
from expectitree.algebra.polynomials import limited_work
from expectitree.algebra.rationals import constant
from expectitree.algebra.thresholds import enclose
from expectitree.analysis.sensitivity.functions import NodeFunctions, NotRationalError
from expectitree.analysis.sensitivity.ranges import Range
from expectitree.analysis.sensitivity.report import MOST_WORK, check_feasible
from expectitree.display import Shown
from expectitree.errors import AnalysisError
from expectitree.numbers import Number, to_exact
from expectitree.tree.columns import NONE
from expectitree.tree.model import Tree
from expectitree.tree.transform import in_fractions


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
    """Where a value reaches a number or two values are equal, as one parameter moves.

    Attributes:
        file: The name of the tree in outputs.
        tree: The tree.
        range: The parameter and its range.
        left: What is compared: a path, or "value".
        right: A path, or a number.
        meetings: Where they are equal, from the least value of the parameter.
    """

    file: str
    tree: Tree
    range: Range
    left: str
    right: str
    meetings: tuple[Meeting, ...]


def break_even(
    tree: Tree, range: Range, left: str, right: str | Number, file: str = ""
) -> BreakEven:
    """Return where two values are equal as a parameter moves.

    Args:
        tree: The tree.
        range: The parameter and its range.
        left: "value" (of the tree), or the path of a branch.
        right: A number, or the path of a branch.
        file: The name of the tree in outputs.

    Raises:
        AnalysisError: A formula is not a quotient of polynomials, or a probability leaves [0, 1].
        TreeError: A path leads nowhere.
    """
    exact = tree if tree.exact else in_fractions(tree)
    try:
        with limited_work(MOST_WORK):
            functions = NodeFunctions(exact, range.name, range.low, range.high)
            check_feasible(functions, range)
            first, second = (_function(functions, side) for side in (left, right))
            found = []
            for start, end in where_equal(first, second):
                low, high = enclose(start, ())[0], enclose(end, ())[1]
                found.append(Meeting(low, high, first((low + high) / 2), start is not end))
    except NotRationalError as error:
        raise AnalysisError(
            f"a break-even point needs formulas of + - * / and whole powers, and {error} is none "
            "of them: use --parameter alone, which samples"
        ) from None
    return BreakEven(file, tree, range, left, str(right), tuple(found))


def _function(functions: NodeFunctions, side: str | Number) -> Piecewise:
    if not isinstance(side, str):
        return Piecewise((constant(to_exact(side)),), (), functions.left, functions.right)
    if side == "value":
        return functions.of_branch(NONE)
    return functions.of_branch(functions.tree.find_branch(side))
