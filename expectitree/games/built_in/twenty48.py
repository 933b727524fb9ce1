"""2048, a puzzle of sliding tiles (Gabriele Cirulli, 2014)."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from expectitree.games.protocol import Move, Turn

if TYPE_CHECKING:
    from numpy import ndarray

Numbers: TypeAlias = tuple[int, ...]
# The squares of each line, in the order in which the tiles of the line arrive.
LINES = {
    "up": [range(column, 16, 4) for column in range(4)],
    "right": [range(4 * row + 3, 4 * row - 1, -1) for row in range(4)],
    "down": [range(12 + column, -1, -4) for column in range(4)],
    "left": [range(4 * row, 4 * row + 4) for row in range(4)],
}


class State(NamedTuple):
    board: Numbers = (0,) * 16  # by rows; 0 is a free square
    points: int = 0
    new: int = 2  # the tiles that appear before the next move


class Twenty48:
    """2048: slide all tiles to one side; two equal tiles that meet become one and pay their sum.

    After each move, a tile appears on a random free square: a 2 with probability 0.9, otherwise a
    4. The utility is the number of points. The game is over when a tile with the number `goal`
    appears, or when no move changes the board.
    """

    def __init__(self, goal: int = 2048) -> None:
        if goal < 8 or goal.bit_count() != 1:
            raise ValueError(f"goal is a power of 2, at least 8; got {goal}")
        self.goal = goal
        self.title = "2048"
        if goal != 2048:
            self.title += f" with the goal {goal}"
        self.start = State()
        # At most 8 tiles reach the goal, by the last move. Each cost moves that paid this much.
        self.utility_bounds = (0, 8 * goal * (goal.bit_length() - 2))

    def turn(self, state: State) -> Turn:
        if max(state.board) >= self.goal:
            return None
        if state.new:
            return "chance"
        return "max" if self.moves(state) else None

    def moves(self, state: State) -> list[Move]:
        """Return pairs of a free square and a tile, or the moves that change the board."""
        if not state.new:
            return [way for way in LINES if _slide(state.board, way)[0] != state.board]
        free = [square for square, tile in enumerate(state.board) if tile == 0]
        tiles = [(2, Fraction(9, 10 * len(free))), (4, Fraction(1, 10 * len(free)))]
        return [((square, tile), p) for square in free for tile, p in tiles]

    def play(self, state: State, move: Move) -> State:
        """Return the state after a move, or with a new tile."""
        if state.new:
            board = (*state.board[: move[0]], move[1], *state.board[move[0] + 1 :])
            return state._replace(board=board, new=state.new - 1)
        board, points = _slide(state.board, move)
        return State(board, state.points + points, new=1)

    def value(self, state: State) -> int:
        """Return the points so far. Before the end, this is an estimate."""
        return state.points

    def bounds(self, state: State) -> tuple[int, int]:
        return state.points, self.utility_bounds[1]

    def pack(self, state: State) -> Numbers | None:
        """Return the exponents of the tiles, 0 for a free square; then the rest of the state."""
        if max(self.goal, *state.board) >= 2**32:
            return None
        return *(max(tile.bit_length() - 1, 0) for tile in state.board), state.points, state.new

    def expand(self, states: ndarray) -> tuple[ndarray, ...]:
        """Do for many packed states at once what the methods above do for one."""
        import numpy as np

        board, points, new = states[:16], states[16], states[17]
        goes_on = board.max(0) < self.goal.bit_length() - 1
        turns, parts = np.where(goes_on & (new > 0), 3, 0), []
        rows, random = np.flatnonzero(goes_on & (new == 0)), np.flatnonzero(turns)
        for way in LINES:
            slid, paid = _slide_all(board[:, rows], way)
            moves = (slid != board[:, rows]).any(0)
            child = np.vstack([slid, points[rows] + paid, np.ones_like(paid)])[:, moves]
            turns[rows[moves]] = 1
            parts.append((rows[moves], child, np.ones(child.shape[1])))
        is_free = board[:, random] == 0
        for square in range(16):
            rows, free = random[is_free[square]], is_free.sum(0)[is_free[square]]
            for tile, tenths in ((1, 9), (2, 1)):
                child = states[:, rows]
                child[square], child[17] = tile, child[17] - 1
                parts.append((rows, child, tenths / (10 * free)))
        parents, children, probabilities = zip(*parts, strict=True)
        return (
            turns,
            np.concatenate(parents),
            np.concatenate(children, axis=1),
            np.concatenate(probabilities),
            points,
            np.stack([points, np.full_like(points, self.utility_bounds[1])]),
        )

    def text(self, state: State) -> str:
        rows = [state.board[begin : begin + 4] for begin in range(0, 16, 4)]
        lines = ["".join(f"{tile or '.':>5}" for tile in row) for row in rows]
        return "\n".join([*lines, f"{state.points} points"])

    def label(self, state: State, move: Move) -> str:
        """Return a move as it is, and a tile as in "2 at b3": second column, third row."""
        if not state.new:
            return str(move)
        return f"{move[1]} at {'abcd'[move[0] % 4]}{move[0] // 4 + 1}"

    def parse(self, text: str) -> State:
        """Read four rows of four tiles, such as "2 0 0 4/0 0 0 0/0 2 0 0/0 0 0 0"; MAX moves."""
        board = tuple(int(t) if t.isdecimal() else -1 for t in text.replace("/", " ").split())
        if len(board) != 16 or not all(t == 0 or (t > 1 and t.bit_count() == 1) for t in board):
            raise ValueError("a board has 16 tiles: 0 or a power of 2")
        return State(board, new=0)


def _slide(board: Numbers, way: str) -> tuple[Numbers, int]:
    slid, points = [0] * 16, 0
    for line in LINES[way]:
        tiles, paid = _slide_line(tuple(board[square] for square in line))
        points += paid
        for square, tile in zip(line, tiles, strict=False):  # without the free squares
            slid[square] = tile
    return tuple(slid), points


@cache
def _slide_line(line: Numbers) -> tuple[Numbers, int]:
    tiles, points, rest = [], 0, [tile for tile in line if tile]
    while rest:
        tile = rest.pop(0)
        if rest and rest[0] == tile:
            tile += rest.pop(0)
            points += tile
        tiles.append(tile)
    return tuple(tiles), points


def _slide_all(boards: ndarray, way: str) -> tuple[ndarray, ndarray]:
    """Return columns of boards of exponents after a slide, and what it pays on each."""
    import numpy as np

    squares = [square for line in LINES[way] for square in line]
    weights, places = 32 ** np.arange(4), boards[squares].reshape(4, 4, -1)
    lines = np.tensordot(weights, places, (0, 1))
    after, paid = np.zeros((2, 32**4), np.int64)  # of the lines that occur
    for line in np.unique(lines).tolist():
        exponents = [line >> shift & 31 for shift in (0, 5, 10, 15)]
        tiles, paid[line] = _slide_line(tuple(e and 1 << e for e in exponents))
        after[line] = sum((tile.bit_length() - 1) * 32**k for k, tile in enumerate(tiles))
    slid = np.empty_like(boards)
    slid[squares] = (after[lines][:, None] // weights[:, None] % 32).reshape(16, -1)
    return slid, paid[lines].sum(0)
