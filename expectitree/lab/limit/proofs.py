"""The fewest leaves that prove the value of a tree's root: a dynamic program over its nodes.

A list says what k leaves can prove of a node, for k = 0, 1, 2, …: at index k are the least upper
bound of its value, and the leaves that prove it. The list falls, and ends at the value. Lower
bounds are the upper bounds of the mirrored tree: MAX and MIN swapped and numbers negated (`sign`
-1). Bottom-up, the lists are

    terminal  its bound, and after one leaf its value
    CHANCE    the least sum over all ways to split k leaves among the outcomes
    MAX       all children need a proof: k leaves remove the k greatest bounds of their lists
    MIN       one proof is enough: the smallest bound of all lists

Two lists are joined at a time, paired off like a tournament. Any two leaves meet in one pair, so
that the work is quadratic in the leaves.

The fewest leaves that prove a value are, of CHANCE, those of all outcomes; of MAX, those that prove
a best child, and of the other children that they are worth no more. MIN mirrors.

Lists are made for children of a player whose value is proved. Numbers include the rewards on the
path from that player, and are multiplied by the probability of the path, so that a number of a
CHANCE node is the sum of those of its outcomes. In fractions, all are multiplied by one integer
that makes them integers, because sums of integers are fast.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from itertools import chain, repeat
from operator import itemgetter
from typing import Any, TypeAlias

from expectitree.base.deep_calls import DeepCall
from expectitree.base.numbers import INFINITY, is_finite
from expectitree.base.tree.model import Kind, Tree
from expectitree.searches.result import Search

SIGNS: dict[int, int] = {Kind.MAX: 1, Kind.MIN: -1, Kind.CHANCE: 0}
CALLS_A_PLY = 3

Leaves: TypeAlias = int  # a set of node ids, a bit for each
Scaled: TypeAlias = Any  # a float, or an integer that represents a fraction
Proofs: TypeAlias = list[tuple[Scaled, Leaves]]  # the list of a node


def fewest_leaves(tree: Tree, search: Search) -> list[int]:
    """Return the leaves of the smallest proof of a tree's value, in ascending order.

    The tree shares no nodes; the search has its values, and the bounds of the root.
    """
    calls = DeepCall(CALLS_A_PLY * tree.heights[-1] + 100)
    leaves = calls.run(_Prover(tree, search).of_value, tree.root_id)
    return [node for node in range(len(tree)) if leaves >> node & 1]


class _Prover:
    """The smallest proofs of a tree's nodes, by recursion into their children."""

    def __init__(self, tree: Tree, search: Search) -> None:
        self.tree, self.columns = tree, tree.columns
        self.value, self.eps = search.lower, search.eps
        lower, upper = tree.inherited_bounds(search.root_bounds)
        self.ends = {1: upper, -1: lower}
        self.scale = self._least_scale() if tree.exact else 1

    def _least_scale(self) -> int:
        """Return a factor that makes integers of the numbers of an exact tree."""
        columns: Any = self.columns
        factors: list[int] = []  # of the probabilities below each node
        for node in range(len(self.tree)):
            below = [
                columns.probability[b].denominator * factors[columns.child[b]]
                for b in self.tree.branches_of(node)
            ]
            factors.append(math.lcm(*below))
        numbers = {*columns.utility, *columns.reward, *self.ends[1], *self.ends[-1]}
        return factors[-1] * math.lcm(*(x.denominator for x in numbers if is_finite(x)))

    def _branches(self, node: int) -> list[int]:
        """Return the branches of a node, without outcomes that never occur."""
        return [b for b in self.tree.branches_of(node) if self.columns.probability[b]]

    def of_value(self, node: int) -> Leaves:
        """Return the fewest leaves that prove the value of a node."""
        branches, child = self._branches(node), self.columns.child
        if not branches:
            is_open = self.ends[1][node] - self.ends[-1][node] > self.eps
            return int(is_open) << node
        sign = SIGNS[self.columns.kind[node]]
        if sign:
            return self._of_player(node, sign, branches)
        return sum([self.of_value(child[b]) for b in branches])  # no two have a leaf in common

    def _of_player(self, node: int, sign: int, branches: list[int]) -> Leaves:
        """Return the fewest leaves that prove one best child, and that no other is better."""
        child, reward_of = self.columns.child, self.tree.reward_of
        worth = {b: sign * (self.value[child[b]] + reward_of(b)) for b in branches}
        least = sign * self.value[node]
        best = [b for b in branches if worth[b] - least >= -self.eps]
        bounded = dict.fromkeys(branches, 0)  # the leaves that prove that a child is not better
        for b in branches:
            if best != [b]:
                proofs = self._list(child[b], sign, self.scale, reward_of(b))
                bounded[b] = proofs[_first_below(proofs, self.scale * (least + self.eps))][1]
        valued = {b: self.of_value(child[b]) for b in best}
        chosen = min(best, key=lambda b: valued[b].bit_count() - bounded[b].bit_count())
        return sum(bounded.values()) - bounded[chosen] + valued[chosen]

    def _list(self, node: int, sign: int, weight: Scaled, paid: Scaled) -> Proofs:
        """Return the list of a node, for a path that has this weight and pays so much."""
        branches, eps = self._branches(node), self.eps * weight
        if not branches:
            ends = self.ends[sign][node], self.value[node]
            bound, value = (sign * self._number(end, weight, paid) for end in ends)
            if bound > value + eps:
                return [(bound, 0), (value, 1 << node)]
            return [(value, 0)]
        columns, reward_of = self.columns, self.tree.reward_of
        lists = [
            self._list(columns.child[b], sign, weight * columns.probability[b], paid + reward_of(b))
            for b in branches
        ]
        join = _JOINS[sign * SIGNS[columns.kind[node]]]
        while len(lists) > 1:
            joined = []
            for pair in zip(lists[::2], lists[1::2], strict=False):
                proofs = join(*sorted(pair, key=len))
                joined.append(proofs[: _first_below(proofs, proofs[-1][0] + eps) + 1])
            lists = joined + lists[len(lists) // 2 * 2 :]
        return lists[0]

    def _number(self, number: Scaled, weight: Scaled, paid: Scaled) -> Scaled:
        if not is_finite(number):
            return number
        scaled = weight * (number + paid)
        return int(scaled) if self.tree.exact else scaled


def _first_below(proofs: Proofs, limit: Scaled) -> int:
    """Return the first place of a falling list whose bound is at most a limit."""
    place = bisect_left(proofs, -limit, key=lambda proof: -proof[0])
    return min(place, len(proofs) - 1)


# ---- Two lists, of which the first is not longer.


def _least_sums(first: Proofs, second: Proofs) -> Proofs:
    """Join two lists of which both bounds are summed."""
    size, longest = len(first) + len(second) - 1, len(second) - 1
    bounds, shares = [INFINITY] * size, [max(0, k - longest) for k in range(size)]
    finite = [y for y, _ in second if y < INFINITY]
    for share, (x, _) in enumerate(first):
        if x < INFINITY:
            for k, y in enumerate(finite, share + len(second) - len(finite)):
                if x + y < bounds[k]:
                    bounds[k], shares[k] = x + y, share
    leaves = (first[share][1] | second[k - share][1] for k, share in enumerate(shares))
    return [*zip(bounds, leaves, strict=True)]


def _merged(first: Proofs, second: Proofs) -> Proofs:
    """Join two lists of which the greater bound holds, until either ends."""
    proofs = []
    i = j = 0
    while i < len(first) and j < len(second):
        (x, left), (y, right) = first[i], second[j]
        proofs.append((max(x, y), left | right))
        if x >= y:
            i += 1
        else:
            j += 1
    return proofs


def _least_of_two(first: Proofs, second: Proofs) -> Proofs:
    """Join two lists of which the smaller bound holds."""
    padded = chain(first, repeat(first[-1]))
    return [min(pair, key=itemgetter(0)) for pair in zip(padded, second, strict=False)]


_JOINS = {0: _least_sums, 1: _merged, -1: _least_of_two}  # by the sign times that of the player
