"""The reference for searches: v* computed by its definition, in the numbers of the columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from expectitree import Kind, Node, Tree
from expectitree.base.numbers import Number
from expectitree.base.tree.columns import Bounds


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


def gain_sign(tree: Tree) -> int:
    """Return -1 if a total is a cost: only MIN has several actions, or only MIN has a node."""
    most = dict.fromkeys(Kind, 0)  # actions of a node
    for node, _ in tree.walk():
        most[node.kind] = max(most[node.kind], len(node.branches))
    is_min = most[Kind.MAX] < 2 <= most[Kind.MIN]
    return -1 if is_min or most[Kind.MAX] == 0 < most[Kind.MIN] else 1


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


def intervals(tree: Tree, bounds: Bounds | None, known: Mapping[int, Any]) -> list[tuple[Any, Any]]:
    """Return the interval of each node by its definition, from some utilities and all bounds.

    `known` has the utilities of leaves by node id. `bounds` are those of the root.
    """
    lower, upper = tree.inherited_bounds(bounds)
    found: list[tuple[Any, Any]] = []
    for n in range(len(tree)):
        node = ExactNode(tree, n)
        below = [(b.p, [end + b.reward for end in found[b.child.id]]) for b in node.branches]
        if n in known:
            found.append((known[n], known[n]))
            continue
        if not below:
            ends: Any = lower[n], upper[n]
        elif node.kind == Kind.CHANCE:  # 0 times infinity is not a number
            ends = [sum(p * pair[side] for p, pair in below if p) for side in (0, 1)]
        else:
            choose = max if node.kind == Kind.MAX else min
            ends = [choose(pair[side] for _, pair in below) for side in (0, 1)]
        found.append((max(ends[0], lower[n]), min(ends[1], upper[n])))
    return found


def best_actions(
    node: ExactNode, worth: Callable[[ExactNode], Number] = definition
) -> tuple[str, ...]:
    """Return every best action at a player's node; none at another one.

    `worth` defines the value of a child.
    """
    if node.kind not in (Kind.MAX, Kind.MIN):
        return ()
    actions = {b.label: b.reward + worth(b.child) for b in node.branches}
    best = (max if node.kind == Kind.MAX else min)(actions.values())
    return tuple(label for label, value in actions.items() if value == best)
