"""The fewest leaves for a root's value and for its best action: makes the lists, and reads the counts from them."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any

from expectitree import compiling
from expectitree.analysis.limit import lists as steps
from expectitree.analysis.limit import nodes
from expectitree.analysis.limit.lists import Lists, Plan
from expectitree.analysis.limit.nodes import LOWER, MAX, UPPER
from expectitree.analysis.limit.shape import Ground
from expectitree.errors import AnalysisError
from expectitree.tree import scans
from expectitree.tree.model import Column, Kind

_ROOM = 2**26  # bytes of numbers that are kept at a time; what does not fit is made again
SLACK = 4  # eps, as a search takes an interval as exact


class Side:
    """The lists of one side: of upper bounds, or of lower ones, which are upper bounds of the mirrored tree."""

    def __init__(
        self,
        ground: Ground,
        shape: nodes.Shape,
        wants: Column,
        is_upper: bool,
        room: int,
        compiled: Any,
    ):
        self.ground, self.compiled = ground, compiled
        count, branches, room = len(shape.kind), max(1, len(shape.child)), max(1, room)
        numbers = (
            ground.numbers(room) for _ in range(4)
        )  # left_factor, right_factor, final, bound
        op, left, right, is_open, cap, last = (compiling.zeros(code, room) for code in "BiiBqq")
        self.plan = Plan._make([op, left, right, *numbers, is_open, cap, last])
        self.step_of, self.need_step = compiling.zeros("i", count), compiling.zeros("i", branches)
        widest = max(1, int(self.run(scans.widest, shape.first, rows=count)))
        self.sign = 1.0 if ground.code == "d" else 1
        self.sign *= 1 if is_upper else -1
        self.steps, self.size, self.longest, self.additions = self.run(
            steps.make_plan, shape, ground.value, ground.upper if is_upper else ground.lower, wants, self.sign,
            ground.greatest, ground.eps, self.plan, self.step_of, self.need_step, compiling.zeros("i", widest),
            ground.numbers(widest), rows=count + branches,
        )  # fmt: skip
        self.lists = Lists._make(compiling.zeros(code, self.steps) for code in "qqqB")
        self.stops: list[
            tuple[int, Column]
        ] = []  # a step, and the numbers that are used from there on
        self.kept: dict[
            int, tuple[int, list[Any]]
        ] = {}  # node -> from how many leaves on it has bounds, and these

    def run(self, loop: Callable[..., Any], *arguments: Any, rows: float) -> Any:
        return compiling.run(loop, *arguments, rows=rows, compiled=self.compiled)

    def fill(self, kept: Sequence[int]) -> None:
        """Make all lists, and keep those of some nodes apart.

        Where they do not fit, those that are still of use are moved together and set down, to go on
        from again.
        """
        for n in kept:
            self.plan.last[self.step_of[n]] = self.steps
        room = max(_ROOM * 8 // self.ground.bits, 2 * self.longest)
        self.values = self.ground.numbers(min(self.size + self.longest, room))
        step = used = 0
        self.stops = [(0, self.ground.numbers(0))]
        while True:
            step, used = self._make(step, self.steps, used)
            if step == self.steps:
                break
            used = self.run(steps.compact, self.plan, self.lists, self.values, step, rows=step)
            if 2 * used + self.longest > len(self.values):
                more = self.ground.numbers(2 * len(self.values))
                _copy(self.values, more, used)
                self.values = more
            aside = self.ground.numbers(used)
            _copy(self.values, aside, used)
            self.stops.append((step, aside))
        begin, start, length, _ = self.lists
        for n in kept:
            s = self.step_of[n]
            self.kept[n] = start[s], list(self.values[begin[s] : begin[s] + length[s]])

    def _make(self, step: int, stop: int, used: int) -> tuple[int, int]:
        step, used = self.run(
            steps.fill, self.plan, self.lists, self.values, step, stop, used, self.ground.eps,
            rows=self.additions + self.steps,
        )  # fmt: skip
        return int(step), int(used)

    def trace_back(self, demand: Column, chosen: Column) -> None:
        """Mark the leaves that a demand comes to: the last steps first, whose lists are made again if need be."""
        ends = [step for step, _ in self.stops[1:]] + [self.steps]
        for (step, aside), end in reversed(list(zip(self.stops, ends, strict=True))):
            if len(self.stops) > 1:
                _copy(aside, self.values, len(aside))
                self.run(steps.place, self.plan, self.lists, step, rows=step)
                self._make(step, end, len(aside))
            self.run(
                steps.trace_back,
                self.plan,
                self.lists,
                self.values,
                demand,
                chosen,
                step,
                end,
                rows=2 * self.size,
            )


def _copy(one: Column, other: Column, count: int) -> None:
    """Copy so many numbers from the beginning of one column to that of another."""
    if isinstance(one, list):
        other[:count] = one[:count]
    else:
        memoryview(other)[:count] = memoryview(one)[:count]


class Count:
    """The fewest leaves for the root's value and for its best action, and which they are.

    With `together`, children that share leaves are taken to share all of them, so that no fewer can
    be enough; else a leaf is counted for every path to it, so that those chosen are enough.
    """

    def __init__(
        self, ground: Ground, together: bool, compiled: bool | None, max_leaves: int
    ) -> None:
        self.ground, shape = ground, ground.shape
        self.shape = shape = shape if together else shape._replace(group=array("i", [0]))
        self.compiled = False if not ground.code else compiled
        count, self.root = len(shape.kind), len(shape.kind) - 1
        self.wants = compiling.zeros("B", count)
        rooms = self.run(nodes.find_wants, shape, ground.value, ground.eps, self.wants, rows=count)
        self.children = range(shape.first[self.root], shape.first[self.root + 1])
        self.is_player = shape.kind[self.root] in (Kind.MAX, Kind.MIN)
        self.upper, self.lower = (
            Side(ground, shape, self.wants, is_upper, room, self.compiled)
            for is_upper, room in zip((True, False), rooms, strict=True)
        )
        most = max(self.upper.additions, self.lower.additions)
        if len(shape.most) > 1 and most > max_leaves**2:
            raise AnalysisError(
                f"shared nodes make as much work here as {math.isqrt(most) + 1:,} leaves make without: at most "
                f"{max_leaves:,} are taken unless --max-leaves says more"
            )
        for side, want in ((self.upper, UPPER), (self.lower, LOWER)):
            kept = [
                shape.child[b]
                for b in self.children
                if self.is_player and self.wants[shape.child[b]] & want
            ]
            side.fill(kept)
        self.need, self.choice = compiling.zeros("q", len(shape.child)), compiling.zeros("i", count)
        exact = compiling.zeros("q", count)
        self.run(
            nodes.count_exact, shape, ground.value, ground.known, self.wants, ground.eps, self.upper.need_step,
            self.lower.need_step, self.upper.lists.start, self.lower.lists.start, self.need, exact, self.choice,
            rows=count + len(shape.child),
        )  # fmt: skip
        self.exact = int(exact[self.root])
        self.best_action, self.best_branch, self.best_given, self.threshold = (
            0,
            self.children.start,
            0,
            ground.eps,
        )
        if self.is_player and len(self.children) > 1:
            self._count_best()

    def run(self, loop: Callable[..., Any], *arguments: Any, rows: float) -> Any:
        return compiling.run(loop, *arguments, rows=rows, compiled=self.compiled)

    def force_value(self) -> list[int]:
        """Return leaves that force the root's value, as few as counted or fewer."""
        chosen, upper, lower = self._nothing()
        self.run(
            nodes.choose_exact, self.shape, self.choice, self.need, self.ground.known, self.upper.step_of,
            self.lower.step_of, compiling.zeros("B", len(chosen)), upper, lower, chosen, rows=len(chosen),
        )  # fmt: skip
        return self._traced(chosen, upper, lower)

    def force_best(self) -> list[int]:
        """Return leaves that force that an action is best at the root, as few as counted or fewer."""
        chosen, upper, lower = self._nothing()
        if len(self.children) > 1:
            proofs, given = self._proofs_first(self.upper, self.lower)
            to_prove, to_give = self._proofs_first(upper, lower)
            for b in self.children:
                c = self.shape.child[b]
                if b == self.best_branch:
                    to_give[given.step_of[c]] = self.best_given
                else:
                    to_prove[proofs.step_of[c]] = self._need(b)
        return self._traced(chosen, upper, lower)

    def _nothing(self) -> tuple[Column, Column, Column]:
        return compiling.zeros("B", len(self.shape.kind)), *(
            compiling.zeros("q", s.steps) for s in (self.upper, self.lower)
        )

    def _traced(self, chosen: Column, upper: Column, lower: Column) -> list[int]:
        self.upper.trace_back(upper, chosen)
        self.lower.trace_back(lower, chosen)
        return [n for n, taken in enumerate(chosen) if taken]

    def _proofs_first(self, upper: Any, lower: Any) -> tuple[Any, Any]:
        """Return what is of the side on which all other actions are proved no better, and what is of the best one's."""
        return (upper, lower) if self.shape.kind[self.root] == MAX else (lower, upper)

    def _list(self, b: int, of_best: bool = False) -> tuple[int, list[Any]]:
        start, ends = self._proofs_first(self.upper, self.lower)[of_best].kept[self.shape.child[b]]
        factor = self.shape.factor[b]
        return start, ends if factor == 1 else [factor * x for x in ends]

    def _need(self, b: int) -> int:
        """Return how many leaves prove an action to be worth no more than the threshold."""
        start, ends = self._list(b)
        return start + next((i for i, x in enumerate(ends) if x <= self.threshold), len(ends) - 1)

    def _count_best(self) -> None:
        """Find the fewest leaves that prove some action to be worth at least a threshold, and all others at most it.

        Numbers are those of the side of the proofs: mirrored at MIN, so that the best action is the
        greatest.
        """
        shape, ground = self.shape, self.ground
        sign = self._proofs_first(self.upper, self.lower)[0].sign
        value = ground.value[self.root]
        best = [
            b
            for b in self.children
            if sign * (shape.factor[b] * ground.value[shape.child[b]] - value) >= -ground.eps
        ]
        slack = SLACK * ground.eps
        groups: dict[int, list[int]] = {}
        for b in self.children:
            groups.setdefault(shape.group[b] if len(shape.group) > 1 else b, []).append(b)
        if any(len(own) > 1 for own in groups.values()):
            self.best_action = min(self._hoped(b, list(groups.values()), slack) for b in best)
        elif len(best) > 1:
            self.best_action, self.best_branch, self.best_given, self.threshold = self._among(
                best, sign * value + slack
            )
        else:
            self.best_branch = best[0]
            self.best_action, self.best_given, self.threshold = self._alone(
                best[0], list(groups.values()), slack
            )

    def _hoped(self, b: int, groups: list[list[int]], slack: Any) -> int:
        """Return a count that no proof that an action is best can be below.

        An action that shares leaves with it may be no better whatever those are worth, without any
        look. (One that shares none is independent: all that it may be worth must lie below all that
        this one may be worth.)
        """
        rivals = [own for own in groups if b not in own]
        return self._alone(b, rivals, slack)[0] if rivals else 0

    def _among(self, best: list[int], value: Any) -> tuple[int, int, int, Any]:
        """Return count, action, its leaves and threshold where several are best: no other than their common value."""
        self.threshold = value
        needs = {b: self._need(b) for b in self.children}
        total = sum(needs.values())
        counts = []
        for b in best:
            start, ends = self._list(b, of_best=True)
            given = start + len(ends) - 1
            counts.append((total - needs[b] + given, b, given))
        return *min(counts), value

    def _alone(self, best: int, groups: list[list[int]], slack: Any) -> tuple[int, int, Any]:
        """Return count, leaves and threshold where one action is best: any that proves it, over all in some groups."""
        base, floor = 0, None
        falls: list[Any] = []  # a threshold below one of these costs a leaf more
        for own in groups:
            lists = [self._list(b) for b in own if b != best]
            if not lists:
                continue
            start, ends = _together(lists)
            floor = ends[-1] if floor is None else max(floor, ends[-1])
            base += start
            falls += ends
        falls.sort()
        start, ends = self._list(best, of_best=True)
        counts = []
        for i, x in enumerate(ends):
            t = (
                slack - x
            )  # what the best action is worth at least is, on the other side, at most its negative
            if floor is None or t >= floor:
                counts.append(
                    (base + len(falls) - bisect_right(falls, t) + start + i, start + i, t)
                )
        return min(counts)


def _together(lists: Sequence[tuple[int, list[Any]]]) -> tuple[int, list[Any]]:
    """Return the greatest of several lists at each number of leaves."""
    start = max(start for start, _ in lists)
    end = max(start + len(ends) for start, ends in lists)
    return start, [
        max(ends[min(k - s, len(ends) - 1)] for s, ends in lists) for k in range(start, end)
    ]
