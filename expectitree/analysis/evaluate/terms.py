"""The sums that make the bounds of CHANCE nodes and the windows of their outcomes, if short."""

from __future__ import annotations

from collections.abc import Iterable
from math import isclose
from typing import Any, NamedTuple, TypeAlias

from expectitree.numbers import Number, is_finite
from expectitree.tree.columns import Readable
from expectitree.tree.model import Kind, Tree

MOST_TERMS = 8  # outcomes of a sum that is written out

# Of every possible outcome: its probability, and the bound that it is multiplied with.
Terms: TypeAlias = tuple[tuple[Number, Number], ...]


class Quotient(NamedTuple):
    """An end of an outcome's window: `(limit - the sum of the others) / p`."""

    limit: Number  # the same end of the CHANCE node's window
    others: Terms
    p: Number
    found: Number


def is_same(tree: Tree, eps: Any, one: Any, other: Any) -> bool:
    """Say whether two numbers are equal but for rounding."""
    return bool(one == other) or (
        not tree.exact and isclose(one, other, rel_tol=1e-9, abs_tol=4 * eps)
    )


def sum_terms(tree: Tree, eps: Any, node: int, ends: Readable[Any], total: Any = None) -> Terms:
    """Return the terms of a CHANCE node's bound; nothing if they are many or not its sum.

    `ends` are the bounds of all nodes. The sum is `total`, by default the node's own bound.
    """
    branches = tree.branches_of(node)
    if tree.columns.kind[node] != Kind.CHANCE or len(branches) > MOST_TERMS:
        return ()
    terms = _terms(tree, branches, ends)
    found: Any = sum(p * end for p, end in terms)
    return terms if is_same(tree, eps, found, ends[node] if total is None else total) else ()


def find_quotient(
    tree: Tree, eps: Any, branch: int, ends: Readable[Any], limit: Any, found: Any
) -> Quotient | None:
    """Return how the end `found` of an outcome's window follows from `limit`, its CHANCE node's.

    Return None if there are many outcomes, an end is infinite, or the bounds in `ends` have changed
    since.
    """
    branches, p = tree.branches_of(tree.parent_of(branch)), tree.columns.probability[branch]
    if len(branches) > MOST_TERMS or not is_finite(limit):
        return None
    others = _terms(tree, (b for b in branches if b != branch), ends)
    if not all(is_finite(end) for _, end in others):
        return None
    quotient = (limit - sum(q * end for q, end in others)) / p
    return Quotient(limit, others, p, found) if is_same(tree, eps, quotient, found) else None


def _terms(tree: Tree, branches: Iterable[int], ends: Readable[Any]) -> Terms:
    columns = tree.columns
    possible = ((columns.probability[b], ends[columns.child[b]]) for b in branches)
    return tuple((p, end) for p, end in possible if p)
