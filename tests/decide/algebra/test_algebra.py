"""Roots, rational functions and envelopes, against values in fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from random import Random

import pytest

from expectitree.decide.algebra import polynomials, rationals
from expectitree.decide.algebra.polynomials import ONE, ZERO, Coefficients, Root, compare
from expectitree.decide.algebra.rationals import VARIABLE, Piecewise, Rational, constant

F = Fraction


def product_of(roots: Sequence[Fraction]) -> Coefficients:
    """Return the coefficients of the polynomial with these roots."""
    coefficients = [F(1)]
    for root in roots:
        longer = [F(0), *coefficients]
        for i, c in enumerate(coefficients):
            longer[i] -= root * c
        coefficients = longer
    scale = prod(c.denominator for c in coefficients)
    return tuple(int(scale * c) for c in coefficients)


def test_all_roots_are_found_once() -> None:
    random = Random(7)
    for _ in range(150):
        roots = [
            F(random.randint(-4, 20), random.choice((3, 7, 8, 16)))
            for _ in range(random.randint(1, 7))
        ]
        left, right = sorted(random.sample([F(0), F(1, 8), F(1, 3), F(1, 2), F(6, 7), F(1)], 2))
        found = polynomials.roots_between(product_of(roots), Root.at(left), Root.at(right))
        for root in found:
            root.simplify()
        assert [root.exact for root in found] == sorted({r for r in roots if left < r < right})


def test_irrational_roots_are_compared_exactly() -> None:
    half = (-1, 0, 2)  # 2 x^2 - 1
    times = (1, -3, -2, 6)  # (2 x^2 - 1)(3 x - 1)
    near = (-(10**40) + 1, 0, 2 * 10**40)
    (one,) = polynomials.roots_between(half, ZERO, ONE)
    third, again = polynomials.roots_between(times, ZERO, ONE)
    (other,) = polynomials.roots_between(near, ZERO, ONE)
    assert compare(third, one) == compare(other, one) == -compare(one, other) == -1
    assert compare(one, again) == 0
    assert other.lower <= other.upper <= polynomials.between(other, one) <= one.lower
    assert one.is_root_of(times)
    assert not one.is_root_of(near)
    assert polynomials.in_order([again, third, one, other])[-1] is not other
    assert len(polynomials.in_order([again, third, one, other])) == 3
    one.simplify()
    assert one.exact is None


def test_what_is_between_two_roots_is_neither() -> None:
    (root,) = polynomials.roots_between((-1, 0, 2), ZERO, ONE)  # of 1/2
    upper, lower = Root.at(root.upper), Root.at(root.lower)
    assert lower.lower < polynomials.between(lower, root) < F(71, 100)
    assert F(70, 100) < polynomials.between(root, upper) < upper.lower
    times = (1, -3, -2, 6)  # (2 x^2 - 1)(3 x - 1)
    (third,) = polynomials.roots_between(times, ZERO, root)
    assert compare(third, Root.at(F(1, 3))) == 0
    assert polynomials.roots_between(times, root, ONE) == []
    assert polynomials.roots_between(times, third, root) == []


# ---- Quotients.


def test_equal_functions_are_equal_quotients() -> None:
    x, one = VARIABLE, constant(F(1))
    assert (x * x - one) / (x - one) == x + one
    assert (x - one) / (one - x) == constant(F(-1))
    assert x / x == one
    assert (x / (x + one)) * ((x + one) / x) == one
    assert x - x == constant(F(0)) == Rational((), (1,))
    half = x / (x + x)
    assert (half, half.is_polynomial, half.degree, half.bits) == (constant(F(1, 2)), True, 0, 2)
    with pytest.raises(ZeroDivisionError):
        one / (x - x)


def test_an_envelope_changes_at_roots_and_at_poles() -> None:
    third = VARIABLE - constant(F(1, 3))
    pole, flat = Piecewise((constant(F(1)) / third,)), Piecewise((constant(F(2)),))
    greatest = rationals.greatest_of([pole, flat])
    assert [b.exact for b in greatest.breaks] == [F(1, 3), F(5, 6)]
    assert [piece.is_polynomial for piece in greatest.pieces] == [True, False, True]
    again = rationals.scaled(third, greatest)
    for i in range(30):
        x = F(i, 29)
        assert greatest(x) == max(2, 1 / (x - F(1, 3)))
        assert again(x) == max(2 * x - F(2, 3), 1) if x > F(1, 3) else 2 * x - F(2, 3)
