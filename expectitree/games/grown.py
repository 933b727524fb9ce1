"""`Grown`: the part of a game that a search needed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Grown:
    """The part of a game that a search needed; `expectitree.search` returns it as `Search.grown`.

        >>> import expectitree as et
        >>> found = et.search("game:pig(target=10)", depth=5)
        >>> found.grown.rows, found.grown.evaluations, found.grown.merged
        (129, 56, 29)

    With iterative deepening, the counts are sums over all depths that were searched.

    Attributes:
        depth: The depth of the tree, in plies.
        rows: The number of nodes that were made, including those that the search never entered.
        evaluations: How often `value`, or the function in its place, was called.
        merged: How often a move led to a row that was there: a state with as many plies left.
        why_stopped: Why the search stopped early; empty if it did not.
        estimated: How many leaves are estimates, because the depth limit cuts there, also those
            that shallower searches evaluated. If none is, the result is that of the whole game.
        repeats: How many positions were found again below themselves.
    """

    depth: int
    rows: int
    evaluations: int
    merged: int
    why_stopped: str = ""
    estimated: int = 0
    repeats: int = 0
