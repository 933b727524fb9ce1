"""A tree in the numbers that proofs are made of.

In fractions, the numbers of a node are multiplied by the least integer that makes all numbers at
and below it integers, because sums of integers are fast.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

from expectitree.base import budget
from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import INFINITY, is_finite
from expectitree.base.tree.columns import Column, Readable
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
    value: Readable[Scaled]
    lower: Column  # bounds; those of terminals matter
    upper: Column
    eps: Scaled
    children: list[list[int]]  # without outcomes of probability 0
    factor: list[Scaled]  # the node's numbers are multiplied by this at the node above,
    shift: list[Scaled]  # and then this reward is added
    leaves: list[int]  # how many leaves below are open: their bounds are more than one value
    work: list[int]  # about how many additions and comparisons a list takes
    one: Scaled = 1.0  # a factor that changes nothing
    infinity: Scaled = INFINITY  # an infinite bound
    code: str = "d"  # the type code of an array of these numbers; empty for large integers

    def sign(self, node: int) -> int:
        """Return 1 for MAX and -1 for MIN: a player prefers the greatest value times the sign."""
        return 1 if self.kind[node] == Kind.MAX else -1

    def best_children(self, node: int) -> set[int]:
        """Return the children that are worth as much as a player's node."""
        sign, value = self.sign(node), self.value[node]
        worth = {
            child: self.factor[child] * self.value[child] + self.shift[child]
            for child in self.children[node]
        }
        return {child for child in worth if sign * (worth[child] - value) >= -self.eps}


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
    columns = tree.columns
    lower, upper = tree.inherited_bounds(search.root_bounds)
    children: list[list[int]] = [[] for _ in range(len(tree))]
    factor: list[Scaled] = [1] * len(tree)
    shift: list[Scaled] = [0] * len(tree)
    leaves, work = [0] * len(tree), [0] * len(tree)
    for n, kind in enumerate(columns.kind):
        if kind == Kind.TERMINAL:
            leaves[n] = int(upper[n] - lower[n] > search.eps)
        for b in tree.branches_of(n):
            child, probability = columns.child[b], columns.probability[b]
            if probability:
                work[n] += leaves[child] * (leaves[n] + 1 if kind == Kind.CHANCE else 1)
                leaves[n] += leaves[child]
                children[n].append(child)
                factor[child] = probability
                shift[child] = probability * tree.reward_of(b)
    ends = lower, upper, search.eps
    found = ProofTree(columns.kind, search.lower, *ends, children, factor, shift, leaves, work)
    if tree.exact:
        _scale(found)
        if not found.code:
            why = " of fractions beyond 64 bits (--engine interpreted uses floats)"
            check_size(tree.leaves, max_leaves, why, MAX_LARGE)
    return found


def _scale(tree: ProofTree) -> None:
    """Make the numbers of an exact tree integers, and choose how to keep them."""
    columns = tree.value, tree.lower, tree.upper
    terminals = [n for n, children in enumerate(tree.children) if not children]
    numbers = [column[n] for n in terminals for column in columns if is_finite(column[n])]
    scale = [math.lcm(*(x.denominator for x in numbers))] * len(tree.kind)
    paid: list[Scaled] = [0] * len(tree.kind)  # [N] a bound on the sum of rewards below a node
    for n, children in enumerate(tree.children):
        if not children:
            continue
        denominators = {child: scale[child] * tree.factor[child].denominator for child in children}
        shifts = [tree.shift[child] for child in children]
        scale[n] = math.lcm(*denominators.values(), *(shift.denominator for shift in shifts))
        paid[n] = sum(map(abs, shifts)) + max(paid[child] for child in children)
        for child, denominator in denominators.items():
            tree.factor[child] = tree.factor[child].numerator * (scale[n] // denominator)
            tree.shift[child] = int(tree.shift[child] * scale[n])
    tree.value, tree.lower, tree.upper = (
        [int(x * scale[n]) if is_finite(x) else x for n, x in enumerate(column)]
        for column in columns
    )
    greatest = math.ceil(max(map(abs, numbers)) + max(paid)) * max(scale)
    is_small = greatest < _WORD
    tree.one, tree.code = 1, "q" if is_small else ""
    tree.infinity = 2 * _WORD - 1 if is_small else 4 * greatest
