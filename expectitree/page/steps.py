"""What each step of a search changes on the page.

Python replays the trace and compares the page's columns before and after each step. The page only
writes the new values, and the old ones on the way back: it derives nothing about the search.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from expectitree.analysis.trace.events import AIMS, CUT, ENTER, LEAVE, VISIT, Event
from expectitree.analysis.trace.moment import Moment
from expectitree.analysis.trace.report import Trace
from expectitree.base.budget import more, most
from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import Number
from expectitree.base.tree.columns import NONE
from expectitree.base.tree.model import Kind
from expectitree.base.tree.scans import shifted
from expectitree.searches.cuts import (
    BELOW_SKIPPED,
    NO_CUTS,
    NOT_REACHED,
    PROBED,
    STOPPED,
    VISITED,
    SearchColumns,
    explain_unvisited,
)
from expectitree.searches.cuts import CUT as LEFT_BY_CUT

MAX_EXPLAINED = 3_000_000  # nodes of all parts that steps explain anew, one microsecond each
COLUMNS = (
    "lower", "upper", "visits", "alpha", "beta", "after", "spared", "skipped", "best", "aim",
)  # fmt: skip
# Also, if branches pay: the same for a node's first branch, with its reward.
WORTH = "worth_lower", "worth_upper", "worth_alpha", "worth_beta"
_UNDECIDED = -2  # in place of the owner of a node: the search may still visit the node
_MAY_BE_REACHED = VISITED, NONE  # the reason and the owner of such a node


class Table(dict[Any, int]):
    """The place of each thing, in the order in which they were looked up first."""

    def __missing__(self, thing: Any) -> int:
        """Return the next place for a new thing."""
        return self.setdefault(thing, len(self))


class Steps:
    """The page's columns as one search fills them, step by step."""

    def __init__(self, trace: Trace, numbers: Table, choices: Table) -> None:
        self.moment = Moment(trace)
        self.numbers, self.choices = numbers, choices
        self.tree = trace.tree
        self.pays = self.tree.columns.pays or bool(self.tree.root_reward)
        self.columns = (*COLUMNS, *WORTH) if self.pays else COLUMNS
        self.reasons = _Reasons(self.moment)
        self.search = self.moment.search
        self.aims = [NONE] * len(self.tree)
        # Each node's parents of kind MAX and MIN: their best branches depend on it.
        self.players_above: list[list[int]] = [[] for _ in self.aims]
        for n, kind in enumerate(self.tree.columns.kind):
            if kind in (Kind.MAX, Kind.MIN):
                for b in self.tree.branches_of(n):
                    self.players_above[self.tree.columns.child[b]].append(n)
        self.cells = [self._read(n) for n in range(len(self.tree))]
        self.start = dict(zip(self.columns, map(list, zip(*self.cells, strict=True)), strict=True))

    def __iter__(self) -> Iterator[tuple[int, list[int]]]:
        """Yield for each step how many open entries it keeps, and its changes.

        The changes are pairs: a cell, counted from the first one of the step's node, and its value.
        """
        while event := self.moment.forward():
            changes = []
            for n in self._touched(event):
                was, cells = self.cells[n], self._read(n)
                first_cell = (n - event.node) * len(self.columns)
                for column, value in enumerate(cells if cells != was else ()):
                    if value != was[column]:
                        changes += [first_cell + column, value]
                self.cells[n] = cells
            yield len(self.moment.open) - (event.kind == ENTER), changes

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
        """Return the cells of a node, one for each of the columns."""
        moment, reason = self.moment, self.reasons.reason[n]
        ends = [column[n] for column in (moment.lower, moment.upper, moment.alpha, moment.beta)]
        lower, upper, alpha, beta = map(self._place, ends)
        after, spared = NONE, 0
        worth: tuple[int, ...] = ()
        if moment.cut[n] not in NO_CUTS:
            after, spared = moment.cut_after[n], self.reasons.nodes[n]
        if reason == BELOW_SKIPPED:
            reason = VISITED
        best = self.choices[tuple(self.search.best_branches(n))]
        if self.pays:
            reward = self.tree.reward_of(self.reasons.paths.branch[n])
            paid = (None if end is None else shifted(end, reward) for end in ends)
            worth = tuple(map(self._place, paid))
        return (
            lower, upper, moment.visits[n], alpha, beta, after, spared, reason, best,
            self.aims[n], *worth,
        )  # fmt: skip

    def _place(self, number: Number | None) -> int:
        return NONE if number is None else self.numbers[number]


class _Reasons:
    """The reason why each node was not visited, as far as it is known; columns are by node id.

    `explain_unvisited` decides, here for the part of the tree that a step concerns. A best-first
    search makes its cuts when its walks are over: they are those of the finished search.
    """

    def __init__(self, moment: Moment) -> None:
        self.moment, self.tree = moment, moment.tree
        self.algorithm, self.final = moment.trace.search.algorithm, moment.trace.search.unvisited
        count = len(self.tree)
        self.reason = [VISITED] * count  # [N] a constant of `cuts`
        self.nodes, self.leaves = [0] * count, [0] * count  # [N] that the cut made there spares
        self.owner = [_UNDECIDED] * count  # [N] the cut that a node not visited belongs to
        self.paths = self.tree.first_paths
        self.explained = 0

    @property
    def is_over(self) -> bool:
        """Whether a best-first search is over: then its windows and cuts are known."""
        return not self.algorithm.in_order and self.moment.done == self.moment.trace.total

    def update(self, event: Event) -> Collection[int]:
        """Write what a step decides, and return the nodes that this may concern."""
        if not self.algorithm.player_cuts:
            return ()
        if self.is_over:
            self.reason, self.nodes = list(self.final.reason), list(self.final.nodes)
            return range(len(self.tree))
        if not self.algorithm.in_order and event.kind == CUT:
            return self._reveal(event.node)
        is_cut_before = event.kind == LEAVE and event.cut not in NO_CUTS  # at the step before
        if event.kind not in (ENTER, VISIT, CUT, LEAVE) or is_cut_before:
            return ()
        return self._explain(event)

    def _explain(self, event: Event) -> set[int]:
        """Explain anew what may belong to the cut of a step's node; return what changed."""
        moment, part = self.moment, self._part(event)
        self.explained += len(part)
        if self.explained > most(MAX_EXPLAINED):
            raise AnalysisError(
                f"the page needs more than {most(MAX_EXPLAINED):,} explanations of nodes that "
                f"{self.algorithm.full_name} does not visit: choose other algorithms with -a, cut "
                f"the tree with --depth, or {more()}"
            )
        before = [self.reason[n] for n in part]
        owners = {self.owner[n] for n in part}
        for n in part:
            if self.owner[n] >= 0 and (not moment.visits[n] or self._is_new(event, n)):
                self.nodes[self.owner[n]] -= 1
            self.owner[n], self.reason[n] = NONE, VISITED
        _, parent, branch, _ = self.paths
        columns = SearchColumns(
            part, parent, branch, parent, moment.visits, moment.cut, moment.cut_after
        )
        explain_unvisited(
            self.tree.columns, columns, self.owner, self.reason, self.nodes, self.leaves
        )
        is_stopped = event.kind == LEAVE and event.cut == STOPPED
        for n in part:
            if self.reason[n] == NOT_REACHED and not is_stopped:
                self.reason[n] = VISITED  # the search may still reach it
            if not moment.visits[n] and (self.reason[n], self.owner[n]) == _MAY_BE_REACHED:
                self.owner[n] = _UNDECIDED
        owners.update(self.owner[n] for n in part)
        changed = {n for n, was in zip(part, before, strict=True) if self.reason[n] != was}
        return changed | {n for n in owners if n >= 0}

    def _is_new(self, event: Event, n: int) -> bool:
        """Return whether a step is the first visit of a node."""
        is_entry = event.kind in (ENTER, VISIT)
        return n == event.node and is_entry and self.moment.visits[n] == 1

    def _part(self, event: Event) -> list[int]:
        """Return a step's node and what may belong to its cut, parents first.

        At the first visit of a node that was undecided, what is undecided below it stays so.
        """
        child, moment = self.tree.columns.child, self.moment
        part = [event.node]
        is_shallow = self._is_new(event, event.node) and self.owner[event.node] == _UNDECIDED
        for n in part:
            if is_shallow and not moment.visits[n] and self.owner[n] == _UNDECIDED:
                continue
            for b in self.tree.branches_of(n):
                c = child[b]
                is_first = self.paths.branch[c] == b
                if is_first and (not moment.visits[c] or moment.cut[c] == PROBED):
                    part.append(c)
        return part

    def _reveal(self, n: int) -> list[int]:
        """Write what the cut at a node of a best-first search spares."""
        children = {self.tree.columns.child[b] for b in self.tree.branches_of(n)}
        parent, reason = self.paths.parent, self.final.reason
        cut = [c for c in children if parent[c] == n and reason[c] == LEFT_BY_CUT]
        for c in cut:
            self.reason[c] = LEFT_BY_CUT
        self.nodes[n] = self.final.nodes[n]
        return cut
