"""A tree in the numbers that proofs are made of.

The rewards on the path to a node are added to its numbers. Lists are joined only below a player
whose value is proved. From there on, the numbers of a node are multiplied by the probability of the
path to it. So a number of a CHANCE node is the sum of those of its outcomes, and a player chooses
among equally weighted numbers. In fractions, all numbers are multiplied by the least integer that
makes them integers, because sums of integers are fast.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
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
SIGNS = (1, -1)  # of upper and of lower bounds
_WORD = 2**62  # two integers below it can be added in 64 bits

Scaled: TypeAlias = Any  # a float, or an integer that stands for a fraction


@dataclass
class ProofTree:
    """What proofs need of a tree, whose children come before their parents."""

    kind: Column
    children: list[list[int]]  # [N], without outcomes of probability 0
    leaves: list[int]  # [N] how many leaves below are open: their bounds are more than one value
    exact: set[int]  # nodes whose values are proved
    best: dict[int, set[int]]  # the best children of the players among these
    wanted: set[tuple[int, int]]  # (node, sign) of the lists that are needed
    value: dict[int, Scaled]  # of the players in `best`, and of terminals whose lists are needed
    lower: dict[int, Scaled]  # bounds of these terminals
    upper: dict[int, Scaled]
    eps: list[Scaled]  # [N]
    infinity: Scaled = INFINITY  # an infinite bound
    code: str = "d"  # the type code of an array of these numbers; empty for large integers

    def sign(self, node: int) -> int:
        """Return 1 for MAX and -1 for MIN: a player prefers the greatest value times the sign."""
        return 1 if self.kind[node] == Kind.MAX else -1

    @property
    def work(self) -> int:
        """About how many additions and comparisons the lists take."""
        total = 0
        for n in {n for n, _ in self.wanted}:
            sum_so_far = 0
            for child in self.children[n]:
                total += self.leaves[child] * (sum_so_far * (self.kind[n] == Kind.CHANCE) + 1)
                sum_so_far += self.leaves[child]
        return total


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
    columns, count, value = tree.columns, len(tree), search.lower
    weight: list[Scaled] = [1] * count  # the probability of the path on which lists are joined
    paid: list[Scaled] = [0] * count  # on the path from the root
    proof = ProofTree(
        columns.kind,
        [[] for _ in range(count)],
        [0] * count,
        {tree.root_id},
        {},
        set(),
        {},
        {},
        {},
        [],
    )
    for n in reversed(range(count)):
        signs = [sign for sign in SIGNS if (n, sign) in proof.wanted]
        children = proof.children[n]
        for b in tree.branches_of(n):
            child, probability = columns.child[b], columns.probability[b]
            if probability:
                children.append(child)
                paid[child] = paid[n] + tree.reward_of(b)
                weight[child] = weight[n]
                if signs:
                    weight[child] = weight[n] * probability
                proof.wanted.update((child, sign) for sign in signs)
        if n in proof.exact and columns.kind[n] == Kind.CHANCE:
            proof.exact.update(children)
        elif n in proof.exact and children:
            sign, least = proof.sign(n), value[n] + paid[n]
            worth = {child: sign * (value[child] + paid[child] - least) for child in children}
            best = proof.best[n] = {child for child in worth if worth[child] >= -search.eps}
            others = {*children}
            if len(best) == 1:
                others -= best
            proof.exact |= best
            proof.wanted.update((child, sign) for child in others)

    lower, upper = tree.inherited_bounds(search.root_bounds)
    for n, children in enumerate(proof.children):
        proof.leaves[n] = sum(proof.leaves[child] for child in children)
        if not children:
            proof.leaves[n] = int(upper[n] - lower[n] > search.eps)
    _weigh(proof, weight, paid, (value, lower, upper))
    proof.eps = [search.eps * share for share in weight]
    if tree.exact:
        _scale(proof, weight)
        if not proof.code:
            why = " of fractions beyond 64 bits (--engine interpreted uses floats)"
            check_size(tree.leaves, max_leaves, why, MAX_LARGE)
    return proof


def _weigh(
    tree: ProofTree,
    weight: Sequence[Scaled],
    paid: Sequence[Scaled],
    columns: Sequence[Readable[Scaled]],
) -> None:
    """Set the numbers that proofs compare: those of the columns, with rewards and weights."""
    terminals = {n for n, _ in tree.wanted if not tree.children[n]}
    tree.value, tree.lower, tree.upper = (
        {n: weight[n] * (column[n] + paid[n]) if is_finite(column[n]) else column[n] for n in nodes}
        for column, nodes in zip(
            columns, (terminals | tree.best.keys(), terminals, terminals), strict=True
        )
    )


def _scale(tree: ProofTree, weight: Sequence[Scaled]) -> None:
    """Make the numbers of an exact tree integers, and choose how to keep them."""
    columns = tree.value, tree.lower, tree.upper
    known = [(n, x) for column in columns for n, x in column.items() if is_finite(x)]
    scale = math.lcm(*(x.denominator for _, x in known))
    for column in columns:
        column |= {n: int(x * scale) for n, x in column.items() if is_finite(x)}
    # No sum of weighted numbers is beyond the greatest number without its weight.
    greatest = math.ceil(max((abs(x / weight[n]) for n, x in known), default=0)) * scale
    tree.code, tree.infinity = "q", 2 * _WORD - 1
    if greatest >= _WORD:
        tree.code, tree.infinity = "", 4 * greatest
