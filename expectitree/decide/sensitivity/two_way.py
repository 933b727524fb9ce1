"""The best action as two parameters move: exact along each row of a grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from expectitree.base.display import Shown
from expectitree.base.errors import AnalysisError, NumberError
from expectitree.base.tree.model import Tree, check_tree
from expectitree.decide.sensitivity.decisions import Decision, Piece
from expectitree.decide.sensitivity.functions import NodeFunctions
from expectitree.decide.sensitivity.quotients import exact_only, exact_tree
from expectitree.decide.sensitivity.ranges import Ends, Range, range_of

GRID = 41  # rows of the map


@dataclass(frozen=True)
class Row:
    """One value of the parameter that moves down the map."""

    at: Fraction  # the value
    # The parts of the other parameter's range, as in a one-way analysis. There is none where a
    # probability leaves [0, 1] or a formula divides by zero.
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class TwoWay(Shown):
    """The regions of the best actions as two parameters move; `sensitivity` makes it."""

    question = "sensitivity"
    has_plot = True

    file: str
    tree: Tree
    across: Range  # the parameter that varies along each row; the thresholds are exact in it
    down: Range  # the parameter with one value for each row
    rows: tuple[Row, ...]  # from the least value of `down` to the greatest

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

    def to_records(self) -> list[dict[str, Any]]:
        """Return a flat dict for each piece of each row: the rows of a table.

        Each has `file`, the value of the parameter that moves down, by its name, `start` and `end`
        of the other one, `best` (the first best action) and `ties` (how many actions are best).
        """
        return [
            {"file": self.file, self.down.name: row.at, **piece.record()}
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
    if across == down:
        raise AnalysisError(f"a map needs two parameters, found {across} twice")
    first, second = (range_of(tree, *one) for one in zip((across, down), ranges, strict=True))
    with exact_only("a map", "move one parameter at a time, which then samples"):
        exact = exact_tree(tree)
        rows = tuple(_row(exact, first, down, at) for at in second.places(grid - 1))
    return TwoWay(file, tree, first, second, rows)


def _row(tree: Tree, across: Range, other: str, at: Fraction) -> Row:
    try:
        functions = NodeFunctions(tree, across, {other: at})
    except NumberError:  # a formula divides by zero in this row
        return Row(at, ())
    pieces: list[Piece] = []
    for left, right in functions.feasible:
        pieces += Decision.at_root(functions.over(left, right)).pieces()
    return Row(at, tuple(pieces))
