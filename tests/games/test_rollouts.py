"""Estimates by random games: their mean, that they depend on the state alone, and their errors."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from helpers import run_main

import expectitree as et
from expectitree.base.errors import GameError
from expectitree.games.finding import find_estimate
from expectitree.games.rollouts import Rollouts
from expectitree.games.rules import Options, Rules


class Walk:
    """A coin moves a stone up or down until it leaves the interval; there are no estimates."""

    title, start, utility_bounds = "walk", 3, (0, 10)

    def turn(self, state: int) -> Any:
        return "chance" if 0 < state < 10 else None

    def moves(self, state: int) -> Any:
        return [(1, Fraction(1, 2)), (-1, Fraction(1, 2))]

    def play(self, state: int, move: int) -> int:
        return state + move

    def value(self, state: int) -> int | None:
        return None if 0 < state < 10 else state


class Endless(Walk):
    title = "endless"

    def play(self, state: int, move: int) -> int:
        return 3 + (state == 3)


class Box:
    """A state whose text shows where it is in memory."""

    def __init__(self, number: int) -> None:
        self.number = number


class Boxes(Walk):
    title, start = "boxes", Box(3)  # type: ignore[assignment]

    def turn(self, state: Any) -> Any:
        return super().turn(state.number)

    def play(self, state: Any, move: int) -> Any:
        return Box(state.number + move)

    def value(self, state: Any) -> Any:
        return super().value(state.number)


@pytest.mark.parametrize("game", [Walk(), Boxes()])
@pytest.mark.parametrize("algorithm", ["star2", "best-first", "expectiminimax"])
def test_the_mean_of_rollouts_is_near_the_value(game: Any, algorithm: str) -> None:
    found = et.search(game, depth=1, estimate="rollouts:400", algorithm=algorithm)
    assert found.value == pytest.approx(3, abs=0.7)
    again = et.search(game, depth=1, estimate=find_estimate("rollouts:400"), algorithm=algorithm)
    assert again.value == found.value


def test_exact_searches_take_rollouts_too() -> None:
    found = et.search(Walk(), depth=1, estimate="rollouts:3", exact=True)
    assert isinstance(found.value, Fraction)


def test_a_game_that_does_not_end_is_worth_the_middle() -> None:
    assert et.search(Endless(), depth=1, estimate="rollouts:1").value == 5


def test_random_games_are_not_evaluations_of_the_search() -> None:
    rules = Rules(Walk(), Options(exact=False, estimate=Rollouts(50)))
    assert rules.estimate(3, 3, rules.bounds) == rules.estimate(3, 3, rules.bounds)
    assert rules.evaluations == 2


@pytest.mark.parametrize("count", ["", "0", "-1", "x", "1.5", "1000000", "9" * 5000, "1:2", "²"])
def test_a_wrong_number_of_rollouts_is_refused(count: str) -> None:
    with pytest.raises(GameError, match="has no number of random games from 1 to 999,999: write"):
        find_estimate(f"rollouts:{count}")


def test_the_command_line_takes_rollouts() -> None:
    for command in ("eval", "advise", "trace"):
        done = run_main(command, "game:pig", "--depth", "2", "--estimate", "rollouts:5")
        assert (done.status, done.err) == (0, "")
    done = run_main("eval", "game:pig", "--depth", "2", "--estimate", "rollouts")
    assert (done.status, "or such as rollouts:100" in done.err) == (3, True)
