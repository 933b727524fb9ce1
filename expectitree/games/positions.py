"""Choose the position that a search starts from, by a text, by moves or by random moves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random
from typing import Any, NoReturn

from expectitree.base.errors import USER_ERRORS, GameError
from expectitree.base.names import did_you_mean
from expectitree.base.numbers import quote
from expectitree.base.tree.columns import CHANCE, TERMINAL
from expectitree.games.protocol import Game
from expectitree.games.rules import Options, Rules

ATTEMPTS = 1000  # at a random position in which the game goes on
SHOWN = 20  # moves that an error names


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

    Args:
        game: The game.
        start: A position in the game's own notation, which its method `parse` reads.
        play: Labels of moves and outcomes of chance, separated by commas.
        random_moves: How many random moves and outcomes follow. Outcomes have their probabilities;
            the moves of players are equally likely.
        seed: The seed of the random moves, which are the same on every machine.

    Raises:
        GameError: A move does not exist, the game is over, or the game has no notation.
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
