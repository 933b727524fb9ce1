"""The parts of a parameter's range, each with its best actions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from expectitree.decide.algebra.polynomials import Root, compare
from expectitree.decide.algebra.rationals import Rational
from expectitree.decide.algebra.thresholds import Decision, place_of


@dataclass(frozen=True)
class Piece:
    """A part of the range on which the set of best actions is constant.

    Attributes:
        start: The left end of the part.
        end: The right end.
        best: The best actions; empty if no player decides at the root.
        value: The root's value, if it is one rational function on the whole part.
    """

    start: Fraction
    end: Fraction
    best: tuple[str, ...]
    value: Rational | None


def pieces_of(decision: Decision) -> Iterator[Piece]:
    """Yield the parts of the range on which the set of best actions is constant."""
    changes, left = decision.changes, decision.changes[0]
    for here, later in zip(changes[1:], [*changes[2:], None], strict=True):
        if later is None or here.after != left.after or here.at != left.after:
            yield _piece(decision, left.place, here.place, left.after)
            left = here


def _piece(decision: Decision, left: Root, right: Root, best: tuple[str, ...]) -> Piece:
    values = {
        value
        for value, start, end in decision.value.parts()
        if compare(start, right) < 0 and compare(left, end) < 0
    }
    start, end = place_of(left), place_of(right)
    best = () if best == ("",) else best  # no player decides at the root
    return Piece(start, end, best, values.pop() if len(values) == 1 else None)
