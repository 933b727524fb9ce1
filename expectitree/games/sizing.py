"""Estimate how large the tree of a game is, without making it."""

from __future__ import annotations

import math
from collections.abc import Hashable
from random import Random
from statistics import fmean, stdev
from typing import Any, NamedTuple

from expectitree.games.growth import MAX_TURNS
from expectitree.games.protocol import Game
from expectitree.games.rules import Options, Rules
from expectitree.tree.columns import TERMINAL

_SHARED_PLIES = 2  # children of the first plies are kept, because most probes pass them


class Size(NamedTuple):
    """Numbers of leaves and nodes, and the standard error of the leaves."""

    leaves: float
    error: float
    nodes: float


def estimate_size(
    game: Game, *, depth: int, state: Any = None, probes: int = 400, seed: int = 0
) -> Size:
    """Estimate the number of leaves and nodes of a game's tree, without making it.

        >>> from expectitree.games.built_in.pig import Pig
        >>> found = estimate_size(Pig(target=20), depth=3)
        >>> round(found.leaves, 1), round(found.error, 1), round(found.nodes, 1)
        (19.7, 0.4, 30.6)

    (The tree has 20 leaves and 31 nodes.)

    A probe follows a random path. The product of the numbers of children along it estimates the
    number of leaves, and the mean of many probes has no bias (D. E. Knuth, "Estimating the
    efficiency of backtrack programs", Mathematics of Computation 29, 1975). The tree is the one
    that a search without memory visits: equal moves and equal outcomes of one node count once, but
    equal states at different nodes count separately. Moves that continue a turn are one ply.

    Args:
        game: The game.
        depth: How many plies deep the tree is.
        state: The root; by default the start of the game.
        probes: The number of random paths.
        seed: The same seed gives the same paths.
    """
    rules = Rules(game, Options(exact=False))
    walker = _Walker(rules, rules.start if state is None else state, depth, Random(seed))
    leaves, nodes = zip(*(walker.probe() for _ in range(probes)), strict=True)
    error = stdev(leaves) / math.sqrt(probes) if probes > 1 else 0.0
    return Size(fmean(leaves), error, fmean(nodes))


class _Walker:
    """Follows random paths from one state."""

    def __init__(self, rules: Rules, start: Any, depth: int, random: Random) -> None:
        self.rules, self.start, self.depth, self.random = rules, start, depth, random
        self._known: dict[tuple[int, ...], list[Any]] = {}  # children by path

    def probe(self) -> tuple[int, int]:
        """Return the estimates of one random path: of the leaves, and of the nodes."""
        state = self.start
        path: tuple[int, ...] = ()
        leaves = nodes = 1
        while len(path) < self.depth and self.rules.kind(state) != TERMINAL:
            children = self._children(state, path)
            leaves *= len(children)
            nodes += leaves
            place = self.random.randrange(len(children))
            state, path = children[place], (*path, place)
        return leaves, nodes

    def _children(self, state: Any, path: tuple[int, ...]) -> list[Any]:
        if len(path) >= _SHARED_PLIES:
            return children_of(self.rules, state)
        if path not in self._known:
            self._known[path] = children_of(self.rules, state)
        return self._known[path]


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
