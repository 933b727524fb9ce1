"""The recursion that searches games, held equal to the loop; and rows that are shared."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any
from unittest import mock

import pytest
from game_trees import Long, value_of
from games.tables import random_table
from helpers import seed_ranges
from random_games import RandomGame
from random_trees import STAR25

import expectitree as et
from expectitree import ALGORITHMS
from expectitree.base.errors import SearchError
from expectitree.games import loops, searching
from expectitree.games.growth import Growth

DEPTH_FIRST = [*(ALGORITHMS[name] for name in ("alphabeta", "star1", "star2")), *STAR25]
COLUMNS = ("lower", "upper", "visits", "alpha", "beta", "cut", "cut_after")
SEEDS = seed_ranges(5, 120, 900)


@contextmanager
def loop_alone() -> Iterator[None]:
    """Search without recursion."""
    with mock.patch.object(searching, "Recursion", side_effect=loops.UnfitError):
        yield


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("seeds", SEEDS)
def test_the_recursion_is_the_loop(seeds: range, exact: bool) -> None:
    for seed in seeds:
        game, random = RandomGame(seed, floats=not exact), Random(seed)
        for chosen in random.sample(DEPTH_FIRST, 3):
            most = random.choice((None, None, random.randint(1, 40)))
            same: Any = {"algorithm": chosen, "exact": exact, "max_visits": most}
            same |= {"merge": random.random() < 0.7, "deepen": random.random() < 0.3}
            with mock.patch.object(Growth, "leave", return_value=None):  # as the loop
                found = et.search(game, depth=game.depth, **same)
                with loop_alone():
                    whole = et.search(game, depth=game.depth, **same)
            assert found.tree.columns == whole.tree.columns or not exact
            # If all leaves are near 0, the recursion gives up, and the loop evaluates them again.
            again = whole.grown.evaluations
            assert found.grown.evaluations >= again
            assert replace(found.grown, evaluations=again) == whole.grown
            assert found.cuts == whole.cuts
            for name in COLUMNS:
                one, other = getattr(found, name), getattr(whole, name)
                # Until the first leaf that is not 0, the loop adds up every sum anew.
                may_be_rounded = name in ("alpha", "beta") and not exact
                if may_be_rounded:
                    other = pytest.approx(list(other), rel=1e-13, abs=1e-13)
                assert list(one) == (other if may_be_rounded else list(other)), name


def test_recursion_is_for_near_bounds_and_few_plies() -> None:
    for bounds, depth, recurses in (
        ((0, 320), 300, True),
        ((0, 320), 400, False),
        ((0, 10**9), 9, False),
        ((0, float("inf")), 9, False),
    ):
        with mock.patch.object(searching, "DepthFirst", wraps=loops.DepthFirst) as called:
            assert et.search(Long(320, bounds), depth=depth).value == min(depth, 320)
        assert called.called != recurses


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
    with loop_alone(), mock.patch.object(Growth, "_find", find_by_plies):
        before = et.search(game, depth=30, exact=True)
    assert before.value == found.value
    assert found.grown.rows < 0.8 * before.grown.rows
    assert found.grown.evaluations < before.grown.evaluations


def find_by_plies(self: Growth, key: Any, row: int, plies: int, turns: int) -> int:
    known = self._rows.setdefault((key, plies, turns), row)
    return -1 if known == row else known


@pytest.mark.parametrize("chosen", ["star2", "best-first"])
def test_deepening_evaluates_each_state_once(chosen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("expectitree.games.calls.CHECKED", 0)
    game = BearOff(1, 2)
    found = et.search(game, depth=8, algorithm=chosen, deepen=True)
    assert len(game.evaluated) == len(set(game.evaluated)) == found.grown.evaluations
    assert found.value == et.search(game, depth=8).value


def test_deepening_keeps_complete_rows() -> None:
    game = BearOff(1, 2)
    plays = [0, 0]
    for at, leave in enumerate((Growth.leave, lambda *_: None)):
        with (
            mock.patch.object(Growth, "leave", leave),
            mock.patch.object(BearOff, "play", autospec=True, side_effect=BearOff.play) as play,
        ):
            found = et.search(game, depth=8, deepen=True, exact=True)
        plays[at] = play.call_count
        assert found.value == et.search(game, depth=8, exact=True).value
    assert plays[0] < plays[1]


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
