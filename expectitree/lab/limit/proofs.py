"""The fewest leaves that prove the value of a tree's root.

A list says what k leaves can prove of a node, for k = 0, 1, 2, …: at index k is the least upper
bound of its value. The list falls, and ends at the value. Lower bounds are the upper bounds of the
mirrored tree: MAX and MIN swapped and numbers negated (`sign` -1). Bottom-up, the lists are

    terminal  its bound, and after one leaf its value
    CHANCE    the least sum over all ways to split k leaves among the outcomes
    MAX       all children need a proof: k leaves remove the k greatest bounds of their lists
    MIN       one proof is enough: the smallest bound of all lists

Two lists are joined at a time, paired off like a tournament. Any two leaves meet in one pair, so
that the work is quadratic in the leaves.

The fewest leaves that prove a value are, of CHANCE, the sum over its outcomes; of MAX, those that
prove a best child, and of the other children that they are worth no more. MIN mirrors.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from operator import neg
from typing import NamedTuple

from expectitree.base.tree.columns import Column, Readable
from expectitree.base.tree.model import Kind
from expectitree.lab.limit.proof_tree import SIGNS, ProofTree, Scaled
from expectitree.searches.engines import loop_runner

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
    split: Split | int


class Joined(NamedTuple):
    """What two lists become, and how many of k leaves are for the first one."""

    bounds: Column
    left: Column


class Proofs:
    """Counts the leaves of the smallest proof of a tree's value, and finds which they are."""

    def __init__(self, tree: ProofTree, engine: str) -> None:
        self.tree, self.root = tree, len(tree.kind) - 1
        self.count = [0] * len(tree.kind)  # the fewest leaves that prove a node's value
        self.choice: dict[int, int] = {}  # the child that a player's proof of a value proves
        self.needs: dict[int, int] = {}  # by child: see `_need`
        # Both by node and sign: the bounds, until last used, and how leaves are split.
        self.lists: dict[tuple[int, int], Readable[Scaled]] = {}
        self.splits: dict[tuple[int, int], Split | int] = {}
        self.run = loop_runner(engine, tree.work)

    # ---- Making lists.

    def solve(self) -> None:
        """Make all lists, and count the leaves of the smallest proof."""
        tree = self.tree
        for n, children in enumerate(tree.children):
            for sign in SIGNS:
                if (n, sign) in tree.wanted and children:
                    operand = self._joined(n, sign)
                    self.lists[n, sign], self.splits[n, sign] = operand.bounds, operand.split
            if n in tree.exact:
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
        if tree.leaves[n] and bound > value + tree.eps[n]:
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
        row = [Operand(self._list(child, sign), child) for child in tree.children[n]]
        while len(row) > 1:
            pairs = zip(row[::2], row[1::2], strict=False)
            row = [self._join(how, tree.eps[n], *pair) for pair in pairs] + row[len(row) // 2 * 2 :]
        return row[0]

    def _join(self, how: int, eps: Scaled, *pair: Operand) -> Operand:
        shorter, longer = sorted(pair, key=lambda operand: len(operand.bounds))
        share, size = len(shorter.bounds), len(longer.bounds)
        work = size
        if how == SUM:
            work *= share
            size += share - 1
        elif how == MERGED:
            size += share
            work = size
        infinity = self.tree.infinity
        code = "i"
        if share < 2**7:
            code = "b"
        joined = Joined(self._column([infinity] * size), array(code, [0]) * size)
        arguments = how, shorter.bounds, longer.bounds, infinity, joined
        if work >= _MANY_NUMBERS and self.tree.code:
            self.run(join_lists, *arguments)
        else:
            join_lists(*arguments)
        value = joined.bounds[-1]
        if how == MERGED:
            value = max(half.bounds[-1] for half in pair)
        end = first_below(joined.bounds, value + eps)
        halves = Split(joined.left[: end + 1], (shorter.split, longer.split))
        return Operand(joined.bounds[: end + 1], halves)

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
            if not is_chance and child in tree.best[n]:
                count = total + self.count[child]
                if count < least:
                    least, self.choice[n] = count, child
            total += need
        self.count[n] = total if is_chance else int(least)

    def _need(self, n: int, child: int) -> int:
        """Return how many leaves prove of a child that it is worth no more than a player's node."""
        sign = self.tree.sign(n)
        if (child, sign) not in self.tree.wanted:
            return 0  # it is the only best child
        threshold = sign * self.tree.value[n] + self.tree.eps[n]
        return first_below(self._list(child, sign), threshold)

    def leaves(self) -> list[int]:
        """Return the leaves of the smallest proof, which `solve` has counted, in ascending order.

        A proof demands of each node its value, with the sign 0, or bounds: then, so many leaves of
        a list are split as the list was joined.
        """
        tree, chosen = self.tree, []
        demands: list[tuple[Split | int, int, int]] = [(self.root, 0, 0)]
        while demands:
            where, sign, leaves = demands.pop()
            if isinstance(where, Split):
                leaves = min(leaves, len(where.left) - 1)
                left = where.left[leaves]
                first, second = where.halves
                demands += (first, sign, left), (second, sign, leaves - left)
            elif not tree.children[where]:
                is_bounded = leaves > 0 and len(self._list(where, sign)) > 1
                if is_bounded or (sign == 0 and tree.leaves[where]):
                    chosen.append(where)
            elif sign and leaves:
                demands.append((self.splits[where, sign], sign, leaves))
            elif not sign:
                proved = self.choice.get(where)
                for child in tree.children[where]:
                    if proved in (None, child):
                        demands.append((child, 0, 0))
                    else:
                        demands.append((child, tree.sign(where), self.needs[child]))
        return sorted(chosen)


def first_below(bounds: Readable[Scaled], limit: Scaled) -> int:
    """Return the first place of a falling list whose bound is at most a limit."""
    return min(bisect_left(bounds, -limit, key=neg), len(bounds) - 1)


# ---- A loop that is interpreted or compiled.


def join_lists(
    how: int, first: Readable[Scaled], other: Readable[Scaled], infinity: Scaled, joined: Joined
) -> None:
    """Write the joined bounds of two lists.

    The new bounds are long enough, and `infinity` throughout.
    """
    bounds, left = joined.bounds, joined.left
    n, m = len(first), len(other)
    a = b = 0  # the first finite bounds
    while first[a] == infinity:
        a += 1
    while other[b] == infinity:
        b += 1
    if how == SUM:
        for i in range(a, n):
            for j in range(b, m):
                y = first[i] + other[j]
                if y < bounds[i + j]:
                    bounds[i + j] = y
                    left[i + j] = i
    elif how == MERGED:
        i, j = a, b
        for at in range(a + b, n + m):
            left[at] = i
            if j == m or (i < n and first[i] >= other[j]):
                bounds[at] = first[i]
                i += 1
            else:
                bounds[at] = other[j]
                j += 1
    else:
        for k in range(max(n, m)):
            x, y = first[min(k, n - 1)], other[min(k, m - 1)]
            bounds[k] = min(x, y)
            left[k] = 0
            if x <= y:
                left[k] = min(k, n - 1)
