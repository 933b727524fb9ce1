"""The recursion: what it claims of rounding, how deep it goes, and how it is allowed to go on."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from helpers import COMPILED, seed_ranges
from oracle import definitions
from random_trees import PRUNED, build, random_rows

import expectitree as et
from expectitree.base.algorithms import Algorithm
from expectitree.base.deep_calls import DeepCall

UNITS = (3e-16, 1e-15, 3e-15, 1e-14)  # half of `eps` to 8 times as much in most of the trees


def near_ties(seed: int) -> tuple[et.Tree, et.Tree]:
    """Return a tree in fractions and in floats, whose utilities differ by units of rounding."""
    random = Random(seed)
    unit = random.choice(UNITS)
    utilities = [Fraction(1 + step * unit) for step in range(9)]
    rows = random_rows(random, 0, utilities=utilities, weights=(1, 2, 3, 4))
    return build(rows, exact=True), build(rows, exact=False)


@pytest.mark.parametrize("engine", ["interpreted", COMPILED])
@pytest.mark.parametrize("seeds", seed_ranges(150, 1000, 4000))
def test_values_and_best_actions_are_within_eps(seeds: range, engine: str) -> None:
    for seed in seeds:
        exact, tree = near_ties(seed)
        values = definitions(exact)
        columns, root = tree.columns, tree.root_id
        worth = {
            tree.branch_label(root, b): values[columns.child[b]] for b in tree.branches_of(root)
        }
        best = (min if columns.kind[root] == et.Kind.MIN else max)(worth.values(), default=0)
        for chosen in PRUNED:
            search = et.evaluate(tree, chosen, engine=engine)
            assert abs(Fraction(search.value) - values[-1]) <= Fraction(search.eps)
            gaps = [abs(best - worth[label]) for label in search.ties]
            assert min(gaps, default=0) <= search.eps
            assert max(gaps, default=0) <= 2 * search.eps
            for node, value in enumerate(values):
                if search.visits[node]:
                    assert search.lower[node] - search.eps <= value
                    assert value <= search.upper[node] + search.eps


def chain(plies: int) -> et.Tree:
    builder = et.TreeBuilder(exact=False)
    node = builder.terminal(1)
    for ply in range(plies):
        node = builder.chance([node]) if ply % 2 else builder.max([node])
    return builder.build(node)


@pytest.mark.parametrize(
    ("plies", "algorithms"),
    [(20_000, PRUNED[:3]), pytest.param(1_000_000, PRUNED[1:2], marks=pytest.mark.slow)],
)
def test_a_search_goes_as_deep_as_the_tree(plies: int, algorithms: list[Algorithm]) -> None:
    before = sys.getrecursionlimit()
    for chosen in algorithms:
        assert et.evaluate(chain(plies), chosen, engine="interpreted").value == 1
    assert sys.getrecursionlimit() == before


def test_threads_search_shallow_and_deep_trees() -> None:
    before, deep, shallow = sys.getrecursionlimit(), chain(5_000), chain(3)
    trees = [deep if number % 3 == 0 else shallow for number in range(48)]
    with ThreadPoolExecutor(8) as executor:
        searches = executor.map(lambda tree: et.evaluate(tree, "star1", bounds="none"), trees)
        assert {search.value for search in searches} == {1}
    assert sys.getrecursionlimit() == before


def test_a_search_in_the_depth_of_other_calls() -> None:
    def recurse(levels: int) -> Any:
        if levels:
            return recurse(levels - 1)
        return et.evaluate(chain(400), "star2", engine="interpreted").value

    assert recurse(sys.getrecursionlimit() - 300) == 1


def test_an_error_and_an_interrupt_restore_the_limit() -> None:
    before = sys.getrecursionlimit()
    for error in (KeyboardInterrupt, ValueError):

        def fail(levels: int, error: type[BaseException] = error) -> None:
            if not levels:
                raise error
            fail(levels - 1)

        with pytest.raises(error):
            DeepCall(50_000).run(fail, 40_000)
        assert sys.getrecursionlimit() == before


def test_searches_of_games_restore_the_limit() -> None:
    before, engine = sys.getrecursionlimit(), et.Engine("game:pig(target=10)")
    for depth in (2, 6, 12):
        engine.search(depth=depth)
        et.search("game:dice", depth=2, deepen=True)
        assert sys.getrecursionlimit() == before


class Endless:
    """A state that is compared with itself forever."""

    def __hash__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        return other == self if isinstance(other, Endless) else NotImplemented


class EndlessGame:
    title, utility_bounds, start = "endless", (0, 1), Endless()

    def turn(self, state: Endless) -> str:
        return "max"

    def moves(self, state: Endless) -> list[str]:
        return ["on", "off"]

    def play(self, state: Endless, move: str) -> Endless:
        return Endless()

    def value(self, state: Endless) -> float:
        return 0.5


def test_a_state_that_recurses_for_ever_is_an_error() -> None:
    with pytest.raises(et.GameError, match="RecursionError"):
        et.search(EndlessGame(), depth=200, algorithm="star1")
