"""The trees of a study that are positions of a game: their roots, and their sizes."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Hashable, Mapping
from importlib.util import find_spec
from random import Random
from statistics import fmean, stdev
from typing import Any, NamedTuple

from expectitree.base.algorithms import Algorithm
from expectitree.base.errors import GameError
from expectitree.base.tree.columns import CHANCE, TERMINAL
from expectitree.base.tree.model import Tree
from expectitree.games.finding import FILE, find_estimate, find_game
from expectitree.games.growth import MAX_TURNS
from expectitree.games.positions import position
from expectitree.games.protocol import Game
from expectitree.games.rules import Options, Rules
from expectitree.games.searching import Budget, search_rules, write_out
from expectitree.searches.prepare import prepare
from expectitree.searches.result import Search

PROBES = 400  # random paths that estimate the size of a tree
_SHARED_PLIES = 2  # children of the first plies are kept, because most paths pass them


class Size(NamedTuple):
    """Numbers of leaves and nodes, and the standard error of the leaves."""

    leaves: float
    error: float
    nodes: float


class Position(NamedTuple):
    """The root of a tree, and everything that determines the tree below it."""

    game: Game
    state: Any
    depth: int
    estimate: Callable[[Any], Any] | None

    def write_out(self, order: str) -> Tree:
        """Return the whole tree, merged, with its children in an order."""
        game, state, depth, estimate = self
        return prepare(write_out(game, depth=depth, state=state, estimate=estimate), order=order)

    def search(self, algorithm: Algorithm, deepen: bool) -> Search:
        """Search the tree in floats, without writing it out."""
        game, state, depth, estimate = self
        rules = Rules(game, Options(exact=False, estimate=estimate))
        start = rules.start if state is None else state
        return search_rules(rules, algorithm, start, depth, deepen, Budget())

    def size(self, seed: int) -> Size:
        """Estimate how large the tree is without merging."""
        rules = Rules(self.game, Options(exact=False))
        start = rules.start if self.state is None else self.state
        return estimate_size(rules, start, self.depth, seed)


def position_of(tree: Mapping[str, str], seed: int, folder: str) -> Position:
    """Return the position for a seed; the paths of files are relative to a folder.

    Raises `GameError` if the game or the estimate is not found.
    """
    game = find_game(path_in(folder, tree["game"]))
    estimate = find_estimate(path_in(folder, tree["estimate"])) if "estimate" in tree else None
    state = _root(game, int(tree.get("random-moves", "0")), seed)
    return Position(game, state, int(tree["depth"]), estimate)


def _root(game: Game, moves: int, seed: int) -> Any:
    """Return a state after random moves, and more of them until a player's turn begins."""
    if not moves:
        return position(game)
    rules = Rules(game, Options(exact=False))
    for more in range(MAX_TURNS):
        state = position(game, random_moves=moves + more, seed=seed)
        if rules.kind(state) != CHANCE and not rules.is_same_turn(state):
            return state
    raise GameError(
        f"{rules.title}: no player's turn begins within {MAX_TURNS} moves after {moves} random "
        "moves: choose other random-moves"
    )


def check_game(reference: str, folder: str) -> None:
    """Raise an error if a game is not found; skip games of OpenSpiel if it is not installed."""
    if not reference.startswith("open_spiel:") or find_spec("pyspiel") is not None:
        find_game(path_in(folder, reference))


def check_estimate(reference: str, folder: str) -> None:
    """Raise an error if there is no such function."""
    find_estimate(path_in(folder, reference))


def path_in(folder: str, reference: str) -> str:
    """Return a reference; if it names a file, the path is joined to a folder."""
    return os.path.join(folder, reference) if FILE.fullmatch(reference) else reference


# ---- The size of a tree.


def estimate_size(rules: Rules, start: Any, depth: int, seed: int, probes: int = PROBES) -> Size:
    """Estimate the number of leaves and nodes of a game's tree, without making it.

    A probe follows a random path. The product of the numbers of children along it estimates the
    number of leaves, and the mean of many probes has no bias (D. E. Knuth, "Estimating the
    efficiency of backtrack programs", Mathematics of Computation 29, 1975). The tree is the one
    that a search without memory visits: equal moves and equal outcomes of one node count once, but
    equal states at different nodes count separately. Moves that continue a turn are one ply.
    """
    random = Random(seed)
    known: dict[tuple[int, ...], list[Any]] = {}  # children by path
    leaves, nodes = [1] * probes, [1] * probes
    for probe in range(probes):
        state = start
        path: tuple[int, ...] = ()
        while len(path) < depth and rules.kind(state) != TERMINAL:
            children = known.get(path) or children_of(rules, state)
            if len(path) < _SHARED_PLIES:
                known[path] = children
            leaves[probe] *= len(children)
            nodes[probe] += leaves[probe]
            place = random.randrange(len(children))
            state, path = children[place], (*path, place)
    return Size(fmean(leaves), stdev(leaves) / math.sqrt(probes), fmean(nodes))


def children_of(rules: Rules, state: Any) -> list[Any]:
    """Return the different states one ply after a state."""
    found: dict[Hashable, Any] = {}
    waiting = [state]
    for _ in range(MAX_TURNS + 1):
        reached: dict[Hashable, Any] = {}
        for before in waiting:
            for move in rules.moves(before, rules.kind(before))[0]:
                after = rules.play(before, move)
                reached.setdefault(rules.key(after) if rules.merges else object(), after)
        waiting = []
        for key, after in reached.items():
            if rules.is_same_turn(after) and rules.kind(after) != TERMINAL:
                waiting.append(after)
            else:
                found[key] = after
        if not waiting:
            break
    return list(found.values())
