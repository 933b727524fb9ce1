"""What each step of a search changes on the page.

Python replays the trace and compares the page's columns before and after each step. The page only
writes the new values, and the old ones on the way back: it derives nothing about the search.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from expectitree.analysis.trace import events
from expectitree.analysis.trace.events import Event
from expectitree.analysis.trace.report import Trace
from expectitree.base.budget import more, most
from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import INFINITY, Number
from expectitree.base.tree.columns import NONE
from expectitree.base.tree.model import Kind
from expectitree.base.tree.scans import shifted
from expectitree.searches import cuts
from expectitree.searches.result import PLAYERS, Search

T = TypeVar("T")
MAX_EXPLAINED = 3_000_000  # nodes of all parts that steps explain anew, one microsecond each
COLUMNS = (
    "lower", "upper", "visits", "alpha", "beta", "after", "spared", "skipped", "best", "aim",
    "narrowed",
)  # fmt: skip
# Also, if branches pay: the same for a node's first branch, with its reward.
WORTH = "worth_lower", "worth_upper", "worth_alpha", "worth_beta"
_UNDECIDED = -2  # in place of the owner of a node: the search may still visit the node
_DECISIVE = (events.ENTER, events.VISIT, events.CUT, events.LEAVE)  # a leave, if there is no cut
_MAY_BE_REACHED = NONE, cuts.VISITED  # the owner and the reason of such a node


def initial_intervals(search: Search) -> tuple[list[Number], list[Number]]:
    """Return the bounds of every node before a search."""
    lower, upper = search.tree.inherited_bounds(search.root_bounds)
    if search.algorithm.prunes:
        return list(lower), list(upper)
    count = len(search.tree)
    return [-INFINITY] * count, [INFINITY] * count  # expectiminimax uses no bounds


class Moment:
    """The knowledge of a search after the first `done` steps of its trace."""

    def __init__(self, trace: Trace) -> None:
        self.trace, self.tree, self.events = trace, trace.tree, trace.events
        count = len(self.tree)
        self.done = 0
        self.lower, self.upper = initial_intervals(trace.search)
        self.visits = [0] * count
        self.alpha: list[Number | None] = [None] * count
        self.beta: list[Number | None] = [None] * count
        self.cut = [0] * count
        self.cut_after = [0] * count
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
            stopped=whole.stopped or not self._is_finished,
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
        if event.kind in (events.ENTER, events.CUT):
            self.alpha[n], self.beta[n] = event.window or (None, None)
        if event.kind == events.ENTER:
            self.open.append(event)
            self.cut[n] = cuts.STOPPED  # the rest of the node is undecided
        elif event.kind in (events.CUT, events.LEAVE):
            self.cut[n], self.cut_after[n] = event.cut, event.after
        # Expectiminimax computes a value at once, without entering its node.
        is_computed = event.kind == events.LEAVE and event.window is None
        if event.kind in (events.ENTER, events.VISIT) or is_computed:
            self.visits[n] += 1
        if not self.trace.search.algorithm.in_order and self.done == self.trace.total:
            self._finish()
        return event

    def _kept(self, event: Event) -> int:
        """Return how many of the open entries are still open after a step, but for its own entry.

        A step at the end of a walk, or after the last walk, may be about a node that is not open.
        """
        entries = [entry.node for entry in self.open[event.depth : event.depth + 1]]
        if event.kind in (events.TIGHTEN, events.CLOSE, events.CUT) and entries != [event.node]:
            return 0
        if event.kind == events.CUT and cuts.is_unordered(event.cut):
            return 0
        return event.depth + (event.kind in (events.TIGHTEN, events.CUT))

    def _finish(self) -> None:
        """Write the windows and cuts that are found at the end of a best-first search."""
        search = self.trace.search
        kind = self.tree.columns.kind
        self._is_finished = True
        for n in range(len(self.tree)):
            if kind[n] and self.visits[n]:
                self.alpha[n], self.beta[n] = search.alpha[n], search.beta[n]
                self.cut[n], self.cut_after[n] = search.cut[n], search.cut_after[n]


class Table(dict[T, int]):
    """The place of each thing, in the order in which they were looked up first."""

    def __missing__(self, thing: T) -> int:
        """Return the next place for a new thing."""
        return self.setdefault(thing, len(self))


class Steps:
    """The page's columns as one search fills them, step by step."""

    def __init__(
        self, trace: Trace, numbers: Table[Number], choices: Table[tuple[int, ...]]
    ) -> None:
        self.moment = Moment(trace)
        self.bounds = initial_intervals(trace.search)
        self.numbers = numbers
        self.choices = choices
        tree = self.tree = trace.tree
        self.pays = tree.columns.pays or bool(tree.root_reward)
        self.columns = COLUMNS + WORTH * self.pays
        self.reasons = _Reasons(self.moment)
        self.search = self.moment.search
        self.aims = [NONE] * len(self.tree)
        # Each node's parents of kind MAX and MIN: their best branches depend on it.
        self.players_above: list[list[int]] = [[] for _ in self.aims]
        for n, kind in enumerate(tree.columns.kind):
            if kind in PLAYERS:
                for b in tree.branches_of(n):
                    self.players_above[tree.columns.child[b]].append(n)
        self.cells = [self._read(n) for n in range(len(tree))]
        self.start = dict(zip(self.columns, map(list, zip(*self.cells, strict=True)), strict=True))

    def __iter__(self) -> Iterator[tuple[int, list[int]]]:
        """Yield for each step how many open entries it keeps, and its changes.

        The changes are pairs: a cell, counted from the first one of the step's node, and its value.
        """
        while event := self.moment.forward():
            changes = []
            for n in self._touched(event):
                was = self.cells[n]
                cells = self._read(n)
                first_cell = (n - event.node) * len(self.columns)
                for column, value in enumerate(cells):
                    if value != was[column]:
                        changes += [first_cell + column, value]
                self.cells[n] = cells
            yield len(self.moment.open) - (event.kind == events.ENTER), changes

    def _touched(self, event: Event) -> Iterable[int]:
        """Return the nodes whose cells the step may change."""
        if event.aim and event.kind == events.ENTER:
            self.aims[event.node] = events.AIMS.index(event.aim)
        touched = {event.node, *self.reasons.update(event)}
        if (event.lower, event.upper) != event.was:
            touched.update(self.players_above[event.node])
        if self.reasons.is_over:
            self.search = self.moment.search
        return sorted(touched)

    def _read(self, n: int) -> list[int]:
        """Return the cells of a node, one for each of the columns."""
        moment = self.moment
        reason = self.reasons.reason[n]
        ends = [column[n] for column in (moment.lower, moment.upper, moment.alpha, moment.beta)]
        lower, upper, alpha, beta = map(self._place, ends)
        after = NONE
        spared = 0
        if moment.cut[n] not in cuts.NO_CUTS:
            after = moment.cut_after[n]
            spared = self.reasons.nodes[n]
        if reason == cuts.BELOW_SKIPPED:
            reason = cuts.VISITED
        best = self.choices[tuple(self.search.best_branches(n))]
        cells = [
            lower, upper, moment.visits[n], alpha, beta, after, spared, reason, best, self.aims[n],
            self._place(self._narrowed(n)),
        ]  # fmt: skip
        if self.pays:
            reward = self.tree.reward_of(self.reasons.paths.branch[n])
            cells += [self._place(end, reward) for end in ends]
        return cells

    def _narrowed(self, n: int) -> Number | None:
        """Return alpha of a MAX node, or beta of a MIN node, where its children have moved it."""
        lower, upper = self.moment.lower[n], self.moment.upper[n]
        alpha, beta = self.moment.alpha[n], self.moment.beta[n]
        kind = self.tree.columns.kind[n]
        if kind == Kind.MAX and alpha is not None and max(alpha, self.bounds[0][n]) < lower:
            return lower
        if kind == Kind.MIN and beta is not None and upper < min(beta, self.bounds[1][n]):
            return upper
        return None

    def _place(self, number: Number | None, reward: Number = 0) -> int:
        if number is None:
            return NONE
        return self.numbers[shifted(number, reward)]


class _Reasons:
    """The reason why each node was not visited, as far as it is known; columns are by node id.

    `explain_unvisited` decides, here for the part of the tree that a step concerns. A best-first
    search makes its cuts when its walks are over; then all is known.
    """

    def __init__(self, moment: Moment) -> None:
        self.moment = moment
        self.tree = moment.tree
        self.algorithm = moment.trace.search.algorithm
        self.final = moment.trace.search.unvisited
        count = len(self.tree)
        self.reason: Any = [cuts.VISITED] * count  # [N] a constant of `cuts`
        self.nodes: Any = [0] * count  # [N] that the cut made there spares, and the leaves of them
        self.spared = self.nodes, [0] * count
        self.owner = [_UNDECIDED] * count  # [N] the cut that a node not visited belongs to
        self.paths = self.tree.first_paths
        self.explained = 0

    @property
    def is_over(self) -> bool:
        """Whether a best-first search is over: then its windows and cuts are known."""
        return not self.algorithm.in_order and self.moment.done == self.moment.trace.total

    def update(self, event: Event) -> Collection[int]:
        """Write what a step decides, and return the nodes that this may concern."""
        if not self.algorithm.prunes:
            return ()
        if not self.algorithm.in_order and (event.kind == events.CUT or self.is_over):
            if self.reason is self.final.reason and not self.is_over:
                return ()
            self.reason, self.nodes = self.final.reason, self.final.nodes
            return range(len(self.tree))
        is_cut_before = event.kind == events.LEAVE and event.cut not in cuts.NO_CUTS
        if event.kind not in _DECISIVE or is_cut_before:
            return ()
        return self._explain(event)

    def _explain(self, event: Event) -> set[int]:
        """Explain anew what may belong to the cut of a step's node; return what changed."""
        moment = self.moment
        part = self._part(event)
        self.explained += len(part)
        if self.explained > most(MAX_EXPLAINED):
            raise AnalysisError(
                f"the page needs more than {most(MAX_EXPLAINED):,} explanations of nodes that "
                f"{self.algorithm.full_name} does not visit\nchoose other algorithms with -a, cut "
                f"the tree with --depth, or {more()}"
            )
        owner = self.owner
        reason = self.reason
        before = [(owner[n], reason[n]) for n in part]
        for n in part:
            if owner[n] >= 0 and (not moment.visits[n] or self._is_new(event, n)):
                self.nodes[owner[n]] -= 1
            owner[n], reason[n] = _MAY_BE_REACHED
        _, parent, branch, _ = self.paths
        columns = cuts.SearchColumns(
            part, parent, branch, parent, moment.visits, moment.cut, moment.cut_after
        )
        cuts.explain_unvisited(self.tree.columns, columns, owner, reason, self.spared)
        is_stopped = event.kind == events.LEAVE and event.cut == cuts.STOPPED
        for n in part:
            if reason[n] == cuts.NOT_REACHED and not is_stopped:
                reason[n] = cuts.VISITED  # the search may still reach it
            if not moment.visits[n] and (owner[n], reason[n]) == _MAY_BE_REACHED:
                owner[n] = _UNDECIDED
        changed = set[int]()
        for n, (was_owner, was_reason) in zip(part, before, strict=True):
            changed.update(cut for cut in (was_owner, owner[n]) if cut >= 0)
            if reason[n] != was_reason:
                changed.add(n)
        return changed

    def _is_new(self, event: Event, n: int) -> bool:
        """Return whether a step is the first visit of a node."""
        is_entry = event.kind in (events.ENTER, events.VISIT)
        return n == event.node and is_entry and self.moment.visits[n] == 1

    def _part(self, event: Event) -> list[int]:
        """Return a step's node and what may belong to its cut, parents first.

        At the first visit of a node that was undecided, what is undecided below it stays so.
        """
        child = self.tree.columns.child
        moment = self.moment
        part = [event.node]
        is_shallow = self._is_new(event, event.node) and self.owner[event.node] == _UNDECIDED
        for n in part:
            if is_shallow and not moment.visits[n] and self.owner[n] == _UNDECIDED:
                continue
            for b in self.tree.branches_of(n):
                c = child[b]
                is_first = self.paths.branch[c] == b
                if is_first and (not moment.visits[c] or moment.cut[c] == cuts.PROBED):
                    part.append(c)
        return part
