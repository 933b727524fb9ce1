"""The report of `advise`: the moves in a position, from the best to the worst."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from expectitree.base.display import Shown
from expectitree.base.tree.columns import NONE
from expectitree.base.tree.model import Tree
from expectitree.games.found import Choice, GameSearch


@dataclass(frozen=True)
class Advice(Shown):
    """What each move in a position is worth, by a search with `goal="moves"`."""

    question = "advise"
    is_shown_alone = True

    file: str
    search: GameSearch

    @property
    def tree(self) -> Tree:
        """The position, its moves, and the line of best play."""
        return self.search.top.tree

    @property
    def position(self) -> str:
        """The position as a text."""
        return self.search.rules.text(self.search.state)

    @property
    def choices(self) -> list[Choice]:
        """The moves, from the best to the worst; outcomes in their own order."""
        moves, best, goodness = self.search.moves, self.search.place, self.search.goodness
        places = list(range(len(moves)))
        if best is not None:
            places.sort(key=lambda place: (place == best, goodness(place)), reverse=True)
        return [moves[place] for place in places]

    def json_fields(self) -> dict[str, Any]:
        """Return what JSON shows of the advice."""
        search = self.search
        moves = [{"label": c.label, "lower": c.lower, "upper": c.upper} for c in self.choices]
        return {
            "position": self.position,
            "algorithm": search.algorithm.name,
            "best": None if search.place is None else moves[0]["label"],
            "interval": search.top.interval_of_branch(NONE),
            "moves": moves,
            "line": [{"label": step.label, "p": step.probability} for step in search.line],
            "game": search.grown,
        }
