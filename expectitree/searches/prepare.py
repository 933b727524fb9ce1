"""Prepare a tree for a search, as the options ask: cut it at a depth, and order its branches."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from expectitree.base.errors import TransformError
from expectitree.base.expressions.syntax import fold
from expectitree.base.numbers import Number, escape, quote
from expectitree.base.tree.builder import Copy, keep_branches
from expectitree.base.tree.model import Kind, Tree, check_tree
from expectitree.searches.by_utility import with_totals
from expectitree.searches.engine import search_tree

ORDERS = ("given", "best", "worst", "inner", "random:SEED")


def prepare(tree: Tree, depth: int | None = None, order: str = "given") -> Tree:
    """Return the tree to search: cut at a depth, with its children in an order.

        >>> import expectitree as et
        >>> tree = et.prepare(et.load("example:ballard"), order="worst")
        >>> et.evaluate(tree, "star1").counts.leaves_visited
        27

    Args:
        tree: The tree.
        depth: Keep this many plies. Inner nodes at that depth become leaves that are worth their
            estimate.
        order: The order of each node's children: "given", "best" (the best for the player first),
            "worst", "inner" (the best estimates first, where the children are not all leaves) or
            "random:SEED".

    Raises:
        TransformError: The order is unknown, the depth is negative, or a node has no estimate
            where one is needed.
    """
    check_tree(tree)
    if depth is not None:
        tree = cut_at_depth(tree, depth)
    name, colon, seed = order.partition(":")
    if order == "given":
        return tree
    if order in ("best", "worst"):
        tree = with_totals(tree)
        return order_by_value(tree, search_tree(tree).lower, best_first=order == "best")
    if order == "inner":
        return order_by_estimate(tree)
    if name == "random" and colon and seed.isascii() and seed.isdecimal() and len(seed) <= 18:
        return order_at_random(tree, int(seed))
    needed = "\nrandom needs a seed, such as random:1 (18 digits at most)"
    hint = needed if name == "random" else f"\nchoose among {', '.join(ORDERS)}"
    raise TransformError(f"unknown order {quote(order)}{hint}")


def cut_at_depth(tree: Tree, depth: int) -> Tree:
    """Return the tree cut `depth` plies below the root: nodes there are worth their estimates.

    Plies count nodes of every kind. If several paths reach a node at different depths and the limit
    cuts below it, the node is split into one node for each depth; otherwise it stays one node.
    Raises `TransformError` for a node at the limit without an estimate.
    """
    if depth < 0:
        raise TransformError(f"a depth limit is 0 or more plies, got {depth}")
    columns, heights, copy = tree.columns, tree.heights, Copy(tree)

    def key(node: int, plies: int) -> tuple[int, int]:
        """Return what identifies the row of a node at a depth; 0 plies if its subtree is whole."""
        if plies + heights[node] > depth:
            return node, plies
        return node, 0

    def below(row: tuple[int, int], _: object) -> list[tuple[int, int]]:
        node, plies = row
        is_split = plies + heights[node] > depth
        if not is_split or plies < depth:
            return [key(columns.child[b], plies + is_split) for b in tree.branches_of(node)]
        if columns.utility[node] != columns.utility[node]:
            raise TransformError(
                f"{escape(tree.path_of(node))}: the depth limit {depth} cuts here, and the "
                "node has no estimate\nwrite `estimate:` at it, or choose another depth"
            )
        return []

    def add(row: tuple[int, int], copies: list[int]) -> int:
        return copy.add(row[0], tree.branches_of(row[0])[: len(copies)], copies)

    fold(key(tree.root_id, 0), add, below, key=tuple)
    return replace(copy.finish(), decider=tree.decision_maker)


def order_by_estimate(tree: Tree) -> Tree:
    """Return the tree with children sorted by their estimates, the best for the player first.

    Children that are all terminals keep their order, because a search sorts them only after it has
    evaluated them. Raises `TransformError` for a node without an estimate next to an inner node.
    """
    columns = tree.columns
    sorted_nodes = set()
    for n in range(len(tree)):
        children = [columns.child[b] for b in tree.branches_of(n)]
        if all(columns.kind[child] == Kind.TERMINAL for child in children):
            continue
        sorted_nodes.add(n)
        for child in children:
            if columns.utility[child] != columns.utility[child]:
                raise TransformError(
                    f"{escape(tree.path_of(child))}: the order inner needs the estimate of this "
                    "node\nwrite `estimate:` at it, or choose another order"
                )
    values: Any = columns.utility
    return order_by_value(tree, values, sorted_nodes=sorted_nodes)


def order_by_value(
    tree: Tree,
    values: Sequence[Number],
    best_first: bool = True,
    sorted_nodes: Container[int] | None = None,
) -> Tree:
    """Return the tree with each node's children sorted by their values, given by node.

    With `best_first`, the values of a MAX node's children fall and those of a MIN node's rise. The
    outcomes of a CHANCE node are sorted so that the player above it cuts soonest: under MAX their
    values rise (Ballard's best case), under MIN they fall. At a shared node, the player on its
    first path counts. Without `best_first` every order is reversed. The children of nodes that are
    not in `sorted_nodes` keep their order.
    """
    columns, parent = tree.columns, tree.first_paths.parent
    below_min = bytearray(len(tree))
    for n in reversed(range(tree.root_id)):  # parents first
        kind = columns.kind[parent[n]]
        below_min[n] = kind == Kind.MIN or (kind == Kind.CHANCE and below_min[parent[n]])

    def total(branch: int) -> Number:
        return tree.reward_of(branch) + values[columns.child[branch]]

    def rearranged() -> Iterator[tuple[int, Sequence[int]]]:
        for n, kind in enumerate(columns.kind):
            branches: Sequence[int] = tree.branches_of(n)
            if sorted_nodes is None or n in sorted_nodes:
                is_falling = kind == Kind.MAX or (kind == Kind.CHANCE and bool(below_min[n]))
                branches = sorted(branches, key=total, reverse=is_falling == best_first)
            yield n, branches

    return keep_branches(tree, rearranged())


def order_at_random(tree: Tree, seed: int) -> Tree:
    """Return the tree with each node's children shuffled, the same everywhere for a seed."""
    random, rows = Random(seed), map(tree.branches_of, range(len(tree)))
    return keep_branches(tree, ((n, random.sample(row, len(row))) for n, row in enumerate(rows)))
