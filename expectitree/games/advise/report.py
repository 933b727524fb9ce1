"""The report of `advise`: the moves in a position, from the best to the worst."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from expectitree.base.display import Shown
from expectitree.base.numbers import Number
from expectitree.base.tree.columns import MIN
from expectitree.base.tree.model import Tree
from expectitree.games.found import Choice, GameSearch
from expectitree.games.protocol import Game
from expectitree.games.searching import MAX_DEPTH, search

SECONDS = 5.0  # by default


@dataclass(frozen=True)
class Advice(Shown):
    """What each move in a position is worth; `advise` makes it.

        >>> import expectitree as et
        >>> advice = et.advise("game:pig(target=10)", depth=5)
        >>> [(choice.label, choice.upper) for choice in advice.choices]
        [('roll', 0.4888888888888889), ('hold', -0.4888888888888889)]

    Attributes:
        file: The name of the game in outputs.
        search: The search of the position, as `search` returns it with `goal="moves"`.
        position: The position as a text.
    """

    question = "advise"
    is_shown_alone = True

    file: str
    search: GameSearch
    position: str

    @property
    def tree(self) -> Tree:
        """The tree that was searched."""
        return self.search.tree

    @property
    def choices(self) -> list[Choice]:
        """The moves of the position, from the best to the worst; outcomes in their own order."""
        found, tree = self.search, self.search.tree
        places = list(range(len(found.moves)))
        if found.place is not None:
            sign: Any = -1 if tree.columns.kind[tree.root_id] == MIN else 1
            ends = [sorted((sign * c.lower, sign * c.upper)) for c in found.choices]
            places.sort(key=lambda place: (ends[place], place == found.place), reverse=True)
            places.remove(found.place)
            places.insert(0, found.place)
        return [found.moves[place] for place in places]

    def json_fields(self) -> dict[str, Any]:
        """Return what JSON shows of the advice."""
        found = self.search
        best = None if found.place is None else found.moves[found.place].label
        return {
            "position": self.position,
            "algorithm": found.algorithm.name,
            "best": best,
            "interval": found.unrounded.interval(),
            "moves": [{"label": c.label, "lower": c.lower, "upper": c.upper} for c in self.choices],
            "line": [{"label": step.label, "p": step.probability} for step in found.line],
            "game": None if found.grown is None else asdict(found.grown),
        }


def advise(
    game: Game | str,
    *,
    depth: int | None = None,
    seconds: float | None = None,
    width: Number = 0,
    file: str = "",
    **options: Any,
) -> Advice:
    """Search a position of a game, and each move in it, with iterative deepening.

        >>> import expectitree as et
        >>> print(et.advise("game:mines(rows=2,columns=2,mines=1)"))

    Args:
        game: As for `search`.
        depth: How many plies deep to search; by default as deep as the time allows.
        seconds: Stop after this time; without `depth`, by default after 5 s.
        width: How wide the interval of a move may be.
        file: The name of the game in outputs.
        options: Others of `search`, such as `state` and `algorithm`.

    Raises:
        GameError: As for `search`.
        SearchError: As for `search`.
    """
    if depth is None:
        depth, seconds = MAX_DEPTH, SECONDS if seconds is None else seconds
    goal: dict[str, Any] = {"goal": "moves", "width": width, "deepen": True}
    found = search(game, depth=depth, seconds=seconds, **goal, **options)
    return Advice(file, found, found.rules.text(found.state))
