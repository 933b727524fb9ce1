"""A tree in the numbers that proofs are made of.

The rewards on the path to a node are added to its numbers, and these are multiplied by the
probability of the path, as far as chance decides. So a number of a CHANCE node is the sum of those
of its outcomes, and a player chooses among equally weighted numbers. In fractions, all numbers are
multiplied by the least integer that makes them integers, because sums of integers are fast.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

from expectitree.base import budget
from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import INFINITY, is_finite
from expectitree.base.tree.columns import Column
from expectitree.base.tree.model import Kind, Tree
from expectitree.searches.result import Search

MAX_LEAVES = 20_000  # that `limit` accepts by default
MAX_LARGE = 4_000  # the same where fractions need integers of more than 64 bits
_WORD = 2**62  # two integers below it can be added in 64 bits

Scaled: TypeAlias = Any  # a float, or an integer that stands for a fraction


@dataclass
class ProofTree:
    """The columns [N] of a tree that proofs need, children before their parents."""

    kind: Column
    value: list[Scaled]
    lower: list[Scaled]  # bounds; those of terminals matter
    upper: list[Scaled]
    eps: list[Scaled]
    children: list[list[int]]  # without outcomes of probability 0
    leaves: list[int]  # how many leaves below are open: their bounds are more than one value
    work: list[int]  # about how many additions and comparisons a list takes
    infinity: Scaled = INFINITY  # an infinite bound
    code: str = "d"  # the type code of an array of these numbers; empty for large integers

    def sign(self, node: int) -> int:
        """Return 1 for MAX and -1 for MIN: a player prefers the greatest value times the sign."""
        return 1 if self.kind[node] == Kind.MAX else -1

    def best_children(self, node: int) -> set[int]:
        """Return the children that are worth as much as a player's node."""
        sign, value = self.sign(node), self.value
        least = sign * value[node] - self.eps[node]
        return {child for child in self.children[node] if sign * value[child] >= least}


def check_size(leaves: int, max_leaves: int | None, why: str = "", most: int = MAX_LEAVES) -> None:
    """Raise `AnalysisError` where there are too many leaves."""
    most = budget.most(most) if max_leaves is None else max_leaves
    if leaves > most:
        raise AnalysisError(
            f"{leaves:,} leaves{why}, and the work grows with their square: at most {most:,} are "
            "accepted unless --max-leaves says more"
        )


def proof_tree(tree: Tree, search: Search, max_leaves: int | None) -> ProofTree:
    """Return a tree with the values, the bounds and the eps of a search of it.

    The tree shares no nodes. Raises `AnalysisError` if it has more than `max_leaves` leaves.
    """
    check_size(tree.leaves, max_leaves)
    columns, count = tree.columns, len(tree)
    ends = tree.inherited_bounds(search.root_bounds)
    children: list[list[int]] = [[] for _ in range(count)]
    weight: list[Scaled] = [0] * count  # the probability of the path
    paid: list[Scaled] = [0] * count  # on the path
    weight[tree.root_id] = 1
    for n in reversed(range(count)):
        for b in tree.branches_of(n):
            child, probability = columns.child[b], columns.probability[b]
            if probability:
                children[n].append(child)
                weight[child] = weight[n] * probability
                paid[child] = paid[n] + tree.reward_of(b)

    leaves, work = [0] * count, [0] * count
    for n, below in enumerate(children):
        if not below:
            leaves[n] = int(ends[1][n] - ends[0][n] > search.eps)
        for child in below:
            work[n] += leaves[child] * (leaves[n] + 1 if columns.kind[n] == Kind.CHANCE else 1)
            leaves[n] += leaves[child]

    value, lower, upper = (
        [weight[n] * (x + paid[n]) if is_finite(x) else x for n, x in enumerate(column)]
        for column in (search.lower, *ends)
    )
    eps = [search.eps * share for share in weight]
    found = ProofTree(columns.kind, value, lower, upper, eps, children, leaves, work)
    if tree.exact:
        terminals = [n for n, below in enumerate(children) if weight[n] and not below]
        known = [(n, column[n]) for n in terminals for column in (value, lower, upper)]
        known = [(n, number) for n, number in known if is_finite(number)]
        _scale(found, known, math.ceil(max(abs(number / weight[n]) for n, number in known)))
        if not found.code:
            check_size(
                tree.leaves,
                max_leaves,
                " of fractions beyond 64 bits (--engine interpreted uses floats)",
                MAX_LARGE,
            )
    return found


def _scale(tree: ProofTree, known: list[tuple[int, Scaled]], greatest: int) -> None:
    """Make the numbers of an exact tree integers, and choose how to keep them.

    The finite numbers of terminals are `known`, and `greatest` bounds all without their weights.
    """
    scale = math.lcm(*(number.denominator for _, number in known))
    tree.value, tree.lower, tree.upper = (
        [int(x * scale) if is_finite(x) else x for x in column]
        for column in (tree.value, tree.lower, tree.upper)
    )
    greatest *= scale
    tree.code, tree.infinity = "q", 2 * _WORD - 1
    if greatest >= _WORD:
        tree.code, tree.infinity = "", 4 * greatest
