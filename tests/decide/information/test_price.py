"""With an attitude to risk, information is worth the price that leaves no gain."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from random import Random

import pytest
from helpers import ROOT

import expectitree as et

PARTY = str(ROOT / "docs" / "examples" / "party.yaml")
Curve = Callable[[float], float]
ATTITUDES: dict[str, Curve] = {
    "exponential=70": lambda x: -math.exp(-x / 70),
    "exponential=-120": lambda x: math.exp(x / 120),
    "logarithmic=260": lambda x: math.log(x + 260),
    "points=-400:0,0:10,50:12,200:13": lambda x: (
        10 + x / 40 if x < 0 else 10 + x / 25 if x < 50 else 12 + (x - 50) / 150
    ),
    "utility=(x + 300)^(1/2)": lambda x: math.sqrt(x + 300),
}


def buying_price(
    actions: Sequence[Sequence[float]],
    signals: Sequence[Sequence[float]],  # by signal: the joint probability with each outcome
    utility: Curve,
) -> float:
    """Return the price of information about the outcomes by its definition, by bisection.

    `actions` has the totals by outcome.
    """
    prior = [sum(column) for column in zip(*signals, strict=True)]

    def best(weights: Sequence[float], price: float) -> float:
        return max(
            sum(p * utility(x - price) for p, x in zip(weights, row, strict=True) if p)
            for row in actions
        )

    low, high, now = 0.0, 500.0, best(prior, 0)
    for _ in range(80):
        middle = (low + high) / 2
        try:
            pays = sum(best(row, middle) for row in signals) > now
        except ValueError:  # no logarithm or root
            pays = False
        low, high = (middle, high) if pays else (low, middle)
    return low


def tree_of(actions: Sequence[Sequence[float]], prior: Sequence[float], cost: float) -> et.Tree:
    """Return a tree in which every action has a cost, which is part of the totals."""
    outcomes = ", ".join(
        f"a{i}: {{cost: {cost}, event: e, chance: {{"
        + ", ".join(
            f"o{j}: {{p: {p}, utility: {x + cost}}}"
            for j, (x, p) in enumerate(zip(row, prior, strict=True))
        )
        + "}}"
        for i, row in enumerate(actions)
    )
    return et.loads(f"max: {{{outcomes}}}")


QUICK = ("exponential=70", "exponential=-120", "logarithmic=260")


@pytest.mark.parametrize(
    ("attitude", "seed"),
    [
        pytest.param(one, seed, marks=() if one in QUICK and seed == 0 else pytest.mark.slow)
        for one in ATTITUDES
        for seed in range(4)
    ],
)
def test_the_price_is_that_of_the_definition(attitude: str, seed: int) -> None:
    random, utility = Random(seed), ATTITUDES[attitude]
    actions = [[random.randint(-60, 120) for _ in range(3)] for _ in range(3)]
    prior = [0.2, 0.3, 0.5]
    rates = [random.randint(1, 9) / 10 for _ in prior]
    tree = tree_of(actions, prior, random.choice([0, 15])).with_attitude(attitude)
    test = {
        "yes": {f"o{j}": str(rate) for j, rate in enumerate(rates)},
        "no": dict.fromkeys(["o0", "o1", "o2"], "rest"),
    }
    found = et.information(tree, "e", likelihood=test)
    known = [[p if i == j else 0 for j, p in enumerate(prior)] for i in range(3)]
    yes = [p * rate for p, rate in zip(prior, rates, strict=True)]
    no = [p - q for p, q in zip(prior, yes, strict=True)]
    assert found.evpi == pytest.approx(buying_price(actions, known, utility), abs=1e-7)
    assert found.evsi == pytest.approx(buying_price(actions, [yes, no], utility), abs=1e-7)
    free = sum(p * utility(max(row[j] for row in actions)) for j, p in enumerate(prior))
    assert utility(float(found.with_information)) == pytest.approx(free)
    assert [one.p for one in found.outcomes] == prior


def test_the_party_problem_has_its_published_price() -> None:
    """Howard and Abbas: clairvoyance about the weather is worth $20 to Kim."""
    found = et.information(et.load(PARTY), "weather")
    assert found.evpi == pytest.approx(20.26, abs=0.01)
    # With an exponential attitude, it is a difference of certainty equivalents.
    assert found.evpi == pytest.approx(found.with_information - found.value)
    assert [(one.name, one.best) for one in found.outcomes] == [
        ("sun", ("outdoors",)),
        ("rain", ("indoors",)),
    ]


def test_information_that_changes_nothing_is_worth_nothing() -> None:
    tree = tree_of([[5, 6], [1, 2]], [0.5, 0.5], 0).with_attitude("logarithmic=10")
    assert et.information(tree, "e").evpi == 0


def test_information_may_be_worth_less_than_nothing_if_min_has_it() -> None:
    text = "min: {a: {event: e, chance: [1, 9]}, b: {event: e, chance: [9, 1]}}"
    text = f"max: {{go: {{{text}}}, stay: 0}}"
    tree = et.loads(text).with_attitude("logarithmic=1")
    found = et.information(tree, "e")
    # MIN picks 1 in each case, and is paid -log for it: sqrt(2 * 10) - 1 falls to 1.
    worth = 0.5 * math.log(2 - float(found.evpi)) * 2
    assert worth == pytest.approx(0.5 * (math.log(2) + math.log(10)))
    assert found.evpi < -2


def test_a_price_at_which_a_total_has_no_utility_is_an_error() -> None:
    tree = tree_of([[0, 100], [40, 40]], [0.5, 0.5], 0).with_attitude("points=0:0,100:1")
    message = "no price of the information leaves no gain: attitude points.* is outside the points"
    with pytest.raises(et.AnalysisError, match=message):
        et.information(tree, "e")
