"""EinStein würfelt nicht, a race across a board of 5 by 5 squares (Ingo Althöfer, 2004)."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from expectitree.games.protocol import Move, Turn

if TYPE_CHECKING:
    from numpy import ndarray

Numbers: TypeAlias = tuple[int, ...]
PLAYERS: dict[int, Literal["max", "min", "chance"]] = {1: "max", -1: "min", 0: "chance"}
GOALS = {1: 24, -1: 0}  # the square where a player wins: MAX is 1, MIN is -1
STEPS = {1: {"right": 1, "down": 5, "diagonal": 6}, -1: {"left": -1, "up": -5, "diagonal": -6}}


class State(NamedTuple):
    board: Numbers  # 25 squares by rows: MAX's stones 1 to 6, MIN's -1 to -6, or 0
    player: int = 1
    roll: int = 0  # 0 before the roll


class Einstein:
    """EinStein würfelt nicht: reach the opposite corner, or take all stones of the opponent.

    The die says which of the player's stones 1 to 6 must move. If that stone is gone, the next
    lower or the next higher stone moves. It takes any stone on the square that it moves to.
    """

    title = "EinStein würfelt nicht"
    utility_bounds = (-1, 1)

    def __init__(self) -> None:
        self.start = self.parse("123../45.../6...f/...ed/..cba max")

    def turn(self, state: State) -> Turn:
        if _winner(state.board):
            return None
        return PLAYERS[state.player * bool(state.roll)]

    def moves(self, state: State) -> Iterable[Move]:
        """Return the numbers of the die, or steps such as "3-right"."""
        if not state.roll:
            return [(face, Fraction(1, 6)) for face in range(1, 7)]
        squares, steps = _squares(state.board, state.player), STEPS[state.player].items()
        stones = _movable(squares, state.roll)
        return [f"{s}-{name}" for s in stones for name, step in steps if _is_step(squares[s], step)]

    def play(self, state: State, move: Move) -> State:
        if not state.roll:
            return state._replace(roll=move)
        stone, name = move.split("-")
        square, board = state.board.index(int(stone) * state.player), list(state.board)
        board[square], board[square + STEPS[state.player][name]] = 0, board[square]
        return State(tuple(board), -state.player)

    def value(self, state: State) -> Fraction | int:
        """Return who won, or by how many steps, on average over the rolls, MAX is ahead."""
        return _winner(state.board) or (_distance(state, -1) - _distance(state, 1)) / 4

    def text(self, state: State) -> str:
        """Return the board, with MAX's stones 1 to 6 and MIN's a to f, and the turn."""
        signs = ["fedcba.123456"[stone + 6] for stone in state.board]
        rows = [" ".join(signs[begin : begin + 5]) for begin in range(0, 25, 5)]
        roll = f", roll {state.roll}" * bool(state.roll)
        return "\n".join([*rows, f"{PLAYERS[state.player].upper()}'s turn{roll}"])

    def key(self, state: State) -> Hashable:
        """Return the state with the stones that may move in place of the number rolled."""
        board, player, roll = state
        if not roll:
            return state
        stones = [stone * player for stone in board if stone * player > 0]
        return board, player, _movable(stones, roll)

    def pack(self, state: State) -> Numbers | None:
        """Return the squares of the stones (-1 if gone), the player, and the stones that move."""
        squares = [_squares(state.board, player) for player in GOALS]
        if sum(map(bool, state.board)) > sum(map(len, squares)):
            return None  # a stone is on the board twice
        stones = _movable(squares[state.player < 0], state.roll) * bool(state.roll)
        places = (
            squares_of_side.get(stone, -1) for squares_of_side in squares for stone in range(1, 7)
        )
        return *places, state.player, *(*stones, 0, 0)[:2]

    def expand(self, states: ndarray) -> tuple[ndarray, ...]:
        """Do for many packed states at once what the methods above do for one."""
        import numpy as np

        sides, player, stones = (states[:6], states[6:12]), states[12], states[13:]
        won = [(side == goal).any(0) for side, goal in zip(sides, GOALS.values(), strict=True)]
        gone = [(side < 0).all(0) for side in sides]
        winner = np.where(won[0] | gone[1], 1, np.where(won[1] | gone[0], -1, 0))
        turns = np.where(winner, 0, np.where(stones[0] == 0, 3, np.where(player > 0, 1, 2)))
        parts, random = [], np.flatnonzero(turns == 3)
        for roll in range(1, 7):
            child = states[:, random]
            side = np.where(child[12] > 0, child[:6], child[6:12])
            child[13:] = _movable_all(side, roll)
            parts.append((random, child, 1 / 6))
        for place in (13, 14):
            for step in STEPS[1].values():  # those of MIN are their negatives
                rows = np.flatnonzero((winner == 0) & (states[place] > 0))
                at = states[place, rows] - 1 + 6 * (player[rows] < 0)
                before = states[at, rows]
                after = before + step * player[rows]
                may = _is_step(before, step * player[rows])
                rows, at, after = rows[may], at[may], after[may]
                child = states[:, rows]
                child[:12][child[:12] == after] = -1
                child[at, np.arange(len(rows))] = after
                child[12], child[13:] = -child[12], 0
                parts.append((rows, child, 1.0))
        ahead = _distance_all(sides[1], stones, player < 0, 0)
        ahead -= _distance_all(sides[0], stones, player > 0, 4)
        return (
            turns,
            np.concatenate([rows for rows, _, _ in parts]),
            np.concatenate([child for _, child, _ in parts], axis=1),
            np.repeat([p for _, _, p in parts], [len(rows) for rows, _, _ in parts]),
            np.where(winner, winner, ahead / 24),
        )

    def parse(self, text: str) -> State:
        """Read five rows of five squares, the player, and the number rolled, if any."""
        if not (match := re.fullmatch(r"((?:[a-f.1-6]{5}/?){5}) (max|min)(?: ([1-6]))?", text)):
            raise ValueError('write a position as "123../45.../6...f/...ed/..cba max 5"')
        rows, player, roll = match.groups()
        board = tuple("fedcba.123456".index(stone) - 6 for stone in rows.replace("/", ""))
        return State(board, {"max": 1, "min": -1}[player], int(roll or 0))


def _winner(board: Numbers) -> int:
    for player, goal in GOALS.items():
        if board[goal] * player > 0 or not _squares(board, -player):
            return player
    return 0


def _squares(board: Numbers, player: int) -> dict[int, int]:
    return {stone * player: square for square, stone in enumerate(board) if stone * player > 0}


def _is_step(square: Any, step: Any) -> Any:
    """Return whether a step from a square stays on the board; also for arrays of them."""
    after = square + step
    return (after >= 0) & (after < 25) & (abs(square % 5 - after % 5) <= 1)


def _movable(stones: Collection[int], roll: int) -> Numbers:
    if roll in stones:
        return (roll,)
    lower = max((stone for stone in stones if stone < roll), default=0)
    higher = min((stone for stone in stones if stone > roll), default=0)
    return tuple(stone for stone in (lower, higher) if stone)


def _distance(state: State, player: int) -> Fraction:
    """Return the steps to the goal of the nearest stone that may move, the mean over rolls."""
    squares, goal = _squares(state.board, player), GOALS[player]
    steps = {s: max(abs(q // 5 - goal // 5), abs(q % 5 - goal % 5)) for s, q in squares.items()}
    rolls = [*range(1, 7)]
    if state.roll and state.player == player:
        rolls = [state.roll]
    return Fraction(sum(min(steps[s] for s in _movable(steps, roll)) for roll in rolls), len(rolls))


def _movable_all(squares: ndarray, roll: int) -> ndarray:
    """Return the one or two stones that a roll moves, for columns of the squares of 1 to 6."""
    import numpy as np

    sets = [[stone for stone in range(1, 7) if bits >> stone & 1] for bits in range(0, 128, 2)]
    moved = np.array([(*_movable(present, roll), 0, 0)[:2] for present in sets])
    stones: ndarray = moved[(1 << np.arange(6)) @ (squares >= 0)].T
    return stones


def _distance_all(squares: ndarray, stones: ndarray, is_turn: ndarray, corner: int) -> ndarray:
    """Return six times what `_distance` returns."""
    import numpy as np

    steps = np.maximum(np.abs(squares // 5 - corner), np.abs(squares % 5 - corner))

    def nearest(stones: ndarray) -> ndarray:
        near, far = np.take_along_axis(steps, np.maximum(stones - 1, 0), 0)
        nearer: ndarray = np.where(stones[1], np.minimum(near, far), near)
        return nearer

    over_rolls = sum(nearest(_movable_all(squares, roll)) for roll in range(1, 7))
    return np.where(is_turn & (stones[0] > 0), 6 * nearest(stones), over_rolls)
