"""Piecewise rational functions on an interval, in exact arithmetic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cmp_to_key
from typing import TypeAlias

from expectitree.decide.algebra.polynomials import (
    ONE,
    ZERO,
    Root,
    between,
    compare,
    in_order,
    roots_between,
)
from expectitree.decide.algebra.rationals import Rational, combination


@dataclass(frozen=True)
class Piecewise:
    """A function on [left, right], which is a rational function between neighbouring breaks.

    It is continuous, except where its pieces have poles. Functions that are combined have the same
    ends.
    """

    pieces: tuple[Rational, ...]
    breaks: tuple[Root, ...] = ()  # in order, strictly between the ends; one fewer than pieces
    left: Root = ZERO
    right: Root = ONE

    def parts(self) -> Iterator[tuple[Rational, Root, Root]]:
        """Yield each piece with its ends."""
        ends = [self.left, *self.breaks, self.right]
        yield from zip(self.pieces, ends, ends[1:], strict=False)

    def __call__(self, x: Fraction) -> Fraction:
        """Return the value at x."""
        here = Root.at(x)
        return self.pieces[sum(compare(b, here) < 0 for b in self.breaks)](x)


# An open interval on which each of two functions is one rational function: its ends, and the two.
Cell: TypeAlias = tuple[Root, Root, Rational, Rational]


def cells(f: Piecewise, g: Piecewise) -> Iterator[Cell]:
    """Yield the cells between the breaks of two functions, from left to right."""
    left, i, j = f.left, 0, 0
    for right in in_order([*f.breaks, *g.breaks]):
        yield left, right, f.pieces[i], g.pieces[j]
        left = right
        i += i < len(f.breaks) and compare(f.breaks[i], right) == 0
        j += j < len(g.breaks) and compare(g.breaks[j], right) == 0
    yield left, f.right, f.pieces[-1], g.pieces[-1]


def scaled(factor: Rational, f: Piecewise) -> Piecewise:
    """Return the product of a function and a rational function."""
    return replace(f, pieces=tuple(factor * piece for piece in f.pieces))


def shifted(f: Piecewise, by: Rational) -> Piecewise:
    """Return the sum of a function and a rational function."""
    return replace(f, pieces=tuple(piece + by for piece in f.pieces)) if by.numerator else f


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
    ends: list[tuple[Root, Rational]] = []
    for here, factor, old, new in changes:
        if not ends or compare(ends[-1][0], here):
            ends.append((here, current))
        current = combination(((Fraction(1), current), (factor, new), (-factor, old)))
    return _joined([*ends, (terms[0][1].right, current)], terms[0][1].left)


def greatest_of(functions: Iterable[Piecewise], is_max: bool = True) -> Piecewise:
    """Return the upper envelope of the functions, or the lower one unless `is_max`.

    Merges the functions in pairs, as a tournament does.
    """
    waiting = list({(f.pieces, f.breaks): f for f in functions}.values())
    while len(waiting) > 1:
        pairs = zip(waiting[::2], waiting[1::2], strict=False)
        merged = [_joined(_greater_pieces(f, g, is_max), f.left) for f, g in pairs]
        waiting = merged + waiting[len(waiting) // 2 * 2 :]
    return waiting[0]


def _greater_pieces(f: Piecewise, g: Piecewise, is_max: bool) -> Iterator[tuple[Root, Rational]]:
    """Yield the pieces of the envelope of two functions, each with its right end."""
    for left, right, p, q in cells(f, g):
        change = p - q
        start = left
        for end in [*change.changes_between(left, right), right]:
            is_above = change.sign_at(between(start, end)) > 0
            yield end, p if is_above == is_max else q
            start = end


def where_equal(f: Piecewise, g: Piecewise) -> list[tuple[Root, Root]]:
    """Return the closed intervals where two functions are equal. They may touch, or be points."""
    found = []
    for left, right, p, q in cells(f, g):
        if p == q:
            found.append((left, right))
        else:
            change = p - q
            ends = [end for end in (left, right) if end.is_root_of(change.numerator)]
            roots = roots_between(change.numerator, left, right)
            found += [(root, root) for root in [*ends, *roots]]
    return found


def merged(intervals: Iterable[tuple[Root, Root]]) -> list[tuple[Root, Root]]:
    """Return closed intervals in order, where those that touch are one."""
    found: list[tuple[Root, Root]] = []
    key = cmp_to_key(compare)
    for start, end in sorted(intervals, key=lambda interval: key(interval[0])):
        if found and compare(start, found[-1][1]) <= 0:
            start, last = found.pop()
            end = end if compare(last, end) < 0 else last
        found.append((start, end))
    return found


def _joined(ends: Iterable[tuple[Root, Rational]], left: Root) -> Piecewise:
    """Return the function of pieces with their right ends; equal neighbours become one piece."""
    pieces: list[Rational] = []
    breaks: list[Root] = []
    for end, piece in ends:
        if pieces and pieces[-1] == piece:
            breaks[-1] = end
        else:
            pieces.append(piece)
            breaks.append(end)
    return Piecewise(tuple(pieces), tuple(breaks[:-1]), left, breaks[-1])
