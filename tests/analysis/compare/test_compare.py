"""Comparisons: tables, sentences, and searches that contradict each other."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable

import pytest
from helpers import run_main

import expectitree as et
from expectitree.base.errors import AnalysisError

LEFT = "trees/aima-5.12-left.yaml"


def test_the_text_is_a_table_and_a_sentence() -> None:
    done = run_main("compare", "trees/ballard-6.yaml")
    assert done.status == 0
    assert " ".join(done.out.split()).endswith(
        "star2 visited the fewest leaves for the same value: 58 of 216 leaves (27%), "
        "as did 2 other algorithms."
    )
    assert [line.split()[0] for line in done.out.splitlines()[4:8]] == [
        "expectiminimax",
        "alphabeta",
        "star1",
        "star2",
    ]
    assert max(map(len, done.out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("words", "has_times"),
    [
        ((LEFT,), False),
        ((LEFT, "-v"), True),
        (("game:pig(target=4)", "--depth", "2"), True),
        ((LEFT, "--format", "csv"), False),
    ],
)
def test_times_are_shown_on_request_and_for_games(words: tuple[str, ...], has_times: bool) -> None:
    assert (" time\n" in run_main("compare", "-a", "star1", *words).out) == has_times


def test_csv_and_json() -> None:
    rows = list(csv.DictReader(io.StringIO(run_main("compare", LEFT, "--format", "csv").out)))
    assert [(row["algorithm"], row["leaves_visited"]) for row in rows][:3] == [
        ("expectiminimax", "8"),
        ("alphabeta", "8"),
        ("star1", "5"),
    ]
    found = json.loads(run_main("compare", LEFT, "--format", "json").out)
    assert found["file"] == LEFT
    assert [row["leaves"]["visited"] for row in found["rows"]][:3] == [8, 8, 5]
    assert all(row["seconds"] > 0 and "tree" not in row for row in found["rows"])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("7", "The tree has one leaf."),
        ("chance: [1, 2]", "Every algorithm visited all 2 leaves for the same value."),
    ],
)
def test_trees_whose_leaves_are_all_needed_have_sentences_of_their_own(
    text: str, sentence: str
) -> None:
    assert et.to_text(et.compare(et.loads(text))).endswith(sentence)


def test_a_stopped_search_is_not_compared() -> None:
    found = et.compare(et.load(LEFT), ["star1", "star2"], max_visits=3)
    assert et.to_text(found).endswith("2 of 2 searches stopped before they knew the value.")


def test_searches_that_contradict_each_other_are_reported() -> None:
    """Stand-ins: a search of another tree, as a defect could make it."""
    good = et.compare(et.loads("max: {a: 3, b: 1}"), ["star1"]).rows[0]
    for text, message in (
        ("max: {a: 4, b: 1}", "star2 disagrees with star1: the value is 4, not 3"),
        ("max: {a: 1, b: 3}", "star2 disagrees with star1: the best action is b, not a"),
    ):
        other = et.compare(et.loads(text), ["star2"]).rows[0]
        found = et.Comparison("x.yaml", [good, other])
        assert found.disagreements == [message]
        assert f"WRONG: {message}\nThe algorithms disagree." in et.to_text(found)


def test_no_algorithm_is_an_error() -> None:
    with pytest.raises(AnalysisError, match="nothing to compare: name at least one algorithm"):
        et.compare(et.loads("max: [1, 2]"), [])


@pytest.mark.parametrize("ask", [et.evaluate, et.trace, et.compare, et.limit, et.replay])
def test_a_name_that_is_for_fewer_trees_warns(ask: Callable[[et.Tree, str], object]) -> None:
    tree = et.loads("max: {a: {min: [1, 2]}, b: {chance: [0, 4]}}")
    for name, kind in (("expectimax", "MIN"), ("MiniMax", "CHANCE")):
        text = f"{name.lower()} is for trees without {kind} nodes: here, expectiminimax runs"
        with pytest.warns(UserWarning, match=text):
            ask(tree, name)
    ask(tree, "alpha-beta")
    ask(et.loads("max: [1, 2]"), "minimax")
