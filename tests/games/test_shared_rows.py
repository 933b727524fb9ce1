"""Rows of a game that several branches share."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from random import Random
from threading import Timer
from time import monotonic
from typing import Any
from unittest import mock

import pytest
from game_trees import value_of
from games.tables import random_table
from helpers import seed_ranges
from random_trees import STAR25

import expectitree as et
from expectitree import ALGORITHMS
from expectitree.base.errors import SearchError
from expectitree.games.growth import Rows

DEPTH_FIRST = [*(ALGORITHMS[name] for name in ("alphabeta", "star1", "star2")), *STAR25]
COLUMNS = ("lower", "upper", "visits", "alpha", "beta", "cut", "cut_after")
SEEDS = seed_ranges(5, 120, 900)


# ---- Rows that are shared.


@pytest.mark.parametrize("seeds", SEEDS)
def test_a_game_that_repeats_has_the_value_of_its_plies(seeds: range) -> None:
    for seed in seeds:
        game, random = random_table(seed), Random(seed)
        for chosen in random.sample([*DEPTH_FIRST, ALGORITHMS["best-first"]], 3):
            depth, deepen = random.randint(1, 12), random.random() < 0.5
            found = et.search(game, depth=depth, algorithm=chosen, deepen=deepen, exact=True)
            assert found.value == value_of(game, 0, {}, depth)
            assert found.tree.heights[-1] <= depth


class BearOff:
    """Bear-off of stones on points, the two sides in turn: a roll takes points off one stone."""

    title, utility_bounds = "bear-off", (-1, 1)

    def __init__(self, *stones: int) -> None:
        self.start = (stones, stones, 1, 0)
        self.evaluated: list[Any] = []

    def turn(self, state: Any) -> Any:
        mine, yours, player, roll = state
        if not (mine and yours):
            return None
        return "chance" if not roll else "max" if player > 0 else "min"

    def moves(self, state: Any) -> Any:
        if not state[3]:
            return [(roll, Fraction(1, 3)) for roll in (1, 2, 3)]
        return [*range(len(state[0] if state[2] > 0 else state[1]))]

    def play(self, state: Any, move: int) -> Any:
        mine, yours, player, roll = state
        if not roll:
            return mine, yours, player, move
        own = mine if player > 0 else yours
        left = tuple(sorted(n for n in (*own[:move], own[move] - roll, *own[move + 1 :]) if n > 0))
        return (left, yours, -1, 0) if player > 0 else (mine, left, 1, 0)

    def value(self, state: Any) -> int:
        self.evaluated.append(state)
        return 1 if not state[0] else -1


def test_states_without_estimates_are_searched_once() -> None:
    """The same stones are reached after many numbers of turns."""

    @cache
    def chance_to_win(own: Any, other: Any) -> Fraction:
        def after(roll: int, at: int) -> Fraction:
            left = game.play((own, other, 1, roll), at)[0]
            return 1 - chance_to_win(other, left) if left else Fraction(1)

        best = [max(after(roll, at) for at in range(len(own))) for roll in (1, 2, 3)]
        return sum(best, Fraction()) / 3

    game = BearOff(2, 3)
    found = et.search(game, depth=30, exact=True)
    assert found.value == 2 * chance_to_win(*game.start[:2]) - 1
    with mock.patch.object(Rows, "leave", return_value=None):
        before = et.search(game, depth=30, exact=True)
    assert before.value == found.value
    assert found.grown.rows < 0.9 * before.grown.rows


@pytest.mark.parametrize("chosen", ["star2", "best-first"])
def test_deepening_evaluates_each_state_once(chosen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("expectitree.games.calls.CHECKED", 0)
    game = BearOff(1, 2)
    found = et.search(game, depth=8, algorithm=chosen, deepen=True)
    assert len(game.evaluated) == len(set(game.evaluated)) == found.grown.evaluations
    assert found.value == et.search(game, depth=8).value


def test_deepening_plays_each_move_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("expectitree.games.calls.CHECKED", 0)
    monkeypatch.setattr("expectitree.games.states.MAX_STATES", 10**6)
    for chosen in ("star2", "best-first"):
        with mock.patch.object(BearOff, "play", autospec=True, side_effect=BearOff.play) as play:
            et.search(BearOff(1, 2), depth=8, algorithm=chosen, deepen=True, exact=True)
        played = [call.args[1:] for call in play.call_args_list]
        assert len(played) == len(set(played))


def test_expectiminimax_evaluates_leaves_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("expectitree.games.calls.CHECKED", 0)
    for merge in (True, False):
        game = BearOff(2, 2)
        found = et.search(game, depth=5, algorithm="expectiminimax", merge=merge)
        assert found.grown.evaluations == len(game.evaluated) == found.tree.leaves


# ---- Time without a depth.


def test_a_limit_of_time_needs_no_depth() -> None:
    game = BearOff(1, 1)
    found = et.search(game, seconds=60)
    assert (found.value, found.grown.depth) == (et.search(game, depth=9).value, 6)
    assert not found.stopped
    stopped = et.search("game:pig", seconds=0.1)
    assert stopped.grown.depth > 1
    assert stopped.grown.why_stopped == "the limit of 0.1 s was reached"
    with pytest.raises(SearchError) as caught:
        et.search(game)
    assert str(caught.value) == (
        "a search of a game needs a depth, in plies, or a limit of seconds"
    )


# ---- Numbers, and an engine that remembers.


@pytest.mark.parametrize("numbers", ["auto", "float", "fraction"])
def test_fractions_become_floats_without_a_new_search(
    numbers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("expectitree.games.calls.CHECKED", 0)
    depths: list[int] = []
    game = BearOff(3, 4)
    about: dict[str, Any] = {"depth": 14, "deepen": True, "numbers": numbers}
    found = et.search(game, progress=lambda f: depths.append(f.grown.depth), **about)
    assert depths == [*range(1, len(depths) + 1)]  # each once
    assert found.grown.rows > 1000
    assert found.grown.evaluations == len(game.evaluated)
    assert found.tree.exact == (numbers == "fraction")
    assert found.value == pytest.approx(et.search(game, depth=14, exact=True).value)


def test_numbers_are_named() -> None:
    with pytest.raises(SearchError, match="numbers are auto, float, fraction, got 'decimal'"):
        et.search(BearOff(1, 1), depth=2, numbers="decimal")  # type: ignore[arg-type]


@pytest.mark.parametrize("seeds", SEEDS)
@pytest.mark.parametrize("max_states", [1, 10**6])
def test_an_engine_finds_what_a_search_finds(seeds: range, max_states: int) -> None:
    """Whatever it searched before: other positions, depths, windows and algorithms."""
    for seed in seeds:
        game, random = random_table(seed), Random(seed)
        engine = et.Engine(game, exact=True, max_states=max_states)
        for _ in range(6):
            state, depth = random.randrange(len(game.rows)), random.randint(1, 8)
            chosen = random.choice([*DEPTH_FIRST, ALGORITHMS["best-first"]])
            value = value_of(game, state, {}, depth)
            alpha = Fraction(random.randint(-4, 4), 4)
            window = random.choice([None, (alpha, alpha + Fraction(1, 8)), (alpha, alpha)])
            found = engine.search(
                state, depth=depth, algorithm=chosen, window=window, deepen=random.random() < 0.3
            )
            lower, upper = found.interval()
            assert lower <= value <= upper
            assert lower == upper or (window and (upper <= window[0] or lower >= window[1]))
            assert len(found.tree) > 0  # the same search, made again


def test_an_engine_evaluates_a_state_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("expectitree.games.calls.CHECKED", 0)
    game = BearOff(2, 3)
    engine = et.Engine(game)
    engine.search(depth=6)
    assert engine.search(depth=6, algorithm="star1").grown.evaluations == 0
    engine.search(depth=8)
    assert len(game.evaluated) == len(set(game.evaluated))


def test_an_engine_stops_from_another_thread() -> None:
    engine = et.Engine("game:pig")
    Timer(0.2, engine.stop).start()
    begun = monotonic()
    found = engine.search(depth=60, deepen=True)
    assert monotonic() - begun < 20
    assert found.grown.why_stopped == "the search was stopped"
    assert found.move in ("roll", "hold")


@pytest.mark.parametrize(("numbers", "kind"), [("auto", float), ("fraction", Fraction)])
def test_a_window_is_in_the_numbers_of_the_result(numbers: Any, kind: type) -> None:
    window = Fraction(1, 10), 0.2
    found = et.search("game:pig(target=20)", depth=9, numbers=numbers, window=window, deepen=True)
    assert found.outcome is et.Outcome.FAIL_HIGH
    assert {*map(type, found.root_window)} == {kind}


def test_a_window_has_two_ends() -> None:
    with pytest.raises(SearchError, match="of the window, 1 is greater than 0: swap them"):
        et.Engine("game:pig").search(depth=2, window=(1, 0))
