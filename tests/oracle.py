"""The reference for searches: v* computed by its definition, in the numbers of the columns."""

from __future__ import annotations

from typing import Any, NamedTuple

from expectitree import Kind, Node, Tree
from expectitree.base.numbers import Number


class ExactBranch(NamedTuple):
    """A branch with the numbers of its tree's columns, which `Branch` rounds."""

    label: str
    p: Any
    child: ExactNode
    reward: Any


class ExactNode(NamedTuple):
    """A node with the numbers of its tree's columns, which `Node` rounds."""

    tree: Tree
    id: int

    @property
    def kind(self) -> Kind:
        return Kind(self.tree.columns.kind[self.id])

    @property
    def utility(self) -> Any:
        value = self.tree.columns.utility[self.id]
        return value if self.kind == Kind.TERMINAL and value == value else None

    @property
    def estimate(self) -> Any:
        value = self.tree.columns.utility[self.id]
        return None if self.kind == Kind.TERMINAL or value != value else value

    @property
    def branches(self) -> list[ExactBranch]:
        tree, columns = self.tree, self.tree.columns
        return [
            ExactBranch(
                tree.branch_label(self.id, b),
                columns.probability[b],
                ExactNode(tree, columns.child[b]),
                tree.reward_of(b),
            )
            for b in tree.branches_of(self.id)
        ]

    @property
    def children(self) -> list[ExactNode]:
        return [branch.child for branch in self.branches]


def exact_root(tree: Tree) -> ExactNode:
    """Return the root with the numbers of the columns."""
    return ExactNode(tree, tree.root_id)


def definition(node: Node | ExactNode) -> Number:
    """Return v* of a node as it is defined, by recursion into every child."""
    node = ExactNode(node.tree, node.id)
    if node.utility is not None:
        utility: Number = node.utility
        return utility
    worth = [branch.reward + definition(branch.child) for branch in node.branches]
    if node.kind == Kind.MAX:
        return max(worth)
    if node.kind == Kind.MIN:
        return min(worth)
    return sum(branch.p * w for branch, w in zip(node.branches, worth, strict=True))


def definitions(tree: Tree) -> list[Number]:
    """Return v* of every node, by node id."""
    return [definition(tree.node(n)) for n in range(len(tree))]
