"""Check the results that SilverDecisions stores in its files."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from expectitree.analysis.verify.checks import Check
from expectitree.base.numbers import Number, message_text, to_fraction
from expectitree.files.rows import Format
from expectitree.searches.engine import search_tree

# SilverDecisions rounds the values of formulas to fractions with denominators up to 10^7.
_TOLERANCE = Fraction(1, 10**9)


def stored_checks(text: str, name: str, format: Format) -> Iterator[Check]:
    """Yield a check of each stored value; raise `FileError` if the file cannot be read."""
    for results, tree in format.module.read_results(text, name):
        search, order = search_tree(tree), tree.first_paths.order
        for n, stored, mark in zip(order, results.payoffs, results.marks, strict=True):
            if stored is not None:
                path = tree.path_of(n)
                found, expected = search.value_of(path), to_fraction(stored)
                what, place = f"{results.what}: value of {path}", ("values", path)
                texts = message_text(expected), message_text(found)
                line, column = mark or (None, None)
                kept = _is_near(expected, found)
                yield Check(what, *texts, kept, place, line=line, column=column)


def _is_near(expected: Fraction, found: Number) -> bool:
    # In fractions, because a payoff such as exp(1000) is no float.
    return abs(expected - Fraction(found)) <= _TOLERANCE * (1 + abs(expected))
