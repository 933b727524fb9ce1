"""Formulas that are not rational functions: the range is sampled, and the report says so."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from random import Random

import pytest

import expectitree as et


@pytest.mark.parametrize(
    "seed", [*range(2), *(pytest.param(s, marks=pytest.mark.slow) for s in range(2, 25))]
)
def test_random_trees_are_sampled_as_their_definition(seed: int) -> None:
    """Formulas with functions have their thresholds where `decimal` finds them."""
    random = Random(seed)
    rate, growth = random.randint(1, 9), random.choice([random.randint(1, 9), 12_345])
    text = f"""
parameters: {{a: 0.3, b: 'a*{rate}', c: 2}}
max:
  wait: {{chance: {{win: {{p: exp(-b), utility: '{growth}*c'}}, lose: {{p: rest, utility: 0}}}}}}
  now: {{reward: -1, min: {{x: '{growth} + 1', y: {{chance: [{growth + 1}, {growth + 2}]}}}}}}
"""
    found = et.sensitivity(et.loads(text), "a", range=(0, 1))
    (one,) = found.thresholds
    with localcontext() as context:
        context.prec = 50
        root = Fraction(Decimal(2).ln() / rate)  # 2 growth exp(-rate a) = growth
    assert one.lower < root < one.upper
    assert one.upper - one.lower <= Fraction(1, 10**9)
    assert abs(one.value - growth) < Fraction(growth, 10**15)
