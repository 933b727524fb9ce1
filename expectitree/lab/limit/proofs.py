"""The fewest leaves that prove the value of a tree's root.

A list says what k leaves can prove of a node, for k = 0, 1, 2, …: at index k is the least upper
bound of its value. The list falls, and ends at the value. Lower bounds are the upper bounds of the
mirrored tree: MAX and MIN swapped and numbers negated (`sign` -1). Bottom-up, the lists are

    terminal  its bound, and after one leaf its value
    CHANCE    the least sum over all ways to split k leaves among the outcomes
    MAX       all children need a proof: k leaves remove the k greatest bounds of their lists
    MIN       one proof is enough: the smallest bound of all lists

The reward of a branch is added to each bound of the child's list first.

Two lists are joined at a time, paired off like a tournament. Any two leaves meet in one pair, so
that the work is quadratic in the leaves.

The fewest leaves that prove a value are, of CHANCE, the sum over its outcomes; of MAX, those that
prove a best child, and of the other children that they are worth no more. MIN mirrors.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from typing import NamedTuple

from expectitree.base import compiling
from expectitree.base.tree.columns import Column, Readable
from expectitree.base.tree.model import Kind
from expectitree.lab.limit.proof_tree import ProofTree, Scaled

SIGNS = (1, -1)  # of upper and of lower bounds
# How two lists are joined: at CHANCE; where both need a proof; where one is enough.
SUM, MERGED, LEAST = 0, 1, 2
_MANY_NUMBERS = 300  # read by a loop that is worth a call of compiled code


class Split(NamedTuple):
    """The split of a list's leaves between the two lists that it was joined from."""

    left: Readable[int]  # how many of k leaves are for the first half
    halves: tuple[Split | int, ...]  # an integer is a child, whose list was not joined


class Operand(NamedTuple):
    """A list that is to be joined."""

    bounds: Readable[Scaled]
    factor: Scaled  # what the numbers are multiplied by
    split: Split | int


class Listed(NamedTuple):
    """A falling list of bounds, which are multiplied by a factor."""

    bounds: Readable[Scaled]
    factor: Scaled


class Joined(NamedTuple):
    """What two lists become, and how many of k leaves are for the first one."""

    bounds: Column
    left: Column


class Proofs:
    """Counts the leaves of the smallest proof of a tree's value, and finds which they are."""

    def __init__(self, tree: ProofTree, compiled: bool | None) -> None:
        self.tree, self.root = tree, len(tree.kind) - 1
        self.count = [0] * len(tree.kind)  # the fewest leaves that prove a node's value
        self.choice: dict[int, int] = {}  # the child that a player's proof of a value proves
        self.needs: dict[int, int] = {}  # by child: see `_need`
        self.lists: dict[
            tuple[int, int], Readable[Scaled]
        ] = {}  # (node, sign) -> bounds, until last used
        self.splits: dict[tuple[int, int], Split | int] = {}  # (node, sign) -> how leaves are split
        self.proved = {self.root}  # nodes whose value the proof of the root's value proves
        self.demands: dict[tuple[int, int], int] = {}  # (node, sign) -> leaves
        self.chosen: set[int] = set()  # leaves
        self._find_wants()
        work = sum(tree.work[n] for n in {n for n, _ in self.wanted})
        if compiled is None:
            compiled = compiling.pays(work)
        self.compiled = compiled and bool(tree.code)

    def _find_wants(self) -> None:
        """Find the nodes whose proofs and lists the count needs."""
        tree = self.tree
        self.exact, self.wanted = {self.root}, set[tuple[int, int]]()
        self.best_children: dict[int, set[int]] = {}
        for n in range(self.root, -1, -1):
            children = tree.children[n]
            for sign in SIGNS:
                if (n, sign) in self.wanted:
                    self.wanted.update((child, sign) for child in children)
            if n in self.exact and tree.kind[n] == Kind.CHANCE:
                self.exact.update(children)
            elif n in self.exact and children:
                best = self.best_children[n] = tree.best_children(n)
                others = {*children}
                if len(best) == 1:
                    others -= best
                self.exact |= best
                self.wanted.update((child, tree.sign(n)) for child in others)

    # ---- Making lists.

    def solve(self) -> None:
        """Make all lists, and count the leaves of the smallest proof."""
        tree = self.tree
        for n, children in enumerate(tree.children):
            for sign in SIGNS:
                if (n, sign) in self.wanted and children:
                    operand = self._joined(n, sign)
                    self.lists[n, sign], self.splits[n, sign] = operand.bounds, operand.split
            if n in self.exact:
                self._count(n)
            for child in children:
                for sign in SIGNS:
                    self.lists.pop((child, sign), None)

    def _list(self, n: int, sign: int) -> Readable[Scaled]:
        """Return a list of a node. Those of terminals are made when they are needed."""
        tree = self.tree
        if tree.children[n]:
            return self.lists[n, sign]
        value, bound = sign * tree.value[n], tree.upper[n]
        if sign < 0:
            bound = -tree.lower[n]
        bound = min(bound, tree.infinity)
        bounds = [value]
        if tree.leaves[n] and bound > value + tree.eps:
            bounds = [bound, value]
        return self._column(bounds)

    def _column(self, bounds: list[Scaled]) -> Column:
        if self.tree.code:
            return array(self.tree.code, bounds)
        return bounds

    def _joined(self, n: int, sign: int) -> Operand:
        """Return the list of an inner node: join its children's lists in rounds of pairs."""
        tree = self.tree
        how = LEAST
        if tree.kind[n] == Kind.CHANCE:
            how = SUM
        elif tree.sign(n) == sign:
            how = MERGED
        row = [self._operand(child, sign) for child in tree.children[n]]
        while len(row) > 1:
            pairs = zip(row[::2], row[1::2], strict=False)
            row = [self._join(how, *pair) for pair in pairs] + row[len(row) // 2 * 2 :]
        return row[0]

    def _operand(self, child: int, sign: int) -> Operand:
        """Return a child's list; the reward of the branch to the child is added to its bounds."""
        tree, bounds = self.tree, self._list(child, sign)
        factor, shift = tree.factor[child], sign * tree.shift[child]
        if shift:
            far = tree.infinity
            bounds = self._column([x if x == far else factor * x + shift for x in bounds])
            factor = tree.one
        return Operand(bounds, factor, child)

    def _join(self, how: int, *pair: Operand) -> Operand:
        shorter, longer = sorted(pair, key=lambda operand: len(operand.bounds))
        first, second = (Listed(half.bounds, half.factor) for half in (shorter, longer))
        share, size = len(first.bounds), len(second.bounds)
        work = size
        if how == SUM:
            work *= share
            size += share - 1
        elif how == MERGED:
            size += share
            work = size
        bounds = [self.tree.infinity] * size
        code = "i"
        if share < 2**7:
            code = "b"
        joined = Joined(self._column(bounds), array(code, [0]) * size)
        arguments = how, first, second, self.tree.infinity, joined
        if self.compiled and work >= _MANY_NUMBERS:
            compiling.run_compiled(join_lists, *arguments)
        else:
            join_lists(*arguments)
        value = joined.bounds[-1]
        if how == MERGED:
            value = max(half.factor * half.bounds[-1] for half in pair)
        end = first_below(joined.bounds, value + self.tree.eps)
        halves = Split(joined.left[: end + 1], (shorter.split, longer.split))
        return Operand(joined.bounds[: end + 1], self.tree.one, halves)

    # ---- Counting.

    def _count(self, n: int) -> None:
        """Count the leaves that prove a node's value; of a player's node, choose the child."""
        tree = self.tree
        if not tree.children[n]:
            self.count[n] = tree.leaves[n]
            return
        is_chance = tree.kind[n] == Kind.CHANCE
        least: float = math.inf  # with the proof of a best child
        total = 0  # without one
        for child in tree.children[n]:
            need = self.count[child] if is_chance else self._need(n, child)
            self.needs[child] = need
            least += need
            if not is_chance and child in self.best_children[n]:
                count = total + self.count[child]
                if count < least:
                    least, self.choice[n] = count, child
            total += need
        self.count[n] = total if is_chance else int(least)

    def _need(self, n: int, child: int) -> int:
        """Return how many leaves prove of a child that it is worth no more than a player's node."""
        sign = self.tree.sign(n)
        if (child, sign) not in self.wanted:
            return 0  # it is the only best child
        value = self.tree.value[n] - self.tree.shift[child]
        threshold = sign * value + self.tree.eps
        return first_below(self._list(child, sign), threshold, self.tree.factor[child])

    # ---- Finding the leaves.

    def trace(self) -> None:
        """Find the leaves of the smallest proof, which `solve` has counted."""
        for n in range(self.root, -1, -1):
            self._trace_back(n)

    def _trace_back(self, n: int) -> None:
        """Pass what the proof demands of a node on to its children; of a terminal, choose it."""
        if n in self.proved:
            self._trace_value(n)
        for sign in SIGNS:
            leaves = self.demands.get((n, sign), 0)
            if leaves and self.tree.children[n]:
                self._trace_list(n, sign, leaves)
            elif leaves and len(self._list(n, sign)) > 1:
                self.chosen.add(n)

    def _trace_list(self, n: int, sign: int, leaves: int) -> None:
        """Split leaves among the children of a node as the list of the node does."""
        parts = [(self.splits[n, sign], leaves)]
        while parts:
            split, k = parts.pop()
            if isinstance(split, int):
                self._demand(split, sign, k)
                continue
            k = min(k, len(split.left) - 1)
            shares = split.left[k], k - split.left[k]
            parts += zip(split.halves, shares, strict=True)

    def _trace_value(self, n: int) -> None:
        """Pass on what the proof of a node's value needs."""
        children = self.tree.children[n]
        if not children and self.tree.leaves[n]:
            self.chosen.add(n)
        elif self.tree.kind[n] == Kind.CHANCE:
            self.proved.update(children)
        if n not in self.choice:
            return
        for child in children:
            if child == self.choice[n]:
                self.proved.add(child)
            else:
                self._demand(child, self.tree.sign(n), self.needs[child])

    def _demand(self, n: int, sign: int, leaves: int) -> None:
        self.demands[n, sign] = max(self.demands.get((n, sign), 0), leaves)


def first_below(bounds: Readable[Scaled], limit: Scaled, factor: Scaled = 1) -> int:
    """Return the first place of a falling list whose bound, times a factor, is at most a limit."""
    return min(bisect_left(bounds, -limit, key=lambda x: -factor * x), len(bounds) - 1)


# ---- A loop that is interpreted or compiled.


def join_lists(how: int, first: Listed, second: Listed, infinity: Scaled, joined: Joined) -> None:
    """Write the joined bounds of two lists.

    The new bounds are long enough, and `infinity` throughout. A factor leaves infinity as it is.
    """
    one, f = first.bounds, first.factor
    other, g = second.bounds, second.factor
    bounds, left = joined.bounds, joined.left
    n, m = len(one), len(other)
    a = b = 0  # the first finite bounds
    while one[a] == infinity:
        a += 1
    while other[b] == infinity:
        b += 1
    if how == SUM:
        for i in range(a, n):
            x = f * one[i]
            for j in range(b, m):
                y = x + g * other[j]
                if y < bounds[i + j]:
                    bounds[i + j] = y
                    left[i + j] = i
    elif how == MERGED:
        i, j = a, b
        for at in range(a + b, n + m):
            left[at] = i
            if j == m or (i < n and f * one[i] >= g * other[j]):
                bounds[at] = f * one[i]
                i += 1
            else:
                bounds[at] = g * other[j]
                j += 1
    else:
        for k in range(max(n, m)):
            x = y = infinity
            if k >= a:
                x = f * one[min(k, n - 1)]
            if k >= b:
                y = g * other[min(k, m - 1)]
            bounds[k] = min(x, y)
            left[k] = 0
            if x <= y:
                left[k] = min(k, n - 1)
