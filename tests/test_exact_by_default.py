"""What a beginner writes first, in each way to write it: exact, and rounded once at the end."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from math import isclose
from pathlib import Path
from typing import Any

import pytest
from helpers import invoke, loads
from paper import shown

import expectitree as et

ALGORITHMS = pytest.mark.parametrize("algorithm", et.ALGORITHMS)


def output(*words: str, text: str = "") -> str:
    """Return what a command prints about a text."""
    done = invoke(*words, *(("-e", text) if text else ()), COLUMNS="120")
    assert done.exit_code == 0, done.output
    return done.stdout


def as_json(*words: str, text: str = "") -> Any:
    return json.loads(output(*words, "--format", "json", text=text))


# ---- Every way to write a tree.


def ways_to_write() -> dict[str, et.Tree]:
    """Return a tree with two fair games and less, in each way to write it."""
    t = et.TreeBuilder()
    fair = t.chance([0.1, 0.2, -0.3])
    other = t.chance([-9, 1], [0.1, 0.9])
    built = t.build(t.max({"less": -1e-9, "fair": fair, "other": other, "ruin": -1e12}))
    outcomes = {"chance": [{"p": 0.1, "utility": -9}, {"p": "0.9", "utility": 1}]}
    children = {"less": -1e-9, "fair": {"chance": [0.1, 0.2, -0.3]}, "other": outcomes}
    rows = ["action,x,y,z", "p,1/3,1/3,1/3", "less,0,0,-1e-9", "fair,0.1,0.2,-0.3"]
    table = "\n".join([*rows, "other,0.3,0.3,-0.6", "ruin,-1e12,0,0"])
    named = "{parameters: {a: 1}, max: {less: -1, fair: {chance: [0.1, 0.2, -a]}, other: 0}}"
    ways = {
        "program": built,
        "nested data": et.from_dict({"max": children}),
        "networkx": et.from_networkx(et.to_networkx(built)),
        "payoff table": et.loads(table, format="csv"),
        "parameter": et.loads(named).with_parameters(a=0.3),
    }
    for format in ("yaml", "json", "efg"):
        ways[format] = et.loads(et.dumps(built, format))
    return ways


def test_a_fair_game_is_worth_0_in_each_way_to_write_it() -> None:
    for way, tree in ways_to_write().items():
        found = et.evaluate(tree)
        assert (found.value, found.ties) == (0, ("fair", "other")), way
        exact: Any = et.evaluate(tree, exact=True).value
        assert type(found.value) is float, way
        assert (type(exact), exact) == (Fraction, 0), way


# ---- Formulas that no fraction has.


TOO_CLOSE = re.compile(r"too close|within rounding|equal within", re.IGNORECASE)


@pytest.mark.parametrize(
    ("first", "second"),
    [("exp(1)", "exp(2)/exp(1)"), ("exp(2)/exp(1)", "exp(1)"), ("log(8)", "3*log(2)"),
     ("sqrt(8)", "2*sqrt(2)"), ("exp(log(3))", "3")],
)  # fmt: skip
@ALGORITHMS
def test_equal_formulas_are_a_tie_or_too_close_to_call(
    first: str, second: str, algorithm: str
) -> None:
    text = f"max: {{a: {{utility: {first}}}, b: {{utility: {second}}}, c: 0}}"
    printed = output("eval", "-a", algorithm, text=text)
    assert TOO_CLOSE.search(printed) or algorithm != "expectiminimax" or "much: b)" in printed
    rows = output("compare", text=text).split("\n\n")[1].splitlines()[1:]
    values = {re.split(r" {2,}", row)[1] for row in rows if len(re.split(r" {2,}", row)) > 2}
    assert len(values) == 1, values


@pytest.mark.parametrize("less", ["2.718281828", "2.718281828459045", "2.71828182845904523536"])
@ALGORITHMS
def test_a_formula_beats_a_decimal_that_is_a_little_less(less: str, algorithm: str) -> None:
    """The decimals are e, cut: the comparison is certain, or reported as too close to call."""
    text = f"max: {{decimal: {less}, formula: {{utility: exp(1)}}}}"
    found = as_json("eval", "-a", algorithm, text=text)
    if len(less) > 12 and TOO_CLOSE.search(output("eval", "-a", algorithm, text=text)):
        return
    assert (found["best"], found["ties"]) == ("formula", ["formula"])


# ---- Trees in floats.


@pytest.mark.parametrize("algorithm", [name for name in et.ALGORITHMS if name != "best-first"])
def test_a_tree_in_floats_has_the_ties_on_paper(algorithm: str) -> None:
    text = """
    max:
      bare: {chance: [{p: 1e-9, utility: -10000000000}, {p: rest, utility: 0}]}
      insure: -1
      fair: {cost: 1, chance: [0.1, 0.2, -0.3]}
      other: {cost: 1, chance: [{p: 0.1, utility: -9}, {p: 0.9, utility: 1}]}
      less: -1.0000001
    """
    found = et.evaluate(loads(text, exact=False), algorithm)
    assert isclose(found.value, -1, rel_tol=1e-14)
    assert found.best in found.ties
    # The running sums of pruning searches hold bounds of 1e10.
    is_near = found.eps > 1e-7
    assert {*found.ties} <= {"insure", "fair", "other", *["less"] * is_near}
    if algorithm == "expectiminimax":
        assert found.ties == ("insure", "fair", "other")


# ---- A number is rounded once, half to even.

NUMBERS = """
    0.5000005 0.5000015 0.12500050 -0.5000005 1.0000005 2.0000015 1234.565 1234.5650000000000001
    9999.99 9999.994999 9999.995 9999.9949999999999999999 10000 10000.5 12345.665 12345.675
    12345.6650000000000000000001 12345.6749999999999999999999 123456.5
    1234567890.5 1234567891.5 9999999999.5 99999999999 1e10
    999999.5 1e6 1e15 1e16 1e22 1e23 1e300 -1e300 1e-300 9007199254740993 9007199254740991
    0.0001 0.00009999995 0.00010000005 0.00001 1e-9 -1e-9 1e-40 0.0000123456500000001 1.2345650e-7
    1/3 2/3 -2/3 1/7 22/7 1/1024 1/65536 -1/3000000 100000/3 355/113 0 -0 0.1 0.30 7 1e2 -40
"""


@pytest.mark.parametrize("number", NUMBERS.split())
def test_a_number_is_rounded_once(number: str) -> None:
    value = Fraction(number)
    text = output("eval", text=f"max: [{number}, {number}]")
    printed = re.findall(r"^(?:▲ MAX|├─★ #1|└─☆ #2|value) +(\S+)", text, re.MULTILINE)
    leaf = shown(value)
    if "/" in number:  # a fraction in a file stays one; what is computed is a decimal
        leaf = str(value).replace("-", "−")
    assert printed == [shown(value), leaf, leaf, shown(value)]
    found = as_json("eval", text=f"max: [{number}]")["value"]
    assert float(found) == float(value)
    assert isinstance(found, (int, float))
    assert et.evaluate(et.loads(f"max: [{number}]")).value == float(value)
    exact = as_json("eval", "--exact", text=f"max: [{number}]")["value"]
    assert exact == str(value)


# ---- Beyond floats.


@pytest.mark.parametrize("algorithm", et.ALGORITHMS)
def test_a_window_beyond_floats_is_shown(algorithm: str, tmp_path: Path) -> None:
    """Alpha of the outcome x is near -1e300/1e-40, which a float calls infinite."""
    path = tmp_path / "tree.yaml"
    path.write_text(
        "max:\n"
        "  a: 0\n"
        "  b: {chance: {x: {p: 1e-40, max: [1e300, {chance: [1e300, 5]}]},"
        " y: {p: rest, utility: -1}}}\n"
        "  c: {chance: {x: {p: 1e-40, max: [1, {chance: [-1e300, 5]}]},"
        " y: {p: rest, utility: -1e300}}}\n",
        encoding="utf-8",
    )
    for format in ("text", "json"):
        done = invoke("eval", "--windows", "-a", algorithm, "--format", format, str(path))
        assert (done.exit_code, done.exception) == (0, None)
        done = invoke("trace", "-a", algorithm, "--format", format, str(path))
        assert (done.exit_code, done.exception) == (0, None)
    assert as_json("eval", "-a", algorithm, str(path))["value"] == 1e260
    output("draw", str(path), "-a", algorithm, "-o", str(tmp_path / "page.html"))
