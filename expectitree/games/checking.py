"""Play random games and check every method of their rules: what `expectitree verify GAME` does."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import inf
from random import Random
from typing import Any, NamedTuple

from expectitree.base.errors import GameError
from expectitree.base.numbers import INFINITY, Number, message_text
from expectitree.base.tree.columns import TERMINAL
from expectitree.games.calls import METHODS, OPTIONAL, Warn, naming_errors, shown
from expectitree.games.protocol import Game
from expectitree.games.rollouts import draw
from expectitree.games.rules import ROUNDING, Options, Rules
from expectitree.searches.progress import report
from expectitree.text.phrases import plural

GAMES = 100  # a third of them at random, and a third towards each end of the bounds
MAX_PLIES = 1000  # of a game; others may never end
MOST = 50  # moves of a state whose labels are read, and of which the best is played
RANDOM_SHARE = 0.2  # of the moves in the other games
OF_STATES = ("turn", "value", "key", "bounds", "same_turn", "pack")  # methods of one state


class Checked(NamedTuple):
    """What a check of rules compared."""

    methods: list[str]  # of the game
    positions: int
    ended: int  # games that were played to the end
    met: int  # positions that were compared with an earlier one of the same key

    @property
    def text(self) -> str:
        """What was checked, for people."""
        text = f"{', '.join(self.methods)} at {plural(self.positions, 'position')}"
        return f"{text}; {self.ended} games ended, {plural(self.met, 'equal key')}"


@naming_errors()
def check_rules(game: Game, seed: int = 0, warn: Warn | None = None) -> Checked:
    """Play games, call every method twice, and compare; return what was checked.

    Positions that are found again by their keys are compared with the first, `expand` with the
    other methods, and each value with the bounds of all positions before it. Raises `GameError` at
    the first fault.
    """
    rules, random = Rules(game, Options(exact=False, warn=warn)), Random(seed)
    rules.checked = inf
    known: dict[Any, Any] = {}
    positions = ended = met = 0
    for number in range(GAMES):
        report(number, GAMES)
        sign = number % 3 - 1
        state = rules.start
        tightest = [(end, state) for end in rules.bounds]
        for _ in range(MAX_PLIES):
            positions += 1
            if rules.merges:
                key = rules.key(state)
                if known.setdefault(key, state) is not state:
                    met += 1
                    rules.check_known(state, partial(known.__getitem__, key))
            kind, moves, probabilities = _check_state(rules, state)
            _check_bounds(rules, state, kind, tightest)
            if kind == TERMINAL:
                ended += 1
                break
            if sign == 0 or random.random() < RANDOM_SHARE:
                state = rules.play(state, draw(random, moves, probabilities))
            else:
                state = _after(rules, state, random.sample(moves, min(len(moves), MOST)), sign)
    methods = [name for name in (*METHODS, *OPTIONAL) if hasattr(game, name) and name != "parse"]
    return Checked(methods, positions, ended, met)


def _check_bounds(rules: Rules, state: Any, kind: int, tightest: list[tuple[Any, Any]]) -> None:
    """Raise `GameError` if a value lies outside of the bounds of an earlier position of the game.

    `tightest` has the greatest lower bound so far and its position, and the least upper one. A
    search takes the bounds of a position for those of all below it, and would cut the value.
    """
    bounds = rules.bounds_of(state, rules.bounds)
    value = rules.estimate(state, kind, bounds)
    for side, sign in enumerate((1, -1)):
        end, before = tightest[side]
        if value is not None and sign * (value - end) < -ROUNDING * abs(end):
            ends = map(message_text, rules.bounds_of(before, (-INFINITY, INFINITY)))
            raise GameError(
                f"{rules.where('bounds', before)} gives [{', '.join(ends)}], and "
                f"{message_text(value)} is possible after it, at {shown(state)}: bounds enclose "
                "all values that can follow, so widen them"
            )
        if sign * bounds[side] > sign * end:
            tightest[side] = bounds[side], state


def _after(rules: Rules, state: Any, moves: Sequence[Any], sign: int) -> Any:
    """Return the state after a move whose value times `sign` is greatest.

    Only games in which every player and chance go one way reach the ends of the bounds.
    """

    def goodness(child: Any) -> float:
        value = rules.estimate(child, rules.kind(child), rules.bounds)
        return 0 if value is None else sign * float(value)

    return max((rules.play(state, move) for move in moves), key=goodness)


def _check_state(rules: Rules, state: Any) -> tuple[int, Sequence[Any], Sequence[Number] | None]:
    """Check what the methods return for a state; return whose turn it is, and the moves."""
    kind = rules.kind(state)
    moves: Sequence[Any] = ()
    probabilities = None
    if kind != TERMINAL:
        moves, probabilities = rules.moves(state, kind)
    for name in OF_STATES:
        method = getattr(rules.game, name, None)
        if method is not None:
            ask = partial(rules.call, name, method, state)
            rules.repeat(name, ask(), ask, state)
    checked = moves[:MOST]
    rules.repeat("label", rules.labels(state, checked), lambda: rules.labels(state, checked), state)
    if rules.pays:
        for move in checked:
            ask = partial(rules.reward, state, move)
            rules.repeat("reward", ask(), ask, state, move)
    if rules.expands:
        _check_expand(rules, state, kind, moves, probabilities)
    return kind, moves, probabilities


def _check_expand(
    rules: Rules, state: Any, kind: int, moves: Sequence[Any], probabilities: Any
) -> None:
    """Compare what `expand` gives for a state with the other methods."""
    import numpy as np

    from expectitree.games.plies import expanded, packed_column

    given = packed_column(rules, state)
    if given is None:
        return
    turn, _, children, chances, value, *_ = expanded(rules, given, lambda *_: None)
    after = [rules.pack(rules.play(state, move)) or [] for move in moves]
    estimate = rules.estimate(state, kind, rules.bounds)
    shares = [1.0] * len(moves) if probabilities is None else probabilities
    pairs = {
        "turns": (turn.tolist(), [kind]),
        "children": (children.T.tolist(), after),
        "probabilities": (np.round(chances, 9).tolist(), np.round(shares, 9).tolist()),
        "values": (
            np.round(value, 9).tolist(),
            [np.nan if estimate is None else round(estimate, 9)],
        ),
    }
    for name, (found, expected) in pairs.items():
        if not np.array_equal(found, expected, equal_nan=name == "values"):
            where = rules.where("expand", given[:, 0].tolist())
            raise GameError(
                f"{where} gives the {name} {found}, and the other methods give {expected}\n"
                "correct one of them"
            )
