"""`evaluate` and `search` with a window: the contract, in terms of what a user gets."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from helpers import for_each, seed_ranges
from oracle import definitions
from random_games import RandomGame
from random_trees import EVERY, Case, in_numbers

import expectitree as et
from expectitree import Outcome
from expectitree.base.numbers import INFINITY

MEANINGS = {Outcome.VALUE, Outcome.FAIL_LOW, Outcome.FAIL_HIGH}
TEXT = "max: {left: {min: [3, 12]}, right: {min: [2, 4]}}"  # worth 3


def check(found: et.Search, value: Any, window: tuple[Any, Any], slack: Any = 0) -> None:
    """Check that a search proves what its outcome says, about this value."""
    (alpha, beta), (lower, upper) = window, found.interval()
    assert lower - slack <= value <= upper + slack
    assert found.outcome in MEANINGS
    if found.outcome is Outcome.VALUE:
        assert abs(found.value - value) <= slack
        return
    if found.outcome is Outcome.FAIL_LOW:
        assert upper <= alpha + slack
    else:
        assert lower >= beta - slack
    with pytest.raises(et.SearchError, match=r"failed (low|high): the value is at (most|least)"):
        _ = found.value


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("seeds", seed_ranges(15, 400, 3000))
def test_a_search_in_a_window_keeps_the_contract(seeds: range, exact: bool) -> None:
    outcomes = set()
    for seed in seeds:
        case, reward = Case(seed, pays=True), Fraction(Random(seed).choice((0, 7, -3)))
        tree = case.tree(exact)
        reward = reward if exact else float(reward)  # type: ignore[assignment]
        value = definitions(tree)[-1] + reward
        tree = replace(tree, root_reward=reward)
        alpha, beta = in_numbers(case.window, exact)
        bounds = case.bounds and in_numbers(case.bounds, exact)
        for chosen in EVERY:
            window = alpha, max(alpha, beta)
            found = et.evaluate(tree, chosen, bounds=bounds, window=window, exact=exact)
            check(found, value, window, 0 if exact else 4 * found.eps)
            outcomes.add(found.outcome)
            if not chosen.in_order or not chosen.prunes:
                assert found.outcome is Outcome.VALUE
    assert outcomes == MEANINGS


@pytest.mark.parametrize("exact", [True, False])
def test_a_game_in_a_window_keeps_the_contract(exact: bool) -> None:
    outcomes = set()
    for seed in range(12):
        game, random = RandomGame(seed), Random(seed)
        value = game.definition()
        alpha = value + random.choice((-3, -1, 0, 1, 3))
        window = alpha, alpha + random.choice((0, 1, 5))
        for name in ("alphabeta", "star1", "star2", "star2.5", "best-first", "expectiminimax"):
            for deepen in (False, True)[: 1 + (name != "expectiminimax")]:
                found = et.search(
                    game,
                    depth=game.depth,
                    algorithm=name,
                    window=window,
                    exact=exact,
                    deepen=deepen,
                )  # fmt: skip
                check(found, value, window, 0 if exact else 1e-9 * (1 + abs(value)))
                outcomes.add(found.outcome)
    assert outcomes == MEANINGS


@for_each(
    "window, outcome, interval",
    [
        ((0, 9), Outcome.VALUE, (3, 3)),
        ((3, 9), Outcome.FAIL_LOW, (2, 3)),
        ((4, 9), Outcome.FAIL_LOW, (2, 3)),
        ((1, 3), Outcome.FAIL_HIGH, (3, 12)),
        ((1, 2), Outcome.FAIL_HIGH, (2, 12)),
        ((3, 3), Outcome.FAIL_LOW, (2, 3)),
        ((-INFINITY, 1), Outcome.FAIL_HIGH, (2, 12)),
        ((99, INFINITY), Outcome.FAIL_LOW, (2, 12)),
        ((Fraction(5, 2), 2.75), Outcome.FAIL_HIGH, (3, 12)),
    ],
)
def test_outcomes_by_hand(window: Any, outcome: Outcome, interval: Any) -> None:
    found = et.evaluate(et.loads(TEXT), "star1", window=window)
    assert (found.outcome, found.interval()) == (outcome, interval)


def test_the_message_names_the_window_and_what_is_proved() -> None:
    found = et.evaluate(et.loads(TEXT), "star1", window=(4, 9))
    with pytest.raises(et.SearchError) as caught:
        _ = found.value
    assert str(caught.value) == (
        "the search failed low: the value is at most alpha 4: the value lies in [2, 3]"
    )


def test_outputs_show_the_window() -> None:
    found = et.evaluate(et.loads(TEXT), "star1", window=(4, 9))
    assert "window    [4, 9]: the search failed low\n" in et.to_text(found)
    assert '"window": [4, 9]' in et.to_json(found)
    assert "in [2, 3]" in repr(found)
    assert "and 4 is the window's alpha" in " ".join(et.explain(found, "/").split())
    assert et.trace(found).search.outcome is Outcome.FAIL_LOW
    assert "window" not in et.to_text(et.evaluate(et.loads(TEXT), "star1"))


@for_each(
    "window, message",
    [
        ((9, 4), "of the window, 9 is greater than 4: swap them"),
        ((float("nan"), 4), "NaN is not a bound: give numbers, or inf or -inf"),
        ("0,9", "found '0,9' as window, expected two numbers, alpha and beta"),
        ((1, 2, 3), "found '(1, 2, 3)' as window, expected two numbers, alpha and beta"),
        (("1", "2"), "found '('1', '2')' as window, expected two numbers, alpha and beta"),
        (5, "found '5' as window, expected two numbers, alpha and beta"),
    ],
)
def test_a_wrong_window_is_refused(window: Any, message: str) -> None:
    for search in (
        lambda: et.evaluate(et.loads(TEXT), "star2", window=window),
        lambda: et.search("game:pig(target=10)", depth=2, window=window),
    ):
        with pytest.raises(et.SearchError) as caught:
            search()
        assert str(caught.value) == message


def test_a_window_is_about_the_value() -> None:
    with pytest.raises(et.SearchError, match="goal action asks for the best action: remove one"):
        et.evaluate(et.loads(TEXT), "best-first", goal="action", window=(0, 1))
    with pytest.raises(et.SearchError, match="goal moves finds the value of each move: remove it"):
        et.search("game:pig(target=10)", depth=2, goal="moves", window=(0, 1))
