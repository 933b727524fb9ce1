"""The state of a search after some steps of its trace."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from expectitree.analysis.trace.events import CLOSE, CUT, ENTER, LEAVE, TIGHTEN, VISIT, Event
from expectitree.analysis.trace.report import Trace, initial_intervals
from expectitree.searches.cuts import STOPPED, is_unordered
from expectitree.searches.result import Search


class Moment:
    """The knowledge of a search after the first `done` steps of its trace."""

    def __init__(self, trace: Trace) -> None:
        self.trace, self.tree, self.events = trace, trace.tree, trace.events
        count = len(self.tree)
        self.done = 0
        self.lower, self.upper = initial_intervals(trace.search)
        self.visits = [0] * count
        self.alpha: list[Any] = [None] * count
        self.beta: list[Any] = [None] * count
        self.cut, self.cut_after = [0] * count, [0] * count
        self.cuts = self.visited = self.leaves_visited = 0
        # The entries that have not ended, the root's first. Of best-first: those of the current
        # walk that it has not backed up.
        self.open: list[Event] = []
        self._is_finished = False  # whether a best-first search's windows and cuts are written

    @property
    def search(self) -> Search:
        """The search as if it had stopped here; its columns change with this moment.

        A best-first search has no windows before its last step. Its `eps` is that of the whole
        search: it cannot follow from values that are not known yet.
        """
        whole = self.trace.search
        return replace(
            whole, own_eps=whole.eps, lower=self.lower, upper=self.upper, visits=self.visits,
            alpha=self.alpha, beta=self.beta, cut=self.cut, cut_after=self.cut_after,
            cuts=self.cuts, stopped=whole.stopped or not self._is_finished,
        )  # fmt: skip

    def forward(self) -> Event | None:
        """Make the next step and return it, or None after the last."""
        if self.done == len(self.events):
            return None
        event = self.events[self.done]
        n = event.node
        self.done += 1
        self.lower[n], self.upper[n] = event.lower, event.upper
        del self.open[self._kept(event) :]
        if event.kind in (ENTER, CUT):
            self.alpha[n], self.beta[n] = event.window or (None, None)
        if event.kind == ENTER:
            self.open.append(event)
            self.cut[n] = STOPPED  # the rest of the node is undecided
        elif event.kind in (CUT, LEAVE):
            self.cut[n], self.cut_after[n] = event.cut, event.after
        self.cuts += event.kind == CUT
        is_computed = event.kind == LEAVE and event.window is None  # by expectiminimax, at once
        if event.kind in (ENTER, VISIT) or is_computed:
            self.visited += not self.visits[n]
            self.leaves_visited += not (self.visits[n] or self.tree.columns.kind[n])
            self.visits[n] += 1
        is_in_order = self.trace.search.algorithm.in_order
        if not is_in_order and self.done == self.trace.total:
            self._finish()
        return event

    def _kept(self, event: Event) -> int:
        """Return how many of the open entries are still open after a step, but for its own entry.

        A step at the end of a walk, or after the last walk, may be about a node that is not open.
        """
        entries = [entry.node for entry in self.open[event.depth : event.depth + 1]]
        if event.kind in (TIGHTEN, CLOSE, CUT) and entries != [event.node]:
            return 0
        if event.kind == CUT and is_unordered(event.cut):
            return 0
        return event.depth + (event.kind in (TIGHTEN, CUT))

    def _finish(self) -> None:
        """Write the windows and cuts that are found at the end of a best-first search."""
        search, kind = self.trace.search, self.tree.columns.kind
        self._is_finished = True
        for n in range(len(self.tree)):
            if kind[n] and self.visits[n]:
                self.alpha[n], self.beta[n] = search.alpha[n], search.beta[n]
                self.cut[n], self.cut_after[n] = search.cut[n], search.cut_after[n]
