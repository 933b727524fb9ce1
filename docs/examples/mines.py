"""Minesweeper: open all cells without a mine; the state is what the player believes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any, Literal, NamedTuple

MINE, MAX_WORLDS = -1, 20_000  # -1 is what a cell with a mine shows once it is open


class State(NamedTuple):
    """What the cells show, by rows: None if closed, MINE, or the number of mines around it."""

    shown: tuple[int | None, ...]
    worlds: tuple[int, ...]  # the places of the mines that are possible, as bits; equally likely
    cell: int | None = None  # the cell that opens now


class Mines:
    """Minesweeper: open all cells without a mine. Utility 1 if that succeeds, 0 after a mine.

    All places of the mines are equally likely, the first cell included. An open cell shows how many
    of the up to 8 cells around it have mines. A cell that is certainly safe opens first: it must
    open anyway, and it may show something new.
    """

    utility_bounds = (0, 1)

    def __init__(self, rows: int = 3, columns: int = 3, mines: int = 3) -> None:
        cells = rows * columns
        if min(rows, columns) < 1 or not 0 < mines < cells or comb(cells, mines) > MAX_WORLDS:
            raise ValueError(f"a board has free cells, mines, and up to {MAX_WORLDS:,} worlds")
        self.columns, self.mines = columns, mines
        self.title = f"Minesweeper, {rows} by {columns}, {mines} mine" + "s" * (mines > 1)
        worlds = tuple(sum(1 << c for c in chosen) for chosen in combinations(range(cells), mines))
        self.start = State((None,) * cells, worlds)
        places = [divmod(cell, columns) for cell in range(cells)]
        self._around = [
            sum(1 << at for at, (y, x) in enumerate(places) if max(abs(y - r), abs(x - c)) == 1)
            for r, c in places
        ]

    def turn(self, state: State) -> Literal["max", "chance"] | None:
        if MINE in state.shown or state.shown.count(None) == self.mines:
            return None
        return "max" if state.cell is None else "chance"

    def moves(self, state: State) -> list[Any]:
        """Return what the cell may show; or the closed cells, the safest first."""
        if state.cell is not None:
            shown = Counter(self._shows(state.cell, world) for world in state.worlds)
            return [(n, Fraction(count, len(state.worlds))) for n, count in sorted(shown.items())]
        risks = self._risks(state)
        closed = sorted(risks, key=risks.__getitem__)
        return closed[:1] if not risks[closed[0]] else closed

    def play(self, state: State, move: int) -> State:
        cell = state.cell
        if cell is None:
            return state._replace(cell=move)
        shown = (*state.shown[:cell], move, *state.shown[cell + 1 :])
        return State(shown, tuple(w for w in state.worlds if self._shows(cell, w) == move))

    def value(self, state: State) -> Fraction | int:
        """Return the result, or how likely the safest cell is safe, which is never too low."""
        if self.turn(state) is None:
            return int(MINE not in state.shown)
        risks = self._risks(state)
        risk = min(risks.values()) if state.cell is None else risks[state.cell]
        return 1 - Fraction(risk, len(state.worlds))

    def key(self, state: State) -> Hashable:
        return state.shown, state.cell  # from which the worlds follow

    def label(self, state: State, move: int) -> str:
        """Return a cell as in "b3", second column, third row; or what it shows."""
        if state.cell is not None:
            return "mine" if move == MINE else str(move)
        return f"{chr(97 + move % self.columns)}{move // self.columns + 1}"

    def text(self, state: State) -> str:
        """Return the rows of the board: a dot is closed, ? opens now, * is a mine."""
        signs = ["." if n is None else "*" if n == MINE else str(n) for n in state.shown]
        if state.cell is not None:
            signs[state.cell] = "?"
        starts = range(0, len(signs), self.columns)
        return "\n".join(" ".join(signs[at : at + self.columns]) for at in starts)

    def _shows(self, cell: int, world: int) -> int:
        return MINE if world >> cell & 1 else (world & self._around[cell]).bit_count()

    def _risks(self, state: State) -> dict[int, int]:
        """Return in how many worlds each closed cell has a mine."""
        closed = [cell for cell, n in enumerate(state.shown) if n is None]
        return {cell: sum(world >> cell & 1 for world in state.worlds) for cell in closed}
