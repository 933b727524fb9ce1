"""EinStein würfelt nicht, a race across a board of 5 by 5 squares (Ingo Althöfer, 2004)."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable
from fractions import Fraction
from typing import Any, Literal, NamedTuple

PLAYERS: dict[int, Literal["max", "min", "chance"]] = {1: "max", -1: "min", 0: "chance"}
GOALS = {1: 24, -1: 0}  # the square where a player wins: MAX is 1, MIN is -1
STEPS = {1: {"right": 1, "down": 5, "diagonal": 6}, -1: {"left": -1, "up": -5, "diagonal": -6}}


class State(NamedTuple):
    board: tuple[int, ...]  # 25 squares by rows: MAX's stones 1 to 6, MIN's -1 to -6, or 0
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

    def turn(self, state: State) -> Literal["max", "min", "chance"] | None:
        if _winner(state.board):
            return None
        return PLAYERS[state.player if state.roll else 0]

    def moves(self, state: State) -> Iterable[Any]:
        """Return the numbers of the die, or steps such as "3-right"."""
        if not state.roll:
            return [(face, Fraction(1, 6)) for face in range(1, 7)]
        squares, steps = _squares(state.board, state.player), STEPS[state.player].items()
        stones = _movable(squares, state.roll)
        return [f"{s}-{name}" for s in stones for name, step in steps if _is_step(squares[s], step)]

    def play(self, state: State, move: Any) -> State:
        if not state.roll:
            return state._replace(roll=move)
        stone, name = move.split("-")
        square, board = state.board.index(int(stone) * state.player), list(state.board)
        board[square], board[square + STEPS[state.player][name]] = 0, board[square]
        return State(tuple(board), -state.player)

    def value(self, state: State) -> Fraction | int:
        """Return who won, or by how many steps, on average over the rolls, MAX is ahead."""
        return _winner(state.board) or (_distance(state, -1) - _distance(state, 1)) / 4

    def key(self, state: State) -> Hashable:
        """Return the state with the stones that may move in place of the number rolled."""
        squares = _squares(state.board, state.player)
        return state.board, state.player, state.roll and _movable(squares, state.roll)

    def parse(self, text: str) -> State:
        """Read five rows of five squares, the player, and the number rolled, if any."""
        if not (found := re.fullmatch(r"((?:[a-f.1-6]{5}/?){5}) (max|min)(?: ([1-6]))?", text)):
            raise ValueError('write a position as "123../45.../6...f/...ed/..cba max 5"')
        rows, player, roll = found.groups()
        board = tuple("fedcba.123456".index(stone) - 6 for stone in rows.replace("/", ""))
        return State(board, 1 if player == "max" else -1, int(roll or 0))


def _winner(board: tuple[int, ...]) -> int:
    for player, goal in GOALS.items():
        if board[goal] * player > 0 or not _squares(board, -player):
            return player
    return 0


def _squares(board: tuple[int, ...], player: int) -> dict[int, int]:
    return {stone * player: at for at, stone in enumerate(board) if stone * player > 0}


def _is_step(square: int, step: int) -> bool:
    return 0 <= square + step < 25 and abs(square % 5 - (square + step) % 5) <= 1


def _movable(stones: Collection[int], roll: int) -> tuple[int, ...]:
    lower = max((stone for stone in stones if stone <= roll), default=0)
    higher = min((stone for stone in stones if stone >= roll), default=0)
    return tuple(dict.fromkeys(stone for stone in (lower, higher) if stone))


def _distance(state: State, player: int) -> Fraction:
    """Return the steps to the goal of the nearest stone that may move, the mean over rolls."""
    squares, goal = _squares(state.board, player), GOALS[player]
    steps = {s: max(abs(q // 5 - goal // 5), abs(q % 5 - goal % 5)) for s, q in squares.items()}
    rolls = [state.roll] if state.roll and state.player == player else range(1, 7)
    return Fraction(sum(min(steps[s] for s in _movable(steps, roll)) for roll in rolls), len(rolls))
