"""A number may have a percent sign wherever it stands, and a parameter's numbers their unit."""

from __future__ import annotations

from fractions import Fraction

import pytest

import expectitree as et

TREE = "max: {x: {chance: {u: {p: q, utility: 1}, v: {p: rest, utility: a}}}, y: 3}"


@pytest.mark.parametrize(
    ("q", "a", "expected"),
    [
        ("{value: 30%, range: [10%, 50%]}", "2", (Fraction(1, 10), Fraction(1, 2))),
        ("{value: 0.5, range: [2.5%, 100%]}", "1", (Fraction(1, 40), 1)),
        ("{value: 50%, range: [1/4, 75%]}", "1", (Fraction(1, 4), Fraction(3, 4))),
        ("{value: 0.5, distribution: 'uniform(10%, 50%)'}", "2", None),
        ("{distribution: {discrete: {10%: 50%, 0.5: 50%}}}", "2", None),
    ],
)
def test_a_percentage_is_a_number(q: str, a: str, expected: object) -> None:
    tree = et.loads(f"parameters: {{q: {q}, a: {a}}}\n{TREE}")
    assert tree.parameters["q"].range == expected


@pytest.mark.parametrize(
    "a",
    [
        "{value: 300000, unit: $, range: [250000, 350000]}",
        "{value: 300000, unit: $, range: [250000 $, 350000 $]}",
        "{value: 300000, unit: $, range: [$250000, $350000]}",
        "{value: 300000, unit: $, range: ['$250,000', '350,000 $']}",
        "{value: 300000, unit: $, range: [250,000 $, 350,000 $]}",
        "{value: '$300,000', unit: $, range: [$250,000, $350,000]}",
        "{unit: M€, value: 300000 M€, range: [250000 M€, 350,000 M€]}",
        "{unit: $, range: [250000, 350000], distribution: 'uniform($250000, 350000 $)'}",
    ],
)
def test_a_number_may_have_the_unit_of_its_parameter(a: str) -> None:
    tree = et.loads(f"parameters: {{q: 0.5, a: {a}}}\n{TREE}")
    assert tree.parameters["a"].range == (250_000, 350_000)
    assert et.evaluate(tree).value == 150_000.5


@pytest.mark.parametrize("text", ["$1,000", "1000 $", "1,000$", "100000%"])
def test_a_setting_may_have_the_unit(text: str) -> None:
    tree = et.loads(f"parameters: {{q: 0.5, a: {{value: 2, unit: $}}}}\n{TREE}")
    assert et.evaluate(tree.with_parameters(a=text)).value == 500.5


@pytest.mark.parametrize(
    "text",
    ["max: [50%, 25%]", "{max: [1/2, 25%], expect: {value: 50%}}", "{min: [0.5, 60%]}"],
)
def test_a_utility_may_be_a_percentage(text: str) -> None:
    assert et.evaluate(et.loads(text)).value == 0.5


@pytest.mark.parametrize("a", ["{value: 5 kg, unit: $}", "{value: 5 $, unit: €}", "5 $"])
def test_another_unit_is_an_error(a: str) -> None:
    with pytest.raises(et.FileError, match="parameter a"):
        et.loads(f"parameters: {{q: 0.5, a: {a}}}\n{TREE}")
