"""Transforms, depth limits and orders of children, compared with their definitions."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers import for_each
from random_trees import Case

import expectitree as et
from expectitree import Kind, Node
from expectitree.searches.engine import search_tree
from expectitree.tree.transform import cut_at_depth, order_at_random


def value_to_depth(node: Node, depth: int) -> object:
    """The classical pseudocode: recurse, counting plies, and take the estimate at the limit."""
    if node.kind == Kind.TERMINAL:
        return node.utility
    if depth == 0:
        return node.estimate
    values = [value_to_depth(child, depth - 1) for child in node.children]
    if node.kind == Kind.CHANCE:
        pairs = zip(node.branches, values, strict=True)
        return sum(branch.probability * v for branch, v in pairs)  # type: ignore[operator]
    return (max if node.kind == Kind.MAX else min)(values)  # type: ignore[type-var]


SHARED = """
estimate: 9
nodes:
  coin: {estimate: 5, chance: [0, 8]}
  deep: {estimate: 3, min: [{ref: coin}, {estimate: 2, max: [{ref: coin}, 1]}]}
max:
  - {ref: coin}
  - {estimate: 1, min: [{ref: deep}, {ref: coin}]}
  - {ref: deep}
"""


@pytest.mark.parametrize("depth", range(7))
def test_a_cut_tree_has_the_value_of_the_definition(depth: int) -> None:
    tree = et.loads(SHARED)
    assert search_tree(cut_at_depth(tree, depth)).value == value_to_depth(tree.root, depth)


def test_only_nodes_that_reach_the_limit_are_split() -> None:
    tree = et.loads(SHARED)
    assert [len(cut_at_depth(tree, depth)) for depth in range(7)] == [1, 4, 9, 11, 11, 8, 8]
    cut = cut_at_depth(tree, 2)
    assert [path for node, path in cut.walk() if node.id in cut.estimated] == [
        "#2/#1",
        "#2/#2",
        "#3/#2",
    ]


def test_a_long_chain_is_cut_without_recursion() -> None:
    builder = et.TreeBuilder()
    node: object = builder.terminal(1)
    for _ in range(50_000):
        node = builder.max([node], estimate=7)
    cut = cut_at_depth(builder.build(node), 40_000)
    assert (len(cut), et.evaluate(cut).value) == (40_001, 7)


def test_a_node_without_an_estimate_is_reported() -> None:
    with pytest.raises(
        et.TransformError, match=r"^a/#2: the depth limit 2 cuts here, and the node has no estimate"
    ):
        cut_at_depth(et.loads("max: {a: {estimate: 1, min: [1, {max: [2]}]}}"), 2)


@pytest.mark.parametrize("order", ["best", "worst", "random:1", "random:2"])
@for_each("seed", range(20), range(20, 40))
def test_reordering_keeps_values_and_labels(seed: int, order: str) -> None:
    tree = Case(seed).tree()
    other = et.prepare(tree, order=order)
    before, after = et.evaluate(tree), et.evaluate(other)
    assert list(before.lower) == list(after.lower)
    for n in range(len(tree)):
        assert sorted((b.label, b.child.id) for b in tree.node(n).branches) == sorted(
            (b.label, b.child.id) for b in other.node(n).branches
        )


def test_best_and_worst_orders_are_opposites() -> None:
    tree = et.loads("max: [{min: [5, 4, 6]}, {chance: [9, 8]}, {min: [{chance: [1, 2]}, 7]}]")
    best, worst = et.prepare(tree, order="best"), et.prepare(tree, order="worst")
    assert [b.label for b in best.root.branches] == ["#2", "#1", "#3"]
    assert [b.label for b in worst.root.branches] == ["#3", "#1", "#2"]
    assert [b.label for b in best.find("#1").branches] == ["#2", "#1", "#3"]
    assert [b.label for b in best.find("#2").branches] == ["#2", "#1"]  # below MAX: the least first
    assert [b.label for b in best.find("#3/#1").branches] == [
        "#2",
        "#1",
    ]  # below MIN: the greatest first


def test_a_random_order_is_the_same_everywhere() -> None:
    tree = order_at_random(et.loads("max: [1, 2, 3, 4, 5, 6]"), 7)
    assert [b.label for b in tree.root.branches] == ["#3", "#2", "#4", "#6", "#1", "#5"]


def test_the_order_inner_sorts_by_estimates_and_leaves_the_last_ply() -> None:
    text = "max: [{min: [2, 1], estimate: 3}, 4, {chance: [2, 1], estimate: 5}]"
    tree = et.prepare(et.loads(text), order="inner")
    assert [b.label for b in tree.root.branches] == ["#3", "#2", "#1"]
    for path in ("#1", "#3"):
        assert [b.label for b in tree.find(path).branches] == ["#1", "#2"]
    below_min = et.loads("min: [{max: [2, 1], estimate: 3}, 4, {max: [7], estimate: 2}]")
    labels = [b.label for b in et.prepare(below_min, order="inner").root.branches]
    assert labels == ["#3", "#1", "#2"]


@for_each("seed", range(40))
def test_the_order_inner_is_the_best_order_if_estimates_are_values(seed: int) -> None:
    tree = Case(seed).tree()
    values = et.evaluate(tree).lower
    columns = tree.columns._replace(utility=list(values))
    tree = replace(tree, columns=columns)
    best, inner = (et.prepare(tree, order=order) for order in ("best", "inner"))
    for n in range(len(tree)):
        branches, sorted_ones = inner.node(n).branches, best.node(n).branches
        if any(b.child.kind is not Kind.TERMINAL for b in branches):
            assert [b.label for b in branches] == [b.label for b in sorted_ones]
        else:
            assert [b.label for b in branches] == [b.label for b in tree.node(n).branches]


def test_the_order_inner_needs_estimates() -> None:
    with pytest.raises(et.TransformError, match=r"^#2: the order inner needs the estimate of this"):
        et.prepare(et.loads("max: [{min: [1], estimate: 1}, {min: [2]}]"), order="inner")
