"""Trees are written as files of SilverDecisions, and read again."""

from __future__ import annotations

import json

import pytest
from files.samples import chain
from foreign.diagrams import STALL, tree_of

import expectitree as et


def written(tree: et.Tree) -> str:
    return et.dumps(tree, "silverdecisions")


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
