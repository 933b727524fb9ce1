"""Play random games and check every method of their rules: what `expectitree verify GAME` does."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from itertools import islice
from math import inf
from random import Random
from typing import Any

from expectitree.base.errors import GameError
from expectitree.base.tree.columns import TERMINAL
from expectitree.games.calls import Warn, naming_errors
from expectitree.games.positions import draw
from expectitree.games.protocol import Game
from expectitree.games.rules import Options, Rules

GAMES = 100
MAX_PLIES = 1000  # of a game; others may never end
OF_STATES = ("turn", "moves", "value", "key", "bounds", "same_turn", "pack")  # methods of one state


@naming_errors()
def check_rules(game: Game, seed: int = 0, warn: Warn | None = None) -> int:
    """Play random games, call every method twice, and compare; return the count of positions.

    Positions that are found again by their keys are compared with the first, and `expand` with the
    other methods. Raises `GameError` at the first fault.
    """
    rules, random = Rules(game, Options(exact=False, warn=warn)), Random(seed)
    rules.checked = inf
    known: dict[Any, Any] = {}
    count = 0
    for _ in range(GAMES):
        state = rules.start
        for _ in range(MAX_PLIES):
            count += 1
            if rules.merges:
                key = rules.key(state)
                if known.setdefault(key, state) is not state:
                    rules.check_known(state, partial(known.__getitem__, key))
            if (kind := _check_state(rules, state)) == TERMINAL:
                break
            state = rules.play(state, draw(random, *rules.moves(state, kind)))
    return count


def _check_state(rules: Rules, state: Any) -> int:
    """Check what the methods return for a state; return whose turn it is."""
    kind = rules.kind(state)
    moves: Sequence[Any] = ()
    probabilities = None
    if kind != TERMINAL:
        moves, probabilities = rules.moves(state, kind)
    for name in OF_STATES:
        method = getattr(rules.game, name, None)
        if method is not None and (name != "moves" or moves):
            ask = partial(_answer, rules, name, method, state)
            rules.repeat(name, ask(), ask, state)
    rules.estimate(state, kind, rules.bounds_of(state, rules.bounds))
    rules.repeat("label", rules.labels(state, moves), lambda: rules.labels(state, moves), state)
    if rules.expands and find_spec("numpy"):
        _check_expand(rules, state, kind, moves, probabilities)
    return kind


def _check_expand(
    rules: Rules, state: Any, kind: int, moves: Sequence[Any], probabilities: Any
) -> None:
    """Compare what `expand` gives for a state with the other methods."""
    import numpy as np

    from expectitree.games.plies import expanded

    packed = rules.pack(state)
    if packed is None:
        return
    given = np.array([packed], np.int64).T
    turn, _, children, chances, value, *_ = expanded(rules, given, False)
    after = [rules.pack(rules.play(state, move)) or [] for move in moves]
    own = rules.estimate(state, kind, rules.bounds)
    shares = [1.0] * len(moves) if probabilities is None else probabilities
    pairs = {
        "turns": (turn.tolist(), [kind]),
        "children": (children.T.tolist(), after),
        "probabilities": (np.round(chances, 9).tolist(), np.round(shares, 9).tolist()),
        "values": (np.round(value, 9).tolist(), [np.nan if own is None else round(own, 9)]),
    }
    for name, (found, expected) in pairs.items():
        if not np.array_equal(found, expected, equal_nan=name == "values"):
            raise GameError(
                f"{rules.where('expand', packed)} gives the {name} {found}, and the other methods "
                f"give {expected}: correct one of them"
            )


def _answer(rules: Rules, name: str, method: Any, state: Any) -> Any:
    """Return what a method gives for a state, or the items of an iterator."""
    found = rules.call(name, method, state)
    return [*islice(found, rules.max_rows)] if hasattr(found, "__next__") else found
