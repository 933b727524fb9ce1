"""Search the subtrees of a large tree at the same time, in threads of this process.

Nodes near the root are split: each large child is a job. Rows in depth-first post-order, as `save`
and `generate` write them, have each subtree in a range of rows. Compiled loops release the
interpreter's lock, so threads are enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from threading import Condition, Event
from typing import Any, NamedTuple

from expectitree.base import compiling
from expectitree.base.numbers import INFINITY, Number
from expectitree.base.tree import scans
from expectitree.base.tree.columns import CHANCE, MAX, MIN, TERMINAL, NumberColumn
from expectitree.searches.backward_induction import backward_induction
from expectitree.searches.cuts import CUT_PROBING, CUT_UNORDERED, NO_CUTS, PROBED
from expectitree.searches.intervals import PAUSED, end_of_branch, satisfies
from expectitree.searches.progress import report
from expectitree.searches.setup import SearchSetup
from expectitree.searches.star_minimax import shift_window, star_minimax
from expectitree.searches.work import (
    RESUME_ENTRIES,
    Settings,
    Window,
    Work,
    sum_terms,
    window_between_far_terms,
)

MIN_ROWS = 1 << 15  # of a job, which takes 0.1 ms to start
PARTS = 8  # for each thread, about, so that all threads end at the same time
MAX_DEPTH = 50  # of the nodes that are split
_NARROW = 32  # terms: so few are added up faster than a compiled loop is called

Job = tuple[int, Window]  # a node to be searched, in a window
Splits = dict[int, "list[Part]"]  # the nodes that are split, with their children


class OneJobError(Exception):
    """The search cannot be split into jobs; the text says why."""


class Part(NamedTuple):
    """The root of a subtree, which is the last of its rows, and the first of them."""

    node: int
    start: int

    @property
    def rows(self) -> int:
        """The number of nodes."""
        return self.node + 1 - self.start


def split(children: Callable[[int], Sequence[int]], count: int, limit: int) -> Splits:
    """Return the nodes whose subtrees have more than `limit` rows, and the root.

    `children` returns the children of a node. Raises `OneJobError` for rows in another order.
    """
    found: Splits = {}
    waiting = [(Part(count - 1, 0), 0)]
    while waiting:
        part, depth = waiting.pop()
        ends = [int(child) for child in children(part.node)]
        starts = [part.start, *(end + 1 for end in ends)]
        if starts.pop() != part.node or any(map(int.__gt__, starts, ends)):
            order = "its rows are in another order than those that `expectitree convert` writes"
            raise OneJobError(order)
        own = found[part.node] = [Part(*pair) for pair in zip(ends, starts, strict=True)]
        if depth < MAX_DEPTH:
            waiting += ((child, depth + 1) for child in own if child.rows > limit)
    return found


def ranges(splits: Splits, least: int) -> list[tuple[int, int]]:
    """Return ranges of rows that hold all subtrees of the children that are not split.

    Each range has at least so many rows, unless a node that is split follows.
    """
    found, start = list[tuple[int, int]](), 0
    for end in [*sorted(part.node for own in splits.values() for part in own), max(splits)]:
        is_split = end in splits
        stop = end if is_split else end + 1
        if is_split or stop - start >= least:
            found += [(start, stop)] * (start < stop)
            start = end + 1
    return found


def are_parallel(setup: SearchSetup) -> bool:
    """Return whether threads run loops at the same time."""
    return setup.compiled


def _splits_of(setup: SearchSetup, jobs: int) -> Splits:
    """Return the splits of a tree that give each thread enough to do."""
    tree, child = setup.tree, setup.columns.child
    if not are_parallel(setup):
        raise OneJobError("the search is not compiled")
    limit = max(MIN_ROWS, len(tree) // (PARTS * jobs))
    found = split(lambda n: [child[b] for b in tree.branches_of(n)], len(tree), limit)
    if all(part.rows < MIN_ROWS for own in found.values() for part in own):
        raise OneJobError("the tree has no large subtree")
    return found


def _run_in_threads(
    jobs: int,
    next_task: Callable[[], tuple[Any, ...] | None],
    function: Callable[..., Any],
    take: Callable[[Any], None],
    ended: Event,
) -> None:
    """Call a function with the arguments of each task, in so many threads, this one included.

    `take` receives each result; then `next_task` may return a task where it returned None. On an
    error, no more tasks are started, and `ended` is set.
    """
    from concurrent.futures import ThreadPoolExecutor  # takes time

    condition, running = Condition(), 0

    def work() -> None:
        nonlocal running
        try:
            while True:
                with condition:
                    while not ended.is_set() and (task := next_task()) is None and running:
                        condition.wait()
                    if ended.is_set() or task is None:
                        return
                    running += 1
                result = function(*task)
                with condition:
                    running -= 1
                    take(result)
                    condition.notify_all()
        except BaseException:
            ended.set()
            with condition:
                condition.notify_all()
            raise

    with ThreadPoolExecutor(jobs) as executor:
        others = [executor.submit(work) for _ in range(jobs - 1)]
        work()
    for other in others:
        other.result()


def evaluate_in_jobs(
    setup: SearchSetup, value: NumberColumn, tolerance: Number | None, jobs: int
) -> None:
    """Write v* of every node as `backward_induction` does; raise `OneJobError` as `split` does."""
    splits = _splits_of(setup, jobs)
    todo = iter(ranges(splits, MIN_ROWS))

    def evaluate_rows(start: int, stop: int, is_split: bool = False) -> None:
        rows = setup.index(start), setup.index(stop)
        if not is_split and setup.run(scans.least_child, setup.columns, *rows) < start:
            raise OneJobError("a node is shared, or its rows are in another order")
        setup.run(backward_induction, setup.columns, value, setup.zero, tolerance, *rows)

    _run_in_threads(jobs, lambda: next(todo, None), evaluate_rows, lambda nothing: None, Event())
    for node in sorted(splits):
        evaluate_rows(node, node + 1, is_split=True)


def search_until_done(
    setup: SearchSetup,
    work: Work,
    settings: Settings,
    job: Job,
    on_pause: Callable[[int], None],
) -> tuple[int, int]:
    """Run `star_minimax` to its end; call a function with the entries so far at each pause."""
    node, window = setup.index(job[0]), job[1]
    while True:
        cuts, ended = setup.run(star_minimax, setup.columns, work, settings, node, window)
        if ended != PAUSED:
            return cuts, ended
        entries = int(work.resume[RESUME_ENTRIES])
        on_pause(entries)
        settings = settings._replace(pause=entries + setup.pause)


def narrow_in_jobs(
    setup: SearchSetup, work: Work, settings: Settings, window: Window, jobs: int
) -> int:
    """Search the subtrees that a search of the root in a window needs; return the number of cuts.

    Then `star_minimax` of the root has little left to do: it skips each node whose interval
    satisfies its window. Raises `OneJobError`.
    """
    if setup.tree.is_sharing or setup.tree.unknown:
        raise OneJobError("utilities are not known" if setup.tree.unknown else "nodes are shared")
    found = _YoungBrothersWait(setup, work, settings, window, _splits_of(setup, jobs))
    _run_in_threads(jobs, found.next_job, found.search, found.take, found.ended)
    return found.end()


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
        self.setup, self.work, self.settings = setup, work, settings
        self.root: Job = setup.tree.root_id, window
        self.rows = {part.node: part.rows for own in splits.values() for part in own}
        # The large children of the nodes that are split.
        large = {n: [p.node for p in own if p.rows >= MIN_ROWS] for n, own in splits.items()}
        self.large = {node: own for node, own in large.items() if own}
        self.above = {part.node: node for node, own in splits.items() for part in own}
        self.running: dict[int, int] = {}  # how many jobs run at and below a node
        self.done = set[int]()
        # Of MAX and MIN: the first branch whose child is not done, and the best end before it.
        self.begun: dict[int, tuple[int, Number]] = {}
        self.cuts = self.rows_done = 0
        self.ended = Event()
        tree = setup.columns
        for node in self.large:
            for b in range(tree.first[node], tree.last[node]):
                c = tree.child[b]
                if tree.kind[c] == TERMINAL and tree.probability[b] > 0:
                    work.lower[c] = work.upper[c] = tree.utility[c]
                    work.visits[c] = 1

    def next_job(self) -> Job | None:
        """Return the next job; None while all wait, and when only the root is left."""
        found = self.find(*self.root)
        if found is None or found == self.root:
            return None
        self._count(found[0], 1)
        return found

    def search(self, node: int, window: Window) -> tuple[int, int]:
        """Do a job in a thread; return its node and the number of cuts."""
        setup, settings = self.setup, self.settings
        if node in self.large:
            settings = settings._replace(probes=0)  # they were jobs
        work = self.work.with_own_frames(setup.column, setup.tree.heights[-1] + 1)
        cuts, _ = search_until_done(setup, work, settings, (node, window), self.go_on)
        return node, cuts

    def go_on(self, entries: int) -> None:
        """End a job if the search has failed elsewhere, as by Ctrl-C."""
        if self.ended.is_set():
            raise OneJobError("another job has failed")

    def take(self, found: tuple[int, int]) -> None:
        """Note that a job is done."""
        node, cuts = found
        self.cuts += cuts
        self.done.add(node)
        self._count(node, -1)
        tree, work, above = self.setup.columns, self.work, self.above[node]
        if node not in self.large:
            self.rows_done += self.rows.get(node, 0)
            report(self.rows_done, len(self.setup.tree))
        # A probe narrows the interval of the node that it was made for. An infinite end stays,
        # since `star_minimax` asks the root of a search whether bounds below it may be infinite.
        b = tree.first[above]
        if tree.kind[above] == MAX and work.lower[above] > -INFINITY:
            work.lower[above] = max(work.lower[above], end_of_branch(tree, work.lower, b))
        elif tree.kind[above] == MIN and work.upper[above] < INFINITY:
            work.upper[above] = min(work.upper[above], end_of_branch(tree, work.upper, b))

    def end(self) -> int:
        """Note what was left at the nodes above the jobs; return the number of cuts."""
        tree, work = self.setup.columns, self.work
        for node in sorted(set(self.above.values())):
            branches = range(tree.first[node], tree.last[node])
            after = sum(work.visits[tree.child[b]] > 0 for b in branches)
            if work.visits[node] == 0 and after:
                # A probe, or a node that was left when its parent was cut.
                work.visits[node], work.cut[node], work.cut_after[node] = 1, PROBED, after
            elif tree.kind[node] == CHANCE and work.cut[node] not in NO_CUTS:
                # Its children were done in any order.
                work.cut[node] = CUT_UNORDERED + work.cut[node] % CUT_PROBING
                work.cut_after[node] = after
        return self.cuts

    def _count(self, node: int, by: int) -> None:
        at: int | None = node
        while at is not None:
            self.running[at] = self.running.get(at, 0) + by
            at = self.above.get(at)

    def find(self, node: int, window: Window) -> Job | None:
        """Return the next job among a node and the nodes below it; None if there is none now."""
        lower, upper, eps = self.work.lower, self.work.upper, self.settings.eps
        if node in self.large:
            self.work.alpha[node], self.work.beta[node] = window
            is_chance = self.setup.columns.kind[node] == CHANCE
            below = self.outcomes(node, window) if is_chance else self.actions(node, window)
            for c, within in below:
                if c in self.done or satisfies(lower[c], upper[c], *within, eps):
                    continue
                if found := self.find(c, within):
                    return found
                if not is_chance and c == self.large[node][0]:
                    break
        return None if self.running.get(node) else (node, window)

    def actions(self, node: int, window: Window) -> Iterator[Job]:
        """Yield the large children of MAX or MIN with their windows, up to a cut."""
        tree, work = self.setup.columns, self.work
        is_max = tree.kind[node] == MAX
        ends = work.lower if is_max else work.upper
        first, best = self.begun.get(node, (tree.first[node], -INFINITY if is_max else INFINITY))
        for b in range(first, tree.last[node]):
            alpha, beta = window
            alpha, beta = (max(alpha, best), beta) if is_max else (alpha, min(beta, best))
            if alpha >= beta - self.settings.eps:
                return
            c = tree.child[b]
            is_small = self.rows[c] < MIN_ROWS
            if not is_small and c not in self.done:
                yield c, self.shifted(b, (alpha, beta))
            best = (max if is_max else min)(best, end_of_branch(tree, ends, b))
            if b == first and (is_small or c in self.done):
                first = b + 1
                self.begun[node] = first, best

    def outcomes(self, node: int, window: Window) -> Iterator[Job]:
        """Yield probes and then large children of CHANCE with their windows; none after a cut."""
        tree, work, settings = self.setup.columns, self.work, self.settings
        alpha, beta = window
        begin, end, eps = tree.first[node], tree.last[node], settings.eps
        cuts, sums = settings.chance_cuts, (settings.zero, settings.zero, 0, 0)
        if cuts:
            is_wide = self.setup.compiled and end - begin > _NARROW
            places = begin, end, settings.zero, settings.inf, False, len(settings.pays) > 0
            sums = compiling.run(sum_terms, tree, work, *places, rows=0, compiled=is_wide)
            low, high, low_open, high_open = sums
            if high_open == 0 and high <= alpha + eps or low_open == 0 and low >= beta - eps:
                return

        def within(b: int) -> Window:
            if not cuts:
                return -INFINITY, INFINITY
            return self.shifted(b, window_between_far_terms(tree, work, settings, node, b, *sums))

        possible = [b for b in range(begin, end) if tree.probability[b] > 0]
        for b in possible if settings.probes > 0 else ():
            c = tree.child[b]
            if tree.kind[c] in (MAX, MIN) and work.lower[c] < work.upper[c] and c not in self.done:
                first = tree.first[c]
                self.above.setdefault(tree.child[first], c)
                work.alpha[c], work.beta[c] = within(b)
                yield tree.child[first], self.shifted(first, within(b))
        if settings.probes > 0 and self.running.get(node):
            return
        for b in possible:
            c = tree.child[b]
            if self.rows[c] >= MIN_ROWS and c not in self.done:
                yield c, within(b)

    def shifted(self, branch: int, window: Window) -> Window:
        """Return the window of a child from that of the branch to it, which includes the reward."""
        if not self.settings.pays:
            return window
        return shift_window(window, self.setup.columns.reward[branch], self.settings.most)
