"""Fold rewards into terminals, and unfold sharing."""

from __future__ import annotations

from fractions import Fraction

import pytest

import expectitree as et
from expectitree.errors import TransformError
from expectitree.tree.folding import fold_rewards, unshare

ROCKEFELLER = """
max:
  sell: 750
  test:
    cost: 100
    chance:
      plus:
        p: 0.6
        max: {drill: {cost: 250, chance: [{p: 3/4, utility: 2500}, {p: 1/4, utility: 0}]},
              sell: 1000}
      minus:
        p: 0.4
        max: {drill: {cost: 250, chance: [{p: 1/8, utility: 2500}, {p: 7/8, utility: 0}]},
              sell: 500}
"""
SHARED = """
max: {near: {cost: 1, min: {a: {ref: s}}}, far: {reward: 2, ref: s}}
nodes: {s: {chance: [0, 4]}}
"""


def test_a_folded_terminal_is_worth_its_total() -> None:
    tree = et.loads(ROCKEFELLER, exact=True)
    folded = fold_rewards(tree)
    assert not folded.columns.pays
    assert [node.utility for node, _ in folded.walk() if node.utility is not None] == [
        750, 2150, -350, 900, 2150, -350, 400
    ]  # fmt: skip
    assert tree.total_range == folded.total_range == folded.utility_range == (-350, 2150)
    found, again = et.evaluate(tree), et.evaluate(folded)
    assert found.value == again.value == Fraction(0.6 * 1625 + 0.4 * 500 - 100)
    assert found.best == again.best == "test"


def test_bounds_and_estimates_are_folded() -> None:
    tree = et.loads("max: [{reward: 3, min: [1, 2], bounds: [0, inf], estimate: 1}, 5]\ncost: 10")
    folded = fold_rewards(tree)
    node = folded.find("#1")
    assert (node.bounds, node.estimate) == ((-7, float("inf")), -6)
    assert folded.root_reward == 0
    assert et.evaluate(folded).value == et.evaluate(tree).value == -5


def test_sums_of_floats_are_those_on_paper() -> None:
    tree = et.loads(
        "max: [{reward: 0.1, max: [{reward: 0.2, utility: 0}, {cost: 0.1, utility: 1}]}, 3]"
    )
    assert fold_rewards(tree).columns.utility[:2].tolist() == [0.3, 1.0]


def test_what_the_tree_expects_is_folded() -> None:
    text = """
    reward: 1
    max: {a: {cost: 2, min: {b: {reward: 1/2, utility: 3}, c: 4}}, d: 1}
    expect:
      value: 2.5
      best: a
      values: {/: 2.5, a: 1.5, a/b: 3.5, a/c: 4.0, d: 1}
      star1: [{bounds: [-9, inf], leaves: 3}, {leaves: 3}]
    """
    for exact in (True, False):
        tree = et.loads(text, exact=exact)
        folded = fold_rewards(tree)
        assert folded.expect is not None
        assert folded.expect.values == {"/": 2.5, "a": 2.5, "a/b": 2.5, "a/c": 3, "d": 2}
        assert [run.bounds for run in folded.expect.runs] == [(-8, float("inf")), None]
    for tree in (et.loads(text, exact=True), fold_rewards(et.loads(text, exact=True))):
        again = et.loads(et.dumps(tree), exact=True)
        assert [check for check in et.verify(again).checks if not check.kept] == []


def test_counts_of_searches_are_left_out_of_an_unfolded_tree() -> None:
    expect = "{value: 1, values: {a: 1}, star1: {leaves: 1}}"
    text = f"{{nodes: {{s: 1}}, expect: {expect}, max: {{a: {{ref: s}}, b: {{ref: s}}}}}}"
    tree = unshare(et.loads(text, exact=True))
    assert tree.expect is not None
    assert (tree.expect.values, tree.expect.runs) == ({"a": 1}, ())
    assert et.verify(tree).broken == []


def test_a_shared_node_with_one_sum_is_folded() -> None:
    tree = et.loads(
        "max: {a: {ref: s, cost: 1}, b: {cost: 1, ref: s}}\nnodes: {s: {chance: [0, 4]}}"
    )
    folded = fold_rewards(tree)
    assert len(folded) == len(tree)
    assert folded.find("a").children[1].utility == 3


def test_different_sums_on_the_paths_to_a_node_are_refused() -> None:
    with pytest.raises(TransformError) as caught:
        fold_rewards(et.loads(SHARED))
    assert str(caught.value) == (
        "the rewards on the paths to one node sum to 2 on far and to -1 on near/a, and a terminal "
        "has one utility: convert the tree with --unshare first, so that each path has its own copy"
    )
    unfolded = unshare(et.loads(SHARED))
    assert not unfolded.is_sharing
    assert et.evaluate(fold_rewards(unfolded)).value == et.evaluate(unfolded).value == 4


def test_an_unfolded_tree_has_a_limit() -> None:
    nodes = "".join(
        f"  n{i}: {{max: [{{ref: n{i + 1}}}, {{ref: n{i + 1}}}]}}\n" for i in range(200)
    )
    tree = et.loads(f"max: [{{ref: n0}}, 1]\nnodes:\n{nodes}  n200: 3\n")
    with pytest.raises(TransformError) as caught:
        unshare(tree)
    assert str(caught.value).startswith("without sharing the tree has 3,213,876,088,517,980,551,")
    assert "and the limit is 10,000,000: keep it shared" in str(caught.value)


def test_a_utility_that_is_not_known_is_not_folded() -> None:
    text = 'max: {a: {cost: 3, max: {x: {utility: "?"}}}, b: {utility: "?"}}'
    with pytest.raises(TransformError) as caught:
        fold_rewards(et.loads(text))
    assert str(caught.value) == (
        "a/x: the utility is not known yet, and -3 is paid on the way to it: fold the rewards when "
        "it is known"
    )
    free = fold_rewards(et.loads('max: {a: {cost: 3, utility: 5}, b: {utility: "?"}}'))
    assert [node.utility for node in free.root.children] == [2, None]
