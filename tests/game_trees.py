"""Trees of games by the protocol alone, without merging."""

from __future__ import annotations

from typing import Any


def children(game: Any, state: Any) -> list[Any]:
    """Return the states after a state."""
    if game.turn(state) == "chance":
        return [game.play(state, outcome) for outcome, _ in game.moves(state)]
    return [] if game.turn(state) is None else [game.play(state, m) for m in game.moves(state)]


def levels(game: Any, depth: int) -> list[int]:
    """Return how many nodes the tree has at each depth, without merging."""
    counts, states = [], [game.start]
    for _ in range(depth + 1):
        counts.append(len(states))
        states = [child for state in states for child in children(game, state)]
    return counts
