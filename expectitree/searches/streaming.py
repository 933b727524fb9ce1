"""Backward induction of a tree that does not fit into memory, in one pass over batches of its rows.

Children come before their parents. So at any row only a *front* is needed of what came before: the
nodes to which no branch has led yet. Each batch is searched as a small tree, in which the front
stands for its subtrees: one terminal a node, worth the node's value. In post-order, as `save` and
`generate` write rows, the front is as long as the path from the root is wide.

With an executor, its workers read ranges of rows that hold whole subtrees, each range in a pass of
its own, and return the front at its end. The rows in between, near the root, are read here.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeAlias

from expectitree.base import compiling
from expectitree.base.errors import ExpectitreeError, TreeError
from expectitree.base.executors import run_tasks
from expectitree.base.numbers import INFINITY
from expectitree.base.tree import scans
from expectitree.base.tree.adopt import (
    REACHED,
    UNREACHED,
    adopt,
    fault_message,
    find_fault,
)
from expectitree.base.tree.columns import TERMINAL, Columns
from expectitree.base.tree.model import FLOAT_UNIT, Below, Tree
from expectitree.searches.backward_induction import backward_induction
from expectitree.searches.engine import search_tree
from expectitree.searches.progress import report
from expectitree.searches.result import Search

MAX_FRONT = 1 << 24  # nodes; they take 0.6 GB
MAX_TOP = 2_000  # nodes of the tree that is left; an output shows some hundred
_MAX_DEPTH = 50  # of the nodes that are split
TASK_ROWS = 10_000_000  # of a worker's task: it takes some tenths of a second, and sending it 5 ms

_WORDS = {
    "unknown": "unknown utilities",
    "attitude": "an attitude to risk",
    "estimated": "estimates in place of subtrees",
    "branch_notes": "notes at branches",
}


Splits: TypeAlias = dict[int, dict[int, int]]  # a node that is split: by child, its first row


class NeedsWholeTreeError(ExpectitreeError):
    """The rows cannot be evaluated part by part; the text says why."""


def is_available() -> bool:
    """Return whether tables can be evaluated part by part: only compiled loops do that."""
    return compiling.available()


class Table(Protocol):
    """A table of nodes in a file. The id of a node is the number of its row.

    A copy, or what another process makes of it, opens the file anew.
    """

    count: int
    about: dict[str, Any]  # the parameters of `adopt` that are not columns

    def parts(self, start: int, stop: int) -> Iterator[Columns]:
        """Yield some rows in parts, in order. In each, `first` starts at 0; `child` has ids."""

    def row(self, node: int) -> tuple[Columns, list[str | None]]:
        """Return one row as such a part, and the labels of its branches."""


@dataclass
class _Whole:
    """What is known of the whole tree."""

    # Of nodes that are shown: the value, and the numbers of nodes and leaves in the subtree.
    known: dict[int, tuple[float, int, int]] = field(default_factory=dict)
    least: float = INFINITY  # utility
    greatest: float = -INFINITY
    error: float = 0.0  # of a value, at most

    def join(self, other: _Whole) -> None:
        """Take in what a pass over other rows knows."""
        self.known |= other.known
        self.least = min(self.least, other.least)
        self.greatest = max(self.greatest, other.greatest)
        self.error = max(self.error, other.error)


def split(children: Callable[[int], Sequence[int]], count: int, limit: int) -> Splits:
    """Return the root, and the other nodes whose subtrees have more than `limit` rows.

    `children` returns the children of a node. Raises `NeedsWholeTreeError` for rows in another
    order.
    """
    found = {}
    waiting = [(count - 1, 0, 0)]
    while waiting:
        node, start, depth = waiting.pop()
        ends = [int(child) for child in children(node)]
        starts = [start, *(end + 1 for end in ends)]
        if starts.pop() != node or any(map(int.__gt__, starts, ends)):
            order = "its rows are in another order than those that `expectitree convert` writes"
            raise NeedsWholeTreeError(order)
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


def evaluate_table(table: Table, executor: Executor | None = None, workers: int = 1) -> Search:
    """Return the search of the top of a tree whose rows stay in a file, by backward induction.

    With an executor, its workers read the file, which has the same path there.

    The terminals in `Tree.below` stand for subtrees: their utility is the subtree's value. Values,
    best actions and counts are those of a search of the whole tree in floats.

    Raises:
        NeedsWholeTreeError: The front is too long, nodes are shared, branches pay, a utility is not
            known, or the tree has an attitude to risk, or bounds below the root.
        TreeError: A row is wrong.
    """
    if not table.count:
        raise NeedsWholeTreeError("it has no nodes")  # which is the error
    about = dict(table.about)
    bounds = about.pop("local_bounds", {})
    ends = bounds.get(table.count - 1)
    for name, words in _WORDS.items():
        if about.pop(name, None):
            raise NeedsWholeTreeError(f"it has {words}")
    if len(bounds) > (ends is not None):
        raise NeedsWholeTreeError("it has bounds below the root")
    rows = _top(table)
    children = (int(child) for columns, _ in rows.values() for child in columns.child)
    whole = _Pass(table, sorted({*rows, *children})).run(executor, workers)
    if ends is not None and not ends[0] <= whole.least <= whole.greatest <= ends[1]:
        raise NeedsWholeTreeError("a utility is outside the bounds")  # this finds the first one
    found = search_tree(_top_tree(rows, whole, about), engine="interpreted")
    source = "file"
    if ends is None:
        ends = (whole.least, whole.greatest)
        source = "leaves"
    return replace(
        found,
        own_eps=2 * whole.error,  # as in `Search.eps`: two values that are compared may both be off
        root_bounds=ends,
        root_window=ends,
        bounds_source=source,
        jobs=workers,
        seconds=0.0,  # that of the top alone
    )


_Row = tuple[Columns, list["str | None"]]


def _top(table: Table) -> dict[int, _Row]:
    """Return the rows of the nodes near the root whose children will have rows, too."""
    root = table.count - 1
    found, waiting, count = dict[int, _Row](), [root], 1
    for node in waiting:
        columns, labels = table.row(node)
        children = [int(child) for child in columns.child]
        count += len(children)
        if node != root and count > MAX_TOP:
            break
        if any(child >= node for child in children):
            raise NeedsWholeTreeError("a child is after its parent")  # this reports where
        found[node] = columns, labels
        waiting += children
    return found


class _Pass:
    """The pass over all rows."""

    def __init__(self, table: Table, wanted: Any) -> None:
        import numpy as np

        self.np: Any = np
        self.table, self.wanted, self.whole = table, np.array(wanted, np.uint32), _Whole()
        self.start = 0  # the row after those that were read
        # The front, by ascending id: for each node its id, its value, the error of the value, and
        # the numbers of nodes and leaves in its subtree.
        self.front: list[Any] = [np.zeros(0, code) for code in "Iddqq"]
        self.room: dict[int, Any] = {}  # used again for each part, since new pages cost time

    def run(self, executor: Executor | None, workers: int) -> _Whole:
        """Read all rows; return what is known then."""
        if executor is None:
            self.read_rows(0, self.table.count)
        else:
            self.read_in_tasks(executor, workers)
        node, *others = map(int, self.front[0])
        if others:
            row, _ = self.table.row(node)
            raise TreeError(f"node {node}: {fault_message(row, UNREACHED, 0)}")
        return self.whole

    def read_rows(self, start: int, stop: int) -> None:
        """Read some rows."""
        self.start = start
        for part in self.table.parts(start, stop):
            self.read(part)
            report(self.start, self.table.count)

    def read_in_tasks(self, executor: Executor, workers: int) -> None:
        """Let workers read the ranges between the nodes that are split; join what they found."""
        count = self.table.count
        splits = split(lambda n: [*self.table.row(n)[0].child], count, TASK_ROWS)
        todo = [*ranges(splits, TASK_ROWS)]
        # Each worker gets all wanted ids, and knows those that it meets.
        tasks = ((self.table, self.wanted, *rows) for rows in todo)
        found = dict[int, Any]()  # by first row: a front, and what is known

        def take(part: tuple[int, Any]) -> None:
            found.update([part])
            report(count * len(found) // len(todo), count)

        run_tasks(executor, 2 * workers, lambda: next(tasks, None), read_range, take)
        for start in sorted([*found, *splits]):
            if start in splits:
                self.start = start
                self.read(self.table.row(start)[0])
            else:
                front, whole = found[start]
                self.front = [*map(self.np.concatenate, zip(self.front, front, strict=True))]
                self.whole.join(whole)

    def read(self, part: Columns) -> None:
        """Search one part, and move the front to its end."""
        np = self.np
        whole = self.whole
        old = len(self.front[0])
        count = old + len(part.kind)
        if part.pays:
            raise NeedsWholeTreeError("a branch pays")
        if count > MAX_FRONT:
            raise NeedsWholeTreeError(
                "its rows are in another order than depth first, which `generate` writes"
            )
        tree = self._with_front(part)
        ids = np.arange(self.start, self.start + len(part.kind))
        columns = [self._joined(place, column, 0, count) for place, column in enumerate(self.front)]
        node, value, error, nodes, leaves = columns
        node[old:] = ids
        heights = np.zeros(count, np.uint16)
        run = compiling.run_compiled
        fault, row, sums = run(find_fault, tree, memoryview(heights), False)
        if fault:
            raise TreeError(f"node {row - old + self.start}: {fault_message(tree, fault, row)}")
        if sums:
            raise NeedsWholeTreeError("some probabilities sum to 1 only about")
        reached = heights >= REACHED
        if int(reached.sum()) != len(tree.child):
            raise NeedsWholeTreeError("a node is shared")
        run(backward_induction, tree, memoryview(value), 0.0)
        found = run(scans.measure_rounding, tree, memoryview(value), FLOAT_UNIT, memoryview(error))
        whole.error = max(whole.error, float(found))
        run(scans.measure_sizes, tree, memoryview(nodes), memoryview(leaves))
        utilities = np.asarray(part.utility)[np.asarray(part.kind) == TERMINAL]
        if len(utilities):
            whole.least = min(whole.least, float(utilities.min()))
            whole.greatest = max(whole.greatest, float(utilities.max()))
        begin, end = np.searchsorted(self.wanted, [self.start, self.start + len(part.kind)])
        for n in map(int, self.wanted[begin:end]):
            row = n - self.start + old
            whole.known[n] = float(value[row]), int(nodes[row]), int(leaves[row])
        self.front = [column[~reached] for column in columns]
        self.start += len(part.kind)

    def _with_front(self, part: Columns) -> Columns:
        """Return a part as a tree of its own: before its rows, a terminal for each front node."""
        np = self.np
        nodes = self.front[0]
        old = len(nodes)
        child = np.asarray(part.child)
        is_before = child < self.start
        outside = child[is_before]
        place = np.searchsorted(nodes, outside)
        if old <= int(place.max(initial=-1)) or (nodes[place] != outside).any():
            raise NeedsWholeTreeError("a node is shared")
        child = child - np.uint32(self.start - old)  # wraps around where `is_before`
        child[is_before] = place
        rows = old + len(part.kind)
        return Columns.of(
            kind=memoryview(self._joined(5, np.zeros(old, np.uint8), part.kind, rows)),
            utility=memoryview(self._joined(6, self.front[1], part.utility, rows)),
            first=memoryview(self._joined(7, np.zeros(old, np.uint32), part.first, rows + 1)),
            child=memoryview(child),
            probability=part.probability,
        )

    def _joined(self, place: int, start: Any, end: Any, count: int) -> Any:
        """Return a column of so many rows that begins and ends with others, in its own room."""
        room = self.room.get(place)
        if room is None or len(room) < count:
            room = self.room[place] = self.np.empty(count, start.dtype)
        joined = room[:count]
        joined[: len(start)], joined[len(start) :] = start, end
        return joined


def read_range(table: Table, wanted: Any, start: int, stop: int) -> tuple[int, Any]:
    """Read the rows of whole subtrees, in a worker; return the first row, the front, and more."""
    found = _Pass(copy(table), wanted)
    found.read_rows(start, stop)
    return start, (found.front, found.whole)


def _top_tree(rows: dict[int, _Row], whole: _Whole, about: dict[str, Any]) -> Tree:
    """Return the tree of some rows and their children; the others are worth their values."""
    ids = {node: row for row, node in enumerate(sorted(whole.known))}
    kind, utility, first = array("B"), array("d"), array("I", [0])
    child, probability, labels = array("I"), array("d"), list[str | None]()
    below = {}
    for node, row in ids.items():
        value, nodes, leaves = whole.known[node]
        if node in rows and nodes > 1:
            columns, own_labels = rows[node]
            kind.append(columns.kind[0])
            utility.append(float(columns.utility[0]))
            child.extend(ids[int(c)] for c in columns.child)
            probability.extend(map(float, columns.probability))
            labels += own_labels
        else:
            kind.append(TERMINAL)
            utility.append(value)
            if nodes > 1:
                below[row] = Below(nodes - 1, leaves)
        first.append(len(child))
    about["notes"] = {ids[n]: note for n, note in about.pop("notes", {}).items() if n in ids}
    return adopt(Columns.of(kind, utility, first, child, probability), labels, below=below, **about)
