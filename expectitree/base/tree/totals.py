"""What each path of a tree pays in all."""

from __future__ import annotations

from typing import Any

from expectitree.base.numbers import Number
from expectitree.base.tree.columns import NONE
from expectitree.base.tree.model import Kind, Tree
from expectitree.base.tree.scans import shifted


def totals(tree: Tree) -> dict[int, Number]:
    """Return the total of each terminal: its utility and all rewards on the path to it.

    Left out are a terminal with an unknown utility, and one that several paths with different sums
    reach.

        >>> import expectitree as et
        >>> tree = et.loads("max: {drill: {cost: 70, chance: [200, 0]}, sell: 90}")
        >>> {tree.path_of(n): float(total) for n, total in totals(tree).items()}
        {'sell': 90.0, 'drill/#2': -70.0, 'drill/#1': 130.0}
    """
    columns = tree.columns
    paid: list[set[Any]] = [set() for _ in range(len(tree))]  # [N] the sums on the ways to a node
    paid[tree.root_id] = {tree.reward_of(NONE)}
    known = {}
    for n in range(tree.root_id, -1, -1):  # parents have greater ids
        for b in tree.branches_of(n):
            reward = tree.reward_of(b)
            # Two sums are as good as all: only whether there are several matters.
            below = {shifted(total, reward) for total in [*paid[n]][:2]}
            paid[columns.child[b]] |= below
        if columns.kind[n] == Kind.TERMINAL and n not in tree.unknown and len(paid[n]) == 1:
            known[n] = shifted(columns.utility[n], *paid[n])
    return known
