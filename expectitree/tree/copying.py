"""Copy rows of a tree to a new tree: fewer nodes, fewer branches, or branches in another order."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from expectitree.tree.columns import TERMINAL, Columns
from expectitree.tree.model import Tree


T = TypeVar("T")


class Copier:
    """Collects rows of `tree`, children before their parents, for a tree that consists of them."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.nodes: list[int] = []  # by row of the copy: the node
        self.branches: list[int] = []  # by branch of the copy: the branch
        self._first = array("I", [0])
        self._child = array("I")
        self._label: list[str | None] = []

    def add(self, node: int, branches: Sequence[int], children: Sequence[int]) -> int:
        """Add a copy of a node over some rows of the copy; return its row.

        `children` are the ends of `branches`. An inner node without branches becomes a terminal
        worth its estimate.
        """
        self.nodes.append(node)
        self.branches += branches
        self._child.extend(children)
        self._first.append(len(self.branches))
        self._label += labels_of(self.tree, node, branches)
        return len(self.nodes) - 1

    def finish(self) -> Tree:
        """Return the copy, whose root is the last row."""
        tree, columns, first = self.tree, self.tree.columns, self._first
        is_cut = [first[i] == first[i + 1] for i in range(len(self.nodes))]
        utility = [columns.utility[n] for n in self.nodes]
        probability = [columns.probability[b] for b in self.branches]
        rows = list(zip(self.nodes, is_cut, strict=True))
        return replace(
            tree,
            columns=Columns.of(
                kind=array("B", (TERMINAL if cut else columns.kind[n] for n, cut in rows)),
                utility=utility if tree.exact else array("d", utility),
                first=first,
                child=self._child,
                probability=probability if tree.exact else array("d", probability),
            ),
            label=self._label,
            local_bounds=_picked(tree.local_bounds, self.nodes),
            notes=_picked(tree.notes, self.nodes),
            branch_notes=_picked(tree.branch_notes, self.branches),
            estimated=frozenset(
                row
                for row, (n, cut) in enumerate(rows)
                if n in tree.estimated or cut and columns.kind[n] != TERMINAL
            ),
        )


def labels_of(tree: Tree, node: int, branches: Sequence[int]) -> list[str | None]:
    """Return the labels of some branches in a new order; `#k` stays with the branch that had it."""
    first = tree.columns.first[node]
    return [
        tree.label[b] if b - first == place else tree.branch_label(node, b)
        for place, b in enumerate(branches)
    ]


def _picked(values: Mapping[int, T], rows: Sequence[int]) -> dict[int, T]:
    """Return what is written at some rows, by their places in the copy."""
    return {place: values[row] for place, row in enumerate(rows) if row in values} if values else {}


def keep_branches(tree: Tree, kept: Mapping[int, Sequence[int]]) -> Tree:
    """Return the tree of some nodes, the keys, each with some of its branches, without `expect`.

    The root must be among the nodes, and so must every child that a kept branch leads to.
    """
    copier = Copier(tree)
    row_of: dict[int, int] = {}
    for node in sorted(kept):
        children = [row_of[tree.columns.child[b]] for b in kept[node]]
        row_of[node] = copier.add(node, kept[node], children)
    return replace(copier.finish(), expect=None)
