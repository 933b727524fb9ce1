"""`Tree` and its views: columns, paths, walks, heights, sizes, inherited bounds."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from helpers import cases, loads
from oracle import ExactNode
from random_trees import Case

import expectitree as et
from expectitree.base.errors import TreeError
from expectitree.base.numbers import Number
from expectitree.base.tree.model import Kind

TEXT = """
title: A tree to look at
note: the root's
max:
  a:
    chance:
      - {p: 1/4, ref: s, note: "the branch's"}
      - {p: 3/4, label: x/y, utility: 4}
    bounds: [0, 4]
  b: {min: [{ref: s}, 2, {utility: 7, note: "a leaf's"}], estimate: 1.5}
  c: {ref: s}
nodes:
  s: {max: [0, 3]}
"""


@pytest.fixture(params=[False, True], ids=["float", "exact"])
def tree(request: pytest.FixtureRequest) -> et.Tree:
    """Return the tree above in both number systems."""
    return loads(TEXT, name="look.yaml", exact=request.param)


def test_views_show_the_rows(tree: et.Tree) -> None:
    root, a, b = tree.root, tree.find("a"), tree.find("b")
    assert (root.kind, root.note) == (Kind.MAX, "the root's")
    assert root.utility is root.estimate is root.bounds is None
    assert [branch.label for branch in root.branches] == ["a", "b", "c"]
    assert root.children == (a, b, tree.find("c"))
    assert (a.kind, a.bounds) == (Kind.CHANCE, (0, 4))
    assert [b[:2] for b in a.branches] == [("#1", 0.25), ("x/y", 0.75)]
    assert (b.kind, b.estimate, b.utility) == (Kind.MIN, 1.5, None)
    leaf = tree.find("b/#3")
    assert (leaf.kind, leaf.utility, leaf.estimate) == (Kind.TERMINAL, 7, None)
    assert (leaf.note, leaf.children) == ("a leaf's", ())
    assert list(tree.branch_notes.values()) == ["the branch's"]
    assert type(leaf.utility) is type(b.estimate) is type(a.branches[0].p) is float
    assert isinstance(tree.columns.utility[leaf.id], Fraction if tree.exact else float)


def test_walk_follows_the_first_paths(tree: et.Tree) -> None:
    walked = [(node.id, path) for node, path in tree.walk()]
    paths = ["/", "a", "a/#1", "a/#1/#1", "a/#1/#2", "a/x\\/y", "b", "b/#2", "b/#3"]
    assert [path for _, path in walked] == paths
    assert sorted(n for n, _ in walked) == list(range(len(tree)))
    assert all(tree.find(path).id == n and tree.path_of(n) == path for n, path in walked)
    _, parent, branch, depth = tree.first_paths
    assert [depth[n] for n, _ in walked] == [0, 1, 2, 3, 3, 2, 1, 2, 2]
    assert (parent[len(tree) - 1], branch[len(tree) - 1]) == (-1, -1)


def test_heights_leaves_and_sizes_are_counted(tree: et.Tree) -> None:
    heights = {path: tree.heights[node.id] for node, path in tree.walk() if node.kind}
    assert heights == {"/": 3, "a": 2, "a/#1": 1, "b": 2}
    assert tree.leaves == 5
    assert tree.unfolded == 15
    assert tree.utility_range == (0, 7)


def test_bounds_are_inherited(tree: et.Tree) -> None:
    lower, upper = tree.inherited_bounds((-1, 9))
    found = {path: (lower[node.id], upper[node.id]) for node, path in tree.walk()}
    assert found["/"] == found["b"] == found["b/#3"] == (-1, 9)
    assert found["a"] == found["a/#1"] == found["a/#1/#2"] == found["a/x\\/y"] == (0, 4)


@pytest.mark.parametrize(
    ("path", "message"),
    cases("interfaces", "paths"),
)
def test_an_unknown_path_is_explained(tree: et.Tree, path: str, message: str) -> None:
    with pytest.raises(TreeError) as caught:
        tree.find(path)
    assert str(caught.value) == message


def test_an_unknown_path_lists_eight_labels() -> None:
    tree = et.loads("max: [1, 2, 3, 4, 5, 6, 7, 8, 9]")
    with pytest.raises(TreeError, match=r"are #1, #2, #3, #4, #5, #6, #7, #8, …$"):
        tree.find("#10")


def test_a_slash_at_the_end_of_a_path_changes_nothing(tree: et.Tree) -> None:
    assert tree.find("a/#1/") == tree.find("a/#1")
    assert tree.find("a/x\\/y/") == tree.find("a/x\\/y")


def test_node_refuses_ids_outside_the_tree(tree: et.Tree) -> None:
    assert tree.node(0).id == 0
    for wrong in (-1, len(tree)):
        with pytest.raises(
            TreeError, match=rf"node {wrong} is not in this tree: its ids are 0 to 8"
        ):
            tree.node(wrong)


def test_a_tree_is_immutable(tree: et.Tree) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        tree.title = "x"  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        tree.root.id = 0  # type: ignore[misc]


def test_repr_shows_title_and_sizes(tree: et.Tree) -> None:
    assert repr(tree) == "<Tree 'A tree to look at', 9 nodes, 5 leaves>"
    assert repr(tree.root) == "<Node 8 MAX>"
    assert repr(et.loads('{title: "a\\eb", max: [1]}')) == "<Tree 'a\\\\x1bb', 2 nodes, 1 leaves>"


def test_an_argument_that_is_not_a_tree_is_refused() -> None:
    questions: list[Callable[[Any], object]] = [
        et.prepare, et.compare, et.limit, et.inquire, et.verify,
        et.dumps,
        lambda tree: et.trace(tree, "star1"),
        lambda tree: et.rescale(tree, {1: 2}),
        lambda tree: et.save(tree, "x.yaml"),
    ]  # fmt: skip
    for question in questions:
        for wrong in ("x.yaml", {"max": [1, 2]}, None):
            with pytest.raises(et.TreeError, match="as a tree: pass what load"):
                question(wrong)


@pytest.mark.parametrize("exact", [True, False])
def test_the_range_and_the_magnitude_of_totals_match_their_definition(exact: bool) -> None:
    """The magnitude is that of any total which is still to be received somewhere."""
    for seed in range(100):
        tree = Case(seed, pays=True).tree(exact)
        totals: dict[int, set[Number]] = {}
        for node in (ExactNode(tree, n) for n in range(len(tree))):
            totals[node.id] = {node.utility} if node.utility is not None else set()
            for branch in node.branches:
                totals[node.id] |= {branch.reward + x for x in totals[branch.child.id]}
        root = totals[tree.root_id]
        assert tree.total_ends == (min(root), max(root))
        assert tree.greatest_magnitude == max(abs(x) for known in totals.values() for x in known)
