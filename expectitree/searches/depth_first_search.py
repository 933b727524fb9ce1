"""Prepare a depth-first search, run it, and return what it found. Imported where it is used."""

from __future__ import annotations

from expectitree.base.deep_calls import DeepCall
from expectitree.base.errors import SearchError
from expectitree.searches.depth_first import CALLS_A_PLY, search_depth_first
from expectitree.searches.problem import Found, Problem
from expectitree.searches.recursion import (
    Allowance,
    Recursion,
    close_intervals,
    without_infinities,
)
from expectitree.searches.unknown import why_unknown


def run_depth_first(problem: Problem) -> Found:
    """Search a tree by alpha-beta, Star1, Star2 or Star2.5, in the window of the problem."""
    if problem.compiled:
        from expectitree.searches.compiled_depth_first import search_compiled

        return search_compiled(problem)
    tree, columns = problem.tree, problem.columns

    def grow(node: int) -> bool:
        raise SearchError(why_unknown(tree, node))

    found = Found.of(problem)
    recursion = Recursion(
        columns,
        tree.root_id,
        problem.window,
        problem.algorithm,
        Allowance(problem.max_visits, problem.pause, len(tree)),
        problem.eps / 3 if problem.eps else 0,
        problem.zero,
        shares=tree.is_sharing,
        observer=problem.observer,
        grow=grow,
    )
    recursion.probe_up_to(int(tree.widest))
    if tree.exact:
        recursion.use_infinities(found)
    problem.begin()
    DeepCall(CALLS_A_PLY * tree.heights[-1] + 100).run(search_depth_first, recursion, found)
    close_intervals(recursion, found)
    if tree.exact:
        for name in ("lower", "upper", "alpha", "beta"):
            setattr(found, name, without_infinities(getattr(found, name)))
    return found
