"""Formulas that are not rational functions: the range is sampled, and the report says so."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from math import exp, log, sqrt
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


@pytest.mark.parametrize("y", ["a*exp(k)*exp(1)", "exp(1)*exp(1)*exp(1)*a", "a/exp(-3)"])
def test_actions_that_agree_in_60_digits_tie(y: str) -> None:
    tree = et.loads(f"parameters: {{a: 0.1, k: 2}}\nmax: {{x: 'a*exp(k + 1)', y: '{y}', z: 1}}")
    found = et.sensitivity(tree, "a", range=("0.01", 1))
    assert [piece.best for piece in found.pieces] == [("z",), ("x", "y")]


def test_rounding_errors_of_constants_are_not_shown() -> None:
    text = "parameters: {a: 0.2, k: 2}\nmin: {x: '-a*exp(k)', y: {min: ['-1/2*exp(k)', 3]}}"
    found = et.sensitivity(et.loads(text), "a", range=(0, 1))
    assert [threshold.exact for threshold in found.thresholds] == [Fraction(1, 2)]
    assert [piece.end for piece in found.pieces] == [Fraction(1, 2), 1]
    assert "At 0.5 x and y tie at −3.694528049." in et.to_text(found)


@pytest.mark.parametrize(
    ("formulas", "place"),
    [
        ({"x": "a*exp(k)", "y": "1"}, exp(-2)),
        ({"x": "a*px", "y": "log(k)"}, log(2) / (1 - exp(-2))),  # a derived parameter
        ({"x": "a^2*sqrt(k)", "y": "1/2"}, (1 / 8) ** 0.25),
        ({"x": "a", "y": "max(1/3, k^-2)"}, 1 / 3),
        ({"x": "a*exp(k)*exp(1)", "y": "exp(k + 1)/2"}, 1 / 2),
        ({"x": "a", "y": "if(k < 3, exp(-k), 1/(k - 2))"}, exp(-2)),
        ({"x": "a/(1 + exp(-k)*a)", "y": "1/2"}, 1 / (2 - exp(-2))),
        ({"x": "a*abs(1 - k)", "y": "k^(1/2) - 1"}, sqrt(2) - 1),
    ],
)
def test_a_formula_without_the_moved_parameter_is_a_constant(
    formulas: dict[str, str], place: float
) -> None:
    written = ", ".join(f"{action}: '{formula}'" for action, formula in formulas.items())
    text = f"parameters: {{a: 0.1, k: 2, px: 1 - exp(-k)}}\nmax: {{{written}, never: '-px'}}"
    found = et.sensitivity(et.loads(text), "a", range=(0, 1))
    assert (found.method, found.reason) == ("60 digits", "")
    (one,) = [threshold for threshold in found.thresholds if threshold.before]
    assert float(one.middle) == pytest.approx(place, rel=1e-9)
    shown = " ".join(et.to_text(found).split())
    assert "verified on both sides, by evaluating the tree to 60 digits." in shown
    bar = et.tornado(et.loads(text), ["a"], ranges={"a": (0, 1)}).bars[0]
    assert (bar.method, len(bar.changes)) == ("60 digits", 1)


@pytest.mark.parametrize(
    "formula",
    ["exp(a)/2", "min(a, 1 - a) + 0.45", "if(a < 0.61, 2, 0)", "(a - 0.6)^2*exp(a) + 0.9"],
)
def test_arrays_change_no_result(formula: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without NumPy, or with an attitude to risk, each place is evaluated alone."""
    tree = et.loads(f"parameters: {{a: 0.3}}\nmax: {{x: '{formula}', y: 0.9, z: {{min: [a, 2]}}}}")
    found = et.sensitivity(tree, "a", range=(0, 1))
    monkeypatch.setattr("expectitree.decide.sensitivity.sampling.find_spec", lambda _: None)
    alone = et.sensitivity(tree, "a", range=(0, 1))
    assert [piece.best for piece in found.pieces] == [piece.best for piece in alone.pieces]
    for one, other in zip(found.thresholds, alone.thresholds, strict=True):
        assert abs(one.middle - other.middle) < Fraction(1, 10**8)
        assert abs(one.value - other.value) < Fraction(1, 10**12)
        assert (one.before, one.at, one.after) == (other.before, other.at, other.after)
