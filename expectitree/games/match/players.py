"""The players of a match: engines, searches by name, policies of `solve`, functions, and random."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple, TypeAlias

from expectitree.base.algorithms import NAMES, name_of
from expectitree.base.errors import SearchError
from expectitree.base.names import did_you_mean
from expectitree.games.calls import are_equal, shown
from expectitree.games.found import GameSearch
from expectitree.games.protocol import Game, Move, State
from expectitree.games.rollouts import draw
from expectitree.games.rules import Rules
from expectitree.games.searching import search
from expectitree.games.solve.report import Solution

Asked: TypeAlias = Any  # what a user names as a player
Search: TypeAlias = Callable[..., GameSearch]
RANDOM = "random"
EXPECTED = (
    "an engine, the name of an algorithm, options of search such as {'depth': 3}, what solve "
    "returns, a function of a state, or 'random'"
)


class Player(NamedTuple):
    """Who plays: its name in outputs, and how it chooses a move in a state."""

    name: str
    choose: Callable[[State, Sequence[Move], Random], Move]  # of a state, its moves, random numbers
    is_random: bool = False  # may play another move in an equal game


def player_of(asked: Asked, rules: Rules, depth: int | None, seconds: float | None) -> Player:
    """Return the player that the user asked for.

    Raises `SearchError` if it is none, or a search has neither a depth nor seconds.
    """
    if asked == RANDOM:
        return Player(RANDOM, lambda _, moves, random: draw(random, moves, None), is_random=True)
    if isinstance(asked, Solution):
        return Player(f"policy of {asked.game}", lambda state, *_: _move_of_policy(asked, state))
    limits = {"depth": depth, "seconds": seconds}
    if isinstance(asked, str) and asked in NAMES:
        name = name_of(asked)
        return _searching(name, _search_of(rules.game), {"algorithm": name, **limits})
    if isinstance(asked, Mapping):
        return _searching("search", _search_of(rules.game), asked)
    is_object = not isinstance(asked, type)
    if is_object and hasattr(asked, "search") and hasattr(asked, "move"):  # an engine
        return _searching(type(asked).__name__, asked.search, limits)
    if is_object and callable(asked):
        name = getattr(asked, "__name__", type(asked).__name__)
        return Player(name, lambda state, *_: rules.call(name, asked, state), is_random=True)
    near = ""
    if isinstance(asked, str):
        near = did_you_mean(asked, (*NAMES, RANDOM))
    raise SearchError(f"found {shown(asked, 60)} as a player{near}, expected {EXPECTED}")


def chosen_move(
    player: Player, rules: Rules, state: State, moves: Sequence[Move], random: Random
) -> Move:
    """Return the move of a player; raise `SearchError` if it does not exist."""
    if len(moves) == 1:
        return moves[0]
    move = player.choose(state, moves, random)
    if not any(are_equal(move, other) for other in moves):
        raise SearchError(
            f"{player.name} plays {shown(move, 60)} in {shown(rules.text(state), 60)}, and the "
            f"moves are {shown(moves, 60)}"
        )
    return move


def _searching(name: str, find: Search, options: Mapping[str, Any]) -> Player:
    """Return a player who searches each position with some options."""
    known = {key: value for key, value in options.items() if value is not None}
    if not {"depth", "seconds"} & known.keys():
        raise SearchError(f"{name} needs a depth, in plies, or seconds for each move\nadd one")
    others = [f"{key} {shown(value, 40)}" for key, value in known.items() if value != name]
    return Player(", ".join([name, *others]), lambda state, *_: find(state, **known).move)


def _search_of(game: Game) -> Search:
    """Return a function that searches a state of a game, as an engine's method does."""
    return lambda state, **options: search(game, state=state, **options)


def _move_of_policy(policy: Solution, state: State) -> Move:
    known = policy.at(state)
    return next(move.move for move in known.moves if move.label == known.best)
