"""The fewest leaves that prove a result: compared with all subsets of small trees."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Any

import pytest
import random_trees
from helpers import invoke, load
from oracle import intervals
from random_trees import EVERY, Case, in_numbers

import expectitree as et
from expectitree import Tree, TreeBuilder
from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import INFINITY
from expectitree.base.tree import transform
from expectitree.base.tree.builder import NodeId
from expectitree.base.tree.columns import Bounds
from expectitree.base.tree.transform import in_fractions
from expectitree.lab.limit import report as limit_report
from expectitree.lab.limit.report import limit
from expectitree.lab.limit.text import notes
from expectitree.lab.limit.text import render as limit_text
from expectitree.searches.bounds import choose_bounds
from expectitree.searches.engine import search_tree
from expectitree.text.console import text_console, to_strings

ONE = ("star2",)


def proved(tree: Tree, bounds: Bounds, visited: Iterable[int]) -> tuple[Any, Any]:
    """Return the interval of the root once some leaves are visited."""
    return intervals(tree, bounds, {n: tree.columns.utility[n] for n in visited})[-1]


def count_of_all_subsets(tree: Tree, bounds: Bounds) -> int:
    """Return the fewest leaves that prove the root's value."""
    leaves = [n for n in range(len(tree)) if not tree.columns.kind[n]]
    for count in range(len(leaves) + 1):
        for some in combinations(leaves, count):
            lower, upper = proved(tree, bounds, some)
            if lower == upper:
                return count
    raise AssertionError("all leaves are enough")


def check_against_all_subsets(case: Case) -> None:
    tree = case.tree()
    wanted = count_of_all_subsets(tree, choose_bounds(tree, case.bounds)[0])
    for exact in (True, False):
        for mirror in (False, True):
            tree = case.tree(exact, mirror)
            bounds = case.bounds and in_numbers(case.bounds, exact, mirror)
            report = limit(tree, ONE, bounds=bounds, exact=True)
            assert report.exact.count == len(report.exact.leaves) == wanted
            lower, upper = proved(tree, report.search.bounds, report.exact.leaves)
            assert upper - lower <= 4 * report.search.eps


def cases(start: int, count: int, most: int = 10, pays: bool = False) -> list[Case]:
    """Return cases without shared nodes."""
    found = []
    while len(found) < count:
        case = Case(start, pays)
        start += 1
        if 1 < case.tree().leaves <= most and not case.tree().is_sharing:
            found.append(case)
    return found


@pytest.mark.slow
def test_counts_agree_with_all_subsets() -> None:
    for case in cases(0, 250):
        check_against_all_subsets(case)


@pytest.mark.parametrize("count", [15, pytest.param(150, marks=pytest.mark.slow)])
def test_counts_of_trees_with_rewards_agree_with_all_subsets(count: int) -> None:
    for case in cases(50_000, count, most=8, pays=True):
        check_against_all_subsets(case)


@pytest.mark.slow
def test_a_float_search_below_the_limit_gets_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    """If utilities are within the tolerance, a search may visit fewer leaves."""
    near = Fraction(1, 10**9)
    monkeypatch.setattr(random_trees, "UTILITIES", ((0, 1, 1 + near, 1 + 3 * near, 1 - 2 * near),))
    monkeypatch.setattr(random_trees, "WEIGHTS", ((1,), (1, 10**10), (1, 10**9, 3)))
    count = 0
    for seed in range(300):
        case = Case(seed)
        bounds = case.bounds and in_numbers(case.bounds, False)
        tree = case.tree(exact=False)
        if tree.is_sharing:
            continue
        report = limit(tree, EVERY, bounds=bounds)
        count += len(notes(report)) > 0
        if notes(report):
            assert "as equal" in et.to_text(report)
            assert "as equal" in notes(report)[0]
    assert count


@pytest.mark.parametrize(("n", "needed"), [(3, 13), (4, 25), (6, 58), (8, 105), (10, 166)])
@pytest.mark.parametrize("order", ["best", "random"])
def test_star2_in_its_best_case_visits_as_few_leaves_as_possible(
    n: int, needed: int, order: str
) -> None:
    tree = et.generate("ballard", pattern="max,chance,min", branching=n, order=order)
    for tree_ in (tree, et.loads(et.dumps(tree))):
        report = limit(tree_, ("star1", "star2"))
        assert report.exact.count == needed
        visited = [row.counts.leaves_visited for row in report.rows]
        assert min(visited) >= needed
        if order == "best":
            assert report.rows[1].counts.leaves_visited == needed


@pytest.mark.parametrize("pays", [False, True])
def test_long_fractions_give_the_same(pays: bool) -> None:
    third = Fraction(10**30 + 1, 3**50)

    def times_third(ends: Any) -> Any:
        return tuple(b if b in (INFINITY, -INFINITY) else b * third for b in ends)

    for case in cases(40_000, 20, most=9, pays=pays):
        tree = case.tree()
        larger = transform.map_utilities(tree, lambda u: u * third)  # type: ignore[operator]
        larger = replace(
            larger,
            columns=larger.columns._replace(reward=[r * third for r in tree.columns.reward]),
            local_bounds={n: times_third(ends) for n, ends in tree.local_bounds.items()},
        )
        bounds = None if case.bounds is None else times_third(case.bounds)
        found = limit(larger, ONE, bounds=bounds).exact
        assert found == limit(tree, ONE, bounds=case.bounds).exact


@pytest.mark.slow
def test_a_long_chain_in_both_modes() -> None:
    builder = TreeBuilder()
    node = builder.terminal(1)
    for n in range(100_000):
        node = (builder.max, builder.chance, builder.min)[n % 3]([node])
    tree = builder.build(builder.min([builder.max([node, builder.min([0, 2])]), 2]))
    for tree_ in (tree, in_fractions(tree)):
        report = limit(tree_, ("expectiminimax",), bounds=(0, 3))
        assert report.exact.count == 3
        assert json.loads(et.to_json(report))["exact_leaves"][0] == report.exact.leaves[0]
        assert "  node 0, #1/#2/#1, #2" in et.to_text(report)


def two_paths(leaves: int) -> Tree:
    """Return MAX over two paths of CHANCE nodes whose leaves are equally likely."""
    random, builder = Random(1), TreeBuilder()

    def path() -> NodeId:
        node = builder.terminal(50)
        for n in range(1, leaves):
            node = builder.chance([node, random.randint(0, 100)], [n / (n + 1), 1 - n / (n + 1)])
        return node

    return builder.build(builder.max([path(), path()]))


def test_the_leaves_of_long_lists_prove_the_value() -> None:
    tree = two_paths(150)
    first = limit(tree, ONE, bounds=(0, 100))
    assert 0.5 * tree.leaves < first.exact.count <= tree.leaves
    lower, upper = proved(tree, (0, 100), first.exact.leaves)
    assert upper - lower < 1e-9


@pytest.mark.slow
def test_too_many_leaves_are_refused() -> None:
    tree = et.generate("ballard", branching=3)
    with pytest.raises(
        AnalysisError,
        match=r"^27 leaves, and the work grows with their square: at most 26 are accepted",
    ):
        limit(tree, max_leaves=26)
    assert limit(tree, max_leaves=27).exact.count
    builder = TreeBuilder()
    wide = builder.build(builder.max(range(20_001)))
    with pytest.raises(AnalysisError, match=r"^20,001 leaves, .*: at most 20,000 are accepted"):
        limit(wide)


def test_chance_nodes_without_players_make_no_lists() -> None:
    """Every leaf of positive probability is needed, so no lists are joined."""
    tree = et.generate("uniform", pattern="chance", plies=6, branching=3)
    assert limit(tree, ONE, max_leaves=3**6).exact.count == 3**6


def test_a_search_below_the_limit_is_a_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    def search(tree: Tree, *arguments: Any, **options: Any) -> Any:
        return replace(search_tree(tree, *arguments, **options), visits=[0] * len(tree))

    monkeypatch.setattr(limit_report, "search_tree", search)
    tree = load("trees/aima-5.12-left.yaml", exact=True)
    with pytest.raises(AnalysisError, match="visited 0 leaves, and 5 are needed: this is a defect"):
        limit(tree, "star1")


# ---- Output.


def test_every_line_fits_and_is_ascii_where_it_must_be() -> None:
    reports = [limit(et.load(f"trees/{name}.yaml"), file=name) for name in ("ballard-6", "risk")]
    for width in (20, 40, 80):
        console = text_console(width, unicode=False)
        for line in "".join(to_strings(limit_text(reports, console.options), console)).splitlines():
            assert line.isascii()
            assert len(line) <= width or width == 20
    assert invoke("limit", "-e", "max: {'ä\tö': 1, b: 0}").output.count("ä\\tö") == 1
