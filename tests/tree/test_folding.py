"""Folding rewards into terminals, unfolding sharing, and how both go with other transforms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from helpers import loads
from hypothesis import given
from hypothesis import strategies as st
from oracle import ExactNode, definition, definitions
from random_trees import REWARDS, build, random_rows, utility_ranges

import expectitree as et
from expectitree import Node, Tree
from expectitree.base.errors import TransformError
from expectitree.base.numbers import INFINITY, Number
from expectitree.searches.engine import search_tree
from expectitree.tree.builder import keep_branches
from expectitree.tree.expectation import Expectation
from expectitree.tree.folding import fold_rewards, unshare
from expectitree.tree.transform import (
    cut_at_depth,
    in_fractions,
    order_at_random,
    order_by_value,
    replace_opponent,
)

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


def are_same(one: Tree, other: Tree) -> bool:
    """Return whether two trees have the same rows, labels and bounds."""
    return (
        [list(column) for column in one.columns.stored if column is not one.columns.utility]
        == [list(column) for column in other.columns.stored if column is not other.columns.utility]
        and list(map(str, one.columns.utility)) == list(map(str, other.columns.utility))  # NaN
        and list(one.label) == list(other.label)
        and one.local_bounds == other.local_bounds
        and one.estimated == other.estimated
        and one.root_reward == other.root_reward
    )


@given(tree=TREES)
def test_folding_keeps_the_total_of_every_play(tree: Tree) -> None:
    totals = list(plays(tree.root, tree.root_reward))
    apart = unshare(tree)
    assert list(plays(apart.root, apart.root_reward)) == totals
    assert len(apart) == tree.unfolded
    assert not apart.is_sharing
    folded = fold_rewards(apart)
    assert list(plays(folded.root)) == totals
    assert not folded.columns.pays
    assert definition(folded.root) == tree.root_reward + definition(tree.root)


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


def test_folding_moves_estimates_and_bounds() -> None:
    tree = et.loads(
        "{reward: 1, max: [{cost: 2, estimate: 4, bounds: [0, 9], min: [{reward: 3, utility: 5}]}]}"
    )
    folded = fold_rewards(tree)
    node = folded.find("#1")
    assert (node.estimate, node.bounds, folded.find("#1/#1").utility) == (3, (-1, 8), 7)
    assert (folded.root_reward, et.evaluate(folded).value, et.evaluate(tree).value) == (0, 7, 7)
    open_ended = et.loads("max: [{cost: 2, bounds: [-inf, 9], min: [5]}]")
    assert fold_rewards(open_ended).find("#1").bounds == (-INFINITY, 7)


def test_a_tree_without_rewards_is_returned_as_it_is() -> None:
    tree = et.loads("max: [1, 2]")
    assert fold_rewards(tree) is tree
    assert unshare(tree) is tree


def test_different_sums_are_an_error_that_names_two_paths() -> None:
    tree = et.loads("{max: {a: {reward: 1, ref: c}, b: {cost: 1/2, ref: c}}, nodes: {c: 3}}")
    with pytest.raises(TransformError) as caught:
        fold_rewards(tree)
    assert str(caught.value) == (
        "the rewards on the paths to one node sum to 1 on a and to -0.5 on b, and a terminal has "
        "one utility: convert the tree with --unshare first, so that each path has its own copy"
    )


def test_sums_that_differ_by_rounding_are_the_same() -> None:
    text = """
    max:
      a: {reward: 0.1, max: [{reward: 0.2, ref: c}]}
      b: {reward: 0.3, ref: c}
    nodes: {c: {max: [1]}}
    """
    assert et.evaluate(fold_rewards(et.loads(text))).value == pytest.approx(1.3)


def test_sums_of_fractions_are_compared_with_rounding_only_in_floats() -> None:
    text = "{max: {a: {max: [{reward: 1/3, ref: c}], reward: 2/3}, b: {reward: ONE, ref: c}}, "
    text += "nodes: {c: 1}}"
    assert fold_rewards(et.loads(text.replace("ONE", "1"))).find("b").utility == pytest.approx(2)
    near = text.replace("ONE", "1.000000000000001")
    with pytest.raises(TransformError, match="the rewards on the paths to one node sum to"):
        fold_rewards(et.loads(near))


def test_a_tree_is_unshared_if_it_has_at_most_so_many_nodes() -> None:
    tree = et.loads("{nodes: {c: {max: [1, 2]}}, max: [{ref: c}, {ref: c}]}")
    assert len(unshare(tree, most=7)) == 7
    with pytest.raises(TransformError, match="the tree has 7 nodes, and the limit is 6: keep it"):
        unshare(tree, most=6)


def test_a_deep_tree_is_folded_and_unshared() -> None:
    builder = et.TreeBuilder()
    node = builder.terminal(0)
    for _ in range(20_000):
        node = builder.max([node], rewards=[1])
    tree = builder.build(node)
    assert et.evaluate(fold_rewards(tree)).value == 20_000
    builder = et.TreeBuilder()
    shared = builder.terminal(0)
    node = builder.max([shared, shared], rewards=[1, 2])
    for _ in range(20_000):
        node = builder.max([node], rewards=[1])
    assert len(unshare(builder.build(node))) == 20_003


def test_an_endless_unfolding_is_refused() -> None:
    builder = et.TreeBuilder()
    node = builder.terminal(0)
    for _ in range(100):
        node = builder.max([node, node])
    with pytest.raises(TransformError, match="without sharing the tree has 2,535,301,200,456"):
        unshare(builder.build(node))


# ---- Fold, then transform; or transform, then fold.


def cut(tree: Tree) -> Tree:
    return cut_at_depth(tree, 2)


def order_best(tree: Tree) -> Tree:
    return order_by_value(tree, definitions(tree))


def order_worst(tree: Tree) -> Tree:
    return order_by_value(tree, definitions(tree), best_first=False)


def shuffle(tree: Tree) -> Tree:
    return order_at_random(tree, 5)


def keep_some(tree: Tree) -> Tree:
    """Keep the first action of each player's node, and the last one if there are three."""
    kept: dict[int, list[int]] = {}
    waiting = [tree.root_id]
    while waiting:
        n = waiting.pop()
        is_player = tree.columns.kind[n] in (et.Kind.MAX, et.Kind.MIN)
        kept[n] = list(tree.branches_of(n)[:: 2 if is_player else 1])
        waiting += [tree.columns.child[b] for b in kept[n]]
    return keep_branches(tree, kept)


def err(tree: Tree) -> Tree:
    return replace_opponent(tree, Fraction(1, 3))


def err_in_a_bad_world(tree: Tree) -> Tree:
    return replace_opponent(tree, Fraction(1, 3), "worst")


@pytest.mark.parametrize(
    "transform",
    [cut, order_best, order_worst, shuffle, keep_some, err, err_in_a_bad_world],
)
@given(tree=TREES)
def test_a_transform_goes_with_folding(transform: Callable[[Tree], Tree], tree: Tree) -> None:
    apart = unshare(tree)
    one, other = fold_rewards(transform(apart)), transform(fold_rewards(apart))
    assert list(plays(one.root)) == list(plays(other.root))
    assert definition(one.root) == definition(other.root)
    assert are_same(one, other)


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
    tree = et.loads(ROCKEFELLER)
    folded = fold_rewards(tree)
    assert not folded.columns.pays
    assert [node.utility for node, _ in folded.walk() if node.utility is not None] == [
        750, 2150, -350, 900, 2150, -350, 400
    ]  # fmt: skip
    assert tree.total_ends == folded.total_ends == folded.utility_range == (-350, 2150)
    found, again = search_tree(tree), search_tree(folded)
    assert found.value == again.value == Fraction(0.6 * 1625 + 0.4 * 500 - 100)
    assert found.best == again.best == "test"


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
    assert et.loads(et.dumps(folded)).formulas is None
    assert search_tree(folded).value == search_tree(tree).value


def test_a_folded_tree_keeps_its_events_and_expects_nothing_at_other_parameters() -> None:
    text = """
    parameters: {fee: 5}
    expect: {value: 5, best: a, values: {a: 5}, at: [{set: {fee: 1}, value: 9}]}
    max: {a: {cost: fee, event: oil, chance: {wet: 12, dry: 8}}, b: 1}
    """
    tree = et.loads(text)
    folded = et.loads(et.dumps(fold_rewards(tree)))
    assert tree.formulas is not None
    assert [*tree.formulas.events.values()] == ["oil"]
    assert folded.formulas == replace(tree.formulas, rewards={})
    assert et.verify(tree).broken == et.verify(folded).broken == []
    assert replace_opponent(tree, 0, "worst").formulas is None  # its CHANCE is a player
