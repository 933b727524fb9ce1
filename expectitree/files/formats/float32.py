"""Probabilities of 24 bits, as a table may have them."""

from __future__ import annotations

from expectitree.base.tree.columns import CHANCE, Columns, NumberColumn

NARROW = 6e-8  # the most by which rounding to 24 bits changes the sum of probabilities: 2^-24


def widen(tree: Columns, wide: NumberColumn) -> None:
    """Copy probabilities of 24 bits; divide those of outcomes by their sum if rounding changed it.

    Equal ones are then what they were. `adopt` reports a wrong range of branches, or a wrong sum.
    """
    kind, first, narrow = tree.kind, tree.first, tree.probability
    for n in range(len(kind)):
        begin = first[n]
        end = first[n + 1]
        if end > len(narrow):
            return
        total = 0.0
        lost = 0.0  # as in `adopt.find_fault`
        if kind[n] == CHANCE:
            for b in range(begin, end):
                p = float(narrow[b])
                new = total + p
                lost += (total - new) + p if total >= p else (p - new) + total
                total = new
        total += lost
        if not 1 - NARROW <= total <= 1 + NARROW:
            total = 1.0
        for b in range(begin, end):
            wide[b] = narrow[b] / total
