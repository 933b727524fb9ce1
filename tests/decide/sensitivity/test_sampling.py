"""Formulas that are not rational functions: the range is sampled, and the report says so."""

from __future__ import annotations

import json
from decimal import Decimal, localcontext
from fractions import Fraction
from math import exp, log, sqrt
from random import Random
from typing import Any

import pytest
from helpers import loads

import expectitree as et
from expectitree.decide.sensitivity.report import Sensitivity, added


def sampled(x: str, y: str = "1", exact: bool = False, ends: Any = (0, 1)) -> Sensitivity:
    text = f"parameters: {{a: 0.3, k: 2}}\nmax: {{x: '{x}', y: '{y} + 0*k'}}"
    found = et.sensitivity(loads(text, exact=exact), "a", range=ends)
    assert found.method == "sampled"
    text = " ".join(et.to_text(found).split())
    assert f"Found by sampling, since {found.reason}: narrower parts may be missed." in text
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("x", "y", "places", "reason"),
    [
        ("exp(a)", "2", [log(2)], "a formula uses exp"),
        ("min(a, 1 - a)", "1/4", [0.25, 0.75], "a formula uses min"),
        ("max(a, 1 - a)", "3/4", [0.25, 0.75], "a formula uses max"),
        ("abs(a - 1/2)", "1/4", [0.25, 0.75], "a formula uses abs"),
        ("if(a < 1/3, 2, 0)", "1", [1 / 3], "a formula uses <"),
        ("2^a", "3/2", [log(1.5) / log(2)], "a formula uses a power that is not a whole number"),
        ("a^k - a^(k + a)", "1/8", None, "a formula uses a power that is not a whole number"),
    ],
)
def test_a_function_that_is_not_rational_is_sampled(
    x: str, y: str, places: list[float] | None, reason: str
) -> None:
    found = sampled(x, y)
    assert found.reason == reason
    assert found.actions == {}
    if places is not None:
        assert [float(t.middle) for t in found.thresholds] == pytest.approx(places, abs=1e-8)
        assert all(t.before != t.after for t in found.thresholds)


@pytest.mark.parametrize(
    ("x", "y", "root", "shown"),
    [
        ("1100000*exp(-a*2)", "1000000", "0.0476550899021624", "0.047655089…"),
        ("exp(a)", "2", "0.6931471805599453", "0.69314718…"),
        ("sqrt(a)", "1/1000 + 1e-9", "0.000001000002000001", "0.000001…"),
        ("a^0.3", "(1/2)^0.3*exp(3e-13)", "0.5000000000005", "≈ 0.5"),
        ("log(a + 1)", "0.1 + 1e-40", "0.10517091807564763", "0.105170918…"),
    ],
)
def test_only_known_digits_of_a_sampled_threshold_are_shown(
    x: str, y: str, root: str, shown: str
) -> None:
    found = sampled(x, y)
    (one,) = found.thresholds
    assert one.lower < Fraction(root) < one.upper
    assert one.upper - one.lower <= Fraction(1, 10**9)
    assert f"At {shown} " in et.to_text(found)
    assert one.exact is None
    (row,) = json.loads(et.to_json(found))["thresholds"]
    assert Fraction(row["at_lower"]) < Fraction(root) < Fraction(row["at_upper"])


def test_a_difference_far_below_the_greatest_total_is_a_difference() -> None:
    found = sampled("exp(a) + 1e-30*a - 1e12", "exp(a) + 3e-31 - 1e12")
    (one,) = found.thresholds
    assert one.lower < Fraction(3, 10) < one.upper
    assert one.upper - one.lower < Fraction(1, 10**9)
    assert (one.before, one.after) == (("y",), ("x",))
    assert "At ≈ 0.3 y and x tie at" in et.to_text(found)


def test_actions_that_agree_in_all_digits_are_equal() -> None:
    found = sampled("exp(a)*exp(1)", "exp(a + 1)")
    assert [piece.best for piece in found.pieces] == [("x", "y")]


def test_a_value_that_jumps_is_no_tie() -> None:
    for x in ("if(a < 1/2, 2, 0)", "if(a >= 1/2, 0, 2)"):
        (one,) = sampled(x).thresholds
        assert one.lower < Fraction(1, 2) <= one.upper
        assert (one.before, one.at, one.after) == (("x",), (), ("y",))
    found = et.to_text(sampled("if(a < 1/2, 2, 0)"))
    assert "At ≈ 0.5 the value jumps, and the best action changes from x to y." in found


def test_rational_functions_that_are_sampled_have_exact_ties() -> None:
    found = sampled("max(a, 1 - a)", "3/4")
    three = Fraction(3, 4)
    assert [(t.exact, t.value) for t in found.thresholds] == [(1 - three, three), (three, three)]


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


def test_formulas_that_are_reached_only_in_a_part_of_the_range() -> None:
    text = """
parameters: {a: 0.3, k: 2}
max:
  x: {chance: {l: {p: 'if(a < 0.5, 0, 1)', max: {u: exp(k), v: 7}}, r: {p: rest, utility: 1}}}
  y: 5
"""
    found = et.sensitivity(et.loads(text), "a", range=(0, 1))
    assert [piece.best for piece in found.pieces] == [("y",), ("x",)]
    assert found.thresholds[0].at == ()


def test_several_changes_between_two_points_that_bisection_meets() -> None:
    # y is best from 0.5 to 0.5007 only, between two of the 200 points; x and z around it.
    text = """parameters: {a: 0.3}
max: {x: 'if(a < 0.5, 1, 0)', y: 'if(a < 0.5007, 0.5, 0)', z: 'if(a < 0.5007, 0, 1)'}
"""
    found = et.sensitivity(et.loads(text), "a", range=(0.0013, 1))
    assert [piece.best for piece in found.pieces] == [("x",), ("y",), ("z",)]
    assert [float(t.middle) for t in found.thresholds] == pytest.approx([0.5, 0.5007])
    assert [(t.before, t.after) for t in found.thresholds] == [(("x",), ("y",)), (("y",), ("z",))]


def test_a_part_on_which_two_actions_are_equal() -> None:
    found = sampled("max(a, 1/4)", "1/4", ends=(0, 1))
    assert [piece.best for piece in found.pieces] == [("x", "y"), ("x",)]
    assert float(found.pieces[0].end) == pytest.approx(0.25)
    back = sampled("max(1 - a, 1/4)", "1/4", ends=(0, 1))
    assert [piece.best for piece in back.pieces] == [("x",), ("x", "y")]


def test_a_sampled_range_is_cut_where_a_probability_leaves_its_own() -> None:
    text = """parameters: {a: 0.3}
max: {x: {chance: {l: {p: exp(a) - 1, utility: 1}, r: {p: rest, utility: 0}}}, y: 1/2}
"""
    tree = et.loads(text)
    found = et.sensitivity(tree, "a", range=(0, 1))
    bar = et.tornado(tree, ["a"], ranges={"a": (0, 1)}).bars[0]
    assert bar.range == found.range
    assert 0 <= bar.range.high - Fraction(log(2)) < Fraction(1, 10**8)  # p may exceed 1 by 1e-9
    assert bar.range.cut_from == (0, 1)
    assert found.range.why_cut.startswith("at a = 1: x/l: p is 1.71828 at a = 1, ")
    assert float(found.thresholds[0].middle) == pytest.approx(log(1.5))


@pytest.mark.slow
def test_bars_of_a_tornado_are_sampled_one_by_one() -> None:
    text = """parameters: {a: {value: 0.3, range: [0, 1]}, b: {value: 1, range: [0, 2]}}
max: {x: 'sqrt(a)', y: b/2}
"""
    tree = et.loads(text)
    found = et.tornado(tree)
    assert [(b.range.name, b.method) for b in found.bars] == [("a", "sampled"), ("b", "60 digits")]
    root = tree.columns.utility[tree.find("x").id]  # 60 digits of it
    assert float(root) == sqrt(0.3)
    near, (first, second) = Fraction(1, 10**58), found.bars
    assert (first.least, first.greatest, second.greatest) == (Fraction(1, 2), 1, 1)
    assert abs(second.least - root) < near
    assert "Found by sampling: a." in et.to_text(found)
    fixed = et.tornado(tree, fixed=True)
    ends = [(bar.least, bar.greatest, bar.thresholds) for bar in fixed.bars]
    assert ends[0] == (0, 1, ())
    assert all(abs(end - root) < near for end in ends[1][:2])


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


def test_an_amount_needs_no_exact_formulas() -> None:
    found = added(et.loads("parameters: {a: 0.3}\nmax: {x: 'exp(a)', y: 1}"), "y")
    assert found.method == "60 digits"
    assert float(found.thresholds[0].middle) == pytest.approx(exp(0.3) - 1, rel=1e-15)


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


def test_sampling_ends_after_some_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXPECTITREE_BUDGET", "1e-9")
    message = "evaluating 3 nodes at hundreds of values of a takes more than 0 steps: make "
    with pytest.raises(et.TreeError, match=f"{message}.*or set EXPECTITREE_BUDGET=1e-08 for ten"):
        sampled("exp(a)")


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
