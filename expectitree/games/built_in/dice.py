"""Dice, a small board game made for the study of searches (Veness and Blair, 2007)."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Literal, NamedTuple

from expectitree.games.protocol import Move, Turn

PLAYERS: tuple[Literal["max", "min"], ...] = ("max", "min")
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))  # right, down, and both diagonals


class State(NamedTuple):
    """The squares of each player, as bits of an integer; whose turn it is; the line rolled."""

    stones: tuple[int, int] = (0, 0)  # of MAX and of MIN; bit 0 is the top left square
    player: int = 0  # 0 is MAX, 1 is MIN
    line: int | None = None  # None before the roll


class Dice:
    """Dice: the first player with `k` stones in a row wins, on a board of `n` by `n` squares.

    Before each move, a die with n faces is rolled. MAX puts a stone into the row with that number,
    MIN into the column. A roll of a full line is rolled again. A full board is a draw.
    """

    utility_bounds = (-1, 1)

    def __init__(self, n: int = 5, k: int = 4) -> None:
        if not 2 <= k <= n <= 9:
            raise ValueError(f"k is at least 2 and at most n, n at most 9; got n={n} and k={k}")
        self.n, self.k = n, k
        self.title = f"Dice, {n} by {n}, {k} in a row"
        self.start = State()
        self.lines = (
            [sum(1 << row * n + column for column in range(n)) for row in range(n)],
            [sum(1 << row * n + column for row in range(n)) for column in range(n)],
        )
        self.wins = [  # the bits of all places for k stones in a row
            sum(1 << (row + i * down) * n + column + i * right for i in range(k))
            for down, right in DIRECTIONS
            for row in range(n - (k - 1) * down)
            for column in range(n)
            if 0 <= column + (k - 1) * right < n
        ]

    def turn(self, state: State) -> Turn:
        """Return whose turn it is: chance rolls before each move."""
        if self._winner(state) or sum(state.stones) == (1 << self.n**2) - 1:
            return None
        if state.line is None:
            return "chance"
        return PLAYERS[state.player]

    def moves(self, state: State) -> Iterable[Move]:
        """Return the lines with a free square, or the free squares of the line rolled."""
        taken, lines = sum(state.stones), self.lines[state.player]
        if state.line is None:
            free = [cell for cell, line in enumerate(lines) if line & ~taken]
            return [(cell, Fraction(1, len(free))) for cell in free]
        left = lines[state.line] & ~taken
        return [square for square in range(self.n**2) if left >> square & 1]

    def play(self, state: State, move: int) -> State:
        if state.line is None:
            return state._replace(line=move)
        first, second = state.stones
        if state.player:
            return State((first, second | 1 << move), 0)
        return State((first | 1 << move, second), 1)

    def value(self, state: State) -> Fraction | int:
        """Return who won, or an estimate from the places where k in a row are still possible.

        A place counts four times as much for each stone that is there already.
        """
        if self.turn(state) is None:
            return self._winner(state)
        first, second = state.stones
        ours = sum(4 ** (win & first).bit_count() for win in self.wins if not win & second)
        theirs = sum(4 ** (win & second).bit_count() for win in self.wins if not win & first)
        return Fraction(ours - theirs, ours + theirs + 1)

    def text(self, state: State) -> str:
        """Return the board: x is MAX, o is MIN. The player's line is at the end, once rolled."""
        first, second = state.stones
        signs = [".xo"[(first >> cell & 1) + 2 * (second >> cell & 1)] for cell in range(self.n**2)]
        rows = [" ".join(signs[cell : cell + self.n]) for cell in range(0, self.n**2, self.n)]
        turn = f"{PLAYERS[state.player].upper()}'s turn"
        if state.line is not None:
            turn += f", line {state.line + 1}"
        return "\n".join([*rows, turn])

    def label(self, state: State, move: int) -> str:
        """Return the number rolled, or a square as in "b3": second column, third row."""
        if state.line is None:
            return str(move + 1)
        return f"{'abcdefghi'[move % self.n]}{move // self.n + 1}"

    def _winner(self, state: State) -> int:
        has_won = [any(win & stones == win for win in self.wins) for stones in state.stones]
        return has_won[0] - has_won[1]
