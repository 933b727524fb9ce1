"""Choose the position that a search starts from, and make the trees of studies from positions."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from importlib.util import find_spec
from random import Random
from statistics import fmean, stdev
from typing import Any, NamedTuple, NoReturn

from expectitree.base.algorithms import Algorithm
from expectitree.base.errors import USER_ERRORS, GameError
from expectitree.base.names import did_you_mean
from expectitree.base.numbers import quote
from expectitree.base.tree.columns import CHANCE, TERMINAL
from expectitree.base.tree.model import Tree
from expectitree.games.finding import FILE, find_estimate, find_game
from expectitree.games.growth import MAX_TURNS
from expectitree.games.protocol import Game
from expectitree.games.rules import Options, Rules
from expectitree.games.searching import Budget, search_rules, write_out
from expectitree.searches.prepare import prepare
from expectitree.searches.result import Search

ATTEMPTS = 1000  # at a random position in which the game goes on
SHOWN = 20  # moves that an error names
PROBES = 400  # random paths that estimate the size of a tree
_SHARED_PLIES = 2  # children of the first plies are kept, because most paths pass them


def position(
    game: Game,
    *,
    start: str | None = None,
    play: str = "",
    random_moves: int = 0,
    seed: int = 0,
) -> Any:
    """Return the state of a game after the given moves, and then after random moves.

        >>> from expectitree.games.finding import find_game
        >>> game = find_game("game:pig")
        >>> position(game, play="roll,6,hold").scores
        (6, 0)

    `start` is in the game's own notation, which its method `parse` reads; `play` has labels,
    separated by commas. Of the random moves, outcomes have their probabilities, and the moves of
    players are equally likely; a seed gives the same ones on every machine.

    Raises `GameError` if a move does not exist, the game is over, or it has no notation.
    """
    rules = Rules(game, Options(exact=False))
    state = rules.start if start is None else _parse(rules, start)
    state = _play(rules, state, play)
    return _play_randomly(rules, state, random_moves, seed) if random_moves else state


def _parse(rules: Rules, text: str) -> Any:
    parse = getattr(rules.game, "parse", None)
    if parse is None:
        raise GameError(
            f"{rules.title} has no notation for positions (a method parse): choose a position by "
            "moves (--play)"
        )
    try:
        return parse(text)
    except USER_ERRORS as error:
        notation = (parse.__doc__ or "").strip().partition("\n")[0]
        raise GameError(
            f"{rules.title} cannot read the position {quote(text)}: {error}"
            + (f" (the notation: {notation})" if notation else "")
        ) from error


class _Step:
    """The moves in a state, to play one of them by its name."""

    def __init__(self, rules: Rules, state: Any, before: Sequence[str]) -> None:
        self.rules, self.before = rules, before
        self.kind = rules.kind(state)
        self.moves: Sequence[Any] = ()
        if self.kind != TERMINAL:
            self.moves, _ = rules.moves(state, self.kind)
        labels = rules.labels(state, self.moves)
        self.names = [label or f"#{place}" for place, label in enumerate(labels, start=1)]

    def fail(self, found: str) -> NoReturn:
        """Raise an error that names the moves that exist."""
        where = f"after {', '.join(self.before)}" if self.before else "at the start"
        if self.kind == TERMINAL:
            raise GameError(f"{self.rules.title}: the game is over {where}: remove {quote(found)}")
        noun = "outcome" if self.kind == CHANCE else "move"
        more = ", …" if len(self.names) > SHOWN else ""
        raise GameError(
            f"{self.rules.title}: {where} there is no {noun} {quote(found)}"
            f"{did_you_mean(found, self.names)}: the {noun}s are "
            f"{', '.join(self.names[:SHOWN])}{more}"
        )


def _play(rules: Rules, state: Any, text: str) -> Any:
    """Return the state after moves separated by commas; labels may contain commas, too."""
    before: list[str] = []
    while text := text.strip():
        step = _Step(rules, state, before)
        ends = {name: re.match(rf"{re.escape(name)}\s*(,|$)", text) for name in step.names}
        fitting = {name: match.end() for name, match in ends.items() if match}
        if not fitting:
            step.fail(text.partition(",")[0].strip())
        name = max(fitting)  # the longest, since the text begins with each
        state = rules.play(state, step.moves[step.names.index(name)])
        before.append(name)
        text = text[fitting[name] :]
    return state


def _play_randomly(rules: Rules, start: Any, count: int, seed: int) -> Any:
    random = Random(seed)
    for _ in range(ATTEMPTS):
        state = start
        for _ in range(count):
            if (kind := rules.kind(state)) == TERMINAL:
                break
            state = rules.play(state, _draw(random, *rules.moves(state, kind)))
        if rules.kind(state) != TERMINAL:
            return state
    raise GameError(
        f"{rules.title}: {count} random moves ended the game in each of {ATTEMPTS} attempts: "
        "choose fewer moves"
    )


def _draw(random: Random, moves: Sequence[Any], probabilities: Sequence[Any] | None) -> Any:
    """Return a random move, by `random.random` alone, which no version of Python changes."""
    if probabilities is None:
        return moves[int(random.random() * len(moves))]
    point = random.random()
    for move, probability in zip(moves, probabilities, strict=True):
        point -= probability
        if point < 0:
            return move
    return next(m for m, p in zip(moves[::-1], probabilities[::-1], strict=True) if p)


# ---- The trees of a study that are positions of a game.


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
        tree = write_out(self.game, depth=self.depth, state=self.state, estimate=self.estimate)
        return prepare(tree, order=order)

    def search(self, algorithm: Algorithm, deepen: bool) -> Search:
        """Search the tree in floats, without writing it out."""
        rules = Rules(self.game, Options(exact=False, estimate=self.estimate))
        return search_rules(rules, algorithm, self.state, self.depth, deepen, Budget())

    def size(self, seed: int) -> Size:
        """Estimate how large the tree is without merging."""
        return estimate_size(Rules(self.game, Options(exact=False)), self.state, self.depth, seed)


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
