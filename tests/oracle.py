"""The reference for searches: v* computed by its definition."""

from __future__ import annotations

from expectitree import Kind, Node, Tree
from expectitree.numbers import Number


def definition(node: Node) -> Number:
    """Return v* of a node as it is defined, by recursion into every child."""
    if node.utility is not None:
        return node.utility
    if node.kind == Kind.MAX:
        return max(definition(child) for child in node.children)
    if node.kind == Kind.MIN:
        return min(definition(child) for child in node.children)
    return sum(branch.probability * definition(branch.child) for branch in node.branches)


def definitions(tree: Tree) -> list[Number]:
    """Return v* of every node, by node id."""
    return [definition(tree.node(n)) for n in range(len(tree))]
