"""The sums that make the bounds of CHANCE nodes and the windows of their outcomes, if short."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import isclose
from typing import Any, NamedTuple, TypeAlias

from expectitree.base.numbers import Number, is_finite
from expectitree.base.tree.columns import Readable
from expectitree.base.tree.model import Kind, Tree
from expectitree.base.tree.scans import shifted

MAX_TERMS = 8  # outcomes of a sum that is written out

# For each outcome of positive probability: the probability, and the bound of its branch.
Terms: TypeAlias = tuple[tuple[Number, Number], ...]
EndOf: TypeAlias = Callable[[int], Any]  # the bound that a sum has for an outcome's branch


class Quotient(NamedTuple):
    """An end of an outcome's window: `(limit - reward - the sum of the others) / p`.

    Both ends are those of branches: they include the rewards of the branches.
    """

    limit: Number  # the same end of the CHANCE node's window
    others: Terms
    p: Number
    found: Number
    reward: Number = 0  # of the branch to the CHANCE node


def is_same(tree: Tree, eps: Any, one: Any, other: Any) -> bool:
    """Return whether two numbers are equal but for rounding."""
    return bool(one == other) or (
        not tree.exact and isclose(one, other, rel_tol=1e-9, abs_tol=4 * eps)
    )


def branch_ends(tree: Tree, ends: Readable[Any]) -> EndOf:
    """Return a function that finds the bound of a branch in the bounds of all nodes."""
    child = tree.columns.child
    return lambda branch: shifted(ends[child[branch]], tree.reward_of(branch))


def sum_terms(tree: Tree, eps: Any, node: int, end_of: EndOf, total: Any) -> Terms:
    """Return the terms of `total`, a CHANCE node's bound; nothing if they are many or not its sum.

    A bound from elsewhere, such as the tree file, can be tighter than the sum.
    """
    branches = tree.branches_of(node)
    if tree.columns.kind[node] != Kind.CHANCE or len(branches) > MAX_TERMS:
        return ()
    terms = _terms(tree, branches, end_of)
    found: Any = sum(p * end for p, end in terms)
    return terms if is_same(tree, eps, found, total) else ()


def find_quotient(
    tree: Tree, eps: Any, above: int, branch: int, end_of: EndOf, limit: Any, found: Any
) -> Quotient | None:
    """Return how the end `found` of an outcome's window follows from `limit`, its CHANCE node's.

    `above` is the branch to the CHANCE node. Both ends are given as the nodes have them, without
    rewards. Return None if there are many outcomes, an end is infinite, or the others' bounds have
    changed since.
    """
    branches, p = tree.branches_of(tree.parent_of(branch)), tree.columns.probability[branch]
    if len(branches) > MAX_TERMS or not is_finite(limit):
        return None
    others = _terms(tree, (b for b in branches if b != branch), end_of)
    if not all(is_finite(end) for _, end in others):
        return None
    quotient, reward = (limit - sum(q * end for q, end in others)) / p, tree.reward_of(above)
    found = shifted(found, tree.reward_of(branch))
    if not is_same(tree, eps, quotient, found):
        return None
    return Quotient(shifted(limit, reward), others, p, found, reward)


def _terms(tree: Tree, branches: Iterable[int], end_of: EndOf) -> Terms:
    probability = tree.columns.probability
    return tuple((probability[b], end_of(b)) for b in branches if probability[b])
