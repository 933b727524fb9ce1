"""Rational functions of one variable, and piecewise ones on an interval, in exact arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import zip_longest
from math import gcd, lcm
from operator import itemgetter
from typing import TypeAlias

from expectitree.base.budget import spend
from expectitree.base.numbers import exact_text
from expectitree.decide.algebra.polynomials import (
    ONE,
    ZERO,
    Coefficients,
    Root,
    between,
    common_divisor,
    compare,
    derivative,
    in_order,
    primitive,
    quotient,
    roots_between,
    scaled_value,
    sign_at,
    size_of,
    trimmed,
)

# The limits of what is computed exactly; other functions are sampled or left out.
MAX_DEGREE = 60
MAX_QUOTIENT_DEGREE = 20  # of a function that is not a polynomial: common divisors take longer
MAX_BITS = 20_000  # of a coefficient
# An operation on a coefficient of up to 1,000 bits is a step. Evaluating a node in fractions takes
# 100. Of 30 kinds of trees, most take 0.6 to 2 million steps in a second, and none more than 2.5,
# except those that end at once. So what ends within 20 seconds keeps within these.
MAX_STEPS = 40_000_000
_PRECISION = 400  # bits, where constants have 60 digits, which are 200 bits
_ROUNDING = Fraction(1, 10**55)  # of the greatest coefficient, of constants with 60 digits
MAX_LENGTH = 60  # characters of a formula that is shown


@dataclass(frozen=True, slots=True)
class Rational:
    """A rational function in lowest terms, so equal ones compare equal.

    Coefficients are integers, lowest power first. The last one of the denominator is positive. A
    polynomial has a denominator of one coefficient.
    """

    numerator: Coefficients
    denominator: Coefficients

    @property
    def degree(self) -> int:
        """The highest power of either part; 0 for a constant."""
        return max(0, len(self.numerator) - 1, len(self.denominator) - 1)

    @property
    def bits(self) -> int:
        """The number of bits of the largest coefficient."""
        return max(map(abs, (*self.numerator, *self.denominator))).bit_length()

    @property
    def is_polynomial(self) -> bool:
        """Whether the denominator is a number."""
        return len(self.denominator) == 1

    @property
    def has_decimals(self) -> bool:
        """Whether the coefficients of a polynomial can be written as decimals."""
        divisor = self.denominator[0]
        return not any("/" in exact_text(Fraction(c, divisor)) for c in self.numerator)

    def __call__(self, x: Fraction) -> Fraction:
        """Return the value at x; raise `ZeroDivisionError` at a pole."""
        above, below = self.numerator, self.denominator
        scale = Fraction(x.denominator) ** (len(below) - len(above))
        return Fraction(scaled_value(above, x), scaled_value(below, x)) * scale

    def sign_at(self, x: Fraction) -> int:
        """Return the sign at a rational that is not a pole: -1, 0 or 1."""
        return sign_at(self.numerator, x) * sign_at(self.denominator, x)

    def changes_between(self, left: Root, right: Root) -> list[Root]:
        """Return the roots and the poles strictly between two roots, in order."""
        poles = roots_between(self.denominator, left, right)
        return in_order([*roots_between(self.numerator, left, right), *poles])

    def __add__(self, other: Rational) -> Rational:
        return combination(((Fraction(1), self), (Fraction(1), other)))

    def __sub__(self, other: Rational) -> Rational:
        return combination(((Fraction(1), self), (Fraction(-1), other)))

    def __neg__(self) -> Rational:
        return Rational(tuple(-c for c in self.numerator), self.denominator)

    def __mul__(self, other: Rational) -> Rational:
        return lowest_terms(
            times(self.numerator, other.numerator), times(self.denominator, other.denominator)
        )

    def __truediv__(self, other: Rational) -> Rational:
        if not other.numerator:
            raise ZeroDivisionError("the rational function divides by zero")
        return lowest_terms(
            times(self.numerator, other.denominator), times(self.denominator, other.numerator)
        )


VARIABLE = Rational((0, 1), (1,))


def shortened(p: Rational) -> Rational:
    """Return a polynomial whose coefficients are rounded to 400 bits of the greatest one."""
    if not p.is_polynomial or p.bits <= _PRECISION:
        return p
    (denominator,), size = p.denominator, max(map(abs, p.numerator))
    shift = max(0, _PRECISION + denominator.bit_length() - size.bit_length())
    return lowest_terms(trimmed([(c << shift) // denominator for c in p.numerator]), (1 << shift,))


def constant(value: Fraction) -> Rational:
    """Return the constant function."""
    return Rational(trimmed([value.numerator]), (value.denominator,))


def lowest_terms(numerator: Coefficients, denominator: Coefficients) -> Rational:
    """Return the quotient of two polynomials; the denominator is not 0."""
    spend(size_of(numerator) + size_of(denominator))
    if not numerator:
        return Rational((), (1,))
    if len(denominator) > 1 and len(numerator) > 1:
        common = common_divisor(primitive(numerator), primitive(denominator))
        numerator, denominator = _divided(numerator, common), _divided(denominator, common)
    content = gcd(*numerator, *denominator)
    if denominator[-1] < 0:
        content = -content
    if content != 1:
        numerator = tuple(c // content for c in numerator)
        denominator = tuple(c // content for c in denominator)
    return Rational(numerator, denominator)


def times(p: Coefficients, q: Coefficients) -> Coefficients:
    """Return the product of two polynomials."""
    if not p or not q:
        return ()
    spend(size_of(p) * size_of(q))
    total = [0] * (len(p) + len(q) - 1)
    for i, a in enumerate(p):
        for j, b in enumerate(q, i):
            total[j] += a * b
    return tuple(total)


def combination(terms: Iterable[tuple[Fraction, Rational]]) -> Rational:
    """Return the linear combination of functions: the sum of factor times function."""
    listed = [(factor, p) for factor, p in terms if factor and p.numerator]
    spend(sum(size_of(p.numerator) + size_of(p.denominator) for _, p in listed))
    if any(len(p.denominator) > 1 for _, p in listed):
        return _combined_quotients(listed)
    denominator = lcm(*(factor.denominator * p.denominator[0] for factor, p in listed))
    total = [0] * max((len(p.numerator) for _, p in listed), default=0)
    for factor, p in listed:
        scale = factor.numerator * (denominator // (factor.denominator * p.denominator[0]))
        for i, c in enumerate(p.numerator):
            total[i] += scale * c
    common = gcd(denominator, *total)
    return Rational(trimmed([c // common for c in total]), (denominator // common,))


def _combined_quotients(terms: Iterable[tuple[Fraction, Rational]]) -> Rational:
    """Return the same, over the product of the denominators without their common divisors."""
    total = Rational((), (1,))
    for factor, p in terms:
        common = common_divisor(primitive(total.denominator), primitive(p.denominator))
        # What each denominator lacks.
        ours = times(_divided(p.denominator, common), (factor.denominator,))
        theirs = times(_divided(total.denominator, common), (factor.numerator,))
        numerator = _sum(times(total.numerator, ours), times(p.numerator, theirs))
        total = lowest_terms(numerator, times(total.denominator, ours))
    return total


def _divided(p: Coefficients, divisor: Coefficients) -> Coefficients:
    """Return p / divisor for a primitive divisor; the division leaves no remainder."""
    content = gcd(*p)
    return tuple(content * c for c in quotient(primitive(p), divisor))


def _sum(p: Coefficients, q: Coefficients) -> Coefficients:
    return trimmed([a + b for a, b in zip_longest(p, q, fillvalue=0)])


def slope_of(p: Rational) -> Coefficients:
    """Return the numerator of the derivative: n' d - n d'."""
    n, d = p.numerator, p.denominator
    return _sum(times(derivative(n), d), times(times(n, derivative(d)), (-1,)))


def formula_text(
    value: Rational, name: str, times: str = "*", write: Callable[[Fraction], str] = exact_text
) -> str | None:
    """Return a function as a formula, such as `175 + 1800*pr`; None if it is long."""

    def term(size: Fraction, power: int) -> str:
        factor = write(size)
        if not power:
            return factor
        if "/" in factor:
            factor = f"({factor})"
        variable = name
        if power > 1:
            variable += f"^{power}"
        return variable if factor == "1" else f"{factor}{times}{variable}"

    def part(coefficients: Coefficients, denominator: int = 1) -> str:
        text = ""
        for power, c in enumerate(coefficients):
            if c:
                sign = " - " if c < 0 else " + "
                text += sign + term(Fraction(abs(c), denominator), power)
        if text.startswith(" - "):
            return f"-{text[3:]}"
        return text[3:] or "0"

    if value.is_polynomial:
        text = part(value.numerator, value.denominator[0])
    else:
        text = f"({part(value.numerator)})/({part(value.denominator)})"
    return text if len(text) <= MAX_LENGTH else None


# ---- Piecewise functions.

Interval: TypeAlias = tuple[Root, Root]  # both ends belong to it


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
        return self.pieces[sum(b < here for b in self.breaks)](x)


def agree(f: Piecewise, g: Piecewise) -> bool:
    """Return whether all coefficients of two functions differ by rounding only."""
    pairs = zip(f.pieces, g.pieces, strict=False)
    return len(f.pieces) == len(g.pieces) and all(
        _size_of(p - q) <= _size_of(p) * _ROUNDING for p, q in pairs
    )


def _size_of(p: Rational) -> Fraction:
    return Fraction(max(map(abs, p.numerator), default=0), max(map(abs, p.denominator)))


def cells(f: Piecewise, g: Piecewise) -> Iterator[tuple[Root, Root, Rational, Rational]]:
    """Yield the ends of each part on which two functions have one piece each, and both pieces."""
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
    changes.sort(key=itemgetter(0))
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


def where_equal(f: Piecewise, g: Piecewise) -> list[Interval]:
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


def merged(intervals: Iterable[Interval]) -> list[Interval]:
    """Return closed intervals in order, where those that touch are one."""
    found: list[Interval] = []
    for start, end in sorted(intervals, key=itemgetter(0)):
        if found and not found[-1][1] < start:
            start, last = found.pop()
            end = max(end, last)
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
