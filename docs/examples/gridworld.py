"""Gridworld: a robot that slips looks for the way to a goal (Russell and Norvig, 1995)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal, NamedTuple

DIRECTIONS = {"north": (-1, 0), "east": (0, 1), "south": (1, 0), "west": (0, -1)}
EXITS = {"+": 1, "-": -1}
Cell = tuple[int, int]  # row and column, from the top left


class State(NamedTuple):
    cell: Cell | None  # None after a breakdown
    heading: str = ""  # where the robot starts to move; empty before its decision


class Gridworld:
    """Gridworld: reach the exit + (utility 1) and not the exit - (utility -1).

    The robot chooses a direction. With the probability `noise` it slips to the left or to the right
    of it, equally often. It stays where a wall (#) or the edge is in its way. Before each move it
    breaks down with the probability 1 - `discount`, which ends the game with utility 0. So its
    values are those of a Markov decision process that discounts later rewards by `discount`.
    Each move costs `cost`, which only `solve` knows: 0.04 in the book, with `discount=1`.

    Cells repeat, so a search unrolls the game to its depth. The estimate is 0, so the values at
    depth 2k are those of value iteration after k rounds.
    """

    utility_bounds = (-1, 1)
    endless = 0  # what endless play is worth; it is impossible if `discount` is less than 1

    def __init__(
        self,
        map: str = "...+/.#.-/S...",
        discount: float = 0.9,
        noise: float = 0.2,
        cost: float = 0.0,
    ) -> None:
        signs = {(y, x): c for y, row in enumerate(map.split("/")) for x, c in enumerate(row)}
        if not set(signs.values()) <= set(".#+-S") or [*signs.values()].count("S") != 1:
            raise ValueError(f"a map has rows of .#+- with one S, separated by /; got {map}")
        if not (0 < discount <= 1 and 0 <= noise <= 1):
            raise ValueError(f"probabilities are from 0 to 1; got {discount} and {noise}")
        self.title = f"Gridworld {map}"
        self.signs = signs
        self.start = State(next(cell for cell, sign in signs.items() if sign == "S"))
        goes, slips = Fraction(str(discount)), Fraction(str(noise))
        if cost:  # searches refuse games that pay
            pays = {True: 0, False: -Fraction(str(cost))}
            self.reward = lambda state, move: pays[bool(state.heading)]
        self._outcomes = (goes * (1 - slips), goes * slips / 2, goes * slips / 2, 1 - goes)

    def turn(self, state: State) -> Literal["max", "chance"] | None:
        if state.cell is None or self.signs[state.cell] in EXITS:
            return None
        return "chance" if state.heading else "max"

    def moves(self, state: State) -> list[Any]:
        """Return the four directions, or where the robot really moves."""
        if not state.heading:
            return list(DIRECTIONS)
        ways = list(DIRECTIONS)
        at = ways.index(state.heading)
        moved = ways[at], ways[at - 1], ways[(at + 1) % 4], "breakdown"
        return [(way, p) for way, p in zip(moved, self._outcomes, strict=True) if p]

    def play(self, state: State, move: str) -> State:
        if not state.heading or state.cell is None:
            return state._replace(heading=move)
        if move == "breakdown":
            return State(None)
        cell = state.cell[0] + DIRECTIONS[move][0], state.cell[1] + DIRECTIONS[move][1]
        return State(state.cell if self.signs.get(cell, "#") == "#" else cell)

    def value(self, state: State) -> int:
        return 0 if state.cell is None else EXITS.get(self.signs[state.cell], 0)

    def text(self, state: State) -> str:
        """Return the map with the robot (R) in place of its start."""
        signs = {cell: "." if sign == "S" else sign for cell, sign in self.signs.items()}
        if state.cell is not None:
            signs[state.cell] = "R"
        rows = [
            "".join(s for (y, _), s in signs.items() if y == row)
            for row in range(max(signs)[0] + 1)
        ]
        return "\n".join([*rows, state.heading and f"heading {state.heading}"]).rstrip()
