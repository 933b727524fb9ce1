"""Trees of a study that are positions of a game, reached by random moves from a seed."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, NamedTuple

from expectitree.algorithms import Algorithm
from expectitree.analysis.study.trees import Parameters
from expectitree.games.finding import FILE, find_estimate, find_game, position
from expectitree.games.protocol import Game
from expectitree.games.searching import search, write_out
from expectitree.games.sizing import Size, estimate_size
from expectitree.searches.prepare import prepare
from expectitree.searches.result import Search
from expectitree.tree.model import Tree


class Position(NamedTuple):
    """The root of a tree, and all that decides the tree from there on."""

    game: Game
    state: Any
    depth: int
    estimate: Callable[[Any], Any] | None

    def write_out(self, order: str) -> Tree:
        """Return the whole tree, merged, with its children in an order."""
        game, state, depth, estimate = self
        return prepare(write_out(game, depth=depth, state=state, estimate=estimate), order=order)

    def search(self, algorithm: Algorithm, exact: bool) -> Search:
        """Search the tree without writing it out."""
        game, state, depth, estimate = self
        return search(
            game, depth=depth, algorithm=algorithm, state=state, exact=exact, estimate=estimate
        )

    def size(self, seed: int) -> Size:
        """Return about how large the tree is without merging."""
        return estimate_size(self.game, depth=self.depth, state=self.state, seed=seed)


def position_of(tree: Parameters, seed: int, folder: str) -> Position:
    """Return the position of a seed; the paths of files are relative to a folder.

    Raises `GameError` if the game or the estimate is not found.
    """
    game = find_game(path_in(folder, tree["game"]))
    estimate = find_estimate(path_in(folder, tree["estimate"])) if "estimate" in tree else None
    state = position(game, int(tree.get("random-moves", "0")), seed)
    return Position(game, state, int(tree["depth"]), estimate)


def check_game(reference: str, folder: str) -> None:
    """Raise an error if there is no such game; whether OpenSpiel has it matters only to a run."""
    if not reference.startswith("open_spiel:") or find_spec("pyspiel") is not None:
        find_game(path_in(folder, reference))


def check_estimate(reference: str, folder: str) -> None:
    """Raise an error if there is no such function."""
    find_estimate(path_in(folder, reference))


def path_in(folder: str, reference: str) -> str:
    """Return a reference with the path of its file, if it has one, from a folder."""
    return os.path.join(folder, reference) if FILE.fullmatch(reference) else reference
