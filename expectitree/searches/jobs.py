"""Search the subtrees of a large tree at the same time, in threads of this process.

Nodes near the root are split: each large child is a job. Rows in depth-first post-order, as `save`
and `generate` write them, have each subtree in a range of rows. Compiled loops release the
interpreter's lock, so threads are enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

from expectitree.base import compiling
from expectitree.base.numbers import INFINITY
from expectitree.base.tree.columns import CHANCE, MAX, MIN, NONE, TERMINAL
from expectitree.base.tree.scans import shifted
from expectitree.searches.cuts import CUT_UNORDERED, NO_CUTS, PROBED
from expectitree.searches.intervals import satisfies
from expectitree.searches.progress import report
from expectitree.searches.setup import Engine, SearchSetup
from expectitree.searches.star_minimax import shift_window, star_minimax
from expectitree.searches.work import (
    NO_LIMIT,
    SEEN,
    Settings,
    Window,
    Work,
    interval_of,
    outcome_window,
    slot_of,
    sum_terms,
    window_between_far_terms,
)

PARALLEL = (Engine.COMPILED,)  # the engines whose loops release the interpreter's lock
MIN_ROWS = 1 << 15  # of a job, which takes 0.1 ms to start
PARTS = 8  # for each thread, about, so that all threads end at the same time
_MAX_DEPTH = 50  # of the nodes that are split
_NARROW = 32  # terms, which are added up faster than a compiled loop is called

Job: TypeAlias = tuple[int, Window]  # a node to be searched, in a window
Splits: TypeAlias = dict[int, dict[int, int]]  # a node that is split: by child, its first row


class OneJobError(Exception):
    """The search cannot be split into jobs; the text says why."""


def split(children: Callable[[int], Sequence[int]], count: int, limit: int) -> Splits:
    """Return the root, and the other nodes whose subtrees have more than `limit` rows.

    `children` returns the children of a node. Raises `OneJobError` for rows in another order.
    """
    found: Splits = {}
    waiting = [(count - 1, 0, 0)]
    while waiting:
        node, start, depth = waiting.pop()
        ends = [int(child) for child in children(node)]
        starts = [start, *(end + 1 for end in ends)]
        if starts.pop() != node or any(map(int.__gt__, starts, ends)):
            order = "its rows are in another order than those that `expectitree convert` writes"
            raise OneJobError(order)
        found[node] = own = dict(zip(ends, starts, strict=True))
        if depth < _MAX_DEPTH:
            waiting += ((c, at, depth + 1) for c, at in own.items() if c + 1 - at > limit)
    return found


def ranges(splits: Splits, least: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of rows that hold all subtrees of the children that are not split.

    Each range has at least so many rows, unless a node that is split follows.
    """
    start = 0
    for end in [*sorted(c for own in splits.values() for c in own), max(splits)]:
        stop = end + (end not in splits)
        if end in splits or stop - start >= least:
            if start < stop:
                yield start, stop
            start = end + 1


def narrow_in_jobs(
    setup: SearchSetup, work: Work, settings: Settings, window: Window, jobs: int
) -> int:
    """Search the subtrees that a search of the root in a window needs; return the number of cuts.

    Then `star_minimax` of the root has little left to do: it skips each node whose interval
    satisfies its window. Raises `OneJobError`.
    """
    from expectitree.base.executors import executor_of, run_tasks  # takes time

    tree, child = setup.tree, setup.columns.child
    if tree.is_sharing or tree.unknown:
        raise OneJobError("utilities are not known" if tree.unknown else "nodes are shared")
    if setup.engine not in PARALLEL:
        raise OneJobError("the search is not compiled")
    limit = max(MIN_ROWS, len(tree) // (PARTS * jobs))
    splits = split(lambda n: [child[b] for b in tree.branches_of(n)], len(tree), limit)
    found = _YoungBrothersWait(setup, work, settings, window, splits)
    with executor_of(jobs, None, in_threads=True) as (executor, _):
        run_tasks(executor, jobs, found.next_job, found.search, found.take)
    return found.finish()


class _YoungBrothersWait:
    """The jobs of a search: the brothers of a MAX or MIN node's first child wait for its result.

    A job is a search of a subtree, in the window that is known when it starts. Later windows lie
    within it, because intervals only narrow, and because only the children before a child narrow
    its window at MAX and MIN, as in one search of the whole tree. So no node is searched twice. A
    node that is split is a job of its own, a short one, once its large children are done.
    """

    def __init__(
        self, setup: SearchSetup, work: Work, settings: Settings, window: Window, splits: Splits
    ) -> None:
        self.setup, self.work, self.settings = setup, work, settings._replace(pause=NO_LIMIT)
        self.root: Job = setup.tree.root_id, window
        self.start = {c: start for own in splits.values() for c, start in own.items()}
        self.eldest = dict[int, int]()  # by node that is split: the child that the others wait for
        # By node that is split: the first branch whose child is not done, and the ends before it.
        self.begun = dict[int, tuple[int, Any, Any]]()
        self.todo, self.running, self.cuts = set[int](), set[int](), 0
        tree, entire = setup.columns, {self.root[0]}  # nodes that no cut is likely to end early
        for node in sorted(splits, reverse=True):
            large = [c for c, start in splits[node].items() if c + 1 - start >= MIN_ROWS]
            is_chance = tree.kind[node] == CHANCE
            # Probes may end the search of CHANCE early, but only in a search of the whole node.
            is_whole = is_chance and settings.probes > 0 and node not in entire
            if not large or is_whole or not (node in self.todo or node == self.root[0]):
                continue
            self.eldest[node] = NONE if is_chance else large[0]
            self.todo.update(large)
            if node in entire:
                entire.update(large if is_chance else large[:1])
            for b in setup.tree.branches_of(node):
                c = tree.child[b]
                if tree.kind[c] == TERMINAL and tree.probability[b] > 0:
                    if settings.lean:
                        work.kind[c] = SEEN
                    else:
                        work.lower[c] = work.upper[c] = tree.utility[c]
                        work.visits[c] = 1
        if not self.todo:
            raise OneJobError("the tree has no large subtree")

    def next_job(self) -> Job | None:
        """Return the next job; None while all wait, and when only the root is left."""
        found = self.find(*self.root)
        if found is None or found == self.root:
            return None
        self.running.add(found[0])
        return found

    def search(self, node: int, window: Window) -> tuple[int, int]:
        """Do a job in a thread; return its node and the number of cuts."""
        setup, settings = self.setup, self.settings
        if node in self.eldest:
            settings = settings._replace(probes=0)  # its children are done
        work = self.work.with_own_frames(setup.column, setup.tree.heights[-1] + 1)
        arguments = setup.columns, work, settings, setup.index(node), window
        return node, setup.run(star_minimax, *arguments)[0]

    def take(self, found: tuple[int, int]) -> None:
        """Note that a job is done."""
        node, cuts = found
        self.cuts += cuts
        self.running.remove(node)
        self.todo.remove(node)
        report(node, len(self.setup.tree))

    def find(self, node: int, window: Window) -> Job | None:
        """Return the next job among a node and the nodes below it; None if there is none now."""
        for c, within in self.below(node, window) if node in self.eldest else ():
            if not satisfies(*self.interval(c), *within, self.settings.eps):
                if found := self.find(c, within):
                    return found
                if c == self.eldest[node]:
                    break
        first = self.start.get(node, 0)
        return None if any(first <= n <= node for n in self.running) else (node, window)

    def interval(self, node: int) -> Window:
        """Return the interval of a node."""
        return interval_of(self.setup.columns, self.work, self.settings, node)

    def below(self, node: int, window: Window) -> Iterator[Job]:
        """Yield the children of a node that is split with their windows, up to a cut."""
        tree, work, settings, (alpha, beta) = self.setup.columns, self.work, self.settings, window
        at = slot_of(work, settings, node)
        work.alpha[at], work.beta[at] = window
        kind, eps = tree.kind[node], settings.eps
        pays, lean = len(settings.pays) > 0, len(settings.lean) > 0
        own = self.setup.tree.branches_of(node)
        sums: tuple[Any, ...] = ()
        if kind == CHANCE and settings.chance_cuts:
            ends = settings, own.start, own.stop
            is_wide = self.setup.compiled and len(own) > _NARROW
            sums = compiling.run(sum_terms, tree, work, *ends, rows=0, compiled=is_wide)
            low, high, low_open, high_open = sums
            if high_open == 0 and high <= alpha + eps or low_open == 0 and low >= beta - eps:
                return
        begin, low, high = self.begun.get(node, (own.start, -INFINITY, INFINITY))
        for b in range(begin, own.stop):
            within = max(alpha, low), min(beta, high)
            if kind == CHANCE:
                within = -INFINITY, INFINITY
            elif within[0] >= within[1] - eps:
                return
            c, p = tree.child[b], tree.probability[b]
            if c in self.todo and p > 0:
                if sums and lean:
                    x, y = (p * end for end in self.interval(c))
                    within = outcome_window(p, alpha, beta, sums[0], sums[1], 0, 0, x, y, settings)
                elif sums:
                    within = window_between_far_terms(tree, work, settings, node, b, *sums)
                yield c, shift_window(within, tree.reward[b], settings.most) if pays else within
            reward = self.setup.tree.reward_of(b)
            if kind == MAX:
                low = max(low, shifted(self.interval(c)[0], reward))
            elif kind == MIN:
                high = min(high, shifted(self.interval(c)[1], reward))
            if b == begin and c not in self.todo:
                begin = b + 1
                self.begun[node] = begin, low, high

    def finish(self) -> int:
        """Note how the nodes that were split ended; return the number of cuts."""
        tree, work = self.setup.columns, self.work
        visits = work.by_node(tree, self.settings)[2]
        for node in sorted(self.eldest.keys() - {self.root[0]}):
            own = self.setup.tree.branches_of(node)
            at = slot_of(work, self.settings, node)
            after = sum(visits[tree.child[b]] > 0 for b in own)
            if after and not work.visits[at]:  # it was left when a node above it was cut
                work.visits[at], work.cut[at], work.cut_after[at] = 1, PROBED, after
            elif tree.kind[node] == CHANCE and work.cut[at] not in NO_CUTS:
                # Its children were done in any order.
                work.cut[at], work.cut_after[at] = work.cut[at] + CUT_UNORDERED, after
        return self.cuts
