"""Polynomials with integer coefficients, and their real roots, in exact arithmetic.

A `Root` is a rational, or an interval that contains one root of a polynomial and can be narrowed
without end. Descartes' rule of signs on halved intervals isolates the roots (Collins and Akritas,
"Polynomial real root isolation using Descartes' rule of signs", 1976). The greatest common divisor
of two polynomials decides whether two of their roots are equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate, count, pairwise
from math import gcd, lcm
from typing import TypeAlias

from expectitree.base.budget import spend

# Lowest power first, the last one not 0; () is the polynomial 0.
Coefficients: TypeAlias = tuple[int, ...]

_PRIME = 2**61 - 1
_HALVINGS = 24  # of two overlapping intervals, before a common divisor decides
_LARGEST_DENOMINATOR = 2**80  # of a rational that `Root.simplify` looks for

TOLERANCE = Fraction(1, 10**9)  # the width of the interval around a root that is not rational
VALUE_TOLERANCE = Fraction(1, 10**24)  # the same, where the value of a function at it is computed
MIN_DIGITS = 3  # of a root that is not rational


# ---- Roots.


class Root:
    """A real algebraic number: a rational, or the only root of a polynomial between two rationals.

    A rational equals both `lower` and `upper`. Otherwise the root is simple, and the polynomial is
    not 0 at `lower` or `upper`.
    """

    __slots__ = ("_sign", "coefficients", "lower", "upper")

    def __init__(self, coefficients: Coefficients, lower: Fraction, upper: Fraction) -> None:
        self.coefficients, self.lower, self.upper = coefficients, lower, upper
        self._sign = sign_at(coefficients, lower) if lower < upper else 0

    def __lt__(self, other: Root) -> bool:
        return compare(self, other) < 0

    @classmethod
    def at(cls, value: Fraction) -> Root:
        """Return the root that is this rational."""
        return cls((-value.numerator, value.denominator), value, value)

    @property
    def exact(self) -> Fraction | None:
        """The rational, or None if the root is not known to be rational."""
        return self.lower if self.lower == self.upper else None

    def halve(self) -> None:
        """Narrow the interval to the half with the root, or to the middle if that is the root."""
        middle = (self.lower + self.upper) / 2
        sign = sign_at(self.coefficients, middle)
        if sign == 0:
            self.lower = self.upper = middle
        elif sign == self._sign:
            self.lower = middle
        else:
            self.upper = middle

    def simplify(self, denominator: int = _LARGEST_DENOMINATOR) -> None:
        """Make the root exact if it is a rational with at most this denominator.

        Two such rationals are at least 1 / denominator^2 apart, so a narrower interval holds one.
        """
        while self.upper - self.lower > Fraction(1, 2 * denominator**2):
            self.halve()
        guess = ((self.lower + self.upper) / 2).limit_denominator(denominator)
        if self.lower < guess < self.upper and sign_at(self.coefficients, guess) == 0:
            self.lower = self.upper = guess

    def is_root_of(self, p: Coefficients) -> bool:
        """Return whether a polynomial is 0 at this root."""
        return not p or _have_common_root(self.coefficients, primitive(p), self.lower, self.upper)


ZERO, ONE = Root.at(Fraction(0)), Root.at(Fraction(1))


def compare(a: Root, b: Root) -> int:
    """Return -1 if a < b, 0 if a = b, and 1 if a > b."""
    for halvings in count():
        if a is b or (a.exact is not None and a.exact == b.exact):
            return 0
        # If two intervals meet in one point, it is a root of at most one of the polynomials.
        if a.upper <= b.lower:
            return -1
        if b.upper <= a.lower:
            return 1
        lower, upper = max(a.lower, b.lower), min(a.upper, b.upper)
        if halvings == _HALVINGS and _have_common_root(
            a.coefficients, b.coefficients, lower, upper
        ):
            return 0
        _halve(a, b)
    raise AssertionError("counting never ends")


def _have_common_root(p: Coefficients, q: Coefficients, lower: Fraction, upper: Fraction) -> bool:
    """Return whether two primitive polynomials have a common root in an interval.

    One of them has a single root there, which is simple, or the interval is one point.
    """
    if lower == upper:
        return sign_at(p, lower) == sign_at(q, lower) == 0
    common = common_divisor(p, q)
    return sign_at(common, lower) != sign_at(common, upper)


def between(a: Root, b: Root) -> Fraction:
    """Return a rational strictly between two roots a < b."""
    while a.upper >= b.lower:
        _halve(a, b)
    return (a.upper + b.lower) / 2


def _halve(*roots: Root) -> None:
    for root in roots:
        if root.exact is None:
            root.halve()


def in_order(roots: Iterable[Root]) -> list[Root]:
    """Return the roots from least to greatest, without duplicates."""
    found: list[Root] = []
    for root in sorted(roots):
        if not found or compare(found[-1], root):
            found.append(root)
    return found


def place_of(root: Root, tolerance: Fraction = TOLERANCE) -> Fraction:
    """Return a root: a rational, or the middle of an interval within the tolerance around it."""
    lower, upper = enclose(root, tolerance=tolerance)
    return (lower + upper) / 2


def enclose(
    root: Root, neighbours: Sequence[Root] = (), tolerance: Fraction = TOLERANCE
) -> tuple[Fraction, Fraction]:
    """Return a rational root twice, or two decimals around it, one unit of the last digit apart.

    The decimals are within the tolerance, have three digits or more, and do not enclose a
    neighbour.
    """
    root.simplify()
    step = tolerance
    while root.exact is None:
        lower = root.lower // step * step
        upper = lower + step
        has_digits = min(abs(lower), abs(upper)) >= 10 ** (MIN_DIGITS - 1) * step
        if root.upper <= upper and has_digits:
            ends = Root.at(lower), Root.at(upper)
            if not any(compare(ends[0], n) <= 0 <= compare(ends[1], n) for n in neighbours):
                return lower, upper
        step /= 10
        root.simplify(step.denominator)
    return root.exact, root.exact


def power_of_ten(width: Fraction) -> Fraction:
    """Return the greatest power of ten that is at most a width."""
    return Fraction(10) ** (Decimal(width.numerator) / Decimal(width.denominator)).adjusted()


def roots_between(p: Coefficients, left: Root, right: Root) -> list[Root]:
    """Return the roots of a polynomial that is not 0, strictly between two roots, in order."""
    if len(p) <= 1:
        return []
    found = _isolate(primitive(p), left.lower, right.upper)
    return [root for root in found if left < root < right]


def _isolate(p: Coefficients, lower: Fraction, upper: Fraction) -> list[Root]:
    """Return the roots of a polynomial strictly between two rationals, in order.

    1. Divide out the roots at both ends, and make p square-free.
    2. Let q have in (0, 1) the roots that p has between the ends. By Descartes' rule, the sign
       changes in the coefficients of (1 + t)^d q(1 / (1 + t)) exceed the number of roots by an even
       number. So 0 and 1 are exact.
    3. Otherwise halve the interval. Divide out a root in the middle.
    """
    p = _without_root(_without_root(p, lower), upper)
    if len(p) < 2:
        return []
    if len(p) == 2:
        root = Fraction(-p[0], p[1])
        return [Root.at(root)] if lower < root < upper else []
    p = _square_free(p)
    found = []
    cells = [(_stretched(p, lower, upper), lower, upper)]
    while cells:
        q, a, b = cells.pop()
        changes = _count_changes(q)
        if changes == 1:
            found.append(Root(p, a, b))
        elif changes > 1:
            middle = (a + b) / 2
            first_half = tuple(c << (len(q) - 1 - i) for i, c in enumerate(q))
            second_half = _shifted(first_half, 1)
            if second_half[0] == 0:
                rest = _isolate(_without_root(p, middle), lower, upper)
                return in_order([Root.at(middle), *rest])
            cells += [(second_half, middle, b), (first_half, a, middle)]
    return found


def _count_changes(q: Coefficients) -> int:
    signs = [c > 0 for c in _shifted(q[::-1], 1) if c]
    return sum(a != b for a, b in pairwise(signs))


def _stretched(p: Coefficients, lower: Fraction, upper: Fraction) -> Coefficients:
    """Return a multiple of p(lower + (upper - lower) x)."""
    common = lcm(lower.denominator, upper.denominator)
    start, width = int(lower * common), int((upper - lower) * common)
    scaled = [c * common ** (len(p) - 1 - i) for i, c in enumerate(p)]
    return primitive([c * width**i for i, c in enumerate(_shifted(scaled, start))])


# ---- Coefficients.


def _shifted(p: Sequence[int], by: int) -> Coefficients:
    """Return p(x + by), by repeated synthetic division (Horner)."""
    spend(size_of(p) * len(p) // 16)
    if not by:
        return tuple(p)
    row = list(p[::-1])
    for end in range(len(row), 1, -1):
        row[:end] = accumulate(row[:end], lambda total, c: total * by + c)
    return tuple(row[::-1])


def size_of(p: Sequence[int]) -> int:
    """Return the steps of one operation on each coefficient: a long one takes several."""
    return len(p) + sum(map(int.bit_length, p)) // 1_000


def sign_at(p: Coefficients, x: Fraction) -> int:
    """Return the sign of a polynomial at a rational: -1, 0 or 1."""
    value = scaled_value(p, x)
    return (value > 0) - (value < 0)


def scaled_value(p: Coefficients, x: Fraction) -> int:
    """Return p(x) times the denominator of x to the power of the degree, an integer."""
    spend(size_of(p))
    total, power = 0, 1
    for c in reversed(p):
        total = total * x.numerator + c * power
        power *= x.denominator
    return total


def trimmed(p: Sequence[int]) -> Coefficients:
    """Return coefficients without leading zeros."""
    end = len(p)
    while end and p[end - 1] == 0:
        end -= 1
    return tuple(p[:end])


def primitive(p: Sequence[int]) -> Coefficients:
    """Return coefficients without leading zeros, divided by their common divisor."""
    common = gcd(*p) or 1
    return trimmed([c // common for c in p])


def _without_root(p: Coefficients, root: Fraction) -> Coefficients:
    while len(p) > 1 and sign_at(p, root) == 0:
        p = quotient(p, (-root.numerator, root.denominator))
    return p


def derivative(p: Coefficients) -> Coefficients:
    """Return the derivative of a polynomial."""
    return tuple(i * c for i, c in enumerate(p))[1:]


def _square_free(p: Coefficients) -> Coefficients:
    return quotient(p, common_divisor(p, primitive(derivative(p))))


def quotient(p: Coefficients, divisor: Coefficients) -> Coefficients:
    """Return p / divisor for primitive polynomials; the division leaves no remainder."""
    rest, found = list(p), []
    while len(rest) >= len(divisor):
        factor = rest[-1] // divisor[-1]
        found.append(factor)
        start = len(rest) - len(divisor)
        for i, c in enumerate(divisor):
            rest[start + i] -= factor * c
        rest.pop()
    return tuple(found[::-1])


def common_divisor(p: Coefficients, q: Coefficients) -> Coefficients:
    """Return the greatest common divisor of two primitive polynomials, by Euclid's algorithm.

    Polynomials without a common divisor modulo a prime have none. Testing this first takes 1 ms for
    degree 40 with 500-bit coefficients, and Euclid's algorithm on the integers 1.5 s.
    """
    if p[-1] % _PRIME or q[-1] % _PRIME:
        a, b = (trimmed([c % _PRIME for c in x]) for x in (p, q))
        while b:
            a, b = b, trimmed([c % _PRIME for c in _remainder(a, b)])
        if len(a) == 1:
            return (1,)
    while q:
        p, q = q, primitive(_remainder(p, q))
    return p


def _remainder(p: Coefficients, divisor: Coefficients) -> Sequence[int]:
    """Return a multiple of the remainder of p / divisor."""
    rest = list(p)
    spend(size_of(divisor) * max(1, len(p) - len(divisor)))
    while len(rest) >= len(divisor):
        top, start = rest.pop(), len(rest) - len(divisor) + 1
        common = gcd(top, divisor[-1])
        ours, theirs = top // common, divisor[-1] // common
        rest = [theirs * c for c in rest]
        for i, c in enumerate(divisor[:-1]):
            rest[start + i] -= ours * c
    return rest
