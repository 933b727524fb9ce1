"""Trees of floats in fractions, so that reports of them show no rounding errors."""

from __future__ import annotations

from dataclasses import replace

from expectitree.base.errors import ExpectitreeError
from expectitree.base.tree.formulas import Formulas
from expectitree.base.tree.model import Tree
from expectitree.base.tree.transform import in_fractions


def in_decimals(tree: Tree) -> Tree:
    """Return a tree in fractions, in which a float counts as the decimal that Python prints.

    Node ids and branches stay the same. Formulas are computed in fractions if that is possible.
    """
    if tree.exact:
        return tree
    try:
        return in_fractions(tree)
    except ExpectitreeError:  # a formula has no exact value, or outcomes sum only nearly to 1
        events = Formulas(events=tree.formulas.events) if tree.formulas is not None else None
        return in_fractions(replace(tree, formulas=events, parameters={}))
