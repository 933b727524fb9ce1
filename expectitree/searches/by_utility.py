"""Search by expected utility: attitudes to risk that depend on what was paid earlier.

The rewards are folded into the terminals, whose totals become utilities. The values of an ordinary
backward induction become totals again: certainty equivalents.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from expectitree.base.errors import SearchError, TransformError, TreeError
from expectitree.base.tree.columns import Bounds, Kind
from expectitree.base.tree.model import FLOAT_UNIT, Tree, check_tree
from expectitree.base.tree.transform import without_formulas
from expectitree.searches.result import Search
from expectitree.searches.setup import rounding_error

if TYPE_CHECKING:
    from expectitree.base.tree.attitude import Utility

MAX_COPIES = 1_000_000  # nodes of a tree whose shared nodes are reached with different sums


def is_inexact(tree: Tree) -> bool:
    """Return whether a tree has an attitude whose certainty equivalents are not fractions."""
    return tree.attitude is not None and tree.attitude.kind != "points"


def search_by_utility(tree: Tree, bounds: Bounds, search: Callable[[Tree], Search]) -> Search:
    """Return the search of a tree with an attitude that depends on what was paid earlier.

    `search` computes the value of each node of a tree without attitude. The result is about the
    tree whose rewards are folded. Raises `SearchError`.
    """
    attitude = tree.attitude
    assert attitude is not None
    folded = with_totals(tree)
    columns = folded.columns
    kinds = zip(columns.kind, columns.utility, strict=True)
    totals = {u for kind, u in kinds if kind == Kind.TERMINAL}
    try:
        utility = utility_between(folded, totals)
        linear = in_utilities(folded, utility, totals)
    except TreeError as error:
        raise SearchError(f"attitude {attitude.text}: {error}") from None

    found = search(linear)
    total = cache(partial(_total_of, utility, {utility.of(x): x for x in totals}))
    values = [*map(total, found.lower)]
    return replace(
        found,
        tree=folded,
        root_bounds=bounds,
        own_eps=rounding_error(folded, bounds) + _error_of_total(found, utility),
        lower=values,
        upper=values,
    )


def _total_of(utility: Utility, written: Mapping[Any, Any], u: Any) -> Any:
    """Return the total of a utility, which rounding may move out of the range."""
    low, high = utility.range
    if u in written:
        return written[u]
    return utility.inverse(min(max(u, utility.of(low)), utility.of(high)))


def _error_of_total(found: Search, utility: Utility) -> Any:
    """Return what the rounding errors of utilities make of the total of the root."""
    if found.tree.exact:
        return 0
    low, high = map(utility.of, utility.range)
    # A function such as sqrt(x + 100) loses a few units of its greatest value.
    error = rounding_error(found.tree, found.root_bounds) + 8 * FLOAT_UNIT * max(
        abs(low), abs(high)
    )
    value = found.lower[-1]
    least, middle, most = (
        utility.inverse(min(max(u, low), high)) for u in (value - error, value, value + error)
    )
    return max(middle - least, most - middle)


def with_totals(tree: Tree) -> Tree:
    """Return the tree that a search with the tree's attitude is about; raise `SearchError`.

    If the attitude depends on what was paid earlier, the rewards of branches are folded, and
    sharing is unfolded where a shared node is reached with different sums. The root's reward stays.
    Raises `TreeError` if `tree` is not a tree.
    """
    check_tree(tree)
    attitude = tree.attitude
    if attitude is None or attitude.risk_tolerance is not None:
        return tree
    if not tree.columns.pays:
        return tree
    from expectitree.base.tree.folding import fold_rewards, unshare

    branches_only = replace(tree, root_reward=0)
    try:
        folded = fold_rewards(branches_only)
    except TransformError:
        try:
            folded = fold_rewards(unshare(branches_only, MAX_COPIES))
        except TransformError as error:
            raise SearchError(f"attitude {attitude.text}: {error}") from None
    return replace(folded, root_reward=tree.root_reward)


def utility_between(tree: Tree, totals: set[Any]) -> Utility:
    """Return the utility of what is still to be received, in the range of the tree's totals."""
    from expectitree.base.tree.attitude import utility_of

    assert tree.attitude is not None
    low, high, *paid = (x + tree.root_reward for x in (*tree.total_ends, *sorted(totals)))
    utility = utility_of(tree.attitude, (low, high), paid, tree.exact)
    return utility.after(tree.root_reward, tree.total_ends)


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
        local_bounds={},
        attitude=None,
    )
