"""The sums that make the bounds of CHANCE nodes, where they have few outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from math import isclose
from typing import Any, TypeAlias

from expectitree.numbers import Number
from expectitree.tree.model import Kind, Tree

MOST_TERMS = 8  # outcomes of a sum that is written out

# Of every possible outcome: its probability, and the bound that it is multiplied with.
Terms: TypeAlias = tuple[tuple[Number, Number], ...]


def is_same(tree: Tree, eps: Any, one: Any, other: Any) -> bool:
    """Say whether two numbers are equal but for rounding."""
    return bool(one == other) or (
        not tree.exact and isclose(one, other, rel_tol=1e-9, abs_tol=4 * eps)
    )


def sum_terms(tree: Tree, eps: Any, node: int, ends: Sequence[Any], total: Any = None) -> Terms:
    """Return the terms of a CHANCE node's bound; nothing if they are many or not its sum.

    `ends` are the bounds of all nodes. The sum is `total`, by default the node's own bound.
    """
    columns, branches = tree.columns, tree.branches_of(node)
    if columns.kind[node] != Kind.CHANCE or len(branches) > MOST_TERMS:
        return ()
    possible = [(columns.probability[b], ends[columns.child[b]]) for b in branches]
    terms = tuple((p, end) for p, end in possible if p)
    found: Any = sum(p * end for p, end in terms)
    return terms if is_same(tree, eps, found, ends[node] if total is None else total) else ()
