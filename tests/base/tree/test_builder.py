"""`TreeBuilder`: nested calls, sharing, unreached nodes and errors."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from helpers import cases
from oracle import exact_root

import expectitree as et
from expectitree.base.errors import ExpectitreeError, TreeError
from expectitree.base.tree.builder import NodeId, TreeBuilder


def test_nested_calls_build_the_tree() -> None:
    t = TreeBuilder()
    tree = t.build(
        t.max({"left": t.chance([10, 10]), "right": t.min([100, "9.5"])}), title="A", source="B"
    )
    assert [(path, node.kind.name) for node, path in tree.walk() if node.kind] == [
        ("/", "MAX"), ("left", "CHANCE"), ("right", "MIN")
    ]  # fmt: skip
    assert [node.utility for node, _ in tree.walk()] == [None, None, 10, 10, None, 100, 9.5]
    assert [branch.p for branch in tree.find("left").branches] == [0.5, 0.5]
    assert (tree.title, tree.source, tree.exact) == ("A", "B", True)


@pytest.mark.parametrize("exact", [False, True])
def test_all_numbers_have_the_type_of_the_builder(exact: bool) -> None:
    """In fractions a float counts as the decimal that Python prints; views round once."""
    t = TreeBuilder(exact=exact)
    given = [1, 0.1, "1/3", Fraction(1, 7), Decimal("0.25")]
    tree = t.build(
        t.max(
            [t.chance(given, [0.1, "20%", "3/10", Fraction(1, 5), Decimal("0.2")]), 5],
            estimate="1/2",
        )
    )
    values = [Fraction(1), Fraction(1, 10), Fraction(1, 3), Fraction(1, 7), Fraction(1, 4)]
    probabilities = [Fraction(p, 10) for p in (1, 2, 3, 2, 2)]
    number = Fraction if exact else float
    lottery = exact_root(tree).children[0]
    assert [node.utility for node in lottery.children] == [number(value) for value in values]
    assert [branch.p for branch in lottery.branches] == [number(p) for p in probabilities]
    assert exact_root(tree).estimate == number(Fraction(1, 2))
    assert all(isinstance(node.utility, number) for node in lottery.children)
    shown = tree.find("#1")
    assert [node.utility for node in shown.children] == [float(value) for value in values]
    assert [branch.p for branch in shown.branches] == [float(p) for p in probabilities]
    assert {type(node.utility) for node in shown.children} == {float}


def test_nodes_that_the_root_does_not_reach_are_left_out() -> None:
    """Labels, bounds, notes and estimates follow their nodes to the new ids."""
    t = TreeBuilder()
    t.min([7, 8], note="lost", bounds=(0, 9))
    kept = t.chance({"x": 1, "y": 2}, ["1/4", "3/4"], note="kept", estimate=1.5, bounds=(0, 5))
    t.max({"p": 9, "q": kept}, note="lost too")
    root = t.max({"a": kept, "b": 3})
    t.terminal(4, note="after")
    tree = t.build(root)
    assert len(tree) == 5
    assert list(tree.columns.first) == [0, 0, 0, 2, 2, 4]
    node = tree.find("a")
    assert (node.note, node.estimate, node.bounds) == ("kept", 1.5, (0, 5))
    assert [(b.label, b.p, b.child.utility) for b in node.branches] == [
        ("x", 0.25, 1),
        ("y", 0.75, 2),
    ]
    assert sorted(tree.notes.values()) == ["kept"]
    assert list(tree.local_bounds) == [node.id]
    assert len(tree.label) == len(tree.columns.child) == len(tree.columns.probability) == 4
    assert all(
        c < n
        for n in range(5)
        for c in tree.columns.child[tree.columns.first[n] : tree.columns.first[n + 1]]
    )


def test_a_number_label_is_accepted_only_at_its_place() -> None:
    """`#k` is the name of a branch without a label."""
    t = TreeBuilder()
    tree = t.build(t.max({"#1": 1, "b": 2, "#3": 3}))
    assert [branch.label for branch in tree.root.branches] == ["#1", "b", "#3"]
    assert list(tree.label) == [None, "b", None]


def test_floats_whose_sum_misses_1_by_rounding_are_kept() -> None:
    t = TreeBuilder(exact=False)
    tree = t.build(t.chance([0] * 49, [1 / 49] * 49))
    assert {*tree.columns.probability} == {1 / 49}


# Wrong calls, as text, with the whole message.
REFUSED = dict(cases("interfaces", "builder"))


@pytest.mark.parametrize("call", REFUSED)
def test_wrong_arguments_are_refused(call: str) -> None:
    with pytest.raises(ExpectitreeError) as caught:
        eval(call, {"t": TreeBuilder(), "NodeId": NodeId})
    assert str(caught.value) == REFUSED[call]


def test_a_refused_node_leaves_the_builder_unchanged() -> None:
    t = TreeBuilder()
    with pytest.raises(TreeError):
        t.max([1, 2], bounds=(5, 4))
    tree = t.build(t.max([3]))
    assert len(tree) == 2
    assert et.evaluate(tree).value == 3


@pytest.mark.parametrize("orphans", [0, 1])
def test_a_builder_refuses_nodes_after_build(orphans: int) -> None:
    t = TreeBuilder()
    for _ in range(orphans):
        t.terminal(9)
    one = t.max([1])
    tree = t.build(one)
    for more in (
        lambda: t.terminal(1),
        lambda: t.max([2, 3]),
        lambda: t.chance([2]),
        lambda: t.build(one),
    ):
        with pytest.raises(TreeError, match="this builder has built its tree: make another"):
            more()
    assert (len(tree), tree.root.children[0].utility) == (2, 1)


def test_rewards_are_a_list_or_a_mapping() -> None:
    t = et.TreeBuilder()
    toss = t.chance([0, 10], rewards=["1/2", 0])
    tree = t.build(t.max({"pass": 4, "toss": toss}, rewards={"toss": -3}), reward=1)
    assert [branch.reward for branch in tree.root.branches] == [0, -3]
    assert [branch.reward for branch in tree.find("toss").branches] == [0.5, 0]
    assert tree.root_reward == 1
    found = et.evaluate(tree)
    assert (found.value, found.best) == (5, "pass")
    assert (found.value_of("toss"), found.value_of(tree.find("toss"))) == (2.25, 5.25)


def test_a_tree_without_rewards_has_no_column_of_them() -> None:
    t = et.TreeBuilder()
    tree = t.build(t.max([1, 2], rewards=[0, 0]))
    assert len(tree.columns.reward) == 0
    assert tree.root.branches[0].reward == 0
