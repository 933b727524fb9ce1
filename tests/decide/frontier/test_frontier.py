"""The frontier against all strategies of random trees."""

from __future__ import annotations

import itertools
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from helpers import for_each, run_main
from random_criteria import random_node

import expectitree as et
from expectitree.decide.frontier import envelope

Pair = tuple[Fraction, Fraction]  # of cost and effect


def tree_of(table: dict[str, Pair | tuple[float, float]]) -> et.Tree:
    """Return the tree of a league table: a cost and an effect by strategy."""
    amounts = {name: {"cost": cost, "effect": effect} for name, (cost, effect) in table.items()}
    return et.from_dict(
        {
            "parameters": {"wtp": 20000},
            "criteria": ["cost", "effect"],
            "objective": "wtp*effect - cost",
            "max": {name: {"utility": one} for name, one in amounts.items()},
        }
    )


# ---- All strategies of random trees.


def pairs_of(node: dict[str, Any]) -> set[Pair]:
    """Return the expected cost and effect of every strategy, by enumeration."""
    amounts = [node.get(key) or {} for key in ("reward", "utility")]
    own = [sum(Fraction(one.get(name, 0)) for one in amounts) for name in ("cost", "effect")]
    below = {(Fraction(0), Fraction(0))}
    if "max" in node:
        below = {pair for child in node["max"] for pair in pairs_of(child)}
    for child in node.get("chance", ()):
        if p := Fraction(child["p"]):
            more = itertools.product(below, pairs_of(child))
            below = {(cost + p * c, effect + p * e) for (cost, effect), (c, e) in more}
    return {(own[0] + cost, own[1] + effect) for cost, effect in below}


def upper(pairs: set[Pair], low: Fraction, high: Fraction | None) -> list[Pair]:
    """Return the pairs that are best between two weights, by trying every place that matters."""
    meetings = {(c - d) / (e - f) for (c, e), (d, f) in itertools.permutations(pairs, 2) if e != f}
    end = max((*meetings, low)) + 1 if high is None else high
    places = sorted({low, end, *(place for place in meetings if low < place < end)})
    middles = [(a + b) / 2 for a, b in itertools.pairwise(places)]
    best = [max(pairs, key=lambda pair, at=at: at * pair[1] - pair[0]) for at in middles]
    return list(dict.fromkeys(best))


@for_each("seed", range(14), range(14, 400))
def test_every_strategy_of_random_trees(seed: int) -> None:
    random = Random(seed)
    actions = range(random.randint(1, 3))
    kinds = ("max", "max", "chance")
    node = {"max": [random_node(random, 3, ("cost", "effect"), kinds) for _ in actions]}
    pairs = pairs_of(node)
    if len(pairs) > 40:
        return
    low = Fraction(random.randint(-2, 2))
    high = None if seed % 2 else Fraction(random.randint(3, 9))
    root = {"parameters": {"wtp": 5}, "criteria": ["cost", "effect"]}
    tree = et.from_dict({**root, "objective": "wtp*effect - cost", **node})
    found = et.frontier(tree, range=None if high is None else (low, high))
    low = Fraction(0) if high is None else low
    expected = upper(pairs, low, high)
    assert [(one.criteria["cost"], one.criteria["effect"]) for one in found.best] == expected
    starts = [(d - c) / (f - e) for (c, e), (d, f) in itertools.pairwise(expected)]
    assert [one.start for one in found.best] == [low, *starts]

    for one in found.never:
        pair = one.criteria["cost"], one.criteria["effect"]
        is_dominated = any(c <= pair[0] and e >= pair[1] for c, e in {*expected} - {pair})
        if pair in expected:
            assert one.status == "same"
        elif one.status == "best at one weight":
            greatest = max(one.start * effect - cost for cost, effect in expected)
            assert one.start * pair[1] - pair[0] == greatest
        else:
            others = "extendedly dominated" if high is None else "worse in this range"
            assert one.status == ("dominated" if is_dominated else others)
    firsts = {one.action for one in (*found.best, *found.never)}
    assert firsts == {f"#{place}" for place, _ in enumerate(node["max"], 1)}


# An objective of several criteria; values of a weight, and the best action at each.
OBJECTIVES = {
    "w*(2*a + b) - c": {0: "none", 3: "all"},
    "w*a + (1 - w)*b - c/10": {0: "all", "1/2": "all", 1: "some"},
    "w*a - w*c": {0: "none", 1: "none"},
    "(1 - px)*w*a + log(k)*b - c": {0: "all", 5: "all"},
    "w/total*(a + b) - c": {0: "none", 40: "all"},
}


@pytest.mark.parametrize(("objective", "best"), OBJECTIVES.items(), ids=OBJECTIVES)
def test_an_objective_that_is_linear_in_its_weight(objective: str, best: dict[Any, str]) -> None:
    text = f"""{{parameters: {{w: 1, k: 2, px: 1 - exp(-k), total: w + 9 - w}}, criteria: [a, b, c],
      objective: '{objective}', max: {{none: 0, some: {{utility: {{a: 4, b: 1, c: 7}}}},
      all: {{utility: {{a: 3, b: 20, c: 11}}}}, later: {{reward: {{c: 1}}, max: {{
      go: {{chance: [{{utility: {{a: px, b: 5}}}}, {{utility: {{c: '2*k'}}}}]}}, stop: 0}}}}}}}}"""
    tree = et.loads(text)
    found = et.frontier(tree, "w")
    for strategy in found.best:
        middle = (strategy.start + min(strategy.end, 99)) / 2
        assert strategy.action in et.evaluate(tree.with_parameters(w=middle)).ties
    for weight, action in best.items():
        here = [one.action for one in found.best if one.start <= Fraction(weight) <= one.end]
        assert action in here
    assert f"incr. {found.weighed}" in et.to_text(found, width=200)
    for strategy in found.best:
        amounts = found.amounts_of(strategy)
        factors = {part: {*weights.values()} == {1} for part, weights in found.parts.items()}
        if not any(factors.values()):
            moved = tree.with_parameters(w=strategy.start)
            worth = amounts[found.weighed] * Fraction(strategy.start) + amounts[found.other]
            value = et.evaluate(moved, exact=True).value
            assert float(worth) == pytest.approx(float(value))


# ---- Errors and outputs.


def test_a_wrong_line_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = envelope.Lines.best
    monkeypatch.setattr(envelope.Lines, "best", lambda *args: wrong(*args)._replace(a=Fraction(7)))
    with pytest.raises(et.AnalysisError, match="this is a defect of expectitree"):
        et.frontier(tree_of({"a": (Fraction(1), Fraction(2))}))


THERAPY = """title: Tests and treatments
parameters: {wtp: {value: 30, unit: €}}
criteria: {cost: {unit: €}, effect: {unit: QALY}}
objective: wtp*effect - cost
max:
  none: 0
  test:
    cost: 10
    chance:
      ill: {p: 0.5, max: {treat: {utility: {cost: 40, effect: 4}}, wait: 0}}
      well: {p: 0.5, utility: {effect: 1}}
  treat: {utility: {cost: 60, effect: 2}}
  pray: {utility: {cost: 4, effect: 0.1}}
"""


@pytest.mark.extra
def test_plot(tmp_path: Path) -> None:
    from expectitree.decide.frontier.plot import figure_of

    (axes,) = figure_of(et.frontier(et.loads(THERAPY))).axes
    lines = {line.get_label(): [*zip(*line.get_data(), strict=True)] for line in axes.lines}
    assert lines == {
        "best for some weight": [(0, 0), (2.5, 30)],
        "dominated": [(2, 60)],
        "extendedly dominated": [(0.1, 4)],
    }
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("effect (QALY)", "cost (€)")
    out = tmp_path / "plane.svg"
    assert f"{out} written" in run_main("frontier", "-e", THERAPY, "--plot", str(out)).err
