"""Reduce a searched tree to what optimal play can reach."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from expectitree.errors import AnalysisError
from expectitree.searches.cuts import NOT_CUT
from expectitree.searches.result import Outcome, Search
from expectitree.tree.model import Kind
from expectitree.tree.transform import keep_branches


def strategy_only(search: Search) -> Search:
    """Return the search of the part of its tree that optimal play can reach.

    A player's node keeps the first best action, a CHANCE node the outcomes of p > 0. Where a search
    did not have to know the best action, all are kept. Raises `AnalysisError` where it was stopped
    before it had its answer.
    """
    if search.outcome is Outcome.STOPPED:
        raise AnalysisError(
            "no strategy is known: the search was stopped; give it more --max-visits"
        )
    tree = search.tree
    columns, probability = tree.columns, tree.columns.probability
    kept: dict[int, list[int]] = {}  # the branches of each node that is reached
    waiting = [tree.root_id]
    while waiting:
        n = waiting.pop()
        if n in kept:
            continue
        is_chance, own = columns.kind[n] == Kind.CHANCE, tree.branches_of(n)
        best = next(search.best_branches(n), None) if own else None
        possible = [b for b in own if not is_chance or probability[b] > 0]
        kept[n] = possible if best is None else [best]
        waiting += [columns.child[b] for b in kept[n]]

    reached = sorted(kept)
    reduced: dict[str, Any] = {
        name: [getattr(search, name)[n] for n in reached]
        for name in ("lower", "upper", "visits", "alpha", "beta")
    }
    no_cuts: dict[str, Any] = {
        "cut": [NOT_CUT] * len(reached),
        "cut_after": [0] * len(reached),
        "cuts": 0,
        "window_parent": None,
    }
    return replace(search, tree=keep_branches(tree, kept), **no_cuts, **reduced)
