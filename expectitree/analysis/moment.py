"""A search as it stood after some steps of its trace: forwards, and back again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from expectitree.analysis.trace import CUT, ENTER, LEAVE, VISIT, Event, Trace, initial_intervals
from expectitree.search.result import Search
from expectitree.search.star_minimax import STOPPED


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
        self.open: list[Event] = []  # the entries of the nodes that are entered and not yet left, the root first
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
        """The search as if it had been stopped here. (Its columns are this moment's own: they go on with it.)"""
        return replace(
            self.trace.search, lower=self.lower, upper=self.upper, visits=self.visits, alpha=self.alpha,
            beta=self.beta, cut=self.cut, cut_after=self.cut_after, cuts=self.cuts, stopped=True,
        )  # fmt: skip

    def forward(self) -> Event | None:
        """Make the next step and return it; None where there is none."""
        if self.done == len(self.events):
            return None
        event = self.events[self.done]
        n = event.node
        self._before.append(tuple(column[n] for column in self._columns))
        self.lower[n], self.upper[n] = event.lower, event.upper
        if event.kind == ENTER:
            self.open.append(event)
            self._count(n, 1)
            self.alpha[n], self.beta[n] = event.window or (None, None)
            self.cut[n] = STOPPED  # of what is left of it, nothing is known yet
        elif event.kind == CUT:
            self.cuts += 1
            self.cut[n], self.cut_after[n] = event.cut, event.after
        elif event.kind == LEAVE and self.open:
            self._left.append(self.open.pop())
            self.cut[n], self.cut_after[n] = event.cut, event.after
        elif event.kind in (LEAVE, VISIT):
            self._count(n, 1)
        self.done += 1
        return event

    def back(self) -> Event | None:
        """Take the last step back and return it; None where there is none."""
        if not self.done:
            return None
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
        for column, value in zip(self._columns, self._before.pop(), strict=True):
            column[n] = value
        return event

    def _count(self, n: int, by: int) -> None:
        """Count an entry of a node, or take it back."""
        before = self.visits[n]
        self.visits[n] += by
        if not before or not self.visits[n]:
            self.visited += by
            self.leaves_visited += by * (not self.tree.columns.kind[n])
