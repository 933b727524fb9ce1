"""Stopped searches of games: their intervals hold the values; and everything that shows them."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from copy import deepcopy
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import pytest
from game_trees import Long
from helpers import LONG, seed_ranges
from random_games import RandomGame
from random_trees import BEST_FIRST, STAR25

import expectitree as et
from expectitree import ALGORITHMS, Outcome, Search
from expectitree.base.algorithms import Algorithm
from expectitree.base.errors import SearchError
from expectitree.base.numbers import INFINITY
from expectitree.games import loops
from expectitree.games.found import GameSearch

LAZY = [
    *(ALGORITHMS[name] for name in ("alphabeta", "star1", "star2")),
    *STAR25[2:6],
    *BEST_FIRST,
    et.algorithm("best-first", goal="action"),
]
SEEDS = seed_ranges(2, 24, 300)


def places(
    search: GameSearch, game: RandomGame, is_sorted: bool = False
) -> Iterator[tuple[int, int, int]]:
    """Yield each node of a search with its position and the plies left there.

    If moves are sorted, their labels find them, and moves without labels are left out.
    """
    tree = search.tree
    waiting, seen = [(tree.root_id, 0, search.grown.depth)], set()
    while waiting:
        at = node, n, plies = waiting.pop()
        if at in seen:
            continue
        seen.add(at)
        yield at
        children, names = game.children(n, plies), [name for name, _ in game.table[n].moves]
        branches = tree.branches_of(node)
        assert len(branches) in (0, len(children))
        for place, b in enumerate(branches):
            label = tree.label[b]
            if label is not None:
                place = names.index(label.split()[0])
            elif is_sorted:
                continue
            waiting.append((tree.columns.child[b], *children[place]))


def check_sound(search: GameSearch, game: RandomGame, is_sorted: bool = False) -> None:
    """Check the interval of every node against the definition."""
    # Intervals that follow from bounds alone are rounded too; eps may be 0 where no leaf was seen.
    ends = [end for end in (*search.lower, *search.upper) if abs(end) < INFINITY]
    slack = 20 * search.eps + (0 if search.tree.exact else 1e-14 * max(map(abs, ends), default=0))
    known: dict[tuple[int, int], Fraction] = {}
    for node, n, plies in places(search, game, is_sorted):
        if (n, plies) not in known:
            known[n, plies] = game.definition(n, plies)
        assert search.lower[node] - slack <= known[n, plies] <= search.upper[node] + slack, node


def limits(game: RandomGame, random: Random) -> Iterator[dict[str, Any]]:
    """Yield limits that stop some searches of a game, and not others."""
    size = max(5, sum(game.reachable(game.depth, merged=False).values()))
    yield {"max_visits": random.randint(1, size // 2)}
    yield {"max_rows": random.randint(len(game.table[0].moves) + 1, size)}
    yield {"seconds": random.choice((1e-9, 1e-4, 5e-4))}


def test_every_reason_to_stop_is_tested() -> None:
    game = RandomGame(12, state_bounds=False)
    reasons = set()
    for limit in ({"max_visits": 9}, {"max_rows": 9}, {"seconds": 1e-9}, {}):
        found = et.search(game, depth=game.depth, **limit)  # type: ignore[arg-type]
        assert (found.outcome is Outcome.STOPPED) == found.stopped == bool(limit)
        reasons.add(found.grown.why_stopped)
    assert reasons == {
        "the limit of visits was reached",
        "random game 12: more than 9 rows at depth 4: choose a smaller --depth, or allow more with "
        "--max-rows",
        "the limit of 1e-09 s was reached",
        "",
    }


@pytest.mark.parametrize("seeds", SEEDS)
def test_stopped_searches_are_sound(seeds: range) -> None:
    for seed in seeds:
        game, random = RandomGame(seed), Random(seed)
        for chosen in LAZY:
            for limit in limits(game, random):
                exact, merge = random.random() < 0.5, random.random() < 0.5
                game.number_type = Fraction if exact else float
                same: Any = {"algorithm": chosen, "exact": exact, "merge": merge, **limit}
                found = et.search(game, depth=game.depth, **same)
                assert found.grown.depth == game.depth
                assert found.stopped == bool(found.grown.why_stopped)
                assert found.outcome is not Outcome.STOPPED or found.stopped
                # A state that was searched before has its best move first.
                check_sound(found, game, is_sorted=True)
                check_limit(found, **limit)


def test_pauses_change_nothing() -> None:
    for seed in range(3):
        game = RandomGame(seed)
        for chosen in LAZY:
            found = et.search(game, depth=game.depth, algorithm=chosen)
            with mock.patch.object(loops, "PAUSE", 1):
                same_search(et.search(game, depth=game.depth, algorithm=chosen), found)


def check_limit(found: GameSearch, **limit: Any) -> None:
    assert found.counts.visits <= limit.get("max_visits", found.counts.visits)
    assert len(found.tree) <= limit.get("max_rows", len(found.tree))


@pytest.mark.parametrize("seeds", SEEDS)
def test_deepening_returns_the_last_depth_that_was_finished(seeds: range) -> None:
    for seed in seeds:
        game, random = RandomGame(seed), Random(seed)
        for chosen in LAZY:
            for limit in limits(game, random):
                exact = random.random() < 0.5
                game.number_type = Fraction if exact else float
                same: Any = {"algorithm": chosen, "exact": exact}
                found = et.search(game, depth=game.depth, deepen=True, **same, **limit)
                depth = found.grown.depth
                check_sound(found, game, is_sorted=True)
                if not found.grown.why_stopped:
                    assert depth == game.depth
                    assert not found.stopped
                elif found.stopped:
                    assert depth == 1
                else:  # it is the whole search of that depth
                    assert 1 <= depth < game.depth
                    whole = et.search(game, depth=depth, deepen=True, **same)
                    assert list(found.visits) == list(whole.visits)
                    assert list(found.lower) == list(whole.lower)
                    assert (found.best, found.outcome) == (whole.best, whole.outcome)


@pytest.mark.parametrize("chosen", LAZY, ids=lambda chosen: chosen.full_name)
def test_what_was_grown_is_counted(chosen: Algorithm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("expectitree.games.calls.CHECKED", 0)
    for seed in range(4):
        game = RandomGame(seed)
        for merge in (True, False):
            game.calls.clear()
            found = et.search(game, depth=game.depth, algorithm=chosen, merge=merge)
            grown = found.grown
            assert grown.evaluations == game.calls["value"]
            if found.is_exact(found.tree.root_id):  # then the goal does not matter
                assert grown.rows == len(found.tree) or merge
            assert grown.rows >= game.calls["play"] - grown.merged + 1
            assert bool(grown.merged) <= (merge and game.merges)


@pytest.mark.parametrize("limit", [{"seconds": 9}, {"deepen": True}, {"max_visits": 9}])
def test_expectiminimax_cannot_be_limited(limit: dict[str, Any]) -> None:
    with pytest.raises(SearchError) as caught:
        et.search(RandomGame(12), depth=3, algorithm="expectiminimax", **limit)
    assert str(caught.value) == (
        "deepen, seconds and max_visits are for searches that make the tree as they go, and "
        "expectiminimax searches the whole tree: remove them, or choose another algorithm, such "
        "as star2"
    )


# ---- What shows a search.


def same_tree(found: Search, folder: Path, name: str) -> None:
    et.save(found.tree, folder / name, drop_fractions=True)
    again = et.load(folder / name)
    assert len(again) == len(found.tree)
    assert again.unknown == found.tree.unknown
    assert again.estimated == found.tree.estimated
    assert list(again.label) == list(found.tree.label)
    assert again.title == found.tree.title


def same_search(found: Search, other: Search) -> None:
    assert (other.best, other.ties, other.strategy) == (found.best, found.ties, found.strategy)
    assert other.interval("/") == found.interval("/")
    assert other.grown == found.grown
    assert et.to_text(other) == et.to_text(found)


def explanations(found: Search) -> None:
    for _, path in [*found.tree.walk()][:9]:
        if found.outcome is et.Outcome.ACTION:
            with pytest.raises(et.AnalysisError, match="remove --goal action"):
                et.explain(found, path)
        else:
            assert et.explain(found, path)


SHOWN: dict[str, Callable[[Search, Path], object]] = {
    "text": lambda found, _: et.to_text(found),
    "json": lambda found, _: json.loads(et.to_json(found)),
    "svg": lambda found, _: et.to_svg(found),
    "explain": lambda found, _: explanations(found),
    "strategy": lambda found, _: found.strategy,
    "unvisited": lambda found, _: found.unvisited,
    "repr": lambda found, _: repr(found) + repr(found.tree),
    "pickle": lambda found, _: same_search(found, pickle.loads(pickle.dumps(found))),
    "copy": lambda found, _: same_search(found, deepcopy(found)),
    "arrow": lambda found, folder: same_tree(found, folder, "tree.arrow"),
    "parquet": lambda found, folder: same_tree(found, folder, "tree.parquet"),
}


@pytest.mark.parametrize("name", SHOWN)
@pytest.mark.parametrize(
    "seeds",
    [
        range(3, 4),
        pytest.param(range(4, 8), marks=pytest.mark.slow),
        pytest.param(range(8, 60), marks=LONG),
    ],
)
def test_everything_shows_the_search_of_a_game(name: str, seeds: range, tmp_path: Path) -> None:
    for seed in seeds:
        game, random = RandomGame(seed, floats=seed % 2 == 0), Random(seed)
        for chosen in (*LAZY[2:5], LAZY[-1], LAZY[-5]):
            for limit in ({}, *limits(game, random)):
                same: Any = {"algorithm": chosen, "deepen": random.random() < 0.3, **limit}
                SHOWN[name](et.search(game, depth=game.depth, **same), tmp_path)


def test_labels_are_asked_for_when_they_are_read() -> None:
    """So a search of a large game does not spend its time on them."""
    game = RandomGame(4)
    labels: list[Any] = []
    game.label = lambda state, move: labels.append(move) or str(move)  # type: ignore[func-returns-value]
    found = et.search(game, depth=game.depth)
    assert not labels
    assert found.best == "m0" or found.best is None or found.best.startswith(("m", "#"))
    assert 0 < len(labels) <= len(game.table[0].moves)


# ---- Edge cases.


def test_the_moves_of_a_search_of_the_whole_tree() -> None:
    options: Any = {"game": "game:pig(target=10)", "algorithm": "expectiminimax"}
    assert et.search(**options, depth=0).moves == ()
    line = et.search(**options, depth=5).line
    assert [step.move for step in line] == ["roll", 1, "roll", 1, "roll"]


def test_a_game_that_is_over_and_a_depth_of_0() -> None:
    for chosen, about in ALGORITHMS.items():
        for deepen in (False, True)[: 1 + about.prunes]:
            for depth, state, value in ((0, 0, 0), (5, 1, 1), (0, 1, 1), (5, 0, 1)):
                found = et.search(
                    Long(1), depth=depth, algorithm=chosen, state=state, deepen=deepen
                )
                assert found.value == value
                assert found.best == ("0" if (depth, state) == (5, 0) else None)
                assert et.to_text(found)
        assert len(et.write_out(Long(1), depth=0)) == 1


@pytest.mark.slow
@pytest.mark.parametrize(("chosen", "length"), [("star2", 2000), ("best-first", 300)])
def test_a_long_game_needs_no_recursion(chosen: str, length: int) -> None:
    found = et.search(Long(length), depth=length + 9, algorithm=chosen)
    assert found.value == length
    assert len(found.tree) == length + 1
    assert et.search(Long(length), depth=100, algorithm=chosen).value == 100


@pytest.mark.parametrize("rows", [40, 150, 300, 700])
def test_the_estimates_of_a_depth_are_not_those_of_a_deeper_one(rows: int) -> None:
    """A deeper search that was stopped has made rows of states that the last depth has, too."""
    found = et.search("game:pig(target=10)", depth=9, deepen=True, max_rows=rows)
    same = et.search("game:pig(target=10)", depth=found.grown.depth, deepen=True)
    assert found.grown.estimated == same.grown.estimated <= found.counts.leaves_total
    assert found.grown.why_stopped
