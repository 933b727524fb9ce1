"""Transform a tree into one with other numbers: floats, fractions, or images of its utilities."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from typing import Any

from expectitree.base.errors import ExpectitreeError, TransformError
from expectitree.base.numbers import (
    INFINITY,
    MAX_FLOAT,
    Number,
    message_text,
    to_exact_bound,
)
from expectitree.base.tree.builder import normalised
from expectitree.base.tree.formulas import Formulas
from expectitree.base.tree.model import Kind, Tree


def _in_fractions(column: Iterable[Number]) -> list[Number]:
    return [*map(to_exact_bound, column)]


def in_fractions(tree: Tree) -> Tree:
    """Return a tree of floats as an exact one; a float counts as the decimal that Python prints."""
    if tree.exact:
        return tree
    tree = tree.converted(_in_fractions, exact=True)
    columns = tree.columns
    probability = normalised(columns, columns.probability, exact=True)
    tree = replace(tree, columns=columns._replace(probability=probability))
    from expectitree.base.tree.parameters import evaluated

    return evaluated(tree)[0]


def in_decimals(tree: Tree) -> Tree:
    """Return a tree in fractions, in which a float counts as the decimal that Python prints.

    Node ids and branches stay the same. Formulas are computed in fractions if that is possible.
    """
    if tree.exact:
        return tree
    try:
        return in_fractions(tree)
    except ExpectitreeError:  # a formula has no exact value, or outcomes sum only nearly to 1
        return in_fractions(without_formulas(tree))


def without_formulas(tree: Tree) -> Tree:
    """Return the tree with its numbers and events, but without formulas and parameters.

    Use it for a tree whose numbers have changed: the formulas no longer describe them. Expected
    results at other values of the parameters and the definitions of events are left out, too.
    """
    if not tree.formulas and not tree.parameters:
        return tree
    kind, written = tree.columns.kind, tree.formulas.events
    events = {n: event for n, event in written.items() if kind[n] == Kind.CHANCE}
    expect = tree.expect and replace(tree.expect, at=())
    return tree.changed(parameters={}, formulas=Formulas(events=events), expect=expect)


def map_utilities(tree: Tree, image: Callable[[Number], Number]) -> Tree:
    """Return the tree with each utility and estimate replaced by its image.

    Bounds and `expect` are left out. Raises `TransformError` if an image is not a number that can
    be searched.
    """
    greatest = INFINITY if tree.exact else MAX_FLOAT

    @cache
    def mapped(value: Number) -> Number:
        number = image(value)
        if not -greatest <= number <= greatest:
            raise TransformError(
                f"the map takes {message_text(value)} to {number}: expected a number within 10^301"
            )
        return number

    utility: Any = [mapped(u) if u == u else u for u in tree.columns.utility]
    if not tree.exact:
        utility = array("d", utility)
    columns = tree.columns._replace(utility=utility)
    return without_formulas(tree.changed(columns=columns, local_bounds={}, expect=None))
