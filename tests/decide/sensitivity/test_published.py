"""Published numbers of decision analyses, and those of the specification."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pytest
from helpers import ROOT, load, loads

import expectitree as et
from expectitree import Tree
from expectitree.decide.sensitivity.exact import break_even
from expectitree.decide.sensitivity.strategies import strategies_of
from expectitree.searches.engine import search_tree

F = Fraction
EXACT = pytest.mark.parametrize("exact", [True, False])

# The value of each strategy by pr. SilverDecisions publishes those at 0.3, in this order.
STRATEGIES = {
    0: (750, -250, -350, 175, 25, 550),
    F(3, 10): (750, 500, 400, 715, 325, 640),
    F(1, 2): (750, 1000, 900, 1075, 525, 700),
    1: (750, 2250, 2150, 1975, 1025, 850),
}


def example(name: str, exact: bool = True) -> Tree:
    return load(ROOT / "trees" / f"{name}.yaml", exact=exact)


def pieces(found: Any) -> list[tuple[Fraction, tuple[str, ...]]]:
    """Return where each piece ends, and the best actions in it."""
    return [(piece.end, piece.best) for piece in found.pieces]


# ---- O1, Rockefeller (SilverDecisions).


@EXACT
def test_one_way_thresholds_of_rockefeller(exact: bool) -> None:
    tree = example("rockefeller", exact)
    found = et.sensitivity(tree, "pr", range=(0, 1))
    assert pieces(found) == [(F(23, 72), ("sell",)), (F(17, 28), ("test",)), (1, ("install",))]
    assert [one.exact for one in found.thresholds] == [F(23, 72), F(17, 28)]
    assert [one.value for one in found.thresholds] == [750, F(8875, 7)]
    assert [one.at for one in found.thresholds] == [("sell", "test"), ("install", "test")]
    assert found.slack == (F(1, 2) - F(23, 72), F(17, 28) - F(1, 2))
    assert (found.value, found.best) == (1075, ("test",))
    sens = et.sensitivity(tree, "sens", range=(0, 1))
    assert pieces(sens) == [(F(7, 50), ("test",)), (F(57, 70), ("install",)), (1, ("test",))]


@EXACT
def test_each_row_of_the_map_of_rockefeller(exact: bool) -> None:
    tree = example("rockefeller", exact)
    found = et.sensitivity_map(tree, "pr", "sens", ranges=[(0, 1), (0.7, 1)], grid=4)
    ends = [[piece.end for piece in row.pieces[:-1]] for row in found.rows]
    places = (58, 42), (65, 35), (72, 28), (79, 21)
    assert ends == [[F(23, low), F(17, high)] for low, high in places]


@EXACT
def test_tornado_of_rockefeller(exact: bool) -> None:
    tree = example("rockefeller", exact)
    bars = et.tornado(tree).bars
    assert [(b.range.name, b.least, b.greatest) for b in bars] == [
        ("pr", 750, 1500), ("sens", 1000, F(2325, 2)), ("spec", 1000, 1150),
    ]  # fmt: skip
    changes = [[one.exact for one in bar.thresholds] for bar in bars]
    assert changes == [[F(23, 72), F(17, 28)], [F(57, 70)], [F(1, 2)]]
    assert bars[2].thresholds[0].before == ()  # a tie at the end of the range
    fixed = et.tornado(tree, fixed=True).bars
    assert [(b.range.name, b.least, b.greatest) for b in fixed] == [
        ("pr", 715, 1435), ("sens", F(1975, 2), F(2325, 2)), ("spec", 1000, 1150),
    ]  # fmt: skip


@pytest.mark.parametrize("pr", STRATEGIES)
def test_values_of_all_strategies_of_rockefeller(pr: Fraction) -> None:
    tree = example("rockefeller").with_parameters(pr=pr)
    found = strategies_of(tree).strategies
    assert all([*one.choices] in (["/"], ["/", "test/plus", "test/minus"]) for one in found)
    values = {tuple(one.choices.values()): one.value for one in found}
    later = itertools.product(("install", "sell"), repeat=2)
    order = [("sell",), ("install",), *(("test", *actions) for actions in later)]
    assert len(values) == len(found) == 6
    assert tuple(values[actions] for actions in order) == STRATEGIES[pr]


# ---- O2, the movie contract (Radiant).


@EXACT
def test_break_even_fees_of_the_movie_contract(exact: bool) -> None:
    tree = example("movie-contract", exact)
    assert search_tree(tree.with_parameters(fees=0)).value == 960_000
    found = et.sensitivity(tree, "fees")
    assert (found.value, pieces(found)) == (955_000, [(60_000, ("movie",)), (80_000, ("tv",))])
    for equation, value in (("movie = tv", 900_000), ("value = 950000", 950_000)):
        (one,) = break_even(tree, "fees", equation).meetings
        assert (one.exact, one.value) == (960_000 - value, value)


# ---- O5, Texaco and Pennzoil (Clemen, exercise 5.12).


@EXACT
def test_the_infeasible_corner_of_texaco_is_blank(exact: bool) -> None:
    text = """parameters: {p: {value: 0.17, range: [0, 1]}, q: {value: 0.5, range: [0, 1]}}
nodes: {court: {chance: {0.2: 10.3, 0.5: 5, 0.3: 0}}}
max:
  accept: 2
  counter:
    chance:
      accepted: {p: p, utility: 5}
      refused: {p: q, ref: court}
      answered: {p: rest, max: {accept: 3, refuse: {ref: court}}}
"""
    tree = loads(text, exact=exact)
    found = et.sensitivity_map(tree, "p", "q", grid=11)
    for row in found.rows[:-1]:
        (piece,) = row.pieces
        assert (piece.start, piece.end, piece.best) == (0, 1 - row.at, ("counter",))
    assert found.rows[-1].pieces == ()
    lengths = [line.count("c") for line in et.to_text(found).splitlines()[3:-1]]
    assert lengths == sorted(set(lengths))
    assert (lengths[0], lengths[-1]) == (0, 60)
    assert found.best_at(found.rows[5], F(3, 4)) is None
    (value,) = {piece.value for piece in et.sensitivity(tree, "p", range=(0, 0.5)).pieces}
    assert value is not None
    assert value(F(17, 100)) == F(46348, 10000)
