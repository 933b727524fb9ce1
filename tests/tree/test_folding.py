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
        "has one utility: unfold the tree with --unshare, so that each path has its own copy"
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
