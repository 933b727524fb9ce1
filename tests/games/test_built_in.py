"""The built-in games compared with OpenSpiel and with published numbers."""

from __future__ import annotations

from typing import Any

from expectitree.games.built_in.pig import Pig


def levels(game: Any, depth: int) -> list[int]:
    """Return how many nodes the tree has at each depth, without merging."""
    counts, states = [], [game.start]
    for _ in range(depth + 1):
        counts.append(len(states))
        below = []
        for state in states:
            turn = game.turn(state)
            if turn is not None:
                moves = game.moves(state)
                below += [game.play(state, m[0] if turn == "chance" else m) for m in moves]
        states = below
    return counts


def test_pig_has_as_many_nodes_as_in_openspiel() -> None:
    assert levels(Pig(target=4, die=2), 10) == [1, 2, 4, 8, 16, 31, 59, 113, 214, 404, 759]
