"""Trees that grow by plies, through `expand`, are those that grow row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import numpy as np
import pytest
from helpers import GAMES, seed_ranges
from random_games import RandomGame

import expectitree as et
from expectitree import Tree
from expectitree.base.errors import GameError
from expectitree.games import engine, plies, searching
from expectitree.games.built_in.pig import Pig
from expectitree.games.finding import find_game
from expectitree.games.growth import Rows
from expectitree.games.loops import harvest
from expectitree.games.plies import Plies
from expectitree.games.positions import position
from expectitree.games.rules import Options, RowsError, Rules
from expectitree.games.states import States
from expectitree.searches.engine import search_tree
from expectitree.searches.progress import listening

TURNS = {None: 0, "max": 1, "min": 2, "chance": 3}
# Each a game, a depth, and moves to play first.
DEEP = [
    ("game:pig(target=12,die=3)", 14, ""),
    ("game:pig", 9, ""),
    ("game:pig(target=20)", 6, "roll,6,roll,5,roll"),
    ("game:2048(goal=8)", 4, ""),
    ("game:2048", 4, "2 at a1,2 at b1"),
    ("game:2048", 3, "2 at a1,4 at a2,down,2 at c3"),
    ("game:einstein", 5, ""),
    ("game:einstein", 4, "3"),
]
STARTS = [
    ("game:einstein", 5, ".2.../...../..b../.4..f/.a3.. min"),
    ("game:einstein", 5, "..5../..f../...4./.2b../..... max 4"),
    ("game:einstein", 3, "....1/...../...../...../a.... max"),
    ("game:2048(goal=64)", 4, "32 32 0 4/2 4 8 16/4 8 16 32/8 16 32 4"),
    ("game:2048", 2, "2 4 2 4/4 2 4 2/2 4 2 4/4 2 4 2"),
    ("game:2048", 3, "4096 4 2 4/4 2 4 2/2 4 0 4/4 2 4 2"),
]
CASES = [
    pytest.param(name, depth, None, play, marks=[pytest.mark.slow] * (place % 3 == 0))
    for place, (name, depth, play) in enumerate(DEEP)
]
CASES += [pytest.param(name, depth, start, "") for name, depth, start in STARTS]


def both(game: Any, depth: int, state: Any) -> tuple[Plies | None, Rows]:
    """Return the tree of a position by plies, unless that is not possible, and row by row."""
    by_plies = Plies(Rules(game, Options(False)), state, depth)
    by_rows = row_by_row(Rules(game, Options(False)), depth, state)
    return by_plies if by_plies.grow() else None, by_rows


def row_by_row(rules: Rules, depth: int, state: Any) -> Rows:
    states = States(rules)
    rows = Rows(states, is_whole=True, estimates=True)
    rows.plant(states.find(state), depth)
    assert rows.grow_all(rules.max_rows)
    return rows


def pairs(one: Tree, other: Tree) -> Iterator[tuple[int, int]]:
    return zip(one.first_paths.order, other.first_paths.order, strict=True)


def check_equal(one: Tree, other: Tree) -> None:
    """Check that two trees differ in the numbers of their nodes only."""
    assert len(one) == len(other)
    assert len(one.columns.child) == len(other.columns.child)
    known = dict(pairs(one, other))
    for a, b in known.items():
        x, y = one.columns, other.columns
        assert x.kind[a] == y.kind[b]
        assert x.utility[a] == pytest.approx(y.utility[b], rel=0, abs=0, nan_ok=True)
        assert one.local_bounds.get(a) == other.local_bounds.get(b)
        assert (a in one.estimated) == (b in other.estimated)
        mine, theirs = one.branches_of(a), other.branches_of(b)
        assert [known[x.child[i]] for i in mine] == [y.child[i] for i in theirs]
        assert [x.probability[i] for i in mine] == [y.probability[i] for i in theirs]
        assert [one.label[i] for i in mine] == [other.label[i] for i in theirs]


def check_grown(grown: Plies, rows: Rows) -> None:
    """Check that two trees, and searches of them, are equal."""
    assert (grown.made, grown.merged) == (rows.count + rows.merged, rows.merged)
    assert grown.rows == rows.count
    whole = harvest(rows, rows.in_order(0), 0)[0]
    check_equal(grown.tree(), whole)
    one, other = search_tree(grown.tree()), search_tree(whole)
    assert (one.value, one.best, one.ties) == (other.value, other.best, other.ties)
    assert (one.eps, one.bounds_source) == (other.eps, other.bounds_source)
    assert one.counts == other.counts
    for a, b in pairs(one.tree, whole):
        assert (one.lower[a], one.upper[a]) == (other.lower[b], other.upper[b])
    for name in ("star1", "star2"):
        pruned, same = (search_tree(tree, name) for tree in (one.tree, whole))
        assert (pruned.value, pruned.best) == (same.value, same.best)
        assert (pruned.counts, pruned.cuts) == (same.counts, same.cuts)


@pytest.mark.parametrize(("name", "depth", "start", "play"), CASES)
def test_expand_makes_the_tree_that_the_four_methods_make(
    name: str, depth: int, start: str | None, play: str
) -> None:
    game = find_game(name)
    grown, rows = both(game, depth, position(game, start=start, play=play))
    assert grown is not None
    check_grown(grown, rows)


class Packed(RandomGame):
    """A random game whose `expand` calls the other methods; `scales` are those of its columns."""

    scales = (1,)

    def pack(self, state: Any) -> list[int]:
        return [self.number(state) * scale for scale in self.scales]

    def expand(self, states: Any) -> tuple[Any, ...]:
        rows = [self.table[n // self.scales[0]] for n in states[0]]
        scales = np.array([self.scales]).T
        # Only the order of one parent's children matters.
        children = [(n, move) for n in range(len(rows) - 1, -1, -1) for move in rows[n].moves]
        p = [row.probabilities or [1] * len(row.moves) for row in rows[::-1]]
        values = [np.nan if row.value is None else float(row.value) for row in rows]
        found = (
            np.array([TURNS[row.turn] for row in rows]),
            np.array([n for n, _ in children], int),
            np.array([[target for _, (_, target) in children]], np.int64) * scales,
            np.array([float(x) for own in p for x in own]),
            np.array(values),
        )
        bounds = np.array([[float(end) for end in row.bounds] for row in rows]).T
        return (*found, bounds) if self.has_bounds else found


class Wide(Packed):
    scales = (2**40, -(2**45), 3)


SEEDS = seed_ranges(40, 400, 4000)


def test_states_without_numbers_are_equal() -> None:
    states, first, number = plies.merged(np.zeros((0, 3), np.int64))
    assert (states.shape, [*first], [*number]) == ((0, 1), [0], [0, 0, 0])


@pytest.mark.parametrize("kind", [Packed, Wide])
@pytest.mark.parametrize("seeds", SEEDS)
def test_trees_of_random_games_are_those_that_grow_row_by_row(
    seeds: range, kind: type[Packed]
) -> None:
    count = 0
    for seed in seeds:
        game = kind(seed, rare=seed % 4 == 3, floats=True)
        if not Rules(game, Options(False)).expands:
            continue
        with mock.patch.object(plies, "STATES_AT_ONCE", 3):
            grown, rows = both(game, game.depth, game.start)
        if grown is None:  # then a leaf is worth the middle of its bounds
            assert any(row.value is None for row in game.table)
            continue
        check_grown(grown, rows)
        count += 1
    assert count > len(seeds) / 6


# ---- When a tree grows by plies.


def by_plies(**options: Any) -> bool:
    """Return whether a search of a large tree of pig grows by plies."""
    plies_only = mock.patch.object(Plies, "grow", autospec=True, side_effect=Plies.grow)
    with plies_only as grow, mock.patch.object(engine, "FEW_ROWS", 20):
        et.write_out(**({"game": "game:pig(target=9)", "depth": 5} | options))
    return bool(grow.call_count)


def test_the_four_methods_do_what_expand_cannot() -> None:
    assert by_plies()
    assert not by_plies(depth=2)
    assert not by_plies(exact=True)
    assert not by_plies(merge=False)
    assert not by_plies(estimate=lambda state: 0)
    assert not by_plies(game=GAMES["blackjack"])


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("game:2048", "4294967296 0 0 0/0 0 0 0/0 0 0 0/0 0 0 0"),
        ("game:einstein", "11.../...../...../...../..cba max"),
    ],
)
def test_a_state_that_cannot_be_packed_grows_row_by_row(name: str, start: str) -> None:
    game = find_game(name)
    grown, rows = both(game, 3, position(game, start=start))
    assert grown is None
    assert len(rows.kind) > 0


@pytest.mark.parametrize("packed", [None, [2**70, 0, 0, 0, 0]])
def test_a_game_may_refuse_to_pack(packed: Any) -> None:
    game: Any = Pig(target=9)
    game.pack = lambda state: packed
    assert not Plies(Rules(game, Options(False)), game.start, 4).grow()
    with mock.patch.object(engine, "FEW_ROWS", 20):
        assert len(et.write_out(game, depth=5)) == len(et.write_out(Pig(target=9), depth=5))


def test_few_rows_are_computed_in_fractions_and_many_in_floats(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game, depth = Pig(target=9), 8
    exact = et.write_out(game, depth=depth)
    rows = row_by_row(Rules(game, Options(True)), depth, game.start)
    estimated = sum(map(rows.is_estimated, range(rows.count)))
    monkeypatch.setattr(engine, "FEW_ROWS", 20)
    for many, is_exact in ((len(exact), True), (len(exact) - 1, False)):
        monkeypatch.setattr(searching, "EXACT_NODES", many)
        monkeypatch.setattr(engine, "EXACT_ROWS", many)
        assert et.write_out(game, depth=depth).exact == is_exact
        found = et.search(game, depth=depth, algorithm="expectiminimax")
        assert found.tree.exact == is_exact
        counts = len(exact), exact.leaves, rows.merged
        assert found.grown == et.Grown(depth, *counts, estimated=estimated)
        assert found.value == pytest.approx(float(et.evaluate(exact).value), rel=1e-14)
        assert bool(found.eps) != is_exact


def test_rows_are_limited_and_reported_as_they_are_row_by_row() -> None:
    """Equal states of the last ply count until they are merged."""
    game = Pig()
    tree = row_by_row(Rules(game, Options(False)), 7, game.start)
    rows = tree.count + tree.merged
    reports: list[tuple[int, int | None]] = []
    with listening(lambda done, whole: reports.append((done, whole))):
        assert Plies(Rules(game, Options(False, max_rows=1_061)), game.start, 7).grow()
    assert reports[-1] == (rows, None)
    with pytest.raises(RowsError) as caught:
        Plies(Rules(game, Options(False, max_rows=1_060)), game.start, 7).grow()
    assert str(caught.value) == (
        "Pig to 100: more than 1,060 rows at depth 7: choose a smaller --depth, or allow "
        "more with --max-rows"
    )


# ---- Errors.


def changed(place: int, change: Callable[[Any], Any]) -> Any:
    """Return a game of pig whose `expand` gives another column at one place."""

    class Wrong(Pig):
        def expand(self, states: Any) -> tuple[Any, ...]:
            found = [*super().expand(states)]
            found[place] = change(found[place])
            return tuple(found)

    return Wrong(target=9)


WRONG: list[tuple[int, Callable[[Any], Any], str]] = [
    (0, lambda turns: turns + 3, "expected turns 0 (over) without children, or 1, 2, 3 with some"),
    (0, lambda turns: turns * 0, "expected turns 0 (over) without children, or 1, 2, 3 with some"),
    (0, lambda turns: turns[1:], "expected columns of the shapes turns [n], parents [m]"),
    (1, lambda parents: parents - 1, "gives array([-1, -1]), expected parents from 0 to n - 1"),
    (1, lambda parents: parents + 1, "expected parents from 0 to n - 1"),
    (2, lambda children: children[:-1], "expected columns of the shapes"),
    (3, lambda p: p / 2, "gives array([0.5, 0.5]), expected 1 for moves, and the sum 1 for"),
    (3, lambda p: np.where(p < 1, 0.16, p), "expected 1 for moves, and the sum 1 for outcomes"),
    (3, lambda p: p * np.nan, "expected 1 for moves, and the sum 1 for outcomes"),
    (4, lambda values: values + 2, "gives 2.0, expected a finite value within the bounds [-1.0"),
    (4, lambda values: values - np.inf, "gives -inf, expected a finite value within"),
    (4, lambda values: values / "a", "raises"),
]


@pytest.mark.parametrize(("place", "change", "message"), WRONG)
def test_wrong_columns_are_errors(place: int, change: Callable[[Any], Any], message: str) -> None:
    game = changed(place, change)
    with pytest.raises(GameError) as caught:
        Plies(Rules(game, Options(False)), game.start, 4).grow()
    assert str(caught.value).startswith("Pig to 9: expand(array([")
    assert message in str(caught.value)


def test_expand_needs_pack() -> None:
    game: Any = RandomGame(12)
    game.expand = bool
    with pytest.raises(GameError, match="RandomGame has no method pack: a game has turn, moves,"):
        Rules(game, Options())


@pytest.mark.parametrize("packed", ["text", [0.5], 7])
def test_pack_gives_whole_numbers(packed: Any) -> None:
    game: Any = Pig(target=9)
    game.pack = lambda state: packed
    with pytest.raises(GameError, match=r"pack\(.*\) gives .*, expected a list of whole numbers"):
        Plies(Rules(game, Options(False)), game.start, 4).grow()
