"""Prepare a best-first search, run its loop, and return its result. Imported where it is used."""

from __future__ import annotations

from expectitree.base import compiling
from expectitree.base.errors import SearchError
from expectitree.base.numbers import INFINITY
from expectitree.base.tree.columns import Column
from expectitree.searches.beliefs import ENTRIES, PLACE, SEEN, Beliefs, Limits
from expectitree.searches.best_first import best_first
from expectitree.searches.intervals import NO_LIMIT, PAUSED, STOPPED_EARLY, WAITING
from expectitree.searches.progress import report
from expectitree.searches.result import Search
from expectitree.searches.setup import (
    Listen,
    SearchSetup,
    greatest_number,
    greatest_total,
    why_unknown,
)
from expectitree.searches.windows import Windows, find_windows

_WALK = 20  # a visit of best-first takes as long as this many visits of a depth-first search


def run_best_first(setup: SearchSetup, max_visits: int | None, listen: Listen | None) -> Search:
    beliefs, limits = begin_best_first(setup)
    if listen is not None:
        beliefs = Beliefs._make(map(listen, Beliefs._fields, beliefs))
    most = NO_LIMIT if max_visits is None else max_visits
    pause = setup.pause // _WALK
    setup.begin()
    while True:
        entries = int(beliefs.tally[ENTRIES])
        ended = setup.run(best_first, setup.columns, beliefs, limits, most, entries + pause)
        if ended != PAUSED:
            break
        seen = beliefs.tally[SEEN if max_visits is None else ENTRIES]
        report(int(seen), max_visits or setup.tree.leaves)
    if ended == WAITING:
        raise SearchError(why_unknown(setup.tree, beliefs.route[int(beliefs.tally[PLACE]) + 1]))
    return end_best_first(setup, beliefs, ended == STOPPED_EARLY)


def begin_best_first(setup: SearchSetup) -> tuple[Beliefs, Limits]:
    """Return the columns and numbers that the loops of `best_first` start from."""
    tree = setup.tree

    def floats(length: int) -> Column:  # also for trees in fractions
        return compiling.zeros("d", length, True) if setup.compiled else [0.0] * length

    sizes = len(tree), len(tree.columns.reward), tree.heights[-1] + 2
    beliefs = Beliefs.of(setup.intervals(), setup.column, floats, *sizes)
    total, greatest = greatest_total(tree), greatest_number(tree, setup.bounds)
    numbers = setup.eps, total, greatest, setup.zero
    limits = Limits.of(setup.algorithm, tree.exact, *numbers, tree.root_id)
    return beliefs, limits._replace(shares=tree.is_sharing)


def end_best_first(setup: SearchSetup, beliefs: Beliefs, stopped: bool) -> Search:
    """Return the result of a best-first search, with the windows that its intervals justify."""
    bounds = setup.bounds
    alpha, beta, cut, cut_after, asked_by = map(setup.column, "ddBIi")
    columns = (beliefs.lower, beliefs.upper, beliefs.visits, alpha, beta, cut, cut_after)
    window = (float(bounds[0]), float(bounds[1])) if setup.compiled else bounds
    is_action = setup.algorithm.goal == "action"
    cuts = setup.run(
        find_windows,
        setup.columns,
        Windows(*columns, asked_by),
        setup.tree.root_id,
        window,
        setup.eps,
        INFINITY,
        is_action,
        stopped,
    )
    return setup.result(setup.eps, *columns, cuts, stopped, asked_by)
