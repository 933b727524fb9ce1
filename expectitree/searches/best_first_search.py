"""Prepare a best-first search, run its loop, and return its result. Imported where it is used."""

from __future__ import annotations

from expectitree.base.errors import SearchError
from expectitree.base.tree.columns import NONE, Column
from expectitree.searches.beliefs import ENTRIES, PLACE, SEEN, TALLIES, Beliefs
from expectitree.searches.best_first import best_first
from expectitree.searches.cuts import PROBED, STOPPED
from expectitree.searches.intervals import (
    NO_LIMIT,
    PAUSED,
    STOPPED_EARLY,
    WAITING,
    find_proved,
)
from expectitree.searches.problem import Found, Problem
from expectitree.searches.progress import report
from expectitree.searches.recursion import with_infinities, without_infinities
from expectitree.searches.tolerance import greatest_number, greatest_total
from expectitree.searches.unknown import why_unknown
from expectitree.searches.windows import Windows, find_windows

_WALK = 20  # a visit of best-first takes as long as this many visits of a depth-first search


def run_best_first(setup: Problem) -> Found:
    """Search a tree best first for its value, whatever the window, or for its best action."""
    beliefs = begin_best_first(setup)
    max_visits = setup.max_visits
    observer = setup.observer
    most = NO_LIMIT if max_visits is None else max_visits
    pause = setup.pause // _WALK
    setup.begin()
    while True:
        numbers = most, int(beliefs.tally[ENTRIES]) + pause
        ended = setup.run(best_first, setup.columns, beliefs, *numbers, observer)
        if ended != PAUSED:
            break
        seen = beliefs.tally[SEEN if max_visits is None else ENTRIES]
        report(int(seen), max_visits or setup.tree.leaves)
    if ended == WAITING:
        raise SearchError(why_unknown(setup.tree, beliefs.route[int(beliefs.tally[PLACE]) + 1]))
    return end_best_first(setup, beliefs, ended == STOPPED_EARLY)


def begin_best_first(setup: Problem) -> Beliefs:
    """Return the columns and numbers that the loops of `best_first` start from."""
    tree = setup.tree
    depths = tree.heights[-1] + 2
    paying = len(tree.columns.reward)
    lengths = {"node": len(tree), "depth": depths, "branch": paying, "tally": TALLIES}

    def column(code: str, rows: str) -> Column:
        if code == "d" and not setup.compiled:  # floats also for trees in fractions
            return [0.0] * lengths[rows]
        return setup.column(code, lengths[rows])

    total = greatest_total(tree)
    greatest = greatest_number(tree, setup.bounds)
    beliefs = Beliefs.of(*setup.intervals(), column)
    beliefs = beliefs._replace(root=tree.root_id, shares=tree.is_sharing)
    return beliefs.controlled(setup.algorithm, tree.exact, setup.eps, total, greatest)


def end_best_first(setup: Problem, beliefs: Beliefs, stopped: bool) -> Found:
    """Return what a best-first search found, with the windows that its intervals justify."""
    root = setup.tree.root_id
    alpha, beta, cut, cut_after, asked_by = map(setup.column, "ddBIi")
    alpha[root], beta[root] = map(float, setup.bounds) if setup.compiled else setup.bounds
    lower, upper, best = beliefs.lower, beliefs.upper, NONE
    if not stopped and lower[root] != upper[root]:  # the search had to prove only the best action
        best = find_proved(setup.columns, lower, upper, root, setup.eps)
    if setup.tree.exact:
        lower, upper, alpha, beta = map(with_infinities, (lower, upper, alpha, beta))
    windows = Windows(lower, upper, beliefs.visits, alpha, beta, cut, cut_after, asked_by)
    unfinished = STOPPED if stopped else PROBED
    cuts = setup.run(find_windows, setup.columns, windows, setup.eps, best, unfinished)
    found = Found(beliefs.lower, beliefs.upper, *windows[2:], cuts, stopped)
    if setup.tree.exact:
        found.alpha, found.beta = without_infinities(alpha), without_infinities(beta)
    return found
