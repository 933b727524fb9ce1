"""Transform a tree into another tree: change its depth, order or scale."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

from expectitree.base.errors import ExpectitreeError, TransformError
from expectitree.base.numbers import (
    INFINITY,
    MAX_FLOAT,
    Number,
    escape,
    float_bounds,
    float_column,
    is_finite,
    message_text,
    to_exact_bound,
)
from expectitree.base.rounding import Rounded
from expectitree.base.tree.builder import Copy, keep_branches, normalised
from expectitree.base.tree.columns import NUMBERS
from expectitree.base.tree.formulas import Formulas
from expectitree.base.tree.model import Kind, Tree


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
        """Return what identifies the row of a node at a depth; 0 plies if its subtree is whole."""
        if plies + heights[node] > depth:
            return node, plies
        return node, 0

    copy = Copy(tree)
    rows: dict[tuple[int, int], int] = {}
    stack = [key(tree.root_id, 0)]
    while stack:
        node, plies = stack[-1]
        is_split = plies + heights[node] > depth
        branches = tree.branches_of(node)
        if is_split and plies == depth:
            if columns.utility[node] != columns.utility[node]:
                raise TransformError(
                    f"{escape(tree.path_of(node))}: the depth limit {depth} cuts here, and the "
                    "node has no estimate\nwrite `estimate:` at it, or choose another depth"
                )
            branches = range(0)
        below = [key(columns.child[b], plies + 1 if is_split else 0) for b in branches]
        missing = [child for child in below if child not in rows]
        if missing:
            stack.extend(reversed(missing))
            continue
        row = stack.pop()
        if row not in rows:
            rows[row] = copy.add(node, branches, [rows[child] for child in below])
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


def in_floats(tree: Tree) -> Tree:
    """Return a tree whose numbers are rounded to floats; raise `NumberError` if one is too far."""
    if not tree.exact:
        return tree
    rounded: Any = {name: float_column(getattr(tree.columns, name)) for name in NUMBERS}
    columns = tree.columns._replace(**rounded)
    bounds = {n: float_bounds(ends) for n, ends in tree.local_bounds.items()}
    (paid,) = float_column([tree.root_reward])
    return replace(tree, columns=columns, exact=False, local_bounds=bounds, root_reward=paid)


def in_rounded_fractions(tree: Tree) -> Tree:
    """Return a tree of fractions whose numbers are rounded to 200 bits."""
    return _converted(tree, _rounded, is_rounded=True)


def _rounded(value: Number) -> Number:
    return Rounded.of(Fraction(value)) if is_finite(value) else value  # NaN, or an infinite bound


def _converted(tree: Tree, convert: Callable[[Number], Number], **about: Any) -> Tree:
    """Return the tree with each number converted; `about` are further fields that change."""
    numbers: Any = {name: [*map(convert, getattr(tree.columns, name))] for name in NUMBERS}
    columns, paid = tree.columns._replace(**numbers), convert(tree.root_reward)
    bounds = {n: (convert(low), convert(high)) for n, (low, high) in tree.local_bounds.items()}
    return replace(tree, columns=columns, local_bounds=bounds, root_reward=paid, **about)


def in_fractions(tree: Tree) -> Tree:
    """Return a tree of floats as an exact one; a float counts as the decimal that Python prints."""
    if tree.exact:
        return tree

    tree = _converted(tree, to_exact_bound, exact=True)
    columns = tree.columns
    probability = normalised(columns, columns.probability, exact=True)
    tree = replace(tree, columns=columns._replace(probability=probability))
    from expectitree.base.tree.parameters import evaluated

    return evaluated(tree)[0]


def in_decimals(tree: Tree) -> Tree:
    """Return a tree in fractions, in which a float counts as the decimal that Python prints.

    Node ids and branches stay the same. Formulas are computed in fractions if that is possible.
    """
    if tree.exact:
        return tree
    try:
        return in_fractions(tree)
    except ExpectitreeError:  # a formula has no exact value, or outcomes sum only nearly to 1
        return in_fractions(without_formulas(tree))


def without_formulas(tree: Tree) -> Tree:
    """Return the tree with its numbers and events, but without formulas and parameters.

    Use it for a tree whose numbers have changed: the formulas no longer describe them. Expected
    results at other values of the parameters and the definitions of events are left out, too.
    """
    if not tree.formulas and not tree.parameters:
        return tree
    kind, written = tree.columns.kind, tree.formulas.events
    events = {n: event for n, event in written.items() if kind[n] == Kind.CHANCE}
    expect = tree.expect and replace(tree.expect, at=())
    return tree.changed(parameters={}, formulas=Formulas(events=events), expect=expect)


def map_utilities(tree: Tree, image: Callable[[Number], Number]) -> Tree:
    """Return the tree with each utility and estimate replaced by its image.

    Bounds and `expect` are left out. Raises `TransformError` if an image is not a number that can
    be searched.
    """
    greatest = INFINITY if tree.exact else MAX_FLOAT

    @cache
    def mapped(value: Number) -> Number:
        number = image(value)
        if not -greatest <= number <= greatest:
            raise TransformError(
                f"the map takes {message_text(value)} to {number}: expected a number within 10^301"
            )
        return number

    utility: Any = [mapped(u) if u == u else u for u in tree.columns.utility]
    if not tree.exact:
        utility = array("d", utility)
    columns = tree.columns._replace(utility=utility)
    return without_formulas(tree.changed(columns=columns, local_bounds={}, expect=None))
