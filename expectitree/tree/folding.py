"""Fold the rewards of a tree into its terminals, and unfold its sharing."""

from __future__ import annotations

from array import array
from dataclasses import replace
from typing import Any

from expectitree.errors import TransformError
from expectitree.numbers import escape, message_text
from expectitree.tree import paths, scans
from expectitree.tree.columns import NONE
from expectitree.tree.model import Tree
from expectitree.tree.transform import Copy, without_formulas

MOST_NODES = 10_000_000  # of a tree without sharing
_NEAR = 1e-12  # of the greatest total: what sums of rewards may differ by in floats


def fold_rewards(tree: Tree) -> Tree:
    """Return the tree with every reward moved into the terminals below it.

    A terminal is then worth its total: its utility plus the rewards on the path to it, the root's
    reward included. Estimates and bounds move too. Raises `TransformError` if paths with different
    sums of rewards lead to one node, because each of them would need its own copy of the node.
    """
    columns = tree.columns
    if not columns.pays and not tree.root_reward:
        return tree
    paid: list[Any] = [None] * len(tree)  # [N] the sum of the rewards on the way to a node
    via = [NONE] * len(tree)  # [N] the branch from which that sum is known
    paid[tree.root_id] = tree.root_reward
    near = 0 if tree.exact else _NEAR * float(tree.greatest_magnitude)
    for n in range(tree.root_id, -1, -1):
        for b in tree.branches_of(n):
            child, total = columns.child[b], paid[n] + tree.reward_of(b)
            if paid[child] is None:
                paid[child], via[child] = total, b
            elif abs(paid[child] - total) > near:
                ways = (via[child], paid[child]), (b, total)
                raise TransformError(_different_sums(tree, *ways))
    utility = [u + sum for u, sum in zip(columns.utility, paid, strict=True)]
    bounds = {
        n: (scans.shifted(lower, paid[n]), scans.shifted(upper, paid[n]))
        for n, (lower, upper) in tree.local_bounds.items()
    }
    columns = columns._replace(
        utility=utility if tree.exact else array("d", utility),
        reward=[] if tree.exact else array("d"),
    )
    tree = replace(tree, columns=columns, local_bounds=bounds, root_reward=0)
    return without_formulas(tree)


def _different_sums(tree: Tree, *ways: tuple[int, Any]) -> str:
    """Return the message about two paths to one node, each given by its last branch and its sum."""
    found = []
    for branch, total in ways:
        parent = tree.parent_of(branch)
        label = paths.join([tree.branch_label(parent, branch)])
        above = "" if parent == tree.root_id else f"{tree.path_of(parent)}/"
        found.append(f"{message_text(total)} on {escape(above + label)}")
    return (
        f"the rewards on the paths to one node sum to {' and to '.join(found)}, and a terminal has "
        "one utility: unfold the tree with --unshare, so that each path has its own copy"
    )


def unshare(tree: Tree, most: int = MOST_NODES) -> Tree:
    """Return the tree in which every path leads to a node of its own.

    Raises `TransformError` if that takes more than `most` nodes.
    """
    if not tree.is_sharing:
        return tree
    count = tree.unfolded
    if isinstance(count, str) or count > most:
        shown = count if isinstance(count, str) else f"{count:,}"
        raise TransformError(
            f"without sharing the tree has {shown} nodes, and the limit is {most:,}: keep it shared"
        )
    copy, child = Copy(tree), tree.columns.child
    stack: list[tuple[int, list[int]]] = [(tree.root_id, [])]  # a node, the copies of its children
    while True:
        node, copies = stack[-1]
        branches = tree.branches_of(node)
        if len(copies) < len(branches):
            stack.append((child[branches[len(copies)]], []))
            continue
        added = copy.add(node, branches, copies)
        stack.pop()
        if not stack:
            return copy.finish(check=False)
        stack[-1][1].append(added)
