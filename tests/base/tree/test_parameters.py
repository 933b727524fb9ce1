"""Parameters and formulas of a tree: values, other values, checks, transforms."""

from __future__ import annotations

import copy
import math
import pickle
import time
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from helpers import ROOT, loads

import expectitree as et
from expectitree.base.errors import NumberError, TreeError
from expectitree.base.rounding import UNIT
from expectitree.base.tree.transform import in_fractions
from expectitree.searches.engine import search_tree

OIL = """
title: Sell the land, drill, or test first
parameters:
  pr: {value: 0.5, range: [0.3, 0.7]}
  sens: {value: 0.9, range: [0.8, 1]}
  spec: {value: 0.7, range: [0.5, 0.9]}
  p_plus: pr*sens + (1 - pr)*(1 - spec)
max:
  sell: 750
  install: {cost: 250, event: oil, chance: {oil: {p: pr, utility: 2500}, none: {p: rest, utility: 0}}}
  test:
    cost: 100
    chance:
      plus:
        p: p_plus
        max:
          install: {cost: 250, event: oil, chance: {oil: {p: sens*pr/p_plus, utility: 2500}, none: {p: rest, utility: 0}}}
          sell: 1000
      minus:
        p: rest
        max:
          install: {cost: 250, event: oil, chance: {oil: {p: (1 - sens)*pr/(1 - p_plus), utility: 2500}, none: {p: rest, utility: 0}}}
          sell: 500
"""  # fmt: skip  # noqa: E501


def oil(exact: bool = True, **parameters: Any) -> et.Tree:
    return loads(OIL, exact=exact, parameters=parameters)


def value(tree: et.Tree) -> Any:
    return search_tree(tree).value


@pytest.mark.parametrize(
    ("pr", "expected", "best"),
    [
        # The thresholds are 23/72 and 17/28; between them the value is 175 + 1800 pr.
        ("0", 750, ["sell"]),
        ("0.3", 750, ["sell"]),
        ("23/72", 750, ["sell", "test"]),
        ("1/2", 1075, ["test"]),
        ("17/28", Fraction(8875, 7), ["install", "test"]),
        ("70%", 1500, ["install"]),
        ("1", 2250, ["install"]),
    ],
)
def test_the_published_results_of_the_oil_well(pr: str, expected: Any, best: list[str]) -> None:
    tree = oil().with_parameters(pr=pr)
    search = search_tree(tree)
    assert search.value == expected
    assert sorted(search.ties) == best
    assert value(oil(pr=pr)) == expected
    assert value(oil(exact=False, pr=pr)) == pytest.approx(float(expected))
    assert value(in_fractions(oil(exact=False)).with_parameters(pr=pr)) == expected


def test_a_posterior_below_probability_0_needs_no_value() -> None:
    warnings: list[str] = []
    for exact in (False, True):
        tree = loads(OIL, exact=exact, warn=warnings.append, parameters={"spec": 1, "pr": 0})
        assert value(tree) == 750
        outcomes = tree.find("test/plus/install").branches
        assert [branch.p for branch in outcomes] == [Fraction(1, 2)] * 2
    divided = [warning for warning in warnings if "range" not in warning]
    assert divided == [
        "<text>: test/plus/install/oil: 'sens*pr/p_plus' divides by zero at sens = 0.9, pr = 0, "
        "p_plus = 0 (spec = 1); a value is not needed below an outcome of probability 0"
    ] * 2  # fmt: skip


def test_what_needs_no_value_is_within_the_bounds() -> None:
    text = """
        parameters: {x: 0}
        bounds: [5, 10]
        chance:
          a: {p: x, cost: 1/x, estimate: 1/x, max: [1/x, {bounds: [8, 9], utility: log(x)}]}
          b: {p: rest, utility: 6}
    """
    tree = et.loads(text)
    a = tree.find("a")
    assert value(tree) == 6
    assert [child.utility for child in a.children] == [5, 8]
    assert (a.estimate, tree.root.branches[0].reward) == (5, 0)


def test_a_shared_node_needs_a_value_if_one_way_to_it_is_possible() -> None:
    text = """
        parameters: {x: 0}
        nodes: {n: {max: [1/x, 2]}}
        max:
          - chance: [{p: x, ref: n}, {p: rest, utility: 1}]
          - SECOND
    """
    assert value(et.loads(text.replace("SECOND", "3"))) == 3
    with pytest.raises(et.FileError, match="'1/x' divides by zero"):
        et.loads(text.replace("SECOND", "{ref: n}"))


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ({"prr": 1}, TreeError, "unknown parameter 'prr' (did you mean 'pr'?): the parameters are "
         "pr, sens, spec, p_plus"),
        ({"p_plus": 0.5}, TreeError, "p_plus is derived: p_plus = pr*sens + (1 - pr)*(1 - spec); "
         "set pr or sens or spec instead"),
        ({"pr": "1 - 0.3"}, NumberError, "pr: '1 - 0.3' is not a number: write a decimal such as "
         "2, -4.5e3 or .9, or a fraction of integers such as 1/3, or 5%"),
        ({"pr": True}, NumberError, "pr: 'True' is not a number: write a decimal such as 2, "
         "-4.5e3 or .9, or a fraction of integers such as 1/3, or 5%"),
        ({"pr": 1.2}, TreeError, "test/plus: p is 1.14 at pr = 1.2, sens = 0.9, spec = 0.7, "
         "expected a number from 0 to 1: change the formula or a parameter"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("exact", [False, True])
def test_values_that_cannot_be_set(values: Any, error: Any, message: str, exact: bool) -> None:
    if "1.14" in message:
        message = message.replace("1.14", "1.02")
    with pytest.raises(error) as caught:
        oil(exact).with_parameters(**values)
    assert str(caught.value) == message


def test_a_tree_without_parameters_says_so() -> None:
    for function in (
        lambda: et.loads("max: [1, 2]").with_parameters(x=1),
        lambda: et.loads("max: [1, 2]", parameters={"x": 1}),
        lambda: et.from_dict({"max": [1, 2]}, parameters={"x": 1}),
        lambda: et.load(ROOT / "trees" / "risk.yaml", parameters={"x": 1}),
    ):
        with pytest.raises(TreeError, match=r"^unknown parameter 'x': the tree has no parameters$"):
            function()


def test_bounds_are_checked_at_new_values() -> None:
    tree = et.loads("{parameters: {x: 1}, bounds: [0, 3], max: [x, 2]}")
    assert value(tree.with_parameters(x=3)) == 3
    with pytest.raises(TreeError, match=r"^#1: the utility 4 lies outside the bounds"):
        tree.with_parameters(x=4)


def test_nested_dicts_have_parameters_too() -> None:
    data = {
        "parameters": {"x": 3, "y": {"value": "2*x", "range": [0, 1.5]}},
        "max": {"a": "y", "b": {"chance": [{"p": "1/x", "utility": 1}, {"p": "rest", "ref": "n"}]}},
        "nodes": {"n": "x^2"},
    }
    assert value(et.from_dict(data)) == Fraction(19, 3)
    assert value(et.from_dict(data, parameters={"x": 1})) == 2


def test_rest_is_what_decimals_leave_of_1() -> None:
    tree = et.loads(
        "{parameters: {x: 0.7}, chance: [{p: x, utility: 1}, {p: rest, utility: 2},"
        "{p: 0.2, utility: 0}, {p: rest, utility: 0}]}"
    )
    assert [branch.p for branch in tree.root.branches] == [0.7, 0.05, 0.2, 0.05]


def test_sums_of_formulas_that_nearly_miss_1_are_divided_out() -> None:
    text = "{parameters: {x: 0.3}, chance: [{p: x, utility: 1}, {p: 1 - x + MISS, utility: 2}]}"
    tree = et.loads(text.replace("MISS", "1e-12"))
    miss = Fraction(1, 10**12)
    assert value(tree) == (Fraction("1.7") + 2 * miss) / (1 + miss)
    assert value(tree.floats.with_parameters(x=0.4)) == pytest.approx(1.6)
    with pytest.raises(et.FileError, match=r"the probabilities sum to 1\.00000001 at x = 0\.3"):
        et.loads(text.replace("MISS", "1e-8"))


@pytest.mark.slow
def test_ten_thousand_derived_parameters_and_nested_sums_are_fast() -> None:
    names = [f"p{k}" for k in range(10_000)]
    lines = [f"  {name}: ({below} + {below})/2" for below, name in pairwise(names)]
    text = "parameters:\n  p0: 0.25\n" + "\n".join(lines) + "\nmax: [p9999, 0]\n"
    start = time.process_time()
    tree = et.loads(text)
    assert value(tree) == 0.25
    assert value(tree.with_parameters(p0=3)) == 3
    assert time.process_time() - start < 20


def test_a_message_about_parameters_with_many_ways_to_their_bases_is_fast() -> None:
    """Fibonacci numbers: each base would be met once for each way to it."""
    rules = ", ".join(f"p{n}: p{n - 1} + p{n - 2}" for n in range(2, 29))
    start = time.perf_counter()
    with pytest.raises(et.FileError, match=r"divides by zero at p28 = 317811 \(p1 = 1, p0 = 0\)"):
        et.loads(f"{{parameters: {{p0: 0, p1: 1, {rules}}}, max: [1/(p28 - 317811), 1]}}")
    assert time.perf_counter() - start < 5


def test_an_unused_parameter_gets_a_warning() -> None:
    for parameters, name in (("x: 1, y: 2", "y"), ("x: 1, y: x", "y"), ("x: 1, 'no': 1", "no")):
        warnings: list[str] = []
        et.loads(f"{{parameters: {{{parameters}}}, max: [x, 2]}}", warn=warnings.append)
        assert warnings == [f"<text>: the parameter {name} is not used"]
    names = ", ".join(f"p{k}: {k}" for k in range(100))
    et.loads(f"{{parameters: {{{names}}}, max: [p0, 2]}}", warn=warnings.append)
    assert warnings[21:] == ["<text>: more such warnings are left out"]


@pytest.mark.slow
def test_the_place_of_a_parameter_among_many_does_not_matter() -> None:
    def seconds(base: int) -> float:
        lines = [f"  p{k}: p{base} + {k}\n" for k in range(1, 8_000)]
        start = time.process_time()
        et.loads(f"parameters:\n  p0: 1\n{''.join(lines)}  p8000: 1\nmax: [p1, 0]\n")
        return time.process_time() - start

    assert seconds(8_000) < 2 * seconds(0) + 0.2


def test_a_tree_with_a_long_formula_can_be_copied() -> None:
    tree = et.loads(f"{{parameters: {{x: 2}}, max: ['{'+'.join('x' * 200)}', 1]}}")
    for other in (copy.deepcopy(tree), pickle.loads(pickle.dumps(tree))):
        assert other.formulas == tree.formulas
        assert value(other.with_parameters(x=3)) == 600


@pytest.mark.parametrize("parameters", [[("x", 4)], "x=4", 3, {3: 4}, {None: 4}])
def test_parameters_are_a_mapping_from_name_to_number(parameters: Any, tmp_path: Path) -> None:
    text = "{parameters: {x: 2}, max: [x, 1]}"
    path = tmp_path / "x.yaml"
    path.write_text(text, "utf-8")
    data = {"parameters": {"x": 2}, "max": ["x", 1]}
    for function, source in ((et.loads, text), (et.load, path), (et.from_dict, data)):
        with pytest.raises(TreeError, match=r"mapping from name to number, such as \{'pr': 0.3\}$"):
            function(source, parameters=parameters)  # type: ignore[arg-type, operator]


def test_a_value_that_is_ambiguous_or_not_finite_is_not_a_number() -> None:
    tree = et.loads("{parameters: {x: 2}, max: [x, 1]}")
    for number in ("1/2%", math.nan, math.inf, Decimal("nan"), Decimal("-inf"), None):
        with pytest.raises(NumberError, match=r"^x: .* is not a number: write a decimal"):
            tree.with_parameters(x=number)  # type: ignore[arg-type]


def test_a_number_has_no_limit_of_length() -> None:
    tree = et.loads("{parameters: {x: 2, y: x}, max: [y, -9]}")
    thirds = Fraction(10**500 + 1, 3 * 10**500)
    for number in (thirds, 10**5000, Decimal("0.10")):
        assert value(tree.with_parameters(x=number)) == Fraction(number)  # type: ignore[arg-type]
    assert value(tree.with_parameters(x=0.1)) == Fraction(1, 10)
    tiny = tree.with_parameters(x=Fraction(-1, 10**5000))  # of 16,610 bits: rounded to 200
    assert tiny.columns.utility[0] == Fraction(-1, 10**5000)
    assert abs(value(tiny) * 10**5000 + 1) <= Fraction(UNIT)


def test_a_long_number_in_a_tree_of_floats_is_rounded_or_refused() -> None:
    tree = loads("{parameters: {x: 2}, max: [x, -9]}", exact=False)
    assert value(tree.with_parameters(x=Fraction(10**500 + 1, 3 * 10**500))) == 1 / 3
    for number, limit in ((10**5000, "beyond"), (Fraction(1, 10**5000), "too small")):
        with pytest.raises(TreeError, match=rf"^#1: about 1e[+-]5000 is {limit}.*--exact$"):
            tree.with_parameters(x=number)


@pytest.mark.parametrize("format", ["yaml", "json"])
def test_a_number_that_is_too_long_for_a_file_is_not_written(format: Any) -> None:
    tree = et.loads("{parameters: {x: 2}, max: {a: x, b: 3}}")
    with pytest.raises(TreeError, match=r"^a number of 1,003 characters cannot be written"):
        et.dumps(tree.with_parameters(x=Fraction(10**500, 3 * 10**500 + 1)), format=format)
