"""Transform a tree between its file and a search, as the options ask."""

from __future__ import annotations

from expectitree.base.errors import TransformError
from expectitree.base.numbers import quote
from expectitree.base.tree.model import Tree, check_tree
from expectitree.base.tree.transform import (
    cut_at_depth,
    order_at_random,
    order_by_estimate,
    order_by_value,
)
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
