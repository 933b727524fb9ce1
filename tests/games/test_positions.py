"""Positions: moves by label, random moves from a seed, notations."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from helpers import GAMES

from expectitree.base.errors import GameError
from expectitree.games.finding import find_game
from expectitree.games.positions import position, random_position


@pytest.mark.parametrize("name", GAMES)
def test_random_moves_never_end_the_game(name: str) -> None:
    game = find_game(GAMES[name])
    states = [random_position(game, 4, seed) for seed in range(30)]
    assert states == [random_position(game, 4, seed) for seed in range(30)]
    assert all(game.turn(state) for state in states)
    assert len({*states}) > 4


def test_random_moves_are_the_same_on_every_machine() -> None:
    assert random_position(find_game("game:pig"), 9, 7) == ((0, 0), 0, "max", True)


@pytest.mark.parametrize(("point", "card"), [(0.0, "b"), (0.25, "b"), (0.5, "d"), (1 - 1e-16, "d")])
def test_outcomes_divide_the_interval_from_0_to_1(
    point: float, card: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Cards:
        title, start = "cards", ""

        def turn(self, state: str) -> str:
            return "max" if state else "chance"

        def moves(self, state: str) -> list[Any]:
            return [("b", 0.5), ("d", 0.5)] if not state else ["go"]

        def play(self, state: str, move: str) -> str:
            return state + move

        def value(self, state: str) -> int:
            return 0

    monkeypatch.setattr(Random, "random", lambda self: point)
    game: Any = Cards()
    assert random_position(game, 1) == card


def test_a_label_that_begins_with_another_is_one_move() -> None:
    class Words:
        title, start = "words", ""
        turn = staticmethod(lambda state: "max")
        moves = staticmethod(lambda state: ["a, b", "a", "b", "a, b, a"])
        play = staticmethod(lambda state, move: f"{state}[{move}]")
        value = staticmethod(lambda state: 0)

    game: Any = Words()
    assert position(game, play="b, a, a, b, b") == "[b][a][a, b][b]"


def test_too_many_random_moves_are_an_error() -> None:
    with pytest.raises(GameError, match="random moves ended the game in each of 1000 attempts: ch"):
        random_position(find_game("game:dice(n=2,k=2)"), 9)
