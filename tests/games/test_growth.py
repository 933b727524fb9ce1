"""The growing tree: only what a search asks for is played, and states are forgotten."""

from __future__ import annotations

from collections import Counter
from typing import Any
from unittest import mock

import pytest
from helpers import seed_ranges
from random_games import RandomGame
from random_trees import BEST_FIRST, STAR25

import expectitree as et
from expectitree import ALGORITHMS
from expectitree.base.tree.columns import UNSEEN
from expectitree.games import growth
from expectitree.games.found import GameSearch
from expectitree.games.growth import Growth
from expectitree.games.rules import Options, RowsError, Rules
from expectitree.searches.progress import listening

IN_ORDER = [ALGORITHMS[name] for name in ("alphabeta", "star1", "star2")] + STAR25[2:6]
SEEDS = seed_ranges(4, 40, 500)


def grown_branches(search: GameSearch, game: RandomGame) -> Counter[tuple[int, str]]:
    """Return how often each position and move lead to a node that has grown."""
    tree, unknown = search.tree, set(search.tree.unknown)
    found: Counter[tuple[int, str]] = Counter()
    waiting = [(tree.root_id, 0, search.grown.depth)]
    while waiting:
        node, n, plies = waiting.pop()
        if not tree.branches_of(node):
            continue
        row, below = game.table[n], game.children(n, plies)
        for b, (name, _), child in zip(tree.branches_of(node), row.moves, below, strict=True):
            found[n, name] += tree.columns.child[b] not in unknown
            waiting.append((tree.columns.child[b], *child))
    return +found


@pytest.mark.parametrize("seeds", SEEDS)
def test_every_node_that_grows_is_played_once_and_no_other(
    seeds: range, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("expectitree.games.calls.CHECKED", 0)
    for seed in seeds:
        for chosen in (*IN_ORDER, BEST_FIRST[0]):
            game = RandomGame(seed)
            # In floats, a search would begin again.
            about: Any = {"algorithm": chosen, "merge": False, "exact": True}
            found = et.search(game, depth=game.depth, **about)
            assert Counter(game.played) == grown_branches(found, game)


@pytest.mark.parametrize("seeds", SEEDS)
def test_states_that_were_forgotten_are_played_again(
    seeds: range, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in seeds:
        game = RandomGame(seed)
        for chosen in (IN_ORDER[2], BEST_FIRST[0]):
            same: Any = {"depth": game.depth, "algorithm": chosen, "deepen": seed % 2 == 0}
            monkeypatch.setattr(growth, "MAX_STATES", 20_000)
            many = et.search(game, **same)
            monkeypatch.setattr(growth, "MAX_STATES", 1)
            few = et.search(game, **same)
            for column in ("lower", "upper", "visits", "cut", "cut_after"):
                assert list(getattr(few, column)) == list(getattr(many, column))
            assert list(few.tree.label) == list(many.tree.label)
            assert few.grown == many.grown


def grow(game: RandomGame, merge: bool = True, most_rows: int = 10_000) -> Growth:
    rules = Rules(game, Options(False, merge=merge, max_rows=most_rows))
    tree = Growth(rules, game.depth, game.start, shares=False)
    tree.plant()
    tree.grow_all()
    return tree


def test_equal_states_share_a_row_if_as_many_plies_are_left() -> None:
    for seed in range(60):
        game = RandomGame(seed)
        merged, whole = grow(game), grow(game, merge=False)
        assert whole.merged == 0
        assert UNSEEN not in whole.kind[: whole.made]
        assert whole.made == sum(game.reachable(game.depth, merged=False).values())
        assert merged.made == sum(kind != UNSEEN for kind in merged.kind)
        if not hasattr(game, "same_turn"):
            assert merged.made == sum(game.reachable(game.depth, merged=game.merges).values())


def test_a_tree_may_have_exactly_as_many_rows_as_it_needs() -> None:
    game = RandomGame(12)
    rows = grow(game, merge=False).made
    assert grow(game, merge=False, most_rows=rows).made == rows
    with pytest.raises(RowsError) as caught:
        grow(game, merge=False, most_rows=rows - 1)
    assert str(caught.value) == (
        f"random game 12: more than {rows - 1:,} rows at depth {game.depth}: choose a smaller "
        "--depth, or allow more with --max-rows"
    )


def test_a_row_that_was_merged_is_not_counted() -> None:
    """An unseen row counts until its state is found to be a known one."""
    game = RandomGame(12)
    tree = grow(game)
    assert tree.merged > 50
    assert grow(game, most_rows=tree.made + 10).made == tree.made


def test_bounds_of_states_hold_below_them() -> None:
    """A search never leaves the bounds of a state, nor those of the states before it."""
    for seed in range(60):
        game = RandomGame(seed, state_bounds=True)
        tree = grow(game, merge=False)
        for row in range(1, tree.made):
            low, high = tree.bounds_of(row)
            above = tree.bounds_of(tree.parent[row])
            assert above[0] <= low <= high <= above[1]
            assert (tree.lower[row], tree.upper[row]) == (low, high)


def test_progress_is_reported_while_rows_grow() -> None:
    game, shown = RandomGame(12), 10
    reports: list[tuple[int, int | None]] = []
    shows = listening(lambda done, whole: reports.append((done, whole)))
    with mock.patch.object(growth, "ROWS_SHOWN", shown), shows:
        rows = grow(game, merge=False).made
        count = len(reports)
        et.search(game, depth=game.depth)
    assert {whole for _, whole in reports} == {None}
    assert 1 < len({done // shown for done, _ in reports[:count]}) == count <= rows // shown
    assert len(reports) > count
