"""The best action as two parameters move: exact along each row of a grid."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from expectitree.budget import limited_work
from expectitree.decide.algebra.rationals import MOST_SECONDS
from expectitree.decide.sensitivity.functions import NodeFunctions
from expectitree.decide.sensitivity.pieces import Piece, pieces_of
from expectitree.decide.sensitivity.quotients import INEXACT, exact_tree, why_not_exact
from expectitree.decide.sensitivity.ranges import Range
from expectitree.decide.sensitivity.report import decision_of
from expectitree.decide.sensitivity.sampling import places_of
from expectitree.display import Shown
from expectitree.errors import AnalysisError, NumberError
from expectitree.tree.model import Tree

GRID = 41  # rows of the map


@dataclass(frozen=True)
class Row:
    """One value of the parameter that moves down the map.

    Attributes:
        at: The value.
        pieces: The parts of the other parameter's range, as in a one-way analysis. There is none
            where a probability leaves [0, 1] or a formula divides by zero.
    """

    at: Fraction
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class TwoWay(Shown):
    """The regions of the best actions as two parameters move; `sensitivity` makes it.

    Attributes:
        file: The name of the tree in outputs.
        tree: The tree.
        across: The parameter that varies along each row; the thresholds are exact in it.
        down: The parameter with one value for each row.
        rows: From the least value of `down` to the greatest.
    """

    question = "sensitivity"
    has_plot = True

    file: str
    tree: Tree
    across: Range
    down: Range
    rows: tuple[Row, ...]

    def best_at(self, row: Row, at: Fraction) -> tuple[str, ...] | None:
        """Return the best actions at a place of a row; None where a probability is not one."""
        for piece in row.pieces:
            if piece.start <= at <= piece.end:
                return piece.best
        return None

    def to_records(self) -> list[dict[str, Any]]:
        """Return a flat dict for each piece of each row: the rows of a table.

        Each has `file`, the value of the parameter that moves down, by its name, `start` and `end`
        of the other one, `best` (the first best action) and `ties` (how many actions are best).
        """
        return [
            {
                "file": self.file,
                self.down.name: row.at,
                "start": piece.start,
                "end": piece.end,
                "best": piece.best[0] if piece.best else None,
                "ties": len(piece.best),
            }
            for row in self.rows
            for piece in row.pieces
        ]


def two_way(tree: Tree, across: Range, down: Range, grid: int = GRID, file: str = "") -> TwoWay:
    """Return the regions of the best actions over a rectangle.

    Raises `AnalysisError` if a formula is not a rational function, or a row is too much work.
    """
    if across.name == down.name:
        raise AnalysisError(f"a map needs two parameters, found {across.name} twice")
    try:
        exact = exact_tree(tree)
        with limited_work(MOST_SECONDS):
            rows = tuple(_row(exact, across, down.name, at) for at in places_of(down, grid - 1))
    except INEXACT as error:
        raise AnalysisError(
            f"a map needs exact functions, but {why_not_exact(error)}: move one parameter at a "
            "time, which then samples"
        ) from None
    return TwoWay(file, tree, across, down, rows)


def _row(tree: Tree, across: Range, other: str, at: Fraction) -> Row:
    pieces: list[Piece] = []
    try:
        functions = NodeFunctions(tree, across.name, across.low, across.high, {other: at})
    except NumberError:  # a formula divides by zero in this row
        return Row(at, ())
    for left, right in functions.feasible:
        decision, _ = decision_of(functions.over(left, right), is_verified=False)
        pieces += pieces_of(decision)
    return Row(at, tuple(pieces))
