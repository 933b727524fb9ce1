"""Search by expected utility: attitudes to risk that depend on what was paid earlier.

The rewards are folded into the terminals, whose totals become utilities. The search is an ordinary
one. Its intervals and windows become totals again: certainty equivalents.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from expectitree.budget import more, most
from expectitree.errors import SearchError, TransformError, TreeError
from expectitree.numbers import is_finite
from expectitree.searches.result import Search
from expectitree.searches.setup import rounding_error
from expectitree.tree.columns import Bounds, Kind
from expectitree.tree.model import FLOAT_UNIT, Tree, check_tree
from expectitree.tree.transform import without_formulas

if TYPE_CHECKING:
    from expectitree.tree.attitude import Utility

MOST_DWARFED = 1000  # how many times wider bounds may make the range of utilities
MOST_COPIES = 1_000_000  # nodes of a tree whose shared nodes are reached with different sums


def is_inexact(tree: Tree) -> bool:
    """Return whether a tree has an attitude whose certainty equivalents are not fractions."""
    return tree.attitude is not None and tree.attitude.kind != "points"


def search_by_utility(
    tree: Tree, bounds: Bounds, window: Bounds, search: Callable[[Tree, Bounds, Bounds], Search]
) -> Search:
    """Return the search of a tree with an attitude that depends on what was paid earlier.

    `search` searches a tree without attitude, within bounds and in a window. The result is about
    the tree whose rewards are folded. Raises `SearchError`.
    """
    attitude = tree.attitude
    assert attitude is not None
    folded = with_totals(tree)
    columns = folded.columns
    kinds = zip(columns.kind, columns.utility, strict=True)
    totals = {u for kind, u in kinds if kind == Kind.TERMINAL}
    ends = [*folded.total_ends, *filter(is_finite, bounds)]
    try:
        try:
            utility = utility_between(folded, ends, totals)
            is_covered = not _is_dwarfed(utility, folded.total_ends)
        except TreeError:
            is_covered = False
        if not is_covered:  # bounds outside what the attitude covers count as infinite
            utility = utility_between(folded, folded.total_ends, totals)
        linear = in_utilities(folded, utility, totals)
    except TreeError as error:
        raise SearchError(f"attitude {attitude.text}: {error}") from None

    found = search(linear, utility.of_bounds(bounds), utility.of_bounds(window))
    written: dict[Any, Any] = {utility.of(x): x for x in totals}

    @cache
    def total(end: Any) -> Any:
        return written[end] if end in written else utility.total_of(end)

    @cache
    def total_within(end: Any) -> Any:
        """Return the total of a node's bound: rounding may move it out of the range."""
        found = total(end)
        if is_finite(found) or not is_finite(end):
            return found
        return utility.range[found > 0]

    changed: dict[str, Any] = {
        name: [function(end) for end in getattr(found, name)]
        for names, function in ((("lower", "upper"), total_within), (("alpha", "beta"), total))
        for name in names
    }
    eps = rounding_error(folded, bounds) + _error_of_total(found, utility)
    return replace(found, tree=folded, root_bounds=bounds, own_eps=eps, **changed)


def _error_of_total(found: Search, utility: Utility) -> Any:
    """Return what the rounding errors of utilities make of the total of the root."""
    if found.tree.exact:
        return 0
    low, high = map(utility.of, utility.range)
    # A function such as sqrt(x + 100) loses a few units of its greatest value.
    error = rounding_error(found.tree, found.root_bounds) + 8 * FLOAT_UNIT * max(
        abs(low), abs(high)
    )
    worst = 0.0
    for end in (found.lower[-1], found.upper[-1]):
        least, middle, most = (
            utility.inverse(min(max(u, low), high)) for u in (end - error, end, end + error)
        )
        worst = max(worst, middle - least, most - middle)
    return worst


def _is_dwarfed(utility: Utility, totals: Bounds) -> bool:
    """Return whether utilities of far bounds, such as the cube of 1e15, leave totals few digits."""
    least, low, high, most = map(utility.of, (utility.range[0], *totals, utility.range[1]))
    return bool(most - least > MOST_DWARFED * (high - low))


def with_totals(tree: Tree) -> Tree:
    """Return the tree that a search with the tree's attitude is about; raise `SearchError`.

    If the attitude depends on what was paid earlier, the rewards of branches are folded, and
    sharing is unfolded where a shared node is reached with different sums. The root's reward stays.
    Raises `TreeError` if `tree` is not a tree.
    """
    check_tree(tree)
    attitude = tree.attitude
    if attitude is None or attitude.tolerance is not None:
        return tree
    if not tree.columns.pays:
        return tree
    from expectitree.tree.folding import fold_rewards, unshare

    branches_only = replace(tree, root_reward=0)
    try:
        folded = fold_rewards(branches_only)
    except TransformError:
        try:
            folded = fold_rewards(unshare(branches_only, most(MOST_COPIES), more()))
        except TransformError as error:
            raise SearchError(f"attitude {attitude.text}: {error}") from None
    return replace(folded, root_reward=tree.root_reward)


def utility_between(tree: Tree, ends: Sequence[Any], totals: set[Any]) -> Utility:
    """Return the utility of what is still to be received, in the range of some totals."""
    from expectitree.tree.attitude import utility_of

    assert tree.attitude is not None
    within = min(ends), max(ends)
    low, high, *paid = (x + tree.root_reward for x in (*within, *sorted(totals)))
    utility = utility_of(tree.attitude, (low, high), paid, tree.exact)
    return utility.after(tree.root_reward, within)


def in_utilities(tree: Tree, utility: Utility, totals: set[Any]) -> Tree:
    """Return a tree of utilities in place of totals."""
    columns = tree.columns
    of = {x: utility.of(x) for x in totals}
    utilities = [
        of[u] if kind == Kind.TERMINAL else float("nan")
        for kind, u in zip(columns.kind, columns.utility, strict=True)
    ]
    column = utilities if tree.exact else array("d", utilities)
    return replace(
        without_formulas(tree),
        columns=columns._replace(utility=column),
        local_bounds={n: utility.of_bounds(ends) for n, ends in tree.local_bounds.items()},
        attitude=None,
    )
