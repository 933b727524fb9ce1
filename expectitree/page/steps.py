"""What each step of a search changes on the page.

Python replays the trace and compares the page's columns before and after each step. The page only
writes the new values, and the old ones on the way back: it derives nothing about the search.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any, Protocol

from expectitree.analysis.trace.events import AIMS, CUT, ENTER, LEAVE, VISIT, Event
from expectitree.analysis.trace.moment import Moment
from expectitree.analysis.trace.report import Trace
from expectitree.searches.cuts import NO_CUTS, PROBED, STOPPED
from expectitree.searches.unvisited import (
    BELOW_SKIPPED,
    NOT_REACHED,
    VISITED,
    SearchColumns,
    Unvisited,
    explain_unvisited,
)
from expectitree.searches.unvisited import CUT as CUT_OFF
from expectitree.tree.columns import NONE
from expectitree.tree.model import Kind

COLUMNS = (
    "lower", "upper", "visits", "alpha", "beta", "after", "spared", "skipped", "best", "aim",
)  # fmt: skip
_UNDECIDED = -2  # in place of the owner of a node: the search may still visit the node


class Places(Protocol):
    """A table that returns the place of a thing, and adds the thing where it is new."""

    def __call__(self, thing: Any, /) -> int: ...


class Steps:
    """The page's columns as one search fills them, step by step."""

    def __init__(self, trace: Trace, numbers: Places, choices: Places) -> None:
        self.moment = Moment(trace)
        self.numbers, self.choices = numbers, choices
        self.tree = trace.tree
        self.reasons = _Reasons(self.moment)
        self.search = self.moment.search
        self.aims = [NONE] * len(self.tree)
        self.players_above = self._find_players_above()
        self.cells = [self._read(n) for n in range(len(self.tree))]
        self.start = dict(zip(COLUMNS, map(list, zip(*self.cells, strict=True)), strict=True))

    def __iter__(self) -> Iterator[tuple[Event, int, list[int]]]:
        """Yield each step, how many open entries it keeps, and its changes.

        The changes are pairs: a cell, counted from the first one of the step's node, and its value.
        """
        moment = self.moment
        while event := moment.forward():
            keeps = len(moment.open) - (event.kind == ENTER)
            changes = []
            for n in self._touched(event):
                was, cells = self.cells[n], self._read(n)
                first_cell = (n - event.node) * len(COLUMNS)
                for column, value in enumerate(cells if cells != was else ()):
                    if value != was[column]:
                        changes += [first_cell + column, value]
                self.cells[n] = cells
            yield event, keeps, changes

    def _touched(self, event: Event) -> Iterable[int]:
        """Return the nodes whose cells the step may change."""
        if event.aim and event.kind == ENTER:
            self.aims[event.node] = AIMS.index(event.aim)
        touched = {event.node, *self.reasons.update(event)}
        if (event.lower, event.upper) != event.was:
            touched.update(self.players_above[event.node])
        if self.reasons.is_over:
            self.search = self.moment.search
        return sorted(touched)

    def _read(self, n: int) -> tuple[int, ...]:
        """Return the cells of a node, one for each of `COLUMNS`."""
        moment, numbers = self.moment, self.numbers
        is_cut = moment.cut[n] not in NO_CUTS
        reason = self.reasons.reason[n]
        return (
            numbers(moment.lower[n]),
            numbers(moment.upper[n]),
            moment.visits[n],
            NONE if moment.alpha[n] is None else numbers(moment.alpha[n]),
            NONE if moment.beta[n] is None else numbers(moment.beta[n]),
            moment.cut_after[n] if is_cut else NONE,
            self.reasons.nodes[n] if is_cut else 0,
            VISITED if reason == BELOW_SKIPPED else reason,
            self.choices(tuple(self.search.best_branches(n))),
            self.aims[n],
        )

    def _find_players_above(self) -> list[list[int]]:
        """Return each node's parents of kind MAX and MIN: their best branches depend on it."""
        columns = self.tree.columns
        above: list[list[int]] = [[] for _ in range(len(self.tree))]
        for n in range(len(self.tree)):
            if columns.kind[n] in (Kind.MAX, Kind.MIN):
                for b in self.tree.branches_of(n):
                    above[columns.child[b]].append(n)
        return above


class _Reasons:
    """Why each node was not visited, as far as that is decided; columns are by node id.

    `explain_unvisited` decides, here for the part of the tree that a step concerns. A best-first
    search makes its cuts when its walks are over: they are those of the finished search.
    """

    def __init__(self, moment: Moment) -> None:
        self.moment, self.tree = moment, moment.tree
        count = len(self.tree)
        self.reason = [VISITED] * count  # [N] a constant of `cuts`
        self.nodes, self.leaves = [0] * count, [0] * count  # [N] that the cut made there spares
        self.owner = [_UNDECIDED] * count  # [N] the cut that a node not visited belongs to
        self.order, self.parent, self.branch, _ = self.tree.first_paths

    @property
    def is_over(self) -> bool:
        """Whether a best-first search is over: then its windows and cuts are known."""
        trace = self.moment.trace
        return not trace.search.algorithm.in_order and self.moment.done == trace.total

    def update(self, event: Event) -> Collection[int]:
        """Write what a step decides, and return the nodes that this may concern."""
        algorithm = self.moment.trace.search.algorithm
        if not algorithm.player_cuts:
            return ()
        if self.is_over:
            self.reason, self.nodes = list(self._final.reason), list(self._final.nodes)
            return range(len(self.tree))
        if not algorithm.in_order and event.kind == CUT:
            return self._reveal(event.node)
        is_cut_before = event.kind == LEAVE and event.cut not in NO_CUTS  # at the step before
        if event.kind not in (ENTER, VISIT, CUT, LEAVE) or is_cut_before:
            return ()
        part = self._part(event)
        before = [self.reason[n] for n in part]
        owners = {self.owner[n] for n in part}
        for n in part:
            if self.owner[n] >= 0 and (not self.moment.visits[n] or self._is_new(event, n)):
                self.nodes[self.owner[n]] -= 1
            self.owner[n], self.reason[n] = NONE, VISITED
        moment = self.moment
        columns = SearchColumns(
            part, self.parent, self.branch, self.parent, moment.visits, moment.cut, moment.cut_after
        )
        explain_unvisited(
            self.tree.columns, columns, self.owner, self.reason, self.nodes, self.leaves
        )
        is_stopped = event.kind == LEAVE and event.cut == STOPPED
        for n in part:
            if self.reason[n] == NOT_REACHED and not is_stopped:
                self.reason[n] = VISITED  # the search may still reach it
        owners.update(self.owner[n] for n in part)
        changed = {n for n, was in zip(part, before, strict=True) if self.reason[n] != was}
        return changed | {n for n in owners if n >= 0}

    def _is_new(self, event: Event, n: int) -> bool:
        """Say whether a step is the first visit of a node."""
        is_entry = event.kind in (ENTER, VISIT)
        return n == event.node and is_entry and self.moment.visits[n] == 1

    def _part(self, event: Event) -> list[int]:
        """Return a step's node and what may belong to its cut, parents first.

        Below a node that was undecided everything stays undecided, except the children.
        """
        child, moment = self.tree.columns.child, self.moment
        part = [event.node]
        is_shallow = self._is_new(event, event.node) and self.owner[event.node] == _UNDECIDED
        for n in part:
            if n != event.node and is_shallow:
                break
            for b in self.tree.branches_of(n):
                c = child[b]
                if self.branch[c] == b and (not moment.visits[c] or moment.cut[c] == PROBED):
                    part.append(c)
        return part

    def _reveal(self, n: int) -> list[int]:
        """Write what the cut at a node of a best-first search spares."""
        child, final = self.tree.columns.child, self._final
        children = {child[b] for b in self.tree.branches_of(n)}
        cut = [c for c in children if self.parent[c] == n and final.reason[c] == CUT_OFF]
        for c in cut:
            self.reason[c] = CUT_OFF
        self.nodes[n] = final.nodes[n]
        return cut

    @property
    def _final(self) -> Unvisited:
        return self.moment.trace.search.unvisited
