"""The growing tree: only what a search asks for is played, and states are forgotten."""

from __future__ import annotations

from random import Random
from typing import Any
from unittest import mock

import pytest
from helpers import seed_ranges
from random_games import RandomGame
from random_trees import BEST_FIRST, STAR25

import expectitree as et
from expectitree import ALGORITHMS
from expectitree.base.tree.columns import UNSEEN
from expectitree.games import growth, states
from expectitree.games.growth import Rows
from expectitree.games.rules import Options, RowsError, Rules
from expectitree.games.states import States
from expectitree.searches.progress import listening

IN_ORDER = [ALGORITHMS[name] for name in ("alphabeta", "star1", "star2")] + STAR25[2:6]
SEEDS = seed_ranges(4, 40, 500)


@pytest.mark.parametrize("seeds", SEEDS)
def test_every_move_of_a_state_is_played_once(
    seeds: range, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("expectitree.games.calls.CHECKED", 0)
    for seed in seeds:
        for chosen in (*IN_ORDER, BEST_FIRST[0]):
            game = RandomGame(seed)
            found = et.search(game, depth=game.depth, algorithm=chosen, deepen=seed % 2 == 0)
            count = len(game.played)
            if game.merges and not hasattr(game, "key"):
                names = {(n, name) for n, row in enumerate(game.table) for name, _ in row.moves}
                assert count <= len(names) or is_repeated(game)
            assert found.tree
            assert len(game.played) == count  # what a search found is shown without the game


def is_repeated(game: RandomGame) -> bool:
    """Return whether a position has the same move twice."""
    return any(len(dict(row.moves)) < len(row.moves) for row in game.table)


@pytest.mark.parametrize("seeds", SEEDS)
def test_states_that_were_forgotten_are_played_again(
    seeds: range, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in seeds:
        game = RandomGame(seed)
        for chosen in (IN_ORDER[2], BEST_FIRST[0]):
            same: Any = {"depth": game.depth, "algorithm": chosen, "deepen": seed % 2 == 0}
            monkeypatch.setattr(states, "MAX_STATES", 20_000)
            many = et.search(game, **same)
            monkeypatch.setattr(states, "MAX_STATES", 1)
            few = et.search(game, **same)
            for column in ("lower", "upper", "visits", "cut", "cut_after"):
                assert list(getattr(few, column)) == list(getattr(many, column))
            assert list(few.tree.label) == list(many.tree.label)
            assert few.grown == many.grown


def grow(game: RandomGame, merge: bool = True, most_rows: int = 10_000) -> Rows:
    known = States(Rules(game, Options(False, merge=merge, max_rows=most_rows)))
    rows = Rows(known, is_whole=True)
    rows.plant(known.find(game.start), game.depth)
    assert rows.grow_all(10**9)
    return rows


def test_equal_states_share_a_row_if_as_many_plies_are_left() -> None:
    for seed in range(60):
        game = RandomGame(seed)
        merged, whole = grow(game), grow(game, merge=False)
        assert whole.merged == 0
        assert UNSEEN not in whole.kind[: whole.count]
        assert whole.count == sum(game.reachable(game.depth, merged=False).values())
        assert merged.count + merged.merged == 1 + len(merged.child)
        if not hasattr(game, "same_turn"):
            assert merged.count == sum(game.reachable(game.depth, merged=game.merges).values())


def test_a_tree_may_have_exactly_as_many_rows_as_it_needs() -> None:
    game = RandomGame(12)
    rows = grow(game, merge=False).count
    assert grow(game, merge=False, most_rows=rows).count == rows
    with pytest.raises(RowsError) as caught:
        grow(game, merge=False, most_rows=rows - 1)
    assert str(caught.value) == (
        f"random game 12: more than {rows - 1:,} rows at depth {game.depth}: choose a smaller "
        "--depth, or allow more with --max-rows"
    )


def test_a_row_that_was_merged_is_not_counted() -> None:
    """The rows of all children count until they are found to be known ones."""
    game = RandomGame(12)
    tree = grow(game)
    assert tree.merged > 50
    assert grow(game, most_rows=tree.count + 10).count == tree.count


def test_bounds_of_states_hold_below_them() -> None:
    """A search never leaves the bounds of a state, nor those of the states before it."""
    for seed in range(60):
        tree = grow(RandomGame(seed, state_bounds=True), merge=False)
        for row in range(1, tree.count):
            number = tree.state[row]
            low, high = tree.states.bounds[number]
            above = tree.states.bounds[tree.states.parent[number]]
            assert above[0] <= low <= high <= above[1]
            assert (tree.lower[row], tree.upper[row]) == (low, high)


def test_progress_is_reported_while_rows_grow() -> None:
    game, shown = RandomGame(12), 10
    reports: list[tuple[int, int | None]] = []
    shows = listening(lambda done, whole: reports.append((done, whole)))
    with mock.patch.object(growth, "ROWS_SHOWN", shown), shows:
        rows = grow(game, merge=False).count
        count = len(reports)
        et.search(game, depth=game.depth)
    assert {whole for _, whole in reports} == {None}
    assert 1 < len({done // shown for done, _ in reports[:count]}) == count <= rows // shown
    assert len(reports) > count


@pytest.mark.parametrize("seeds", SEEDS)
@pytest.mark.parametrize(("most_kept", "max_states"), [(1, 10**6), (20_000, 1)])
def test_an_engine_finds_every_depth_in_any_order(
    seeds: range, most_kept: int, max_states: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A complete state with fewer plies left than its leaves need is another one."""
    monkeypatch.setattr(states, "MAX_STATES", most_kept)
    for seed in (*seeds, 2007):
        game, random = RandomGame(seed), Random(seed)
        engine = et.Engine(game, exact=True, max_states=max_states, merge=seed % 3 > 0)
        depths = [*range(game.depth + 1)]
        random.shuffle(depths)
        for depth in depths:
            chosen = random.choice([*IN_ORDER, BEST_FIRST[0]])
            assert engine.search(depth=depth, algorithm=chosen).value == game.definition(0, depth)
