"""Continuous, piecewise polynomial functions on [0, 1], in exact arithmetic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from typing import NamedTuple

from expectitree.analysis.opponents.polynomials import (
    ONE,
    ZERO,
    Polynomial,
    Root,
    between,
    blend,
    combination,
    compare,
    constant,
    difference,
    in_order,
    roots_between,
    sign_at,
)
from expectitree.numbers import Number


@dataclass(frozen=True)
class Piecewise:
    """A continuous function on [0, 1], which is a polynomial between neighbouring breaks."""

    pieces: tuple[Polynomial, ...]
    breaks: tuple[Root, ...] = ()  # in order, strictly between 0 and 1; one fewer than pieces

    def __call__(self, x: Fraction) -> Fraction:
        """Return the value at x."""
        here = Root.at(x)
        return self.pieces[sum(compare(b, here) < 0 for b in self.breaks)](x)


class Cell(NamedTuple):
    """An open interval on which each of two functions is one polynomial."""

    left: Root
    right: Root
    p: Polynomial
    q: Polynomial


def cells(f: Piecewise, g: Piecewise) -> Iterator[Cell]:
    """Yield the cells between the breaks of two functions, from 0 to 1."""
    left, i, j = ZERO, 0, 0
    for right in in_order([*f.breaks, *g.breaks]):
        yield Cell(left, right, f.pieces[i], g.pieces[j])
        left = right
        i += i < len(f.breaks) and compare(f.breaks[i], right) == 0
        j += j < len(g.breaks) and compare(g.breaks[j], right) == 0
    yield Cell(left, ONE, f.pieces[-1], g.pieces[-1])


def shifted(f: Piecewise, by: Number) -> Piecewise:
    """Return the function `f` plus a constant."""
    if not by:
        return f
    one, added = Fraction(1), constant(Fraction(by))
    return Piecewise(tuple(combination(((one, p), (one, added))) for p in f.pieces), f.breaks)


def blended(f: Piecewise, g: Piecewise) -> Piecewise:
    """Return (1 - x) f + x g."""
    return _joined((cell.right, blend(cell.p, cell.q)) for cell in cells(f, g))


def weighted_sum(terms: Sequence[tuple[Fraction, Piecewise]]) -> Piecewise:
    """Return the sum of factor times function.

    At each break, only the terms whose piece changes there are added and subtracted.
    """
    changes = [
        (b, factor, f.pieces[i], f.pieces[i + 1])
        for factor, f in terms
        for i, b in enumerate(f.breaks)
    ]
    place = cmp_to_key(compare)
    changes.sort(key=lambda change: place(change[0]))
    current = combination((factor, f.pieces[0]) for factor, f in terms)
    ends: list[tuple[Root, Polynomial]] = []
    for here, factor, old, new in changes:
        if not ends or compare(ends[-1][0], here):
            ends.append((here, current))
        current = combination(((Fraction(1), current), (factor, new), (-factor, old)))
    return _joined([*ends, (ONE, current)])


def greatest_of(functions: Iterable[Piecewise], is_max: bool = True) -> Piecewise:
    """Return the upper envelope of the functions, or the lower one unless `is_max`.

    Merges the functions in pairs, as a tournament does.
    """
    waiting = list({(f.pieces, f.breaks): f for f in functions}.values())
    while len(waiting) > 1:
        pairs = zip(waiting[::2], waiting[1::2], strict=False)
        merged = [_joined(_greater_pieces(f, g, is_max)) for f, g in pairs]
        waiting = merged + waiting[len(waiting) // 2 * 2 :]
    return waiting[0]


def _greater_pieces(f: Piecewise, g: Piecewise, is_max: bool) -> Iterator[tuple[Root, Polynomial]]:
    """Yield the pieces of the envelope of two functions, each with its right end."""
    for left, right, p, q in cells(f, g):
        change = difference(p, q)
        start = left
        for end in [*roots_between(change, left, right), right]:
            is_above = sign_at(change.coefficients, between(start, end)) > 0
            yield end, p if is_above == is_max else q
            start = end


def where_equal(f: Piecewise, g: Piecewise) -> list[tuple[Root, Root]]:
    """Return the closed intervals where two functions are equal. They may touch, or be points."""
    found = []
    for left, right, p, q in cells(f, g):
        if p == q:
            found.append((left, right))
        else:
            change = difference(p, q)
            ends = [end for end in (left, right) if end.is_root_of(change)]
            found += [(root, root) for root in [*ends, *roots_between(change, left, right)]]
    return found


def _joined(ends: Iterable[tuple[Root, Polynomial]]) -> Piecewise:
    """Return the function of pieces with their right ends; equal neighbours become one piece."""
    pieces: list[Polynomial] = []
    breaks: list[Root] = []
    for end, piece in ends:
        if pieces and pieces[-1] == piece:
            breaks[-1] = end
        else:
            pieces.append(piece)
            breaks.append(end)
    return Piecewise(tuple(pieces), tuple(breaks[:-1]))
