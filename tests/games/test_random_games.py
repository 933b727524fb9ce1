"""Lazy search of random games: what it finds is what the written-out tree is worth.

The definition in `RandomGame` and the trees that it writes out judge the searches.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest
from helpers import seed_ranges
from random_games import Mirror, RandomGame
from random_trees import BEST_FIRST, STAR25, in_numbers

import expectitree as et
from expectitree import ALGORITHMS, Kind, Search, Tree
from expectitree.base.algorithms import Algorithm
from expectitree.base.errors import GameError
from expectitree.base.numbers import INFINITY, Number
from expectitree.base.tree.columns import Bounds
from expectitree.searches.engine import search_tree

DEPTH_FIRST = [ALGORITHMS[name] for name in ("alphabeta", "star1", "star2")] + STAR25
FEW = [ALGORITHMS["star1"], ALGORITHMS["star2"], STAR25[5]]
ALL = [ALGORITHMS["expectiminimax"], *DEPTH_FIRST, *BEST_FIRST]
QUICK = range(4)
SEEDS = seed_ranges(len(QUICK), 24, 220)


def few(seeds: range, exact: bool) -> list[Algorithm]:
    """Return all algorithms, or in a quick run the quickest."""
    if seeds != QUICK:
        return ALL
    return FEW if exact else [*FEW, BEST_FIRST[0]]


def near(a: Number, b: Number, search: Search) -> bool:
    # A value that bounds alone prove is rounded too, and eps may be 0 where no leaf was seen.
    return abs(a - b) <= 20 * search.eps + 1e-14 * abs(b)


def best_moves(search: Search, game: RandomGame) -> set[str]:
    """Return the moves of the branches that a search proves best, without their labels' ends."""
    tree, root = search.tree, search.tree.root_id
    labels = [tree.label[b] for b in search.best_branches(root)]
    return {label.split()[0] for label in labels if label is not None}


def is_repeated(game: RandomGame) -> bool:
    """Return whether the start has the same move twice: then branches have no labels."""
    return len(dict(game.table[0].moves)) < len(game.table[0].moves)


def check_found(search: Search, game: RandomGame, exact: bool) -> None:
    """Check the value and the best moves against the definition."""
    value, best = game.definition(), game.best_moves(20 * Fraction(search.eps))
    if search.tree.roundoff:
        assert near(search.value, value, search)
    else:
        assert search.value == (value if exact else float(value))
        assert search.eps == 0
    assert (search.best is None) == (not best)
    if not is_repeated(game):
        assert best_moves(search, game) <= best
        assert len(search.ties) <= len(best)


@contextmanager
def may_be_too_large(game: RandomGame, chosen: Algorithm) -> Iterator[None]:
    """Let best-first refuse a game with infinite bounds and very large values."""
    try:
        yield
    except GameError as error:
        if "best-first needs finite utility_bounds" not in str(error):
            raise
        assert chosen in BEST_FIRST
        assert INFINITY in map(abs, game.utility_bounds)
        assert any(row.value is not None and abs(row.value) > 1e100 for row in game.table)


@pytest.mark.parametrize("numbers", ["fractions", "rounded once", "floats"])
@pytest.mark.parametrize("seeds", SEEDS)
def test_lazy_search_finds_the_value_and_a_best_move(seeds: range, numbers: str) -> None:
    exact = numbers == "fractions"
    for seed in seeds:
        game = RandomGame(seed, rare=seed % 4 == 3, floats=numbers == "floats")
        for chosen in few(seeds, exact):
            for merge, deepen in product((True, False), (False, True)[: 1 + chosen.prunes]):
                same: Any = {"algorithm": chosen, "merge": merge, "exact": exact}
                with may_be_too_large(game, chosen):
                    found = et.search(game, depth=game.depth, deepen=deepen, **same)
                    check_found(found, game, exact)
                    grown = found.grown
                    assert merge or grown.merged == 0
                    assert (grown.depth, grown.why_stopped) == (game.depth, "")


@pytest.mark.parametrize("seeds", SEEDS)
def test_the_written_out_tree_is_the_game(seeds: range) -> None:
    for seed in seeds:
        for exact in (True, False):
            game = RandomGame(seed, rare=seed % 4 == 3, floats=not exact)
            for merge in (True, False):
                tree = et.write_out(game, depth=game.depth, merge=merge, exact=exact)
                found = search_tree(tree)
                check_found(found, game, exact)
                nodes = sum(game.reachable(game.depth, merge and game.merges).values())
                assert len(tree) == nodes or (merge and hasattr(game, "same_turn"))
                own = game.write_out(exact, merge and game.merges)
                assert own.utility_range == tree.utility_range
                assert own.unfolded == tree.unfolded or merge


FAR = {
    "a million times wider": (-1e6, 1e6),
    "100 million times wider": (-1e8, 1e8),
    "1e15 times wider": (-1e15, 1e15),
    "one bound": (-1e6, INFINITY),
    "no bounds": (-INFINITY, INFINITY),
}


@pytest.mark.parametrize("unit", [1, 1e-20])
@pytest.mark.parametrize("bounds", FAR.values(), ids=FAR)
@pytest.mark.parametrize("seeds", SEEDS)
def test_small_differences_matter_where_bounds_are_far(
    seeds: range, bounds: Bounds, unit: float
) -> None:
    """The tolerance follows the leaves, not the bounds."""
    for seed in seeds:
        game = RandomGame(seed, state_bounds=False, floats=True)
        if any(row.value is None for row in game.table):
            continue  # then leaves are worth the middle of the bounds
        game.table = [row._replace(value=row.value * Fraction(unit)) for row in game.table]
        greatest = float(max(abs(row.value) for row in game.table)) or 1.0
        game.utility_bounds = bounds[0] * greatest, bounds[1] * greatest
        for chosen in [*(ALL[1:] if seeds != QUICK else FEW), *BEST_FIRST]:
            check_found(et.search(game, depth=game.depth, algorithm=chosen), game, exact=False)
        found = et.search(game, depth=game.depth, algorithm="best-first", goal="action")
        assert is_repeated(game) or best_moves(found, game) <= game.best_moves()


@pytest.mark.parametrize("bounds", FAR.values(), ids=FAR)
@pytest.mark.parametrize("seeds", SEEDS)
def test_far_bounds_of_states_cost_no_digits(seeds: range, bounds: Bounds) -> None:
    for seed in seeds:
        game, random = RandomGame(seed, state_bounds=True, floats=True), Random(seed)
        if any(row.value is None for row in game.table):
            continue
        for n, row in enumerate(game.table):
            far = random.choice((1, 1e3, 1e17, 1e40)) * random.uniform(10, 100)
            game.table[n] = row._replace(bounds=(-far * 10, far * 10))
        game.utility_bounds = bounds[0] * 1000, bounds[1] * 1000
        for chosen in [*(ALL[1:] if seeds != QUICK else FEW), *BEST_FIRST]:
            check_found(et.search(game, depth=game.depth, algorithm=chosen), game, exact=False)


# ---- Every visit.


def pairs(lazy: Tree, whole: Tree) -> Iterator[tuple[int, int]]:
    """Yield the nodes of a tree that has grown with the same nodes of the whole tree."""
    waiting = [(lazy.root_id, whole.root_id)]
    while waiting:
        a, b = waiting.pop()
        yield a, b
        below = lazy.branches_of(a)
        if below:
            others = whole.branches_of(b)
            assert len(below) == len(others)
            assert [lazy.columns.probability[x] for x in below] == [
                whole.columns.probability[x] for x in others
            ]
            waiting += zip(
                (lazy.columns.child[x] for x in below),
                (whole.columns.child[x] for x in others),
                strict=True,
            )


def check_same_visits(lazy: Search, whole: Search) -> None:
    """Check that both searches visited the same nodes, in the same windows."""
    entered = 0
    for a, b in pairs(lazy.tree, whole.tree):
        assert lazy.visits[a] == whole.visits[b]
        entered += bool(lazy.visits[a])
        columns = ["lower", "upper"]
        is_unseen = a in lazy.tree.unknown
        assert not is_unseen or not lazy.visits[a]
        assert is_unseen or lazy.tree.columns.kind[a] == whole.tree.columns.kind[b]
        if lazy.visits[a] and lazy.tree.columns.kind[a] != Kind.TERMINAL:
            columns += ["alpha", "beta", "cut", "cut_after"]
        for column in columns:
            one, other = getattr(lazy, column)[a], getattr(whole, column)[b]
            # Until the first leaf that is not 0, a lazy search adds up every sum anew. A game that
            # has not given a float yet is searched in fractions.
            may_be_rounded = column in ("alpha", "beta") and not lazy.tree.exact
            if may_be_rounded or (lazy.tree.exact and not whole.tree.exact):
                assert other == pytest.approx(float(one), rel=1e-12, abs=1e-12), column
            else:
                assert one == other, column
    assert entered == sum(map(bool, whole.visits))  # none is in a part that has not grown
    assert lazy.cuts == whole.cuts
    assert lazy.counts.visits == whole.counts.visits
    assert lazy.counts.leaves_visited == whole.counts.leaves_visited
    assert [lazy.tree.branches_of(lazy.tree.root_id).index(b) for b in branches(lazy)] == [
        whole.tree.branches_of(whole.tree.root_id).index(b) for b in branches(whole)
    ]


def branches(search: Search) -> list[int]:
    return list(search.best_branches(search.tree.root_id))


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("seeds", SEEDS)
def test_without_merging_every_visit_is_that_of_the_written_out_tree(
    seeds: range, exact: bool
) -> None:
    for seed in seeds:
        game = RandomGame(seed, state_bounds=False, floats=not exact)
        tree = game.write_out(exact, merged=False)
        for chosen in DEPTH_FIRST if seeds != QUICK else FEW:
            lazy = et.search(game, depth=game.depth, algorithm=chosen, merge=False, exact=exact)
            whole = search_tree(tree, chosen, bounds=in_numbers(game.utility_bounds, exact))
            check_same_visits(lazy, whole)


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("seeds", SEEDS)
def test_a_search_of_the_grown_tree_is_the_same_search(seeds: range, exact: bool) -> None:
    """It never enters a leaf whose utility is unknown: the grown tree holds what was needed."""
    for seed in seeds:
        game = RandomGame(seed, state_bounds=False, floats=not exact)
        for chosen in FEW:
            lazy = et.search(game, depth=game.depth, algorithm=chosen, merge=False, exact=exact)
            again = search_tree(lazy.tree, chosen, bounds=lazy.bounds)
            for column in ("lower", "upper", "visits", "cut", "cut_after"):
                assert list(getattr(again, column)) == list(getattr(lazy, column)), column
            assert (again.cuts, again.ties) == (lazy.cuts, lazy.ties)


# ---- The mirror.


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("seeds", SEEDS)
def test_the_mirror_of_a_game_negates_every_result(seeds: range, exact: bool) -> None:
    for seed in seeds:
        game = RandomGame(seed, floats=not exact)
        for chosen in [*FEW, BEST_FIRST[0]] if seeds != QUICK else FEW[1:]:
            for settings in ({}, {"merge": False}, {"deepen": True}, {"max_visits": 9}):
                same: Any = {"depth": game.depth, "algorithm": chosen, "exact": exact, **settings}
                seen, mirror = et.search(game, **same), et.search(Mirror(game), **same)
                assert list(mirror.lower) == [-x for x in seen.upper]
                assert list(mirror.upper) == [-x for x in seen.lower]
                assert list(mirror.visits) == list(seen.visits)
                assert list(mirror.cut_after) == list(seen.cut_after)
                assert (mirror.cuts, mirror.ties) == (seen.cuts, seen.ties)
                assert mirror.grown == seen.grown
