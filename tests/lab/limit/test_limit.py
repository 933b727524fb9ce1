"""The fewest leaves that prove a result: compared with all subsets of small trees, and by hand."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import pytest
import random_trees
from helpers import invoke, load, loads, run_main
from oracle import intervals
from random_trees import EVERY, Case, in_numbers

import expectitree as et
from expectitree import Tree, TreeBuilder
from expectitree.base import compiling
from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import INFINITY
from expectitree.base.tree import transform
from expectitree.base.tree.builder import NodeId
from expectitree.base.tree.columns import Bounds
from expectitree.base.tree.transform import in_fractions
from expectitree.lab.limit import proof_tree, proofs
from expectitree.lab.limit import report as limit_report
from expectitree.lab.limit.report import limit
from expectitree.lab.limit.text import notes
from expectitree.lab.limit.text import render as limit_text
from expectitree.searches.bounds import choose_bounds
from expectitree.searches.engine import search_tree
from expectitree.text.console import text_console, to_strings

ONE = ("star2",)
ALL = (-INFINITY, INFINITY)


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


@pytest.mark.parametrize(
    ("text", "greatest"),
    [
        ("max: [N, 0]", 2**62),
        ("max: [{reward: N, max: [{reward: 1, utility: 1}, 0]}, 0]", 2**62 - 2),
        ("max: [{cost: N, utility: -1}, 0]", 2**62 - 1),
        ("max: [{chance: [{p: 1/3, utility: N}, {p: 2/3, utility: 0}]}, N]", Fraction(2**62, 3)),
    ],
)
def test_fractions_are_scaled_to_words_of_63_bits_if_they_fit(
    text: str, greatest: Fraction
) -> None:
    """Their sums of two must fit 64 bits with a sign."""
    for number, code in ((math.ceil(greatest) - 1, "q"), (math.ceil(greatest), "")):
        tree = et.loads(text.replace("N", str(number)))
        search = search_tree(tree, bounds=ALL)
        assert proof_tree.proof_tree(tree, search, None).code == code


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


def found(text: str, bounds: Bounds | None = None) -> int:
    """Return the count of a tree, the same in both modes."""
    one, other = (limit(loads(text, exact=exact), bounds=bounds) for exact in (False, True))
    assert one.exact.count == other.exact.count
    return one.exact.count


@pytest.mark.parametrize(
    ("text", "bounds", "exact"),
    [
        ("max: [3, 1, 2]", None, 1),  # the 3 is the greatest there can be
        ("max: [3, 1, 2]", (0, 3), 1),
        ("max: [3, 1, 2]", (0, 4), 3),  # every other must be known to be less
        ("max: [3, 1, 2]", (-INFINITY, INFINITY), 3),
        ("min: [3, 1, 2]", (1, 9), 1),
        ("min: [3, 1, 2]", (0, 9), 3),
        ("chance: [3, 1, 2]", (0, 4), 3),
        ("chance: [{p: 1, utility: 3}, {p: 0, utility: 1}]", (0, 4), 1),
        ("7", None, 0),  # the bounds leave one number
        ("7", (0, 9), 1),
        ("max: {a: 5}", (0, 9), 1),  # an only action needs no proof
        ("max: [5, {min: [1, 2]}]", (0, 9), 2),  # 5, and the 1 or the 2
        ("max: [5, {bounds: [0, 4], min: [1, 2]}]", (0, 9), 1),  # at most 4 anyway
        ("max: [{bounds: [6, 9], min: [7, 8]}, {bounds: [0, 4], min: [1, 2]}]", (0, 9), 2),
        ("max: [{bounds: [7, 7], min: [7, 7]}, 5]", (0, 7), 0),
        ("max: [2, 2]", (0, 2), 1),
        ("max: [2, 2]", (0, 4), 2),
        ("max: [2, 2, {chance: [0, 3]}]", (0, 4), 3),  # after the 0, the third is worth 2
        # The 6 and the 1 of each: (1 + 10) / 2 is below 6, but (9 + 10) / 2 is not.
        ("max: {a: 6, b: {chance: [1, 9]}, c: {chance: [9, 1]}}", (0, 10), 3),
        # Both of the equal children must be proved to be worth no more than 2.
        ("chance: [{max: [{chance: [1, 3]}, {chance: [2, 2]}]}, 5]", None, 5),
        # The second action is worth 4 at most after its first outcome, the first 5 at least.
        ("max: {a: {chance: [10, 8]}, b: {chance: [0, 8]}}", (0, 10), 3),
    ],
)
def test_counts_by_hand(text: str, bounds: Bounds | None, exact: int) -> None:
    assert found(text, bounds) == exact


SHARING = (
    "{nodes: {a: {min: [1, 5]}}, chance: [{ref: a}, {ref: a}]}",  # two outcomes, one node
    "{nodes: {low: 0}, max: [{chance: [{ref: low}, 4]}, {min: [5, {ref: low}]}]}",  # a shared leaf
)


@pytest.mark.parametrize("text", SHARING)
def test_trees_that_share_nodes_are_refused(text: str, tmp_path: Path) -> None:
    """Without sharing, they are counted."""
    message = "several paths share nodes.* write the tree with expectitree convert --unshare"
    with pytest.raises(AnalysisError, match=message):
        limit(et.loads(text))
    done = run_main("limit", "-e", text, "-e", "max: [1, 2]")
    assert (done.status, done.err.count("--unshare")) == (2, 1)
    assert "1 of 2 leaves proves the value 2" in done.out
    done = run_main("limit", "game:pig(target=5)", "--depth", "4")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("game:pig(target=5): several paths share nodes")
    source, out = tmp_path / "tree.yaml", tmp_path / "out.yaml"
    source.write_text(text)
    assert run_main("convert", "--unshare", str(source), str(out)).status == 0
    assert limit(et.load(out)).exact.count > 0


@pytest.mark.slow
def test_all_engines_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    trees = [
        case.tree(exact=False) for pays in (False, True) for case in cases(30_000, 24, 60, pays)
    ]
    trees += [
        et.generate(
            "ballard", plies=4, branching=4, order="random", pattern="max,chance,min,chance"
        ),
        et.generate("uniform", plies=5, branching=3, real=True, seed=3),
    ]
    monkeypatch.setattr(proofs, "_MANY_NUMBERS", 1)
    for tree in trees:
        first = limit(tree, ONE, engine="interpreted")
        assert limit(tree, ONE, engine="compiled").exact == first.exact


@pytest.mark.extra
@pytest.mark.parametrize("pays", [False, True])
def test_fractions_give_the_same_compiled_and_beyond_64_bits(pays: bool) -> None:
    for case in cases(40_000, 40, most=9, pays=pays):
        tree = case.tree()
        first = limit(tree, ONE, bounds=case.bounds)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(compiling, "pays", lambda rows: rows > 0)
            patch.setattr(proofs, "_MANY_NUMBERS", 1)
            assert limit(tree, ONE, bounds=case.bounds).exact == first.exact
        # The same tree, in numbers that fit no word.
        third = Fraction(10**30 + 1, 3**50)

        def times_third(ends: Any, third: Any = third) -> Any:
            return tuple(b if b in (INFINITY, -INFINITY) else b * third for b in ends)

        larger = transform.map_utilities(tree, lambda u, third=third: u * third)  # type: ignore[operator]
        larger = replace(
            larger,
            columns=larger.columns._replace(reward=[r * third for r in tree.columns.reward]),
            local_bounds={n: times_third(ends) for n, ends in tree.local_bounds.items()},
        )
        bounds = None if case.bounds is None else times_third(case.bounds)
        assert limit(larger, ONE, bounds=bounds).exact == first.exact


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


@pytest.mark.slow
def test_too_many_leaves_of_long_fractions_are_refused() -> None:
    builder = TreeBuilder(exact=True)
    large = Fraction(1, 10**25)
    tree = builder.build(builder.max([1, builder.chance([*range(4000), large])]))
    with pytest.raises(
        AnalysisError,
        match=r"^4,002 leaves of fractions .*--engine interpreted.*: at most 4,000 are accepted",
    ):
        limit(tree, ONE)
    assert limit(tree, ONE, max_leaves=5000).exact.count == 4002


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


def test_a_stopped_search_has_no_surplus() -> None:
    report = limit(et.load("trees/ballard-6.yaml"), ("star1", "expectiminimax"), max_visits=5)
    assert report.exact.count == 58
    assert [report.surplus(row) for row in report.rows] == [None, 216 - 58]
    assert any(
        line.startswith("star1") and "stopped" in line for line in et.to_text(report).splitlines()
    )


# ---- Output.


def test_the_text_of_one_file() -> None:
    done = invoke("limit", "trees/aima-5.12-left.yaml", "-a", "star1", "-a", "expectiminimax")
    assert done.exit_code == 0
    assert done.output == (
        """\
Order is not enough (left)
8 leaves, bounds [1, 4] from the leaves

5 of 8 leaves prove the value 2.1, whatever the others are within [1, 4].

Leaves that prove the value:
  a1/#1/#1, a1/#1/#2, a1/#2/#1, a1/#2/#2, a2/#1/#1

algorithm       leaves  surplus
star1                5        0
expectiminimax       8        3
"""
    )


def test_trees_that_need_no_leaf_or_all_have_sentences_of_their_own() -> None:
    both = "max: [{bounds: [3, 4], min: [3, 4]}, {bounds: [1, 2], max: [1, 2]}]"
    text = invoke("limit", "-e", "max: {a: 4}", "-e", "chance: [1, 2]", "-e", both).output
    assert "No leaf is needed to prove the value 4: the bounds alone prove it." in text
    assert "All 2 leaves are needed to prove the value 1.5." in text
    assert "1 of 4 leaves proves the value 3, whatever the others are within their bounds." in text
    assert "A leaf that proves the value:\n  #1/#1\n" in text


def test_the_json_of_two_files() -> None:
    files = ("trees/risk.yaml", "trees/aima-pruning.yaml")
    options = ("--format", "json", "--exact", "-a", "star1", "-a", "star2.5")
    risk, other = map(json.loads, invoke("limit", *files, *options).output.splitlines())
    rows = risk.pop("rows")
    assert risk == {
        "file": "trees/risk.yaml", "title": "A risk worth taking", "bounds": ["0", "100"],
        "bounds_from": "file", "leaves": 4, "value": "109/2", "best": "right", "ties": ["right"],
        "exact": 4,
        "exact_leaves": ["left/#1", "left/#2", "right/#1", "right/#2"],
    }  # fmt: skip
    counts = {"leaves_visited": 4, "surplus": 0}
    options = {"probes": 2, "probe-order": "cyclic"}
    assert rows == [{"algorithm": "star1"} | counts, {"algorithm": "star2.5"} | options | counts]
    assert (other["exact"], other["leaves"], len(other["exact_leaves"])) == (5, 8, 5)


def test_every_line_fits_and_is_ascii_where_it_must_be() -> None:
    reports = [limit(et.load(f"trees/{name}.yaml"), file=name) for name in ("ballard-6", "risk")]
    for width in (20, 40, 80):
        console = text_console(width, unicode=False)
        for line in "".join(to_strings(limit_text(reports, console.options), console)).splitlines():
            assert line.isascii()
            assert len(line) <= width or width == 20
    assert invoke("limit", "-e", "max: {'ä\tö': 1, b: 0}").output.count("ä\\tö") == 1


def test_options_and_errors() -> None:
    done = invoke("limit", "trees/ballard-6.yaml", "trees/risk.yaml", "--max-leaves", "10")
    assert done.exit_code == 2
    assert "trees/ballard-6.yaml: 216 leaves" in done.output
    assert "A risk worth taking" in done.output
    done = invoke("limit", "trees/risk.yaml", "--max-visits", "1")
    assert done.exit_code == 1
    assert "stopped" in done.output
    estimated = "max: {a: {estimate: 5, min: [1, 9]}, b: 4}"
    done = invoke("limit", "-e", estimated, "--depth", "1", "--bounds", "0,9")
    assert "All 2 leaves are needed to prove the value 5." in done.output
