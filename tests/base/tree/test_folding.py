"""Folding rewards into terminals and unfolding sharing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from helpers import loads
from hypothesis import given
from hypothesis import strategies as st
from oracle import ExactNode, definition
from random_trees import REWARDS, build, random_rows, utility_ranges

import expectitree as et
from expectitree import Node, Tree
from expectitree.base.errors import TransformError
from expectitree.base.numbers import Number
from expectitree.base.tree.folding import fold_rewards, unshare
from expectitree.base.tree.formulas import Expectation
from expectitree.base.tree.transform import in_fractions
from expectitree.searches.engine import search_tree

SEEDS = st.integers(0, 2**32 - 1)


def paying(seed: int, exact: bool = True) -> Tree:
    """Return a random tree that pays, with an estimate at each inner node."""
    random = Random(seed)
    rows = random_rows(random, rewards=random.choice(REWARDS))
    rows = [
        replace(row, estimate=random.choice(ends)) if row.children else row
        for row, ends in zip(rows, utility_ranges(rows), strict=True)
    ]
    tree = build(rows, exact)
    return replace(tree, root_reward=random.choice((0, Fraction(7) if exact else 7.0)))


TREES = st.builds(paying, seed=SEEDS)


def plays(node: Node | ExactNode, paid: Number = 0) -> Iterator[tuple[str, Number]]:
    """Yield the path and the total of every play, in the numbers of the columns."""
    node = ExactNode(node.tree, node.id)
    if node.utility is not None:
        yield "", paid + node.utility
    for branch in node.branches:
        for path, total in plays(branch.child, paid + branch.reward):
            yield f"{branch.label}/{path}", total


@given(tree=TREES)
def test_a_shared_node_is_folded_if_all_its_paths_pay_the_same(tree: Tree) -> None:
    paid: dict[int, set[Number]] = {tree.root_id: {tree.root_reward}}
    for n in range(tree.root_id, -1, -1):
        for branch in ExactNode(tree, n).branches:
            sums = {total + branch.reward for total in paid[n]}
            paid.setdefault(branch.child.id, set()).update(sums)
    if all(len(sums) == 1 for sums in paid.values()):
        assert list(plays(fold_rewards(tree).root)) == list(plays(tree.root, tree.root_reward))
    else:
        with pytest.raises(TransformError, match="convert the tree with --unshare first"):
            fold_rewards(tree)


def test_different_sums_are_an_error_that_names_two_paths() -> None:
    tree = et.loads("{max: {a: {reward: 1, ref: c}, b: {cost: 1/2, ref: c}}, nodes: {c: 3}}")
    with pytest.raises(TransformError) as caught:
        fold_rewards(tree)
    assert str(caught.value) == (
        "the rewards on the paths to one node sum to 1 on a and to -0.5 on b, and a terminal has "
        "one utility: convert the tree with --unshare first, so that each path has its own copy"
    )


def test_sums_of_fractions_are_compared_with_rounding_only_in_floats() -> None:
    text = "{max: {a: {max: [{reward: 1/3, ref: c}], reward: 2/3}, b: {reward: ONE, ref: c}}, "
    text += "nodes: {c: 1}}"
    assert fold_rewards(et.loads(text.replace("ONE", "1"))).find("b").utility == pytest.approx(2)
    near = text.replace("ONE", "1.000000000000001")
    with pytest.raises(TransformError, match="the rewards on the paths to one node sum to"):
        fold_rewards(et.loads(near))


def test_a_tree_is_unshared_if_it_has_at_most_so_many_nodes() -> None:
    tree = et.loads("{nodes: {c: {max: [1, 2]}}, max: [{ref: c}, {ref: c}]}")
    assert len(unshare(tree, 7)) == 7
    with pytest.raises(TransformError, match="the tree has 7 nodes, and the limit is 6: keep it"):
        unshare(tree, 6)


def test_an_endless_unfolding_is_refused() -> None:
    builder = et.TreeBuilder()
    node = builder.terminal(0)
    for _ in range(100):
        node = builder.max([node, node])
    with pytest.raises(TransformError, match="without sharing the tree has 2,535,301,200,456"):
        unshare(builder.build(node))


@given(seed=SEEDS)
def test_a_tree_in_fractions_pays_the_same(seed: int) -> None:
    tree = paying(seed, exact=False)
    exact = in_fractions(tree)
    assert all(isinstance(r, Fraction) for r in (*exact.columns.reward, exact.root_reward))
    for (path, total), (_, rounded) in zip(
        plays(exact.root, exact.root_reward), plays(tree.root, tree.root_reward), strict=True
    ):
        assert float(total) == pytest.approx(rounded, rel=1e-12, abs=1e-9), path
    value: Any = definition(exact.root) + exact.root_reward
    assert float(value) == pytest.approx(search_tree(tree).value, rel=1e-12, abs=1e-9)


def test_sums_of_floats_are_those_on_paper() -> None:
    text = "max: [{reward: 0.1, max: [{reward: 0.2, utility: 0}, {cost: 0.1, utility: 1}]}, 3]"
    tree = loads(text, exact=False)
    assert fold_rewards(tree).columns.utility[:2].tolist() == [0.3, 1.0]


def test_the_value_and_the_best_action_are_still_expected() -> None:
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
        tree = loads(text, exact=exact)
        folded = fold_rewards(tree)
        assert folded.expect == Expectation(2.5, "a")
        assert et.verify(folded).broken == []


def test_counts_of_searches_are_left_out_of_an_unfolded_tree() -> None:
    expect = "{value: 1, values: {a: 1}, star1: {leaves: 1}}"
    text = f"{{nodes: {{s: 1}}, expect: {expect}, max: {{a: {{ref: s}}, b: {{ref: s}}}}}}"
    tree = unshare(et.loads(text))
    assert tree.expect is not None
    assert (tree.expect.values, tree.expect.runs) == ({"a": 1}, ())
    assert et.verify(tree).broken == []


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


@pytest.mark.parametrize("text", ["cost: x, max: [1, 2]", "max: [{reward: x - x, utility: 1}, 2]"])
def test_formulas_of_rewards_that_are_0_are_folded_too(text: str) -> None:
    tree = et.loads(f"{{parameters: {{x: 0}}, {text}}}")
    assert "reward" in et.dumps(tree) or "cost" in et.dumps(tree)
    folded = fold_rewards(tree)
    assert not et.loads(et.dumps(folded)).formulas
    assert search_tree(folded).value == search_tree(tree).value


def test_a_folded_tree_keeps_its_events_and_expects_nothing_at_other_parameters() -> None:
    text = """
    parameters: {fee: 5}
    expect: {value: 5, best: a, values: {a: 5}, at: [{set: {fee: 1}, value: 9}]}
    max: {a: {cost: fee, event: oil, chance: {wet: 12, dry: 8}}, b: 1}
    """
    tree = et.loads(text)
    folded = et.loads(et.dumps(fold_rewards(tree)))
    assert [*tree.formulas.events.values()] == ["oil"]
    assert folded.formulas == replace(tree.formulas, rewards={})
    assert et.verify(tree).broken == et.verify(folded).broken == []
