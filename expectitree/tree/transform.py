"""Tree to tree: another depth, order, scale or opponent. Searches know nothing of this."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from expectitree.errors import TransformError
from expectitree.numbers import GREATEST_FLOAT, Number, escape, exact_text, message_text, to_bound
from expectitree.tree.builder import NodeId, TreeBuilder
from expectitree.tree.model import UNKNOWN, Kind, Tree, finite

CHANCES = ("worst", "best", "expected")  # who chooses outcomes: MIN, MAX, or their probabilities


def cut_at_depth(tree: Tree, depth: int) -> Tree:
    """Return the tree in which each node `depth` plies below the root is a terminal worth its estimate.

    Plies count every kind alike. A node that several paths reach at different depths is split where
    its subtree reaches the limit, and stays one node where it does not: the rows are the reachable
    pairs of node and depth. Raises `TransformError` naming a node at the limit that has no
    estimate.
    """
    if depth < 0:
        raise TransformError(f"a depth limit is 0 or more plies, got {depth}")
    kind, utility, first, child, _ = tree.columns
    heights = tree.heights
    whole = 0  # the depth that stands for "anywhere": the subtree does not reach the limit

    def at(node: int, d: int) -> tuple[int, int]:
        return (node, d if d + heights[node] > depth else whole)

    builder = TreeBuilder(tree.exact)
    made: dict[tuple[int, int], int] = {}
    estimated = set()
    root = at(len(tree) - 1, 0)
    stack = [root]
    while stack:
        pair = stack[-1]
        node, d = pair
        if pair in made:
            stack.pop()
            continue
        is_split = d + heights[node] > depth
        if kind[node] and is_split and d == depth:
            made[pair] = builder.add_terminal(_estimate(tree, node, depth))
            estimated.add(made[pair])
        elif not kind[node]:
            made[pair] = builder.add_terminal(utility[node])
        else:
            below = [
                at(child[b], d + 1 if is_split else whole)
                for b in range(first[node], first[node + 1])
            ]
            missing = [p for p in below if p not in made]
            if missing:
                stack.extend(reversed(missing))
                continue
            made[pair] = _copy_inner(builder, tree, node, [made[p] for p in below])
        _copy_notes(builder, tree, node, made[pair])
        stack.pop()
    return builder.build(
        NodeId(made[root]),
        title=tree.title,
        source=tree.source,
        expect=tree.expect,
        estimated=frozenset(estimated),
    )


def _estimate(tree: Tree, node: int, depth: int) -> Number:
    value: Number | None = tree.columns.utility[node]
    if value is None or value != value:
        raise TransformError(
            f"{escape(tree.path_of(node))}: the depth limit {depth} cuts here, and the node has no estimate: "
            "write `estimate:` at it, or choose another depth"
        )
    return value


def order_by_value(tree: Tree, values: Sequence[Number], best_first: bool = True) -> Tree:
    """Return the tree with each node's children from best to worst for a search's cuts, or the other way round.

    `values` holds v* by node.

    At MAX that is from the greatest v* to the least, at MIN from the least to the greatest. At
    CHANCE it is what cuts soonest for the player above, who wants to fail low under MAX (least
    first, as in Ballard's best case) and high under MIN; of several players above a shared node,
    the first on its first path counts.
    """
    below_min = bytearray(len(tree))
    kind, parent = tree.columns.kind, tree.first_paths.parent
    for n in tree.first_paths.order:
        if parent[n] >= 0:
            below_min[n] = kind[parent[n]] == Kind.MIN or (
                kind[parent[n]] == Kind.CHANCE and below_min[parent[n]]
            )

    def rearranged(node: int, branches: Sequence[int]) -> list[int]:
        falling = kind[node] == Kind.MAX or (kind[node] == Kind.CHANCE and below_min[node])
        return sorted(
            branches,
            key=lambda b: values[tree.columns.child[b]],
            reverse=bool(falling) == best_first,
        )

    return _rearrange(tree, rearranged)


def order_at_random(tree: Tree, seed: int) -> Tree:
    """Return the tree with each node's children shuffled; the same seed gives the same order everywhere."""
    random = Random(seed)

    def rearranged(_: int, branches: Sequence[int]) -> list[int]:
        return random.sample(branches, len(branches))

    return _rearrange(tree, rearranged)


def in_fractions(tree: Tree) -> Tree:
    """Return a tree of floats as an exact one: each float is the decimal that Python prints for it."""
    builder = TreeBuilder(exact=True)
    kind, utility, first, child, probability = tree.columns

    def exactly(value: Number) -> Number:
        return to_bound(exact_text(value), True)

    for n in range(len(kind)):
        if not kind[n]:
            builder.add_terminal(exactly(utility[n]) if utility[n] == utility[n] else UNKNOWN)
        else:
            own = slice(first[n], first[n + 1])
            shares = None
            if kind[n] == Kind.CHANCE:
                shares = builder.distribution(
                    [exactly(p) for p in probability[own]], own.stop - own.start
                )[0]
            estimate = exactly(utility[n]) if utility[n] == utility[n] else None
            builder.add_inner(kind[n], child[own], shares, tree.label[own], estimate)
            for b in range(own.start, own.stop):
                if b in tree.branch_notes:
                    builder.annotate_branch(n, b - own.start, tree.branch_notes[b])
        if n in tree.local_bounds:
            lower, upper = tree.local_bounds[n]
            builder.annotate(n, bounds=(exactly(lower), exactly(upper)))
        builder.annotate(n, note=tree.notes.get(n))
    return builder.build(
        NodeId(len(kind) - 1),
        title=tree.title,
        source=tree.source,
        expect=tree.expect,
        estimated=tree.estimated,
    )


def map_utilities(tree: Tree, image: Callable[[Number], Number], *, with_bounds: bool) -> Tree:
    """Return the tree with every utility and every estimate replaced by its image; what was expected is left out.

    Bounds are replaced by theirs too where `with_bounds`, which takes a map that never falls
    (infinite ones stay); else they are left out. Raises `TransformError` where an image is no
    number that can be searched.
    """
    images: dict[Number, Number] = {}

    def mapped(value: Number) -> Number:
        if value not in images:
            found: Any = image(value)
            if not abs(found) <= (float("inf") if tree.exact else GREATEST_FLOAT):
                raise TransformError(
                    f"the map takes {message_text(value)} to {found}: expected a number within 10^301"
                )
            images[value] = found
        return images[value]

    column = [u if u is None or u != u else mapped(u) for u in tree.columns.utility]
    columns = tree.columns._replace(utility=column if tree.exact else array("d", column))
    bounds = {}
    if with_bounds:
        for n, ends in tree.local_bounds.items():
            lower, upper = (mapped(end) if finite(end) else end for end in ends)
            bounds[n] = lower, upper
    return replace(tree, columns=columns, local_bounds=bounds, expect=None)


def replace_opponent(tree: Tree, epsilon: Number, chance: str = "expected") -> Tree:
    """Return the tree with a MIN that errs: with probability `epsilon` it picks uniformly among all its actions.

    Otherwise it plays its best against its own later errors. A MIN node becomes a CHANCE node over
    the two; with `epsilon` 1 it is a uniformly random one, with 0 nothing changes. Nature is
    replaced as `replace_chance` does, and does not err. What was expected is left out.
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
    kind, utility, first, child, _ = tree.columns
    made: list[int] = []
    for n in range(len(tree)):
        children = [made[child[b]] for b in range(first[n], first[n + 1])]
        if not kind[n]:
            copy = builder.add_terminal(utility[n])
        elif kind[n] == Kind.MIN and epsilon:
            copy = _add_erring(builder, tree, n, children, epsilon)
        elif kind[n] == Kind.CHANCE and chance != "expected":
            copy = _add_choosing(
                builder, tree, n, children, Kind.MIN if chance == "worst" else Kind.MAX
            )
        else:
            copy = _copy_inner(builder, tree, n, children)
        _copy_notes(builder, tree, n, copy)
        made.append(copy)
    return builder.build(
        NodeId(made[-1]), title=tree.title, source=tree.source, estimated=_renamed(tree, made)
    )


def replace_chance(tree: Tree, how: str) -> Tree:
    """Return the tree whose outcomes of p > 0 are chosen by MIN (`worst`) or MAX (`best`); as it is for `expected`."""
    return tree if how == "expected" else replace_opponent(tree, 0, how)


def _add_erring(
    builder: TreeBuilder, tree: Tree, node: int, children: list[int], epsilon: Number
) -> int:
    own = slice(tree.columns.first[node], tree.columns.first[node + 1])
    labels = tree.label[own]
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
    start = tree.columns.first[node]
    possible = [
        place for place in range(len(children)) if tree.columns.probability[start + place] > 0
    ]
    labels: list[str | None] = [
        tree.label[start + place] if place == new else tree.branch_label(node, start + place)
        for new, place in enumerate(possible)
    ]
    return builder.add_inner(player, [children[place] for place in possible], None, labels)


def keep_branches(tree: Tree, kept: Mapping[int, Sequence[int]]) -> Tree:
    """Return the tree with some nodes, the keys, each with some of its branches; nodes stay in order.

    The root and every child that a kept branch leads to must be among the nodes.
    """
    builder = TreeBuilder(tree.exact)
    kind, utility, _, child, _ = tree.columns
    made: dict[int, int] = {}
    for n in sorted(kept):
        if kind[n]:
            made[n] = _copy_inner(builder, tree, n, [made[child[b]] for b in kept[n]], kept[n])
        else:
            made[n] = builder.add_terminal(utility[n])
        _copy_notes(builder, tree, n, made[n])
    estimated = frozenset(made[n] for n in made if n in tree.estimated)
    return builder.build(
        NodeId(made[max(made)]), title=tree.title, source=tree.source, estimated=estimated
    )


def _renamed(tree: Tree, made: Sequence[int]) -> frozenset[int]:
    return frozenset(made[n] for n in tree.estimated)


def _rearrange(tree: Tree, order: Callable[[int, Sequence[int]], list[int]]) -> Tree:
    """Return the tree with each node's branches in another order; nodes keep their ids, branches their labels."""
    builder = TreeBuilder(tree.exact)
    kind, utility, first, child, _ = tree.columns
    for n in range(len(tree)):
        if kind[n]:
            branches = order(n, range(first[n], first[n + 1]))
            _copy_inner(builder, tree, n, [child[b] for b in branches], branches)
        else:
            builder.add_terminal(utility[n])
        _copy_notes(builder, tree, n, n)
    return builder.build(
        NodeId(len(tree) - 1),
        title=tree.title,
        source=tree.source,
        expect=tree.expect,
        estimated=tree.estimated,
    )


def _copy_inner(
    builder: TreeBuilder,
    tree: Tree,
    node: int,
    children: list[int],
    branches: Sequence[int] | None = None,
) -> int:
    """Add a copy of an inner node over the given children, which stand in the order of `branches`."""
    kind, utility, first, _, probability = tree.columns
    if branches is None:
        branches = range(first[node], first[node + 1])
    labels: list[str | None] = [
        # A label that tells the place in the file stays with its branch when that moves.
        tree.label[b] if b - first[node] == place else tree.branch_label(node, b)
        for place, b in enumerate(branches)
    ]
    estimate = utility[node]
    copy = builder.add_inner(
        kind[node],
        children,
        [probability[b] for b in branches],
        labels,
        None if estimate is None or estimate != estimate else estimate,
    )
    for place, b in enumerate(branches):
        if b in tree.branch_notes:
            builder.annotate_branch(copy, place, tree.branch_notes[b])
    return copy


def _copy_notes(builder: TreeBuilder, tree: Tree, node: int, copy: int) -> None:
    builder.annotate(copy, bounds=tree.local_bounds.get(node), note=tree.notes.get(node))
