"""Checks of a whole tree: numbers within their bounds, and an attitude that fits the totals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from expectitree.base.errors import TreeError
from expectitree.base.expressions.evaluation import FLOATS, evaluate, rounded_fractions
from expectitree.base.numbers import Number, escape, message_text
from expectitree.base.tree import scans
from expectitree.base.tree.columns import NO_BOUNDS, NUMBER_WORDS, SUM_TOLERANCE, Bounds, Columns
from expectitree.base.tree.model import Tree
from expectitree.base.tree.parameters import ParameterValues


def check_bounds(tree: Tree, root_bounds: Bounds | None) -> None:
    """Raise `TreeError` if a utility or an estimate lies outside its bounds."""
    for node, message in outside_bounds(tree, root_bounds):
        raise TreeError(f"{escape(tree.path_of(node))}: {message}")


def outside_bounds(tree: Tree, root_bounds: Bounds | None) -> Iterator[tuple[int, str]]:
    """Yield each node whose utility or estimate lies outside its inherited bounds, and a message.

    An unknown terminal lies outside if its bounds contain no number.
    """
    columns, local = tree.columns, tree.local_bounds
    if columns.pays or local.keys() - {tree.root_id}:
        lower, upper = tree.inherited_bounds(root_bounds)
    else:  # the same everywhere
        lower, upper = ([end] for end in root_bounds or local.get(tree.root_id, NO_BOUNDS))
        if not tree.exact:
            lower, upper = ([*map(float, end)] for end in (lower, upper))
    # Without rewards, bounds are compared as they are written.
    eps: Any = 0
    if columns.pays and tree.roundoff:
        part = Fraction(tree.roundoff) * len(tree) if tree.exact else SUM_TOLERANCE
        eps = part * tree.greatest_magnitude
    n = -1
    while (n := columns.scan(scans.next_outside, lower, upper, eps, n + 1)) >= 0:
        row = min(n, len(lower) - 1)
        yield n, _outside(columns, n, lower[row], upper[row])


def _outside(columns: Columns, node: int, lower: Number, upper: Number) -> str:
    low, high = message_text(lower), message_text(upper)
    if lower > upper:
        return (
            f"the bounds on the way here leave no number (at least {low}, at most {high})\n"
            "correct the bounds"
        )
    what = NUMBER_WORDS[columns.kind[node]]
    shift = " (shifted by the rewards on the way here)" * columns.pays
    return (
        f"the {what} {message_text(columns.utility[node])} lies outside the bounds [{low}, "
        f"{high}]{shift}\nwiden the bounds, or correct the {what}"
    )


def with_attitude_number(tree: Tree) -> Tree:
    """Return a tree with the number that its parameters give its attitude; raise `TreeError`."""
    attitude = tree.attitude
    if attitude is None or attitude.formula is None:
        return tree
    domain = rounded_fractions() if tree.exact else FLOATS
    number = evaluate(attitude.formula, domain, ParameterValues(tree.parameters, domain))
    return replace(tree, attitude=replace(attitude, number=number))
