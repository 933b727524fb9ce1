"""Warnings about the values and the units of parameters."""

from __future__ import annotations

import pytest
from helpers import cases, for_each, run_main

import expectitree as et
from expectitree.files.grammar.inputs import _SHARES


def warnings_of(parameters: str, formula: str = "a", more: str = "") -> list[str]:
    """Return the warnings about a tree of one formula, without the tree's name."""
    tree = et.loads(f"parameters: {{{parameters}}}\nmax: {{x: '{formula}', y: 1{more}}}")
    return [warning.partition(": ")[2] for warning in tree.warnings]


# ---- Values.

VALUES = cases("formulas", "values")


@pytest.mark.parametrize(("parameter", "found"), VALUES)
def test_a_value_outside_of_its_range_or_distribution(parameter: str, found: str) -> None:
    for parameters, formula in ((f"a: {{{parameter}}}", "a"), (f"a: {{{parameter}}}, b: 2*a", "b")):
        warnings = warnings_of(parameters, formula)
        assert len(warnings) == bool(found)
        for warning in warnings:
            assert warning.startswith("parameter a: the value ")
            assert warning.endswith(f" is outside {found}: correct one of them")


def test_the_warning_in_a_terminal() -> None:
    done = run_main("eval", "-e", "{parameters: {p: {value: 0.9, range: [0, 0.5]}}, max: [p, 1]}")
    assert done.err == (
        "-e: warning: parameter p: the value 0.9 is outside its range, 0 to 0.5\n"
        "help: correct one of them\n"
    )


@for_each("seed", range(3), range(3, 30))
def test_shares_are_those_of_draws(seed: int) -> None:
    """A share of 20,000 draws is within 0.015 of the right one."""
    np = pytest.importorskip("numpy")
    from expectitree.decide.simulation.draws import family

    random = np.random.default_rng(seed)
    a, b = (float(10 ** random.uniform(-1, 3)) for _ in range(2))
    low, mode, high = sorted(random.uniform(0, 9, 3))
    numbers: dict[str, tuple[float, ...]] = {
        "beta": (a, b), "gamma": (a, b), "lognormal": (a / 100, b / 1_000),
        "normal": (a, b), "triangular": (low, mode, high), "uniform": (low, high),
        "pert": (low, mode, high), "weibull": (a, b),
    }  # fmt: skip
    assert {*numbers} == {*_SHARES}
    for name, own in numbers.items():
        draws = family(name)(random, *own, size=20_000)
        for quantile in (0.005, 0.1, 0.5, 0.9, 0.995):
            x = float(np.quantile(draws, quantile))
            if 0 < x < 1 or name != "beta":
                assert _SHARES[name](x, *own) == pytest.approx(quantile, abs=0.015)


# ---- Units.


@pytest.mark.parametrize(("parameters", "formula", "more", "found"), cases("formulas", "units"))
def test_mixed_units(parameters: str, formula: str, more: str, found: str) -> None:
    warnings = [one for one in warnings_of(parameters, formula, more) if "not used" not in one]
    added = "which are added or compared: write both in one unit"
    assert warnings == ([f"{found}, {added}"] if found else [])


def test_the_units_of_criteria() -> None:
    text = """parameters: {a: {value: 2, unit: k$}, wtp: {value: 3, unit: $}}
criteria: {cost: {unit: $}, effect: {unit: QALY}}
objective: wtp*effect - cost
max: {x: {utility: {cost: AMOUNT, effect: 1}}, y: {utility: {cost: 3, effect: 2}}}
"""
    (warning,) = et.loads(text.replace("AMOUNT", "a")).warnings
    assert "cost is in $, and a in k$, which are added" in warning
    assert [*et.loads(text.replace("AMOUNT", "1000*a")).warnings] == []
