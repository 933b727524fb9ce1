"""The tree of an opponent who makes mistakes."""

from __future__ import annotations

from expectitree.base.errors import TransformError
from expectitree.base.numbers import Number
from expectitree.base.tree.builder import Copy
from expectitree.base.tree.model import Kind, Tree
from expectitree.base.tree.transform import without_formulas


def replace_opponent(tree: Tree, epsilon: Number) -> Tree:
    """Return the tree with a MIN player who makes mistakes.

    With probability `epsilon` MIN picks uniformly among all its actions. Otherwise it plays its
    best response, knowing that it may make mistakes later. A MIN node becomes a CHANCE node. The
    `expect` and the estimates of inner nodes are left out: they were for other play.
    """
    if not 0 <= epsilon <= 1:
        raise TransformError(f"epsilon is a probability from 0 to 1, got {epsilon}")
    copy, columns = Copy(tree), tree.columns
    copies: list[int] = []
    for n, kind in enumerate(columns.kind):
        branches = tree.branches_of(n)
        children = [copies[columns.child[b]] for b in branches]
        if kind == Kind.MIN and epsilon:
            copies.append(_add_erring(copy, n, children, epsilon))
        else:
            copies.append(copy.add(n, branches, children, kind))
    return without_formulas(copy.finish().changed(expect=None))


def _add_erring(copy: Copy, node: int, children: list[int], epsilon: Number) -> int:
    """Add a MIN node that makes mistakes; return its id."""
    branches = copy.tree.branches_of(node)
    labels, rewards = copy.labels_of(node, branches), copy.rewards_of(branches)
    uniform, _ = copy.distribution(None, len(children))
    added = copy.add_inner(Kind.CHANCE, children, uniform, labels, None, rewards)
    if epsilon < 1 and len(children) > 1:
        best = copy.add_inner(Kind.MIN, children, None, labels, None, rewards)
        added = copy.add_inner(
            Kind.CHANCE, [added, best], [epsilon, 1 - epsilon], ["errs", "plays its best"]
        )
    copy.annotate_as(added, node)
    return added
