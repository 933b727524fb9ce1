"""Matches: who wins, with the same dice, and what the intervals contain."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

import expectitree as et
from expectitree.base.errors import GameError, SearchError

PIG = "game:pig(target=10)"


class Draw:
    """MAX may change a card, then MIN; the higher card wins. Cards have values from 1 to 9."""

    title = "draw"
    utility_bounds: Any = (-1, 1)
    start: Any = ()
    steps: tuple[Any, ...] = ("chance", "max", "chance", "chance", "min", "chance")

    def turn(self, state: Any) -> Any:
        return self.steps[len(state)] if len(state) < len(self.steps) else None

    def moves(self, state: Any) -> Any:
        cards = [(card, Fraction(1, 9)) for card in range(1, 10)]
        return cards if self.turn(state) == "chance" else ["keep", "change"]

    def play(self, state: Any, move: Any) -> Any:
        return (*state, move)

    def value(self, state: Any) -> Any:
        mine, theirs = (self.card(state[place : place + 3]) for place in (0, 3))
        return (mine > theirs) - (mine < theirs)

    def card(self, hand: Any) -> int:
        return 0 if len(hand) < 3 else hand[2] if hand[1] == "change" else hand[0]


class Alone(Draw):
    title = "alone"
    utility_bounds = (0, 9)
    steps = ("chance", "max", "chance")

    def value(self, state: Any) -> Any:
        return self.card(state)


class AloneForMin(Alone):
    steps = ("chance", "min", "chance")


class Certain(Draw):
    """Nothing is random: the cards are known."""

    title = "certain"
    steps = ("max", "min")

    def value(self, state: Any) -> Any:
        return state.count("keep") - 1


class Unbounded(Draw):
    title = "unbounded"
    utility_bounds = (-float("inf"), float("inf"))


class Paid(Draw):
    """Each kept card pays 3, and the game ends at 0."""

    title = "paid"

    def reward(self, state: Any, move: Any) -> int:
        return {"max": 3, "min": -3, "chance": 0}[self.turn(state)] * (move == "keep")

    def value(self, state: Any) -> Any:
        return 0


def well(state: Any) -> str:
    """Keep cards above the mean."""
    return "keep" if state[-1] > 4 else "change"


def badly(state: Any) -> str:
    return "change" if state[-1] > 4 else "keep"


def value(mean: Any) -> float:
    return float(mean.value)


class Engine:
    """An engine as `match` needs it, which counts its calls."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def search(self, state: Any, **options: Any) -> Any:
        self.calls.append(options)
        return et.search(PIG, state=state, **options)

    def move(self, state: Any, seconds: float) -> Any:
        raise AssertionError


@pytest.mark.parametrize(
    ("game", "first", "second"),
    [
        (Draw(), well, badly),
        (Unbounded(), well, badly),
        (Alone(), well, badly),
        (AloneForMin(), badly, well),
        (Paid(), lambda state: "keep", lambda state: "change"),
        (PIG, et.solve(PIG), "random"),
        (PIG, "star2", "random"),
        (PIG, {"depth": 3, "algorithm": "best-first"}, "random"),
        (PIG, {"depth": 3, "estimate": "rollouts:2"}, lambda state: "hold"),
        (PIG, Engine(), "random"),
        (PIG, et.Engine(PIG), "random"),
        (PIG, et.Engine(PIG, estimate="rollouts:2", max_states=100), "random"),
    ],
)
def test_the_better_player_wins_on_both_sides(game: Any, first: Any, second: Any) -> None:
    games = 16 if game == PIG else 200
    options: Any = {"games": games, "seed": 1, "depth": 2, "par": 0}
    found = et.match(game, first, second, **options)
    turned = et.match(game, second, first, **options)
    assert found.wins == turned.losses > found.losses == turned.wins
    assert found.games == games
    assert value(found.mean) == pytest.approx(value(turned.second_mean))
    assert et.match(game, first, second, **options).played == found.played


def test_a_game_for_two_has_points() -> None:
    found = et.match(Draw(), well, badly, games=100)
    assert found.wins + found.losses + found.draws == 100
    assert value(found.mean) == (found.wins + found.draws / 2) / 100
    assert value(found.second_mean) == 1 - value(found.mean)


def test_a_game_for_one_has_totals() -> None:
    found = et.match(Alone(), well, badly, games=100)
    totals = [played.total for played in found.played]
    assert found.wins + found.losses + found.draws == 50
    assert value(found.mean) == pytest.approx(sum(totals[::2]) / 50)  # type: ignore[arg-type]
    assert value(found.second_mean) == pytest.approx(sum(totals[1::2]) / 50)  # type: ignore[arg-type]
    assert found.par is None
    assert "Each player plays each deal alone" in str(found)


def test_both_games_of_a_deal_have_the_same_dice() -> None:
    """Players who play alike win once with each deal, or draw both games."""
    found = et.match(Draw(), well, well, games=100)
    assert (found.first, found.second) == ("well (first)", "well (second)")
    assert found.wins == found.losses
    pairs = zip(found.played[::2], found.played[1::2], strict=True)
    assert all(one.total == other.total for one, other in pairs)


def test_where_nothing_is_random_two_games_are_all() -> None:
    found = et.match(Certain(), "star1", "star2", games=50, depth=5)
    assert (found.games, found.is_random) == (2, False)
    assert found.mean is not None
    assert found.mean.half is None
    assert "Nothing is random, so these games are all that there are." in str(found)
    assert et.match(Certain(), "random", "star2", games=50, depth=5).games == 50


def test_long_games_are_draws_and_counted_apart() -> None:
    found = et.match("game:pig", "random", "random", games=10, most_moves=5)
    assert (found.unfinished, found.draws, found.wins, value(found.mean)) == (10, 0, 0, 0.5)
    assert "and 10 more that were too long" in str(found)
    found = et.match(Alone(), well, badly, games=10, most_moves=0)
    assert (found.unfinished, found.draws, found.mean) == (5, 0, None)


def test_par_moves_the_middle() -> None:
    assert et.match(Draw(), well, badly, games=20, par=2).wins == 10  # those of MIN
    assert et.match(Draw(), well, badly, games=20, par=-2).losses == 10


@pytest.mark.slow
@pytest.mark.parametrize("games", [4, 20, 100])
def test_the_interval_contains_the_mean_19_of_20_times(games: int) -> None:
    truth = value(et.match(Draw(), well, badly, games=20_000, seed=9).mean)
    inside = 0
    for seed in range(200):
        mean = et.match(Draw(), well, badly, games=games, seed=seed).mean
        assert mean is not None
        assert mean.half is not None
        inside += abs(mean.value - truth) <= mean.half
    assert inside >= 0.92 * 200


def test_engines_get_the_limits() -> None:
    engine = Engine()
    et.match(PIG, engine, "random", games=2, depth=2)
    assert set(map(str, engine.calls)) == {"{'depth': 2}"}


def test_json_and_text() -> None:
    found = et.match(Draw(), well, badly, games=10)
    fields = json.loads(et.to_json(found))
    assert fields["wins"] == found.wins
    assert fields["mean"]["value"] == value(found.mean)
    assert "badly" in str(found)


@pytest.mark.parametrize(
    ("game", "first", "options", "error", "message"),
    [
        (
            PIG,
            "star3",
            {},
            SearchError,
            r"'star3' as a player \(did you mean 'star2'\?\), e",
        ),
        (PIG, "star2", {}, SearchError, "star2 needs a depth, in plies, or seconds for each move"),
        (PIG, {}, {}, SearchError, "search needs a depth, in plies, or seconds for each move"),
        (PIG, Engine(), {}, SearchError, "Engine needs a depth, in plies, or seconds"),
        (PIG, 3, {}, SearchError, "found 3 as a player, expected an engine"),
        (PIG, Engine, {}, SearchError, "as a player, expected an engine"),
        (PIG, lambda state: "run", {}, SearchError, r"<lambda> plays 'run' in .*moves are \['roll"),
        (PIG, lambda state: 1 / 0, {}, GameError, "raises ZeroDivisionError"),
        (PIG, "random", {"games": 3}, SearchError, "games is 3, expected 2, 4, 6"),
        (PIG, "random", {"games": 0}, SearchError, "games is 0, expected 2, 4, 6"),
        (Unbounded(), "random", {}, GameError, "bounds are infinite, so they have no middle: say"),
        ("game:pog", "random", {}, GameError, "unknown game 'pog'"),
    ],
)
def test_what_is_wrong_is_refused(
    game: Any, first: Any, options: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        et.match(game, first, "random", **options)
