"""Pig: roll a die as often as you like; a 1 loses the points of the turn."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, NamedTuple

from expectitree.games.protocol import Move, Turn

if TYPE_CHECKING:
    from numpy import ndarray

Player = Literal["max", "min"]
OTHER: dict[Player, Player] = {"max": "min", "min": "max"}
SIGNS = {"max": 1, "min": -1}


class State(NamedTuple):
    """Both scores, the points of this turn, whose turn it is, and whether the die rolls."""

    scores: tuple[int, int] = (0, 0)  # of MAX and of MIN
    points: int = 0
    player: Player = "max"
    rolls: bool = False


class Pig:
    """Pig: the first player to reach the target wins.

    The player whose turn it is rolls the die or holds. A 1 ends the turn without points. Other
    numbers are added to the points of the turn. The player keeps these points by holding.

    The utility is 1 if MAX wins and -1 if MIN wins: a probability p of winning is worth 2 p - 1.
    """

    utility_bounds = (-1, 1)
    endless = 0  # if both players hold without points forever

    def __init__(self, target: int = 100, die: int = 6) -> None:
        if target < 1 or die < 2:
            raise ValueError(f"target is at least 1 and die at least 2, got {target} and {die}")
        self.target, self.die = target, die
        self.title = f"Pig to {target}"
        if die != 6:
            self.title += f" with {die} faces"
        self.start = State()
        self._faces = [(face, Fraction(1, die)) for face in range(1, die + 1)]

    def turn(self, state: State) -> Turn:
        if max(state.scores) >= self.target:
            return None
        if state.rolls:
            return "chance"
        return state.player

    def moves(self, state: State) -> Iterable[Move]:
        """Return the faces of the die, or what the player can do."""
        if state.rolls:
            return self._faces
        if state.scores[state.player == "min"] + state.points >= self.target:
            return ["hold"]
        return ["roll", "hold"]

    def play(self, state: State, move: Move) -> State:
        if move == "roll":
            return state._replace(rolls=True)
        if move != "hold" and move > 1:
            return state._replace(points=state.points + move, rolls=False)
        first, second = state.scores
        if move == "hold" and state.player == "max":
            first += state.points
        elif move == "hold":
            second += state.points
        return State((first, second), player=OTHER[state.player])

    def value(self, state: State) -> Fraction | int:
        """Return who won, or MAX's lead as a share of the target."""
        first, second = state.scores
        if max(first, second) >= self.target:
            return 2 * (first > second) - 1
        lead = first - second + SIGNS[state.player] * state.points
        return Fraction(max(-self.target, min(self.target, lead)), self.target)

    def text(self, state: State) -> str:
        first, second = state.scores
        turn = f"{state.player.upper()}'s turn, {state.points} points"
        return f"MAX {first}, MIN {second}; {turn}{', the die rolls' * state.rolls}"

    def pack(self, state: State) -> tuple[int, ...]:
        return *state.scores, state.points, int(state.player == "min"), int(state.rolls)

    def expand(self, states: ndarray) -> tuple[ndarray, ...]:
        """Do for many packed states at once what the methods above do for one."""
        import numpy as np

        first, second, points, player, rolls = states
        is_over = np.maximum(first, second) >= self.target
        score, gain = np.where(player, second, first), np.where(player, -points, points)
        hold = np.flatnonzero(~is_over & (rolls == 0))
        roll = hold[(score + points < self.target)[hold]]
        rolled, held, chance = states[:, roll], states[:, hold], np.flatnonzero(~is_over & rolls)
        rolled[4] = 1
        held[:2] += held[2] * (held[3] == [[0], [1]])
        lost = states[:, chance]
        lost[4] = 0
        kept = [lost + np.array([[0], [0], [face], [0], [0]]) for face in range(2, self.die + 1)]
        for passed in (held, lost):
            passed[2], passed[3] = 0, 1 - passed[3]
        return (
            np.where(is_over, 0, np.where(rolls, 3, 1 + player)),
            np.concatenate([roll, hold] + [chance] * self.die),
            np.concatenate([rolled, held, lost, *kept], axis=1),
            np.repeat([1, 1 / self.die], [len(roll) + len(hold), len(chance) * self.die]),
            np.where(
                is_over,
                np.where(first > second, 1, -1),
                np.clip((first - second + gain) / self.target, -1, 1),
            ),
        )
