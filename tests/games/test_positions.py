"""Positions: moves by label, random moves from a seed, notations."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from helpers import GAMES

from expectitree.base.errors import GameError
from expectitree.games.built_in import einstein
from expectitree.games.finding import find_game
from expectitree.games.positions import position, random_position

EINSTEIN = "1..../.2.../...../...b./....a max 2"


@pytest.mark.parametrize("play", ["roll,6,roll,2,hold", " roll, 6 ,roll,2,hold "])
def test_moves_are_labels(play: str) -> None:
    assert position(find_game("game:pig"), play=play).scores == (8, 0)


@pytest.mark.parametrize(
    ("play", "message"),
    [
        ("hop", "Pig to 8: at the start there is no move 'hop': the moves are roll, hold"),
        ("rol,3", "at the start there is no move 'rol' (did you mean 'roll'?): the moves are roll"),
        ("roll,7", "after roll there is no outcome '7': the outcomes are 1, 2, 3, 4, 5, 6"),
        (
            "roll,6,roll,6,roll",
            "after roll, 6, roll, 6 there is no move 'roll': the moves are hold",
        ),
        ("roll,6,roll,6,hold,hold", "the game is over after roll, 6, roll, 6, hold: remove 'hold'"),
    ],
)
def test_an_error_names_the_moves_that_exist(play: Any, message: str) -> None:
    with pytest.raises(GameError) as caught:
        position(find_game("game:pig(target=8)"), play=play)
    assert message in str(caught.value)


def test_a_position_in_the_games_notation() -> None:
    game = find_game("game:einstein")
    state = position(game, start=EINSTEIN)
    assert state.roll == 2
    assert [*game.moves(state)] == ["2-right", "2-down", "2-diagonal"]
    after = position(game, start=EINSTEIN, play="2-diagonal,1")
    assert after == einstein.State((1, *[0] * 11, 2, *[0] * 5, -2, *[0] * 5, -1), -1, 1)


@pytest.mark.parametrize(
    ("game", "text", "message"),
    [
        ("einstein", EINSTEIN[:-1] + "7", 'write a position as "123../45.../6...f/...ed/..cba max'),
        ("einstein", "1/2", "EinStein würfelt nicht cannot read the position '1/2': write a posit"),
        ("pig", "0 0", "Pig to 100 has no notation for positions (a method parse): choose a posi"),
        ("2048", "2 2", "a board has 16 tiles: 0 or a power of 2 (the notation: Read four rows of"),
        ("blackjack", "10 6", "three cards are dealt before the first decision (the notation: Re"),
    ],
)
def test_an_error_shows_the_notation(game: str, text: str, message: str) -> None:
    with pytest.raises(GameError) as caught:
        position(find_game(GAMES[game]), start=text)
    assert message in str(caught.value)


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
