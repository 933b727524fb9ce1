"""Draw moves at random, and estimate a state by random games from it (`rollouts:N`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random
from statistics import fmean
from typing import Any, NamedTuple

from expectitree.base.errors import GameError
from expectitree.base.numbers import quote
from expectitree.base.tree.columns import TERMINAL

REFERENCE = re.compile(r"rollouts:([1-9][0-9]{0,5})")
MAX_PLIES = 1_000  # of a random game; a longer one is worth the estimate where it stopped
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


class Rollouts(NamedTuple):
    """The estimate of a state is the mean value of so many random games from it.

    The random numbers follow from the state's key, so that a state always has the same estimate.
    """

    games: int

    def of(self, rules: Any) -> Callable[[Any], float]:
        """Return the function that estimates the states of a game."""
        # Their own rules, in floats: the random games count as no calls of the search.
        options = rules.options._replace(exact=False, estimate=None, warn=None)
        rules = type(rules)(rules.game, options)

        def estimate(state: Any) -> float:
            name = rules.key(state) if rules.merges else state
            random = Random(_ADDRESS.sub("", repr(name)))
            return fmean(_play(rules, state, random) for _ in range(self.games))

        return estimate


def read_rollouts(reference: str) -> Rollouts | None:
    """Return the estimate of a reference such as `rollouts:100`; None for another reference."""
    if not reference.startswith("rollouts:"):
        return None
    match = REFERENCE.fullmatch(reference)
    if match is None:
        raise GameError(
            f"{quote(reference)} has no number of random games from 1 to 999,999\nwrite such as "
            "rollouts:100"
        )
    return Rollouts(int(match[1]))


def draw(random: Random, moves: Sequence[Any], probabilities: Sequence[Any] | None) -> Any:
    """Return a random move, by `random.random` alone, which no version of Python changes."""
    if probabilities is None:
        return moves[int(random.random() * len(moves))]
    point = random.random()
    for move, probability in zip(moves, probabilities, strict=True):
        point -= probability
        if point < 0:
            return move
    return moves[-1]  # the sum misses 1 by its rounding


def after_random_moves(rules: Any, state: Any, random: Random, count: int) -> Any:
    """Return the state after so many random moves, or where the game ends."""
    for _ in range(count):
        kind = rules.kind(state)
        if kind == TERMINAL:
            break
        state = rules.play(state, draw(random, *rules.moves(state, kind)))
    return state


def _play(rules: Any, state: Any, random: Random) -> float:
    """Return the value of one random game from a state."""
    last = after_random_moves(rules, state, random, MAX_PLIES)
    return float(rules.value(last, rules.kind(last), rules.bounds))
