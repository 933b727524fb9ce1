"""Trees that grow by plies, through `expand`, are those that grow row by row."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from fractions import Fraction
from typing import Any
from unittest import mock

import pytest

import expectitree as et
from expectitree import Tree
from expectitree.base.errors import GameError
from expectitree.base.numbers import INFINITY
from expectitree.games import plies, searching
from expectitree.games.finding import find_game
from expectitree.games.growth import Growth
from expectitree.games.plies import Plies
from expectitree.games.positions import position
from expectitree.games.rules import Options, RowsError, Rules

# Each a game, a depth, and moves to play first.
DEEP = [
    ("game:pig(target=12,die=3)", 14, ""),
    ("game:pig", 9, ""),
    ("game:pig(target=20)", 6, "roll,6,roll,5,roll"),
    ("game:2048(goal=8)", 5, ""),
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
CASES = [(name, depth, None, play) for name, depth, play in DEEP]
CASES += [(name, depth, start, "") for name, depth, start in STARTS]


def both(name: str, depth: int, start: str | None, play: str) -> tuple[Plies, Growth]:
    """Return the tree of a position by plies, and the same row by row, both in floats."""
    game = find_game(name)
    state = position(game, start=start, play=play)
    by_plies = Plies(Rules(game, Options(False)), state, depth)
    assert by_plies.grow()
    return by_plies, searching._by_rows(Rules(game, Options(False)), depth, state)


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
        assert x.utility[a] == y.utility[b]
        assert one.local_bounds.get(a) == other.local_bounds.get(b)
        assert (a in one.estimated) == (b in other.estimated)
        mine, theirs = one.branches_of(a), other.branches_of(b)
        assert [known[x.child[i]] for i in mine] == [y.child[i] for i in theirs]
        assert [x.probability[i] for i in mine] == [y.probability[i] for i in theirs]
        assert [one.label[i] for i in mine] == [other.label[i] for i in theirs]


@pytest.mark.parametrize(("name", "depth", "start", "play"), CASES)
def test_expand_makes_the_tree_that_the_four_methods_make(
    name: str, depth: int, start: str | None, play: str
) -> None:
    grown, rows = both(name, depth, start, play)
    assert grown.made == rows.made
    assert grown.merged == rows.merged
    assert grown.rows == rows.rules.evaluations
    check_equal(grown.tree(), searching.harvest(rows, whole=True)[0])
