"""Prepare a compiled depth-first search, run its loop, and return what it found."""

from __future__ import annotations

import sys
from typing import Any

from expectitree.base import compiling
from expectitree.base.errors import SearchError
from expectitree.base.numbers import is_finite
from expectitree.searches.intervals import PAUSED, STOPPED_EARLY, WAITING
from expectitree.searches.problem import Found, Problem
from expectitree.searches.progress import report
from expectitree.searches.star_minimax import star_minimax
from expectitree.searches.tolerance import NO_FAR, far_of, greatest_number, greatest_total
from expectitree.searches.unknown import why_unknown
from expectitree.searches.work import NO_LIMIT, RESUME_ENTRIES, Settings, Work, next_branch


def search_compiled(setup: Problem) -> Found:
    tree, settings = setup.tree, settings_of(setup, setup.max_visits)
    root = setup.index(tree.root_id)
    work = start_work(setup, settings, tree.heights[-1] + 1)
    window = float(setup.window[0]), float(setup.window[1])
    setup.begin()
    while True:
        cuts, ended = setup.run(star_minimax, setup.columns, work, settings, root, window)
        if ended != PAUSED:
            break
        entries = int(work.resume[RESUME_ENTRIES])
        report(entries, setup.max_visits or len(tree))
        settings = settings._replace(pause=entries + setup.pause)
    if ended == WAITING:
        raise SearchError(why_unknown(tree, setup.columns.child[next_branch(work)[1]]))
    columns = work.by_node(setup.columns, settings)
    found = Found(*columns)
    found.cuts, found.stopped = cuts, ended == STOPPED_EARLY
    return found


def start_work(setup: Problem, settings: Settings, depths: int) -> Work:
    """Return the columns of a search at the start."""
    tree, columns = setup.tree, setup.columns
    if not settings.lean:
        return Work.of(setup.intervals(), setup.column, len(tree), len(columns.child), depths)
    inner = len(tree) - tree.leaves
    lower, upper = (compiling.filled("d", end, inner, True) for end in settings.ends)
    own: Any = memoryview(bytearray(columns.kind)), tree.inner_before
    return Work.of((lower, upper), setup.column, inner, 0, depths, own)


def settings_of(setup: Problem, max_visits: int | None) -> Settings:
    """Return the settings of a compiled depth-first search."""
    tree, chosen = setup.tree, setup.algorithm
    far = far_of(greatest_total(tree), bool(tree.unit), greatest_number(tree, setup.bounds))
    # A reward may move a bound beyond the greatest float.
    bounded = not setup.columns.pays and far == NO_FAR and all(map(is_finite, setup.bounds))

    def switch(is_on: bool) -> tuple[bool, ...]:
        return (True,) if is_on else ()

    return Settings(
        zero=0.0,
        most=sys.float_info.max,
        chance_cuts=chosen.chance_cuts,
        # More probes than any node has children find nothing to do.
        probes=min(chosen.probes, max(tree.widest, 1)),
        cyclic=chosen.probe_order == "cyclic",
        eps=float(setup.eps),  # one type, so one machine code
        far=far,
        most_visits=NO_LIMIT if max_visits is None else max_visits,
        pause=setup.pause,
        one=setup.index(1),
        pays=switch(setup.columns.pays),
        bounded=switch(bounded),
        limited=switch(max_visits is not None),
        shares=switch(tree.is_sharing),
        lean=switch(
            bounded
            and setup.bounds[0] < setup.bounds[1]  # a terminal is open until it is visited
            and len(tree) > 1
            and not (tree.is_sharing or tree.unknown)
            and tree.local_bounds.keys() <= {tree.root_id}
        ),
        ends=(float(setup.bounds[0]), float(setup.bounds[1])),
    )
