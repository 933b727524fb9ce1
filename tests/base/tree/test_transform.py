"""Properties of every transform, on random trees that have all that a tree file can have.

The definitions are recursive, over trees without sharing: a node is a record of all that is
written at it, with the records of its children.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import ExactNode
from random_texts import RandomText

import expectitree as et
from expectitree import Kind, Tree
from expectitree.base.tree.builder import keep_branches
from expectitree.base.tree.columns import NONE
from expectitree.base.tree.folding import fold_rewards, fold_with_formulas, unshare
from expectitree.base.tree.transform import (
    map_utilities,
)
from expectitree.searches.prepare import cut_at_depth, order_at_random

MAX_UNFOLDED = 3_000  # nodes of an unfolded tree
SEEDS = st.integers(0, 2**32 - 1)


@dataclass(frozen=True)
class Record:
    """A node and all that is written at it; numbers are texts where they may be unknown."""

    kind: int
    number: Any  # the utility or the estimate; None if it is not known or not there
    is_estimated: bool
    bounds: Any
    note: str | None
    formula: Any
    event: str | None
    branches: tuple[Edge, ...]


@dataclass(frozen=True)
class Edge:
    """A branch and all that is written at it."""

    label: str
    p: Any
    reward: Any
    note: str | None
    formulas: tuple[Any, Any]  # of p and of the reward
    child: Record


def record_of(tree: Tree, n: int | None = None) -> Record:
    """Return the record of a node, without sharing."""
    n = tree.root_id if n is None else n
    columns, formulas = tree.columns, tree.formulas
    number = columns.utility[n]
    return Record(
        kind=columns.kind[n],
        number=number if number == number else None,
        is_estimated=n in tree.estimated,
        bounds=tree.local_bounds.get(n),
        note=tree.notes.get(n),
        formula=formulas.nodes.get(n),
        event=formulas.events.get(n),
        branches=tuple(
            Edge(
                label=tree.branch_label(n, b),
                p=columns.probability[b],
                reward=tree.reward_of(b),
                note=tree.branch_notes.get(b),
                formulas=(formulas.probabilities.get(b), formulas.rewards.get(b)),
                child=record_of(tree, columns.child[b]),
            )
            for b in tree.branches_of(n)
        ),
    )


def about(tree: Tree) -> list[Any]:
    """Return what belongs to a whole tree."""
    of_root = tree.formulas.rewards.get(NONE)
    return [tree.title, tree.source, tree.root_reward, tree.parameters, tree.exact, of_root]


def same(one: Tree, other: Tree) -> bool:
    return record_of(one) == record_of(other) and about(one) == about(other)


def worth(node: Record) -> Any:
    """Return v* by its definition."""
    values = [branch.reward + worth(branch.child) for branch in node.branches]
    if not values:
        return node.number
    if node.kind == Kind.CHANCE:
        return sum(b.p * v for b, v in zip(node.branches, values, strict=True))
    return max(values) if node.kind == Kind.MAX else min(values)


def full_tree(seed: int, estimates: bool = True, unknown: bool = False) -> Tree:
    """Return a random tree of a moderate size, with or without unknown utilities."""
    while True:
        drawn = RandomText(seed, estimates)
        tree = et.loads(drawn.text, name=f"x.{drawn.suffix}")
        is_moderate = isinstance(tree.unfolded, int) and tree.unfolded <= MAX_UNFOLDED
        if is_moderate and bool(tree.unknown) == unknown:
            return tree
        seed += 1


TREES = st.builds(full_tree, SEEDS)
ALSO_UNKNOWN = TREES | st.builds(full_tree, SEEDS, unknown=st.just(True))


# ---- Depth.


def cut(node: Record, depth: int) -> Record:
    if depth == 0 and node.branches:
        return replace(node, kind=Kind.TERMINAL, is_estimated=True, event=None, branches=())
    below = (replace(b, child=cut(b.child, depth - 1)) for b in node.branches)
    return replace(node, branches=tuple(below))


def height(node: Record) -> int:
    return max((1 + height(branch.child) for branch in node.branches), default=0)


@given(tree=ALSO_UNKNOWN, depth=st.integers(0, 6))
def test_a_cut_tree_keeps_all_that_is_written_above_the_limit(tree: Tree, depth: int) -> None:
    found = cut_at_depth(tree, depth)
    assert record_of(found) == cut(record_of(tree), depth)
    assert about(found) == about(tree)
    assert same(cut_at_depth(found, depth), found)
    if depth:
        assert same(cut_at_depth(found, depth - 1), cut_at_depth(tree, depth - 1))
    if depth >= tree.heights[tree.root_id]:
        assert same(found, tree)
        assert len(found) == len(tree)


@given(tree=TREES, depth=st.integers(0, 6))
def test_a_cut_tree_shares_what_is_the_same(tree: Tree, depth: int) -> None:
    """A node is split for depths at which the limit cuts below it, and for no others."""
    keys: set[tuple[int, int]] = set()

    def visit(n: int, plies: int) -> None:
        is_cut = plies + tree.heights[n] > depth
        keys.add((n, plies if is_cut else 0))
        if plies < depth or not is_cut:
            for child in tree.node(n).children:
                visit(child.id, plies + 1)

    visit(tree.root_id, 0)
    assert len(cut_at_depth(tree, depth)) == len(keys)


# ---- Order.


def ordered(node: Record, value: Callable[[Record], Any], best: bool, player: int = 0) -> Record:
    """Return a tree without sharing with its children sorted; `player` is above a CHANCE node.

    Children whose `value` is None keep their order.
    """
    player = node.kind if node.kind != Kind.CHANCE else player
    falls = (node.kind == Kind.MAX) or (node.kind == Kind.CHANCE and player == Kind.MIN)
    sign = -1 if falls == best else 1
    branches = [replace(b, child=ordered(b.child, value, best, player)) for b in node.branches]
    values = {b.label: value(b.child) for b in node.branches}
    if value is not written or any(b.child.branches for b in node.branches):
        branches.sort(key=lambda b: sign * (b.reward + values[b.label]))
    return replace(node, branches=tuple(branches))


def written(node: Record) -> Any:
    """Return the utility or the estimate."""
    return node.number


@pytest.mark.slow
@pytest.mark.parametrize("order", ["best", "worst", "inner"])
@given(tree=TREES)
def test_an_order_is_that_of_the_definition(order: str, tree: Tree) -> None:
    apart = unshare(tree)
    found = et.prepare(apart, order=order)
    value = written if order == "inner" else worth
    assert record_of(found) == ordered(record_of(apart), value, order != "worst")
    assert about(found) == about(tree)
    assert same(et.prepare(found, order=order), found)


def by_label(node: Record) -> Record:
    """Return a tree with the children of each node in the order of their labels."""
    below = [replace(b, child=by_label(b.child)) for b in node.branches]
    return replace(node, branches=tuple(sorted(below, key=lambda b: b.label)))


@pytest.mark.parametrize("order", ["best", "worst", "inner", "random:5"])
@given(tree=TREES)
def test_an_order_moves_children_and_changes_nothing_else(order: str, tree: Tree) -> None:
    found = et.prepare(tree, order=order)
    assert by_label(record_of(found)) == by_label(record_of(tree))
    assert about(found) == about(tree)
    assert len(found) == len(tree)
    assert list(et.evaluate(found).lower) == list(et.evaluate(tree).lower)
    again = order_at_random(et.prepare(found, order="random:9"), 3)
    assert by_label(record_of(again)) == by_label(record_of(tree))


@given(tree=ALSO_UNKNOWN, seed=st.integers(0, 9))
def test_a_random_order_keeps_what_is_not_known(tree: Tree, seed: int) -> None:
    assert by_label(record_of(order_at_random(tree, seed))) == by_label(record_of(tree))


@given(tree=TREES)
def test_a_shared_chance_node_has_the_order_for_the_player_on_its_first_path(tree: Tree) -> None:
    found = et.prepare(tree, order="best")
    players: dict[int, int] = {}
    for node, path in tree.walk():
        above = path.rpartition("/")[0] if path != "/" else ""
        escaped = path != "/" and "\\/" in path
        if node.id == tree.root_id or escaped:
            continue
        parent = tree.find(above or "/")
        players[node.id] = players.get(parent.id, 0) if parent.kind == Kind.CHANCE else parent.kind
        if node.kind == Kind.CHANCE:
            values = [b.reward + worth(record_of(found, b.child.id))
                      for b in ExactNode(found, node.id).branches]  # fmt: skip
            assert values == sorted(values, reverse=players[node.id] == Kind.MIN)


# ---- Sharing and rewards.


@given(tree=ALSO_UNKNOWN)
def test_an_unshared_tree_is_the_same_without_sharing(tree: Tree) -> None:
    found = unshare(tree)
    assert same(found, tree)
    assert len(found) == tree.unfolded
    assert unshare(found) is found


def folded(node: Record, paid: Any) -> Record:
    def plus(number: Any) -> Any:
        return None if number is None else number + paid

    branches = tuple(
        replace(b, reward=0, formulas=(None, None), child=folded(b.child, paid + b.reward))
        for b in node.branches
    )
    bounds = node.bounds and tuple(map(plus, node.bounds))
    number = plus(node.number)
    return replace(node, number=number, bounds=bounds, formula=None, branches=branches)


@given(tree=TREES)
def test_folding_adds_the_rewards_on_the_way(tree: Tree) -> None:
    tree = unshare(tree)
    found = fold_rewards(tree)
    if tree.columns.pays or tree.root_reward:
        assert record_of(found) == folded(record_of(tree), tree.root_reward)
        assert about(found)[:4] == [tree.title, tree.source, 0, {}]
    assert fold_rewards(found) is found


@given(tree=TREES, number=st.sampled_from(("0", "1/2", "3")))
def test_folded_formulas_are_worth_what_the_tree_is_worth(tree: Tree, number: str) -> None:
    said: list[str] = []
    found = fold_with_formulas(unshare(tree), said.append)
    if not any("formulas" in message for message in said):
        assert found.parameters == tree.parameters
    bases = [name for name, one in tree.parameters.items() if not one.bases]
    for change in [{}, *({name: number} for name in bases if found.parameters)]:
        try:
            moved = tree.with_parameters(**change)
            value = moved.root_reward + worth(record_of(moved))
        except et.ExpectitreeError:  # a formula has no value there
            continue
        assert worth(record_of(found.with_parameters(**change))) == pytest.approx(value)


# ---- Other transforms.


def without(node: Record, **changes: Any) -> Record:
    """Return a tree whose formulas are left out, with changes at each node."""
    branches = tuple(
        replace(b, formulas=(None, None), child=without(b.child, **changes)) for b in node.branches
    )
    changes = {k: c(node) if callable(c) else c for k, c in changes.items()}
    return replace(node, formula=None, branches=branches, **changes)


@given(tree=ALSO_UNKNOWN, a=st.sampled_from((1, 2, Fraction(1, 3))), b=st.integers(-2, 2))
def test_a_map_changes_numbers_and_leaves_out_bounds(tree: Tree, a: Any, b: int) -> None:
    def image(x: Any) -> Any:
        return a * x + b

    found = record_of(map_utilities(tree, image))
    assert found == without(
        record_of(tree),
        number=lambda node: None if node.number is None else image(node.number),
        bounds=None,
    )


@given(tree=ALSO_UNKNOWN)
def test_kept_branches_keep_all_that_is_written_at_them(tree: Tree) -> None:
    """The first branch of each player, and every outcome: the rest is left out."""

    def kept(node: Record) -> Record:
        branches = node.branches if node.kind == Kind.CHANCE else node.branches[:1]
        return replace(node, branches=tuple(replace(b, child=kept(b.child)) for b in branches))

    chosen: dict[int, Any] = {}
    stack = [tree.root_id]
    while stack:
        n = stack.pop()
        branches = tree.branches_of(n)
        chosen[n] = branches if tree.columns.kind[n] == Kind.CHANCE else branches[:1]
        stack.extend(tree.columns.child[b] for b in chosen[n])
    found = keep_branches(tree, sorted(chosen.items()))
    assert record_of(found) == kept(record_of(tree))
    assert len(found) == len(chosen)


def test_the_trees_have_what_transforms_must_keep() -> None:
    trees = [full_tree(seed) for seed in range(150)]
    columns = ("notes", "branch_notes", "local_bounds", "root_reward", "parameters", "title")
    for name in columns:
        assert sum(bool(getattr(tree, name)) for tree in trees) > 10, name
    formulas = [tree.formulas for tree in trees]
    for name in ("nodes", "probabilities", "rewards", "events"):
        assert sum(bool(getattr(found, name)) for found in formulas) > 10, name
    assert sum(tree.is_sharing for tree in trees) > 20
    assert sum(bool(tree.columns.pays) for tree in trees) > 20


# ---- Errors, long chains, random orders.


@pytest.mark.slow
def test_a_long_chain_is_transformed_without_recursion() -> None:
    builder = et.TreeBuilder()
    leaf = builder.terminal(1)
    node = builder.max([leaf, leaf], estimate=7)
    for _ in range(20_000):
        node = builder.max([node], estimate=7, rewards=[1])
    tree = builder.build(node)
    limited, apart = cut_at_depth(tree, 10_000), unshare(tree)
    assert (len(limited), et.evaluate(limited).value) == (10_001, 10_007)
    assert (len(apart), et.evaluate(fold_rewards(apart)).value) == (20_003, 20_001)


def test_a_node_without_an_estimate_is_reported() -> None:
    with pytest.raises(
        et.TransformError, match=r"^a/#2: the depth limit 2 cuts here, and the node has no estimate"
    ):
        cut_at_depth(et.loads("max: {a: {estimate: 1, min: [1, {max: [2]}]}}"), 2)


def test_a_random_order_is_the_same_everywhere() -> None:
    tree = order_at_random(et.loads("max: [1, 2, 3, 4, 5, 6]"), 7)
    assert [b.label for b in tree.root.branches] == ["#3", "#2", "#4", "#6", "#1", "#5"]


def test_the_order_inner_needs_estimates() -> None:
    with pytest.raises(et.TransformError, match=r"^#2: the order inner needs the estimate of this"):
        et.prepare(et.loads("max: [{min: [1], estimate: 1}, {min: [2]}]"), order="inner")
