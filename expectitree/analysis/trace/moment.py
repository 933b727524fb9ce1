"""A search as it stood after some steps of its trace: forwards, and back again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from expectitree.analysis.trace.events import CLOSE, CUT, ENTER, LEAVE, TIGHTEN, VISIT, Event
from expectitree.analysis.trace.report import Trace, initial_intervals
from expectitree.searches.cuts import STOPPED
from expectitree.searches.result import Search


class Moment:
    """What a search knew when `done` steps of its trace were made; before the first, the bounds."""

    def __init__(self, trace: Trace) -> None:
        self.trace, self.tree = trace, trace.tree
        count = len(self.tree)
        self.done = 0
        self.lower, self.upper = initial_intervals(trace.search)
        self.visits = [0] * count
        self.alpha: list[Any] = [None] * count
        self.beta: list[Any] = [None] * count
        self.cut, self.cut_after = [0] * count, [0] * count
        self.cuts = self.visited = self.leaves_visited = 0
        # The entries of the nodes that are entered and not yet left, the root first; of a
        # best-first search, those of the walk as far as it has not been backed up.
        self.open: list[Event] = []
        self._columns: tuple[list[Any], ...] = (
            self.lower,
            self.upper,
            self.visits,
            self.alpha,
            self.beta,
            self.cut,
            self.cut_after,
        )
        self._before: list[tuple[Any, ...]] = []  # what the columns held at the node of each step
        self._left: list[Event] = []  # the entries of those that were left, to come back to
        self._walked: list[
            list[Event]
        ] = []  # of a best-first search, those that each step has left
        self._unfinished: list[
            list[Any]
        ] = []  # after its last step, the windows and cuts as they were before the end

    @property
    def events(self) -> Sequence[Event]:
        """The steps of the trace, made or not."""
        return self.trace.events

    @property
    def last(self) -> Event | None:
        """The step that was made last."""
        return self.events[self.done - 1] if self.done else None

    @property
    def search(self) -> Search:
        """The search as if it had been stopped here.

        (Its columns are this moment's own: they go on with it.)

        That of a best-first search has no windows before it is over.
        """
        return replace(
            self.trace.search, lower=self.lower, upper=self.upper, visits=self.visits, alpha=self.alpha,
            beta=self.beta, cut=self.cut, cut_after=self.cut_after, cuts=self.cuts,
            stopped=self.trace.search.stopped or not self._unfinished,
        )  # fmt: skip

    def forward(self) -> Event | None:
        """Make the next step and return it; None where there is none."""
        if self.done == len(self.events):
            return None
        event = self.events[self.done]
        n = event.node
        self._before.append(tuple(column[n] for column in self._columns))
        self.lower[n], self.upper[n] = event.lower, event.upper
        if not self.trace.search.algorithm.in_order:
            self._go(event)
        if event.kind == ENTER:
            self.open.append(event)
            self._count(n, 1)
            self.alpha[n], self.beta[n] = event.window or (None, None)
            self.cut[n] = STOPPED  # of what is left of it, nothing is known yet
        elif event.kind == CUT:
            self.cuts += 1
            self.cut[n], self.cut_after[n] = event.cut, event.after
            self.alpha[n], self.beta[n] = event.window or (None, None)
        elif event.kind == LEAVE and self.open:
            self._left.append(self.open.pop())
            self.cut[n], self.cut_after[n] = event.cut, event.after
        elif event.kind in (LEAVE, VISIT):
            self._count(n, 1)
        self.done += 1
        if not self.trace.search.algorithm.in_order and self.done == self.trace.total:
            self._finish()
        return event

    def back(self) -> Event | None:
        """Take the last step back and return it; None where there is none."""
        if not self.done:
            return None
        if self._unfinished:
            for column, values in zip(self._columns[3:], self._unfinished, strict=True):
                column[:] = values
            self._unfinished = []
        self.done -= 1
        event = self.events[self.done]
        n = event.node
        if event.kind == ENTER:
            self.open.pop()
            self._count(n, -1)
        elif event.kind == CUT:
            self.cuts -= 1
        elif event.kind == LEAVE and self._left:
            self.open.append(self._left.pop())
        elif event.kind in (LEAVE, VISIT):
            self._count(n, -1)
        if self._walked:
            self.open += self._walked.pop()
        for column, value in zip(self._columns, self._before.pop(), strict=True):
            column[n] = value
        return event

    def _go(self, event: Event) -> None:
        """Leave what a walk has left by this step: at its end, up to the node that is backed up."""
        depth = event.depth
        if event.kind in (TIGHTEN, CLOSE, CUT):
            is_on_it = (
                event.kind != CUT and depth < len(self.open) and self.open[depth].node == event.node
            )
            depth = depth + (event.kind == TIGHTEN) if is_on_it else 0
        self._walked.append(self.open[depth:])
        del self.open[depth:]

    def _finish(self) -> None:
        """Write the windows and cuts that are found when a best-first search is over."""
        search, kind = self.trace.search, self.tree.columns.kind
        self._unfinished = [list(column) for column in self._columns[3:]]
        for n in range(len(self.tree)):
            if kind[n] and self.visits[n]:
                self.alpha[n], self.beta[n] = search.alpha[n], search.beta[n]
                self.cut[n], self.cut_after[n] = search.cut[n], search.cut_after[n]

    def _count(self, n: int, by: int) -> None:
        """Count an entry of a node, or take it back."""
        before = self.visits[n]
        self.visits[n] += by
        if not before or not self.visits[n]:
            self.visited += by
            self.leaves_visited += by * (not self.tree.columns.kind[n])
