"""Pig: roll a die as often as you like; a 1 loses the points of the turn."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Literal, NamedTuple

Player = Literal["max", "min"]


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

    def __init__(self, target: int = 100, die: int = 6) -> None:
        if target < 1 or die < 2:
            raise ValueError(f"target is at least 1 and die at least 2, got {target} and {die}")
        self.target, self.die = target, die
        self.title = f"Pig to {target}" + ("" if die == 6 else f" with {die} faces")
        self.start = State()

    def turn(self, state: State) -> Player | Literal["chance"] | None:
        if max(state.scores) >= self.target:
            return None
        return "chance" if state.rolls else state.player

    def moves(self, state: State) -> Iterable[Any]:
        """Return the faces of the die, or what the player can do."""
        if state.rolls:
            return [(face, Fraction(1, self.die)) for face in range(1, self.die + 1)]
        return ["hold"] if self._own(state) + state.points >= self.target else ["roll", "hold"]

    def play(self, state: State, move: Any) -> State:
        if move == "roll":
            return state._replace(rolls=True)
        if move != "hold" and move > 1:
            return state._replace(points=state.points + move, rolls=False)
        other: Player = "min" if state.player == "max" else "max"
        kept = state.points if move == "hold" else 0
        first, second = state.scores
        scores = (first + kept, second) if state.player == "max" else (first, second + kept)
        return State(scores, player=other)

    def value(self, state: State) -> Fraction | int:
        """Return who won, or MAX's lead as a share of the target."""
        first, second = state.scores
        if max(first, second) >= self.target:
            return 1 if first > second else -1
        lead = first - second + (state.points if state.player == "max" else -state.points)
        return max(Fraction(-1), min(Fraction(1), Fraction(lead, self.target)))

    def pack(self, state: State) -> tuple[int, ...]:
        return *state.scores, state.points, int(state.player == "min"), int(state.rolls)

    def expand(self, states: Any) -> tuple[Any, ...]:
        """Do for many packed states at once what the methods above do for one."""
        import numpy as np

        first, second, points, player, rolls = states.T
        is_over = np.maximum(first, second) >= self.target
        gain = np.where(player == 0, points, -points)
        won, lead = np.where(first > second, 1, -1), (first - second + gain) / self.target
        own = np.where(player == 0, first, second)
        may_hold = ~is_over & (rolls == 0)
        stay = np.stack([first, second, np.zeros_like(points), 1 - player, rolls * 0], 1)
        hold = stay + np.stack([np.maximum(gain, 0), np.maximum(-gain, 0), *[0 * gain] * 3], 1)
        parts = [(may_hold & (own + points < self.target), states + [0, 0, 0, 0, 1], 1.0)]
        parts += [(may_hold, hold, 1.0), (~is_over & (rolls == 1), stay, 1 / self.die)]
        for face in range(2, self.die + 1):
            parts.append((parts[2][0], states + [0, 0, face, 0, -1], 1 / self.die))
        return (
            np.where(is_over, 0, np.where(rolls, 3, 1 + player)),
            np.concatenate([np.flatnonzero(rows) for rows, _, _ in parts]),
            np.concatenate([children[rows] for rows, children, _ in parts]),
            np.concatenate([np.full(rows.sum(), p) for rows, _, p in parts]),
            np.where(is_over, won, np.clip(lead, -1, 1)),
        )

    def _own(self, state: State) -> int:
        return state.scores[0 if state.player == "max" else 1]
