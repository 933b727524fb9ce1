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
from collections.abc import Callable
from dataclasses import dataclass, field
from operator import neg
from typing import Any, TypeAlias

from expectitree import compiling
from expectitree.analysis.limit.steps import BinaryTree, Step
from expectitree.numbers import INFINITY
from expectitree.tree.columns import Column
from expectitree.tree.model import Kind

EXACT, UPPER, LOWER = 1, 2, 4  # wanted of a step: a proof of its value, its lists
SIDES = ((1, UPPER), (-1, LOWER))
TOLERANCE = 4  # eps within which a search takes an interval as one value
_MOST_NUMBERS = 3_000_000  # in lists that are kept at once (about 100 MB)
_MANY_SUMS = 4_000  # additions of two lists that are worth a call of compiled code

Lists: TypeAlias = dict[tuple[int, int], list[Any]]  # (step, sign) -> bounds


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
        self.root_sign = 1 if self.steps[self.root].kind == Kind.MAX else -1
        self.for_value, self.for_best = Demand({self.root}), Demand()
        self.best_action = next(iter(tree.actions), -1)  # the step of the action proved best
        self.best_count = 0
        self.count = [0] * len(tree.steps)  # the fewest leaves that prove a step's value
        self.choice: dict[int, tuple[int, int, int]] = {}  # see `_count`
        self._mark_wants()
        self.additions = sum(
            (self.steps[s.operands[0]].leaves + 1) * (self.steps[s.operands[1]].leaves + 1)
            for s, w in zip(self.steps, self.wants, strict=True)
            if s.kind == Kind.CHANCE and w & (UPPER | LOWER)
        )
        if compiled is None:
            compiled = compiling.pays(self.additions)
        self.compiled = compiled and bool(tree.code)

    def _mark_wants(self) -> None:
        """Mark which lists and proofs of each step a count needs, from the root down."""
        tree = self.tree
        wants = self.wants = [0] * len(self.steps)
        wants[self.root] = EXACT
        if len(tree.actions) > 1:
            sign = self.root_sign
            prove, given = (UPPER, LOWER) if sign > 0 else (LOWER, UPPER)
            for action in tree.actions:
                wants[action] |= prove | (given if self._is_best_action(action) else 0)
        for s in range(self.root, -1, -1):
            step, w = self.steps[s], wants[s]
            if step.kind == Kind.TERMINAL:
                continue
            for operand in step.operands:
                wants[operand] |= w & (UPPER | LOWER)
            if w & EXACT and step.kind == Kind.CHANCE:
                for operand in step.operands:
                    wants[operand] |= EXACT
            elif w & EXACT:
                for best, other in self._best_operands(step):
                    wants[step.operands[best]] |= EXACT
                    wants[step.operands[other]] |= UPPER if step.kind == Kind.MAX else LOWER

    def _best_operands(self, step: Step) -> list[tuple[int, int]]:
        """Return the places of each best operand of a player's step, and of the other one."""
        sign = 1 if step.kind == Kind.MAX else -1
        found = []
        for best in (0, 1):
            value = step.factors[best] * self.steps[step.operands[best]].value
            if sign * (value - step.value) >= -self.tree.eps:
                found.append((best, 1 - best))
        return found

    # ---- Making lists.

    def solve(self, trace: bool) -> None:
        """Make all lists, count, and (with `trace`) find the leaves of the smallest proofs.

        Where the lists are too long to keep all of them, keep those that are still needed at every
        √n-th step, and make the others again when they are traced.
        """
        total = len(self.steps)
        numbers = sum((s.leaves + 1) * bool(w) for s, w in zip(self.steps, self.wants, strict=True))
        length = total if numbers <= _MOST_NUMBERS else math.isqrt(total) + 1
        starts = range(0, total, length)
        kept: list[Lists] = []
        lists: Lists = {}
        for start in starts:
            lists = {
                key: bounds for key, bounds in lists.items()
                if self.steps[key[0]].last_use >= start or key[0] in self.tree.actions
            }  # fmt: skip
            kept.append(dict(lists) if trace else {})
            self._fill(start, min(start + length, total), lists)
        if len(self.tree.actions) > 1:
            self._count_best(lists)
        for start in reversed(starts if trace else ()):
            stop = min(start + length, total)
            if stop < total:
                lists = kept.pop()
                self._fill(start, stop, lists)
            else:
                kept.pop()
            for s in range(stop - 1, start - 1, -1):
                for demand in (self.for_value, self.for_best):
                    self._trace_back(s, demand, lists)

    def _fill(self, start: int, stop: int, lists: Lists) -> None:
        for s in range(start, stop):
            for sign, side in SIDES:
                if self.wants[s] & side:
                    lists[s, sign] = self._list(self.steps[s], sign, lists)
            if self.wants[s] & EXACT:
                self._count(s, lists)

    def _list(self, step: Step, sign: int, lists: Lists) -> list[Any]:
        value = sign * step.value
        if step.kind == Kind.TERMINAL:
            bound = sign * (step.upper if sign > 0 else step.lower)
            return [bound, value] if step.leaves and bound > value + self.tree.eps else [value]
        one, other = (
            scaled(f, lists[s, sign]) for s, f in zip(step.operands, step.factors, strict=True)
        )
        together = self._are_together(step)
        if step.kind == (Kind.MIN if sign > 0 else Kind.MAX):
            bounds = pointwise(min, one, other)
        elif step.kind == Kind.CHANCE:
            bounds = pointwise(plus, one, other) if together else self._add(one, other)
        else:
            bounds = pointwise(max, one, other) if together else sorted(one + other, reverse=True)
        end = first_below(bounds, value + self.tree.eps)
        if end > step.leaves:  # paths share leaves: all leaves below are fewer
            return [*bounds[: step.leaves], value]
        return bounds[: end + 1]

    def _are_together(self, step: Step) -> bool:
        one, other = (self.steps[s].mask for s in step.operands)
        return self.together and bool(one & other)

    def _add(self, one: list[Any], other: list[Any]) -> list[Any]:
        """Return the least sums of two lists, by how many leaves are split between them."""
        is_open = [bisect_right(bounds, -INFINITY, key=neg) for bounds in (one, other)]
        one, other = one[is_open[0] :], other[is_open[1] :]
        sums: Column = [one[0] + other[0]] * (len(one) + len(other) - 1)
        if self.compiled and len(one) * len(other) >= _MANY_SUMS:
            sums = array(self.tree.code, sums)
            compiling.run_compiled(add_lists, one, other, sums)
        else:
            add_lists(one, other, sums)
        return [INFINITY] * sum(is_open) + list(sums)

    # ---- Counting.

    def _count(self, s: int, lists: Lists) -> None:
        """Count the leaves that prove a step's value; of a player's step, remember the operand.

        `choice` has the operand to prove, the other one, and how many leaves prove of the other one
        that it is no better.
        """
        step = self.steps[s]
        if step.kind == Kind.TERMINAL:
            self.count[s] = step.leaves
            return
        combine: Callable[[int, int], int] = max if self._are_together(step) else int.__add__
        if step.kind == Kind.CHANCE:
            one, other = step.operands
            self.count[s] = min(combine(self.count[one], self.count[other]), step.leaves)
            return
        sign = 1 if step.kind == Kind.MAX else -1
        threshold = sign * step.value + self.tree.eps
        found = []
        for best, at in self._best_operands(step):
            other = step.operands[at]
            need = first_below(scaled(step.factors[at], lists[other, sign]), threshold)
            found.append((combine(self.count[step.operands[best]], need), best, need))
        count, best, need = min(found)
        self.count[s] = min(count, step.leaves)
        self.choice[s] = step.operands[best], step.operands[1 - best], need

    def _is_best_action(self, action: int) -> bool:
        factor = self.tree.actions[action]
        difference = factor * self.steps[action].value - self.steps[self.root].value
        return bool(self.root_sign * difference >= -self.tree.eps)

    def _count_best(self, lists: Lists) -> None:
        """Find the fewest leaves that prove of one action a threshold that no other one exceeds."""
        sign, actions = self.root_sign, self.tree.actions
        slack = TOLERANCE * self.tree.eps
        proofs = {a: scaled(f, lists[a, sign]) for a, f in actions.items()}
        best = [a for a in actions if self._is_best_action(a)]
        given = {a: scaled(actions[a], lists[a, -sign]) for a in best}
        rivals = self._independent_rivals(best[0])
        if not rivals or (len(best) > 1 and len(rivals) < len(actions) - 1):
            return  # shared leaves may leave the actions in one order, whatever they are worth
        if len(best) > 1:  # the threshold can be nothing but their common value
            threshold = sign * self.steps[self.root].value + slack
            needs = {a: first_below(bounds, threshold) for a, bounds in proofs.items()}
            total = sum(needs.values())
            count, _, action = min(
                (total - needs[a] + len(given[a]) - 1, at, a) for at, a in enumerate(best)
            )
            leaves = len(given[action]) - 1
        else:
            (action,) = best
            floor = max(proofs[a][-1] for a in rivals)
            falls = sorted(bound for a in rivals for bound in proofs[a])
            count, leaves, threshold = min(
                (len(falls) - bisect_right(falls, slack - x) + k, k, slack - x)
                for k, x in enumerate(given[action])
                if x < INFINITY and slack - x >= floor
            )
        self.best_action, self.best_count = action, count
        for a, bounds in proofs.items():
            if a != action:
                self.for_best.add(a, sign, first_below(bounds, threshold))
        self.for_best.add(action, -sign, leaves)

    def _independent_rivals(self, action: int) -> list[int]:
        """Return the other actions; with `together` those that share no leaf with it or another."""
        seen, found = self.steps[action].mask, []
        for other in self.tree.actions:
            mask = self.steps[other].mask
            if other != action and not (self.together and seen & mask):
                found.append(other)
                seen |= mask
        return found

    # ---- Finding the leaves.

    def _trace_back(self, s: int, demand: Demand, lists: Lists) -> None:
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
                demand.add(other, 1 if step.kind == Kind.MAX else -1, need)
        for sign, _ in SIDES:
            leaves = demand.leaves.get((s, sign), 0)
            if leaves and step.kind == Kind.TERMINAL:
                demand.chosen.add(step.node)
            elif leaves:
                split = self._split(s, sign, leaves, lists)
                for operand, share in zip(step.operands, split, strict=True):
                    demand.add(operand, sign, share)

    def _split(self, s: int, sign: int, k: int, lists: Lists) -> tuple[int, int]:
        """Return how k leaves are split between the operands of a step for its bound in a list."""
        step = self.steps[s]
        one, other = (
            scaled(f, lists[s, sign]) for s, f in zip(step.operands, step.factors, strict=True)
        )
        ends = len(one) - 1, len(other) - 1
        if k >= step.leaves:
            return ends
        if step.kind == Kind.CHANCE:
            ways = range(max(0, k - ends[1]), min(k, ends[0]) + 1)
            i = min(ways, key=lambda i: one[i] + other[k - i])
            return i, k - i
        if step.kind == (Kind.MAX if sign > 0 else Kind.MIN):
            bound = lists[s, sign][k]
            return first_below(one, bound), first_below(other, bound)
        i, j = min(k, ends[0]), min(k, ends[1])
        if one[i] <= other[j]:
            return first_below(one, one[i]), 0
        return 0, first_below(other, other[j])


def add_lists(one: Column, other: Column, sums: Column) -> None:
    """Write the least sums of two falling lists, by the sum of their indices."""
    for i in range(len(one)):
        for j in range(len(other)):
            total = one[i] + other[j]
            if total < sums[i + j]:
                sums[i + j] = total


def scaled(factor: Any, bounds: list[Any]) -> list[Any]:
    """Return the bounds of a list times a factor; open ones stay open."""
    if factor == 1:
        return bounds
    return [x if x == INFINITY else factor * x for x in bounds]


def first_below(bounds: list[Any], limit: Any) -> int:
    """Return the first place of a falling list with a bound that is at most a limit."""
    return min(bisect_left(bounds, -limit, key=neg), len(bounds) - 1)


def pointwise(combine: Callable[[Any, Any], Any], one: list[Any], other: list[Any]) -> list[Any]:
    """Return two lists combined index by index; the shorter one goes on with its last bound."""
    length = max(len(one), len(other))
    one, other = (bounds + bounds[-1:] * (length - len(bounds)) for bounds in (one, other))
    return list(map(combine, one, other))


def plus(one: Any, other: Any) -> Any:
    """Add two bounds, which in exact mode may be infinity and an integer beyond floats."""
    return INFINITY if INFINITY in (one, other) else one + other
