"""Formulas that are not quotients of polynomials: the range is sampled, and the report says so."""

from __future__ import annotations

from fractions import Fraction
from math import exp, log, sqrt
from typing import Any

import pytest
from helpers import loads

import expectitree as et
from expectitree.analysis.sensitivity.report import Sensitivity
from expectitree.errors import AnalysisError


def sampled(x: str, y: str = "1", exact: bool = False, ends: Any = (0, 1)) -> Sensitivity:
    text = f"parameters: {{a: 0.3, k: 2}}\nmax: {{x: '{x}', y: '{y} + 0*k'}}"
    found = et.sensitivity(loads(text, exact=exact), "a", range=ends)
    assert found.method == "sampled"
    text = " ".join(et.to_text(found).split())
    assert f"Found by sampling, since {found.reason}: narrower parts may be missed." in text
    return found


@pytest.mark.parametrize(
    ("x", "y", "places", "reason"),
    [
        ("exp(a)", "2", [log(2)], "x: 'exp(a)' has no exact value at a = 0.3"),
        ("a*exp(k)", "1", [exp(-2)], "x: 'exp(k)' has no exact value at k = 2"),
        ("min(a, 1 - a)", "1/4", [0.25, 0.75], "a formula uses min"),
        ("max(a, 1 - a)", "3/4", [0.25, 0.75], "a formula uses max"),
        ("abs(a - 1/2)", "1/4", [0.25, 0.75], "a formula uses abs"),
        ("if(a < 1/3, 2, 0)", "1", [1 / 3], "a formula uses <"),
        ("2^a", "3/2", [log(1.5) / log(2)], "x: '2^a' has no exact value at a = 0.3"),
        ("a^k - a^(k + a)", "1/8", None, "x: 'a^(k + a)' has no exact value at a = 0.3, k = 2"),
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


def test_an_exact_tree_is_sampled_in_fractions() -> None:
    found = sampled("sqrt(a^2)", "1/3", exact=True, ends=(0, 1))
    assert found.reason == "a formula uses sqrt"
    (one,) = found.thresholds
    assert one.lower <= Fraction(1, 3) <= one.upper
    assert one.upper - one.lower < Fraction(1, 10**8)


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


def test_a_probability_that_leaves_its_range_between_points_is_an_error() -> None:
    text = """parameters: {a: 0.3}
max: {x: {chance: {l: {p: exp(a) - 1, utility: 1}, r: {p: rest, utility: 0}}}, y: 1/2}
"""
    tree = et.loads(text)
    message = (
        r"^x/l: p is 1.00\d+ at a = 0.69\d+, expected a number from 0 to 1: change the formula or "
        "a parameter; or give a a smaller range$"
    )
    with pytest.raises(AnalysisError, match=message):
        et.sensitivity(tree, "a", range=(0, 1))
    with pytest.raises(AnalysisError, match=message):
        et.tornado(tree, ["a"], ranges={"a": (0, 1)})
    found = et.sensitivity(tree, "a", range=(0, 0.69))
    assert float(found.thresholds[0].middle) == pytest.approx(log(1.5))


def test_bars_of_a_tornado_are_sampled_one_by_one() -> None:
    text = """parameters: {a: {value: 0.3, range: [0, 1]}, b: {value: 1, range: [0, 2]}}
max: {x: 'sqrt(a)', y: b/2}
"""
    tree = et.loads(text)
    found = et.tornado(tree)
    assert [(bar.range.name, bar.method) for bar in found.bars] == [
        ("a", "sampled"), ("b", "sampled"),
    ]  # fmt: skip
    assert [(bar.least, bar.greatest) for bar in found.bars] == [
        (Fraction(1, 2), 1), (Fraction(repr(sqrt(0.3))), 1),
    ]  # fmt: skip
    assert "Found by sampling: a, b." in et.to_text(found)
    fixed = et.tornado(tree, fixed=True)
    assert [(bar.least, bar.greatest, bar.thresholds) for bar in fixed.bars] == [
        (0, 1, ()), (Fraction(repr(sqrt(0.3))), Fraction(repr(sqrt(0.3))), ()),
    ]  # fmt: skip


def test_an_amount_needs_no_exact_formulas() -> None:
    from expectitree.analysis.sensitivity.questions import added

    found = added(et.loads("parameters: {a: 0.3}\nmax: {x: 'exp(a)', y: 1}"), "y")
    assert found.method == "exact"
    assert float(found.thresholds[0].middle) == pytest.approx(exp(0.3) - 1)
