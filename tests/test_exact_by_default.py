"""What a beginner writes first, in each way to write it: exact, and rounded once at the end."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from math import isclose
from pathlib import Path
from random import Random
from typing import Any

import pytest
from helpers import ROOT, invoke
from paper import shown

import expectitree as et

INSURANCE = """
max:
  do not insure:
    chance: {accident: {p: 1e-9, utility: -10000000000}, no accident: {p: rest, utility: 0}}
  insure: -1
"""
FAIR = """
max:
  c: {chance: [0.1, 0.2, -0.3]}
  d: {chance: {x: {p: 1/6, utility: -20}, y: {p: 5/6, utility: 4}}}
"""
POWERBALL = """
max:
  buy: {cost: 2, chance: {win: {p: 1/292201338, utility: 480000000}, lose: {p: rest, utility: 0}}}
  do not buy: 0
"""
RESIDUE = re.compile(r"[\d.]e-1[5-9]\b")  # what the rounding of a sum leaves, in place of 0
ALGORITHMS = pytest.mark.parametrize("algorithm", et.ALGORITHMS)


def output(*words: str, text: str = "") -> str:
    """Return what a command prints about a text."""
    done = invoke(*words, *(("-e", text) if text else ()), COLUMNS="120")
    assert done.exit_code == 0, done.output
    return done.stdout


def as_json(*words: str, text: str = "") -> Any:
    return json.loads(output(*words, "--format", "json", text=text))


# ---- An insurance against a rare event.


def test_no_insurance_is_not_dominated() -> None:
    """It pays more in 999,999,999 of 1,000,000,000 cases, but it is the riskier one."""
    text = output("risk", text=INSURANCE)
    assert "dominates" not in text.replace("insure dominates do not insure (second order)", "")
    assert "insure dominates do not insure (second order)." in text
    assert re.search(r"^insure ★ +-1 ", text, re.MULTILINE)
    assert re.search(r"^do not insure +-10 ", text, re.MULTILINE)


def test_the_proof_is_of_the_right_action() -> None:
    """Both need the accident and the premium: without them no action is certain to be best."""
    text = " ".join(output("limit", text=INSURANCE).split())
    assert "2 prove that insure is best." in text
    assert "Leaves that prove the best action: do not insure/accident, insure" in text


@ALGORITHMS
@pytest.mark.parametrize(
    ("text", "best", "value"),
    [
        ("max: {ruin: -1e12, a: 1, b: 900}", "b", 900),
        ("min: {ruin: 1e12, a: -1, b: -900}", "b", -900),
        (POWERBALL, "do not buy", 0),
        ("max: {sum: {chance: [1e16, 1, -1e16]}, third: 1/3, less: 0.3333333333}", "sum", 1 / 3),
        ("max: {a: 1, b: 1.0000000000000001, c: 1.0000000000000000000000002}", "b", 1),
        ("max: {a: 1e300, b: -1e300}", "a", 1e300),
        ("max: {a: -1e-300, b: 1e-300}", "b", 1e-300),
    ],
)
def test_rare_events_and_never(algorithm: str, text: str, best: str, value: float) -> None:
    found = as_json("eval", "-a", algorithm, text=text)
    assert (found["value"], found["best"]) == (value, best)


# ---- A fair game is worth 0.


def test_a_fair_game_prints_0_at_every_node() -> None:
    text = output("eval", text=FAIR)
    assert "▲ MAX 0\n├─★ c  ● CHANCE 0 = mean(0.1, 0.2, -0.3)\n└─☆ d  ● CHANCE 0 = " in text
    assert "best      c  (worth as much: d)" in text


def pig() -> dict[str, Any]:
    """Return a turn of Pig whose rolls pay: a 1 takes back what the turn has paid."""

    def node(total: int) -> dict[str, Any]:
        faces = {
            str(face): {"reward": face / 10, "ref": f"at {total + face}"}
            for face in range(6, 1, -1)
        }
        lost = {"1": {"cost": total / 10, "utility": 0}}
        return {"max": {"bank": 0, "roll": {"chance": faces | lost}}}

    ends = {f"at {total}": {"utility": 0} for total in range(20, 26)}
    return {"nodes": {**{f"at {n}": node(n) for n in range(2, 20)}, **ends}, **node(0)}


TREES = {"fair": FAIR, "pig": json.dumps(pig())} | {
    path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / "trees").iterdir())
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TREES)
def test_no_output_shows_the_rounding_of_a_sum(name: str, tmp_path: Path) -> None:
    path = tmp_path / "tree.yaml"
    path.write_text(TREES[name], encoding="utf-8")
    for command in ("eval", "eval -a star2", "compare", "trace", "risk", "limit", "opponents"):
        done = invoke(*command.split(), str(path), COLUMNS="120")
        assert done.exit_code == 0, done.output
        assert not RESIDUE.search(done.stdout), f"{command}: {RESIDUE.search(done.stdout)}"
    tree = et.load(path)
    for drawn in (et.to_svg(tree), et.to_svg(et.evaluate(tree, "star2"))):
        assert not RESIDUE.search(drawn)


# ---- Every way to write a tree.


def test_a_float_of_a_program_is_its_shortest_decimal() -> None:
    built = et.TreeBuilder()
    tree = built.build(
        built.max({"c": built.chance([0.1, 0.2, -0.3]), "d": 0, "e": built.chance([0.3, -0.3])})
    )
    found = et.evaluate(tree)
    assert (found.value, found.ties) == (0.0, ("c", "d", "e"))
    data = {"max": {"c": {"chance": [0.1, 0.2, -0.3]}, "d": 0}}
    assert et.evaluate(et.from_dict(data)).ties == ("c", "d")


def test_networkx_floats_are_their_shortest_decimals() -> None:
    graph = et.to_networkx(et.loads("max: {c: {chance: [0.1, 0.2, -0.3]}, d: 0}"))
    found = et.evaluate(et.from_networkx(graph))
    assert (found.value, found.ties) == (0.0, ("c", "d"))


@pytest.mark.parametrize(
    ("probabilities", "utilities", "value"),
    [
        ([0.1] * 10, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], Fraction(11, 2)),
        ([1 / 3] * 3, [1, 2, 6], Fraction(3)),
        ([1 / 7] * 7, [1, 2, 3, 4, 5, 6, 7], Fraction(4)),
        ([0.7, 0.1, 0.2], [1, 2, -5], Fraction(-1, 10)),
    ],
    ids=str,
)
def test_float_probabilities_sum_to_exactly_1(
    probabilities: list[float], utilities: list[int], value: Fraction
) -> None:
    """Floats that sum to 1 within rounding are scaled: three times 1/3 is 1."""
    built = et.TreeBuilder()
    children = [built.terminal(u) for u in utilities]
    tree = built.build(built.chance(children, probabilities))
    pairs = [{"p": p, "utility": u} for p, u in zip(probabilities, utilities, strict=True)]
    for one in (tree, et.from_dict({"chance": pairs})):
        assert et.evaluate(one).value == float(value)
        exact: Any = et.evaluate(one, exact=True)
        assert exact.value == value


def test_one_place_chooses_the_notation() -> None:
    tree = et.loads("max: {a: {chance: [0.1, 0.2]}, b: 1/7}")
    found: Any = et.evaluate(tree)
    assert type(found.value) is float
    assert found.value == 0.15
    assert found.interval("b") == (1 / 7, 1 / 7)
    found = et.evaluate(tree, exact=True)
    assert type(found.value) is Fraction
    assert found.value == Fraction(3, 20)
    assert found.interval("b") == (Fraction(1, 7), Fraction(1, 7))


@pytest.mark.parametrize("format", ["yaml", "json", "efg", "radiant", "silverdecisions"])
def test_every_text_format_is_exact(format: str) -> None:
    """Formats of other programs have no fractions, so these are decimals."""
    outcomes = "{p: 0.2, utility: 0.1}, {p: 0.3, utility: 0.5}, {p: 0.5, utility: -0.34}"
    text = f"max: {{never: -1e12, less: -1, fair: {{chance: [{outcomes}]}}, more: 1e-9}}"
    found = et.evaluate(et.loads(et.dumps(et.loads(text), format)))
    assert (found.value, len(found.ties)) == (1e-9, 1)


def test_a_payoff_table_is_exact() -> None:
    rows = ["action,x,y,z", "p,1/3,1/3,1/3", "c,0.1,0.2,-0.3", "d,0.3,0.3,-0.6", "e,-1e12,0,0"]
    found = et.evaluate(et.loads("\n".join(rows), format="csv"))
    assert (found.value, found.ties) == (0, ("c", "d"))


@pytest.mark.parametrize("set_by", ["option", "python"])
def test_a_parameter_is_exact(set_by: str) -> None:
    text = "{parameters: {a: 0.3}, max: {c: {chance: [0.1, 0.2, -a]}, d: 0}}"
    if set_by == "option":
        found = as_json("eval", "--set", "a=0.3", text=text)
        assert (found["value"], found["ties"]) == (0, ["c", "d"])
    else:
        search = et.evaluate(et.loads(text).with_parameters(a=0.3))
        assert (search.value, search.ties) == (0, ("c", "d"))


# ---- Games.


@dataclass
class Lotteries:
    """MAX chooses one of some lotteries, each a list of probabilities and utilities."""

    lotteries: dict[str, list[tuple[Any, Any]]]
    utility_bounds: tuple[Any, Any] = (-(10**10), 10**10)
    title: str = "Lotteries"
    start: tuple[str, ...] = ()

    def turn(self, state: tuple[str, ...]) -> str | None:
        return ("max", "chance", None)[len(state)]

    def moves(self, state: tuple[str, ...]) -> Iterable[Any]:
        if not state:
            return list(self.lotteries)
        return [(str(n), p) for n, (p, _) in enumerate(self.lotteries[state[0]])]

    def play(self, state: tuple[str, ...], move: str) -> tuple[str, ...]:
        return (*state, move)

    def value(self, state: tuple[str, ...]) -> Any:
        return self.lotteries[state[0]][int(state[1])][1] if len(state) == 2 else 0


THIRD = Fraction(1, 3)
TENTHS = [Fraction(1, 10), Fraction(2, 10), Fraction(-3, 10)]


@ALGORITHMS
@pytest.mark.parametrize(
    "game",
    [
        Lotteries({"c": [(THIRD, u) for u in TENTHS], "d": [(1, 0)]}),
        Lotteries({"c": [("0.2", "0.1"), ("0.3", "0.5"), ("0.5", "-0.34")], "d": [("1", "0")]}),
        Lotteries({"c": [("0.1", -9), ("0.9", 1)], "d": [("0.3", 7), ("0.7", -3)]}),
    ],
    ids=["fractions", "text", "whole"],
)
def test_a_game_of_exact_numbers_is_computed_exactly(game: Any, algorithm: str) -> None:
    found: Any = et.search(game, algorithm=algorithm, depth=2)
    assert (found.value, found.best) == (0.0, "c")
    assert type(found.value) is float
    if algorithm == "expectiminimax":
        assert found.ties == ("c", "d")
    assert et.search(game, algorithm=algorithm, depth=2, exact=True).value == Fraction(0)


@ALGORITHMS
def test_a_rare_event_in_a_game(algorithm: str) -> None:
    rare = Fraction(1, 10**9)
    game: Any = Lotteries({"bare": [(rare, -(10**10)), (1 - rare, 0)], "insure": [(1, -1)]})
    found = et.search(game, algorithm=algorithm, depth=2)
    assert (found.value, found.ties) == (-1, ("insure",))


def test_a_game_of_floats_is_computed_in_floats() -> None:
    game: Any = Lotteries({"c": [(1 / 3, u) for u in (0.1, 0.2, -0.3)], "d": [(1.0, -0.1)]})
    found = et.search(game, depth=2)
    assert not found.tree.exact
    assert abs(found.value) < 1e-15
    assert found.best == "c"


# ---- Fractions that would grow.


@pytest.mark.slow
def test_a_long_chain_of_long_probabilities(tmp_path: Path) -> None:
    """In fractions, its value would have 75,000 digits; a float of it takes seconds."""
    random, nodes = Random(5), {}
    shares = [Decimal(random.randrange(10**15 // 2, 10**15)) / 10**15 for _ in range(5_000)]
    pays = [random.randrange(-100, 101) for _ in shares]
    for n, (p, paid) in enumerate(zip(shares, pays, strict=True)):
        below = {"ref": str(n - 1)} if n else {"utility": 0}
        nodes[str(n)] = {
            "chance": {"a": {"p": str(p), **below}, "b": {"p": "rest", "utility": paid}}
        }
    with localcontext(prec=60):
        value = Decimal(0)
        for p, paid in zip(shares, pays, strict=True):
            value = p * value + (1 - p) * paid
    tree = {"nodes": nodes, "max": {"chain": {"ref": "4999"}, "less": str(value - 1)}}
    path = tmp_path / "chain.json"
    path.write_text(json.dumps(tree), encoding="utf-8")
    command = [sys.executable, "-m", "expectitree", "eval", "--format", "json", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    found = json.loads(done.stdout)
    assert isclose(found["value"], float(value), rel_tol=1e-12)
    assert found["ties"] == ["chain"]


# ---- Formulas and attitudes that no fraction has.


def value_of(text: str) -> float:
    return float(et.evaluate(et.loads(text)).value)


def nearly(found: float, value: Decimal, rel_tol: float = 1e-15) -> None:
    """Check a number, to the last bits."""
    assert isclose(found, float(value), rel_tol=rel_tol), f"{found!r}, on paper {value:.20g}"


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("exp(1)", lambda: Decimal(1).exp()),
        ("exp(-20)", lambda: Decimal(-20).exp()),
        ("exp(100)/3", lambda: Decimal(100).exp() / 3),
        ("log(2)", lambda: Decimal(2).ln()),
        ("log(1.0000001)", lambda: Decimal("1.0000001").ln()),
        ("sqrt(2) - 1.4", lambda: Decimal(2).sqrt() - Decimal("1.4")),
        ("exp(1) - 2.718281828", lambda: Decimal(1).exp() - Decimal("2.718281828")),
        ("2^0.5 + 2^(1/3)", lambda: Decimal(2).sqrt() + Decimal(2) ** (Decimal(1) / 3)),
    ],
)
def test_a_formula_without_a_fraction(formula: str, value: Any) -> None:
    with localcontext(prec=50):
        expected = value()
        nearly(value_of(f"{{max: {{a: {{utility: {formula}}}, b: -1e9}}}}"), expected)
        half = f"{{chance: [{{p: 1/4, utility: {formula}}}, {{p: rest, utility: 1}}]}}"
        nearly(value_of(half), expected / 4 + Decimal(3) / 4)


def test_a_probability_without_a_fraction() -> None:
    found = value_of("chance: {a: {p: exp(-1), utility: 100}, b: {p: rest, utility: -7}}")
    with localcontext(prec=50):
        nearly(found, Decimal(-1).exp() * 107 - 7)


BET = [(Fraction(1, 4), 100), (Fraction(1, 2), 30), (Fraction(1, 4), -20)]


def bet(attitude: str) -> str:
    outcomes = ", ".join(f"{{p: {p}, utility: {total}}}" for p, total in BET)
    return f"{{attitude: {{{attitude}}}, max: {{bet: {{chance: [{outcomes}]}}, never: -19}}}}"


def expected_utility(of: Any) -> Decimal:
    return sum((Decimal(float(p)) * of(Decimal(total)) for p, total in BET), Decimal(0))


@pytest.mark.parametrize("tolerance", [50, -50, 1000, 1_000_000, 10_000_000_000])
def test_an_exponential_attitude(tolerance: int) -> None:
    """A great tolerance cancels all but a few digits of a float."""
    found = value_of(bet(f"exponential: {tolerance}"))
    with localcontext(prec=50):
        nearly(found, -tolerance * expected_utility(lambda x: (-x / tolerance).exp()).ln())


@pytest.mark.parametrize("wealth", [21, 1000, 10_000_000])
def test_a_logarithmic_attitude(wealth: int) -> None:
    found = value_of(bet(f"logarithmic: {wealth}"))
    with localcontext(prec=50):
        # In floats: tests/searches/test_attitude_rounding.py compares errors with `Search.eps`.
        nearly(found, expected_utility(lambda x: (x + wealth).ln()).exp() - wealth, 1e-14)


def test_an_attitude_of_points() -> None:
    """On straight lines, the result is a fraction: u of the bet is 0.75, between 30 and 100."""
    found = value_of(bet('points: [[-20, 0], [30, "0.7"], [100, "1.6"]]'))
    nearly(found, Decimal(30) + Decimal("0.05") / Decimal("0.9") * 70)


def test_an_attitude_of_a_formula() -> None:
    found = value_of(bet('utility: "sqrt(x + 100)"'))
    with localcontext(prec=50):
        nearly(found, expected_utility(lambda x: (x + 100).sqrt()) ** 2 - 100)


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


# ---- Large trees, in floats.


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a tree of 30,000 nodes with an insurance, two fair games and many other terminals."""
    path = tmp_path_factory.mktemp("large") / "large.json"
    filler = {"min": [-1_000_000 - n for n in range(30_000)]}
    rare = {"p": "1e-9", "utility": -10_000_000_000}
    bare = {"chance": [rare, {"p": "rest", "utility": 0}]}
    fair = {"chance": [0.1, 0.2, -0.3]}
    other = {"chance": [{"p": "0.1", "utility": -9}, {"p": "0.9", "utility": 1}]}
    tree = {
        "max": {
            "bare": bare, "insure": -1, "filler": filler,
            "fair": {"cost": 1, **fair}, "other": {"cost": 1, **other}, "less": -1.0000001,
        }
    }  # fmt: skip
    path.write_text(json.dumps(tree), encoding="utf-8")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", [name for name in et.ALGORITHMS if name != "best-first"])
def test_a_large_tree_has_the_ties_on_paper(large: Path, algorithm: str) -> None:
    found = as_json("eval", "-a", algorithm, str(large))
    assert isclose(found["value"], -1, rel_tol=1e-14)
    assert found["best"] in found["ties"]
    # The running sums of pruning searches hold bounds of 1e10.
    is_near = found["rounding"] > 1e-7
    assert {*found["ties"]} <= {"insure", "fair", "other", *["less"] * is_near}
    if algorithm == "expectiminimax":
        assert found["ties"] == ["insure", "fair", "other"]


@pytest.mark.slow
def test_a_table_has_the_ties_on_paper(large: Path, tmp_path: Path) -> None:
    path = tmp_path / "large.arrow"
    output("convert", str(large), str(path))
    found = as_json("eval", str(path))
    assert found["ties"] == ["insure", "fair", "other"]
    assert isclose(found["value"], -1, rel_tol=1e-14)


def test_near_actions_of_a_table_print_as_equal(large: Path) -> None:
    """What is called a tie prints the same number, or says that it is equal within rounding."""
    text = output("eval", "--strategy", str(large))
    worth = re.search(r"^value +(\S+)", text, re.MULTILINE)
    assert worth
    assert worth[1] == "-1" or TOO_CLOSE.search(text)


# ---- A number is rounded once, half to even.

NUMBERS = """
    0.5000005 0.5000015 0.12500050 -0.5000005 1.0000005 2.0000015 1234.565 1234.5650000000000001
    9999.99 9999.994999 9999.995 9999.9949999999999999999 10000 10000.5 12345.678905 12345.678915
    12345.6789049999999999999999 123456.5 1234567890.5 1234567891.5 9999999999.5 99999999999 1e10
    999999.5 1e6 1e15 1e16 1e22 1e23 1e300 -1e300 1e-300 9007199254740993 9007199254740991
    0.0001 0.00009999995 0.00010000005 0.00001 1e-9 -1e-9 1e-40 0.0000123456500000001 1.2345650e-7
    1/3 2/3 -2/3 1/7 22/7 1/1024 1/65536 -1/3000000 100000/3 355/113 0 -0 0.1 0.30 7 1e2 -40
"""


@pytest.mark.parametrize("number", NUMBERS.split())
def test_a_number_is_rounded_once(number: str) -> None:
    value = Fraction(number)
    text = output("eval", text=f"max: [{number}, {number}]")
    printed = re.findall(r"^(?:▲ MAX|├─★ #1|└─☆ #2|value) +(\S+)", text, re.MULTILINE)
    assert printed == [shown(value)] * 4
    found = as_json("eval", text=f"max: [{number}]")["value"]
    assert float(found) == float(value)
    assert isinstance(found, (int, float))
    assert et.evaluate(et.loads(f"max: [{number}]")).value == float(value)
    exact = as_json("eval", "--exact", text=f"max: [{number}]")["value"]
    assert exact == str(value)


@pytest.mark.parametrize(
    ("children", "text"),
    [
        ("0.5000000, 0.5000010", "0.5"),  # 0.5000005: half to even, from the exact mean
        ("0.5000010, 0.5000020", "0.500002"),
        ("1, 2, 2", "1.66667"),
        ("1e300, -1e300, 3", "1"),
        ("1e16, 1, -1e16", "0.333333"),
        ("9007199254740993, 9007199254740993", "9.007199255e+15"),
        ("0.1, 0.2", "0.15"),
        ("1e-300, -1e-300", "0"),
        ("1e-9, 0, 0", "3.33333e-10"),
        ("20001, 20002", "20001.5"),
        ("9999.99, 10000", "10000"),
        ("9999.99, 9999.98", "9999.98"),
    ],
)
def test_a_mean_is_rounded_once(children: str, text: str) -> None:
    written = f"chance: [{children}]"
    parts = [Fraction(part) for part in children.split(", ")]
    assert shown(sum(parts, Fraction(0)) / len(parts)) == text
    printed = output("eval", text=written)
    assert re.search(r"^value +(\S+)", printed, re.MULTILINE)[1] == text  # type: ignore[index]
    assert printed.startswith(f"● CHANCE {text} ") or f"CHANCE {text}\n" in printed


def test_random_numbers_are_rounded_once() -> None:
    """Decimals of seven or eleven digits that end in 5, where a float is above or below."""
    random = Random(11)
    for _ in range(60):
        digits = random.choice((6, 10))
        figures = f"{random.randrange(10 ** (digits - 1), 10**digits)}5"
        value = Fraction(int(figures)) / 10 ** random.randrange(digits - 3, digits + 4)
        text = output("eval", text=f"max: [{value}]")
        assert re.search(r"^value +(\S+)", text, re.MULTILINE)[1] == shown(value), value  # type: ignore[index]


def test_the_oracle_rounds_as_python_rounds_a_float() -> None:
    """Python rounds the binary number of a float correctly, so on floats both must agree."""
    random = Random(3)
    for _ in range(2_000):
        number = random.uniform(-1, 1) * 10.0 ** random.randint(-12, 14)
        digits = 6 if abs(number) < 10_000 else 10
        assert shown(Fraction(number)) == f"{number:.{digits}g}"


# ---- Beyond floats.


@pytest.mark.parametrize(
    ("utilities", "sd"), [("1e300, 0", 5e299), ("3e-300, 0", 1.5e-300), ("-1e12, 1e12", 1e12)]
)
def test_a_variance_beyond_floats_has_a_root(utilities: str, sd: float) -> None:
    (found,) = as_json("risk", text=f"chance: [{utilities}]")["actions"]
    assert isclose(found["sd"], sd, rel_tol=1e-15)


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


def test_values_beyond_floats_are_shown_or_refused() -> None:
    """A product of two numbers that floats have may be beyond them: no output is infinite."""
    done = invoke("eval", "-e", "max: [{utility: 1e300*1e10}, 1]")
    assert done.exit_code in (0, 2, 3)
    assert not isinstance(done.exception, (OverflowError, ZeroDivisionError))
    assert "inf" not in done.output
