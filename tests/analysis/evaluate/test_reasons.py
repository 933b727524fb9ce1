"""`eval --explain` and `eval --strategy`: every statement agrees with the search."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from helpers import error_of, invoke, rendered_lines, sentences
from random_trees import EVERY, PROVE_ACTION, Case, with_slow_variants

import expectitree as et
from expectitree.analysis.evaluate.json import explanation_fields
from expectitree.analysis.evaluate.reasons import reasons
from expectitree.analysis.evaluate.report import strategy_only
from expectitree.analysis.evaluate.sentences import explanation_lines
from expectitree.base.errors import AnalysisError
from expectitree.base.tree.model import Kind
from expectitree.searches.engine import search_tree
from expectitree.searches.result import Outcome, Search

LEFT = "trees/aima-5.12-left.yaml"


@pytest.fixture(
    scope="module",
    params=with_slow_variants([*EVERY, PROVE_ACTION]),
    ids=lambda chosen: chosen.full_name,
)
def searches(request: pytest.FixtureRequest) -> list[Search]:
    cases = [Case(seed, pays) for pays in (False, True) for seed in range(60 - 20 * pays)]
    found = [case.run(request.param, exact=place % 2 == 0) for place, case in enumerate(cases)]
    return [search for search in found if search.outcome is not Outcome.ACTION]


def test_an_action_and_every_cut_are_explained() -> None:
    done = invoke("eval", "-a", "star1", LEFT, "--explain")
    assert done.stderr == ""
    assert done.stdout == (
        "Order is not enough (left)\n"
        "Russell and Norvig, Artificial Intelligence, A Modern Approach, Figure 5.12\n"
        "(left)\n"
        "\n"
        "At ▲ /, MAX chooses a1: it is worth 2.1.\n"
        "  a1 is worth 0.9·2 + 0.1·3 = 2.1.\n"
        "  a2 is worth at most 0.9·1 + 0.1·4 = 1.3: worse than 2.1.\n"
        "\n"
        "Chance cut at ● a2 after 1 of 2: even if all that is left were worth 4, it is\n"
        "  worth at most 0.9·1 + 0.1·4 = 1.3, and MAX is sure of 2.1 at ▲ / with a1. What\n"
        "  is left, 1 node and 2 leaves, cannot change that.\n"
        "\n"
        "Alpha cut at ▼ a2/#1 after 1 of 2: it is worth at most 1; up to 1.88889 = (2.1 −\n"
        "  0.1·4) / 0.9 it cannot lift ● a2 above 2.1, which MAX is sure of at ▲ / with\n"
        "  a1. What is left, 1 leaf, cannot change that.\n"
        "\n"
        "algorithm star1\n"
        "value     2.1\n"
        "best      a1\n"
        "nodes     11 of 15 visited\n"
        "leaves     5 of 8 visited (62%)\n"
        "cuts       2\n"
        "bounds    [1, 4] from the leaves\n"
    )


def test_min_is_explained_as_the_mirror_of_max() -> None:
    tree = "min: {sure: 5, risky: {chance: [{p: 0.5, max: [9, 1]}, {p: 0.5, max: [8, 2]}]}}"
    done = invoke("eval", "-a", "star1", "--bounds", "0,10", "-e", tree, "--explain")
    text = re.sub(r"\s+", " ", done.stdout)
    assert (
        "At ▼ /, MIN chooses sure: it is worth 5. sure is worth 5. risky is worth at least" in text
    )
    assert "risky is worth at least (9 + 8)/2 = 8.5: worse than 5." in text
    assert "Beta cut at ▲ risky/#2" in text
    assert "up it cannot bring ● risky below 5, which MIN is sure of at ▼ / with sure." in text


@pytest.mark.parametrize(
    ("path", "sentences"),
    [
        (
            "a1",
            ["● a1 (CHANCE) is worth 0.9·2 + 0.1·3 = 2.1.", "#1, of probability 0.9, is worth 2."],
        ),
        (
            "a2",
            [
                "The value of ● a2 (CHANCE) is in [1, 1.3]: more was not needed.",
                "#2, of probability 0.1, has a value in [1, 4].",
            ],
        ),
        (
            "a2/#1",
            [
                "At ▼ a2/#1, MIN chooses #1: it is worth 1.",
                "#2 is worth at least 1: no better than 1.",
            ],
        ),
        ("a2/#2", ["▼ a2/#2 was not entered (cut): its value is in [1, 4]."]),
        ("a2/#2/#1", ["a2/#2/#1 is a leaf: its utility is 4; it was not visited (cut)."]),
        ("a1/#1/#1", ["a1/#1/#1 is a leaf: its utility is 2."]),
    ],
)
def test_any_node_is_explained(path: str, sentences: list[str]) -> None:
    done = invoke("eval", "-a", "star1", LEFT, "--explain", path)
    for sentence in sentences:
        assert sentence in done.stdout
    found = json.loads(
        invoke("eval", "-a", "star1", LEFT, "--explain", path, "--format", "json").stdout
    )["explanation"]
    assert found["path"] == path
    for sentence in sentences:
        assert sentence in found["sentences"]


def test_many_children_are_cut_short() -> None:
    tree = "max: [" + ", ".join(map(str, range(40))) + "]"
    text = invoke("eval", "-e", tree, "--explain").stdout
    assert "MAX chooses #40" in text
    assert "28 more, worth at most 38 each." in text
    assert "#12" not in text  # It is left out to make room for the best.


def test_explain_accepts_a_file_as_the_next_argument() -> None:
    assert (
        invoke("eval", "--explain", LEFT).stdout
        == invoke("eval", LEFT, "--explain").stdout
        == invoke("eval", LEFT, "--explain", "/").stdout
    )
    assert invoke("eval", "--explain", "-", stdin="max: [1, 2]").stdout.startswith(
        "At ▲ /, MAX chooses #2"
    )
    done = invoke("eval", LEFT, "--explain", "a3")
    assert done.exit_code == 2
    assert "no node a3: the branches of / are a1, a2" in sentences(done.stderr)


def test_every_sentence_is_true(searches: list[Search]) -> None:
    """Statements about alternatives, cuts and sums are checked against the values."""
    for search in searches:
        value: Any = search_tree(search.tree).lower
        slack: Any = 0 if search.tree.exact else 1e-6
        tree = search.tree
        for node in range(len(tree)):
            found = reasons(search, node)
            for one in found.alternatives:
                worth = value[one.node] + tree.reward_of(one.branch)
                assert one.lower - slack <= worth <= one.upper + slack
                if one.is_best:
                    assert abs(worth - value[node]) <= slack
            assert len(found.alternatives) + found.others == len(tree.node(node).branches)
            for cut in found.cuts:
                low = cut.cut.is_low
                if cut.terms:
                    total: Any = sum(p * end for p, end in cut.terms)
                    assert abs(total - cut.cut.bound) <= slack
                asked: Any = cut.cut.window[0] if low else cut.cut.window[1]
                bound: Any = cut.cut.bound
                assert bound <= asked + slack if low else bound >= asked - slack
                for step in cut.steps:
                    if step.why == "has":
                        # The value of the branch proves that its player is sure of the limit.
                        sure = value[tree.columns.child[step.branch]] + tree.reward_of(step.branch)
                        limit: Any = step.limit
                        assert sure >= limit - slack if low else sure <= limit + slack
                        assert tree.columns.kind[step.node] == (Kind.MAX if low else Kind.MIN)
                    if step.quotient is not None:
                        rest: Any = sum(p * end for p, end in step.quotient.others)
                        rest += step.quotient.reward
                        sides = (step.quotient.limit - rest) / step.quotient.p
                        assert abs(sides - step.asked) <= slack * 1e3
                assert cut.steps[-1].why in ("has", "bound", "far")


def test_most_cuts_are_traced_to_a_player(searches: list[Search]) -> None:
    whys = [
        cut.steps[-1].why
        for search in searches
        for cut in reasons(search, len(search.tree) - 1).cuts
    ]
    if searches[0].algorithm.prunes:
        assert whys.count("has") + whys.count("bound") > 0.7 * len(whys) > 10


@pytest.mark.slow
@pytest.mark.parametrize(("width", "unicode"), [(80, True), (50, False), (24, True)])
def test_sentences_fit_the_width(searches: list[Search], width: int, unicode: bool) -> None:
    for search in searches[::4]:
        for node in range(len(search.tree)):
            report = reasons(search, node)
            lines = rendered_lines(explanation_lines, report, width, unicode)
            assert max(map(len, lines)) <= max(width, 34)
            assert unicode or all(line.isascii() for line in lines)
            json.dumps(explanation_fields(report))


# ---- The strategy alone.


def test_the_strategy_keeps_only_reachable_nodes(searches: list[Search]) -> None:
    for search in searches:
        smaller = strategy_only(search).tree
        assert et.evaluate(smaller).value == pytest.approx(search.value)
        found = et.evaluate(smaller)
        by_paths = {
            path: found.tree.branch_label(node.id, next(found.best_branches(node.id)))
            for node, path in found.tree.walk()
            if node.kind in (Kind.MAX, Kind.MIN)
        }
        for node, _ in smaller.walk():
            if node.kind == Kind.CHANCE:
                assert all(branch.p > 0 for branch in node.branches)
        if all(
            len(node.branches) == 1
            for node, _ in smaller.walk()
            if node.kind in (Kind.MAX, Kind.MIN)
        ):
            nodes = {search.tree.find(path).id: label for path, label in by_paths.items()}
            chosen = search.strategy_branches
            assert nodes == {n: search.tree.branch_label(n, b) for n, b in chosen.items()}


def test_the_strategy_is_drawn() -> None:
    done = invoke("eval", "--strategy", "-v", LEFT)
    assert done.stdout.splitlines()[4:8] == [
        "▲ MAX 2.1",
        "└─★ a1  ● CHANCE 2.1",
        "    ├── #1  p 0.9  ▼ MIN 2  plays #1",
        "    └── #2  p 0.1  ▼ MIN 3  plays #1",
    ]
    assert "nodes     15 of 15 visited" in done.stdout  # Counts of the whole search.


def test_the_strategy_is_drawn_where_sharing_hides_its_first_path() -> None:
    tree = (
        "nodes: {both: {max: {x: 1, y: 2}}}\n"
        "max: {worse: {chance: [{ref: both}, {utility: 0}]}, better: {chance: [{ref: both}, "
        "{utility: 9}]}}"
    )
    done = invoke("eval", "--strategy", "-e", tree)
    assert done.stdout.splitlines()[:4] == [
        "▲ MAX 5.5",
        "└─★ better  ● CHANCE 5.5  p 0.5 each",
        "    ├── #1  ▲ MAX 2  plays y",
        "    └── #2  9",
    ]
    found = json.loads(invoke("eval", "--strategy", "-e", tree, "--format", "json").stdout)
    assert [child["label"] for child in found["tree"]["children"]] == ["better"]
    assert found["nodes"]["total"] == 8


def test_a_stopped_search_has_no_strategy() -> None:
    done = invoke("eval", "-a", "star1", "--strategy", "--max-visits", "3", LEFT)
    assert done.exit_code == 2
    assert "no strategy is known: the search was stopped; give it more --max-visits" in sentences(
        done.stderr
    )
    with pytest.raises(AnalysisError, match="no strategy is known"):
        strategy_only(et.evaluate(et.load(LEFT), "star1", max_visits=3))


def test_explain_without_a_tree_or_with_a_drawing_is_wrong_usage() -> None:
    for words, message in (
        (["--explain"], "no tree was given"),
        (["--explain", "--format", "json"], "no tree was given"),
        (
            [LEFT, "--explain", "a1", "--strategy"],
            "--explain answers in sentences, --strategy draws: remove one",
        ),
    ):
        assert message in error_of("eval", *words)
