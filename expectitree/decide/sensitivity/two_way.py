"""The best action as two parameters move: exact along each row of a grid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from expectitree.base.display import Shown
from expectitree.base.errors import AnalysisError, NumberError
from expectitree.decide.algebra.thresholds import Piece
from expectitree.decide.sensitivity.functions import NodeFunctions
from expectitree.decide.sensitivity.quotients import exact_only, exact_tree
from expectitree.decide.sensitivity.ranges import Ends, Range, range_of
from expectitree.decide.sensitivity.report import decision_of
from expectitree.tree.model import Tree, check_tree

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

    def json_fields(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        name = self.across.name
        rows = [
            {"at": row.at, "pieces": [piece.json_fields(name) for piece in row.pieces]}
            for row in self.rows
        ]
        return {"across": self.across, "down": self.down, "rows": rows, "method": "exact"}

    def csv_rows(self, points: int) -> Iterator[Sequence[object]]:
        """Yield a heading, and the best actions at some points of each row."""
        yield self.down.name, self.across.name, "best"
        for row in self.rows:
            for at in self.across.places(points - 1):
                best = self.best_at(row, at)
                yield row.at, at, None if best is None else " = ".join(best)

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


def sensitivity_map(
    tree: Tree,
    across: str,
    down: str,
    *,
    ranges: Sequence[Ends | None] = (None, None),
    grid: int = GRID,
    file: str = "",
) -> TwoWay:
    """Return the regions of the best actions as two parameters move.

        >>> import expectitree as et
        >>> tree = et.loads("parameters: {p: 1/2, prize: 10}\\nmax: {sure: 3, bet: {chance: {win: "
        ...                 "{p: p, utility: prize}, lose: {p: rest, utility: 0}}}}")
        >>> found = et.sensitivity_map(tree, "p", "prize", ranges=[(0, 1), (5, 15)], grid=3)
        >>> [row.pieces[0].end for row in found.rows]
        [Fraction(3, 5), Fraction(3, 10), Fraction(1, 5)]

    Args:
        tree: The tree.
        across: The parameter that varies along each row, where thresholds are exact.
        down: The parameter that has one value in each row.
        ranges: The ends of both; None for those in the file.
        grid: The number of rows.
        file: The name of the tree in outputs.

    Raises:
        AnalysisError: A parameter has no range, or a formula is not a rational function.
        TreeError: There is no such parameter, or it is derived from others.
    """
    check_tree(tree, "sensitivity")
    if grid < 2:
        raise AnalysisError(f"a map needs at least 2 rows, got {grid}")
    first, second = (range_of(tree, *one) for one in zip((across, down), ranges, strict=True))
    return two_way(tree, first, second, grid, file)


def two_way(tree: Tree, across: Range, down: Range, grid: int = GRID, file: str = "") -> TwoWay:
    """Return the regions of the best actions over a rectangle.

    Raises `AnalysisError` if a formula is not a rational function, or a row is too much work.
    """
    if across.name == down.name:
        raise AnalysisError(f"a map needs two parameters, found {across.name} twice")
    with exact_only("a map", "move one parameter at a time, which then samples"):
        exact = exact_tree(tree)
        rows = tuple(_row(exact, across, down.name, at) for at in down.places(grid - 1))
    return TwoWay(file, tree, across, down, rows)


def _row(tree: Tree, across: Range, other: str, at: Fraction) -> Row:
    pieces: list[Piece] = []
    try:
        functions = NodeFunctions(tree, across.name, across.low, across.high, {other: at})
    except NumberError:  # a formula divides by zero in this row
        return Row(at, ())
    for left, right in functions.feasible:
        decision, _ = decision_of(functions.over(left, right), is_verified=False)
        pieces += decision.pieces()
    return Row(at, tuple(pieces))
