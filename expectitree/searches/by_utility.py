"""Search by expected utility: attitudes to risk that depend on what was paid earlier.

The rewards are folded into the terminals, whose totals become utilities. The search is an ordinary
one. Its intervals and windows become totals again: certainty equivalents.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from expectitree.errors import SearchError, TransformError, TreeError
from expectitree.searches.result import Search
from expectitree.searches.setup import tolerance
from expectitree.tree.columns import Bounds, Kind
from expectitree.tree.model import Tree, check_tree
from expectitree.tree.scans import shifted
from expectitree.tree.transform import without_formulas

if TYPE_CHECKING:
    from expectitree.tree.attitude import Utility

MOST_COPIES = 1_000_000  # nodes of a tree whose shared nodes are reached with different sums


def is_inexact(tree: Tree) -> bool:
    """Return whether a tree has an attitude whose certainty equivalents are not fractions."""
    return tree.attitude is not None and tree.attitude.kind != "points"


def check_exact(tree: Tree) -> None:
    """Raise `SearchError` if a tree of fractions has an attitude that takes exp or log."""
    attitude = tree.attitude
    if tree.exact and attitude is not None and is_inexact(tree):
        raise SearchError(
            f"the attitude {attitude.text} has no exact value: leave out --exact (in Python, load "
            "the tree without exact=True), or approximate the attitude by points"
        )


def search_by_utility(
    tree: Tree, bounds: Bounds, window: Bounds, search: Callable[[Tree, Bounds, Bounds], Search]
) -> Search:
    """Return the search of a tree with an attitude that depends on what was paid earlier.

    `search` searches a tree without attitude, within bounds and in a window. The result is about
    the tree whose rewards are folded. Raises `SearchError`.
    """
    from expectitree.tree.attitude import range_of, utility_of

    attitude = tree.attitude
    assert attitude is not None
    folded = with_totals(tree)
    try:
        paid = tree.root_reward
        ends = (shifted(bounds[0], paid), shifted(bounds[1], paid))
        known = range_of(folded, ends)
        columns = folded.columns
        kinds = zip(columns.kind, columns.utility, strict=True)
        totals = {u for kind, u in kinds if kind == Kind.TERMINAL}
        utility = utility_of(attitude, known, sorted(totals), tree.exact)
        linear, of_bound = in_utilities(folded, utility, totals)
    except (TreeError, TransformError) as error:
        raise SearchError(f"attitude {attitude.text}: {error}") from None

    def in_utility(pair: Bounds) -> Bounds:
        return of_bound(shifted(pair[0], paid)), of_bound(shifted(pair[1], paid))

    found = search(linear, in_utility(bounds), in_utility(window))
    written: dict[Any, Any] = {utility.of(x): x for x in totals}

    @cache
    def total(end: Any) -> Any:
        return written[end] if end in written else utility.total_of(end)

    changed: dict[str, Any] = {
        name: [total(end) for end in getattr(found, name)]
        for name in ("lower", "upper", "alpha", "beta")
    }
    eps = tolerance(folded, ends)
    return replace(found, tree=folded, bounds=ends, eps=eps, **changed)


def with_totals(tree: Tree) -> Tree:
    """Return the tree that a search with the tree's attitude is about; raise `SearchError`.

    If the attitude depends on what was paid earlier, the tree's rewards are folded, and sharing is
    unfolded where a shared node is reached with different sums. Raises `TreeError` if `tree` is
    not a tree.
    """
    check_tree(tree)
    attitude = tree.attitude
    if attitude is None or attitude.tolerance is not None:
        return tree
    if not tree.columns.pays and not tree.root_reward:
        return tree
    from expectitree.tree.folding import fold_rewards, unshare

    try:
        return fold_rewards(tree)
    except TransformError:
        pass
    try:
        return fold_rewards(unshare(tree, MOST_COPIES))
    except TransformError as error:
        raise SearchError(f"attitude {attitude.text}: {error}") from None


def in_utilities(
    tree: Tree, utility: Utility, totals: set[Any]
) -> tuple[Tree, Callable[[Any], Any]]:
    """Return a tree of utilities in place of totals, and what makes a bound one of utilities."""
    columns = tree.columns
    of = {x: utility.of(x) for x in totals}
    of_bound = cache(utility.of_bound)
    utilities = [
        of[u] if kind == Kind.TERMINAL else float("nan")
        for kind, u in zip(columns.kind, columns.utility, strict=True)
    ]
    column = utilities if tree.exact else array("d", utilities)
    linear = replace(
        without_formulas(tree),
        columns=columns._replace(utility=column),
        local_bounds={n: (of_bound(a), of_bound(b)) for n, (a, b) in tree.local_bounds.items()},
        attitude=None,
    )
    return linear, of_bound
