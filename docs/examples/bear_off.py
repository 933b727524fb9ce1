"""Bear-off, the end of backgammon, in which both players take their checkers off the board."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any, Literal, NamedTuple

Board = tuple[int, ...]  # the points of the checkers, the highest first
Roll = tuple[int, int]  # the higher die first
DICE = range(6, 0, -1)
ROLLS = [((a, b), Fraction(1 if a == b else 2, 36)) for a in DICE for b in DICE if a >= b]


class State(NamedTuple):
    boards: tuple[Board, Board]  # of MAX and of MIN
    player: int = 0  # 0 is MAX, 1 is MIN
    roll: Roll | None = None  # None before the roll


class BearOff:
    """Bear-off: the first player without checkers wins.

    Each die moves a checker so many points down, or takes it off the board from the point with that
    number. If no checker is as high as the die, it takes off one of the highest. A double counts
    four times. The checkers no longer meet, and a gammon counts as one game.
    """

    utility_bounds = (-1, 1)

    def __init__(self, first: str = "66", second: str = "66") -> None:
        self.start = State((_board(first), _board(second)))
        self.title = f"Bear-off, {first} against {second}"

    def turn(self, state: State) -> Literal["max", "min", "chance"] | None:
        if not all(state.boards):
            return None
        return "chance" if state.roll is None else "min" if state.player else "max"

    def moves(self, state: State) -> list[Any]:
        """Return the rolls, or the player's boards after the roll: those with few pips first."""
        if state.roll is None:
            return ROLLS
        return sorted(_plays(state.boards[state.player], state.roll), key=lambda b: (sum(b), b))

    def play(self, state: State, move: Any) -> State:
        if state.roll is None:
            return state._replace(roll=move)
        first, second = state.boards
        return State((first, move) if state.player else (move, second), 1 - state.player)

    def value(self, state: State) -> Fraction | int:
        """Return who won, or the lead in pips as a share of all pips; the turn counts 4 pips."""
        first, second = map(sum, state.boards)
        if not first or not second:
            return -1 if first else 1
        lead = second - first + (-4 if state.player else 4)
        return max(Fraction(-1), min(Fraction(1), Fraction(lead, first + second)))

    def label(self, state: State, move: Any) -> str:
        """Return a roll as in "6-5", and a move as in "6/1 5/off"."""
        if state.roll is None:
            return f"{move[0]}-{move[1]}"
        return _plays(state.boards[state.player], state.roll)[move]

    def text(self, state: State) -> str:
        first, second = (" ".join(map(str, board)) or "none" for board in state.boards)
        roll = f", roll {state.roll[0]}-{state.roll[1]}" if state.roll else ""
        return f"MAX  {first}\nMIN  {second}\n{('MAX', 'MIN')[state.player]}'s turn{roll}"


def _board(points: str | int) -> Board:
    if not set(str(points)) <= set("123456") or not 0 < len(str(points)) <= 15:
        raise ValueError(f"a board has 1 to 15 checkers on points 1 to 6, as in 6541; got {points}")
    return tuple(sorted(map(int, str(points)), reverse=True))


@cache
def _plays(board: Board, roll: Roll) -> dict[Board, str]:
    """Return the boards after a roll, each with the steps of one way to it."""
    found: dict[Board, str] = {}
    for dice in [roll * 2] if roll[0] == roll[1] else [roll, roll[::-1]]:
        ways = {board: ""}
        for die in dice:
            ways = {b: text + step for old, text in ways.items() for b, step in _steps(old, die)}
        found = {b: text.strip() for b, text in ways.items()} | found
    return found


def _steps(board: Board, die: int) -> Iterator[tuple[Board, str]]:
    """Yield the boards after one die, each with its step; an empty board stays empty."""
    if not board:
        yield board, ""
    for point in {p for p in board if p >= die} or set(board[:1]):
        left, target = list(board), max(point - die, 0)
        left.remove(point)
        after = sorted(left + [target] * (target > 0), reverse=True)
        yield tuple(after), f" {point}/{target or 'off'}"
