"""Trees of games by the protocol alone, without merging."""

from __future__ import annotations

from math import inf
from typing import Any


class Long:
    """A game of some plies, in which MAX and chance alternate, and never have a choice."""

    title, start = "long", 0

    def __init__(self, length: int, bounds: tuple[float, float] | None = None) -> None:
        self.length, self.utility_bounds = length, bounds or (0, length)

    def turn(self, state: int) -> Any:
        return None if state == self.length else ("max", "chance")[state % 2]

    def moves(self, state: int) -> Any:
        return [(0, 1)] if state % 2 else [0]

    def play(self, state: int, move: int) -> int:
        return state + 1

    def value(self, state: int) -> float:
        return float(state)


def moves_at(game: Any, state: Any) -> list[Any]:
    """Return the moves or outcomes in a state; none if the game is over."""
    turn = game.turn(state)
    moves = [] if turn is None else [*game.moves(state)]
    return [move for move, _ in moves] if turn == "chance" else moves


def children(game: Any, state: Any) -> list[Any]:
    """Return the states after a state."""
    return [game.play(state, move) for move in moves_at(game, state)]


def levels(game: Any, depth: int) -> list[int]:
    """Return how many nodes the tree has at each depth, without merging."""
    counts, states = [], [game.start]
    for _ in range(depth + 1):
        counts.append(len(states))
        states = [child for state in states for child in children(game, state)]
    return counts


def value_of(
    game: Any, state: Any, known: dict[Any, Any], plies: float = inf, estimate: Any = None
) -> Any:
    """Return the value of a state, and note those of the states after it.

    Where no plies are left, a state is worth the estimate, or else the game's own.
    """
    key = state, plies
    if key not in known:
        turn = game.turn(state) if plies else None
        after = [] if turn is None else children(game, state)
        below = [value_of(game, child, known, plies - 1, estimate) for child in after]
        if turn == "chance":
            weights = [p for _, p in game.moves(state)]
            known[key] = sum(p * v for p, v in zip(weights, below, strict=True))
        elif turn is None:
            is_own = estimate is None or game.turn(state) is None
            known[key] = game.value(state) if is_own else estimate
        else:
            known[key] = max(below) if turn == "max" else min(below)
    return known[key]
