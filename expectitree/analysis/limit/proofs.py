"""The fewest leaves that prove the value of a tree's root, or which action is best there.

A list says what k leaves can prove of a step, for k = 0, 1, 2, …: at index k is the least upper
bound of its value. The list falls, and ends at the value. Lower bounds are the upper bounds of the
mirrored tree: MAX and MIN swapped and numbers negated (`sign` -1). Bottom-up, the lists are

    terminal  its bound, and after one leaf its value
    CHANCE    the least sum over all ways to split k leaves between the two outcomes
    MAX       both children need a proof: k leaves remove the k greatest bounds of the two lists
    MIN       one proof is enough: the smaller bound of the two lists

The fewest leaves that prove a value are, of CHANCE, the sum over its outcomes; of MAX, those that
prove a best child, and of the other child that it is worth no more. MIN mirrors.

Where paths share leaves, one leaf may serve several proofs. Counting each path's leaves separately
gives a set that is large enough; with `together`, operands that share a leaf share all of them,
which gives a count that is never too large.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from expectitree import compiling
from expectitree.analysis.limit.lists import LEAST, MERGED, SUM, TOGETHER, join_lists
from expectitree.analysis.limit.steps import Action, BinaryTree, Step, joined
from expectitree.tree.columns import Column
from expectitree.tree.model import Kind

EXACT, UPPER, LOWER = 1, 2, 4  # wanted of a step: a proof of its value, its lists
SIDES = {1: UPPER, -1: LOWER}  # by sign
TOLERANCE = 4  # eps within which a search takes an interval as one value
_MOST_NUMBERS = 8_000_000  # in lists that are kept at once (64 MB)
_MANY_NUMBERS = 300  # read by a loop that is worth a call of compiled code


@dataclass
class Demand:
    """What a proof needs: steps whose value it proves, and leaves for the lists of others."""

    values: set[int] = field(default_factory=set)
    leaves: defaultdict[tuple[int, int], int] = field(default_factory=lambda: defaultdict(int))
    chosen: set[int] = field(default_factory=set)  # nodes: the leaves of the proof

    def add(self, step: int, sign: int, leaves: int) -> None:
        """Ask for so many leaves for the list of a step."""
        self.leaves[step, sign] = max(self.leaves[step, sign], leaves)


class Proofs:
    """Counts the leaves of the smallest proofs of a tree, and finds which they are."""

    def __init__(self, tree: BinaryTree, together: bool, compiled: bool | None) -> None:
        self.tree, self.steps, self.together = tree, tree.steps, together
        self.root = tree.root
        self.for_value, self.for_best = Demand({self.root}), Demand()
        self.best = tree.actions[0] if tree.actions else None  # the action proved best
        self.best_count = 0
        self.count = [0] * len(self.steps)  # the fewest leaves that prove a step's value
        self.choice: dict[int, tuple[int, int, int]] = {}  # see `_count`
        self.lists: dict[tuple[int, int], Column] = {}  # (step, sign) -> bounds
        self.wants = self._find_wants()
        self.work = sum(
            math.prod(self.steps[operand].leaves + 1 for operand in step.operands)
            if step.kind == Kind.CHANCE
            else step.leaves
            for step, wants in zip(self.steps, self.wants, strict=True)
            if wants & (UPPER | LOWER)
        )
        self.compiled = bool(tree.code) and (
            compiling.pays(self.work) if compiled is None else compiled
        )

    def _find_wants(self) -> list[int]:
        """Return which lists and proofs of each step a count needs."""
        wants = [0] * len(self.steps)
        wants[self.root] = EXACT
        if len(self.tree.actions) > 1:
            for action in self.tree.actions:
                wants[action.step] |= SIDES[self.tree.sign]
                if self._is_best_action(action):
                    wants[action.step] |= SIDES[-self.tree.sign]
        for s in range(self.root, -1, -1):
            step, w = self.steps[s], wants[s]
            for at, operand in enumerate(step.operands):
                wants[operand] |= w & (UPPER | LOWER)
                if w & EXACT and step.kind == Kind.CHANCE:
                    wants[operand] |= EXACT
                elif w & EXACT and self._is_best(at, step):
                    wants[operand] |= EXACT
                    wants[step.operands[1 - at]] |= SIDES[sign_of(step)]
        return wants

    def _is_best(self, at: int, step: Step) -> bool:
        """Say whether an operand of a player's step is worth as much as the step."""
        value = step.factors[at] * self.steps[step.operands[at]].value
        return bool(sign_of(step) * (value - step.value) >= -self.tree.eps)

    def _is_best_action(self, action: Action) -> bool:
        value = action.factor * self.steps[action.step].value
        return bool(self.tree.sign * (value - self.steps[self.root].value) >= -self.tree.eps)

    # ---- Making lists.

    def solve(self, trace: bool) -> None:
        """Make all lists, count, and (with `trace`) find the leaves of the smallest proofs.

        Where the lists are too long to keep all of them, keep those that are still needed at every
        √n-th step, and make the others again when they are traced.
        """
        total = len(self.steps)
        numbers = sum((s.leaves + 1) * bool(w) for s, w in zip(self.steps, self.wants, strict=True))
        length = total if numbers <= _MOST_NUMBERS else math.isqrt(total) + 1
        blocks = [range(start, min(start + length, total)) for start in range(0, total, length)]
        kept = []
        for block in blocks:
            self.lists = {
                (s, sign): bounds for (s, sign), bounds in self.lists.items()
                if self.steps[s].last_use >= block.start
            }  # fmt: skip
            kept.append(self.lists)
            self.lists = dict(self.lists)
            self._fill(block)
        if len(self.tree.actions) > 1:
            self._count_best()
        for block in reversed(blocks if trace else []):
            lists = kept.pop()
            if block is not blocks[-1]:
                self.lists = lists
                self._fill(block)
            for s in reversed(block):
                self._trace_back(s, self.for_value)
                self._trace_back(s, self.for_best)

    def _fill(self, block: range) -> None:
        for s in block:
            for sign, side in SIDES.items():
                if self.wants[s] & side and self.steps[s].operands:
                    self.lists[s, sign] = self._joined(self.steps[s], sign)
            if self.wants[s] & EXACT:
                self._count(s)

    def _list(self, s: int, sign: int) -> Column:
        """Return a list of a step. Those of terminals are made when they are needed."""
        step = self.steps[s]
        if step.operands:
            return self.lists[s, sign]
        bound = min(step.bounds[1] if sign > 0 else -step.bounds[0], self.tree.infinity)
        is_open = step.leaves and bound > sign * step.value + self.tree.eps
        return self._column([bound] * bool(is_open) + [sign * step.value])

    def _column(self, bounds: list[Any]) -> Column:
        return array(self.tree.code, bounds) if self.tree.code else bounds

    def _joined(self, step: Step, sign: int) -> Column:
        """Return the list of a step of two operands."""
        pairs = [(self._list(s, sign), f) for s, f in zip(step.operands, step.factors, strict=True)]
        (one, f), (other, g) = sorted(pairs, key=lambda pair: len(pair[0]))
        how = SUM if step.kind == Kind.CHANCE else MERGED if sign_of(step) == sign else LEAST
        size = max(len(one), len(other))
        if how != LEAST and self._are_together(step):
            how += TOGETHER
        elif how != LEAST:
            size = len(one) + len(other) - (how == SUM)
        bounds = self._column([self.tree.infinity]) * size
        pays = (len(one) * len(other) if how == SUM else size) >= _MANY_NUMBERS
        run = compiling.run_compiled if self.compiled and pays else call
        run(join_lists, how, one, f, other, g, self.tree.infinity, bounds)
        value = sign * step.value
        end = first_below(bounds, value + self.tree.eps)
        if end > step.leaves:  # paths share leaves: all leaves below are fewer
            end = step.leaves
            bounds[end] = value
        return bounds[: end + 1]

    def _are_together(self, step: Step) -> bool:
        one, other = step.operands
        return self.together and bool(self.steps[one].mask & self.steps[other].mask)

    # ---- Counting.

    def _count(self, s: int) -> None:
        """Count the leaves that prove a step's value; of a player's step, remember the operand.

        `choice` has the operand to prove, the other one, and how many leaves prove of the other one
        that it is no better.
        """
        step = self.steps[s]
        if not step.operands:
            self.count[s] = step.leaves
            return
        combine: Callable[[int, int], int] = max if self._are_together(step) else int.__add__
        if step.kind == Kind.CHANCE:
            count = combine(*(self.count[operand] for operand in step.operands))
        else:
            sign = sign_of(step)
            threshold = sign * step.value + self.tree.eps
            found = []
            for at, best in enumerate(step.operands):
                if self._is_best(at, step):
                    other, factor = step.operands[1 - at], step.factors[1 - at]
                    need = first_below(self._list(other, sign), threshold, factor)
                    found.append((combine(self.count[best], need), at, need))
            count, at, need = min(found)
            self.choice[s] = step.operands[at], step.operands[1 - at], need
        self.count[s] = min(count, step.leaves)

    def _count_best(self) -> None:
        """Find the fewest leaves that prove of one action a threshold that no other one exceeds."""
        sign, slack = self.tree.sign, TOLERANCE * self.tree.eps
        best = [action for action in self.tree.actions if self._is_best_action(action)]
        rivals = self._independent_rivals(best[0])
        if not rivals or (len(best) > 1 and len(rivals) < len(self.tree.actions) - 1):
            return  # shared leaves may leave the actions in one order, whatever they are worth
        proofs = {a: [a.factor * x for x in self._list(a.step, sign)] for a in self.tree.actions}
        given = {a: [a.factor * x for x in self._list(a.step, -sign)] for a in best}
        if len(best) > 1:  # the threshold can be nothing but their common value
            threshold = sign * self.steps[self.root].value + slack
            needs = {a: first_below(bounds, threshold) for a, bounds in proofs.items()}
            self.best = min(best, key=lambda a: len(given[a]) - needs[a])
            leaves = len(given[self.best]) - 1
            self.best_count = sum(needs.values()) - needs[self.best] + leaves
        else:
            self.best = best[0]
            floor = max(proofs[a][-1] for a in rivals)
            falls = sorted(bound for a in rivals for bound in proofs[a])
            self.best_count, leaves, threshold = min(
                (len(falls) - bisect_right(falls, slack - x) + k, k, slack - x)
                for k, x in enumerate(given[self.best])
                if x < self.tree.infinity and slack - x >= floor
            )
        for action, bounds in proofs.items():
            if action != self.best:
                self.for_best.add(action.step, sign, first_below(bounds, threshold))
        self.for_best.add(self.best.step, -sign, leaves)

    def _independent_rivals(self, action: Action) -> list[Action]:
        """Return the other actions; with `together` those that share no leaf with it or another."""
        seen, found = self.steps[action.step].mask, []
        for other in self.tree.actions:
            mask = self.steps[other.step].mask
            if other != action and not (self.together and seen & mask):
                found.append(other)
                seen |= mask
        return found

    # ---- Finding the leaves.

    def _trace_back(self, s: int, demand: Demand) -> None:
        """Pass what a proof demands of a step on to its operands; of a terminal, choose it."""
        step = self.steps[s]
        if s in demand.values:
            if step.kind == Kind.TERMINAL:
                demand.chosen.update([step.node] * step.leaves)
            elif step.kind == Kind.CHANCE:
                demand.values.update(step.operands)
            else:
                best, other, need = self.choice[s]
                demand.values.add(best)
                demand.add(other, sign_of(step), need)
        for sign in SIDES:
            leaves = demand.leaves.get((s, sign), 0)
            if leaves and step.kind == Kind.TERMINAL:
                demand.chosen.add(step.node)
            elif leaves:
                shares = self._split(s, sign, leaves)
                for operand, share in zip(step.operands, shares, strict=True):
                    demand.add(operand, sign, share)

    def _split(self, s: int, sign: int, k: int) -> tuple[int, int]:
        """Return how k leaves are split between the operands of a step for its bound in a list."""
        step = self.steps[s]
        (one, other), (f, g) = (self._list(o, sign) for o in step.operands), step.factors
        ends = len(one) - 1, len(other) - 1
        if k >= step.leaves:
            return ends
        if step.kind == Kind.CHANCE:
            ways = range(max(0, k - ends[1]), min(k, ends[0]) + 1)
            i = min(ways, key=lambda i: f * one[i] + g * other[k - i])
            return i, k - i
        if sign_of(step) == sign:
            bound = self.lists[s, sign][k]
            return first_below(one, bound, f), first_below(other, bound, g)
        i, j = min(k, ends[0]), min(k, ends[1])
        if f * one[i] <= g * other[j]:
            return first_below(one, one[i]), 0
        return 0, first_below(other, other[j])


def are_enough(tree: BinaryTree, leaves: Collection[int], for_value: bool) -> bool:
    """Say whether some leaves prove the value of the root, or else that some action is best.

    The slack is larger than the tolerance, because each search has its own rounding errors.
    """
    slack: Any = 100 * tree.eps
    leaves = set(leaves)
    found: list[tuple[Any, Any]] = []  # the interval of each step
    for step in tree.steps:
        ends = (step.value, step.value) if step.node in leaves else step.bounds
        if step.operands:
            (f, g), (one, other) = step.factors, (found[s] for s in step.operands)
            ends = tuple(joined(step.kind, f * one[end], g * other[end]) for end in (0, 1))
        found.append(ends)
    if for_value:
        return bool(found[tree.root][1] - found[tree.root][0] <= slack)
    ends_of = [sorted(tree.sign * a.factor * end for end in found[a.step]) for a in tree.actions]
    return any(
        all(ends[0] >= rival[1] - slack for rival in ends_of if rival is not ends)
        for ends in ends_of
    )


def sign_of(step: Step) -> int:
    """Return the sign of the lists that a proof of a player's step needs of its other operand."""
    return 1 if step.kind == Kind.MAX else -1


def call(loop: Callable[..., None], *arguments: Any) -> None:
    """Run a loop interpreted."""
    loop(*arguments)


def first_below(bounds: Column, limit: Any, factor: Any = 1) -> int:
    """Return the first place of a falling list whose bound, times a factor, is at most a limit."""
    return min(bisect_left(bounds, -limit, key=lambda x: -factor * x), len(bounds) - 1)
