"""Thresholds and tornadoes with an attitude to risk: values are certainty equivalents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

import pytest
from helpers import ROOT, for_each

import expectitree as et

PARTY = str(ROOT / "docs" / "examples" / "party.yaml")
CURVE = "utility=4/3*(1 - (1/2)^(x/50))"


def utility(x: float) -> float:
    return 4 / 3 * (1 - 0.5 ** (x / 50))


# Howard and Abbas: Kim's decision changes at .47 and .87. With expected values, at .375 and 2/3.
OUT, PORCH, IN = (100, 0), (90, 20), (40, 50)  # with sun, with rain


def indifference(one: Sequence[float], two: Sequence[float]) -> float:
    """Return the probability of sun at which two places have the same expected utility."""
    (a, b), (c, d) = ([utility(x) for x in place] for place in (one, two))
    return (b - d) / (b - d + c - a)


@pytest.mark.parametrize(
    "attitude", ["none given", pytest.param(CURVE, marks=pytest.mark.slow)], ids=["R", "curve"]
)
def test_the_party_problem_has_its_published_thresholds(attitude: str) -> None:
    tree = et.load(PARTY)
    tree = tree if attitude == "none given" else tree.with_attitude(attitude)
    found = et.sensitivity(tree, "sun")
    assert [piece.best for piece in found.pieces] == [("indoors",), ("porch",), ("outdoors",)]
    places = [float(one.middle) for one in found.thresholds]
    assert [round(place, 2) for place in places] == [0.47, 0.87]
    roots = [indifference(IN, PORCH), indifference(PORCH, OUT)]
    assert places == pytest.approx(roots, abs=3e-9)
    assert found.method == "sampled"
    assert "values are certainty equivalents (" in found.reason


def equivalent(lottery: Sequence[tuple[float, float]], attitude: str) -> float:
    """Return the certainty equivalent of pairs of probability and total, by its definition."""
    kind, _, number = attitude.partition("=")
    size = float(number)
    if kind == "exponential":
        return -size * math.log(sum(p * math.exp(-x / size) for p, x in lottery))
    return math.exp(sum(p * math.log(x + size) for p, x in lottery)) - size


@pytest.mark.parametrize("attitude", ["exponential=60", "exponential=-90", "logarithmic=150"])
@pytest.mark.parametrize("seed", [1, *(pytest.param(s, marks=pytest.mark.slow) for s in range(9))])
def test_random_lotteries_change_where_a_fine_grid_says(seed: int, attitude: str) -> None:
    random = Random(seed)
    actions = [[random.randint(-100, 100) for _ in range(2)] for _ in range(4)]
    costs = [random.randint(0, 20) for _ in actions]
    text = "".join(
        f"\n  a{i}: {{cost: {costs[i]}, chance: {{x: {{p: p, utility: {x}}}, y: {{p: rest, "
        f"utility: {y}}}}}}}"
        for i, (x, y) in enumerate(actions)
    )
    tree = et.loads(f"parameters: {{p: 0.5}}\nmax:{text}\n").with_attitude(attitude)

    def worths(p: float) -> list[float]:
        return [
            equivalent([(p, x - cost), (1 - p, y - cost)], attitude)
            for (x, y), cost in zip(actions, costs, strict=True)
        ]

    best = []
    for i in range(4001):
        values = worths(i / 4000)
        one = f"a{values.index(max(values))}"
        best += [one] * (not best or best[-1] != one)
    found = et.sensitivity(tree, "p", range=(0, 1))
    assert [piece.best for piece in found.pieces] == [(one,) for one in best]
    for threshold in found.thresholds:
        values = sorted(worths(float(threshold.middle)))
        assert values[-1] - values[-2] < 1e-6
        assert float(threshold.value) == pytest.approx(values[-1], abs=1e-6)


# y overtakes x on one narrow range of risk tolerances. Its mean is less, and so is its variance.
CLOSE = [
    ([-98, 33], [-91, -60, -39, -96], "-4.053"),
    ([75, 96, -62, -34], [62, -75, -17, 46], "6.272"),
    ([90, -67], [52, 82, -55, -43], "-17.076"),
]


@pytest.mark.parametrize(("x", "y", "reward"), CLOSE)
def test_risk_tolerances_are_found_where_two_actions_run_close(
    x: list[int], y: list[int], reward: str
) -> None:
    tree = et.loads(f"max: {{x: {{chance: {x}}}, y: {{reward: {reward}, chance: {y}}}}}")
    found = et.risk_tolerances(tree, 5, 1000)
    assert [one.after for one in found] == [("y",), ("x",)]
    assert 1.02 < found[1].middle / found[0].middle < 1.1
    for one in found:
        tolerance = f"exponential={float(one.middle)}"
        sides = [
            equivalent([(1 / len(lottery), total + paid) for total in lottery], tolerance)
            for lottery, paid in ((x, 0.0), (y, float(reward)))
        ]
        assert sides[0] == pytest.approx(sides[1], abs=1e-6)


def test_a_parameter_that_lets_two_actions_touch_changes_nothing() -> None:
    """At a = 1/3, y is as good as x, and never better."""
    tree = et.loads("parameters: {a: 0.2}\nmax: {x: 'exp(a)', y: 'exp(a) - (a - 1/3)^2'}")
    found = et.sensitivity(tree, "a", range=(0, 1))
    assert (found.method, [piece.best for piece in found.pieces]) == ("sampled", [("x",)])


@pytest.mark.slow
@pytest.mark.parametrize(
    "attitude",
    [
        "exponential=1000",
        pytest.param("logarithmic=5000", marks=pytest.mark.slow),
        pytest.param("points=-400:0,0:3,3000:5", marks=pytest.mark.slow),
    ],
)
def test_a_tornado_has_certainty_equivalents(attitude: str) -> None:
    tree = et.load("example:rockefeller").with_attitude(attitude)
    (bar,) = et.tornado(tree, ["pr"], ranges={"pr": (0.5, 0.9)}).bars
    ends = [et.evaluate(tree.with_parameters(pr=pr)).value for pr in (0.5, 0.9)]
    assert float(bar.least) == pytest.approx(min(ends))
    assert float(bar.greatest) == pytest.approx(max(ends))
    assert bar.method == "sampled"
    assert bar.thresholds


# Paths with different sums lead to `later`, so the best action there depends on the path.
LATER = """
parameters: {{a: {low}}}
nodes:
  later:
    max:
      go: {{chance: {{x: {{p: 0.25, utility: a}}, y: {{p: 0.75, utility: {high}}}}}}}
      stop: {{cost: {cost}, chance: [a, 8, -30]}}
chance:
  rich: {{p: 0.5, reward: 50, ref: later}}
  poor: {{p: 0.5, cost: 40, ref: later}}
"""


@pytest.mark.parametrize("attitude", ["exponential=60", "exponential=-90", "logarithmic=150"])
@for_each("seed", [0], slow=range(1, 9))
def test_a_fixed_strategy_is_worth_the_equivalent_of_its_lottery(seed: int, attitude: str) -> None:
    random = Random(seed)
    low, high, cost = (random.randint(-60, 60) for _ in range(3))
    text = LATER.format(low=low, high=high, cost=cost / 10)
    tree = et.loads(text).with_attitude(attitude)

    def worth(after: tuple[str, ...], a: float) -> float:
        lottery: list[tuple[float, float]] = []
        for paid, action in zip((50, -40), after, strict=True):
            if action == "go":
                lottery += [(0.125, paid + a), (0.375, paid + high)]
            else:
                lottery += [(1 / 6, paid + x - cost / 10) for x in (a, 8, -30)]
        return equivalent(lottery, attitude)

    ways = [(one, two) for one in ("go", "stop") for two in ("go", "stop")]
    best = max(ways, key=lambda way: worth(way, low))
    (bar,) = et.tornado(tree, ["a"], ranges={"a": (-70, 90)}, fixed=True).bars
    assert float(bar.least) == pytest.approx(worth(best, -70))
    assert float(bar.greatest) == pytest.approx(worth(best, 90))
    assert (bar.method, bar.thresholds) == ("sampled", ())


def test_a_range_is_cut_where_a_total_has_no_utility() -> None:
    tree = et.loads("parameters: {a: 1}\nmax: {x: {chance: ['a', 2]}, y: 1}")
    found = et.sensitivity(tree.with_attitude("points=0:0,10:1"), "a", range=(0, 20))
    assert (found.range.low, found.range.high) == (0, 10)
    assert "a moves from 0 to 10 only, and not from 0 to 20: " in et.to_text(found)
    assert "outside the points" in found.range.why_cut
