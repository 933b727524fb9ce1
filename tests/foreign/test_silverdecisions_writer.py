"""Trees are written as files of SilverDecisions, and read again."""

from __future__ import annotations

import json

import pytest
from files.samples import chain
from foreign.diagrams import STALL, tree_of

import expectitree as et
from expectitree.searches.engine import search_tree

# This part of a file fits the schema of the files that SilverDecisions 1.2 publishes.
BET = """\
"data": {"code": "p = 0.05", "expressionScope": {"p": 0.05}, "texts": [], "payoffNames": [], \
"defaultCriterion1Weight": 1, "weightLowerBound": 0, "weightUpperBound": "Infinity",
"trees": [
{"type": "decision", "name": "", "code": "", "folded": false, "location": {"x": 20, "y": 20}, \
"childEdges": [
{"name": "stay", "payoff": ["1", 0], "childNode": {"type": "terminal", "name": "", "code": "", \
"folded": false, "location": {"x": 190, "y": 20}, "childEdges": []}},
{"name": "bet", "payoff": ["-0.5", 0], "childNode": {"type": "chance", "name": "toss", \
"code": "", "folded": false, "location": {"x": 190, "y": 95}, "childEdges": [
{"name": "win", "payoff": ["8", 0], "probability": "p", "childNode": {"type": "terminal", \
"name": "", "code": "", "folded": false, "location": {"x": 360, "y": 95}, "childEdges": []}},
{"name": "lose", "payoff": ["0", 0], "probability": "#", "childNode": {"type": "terminal", \
"name": "", "code": "", "folded": false, "location": {"x": 360, "y": 170}, "childEdges": []}}]}}]}
]}}
"""


def written(tree: et.Tree) -> str:
    return et.dumps(tree, "silverdecisions")


def test_a_small_tree_is_written() -> None:
    tree = et.loads(
        "{title: A bet, parameters: {p: 5%}, max: {stay: 1, bet: {cost: 1/2, note: toss, "
        "chance: {win: {p: p, utility: 8}, lose: {p: rest, utility: 0}}}}}",
    )
    head, data, tree_text = written(tree).partition('"data"')
    assert data + tree_text == BET
    assert json.loads(head.rstrip(",\n") + "}") | {"format": None} == {
        "SilverDecisions": "1.2.0",
        "rule": "expected-value-maximization",
        "title": "A bet",
        "description": "",
        "lng": "en",
        "viewMode": "criterion1",
        "format": None,
    }


def test_what_was_read_is_written_again() -> None:
    for number in (1, 2):
        tree = et.load(STALL, tree=number)
        assert et.dumps(tree_of(written(tree))) == et.dumps(tree)


def test_the_rules_of_read_files_are_written_again() -> None:
    for text, rule in (
        ("max: [1, {chance: [2, 3]}]", "expected-value-maximization"),
        ("min: [1, {chance: [2, 3]}]", "expected-value-minimization"),
        ("min: [1, {min: [2, 3]}]", "expected-value-minimization"),
        ("max: [1, {min: [2, 3]}]", "maxi-min"),
        ("min: [1, {max: [2, 3]}]", "maxi-min"),
        ("chance: [2, 3]", "expected-value-maximization"),
    ):
        assert json.loads(written(et.loads(text)))["rule"] == rule


def test_floats_become_short_fractions() -> None:
    tree = et.loads("{chance: [{p: 0.9, chance: [1, 2, 3]}, {p: 0.1, utility: 0.1}]}")
    (root,) = json.loads(written(tree))["data"]["trees"]
    first, last = root["childEdges"]
    assert (first["probability"], last["probability"], last["payoff"][0]) == ("0.9", "0.1", "0.1")
    assert [one["probability"] for one in first["childNode"]["childEdges"]] == ["1/3"] * 3


def test_floats_without_a_short_fraction_sum_to_1() -> None:
    shares = [0.123456789012, 0.2345678901234, 1 - 0.123456789012 - 0.2345678901234]
    builder = et.TreeBuilder()
    tree = builder.build(builder.chance([1, 2, 3], shares))
    again = tree_of(written(tree))
    assert sum(again.columns.probability) == 1
    assert [*map(float, again.columns.probability)] == shares


def test_words_of_mathjs_are_no_names() -> None:
    tree = et.loads("{parameters: {in: 1, in_: 2, mod: in + 3}, max: [in + in_, mod]}")
    found = json.loads(written(tree))
    assert found["data"]["code"] == "in_2 = 1\nin_ = 2\nmod_2 = in_2 + 3"
    assert search_tree(tree_of(json.dumps(found))).value == 4


def test_what_is_lost_and_does_not_change_values_is_named() -> None:
    tree = et.loads(
        "{parameters: {x: {value: 1, range: [0, 2], unit: $, description: price}}, bounds: [0, 9],"
        "max: [{ref: a, note: first}, {estimate: 2, event: rain, chance: [x, 4]}],"
        "nodes: {a: {max: [x]}}}"
    )
    notes: list[str] = []
    et.dumps(tree, "silverdecisions", warn=notes.append)
    assert notes == [
        "left out what SilverDecisions' JSON cannot hold: bounds, estimates, events",
        "left out what SilverDecisions' JSON cannot hold: notes of branches, ranges, units and "
        "descriptions of parameters",
    ]


def test_formulas_with_if_are_written_as_their_values() -> None:
    tree = et.loads("{parameters: {x: 3, y: 'if(x < 2, 1, 4)'}, max: ['if(x = 3, 7, y)', y]}")
    notes: list[str] = []
    text = et.dumps(tree, "silverdecisions", warn=notes.append)
    assert notes == [
        "left out what SilverDecisions' JSON cannot hold: formulas with if (their values are "
        "written)"
    ]
    assert json.loads(text)["data"]["code"] == "x = 3\ny = 4"
    assert [child.utility for child in et.loads(text).root.children] == [7, 4]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "max: [{min: [1]}, {chance: [2]}]",
            "SilverDecisions' JSON cannot hold MAX, MIN and CHANCE nodes in one tree: write the "
            "tree as YAML, JSON or .efg",
        ),
        (
            "max: [1, {reward: 2, max: {far: 9007199254740992}}]",
            "#2/far: the payoff 9007199254740992 is beyond 2^53 - 1, the greatest that "
            "SilverDecisions accepts: scale the utilities",
        ),
    ],
)
def test_a_tree_that_would_change_is_refused(text: str, message: str) -> None:
    with pytest.raises(et.TreeError) as caught:
        et.dumps(et.loads(text), "silverdecisions")
    assert str(caught.value) == message


def test_what_is_written_can_be_read_however_deep() -> None:
    """A file with longer paths was written, and then refused when it was read."""
    text = et.dumps(chain(298), "silverdecisions")
    assert et.loads(text).heights[-1] == 298
    with pytest.raises(et.TreeError, match="cannot hold paths of more than 298 branches: write"):
        et.dumps(chain(299), "silverdecisions")


def test_text_that_is_not_unicode_is_refused() -> None:
    builder = et.TreeBuilder()
    tree = builder.build(builder.max({"\ud800": 1}))
    with pytest.raises(et.TreeError, match="half of a surrogate pair"):
        et.dumps(tree, "silverdecisions")
