"""The state of a search after some steps of its trace."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from expectitree.analysis.trace.events import CLOSE, CUT, ENTER, LEAVE, TIGHTEN, VISIT, Event
from expectitree.analysis.trace.report import Trace, initial_intervals
from expectitree.searches.cuts import STOPPED
from expectitree.searches.result import Search


class Moment:
    """What a search knows after the first `done` steps of its trace."""

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
    def last(self) -> Event | None:
        """The last step so far."""
        return self.events[self.done - 1] if self.done else None

    @property
    def search(self) -> Search:
        """The search as if it had stopped here; its columns change with this moment.

        A best-first search has no windows before its last step.
        """
        return replace(
            self.trace.search, lower=self.lower, upper=self.upper, visits=self.visits,
            alpha=self.alpha, beta=self.beta, cut=self.cut, cut_after=self.cut_after,
            cuts=self.cuts, stopped=self.trace.search.stopped or not self._is_finished,
        )  # fmt: skip

    def forward(self) -> Event | None:
        """Make the next step and return it, or None after the last."""
        if self.done == len(self.events):
            return None
        event, in_order = self.events[self.done], self.trace.search.algorithm.in_order
        n = event.node
        self.lower[n], self.upper[n] = event.lower, event.upper
        if not in_order:
            self._leave_finished(event)
        if event.kind == ENTER:
            self.open.append(event)
            self._count(n)
            self.alpha[n], self.beta[n] = event.window or (None, None)
            self.cut[n] = STOPPED  # the rest of the node is undecided
        elif event.kind == CUT:
            self.cuts += 1
            self.cut[n], self.cut_after[n] = event.cut, event.after
            self.alpha[n], self.beta[n] = event.window or (None, None)
        elif event.kind == LEAVE and self.open:
            self.open.pop()
            self.cut[n], self.cut_after[n] = event.cut, event.after
        elif event.kind in (LEAVE, VISIT):
            self._count(n)
        self.done += 1
        if not in_order and self.done == self.trace.total:
            self._finish()
        return event

    def _leave_finished(self, event: Event) -> None:
        """Drop the entries of a walk that this step ends: those below the node backed up."""
        depth = event.depth
        if event.kind in (TIGHTEN, CLOSE, CUT):
            is_on_walk = (
                event.kind != CUT and depth < len(self.open) and self.open[depth].node == event.node
            )
            depth = depth + (event.kind == TIGHTEN) if is_on_walk else 0
        del self.open[depth:]

    def _finish(self) -> None:
        """Write the windows and cuts that are found at the end of a best-first search."""
        search, kind = self.trace.search, self.tree.columns.kind
        self._is_finished = True
        for n in range(len(self.tree)):
            if kind[n] and self.visits[n]:
                self.alpha[n], self.beta[n] = search.alpha[n], search.beta[n]
                self.cut[n], self.cut_after[n] = search.cut[n], search.cut_after[n]

    def _count(self, n: int) -> None:
        """Count an entry of a node."""
        if not self.visits[n]:
            self.visited += 1
            self.leaves_visited += not self.tree.columns.kind[n]
        self.visits[n] += 1
