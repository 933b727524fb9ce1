"""The reference for searches: v* computed by its definition."""

from __future__ import annotations

from expectitree import Kind, Node, Tree
from expectitree.numbers import Number


def definition(node: Node) -> Number:
    """Return v* of a node as it is defined, by recursion into every child."""
    if node.utility is not None:
        return node.utility
    worth = [branch.reward + definition(branch.child) for branch in node.branches]
    if node.kind == Kind.MAX:
        return max(worth)
    if node.kind == Kind.MIN:
        return min(worth)
    return sum(branch.probability * w for branch, w in zip(node.branches, worth, strict=True))


def definitions(tree: Tree) -> list[Number]:
    """Return v* of every node, by node id."""
    return [definition(tree.node(n)) for n in range(len(tree))]
