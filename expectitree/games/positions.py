"""Choose the position that a search starts from, and make the trees of studies from positions."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from random import Random
from typing import Any

from expectitree.base.algorithms import Algorithm
from expectitree.base.errors import USER_ERRORS, GameError
from expectitree.base.names import did_you_mean
from expectitree.base.numbers import quote
from expectitree.base.tree.columns import CHANCE, TERMINAL
from expectitree.base.tree.model import Tree
from expectitree.games.calls import naming_errors
from expectitree.games.finding import FILE, find_estimate, find_game
from expectitree.games.found import GameSearch
from expectitree.games.growth import MAX_TURNS
from expectitree.games.protocol import Game, Move, State
from expectitree.games.rollouts import after_random_moves
from expectitree.games.rules import Options, Rules
from expectitree.games.searching import search, write_out
from expectitree.searches.prepare import prepare

ATTEMPTS = 1000  # at a random position in which the game goes on
SHOWN = 20  # moves that an error names


@naming_errors()
def position(game: Game, *, start: str | None = None, play: str = "") -> State:
    """Return the state of a game after the given moves.

        >>> from expectitree.games.finding import find_game
        >>> game = find_game("game:pig")
        >>> position(game, play="roll,6,hold").scores
        (6, 0)

    `start` is in the game's own notation, which its method `parse` reads; `play` has labels,
    separated by commas.

    Raises `GameError` if a move does not exist, the game is over, or it has no notation.
    """
    rules = Rules(game, Options(exact=False))
    state = rules.start
    if start is not None:
        state = _parse(rules, start)
    return _play(rules, state, play)


def _parse(rules: Rules, text: str) -> State:
    parse = rules.optional.get("parse")
    if parse is None:
        raise GameError(
            f"{rules.title} has no notation for positions (a method parse)\nchoose a position by "
            "moves (--play)"
        )
    try:
        return parse(text)
    except USER_ERRORS as error:
        notation = (parse.__doc__ or "").strip().partition("\n")[0]
        hint = ""
        if notation:
            hint = f" (the notation: {notation})"
        raise GameError(
            f"{rules.title} cannot read the position {quote(text)}: {error}{hint}"
        ) from error


def _play(rules: Rules, state: State, text: str) -> State:
    """Return the state after moves separated by commas; labels may contain commas, too."""
    before: list[str] = []
    while text := text.strip():
        moves = named_moves(rules, state)
        ends = {name: re.match(rf"{re.escape(name)}\s*(,|$)", text) for name in moves}
        fitting = {name: match.end() for name, match in ends.items() if match}
        if not fitting:
            move = text.partition(",")[0].strip()
            where = f"after {', '.join(before)}"
            if not before:
                where = "at the start"
            why = no_move(move, rules.kind(state), [*moves], where)
            raise GameError(f"{rules.title}: {why}")
        name = max(fitting)  # the longest, since the text begins with each
        state = rules.play(state, moves[name])
        before.append(name)
        text = text[fitting[name] :]
    return state


def named_moves(rules: Rules, state: State) -> dict[str, Move]:
    """Return the moves or outcomes in a state by their names; none if the game is over."""
    kind = rules.kind(state)
    if kind == TERMINAL:
        return {}
    moves = rules.moves(state, kind)[0]
    labels = enumerate(rules.labels(state, moves), start=1)
    return {label or f"#{place}": move for (place, label), move in zip(labels, moves, strict=True)}


def no_move(found: str, kind: int, names: Sequence[str], where: str) -> str:
    """Return an error message that names the moves that exist."""
    if kind == TERMINAL:
        return f"the game is over {where}\nremove {quote(found)}"
    noun = "move"
    if kind == CHANCE:
        noun = "outcome"
    return (
        f"{where} there is no {noun} {quote(found)}{did_you_mean(found, names)}: the {noun}s are "
        f"{', '.join(names[:SHOWN])}{', …' * (len(names) > SHOWN)}"
    )


def random_position(game: Game, count: int, seed: int = 0) -> State:
    """Return a state in which a game goes on, after so many random moves from the start.

    Outcomes have their probabilities, and the moves of players are equally likely; a seed gives the
    same moves on every machine. Raises `GameError` if so many moves always end the game.
    """
    rules = Rules(game, Options(exact=False))
    random = Random(seed)
    for _ in range(ATTEMPTS):
        state = after_random_moves(rules, rules.start, random, count)
        if rules.kind(state) != TERMINAL:
            return state
    raise GameError(
        f"{rules.title}: {count} random moves ended the game in each of {ATTEMPTS} attempts\n"
        "choose fewer moves"
    )


# ---- The trees of a study that are positions of a game.


@naming_errors()
def tree_of(tree: Mapping[str, str], seed: int, folder: str) -> Tree:
    """Return the whole tree for a seed, merged; the paths of files are relative to a folder.

    Raises `GameError` if the game or the estimate is not found.
    """
    return prepare(write_out(**_asked(tree, seed, folder)), order=tree.get("order", "given"))


@naming_errors()
def searcher_of(
    tree: Mapping[str, str], seed: int, folder: str
) -> Callable[[Algorithm], GameSearch]:
    """Return a function that searches a position from its rules, as a study asks."""
    asked = _asked(tree, seed, folder) | {"deepen": tree.get("deepen") == "true"}
    return lambda chosen: search(algorithm=chosen, **asked)


def _asked(tree: Mapping[str, str], seed: int, folder: str) -> dict[str, Any]:
    """Return the arguments of `search` and `write_out` for a tree of a study."""
    game = find_game(path_in(folder, tree["game"]))
    asked = {"game": game, "merge": tree.get("merge") != "false"}
    asked["state"] = root(game, int(tree.get("random-moves", "0")), seed)
    if "estimate" in tree:
        asked["estimate"] = path_in(folder, tree["estimate"])
    for name, read in (("depth", int), ("seconds", float)):
        if name in tree:
            asked[name] = read(tree[name])
    return asked


def root(game: Game, moves: int, seed: int) -> State:
    """Return a state after random moves, and more of them until a player's turn begins."""
    rules = Rules(game, Options(exact=False))
    if not moves:
        return rules.start
    for more in range(MAX_TURNS):
        state = random_position(game, moves + more, seed)
        if rules.kind(state) != CHANCE and not rules.is_same_turn(state):
            return state
    raise GameError(
        f"{rules.title}: no player's turn begins within {MAX_TURNS} moves after {moves} random "
        "moves\nchoose other random-moves"
    )


def check_game(reference: str, folder: str) -> None:
    """Raise an error if a game is not found; skip games of OpenSpiel if it is not installed."""
    if not reference.startswith("open_spiel:") or find_spec("pyspiel") is not None:
        find_game(path_in(folder, reference))


def check_estimate(reference: str, folder: str) -> None:
    find_estimate(path_in(folder, reference))


def path_in(folder: str, reference: str) -> str:
    """Return a reference; if it names a file, the path is joined to a folder."""
    if FILE.fullmatch(reference):
        return os.path.join(folder, reference)
    return reference
