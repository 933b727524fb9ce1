"""Transform a tree into another tree: change its depth, order, scale or opponent."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from expectitree.errors import TransformError
from expectitree.numbers import (
    GREATEST_FLOAT,
    INFINITY,
    Number,
    escape,
    is_finite,
    message_text,
    to_exact,
    to_exact_bound,
)
from expectitree.tree.builder import NodeId, TreeBuilder
from expectitree.tree.model import UNKNOWN, Kind, Tree

CHANCES = ("worst", "best", "expected")  # who picks outcomes: MIN, MAX, or their probabilities


def cut_at_depth(tree: Tree, depth: int) -> Tree:
    """Return the tree cut `depth` plies below the root: nodes there are worth their estimates.

    Plies count nodes of every kind. If several paths reach a node at different depths and the limit
    cuts below it, the node is split into one node for each depth; otherwise it stays one node.
    Raises `TransformError` for a node at the limit without an estimate.
    """
    if depth < 0:
        raise TransformError(f"a depth limit is 0 or more plies, got {depth}")
    columns, heights = tree.columns, tree.heights

    def key(node: int, plies: int) -> tuple[int, int]:
        """Return the row of a node at a depth; a node whose subtree stays whole has one row."""
        return node, plies if plies + heights[node] > depth else 0

    builder = TreeBuilder(tree.exact)
    copies: dict[tuple[int, int], int] = {}
    estimated = set()
    root = key(tree.root_id, 0)
    stack = [root]
    while stack:
        row = stack[-1]
        node, plies = row
        if row in copies:
            stack.pop()
            continue
        is_split = plies + heights[node] > depth
        if not columns.kind[node]:
            copies[row] = builder.add_terminal(columns.utility[node])
        elif is_split and plies == depth:
            copies[row] = builder.add_terminal(_estimate(tree, node, depth))
            estimated.add(copies[row])
        else:
            plies_below = plies + 1 if is_split else 0
            below = [key(columns.child[b], plies_below) for b in tree.branches_of(node)]
            missing = [child for child in below if child not in copies]
            if missing:
                stack.extend(reversed(missing))
                continue
            copies[row] = _copy_inner(builder, tree, node, [copies[child] for child in below])
        _copy_notes(builder, tree, node, copies[row])
        stack.pop()
    return builder.build(
        NodeId(copies[root]),
        title=tree.title,
        source=tree.source,
        expect=tree.expect,
        estimated=frozenset(estimated),
    )


def _estimate(tree: Tree, node: int, depth: int) -> Number:
    value = tree.node(node).estimate
    if value is None:
        raise TransformError(
            f"{escape(tree.path_of(node))}: the depth limit {depth} cuts here, and the node has no "
            "estimate: write `estimate:` at it, or choose another depth"
        )
    return value


def order_by_value(tree: Tree, values: Sequence[Number], best_first: bool = True) -> Tree:
    """Return the tree with each node's children sorted by their values, given by node.

    With `best_first`, the values of a MAX node's children fall and those of a MIN node's rise. The
    outcomes of a CHANCE node are sorted so that the player above it cuts soonest: under MAX their
    values rise (Ballard's best case), under MIN they fall. At a shared node, the player on its
    first path counts. Without `best_first` every order is reversed.
    """
    columns, parent = tree.columns, tree.first_paths.parent
    below_min = bytearray(len(tree))
    for n in tree.first_paths.order:
        above = parent[n]
        if above >= 0:
            kind = columns.kind[above]
            below_min[n] = kind == Kind.MIN or kind == Kind.CHANCE and below_min[above]

    def rearranged(node: int, branches: Sequence[int]) -> list[int]:
        kind = columns.kind[node]
        is_falling = kind == Kind.MAX or kind == Kind.CHANCE and bool(below_min[node])
        reverse = is_falling == best_first
        return sorted(branches, key=lambda b: values[columns.child[b]], reverse=reverse)

    return _rearrange(tree, rearranged)


def order_at_random(tree: Tree, seed: int) -> Tree:
    """Return the tree with each node's children shuffled, the same everywhere for a seed."""
    random = Random(seed)

    def rearranged(_: int, branches: Sequence[int]) -> list[int]:
        return random.sample(branches, len(branches))

    return _rearrange(tree, rearranged)


def in_fractions(tree: Tree) -> Tree:
    """Return a tree of floats as an exact one; a float counts as the decimal that Python prints."""
    columns, builder = tree.columns, TreeBuilder(exact=True)
    utility = [
        to_exact(u) if u == u else None if k else UNKNOWN
        for k, u in zip(columns.kind, columns.utility, strict=True)
    ]
    probability: list[Number] = [to_exact(p) for p in columns.probability]
    for n in range(len(tree)):
        if columns.kind[n] == Kind.CHANCE:
            own = slice(columns.first[n], columns.last[n])
            probability[own], _ = builder.distribution(probability[own], own.stop - own.start)
    local_bounds = {
        n: (to_exact_bound(lower), to_exact_bound(upper))
        for n, (lower, upper) in tree.local_bounds.items()
    }
    columns = columns._replace(utility=utility, probability=probability)
    return replace(tree, columns=columns, exact=True, local_bounds=local_bounds)


def map_utilities(tree: Tree, image: Callable[[Number], Number], *, with_bounds: bool) -> Tree:
    """Return the tree with each utility and estimate replaced by its image, without `expect`.

    `with_bounds` also maps the finite bounds, which needs a map that never falls; otherwise the
    bounds are left out. Raises `TransformError` if an image is not a number that can be searched.
    """
    images: dict[Number, Number] = {}

    def mapped(value: Number) -> Number:
        if value not in images:
            found: Any = image(value)
            if not abs(found) <= (INFINITY if tree.exact else GREATEST_FLOAT):
                raise TransformError(
                    f"the map takes {message_text(value)} to {found}: "
                    "expected a number within 10^301"
                )
            images[value] = found
        return images[value]

    column = [u if u is None or u != u else mapped(u) for u in tree.columns.utility]
    columns = tree.columns._replace(utility=column if tree.exact else array("d", column))
    bounds = {}
    if with_bounds:
        for n, ends in tree.local_bounds.items():
            lower, upper = (mapped(end) if is_finite(end) else end for end in ends)
            bounds[n] = lower, upper
    return replace(tree, columns=columns, local_bounds=bounds, expect=None)


def replace_opponent(tree: Tree, epsilon: Number, chance: str = "expected") -> Tree:
    """Return the tree with a MIN player who makes mistakes and another nature, without `expect`.

    With probability `epsilon` MIN picks uniformly among all its actions. Otherwise it plays its
    best response, knowing that it may make mistakes later. A MIN node becomes a CHANCE node.
    `chance` says who picks the outcomes of positive probability: MIN (`worst`), MAX (`best`), or
    their probabilities (`expected`).
    """
    if not 0 <= epsilon <= 1:
        raise TransformError(f"epsilon is a probability from 0 to 1, got {epsilon}")
    if chance not in CHANCES:
        raise TransformError(
            f"unknown kind of chance {chance!r}: choose {', '.join(CHANCES[:-1])} or {CHANCES[-1]}"
        )
    if epsilon == 0 and chance == "expected":
        return replace(tree, expect=None)
    builder = TreeBuilder(tree.exact)
    columns = tree.columns
    copies: list[int] = []
    for n, kind in enumerate(columns.kind):
        children = [copies[columns.child[b]] for b in tree.branches_of(n)]
        if not kind:
            copy = builder.add_terminal(columns.utility[n])
        elif kind == Kind.MIN and epsilon:
            copy = _add_erring(builder, tree, n, children, epsilon)
        elif kind == Kind.CHANCE and chance != "expected":
            player = Kind.MIN if chance == "worst" else Kind.MAX
            copy = _add_choosing(builder, tree, n, children, player)
        else:
            copy = _copy_inner(builder, tree, n, children)
        _copy_notes(builder, tree, n, copy)
        copies.append(copy)
    estimated = frozenset(copies[n] for n in tree.estimated)
    return builder.build(
        NodeId(copies[-1]), title=tree.title, source=tree.source, estimated=estimated
    )


def _add_erring(
    builder: TreeBuilder, tree: Tree, node: int, children: list[int], epsilon: Number
) -> int:
    own = tree.branches_of(node)
    labels = tree.label[own.start : own.stop]
    uniform, _ = builder.distribution(None, len(children))
    errs = builder.add_inner(Kind.CHANCE, children, uniform, labels)
    if epsilon == 1 or len(children) == 1:
        return errs
    best = builder.add_inner(Kind.MIN, children, None, labels)
    return builder.add_inner(
        Kind.CHANCE, [errs, best], [epsilon, 1 - epsilon], ["errs", "plays its best"]
    )


def _add_choosing(
    builder: TreeBuilder, tree: Tree, node: int, children: list[int], player: Kind
) -> int:
    own = tree.branches_of(node)
    possible = [b for b in own if tree.columns.probability[b] > 0]
    labels = _labels(tree, node, possible)
    return builder.add_inner(player, [children[b - own.start] for b in possible], None, labels)


def keep_branches(tree: Tree, kept: Mapping[int, Sequence[int]]) -> Tree:
    """Return the tree of some nodes, the keys, each with some of its branches.

    The root must be among the nodes, and so must every child that a kept branch leads to.
    """
    builder = TreeBuilder(tree.exact)
    columns = tree.columns
    copies: dict[int, int] = {}
    for n in sorted(kept):
        if columns.kind[n]:
            children = [copies[columns.child[b]] for b in kept[n]]
            copies[n] = _copy_inner(builder, tree, n, children, kept[n])
        else:
            copies[n] = builder.add_terminal(columns.utility[n])
        _copy_notes(builder, tree, n, copies[n])
    estimated = frozenset(copies[n] for n in copies if n in tree.estimated)
    return builder.build(
        NodeId(copies[max(copies)]), title=tree.title, source=tree.source, estimated=estimated
    )


def _rearrange(tree: Tree, order: Callable[[int, Sequence[int]], list[int]]) -> Tree:
    """Return the tree with each node's branches in another order; branches keep their labels."""
    moved: list[int] = []  # by new branch: the old one
    label: list[str | None] = []
    for n in range(len(tree)):
        own = tree.branches_of(n)
        branches = order(n, own)
        moved += branches
        label += _labels(tree, n, branches)
    columns, notes = tree.columns, tree.branch_notes
    probability = [columns.probability[b] for b in moved]
    columns = columns._replace(
        child=array("I", [columns.child[b] for b in moved]),
        probability=probability if tree.exact else array("d", probability),
    )
    branch_notes = {new: notes[b] for new, b in enumerate(moved) if b in notes}
    return replace(tree, columns=columns, label=label, branch_notes=branch_notes)


def _labels(tree: Tree, node: int, branches: Sequence[int]) -> list[str | None]:
    """Return the labels of some branches in a new order; `#k` stays with the branch that had it."""
    first = tree.columns.first[node]
    return [
        tree.label[b] if b - first == place else tree.branch_label(node, b)
        for place, b in enumerate(branches)
    ]


def _copy_inner(
    builder: TreeBuilder,
    tree: Tree,
    node: int,
    children: list[int],
    branches: Sequence[int] | None = None,
) -> int:
    """Add a copy of an inner node over copies of its children, in the order of `branches`."""
    if branches is None:
        branches = tree.branches_of(node)
    probabilities = [tree.columns.probability[b] for b in branches]
    labels = _labels(tree, node, branches)
    kind, estimate = tree.columns.kind[node], tree.node(node).estimate
    copy = builder.add_inner(kind, children, probabilities, labels, estimate)
    for place, b in enumerate(branches):
        if b in tree.branch_notes:
            builder.annotate_branch(copy, place, tree.branch_notes[b])
    return copy


def _copy_notes(builder: TreeBuilder, tree: Tree, node: int, copy: int) -> None:
    builder.annotate(copy, bounds=tree.local_bounds.get(node), note=tree.notes.get(node))
