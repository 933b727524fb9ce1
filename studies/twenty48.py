"""2048 with bounds that are tight enough for searches to cut."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from expectitree.games.built_in.twenty48 import State, Twenty48


class TwoMoves(Twenty48):
    """2048 for searches of at most two moves: depth 3 from a position in which MAX moves.

    The game itself has no useful upper bound, because most points come later.
    """

    def bounds(self, state: State) -> tuple[int, int]:
        """Return the points, and the most that there can be at the end of the search."""
        if state.new:  # one move is left
            most = max(_most_merged((*state.board, tile)) for tile in (2, 4))
        else:
            most = _most_merged(state.board) + sum(state.board) + 4
        return state.points, state.points + most


def _most_merged(tiles: Iterable[int]) -> int:
    """Return the most points of one move: each pair of equal tiles pays its sum."""
    return sum(2 * tile * (count // 2) for tile, count in Counter(tiles).items())
