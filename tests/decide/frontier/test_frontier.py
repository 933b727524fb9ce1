"""The frontier against all strategies of random trees, and against published league tables."""

from __future__ import annotations

import itertools
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from helpers import for_each, invoke, object_of, run_main
from random_criteria import random_node

import expectitree as et
from expectitree.decide.frontier import envelope

F = Fraction
Pair = tuple[Fraction, Fraction]  # of cost and effect
ROOT = "{parameters: {wtp: 20000}, criteria: [cost, effect], objective: wtp*effect - cost, "


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


def standings(found: et.Frontier) -> dict[str, str]:
    """Return ND, ED or D by strategy."""
    short = {"dominated": "D", "extendedly dominated": "ED", "best": "ND"}
    return {str(one.action): short[one.status] for one in (*found.best, *found.never)}


# ---- Published tables.


def test_a_published_example_with_both_kinds_of_dominance() -> None:
    """Of the guide to cost-effectiveness analysis of the VA's Health Economics Resource Center."""
    table = {
        "usual care": (5000, 1), "A": (12000, 1.5), "B": (10000, 2), "C": (25000, 3),
        "D": (35000, 4), "E": (55000, 5),
    }  # fmt: skip
    found = et.frontier(tree_of(table))
    assert [one.action for one in found.best] == ["usual care", "B", "D", "E"]
    assert [one.start for one in found.best] == [0, 5000, 12500, 20000]
    added = [[*(one.increments or {}).values()] for one in found.best]
    assert added == [[], [5000, 1], [25000, 2], [20000, 1]]
    assert {one.action: (one.status, one.by) for one in found.never} == {
        "A": ("dominated", (2,)),
        "C": ("extendedly dominated", (2, 3)),
    }


def test_treatments_of_clostridioides_difficile() -> None:
    """Of Rajasingham and others, Clinical Infectious Diseases 70 (2020)."""
    table = {
        "s3": (57336.0059896538, 12.9399639202408), "s27": (57541.2526373815, 13.0140640696275),
        "s33": (57642.2587507842, 13.0389116321918), "s31": (57934.0743411241, 13.0966257932217),
        "s43": (58072.1137208494, 13.11285766912), "s44": (58665.7823044647, 13.1283328397025),
        "s39": (57814.6470919581, 13.0462790163185), "s4": (57887.481549326, 12.9970657153765),
        "s13": (58018.6252420203, 13.0650412387992), "s37": (58081.7947984323, 13.1029711156978),
        "s20": (58634.2026441398, 13.1100568867995),
    }  # fmt: skip
    found = et.frontier(tree_of(table))
    icers = [2769.85470915263, 4065.03105249231, 5056.2216470406, 8504.2160616553, 38362.6519947134]
    assert [float(one.start) for one in found.best[1:]] == pytest.approx(icers, rel=1e-9)
    assert [one.action for one in found.best] == ["s3", "s27", "s33", "s31", "s43", "s44"]
    assert {one.action: one.status for one in found.never} == {
        **dict.fromkeys(("s4", "s13", "s37", "s20"), "dominated"),
        "s39": "extendedly dominated",
    }


def test_screening_for_hiv() -> None:
    """Of Paltiel and others, Annals of Internal Medicine 145 (2006), table 4."""
    months = {"none": 277.25, "once": 277.57, "5 years": 277.78, "3 years": 277.83, "1": 277.76}
    costs = (26000, 27000, 28020, 28440, 29440)
    pairs = zip(months.items(), costs, strict=True)
    table = {name: (Fraction(cost), Fraction(str(m)) / 12) for (name, m), cost in pairs}
    found = et.frontier(tree_of(table))
    assert standings(found) == {**dict.fromkeys(months, "ND"), "1": "D"}
    assert [round(one.start) for one in found.best] == [0, 37500, 58286, 100800]


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

    def ends(pair: Pair) -> Pair:
        last = pair[1] if high is None else high * pair[1] - pair[0]
        return low * pair[1] - pair[0], last

    for one in found.never:
        pair = one.criteria["cost"], one.criteria["effect"]
        x, y = ends(pair)
        is_dominated = any(a >= x and b >= y for a, b in map(ends, {*expected} - {pair}))
        if pair in expected:
            assert one.status == "same"
        elif one.status == "best at one weight":
            greatest = max(one.start * effect - cost for cost, effect in expected)
            assert one.start * pair[1] - pair[0] == greatest
        else:
            assert one.status == ("dominated" if is_dominated else "extendedly dominated")
    firsts = {one.action for one in (*found.best, *found.never)}
    assert firsts == {f"#{place}" for place, _ in enumerate(node["max"], 1)}


def test_the_signs_of_the_weights() -> None:
    """Infections are avoided, profit is gained, and a weight may be of the cost."""
    worth = {"none": "{a: 9}", "some": "{a: 4, b: 5}", "all": "{b: 20}"}
    actions = ", ".join(f"{name}: {{utility: {one}}}" for name, one in worth.items())
    head = "parameters: {w: 1, k: 2}\ncriteria: [a, b]\nobjective: "
    cases = {
        "-w*a - b": [("none", 0), ("some", 1), ("all", Fraction(15, 4))],
        "-a - w*b": [("all", 0), ("some", Fraction(4, 15)), ("none", 1)],
        "w*a - k*b/2": [("none", 0)],
        "w*b + a": [("none", 0), ("all", Fraction(9, 20))],
    }
    for objective, expected in cases.items():
        found = et.frontier(et.loads(f"{head}{objective}\nmax: {{{actions}}}"), "w")
        assert [(one.action, one.start) for one in found.best] == expected
    assert [found.weighed, found.other, found.is_icer] == ["b", "a", False]


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
        here = [one.action for one in found.best if one.start <= F(weight) <= one.end]
        assert action in here
    assert f"incr. {found.weighed}" in et.to_text(found, width=200)
    for strategy in found.best:
        amounts = found.amounts_of(strategy)
        factors = {part: {*weights.values()} == {1} for part, weights in found.parts.items()}
        if not any(factors.values()):
            moved = tree.with_parameters(w=strategy.start)
            worth = amounts[found.weighed] * F(strategy.start) + amounts[found.other]
            value = et.evaluate(moved, exact=True).value
            assert float(worth) == pytest.approx(float(value))


# By name, the table, the ends of the weight, and of those never listed: what the text says.
NEVER: dict[str, tuple[dict[str, tuple[Any, Any]], Any, dict[str, str]]] = {
    "ties": (
        {"none": (0, 0), "half": (5, 1), "all": (10, 2), "same": (10, 2)}, None,
        {"half": "best only at 5", "same": "same as 2"},
    ),
    "three that are the same": (
        {"a": (0, 0), "b": (0, 0), "c": (4, 1), "d": (4, 1)}, None,
        {"b": "same as 1", "d": "same as 2"},
    ),
    "as cheap, with less effect": (
        {"a": (0, 1), "b": (0, 0), "c": (9, 4)}, None, {"b": "dominated by 1"},
    ),
    "as good, for more": (
        {"a": (0, 1), "b": (9, 4), "c": (10, 4)}, None, {"c": "dominated by 2"},
    ),
    "between two": (
        {"a": (0, 0), "b": (7, 1), "c": (10, 2), "d": (3, "1/2")}, None,
        {"b": "extendedly dominated by 1 and 2", "d": "extendedly dominated by 1 and 2"},
    ),
    "at an end of the range": (
        {"a": (0, 0), "b": (10, 1), "c": (45, 2)}, (10, 30),
        {"a": "best only at 10", "c": "dominated by 1"},
    ),
    "at both ends": (
        {"a": (0, 0), "b": (10, 1), "c": (40, 2)}, (10, 30),
        {"a": "best only at 10", "c": "best only at 30"},
    ),
    "a fraction": (
        {"a": (0, 0), "b": (1, 3), "c": ("1/3", 1)}, None, {"c": "best only at 0.333333"},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("table", "ends", "expected"), NEVER.values(), ids=NEVER)
def test_why_an_action_is_not_listed(
    table: dict[str, tuple[Any, Any]], ends: Any, expected: dict[str, str]
) -> None:
    tree = tree_of(table)
    found = et.frontier(tree, range=ends)
    lines = et.to_text(found).splitlines()
    assert {one.action for one in found.never} == {*expected}
    weights = {one.start for one in found.best} | {F(35, 3), F(30)}
    for one in found.never:
        line = next(line for line in lines if line.split()[:1] == [one.action])
        assert line.endswith(f"  {expected[str(one.action)]}")
        trees = {weight: tree.with_parameters(wtp=weight) for weight in weights}
        is_best = {weight for weight in weights if one.action in et.evaluate(trees[weight]).ties}
        if one.status != "same" and found.range.low == 0:  # others may be best out of the range
            zero = {F(0)} if one.criteria["cost"] == 0 else set()  # as cheap as the cheapest one
            assert is_best == ({one.start} if one.start is not None else zero)
        assert one.end == one.start


# ---- Errors and outputs.


def test_errors() -> None:
    actions = "max: {a: {utility: {cost: 5, effect: 1}}, b: 0}}"
    cases = {
        "max: [1, 2]": "a frontier needs several criteria: write `criteria: [cost, effect]`",
        ROOT + "max: [0, {min: [0, 0]}]}": "MAX and MIN both decide in this tree: leave one",
        "{criteria: [cost, effect], objective: effect - cost, " + actions: "depends on none: write",
        "{parameters: {v: 2, w: 1}, criteria: [cost, effect], objective: v*effect - w*cost, "
        + actions: "depends on v, w: choose one, as in -p v",
        "{parameters: {w: 2}, criteria: [cost, effect], objective: w^2*effect - cost, "
        + actions: "w^2*effect - cost is not linear in w",
        "{parameters: {w: 2}, criteria: [cost, effect], objective: effect/w - cost, "
        + actions: "as in w*effect - cost; effect/w - cost is not linear in w",
        ROOT
        + "max: {a: {utility: {cost: 2*wtp, effect: 1}}, b: 0}}": "formula 2*wtp depends on it",
        "{attitude: {exponential: 5}, " + ROOT[1:] + actions: "frontier is about expected values",
    }
    for text, message in cases.items():
        with pytest.raises((et.AnalysisError, et.TreeError)) as caught:
            et.frontier(et.loads(text))
        assert message in str(caught.value), text
    done = run_main("frontier", "-e", ROOT + actions, "-p", "wtq")
    assert "unknown parameter 'wtq' (did you mean 'wtp'?)" in done.err
    assert "found 'wtp=0' as a parameter" in run_main("frontier", "-p", "wtp=0", "-e", ROOT).err


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


def test_text() -> None:
    done = invoke("frontier", "-e", THERAPY)
    assert done.stdout == (
        "Tests and treatments\n"
        "\n"
        "     action                      cost  effect  incr. cost  incr. effect  ICER\n"
        "1    none                           0       0\n"
        "2 ★  test, then test/ill: treat    30     2.5          30           2.5    12\n"
        "\n"
        "   action  cost  effect  why not above\n"
        "   treat     60       2  dominated by 2\n"
        "   pray       4     0.1  extendedly dominated by 1 and 2\n"
        "\n"
        "Objective: wtp*effect - cost, with wtp from 0 up.\n"
        "wtp is €30 now: 2 is best.\n"
        "Each threshold is verified on both sides, by evaluating the tree in exact\n"
        "arithmetic.\n"
    )
    text = invoke("frontier", "-e", THERAPY, "-p", "wtp=12..20").stdout
    assert "with wtp from 12 to 20.\nwtp is €30 now: that is outside the range.\n" in text


def test_json_and_csv() -> None:
    found = object_of("frontier", "-e", THERAPY)
    assert found["range"] == [0, "inf"]
    assert [found["weighed"], found["other"]] == ["effect", "cost"]
    assert found["best"][1] == {
        "action": "test", "choices": {"/": "test", "test/ill": "treat"},
        "criteria": {"cost": 30, "effect": 2.5}, "start": 12, "end": "inf", "status": "best",
        "by": [], "increments": {"cost": 30, "effect": 2.5},
    }  # fmt: skip
    assert found["never"][0]["status"] == "dominated"
    assert invoke("frontier", "-e", THERAPY, "--format", "csv").stdout.splitlines() == [
        "file,action,status,start,end,by,cost,effect",
        "'-e,none,best,0,12,,0,0",
        "'-e,test,best,12,inf,,30,2.5",
        "'-e,treat,dominated,,,2,60,2",
        "'-e,pray,extendedly dominated,,,1 2,4,0.1",
    ]


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
