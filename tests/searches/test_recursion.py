"""The recursion that interpreted searches use, held equal to the loop that is compiled."""

from __future__ import annotations

import sys
from fractions import Fraction
from random import Random
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_trees import PRUNED, REWARDS, build, random_rows

import expectitree as et
from expectitree.searches import engine
from expectitree.searches.engine import search_window
from expectitree.searches.recursion import MAX_PLIES, search_recursively

COLUMNS = ("lower", "upper", "visits", "alpha", "beta", "cut", "cut_after")


def results(tree: et.Tree, *arguments: Any, plies: int = MAX_PLIES) -> list[Any]:
    """Return all that a search writes and counts; check that it recurses, unless `plies` is 0."""
    kind = "auto" if tree.exact else "interpreted"
    with (
        mock.patch.object(engine, "search_recursively", wraps=search_recursively) as called,
        mock.patch.object(engine, "MAX_PLIES", plies),
    ):
        algorithm, bounds, window, most = arguments
        known = bounds, "option"
        found = search_window(tree, algorithm, known, window, kind, most)
    assert called.called == (0 < tree.heights[-1] <= plies)
    return [list(getattr(found, name)) for name in COLUMNS] + [found.cuts, found.stopped]


@pytest.mark.parametrize("exact", [True, False])
@given(seed=st.integers(0, 2**32 - 1))
def test_the_recursion_writes_what_the_loop_writes(seed: int, exact: bool) -> None:
    """Trees have rewards, shared nodes, repeated outcomes and probabilities of 0."""
    random = Random(seed)
    rows = random_rows(random, 0, random.choice((*REWARDS, (0,), (0,), (0,))))
    tree = build(rows, exact)
    least, greatest = tree.total_ends
    margin = max(abs(least), abs(greatest))
    bounds = least - margin / 2, greatest + margin
    grid = [bounds[0] + (bounds[1] - bounds[0]) * Fraction(i, 18) for i in range(19)]
    if not exact:
        grid = list(map(float, grid))
    window = tuple(sorted(random.choices(grid, k=2)))
    for chosen in random.sample(PRUNED, 4):
        for one in ((window, None), (bounds, None), (bounds, random.randint(1, 2 * len(rows)))):
            found = results(tree, chosen, bounds, *one)
            assert found == results(tree, chosen, bounds, *one, plies=0), chosen.full_name


def test_deep_trees_and_deep_callers_are_left_to_the_loop() -> None:
    """A recursion of the caller may leave no room for another."""

    def chain(plies: int) -> et.Tree:
        builder = et.TreeBuilder()
        node = builder.terminal(1)
        for i in range(plies):
            node = (builder.max, builder.min)[i % 2]([builder.terminal(i % 2 * 3), node])
        return builder.build(node)

    def search_below(calls: int) -> et.Search:
        return search_below(calls - 1) if calls else et.evaluate(deepest, "star1")

    deepest = chain(MAX_PLIES)
    with mock.patch.object(engine, "search_recursively", wraps=search_recursively) as called:
        direct = et.evaluate(deepest, "star1")
        assert called.called
        called.reset_mock()
        et.evaluate(chain(MAX_PLIES + 1), "star1")
        assert not called.called
        depth = len(_frames())
        below = search_below(sys.getrecursionlimit() - depth - MAX_PLIES + 50)
        assert called.called
    assert (below.counts, below.value) == (direct.counts, direct.value)


def _frames() -> list[Any]:
    frame, found = sys._getframe(), []
    while frame is not None:
        found.append(frame)
        frame = frame.f_back  # type: ignore[assignment]
    return found
