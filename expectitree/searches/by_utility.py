"""Search by expected utility: attitudes to risk that depend on what was paid earlier.

The rewards are folded into the terminals, whose totals become utilities. The values of an ordinary
backward induction become totals again: certainty equivalents.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from math import nan
from typing import TYPE_CHECKING, Any

from expectitree.base.errors import SearchError, TransformError, TreeError
from expectitree.base.numbers import Number
from expectitree.base.tree.columns import Bounds, Kind
from expectitree.base.tree.model import FLOAT_UNIT, Tree, check_tree
from expectitree.base.tree.transform import without_formulas
from expectitree.searches.result import Search
from expectitree.searches.tolerance import rounding_error

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
    from expectitree.base.tree.attitude import utility_of

    attitude = tree.attitude
    assert attitude is not None
    folded = with_totals(tree)
    columns = folded.columns
    kinds = zip(columns.kind, columns.utility, strict=True)
    totals = {u for kind, u in kinds if kind == Kind.TERMINAL}
    try:
        low, high, *paid = (x + tree.root_reward for x in (*folded.total_ends, *sorted(totals)))
        whole = utility_of(attitude, (low, high), paid, tree.exact, tree.gain_sign)
        # The utility of what is still to be received.
        utility = whole.after(tree.root_reward, folded.total_ends)
        of = {x: utility.of(x) for x in totals}
    except TreeError as error:
        raise SearchError(f"attitude {attitude.text}: {error.lines}") from None
    utilities = [of.get(u, nan) for u in columns.utility]
    search_of_utility = search(
        replace(
            without_formulas(folded),
            columns=columns._replace(utility=utilities if tree.exact else array("d", utilities)),
            local_bounds={},
            attitude=None,
        )
    )
    total = cache(partial(_total_of, utility, {u: x for x, u in of.items()}))
    values = [*map(total, search_of_utility.lower)]
    return replace(
        search_of_utility,
        tree=folded,
        root_bounds=bounds,
        root_window=bounds,
        own_eps=rounding_error(folded, bounds) + _error_of_total(search_of_utility, utility),
        lower=values,
        upper=values,
    )


def _total_of(utility: Utility, written: Mapping[Number, Number], u: Number) -> Any:
    """Return the total of a utility, which rounding may move out of the range."""
    low, high = utility.range
    if u in written:
        return written[u]
    return utility.inverse(min(max(u, utility.of(low)), utility.of(high)))


def _error_of_total(search: Search, utility: Utility) -> Any:
    """Return what the rounding errors of utilities make of the total of the root."""
    if search.tree.exact:
        return 0
    low, high = map(utility.of, utility.range)
    # A function such as sqrt(x + 100) loses a few units of its greatest value.
    greatest = max(abs(low), abs(high), utility.magnitude)
    error = rounding_error(search.tree, search.root_bounds) + 8 * FLOAT_UNIT * greatest
    value = search.lower[-1]
    values = (value - error, value, value + error)
    least, middle, most = (_total_of(utility, {}, u) for u in values)
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
            raise SearchError(f"attitude {attitude.text}: {error.lines}") from None
    return replace(folded, root_reward=tree.root_reward)
