"""Values under strategies that know nothing, something or all, against enumeration."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import numpy as np
import pytest
from random_criteria import random_node

import expectitree as et
from expectitree.base.errors import AnalysisError
from expectitree.base.expressions.evaluation import FLOATS, evaluate
from expectitree.base.expressions.parser import ExpressionError, parse
from expectitree.base.tree.folding import unshare
from expectitree.decide.simulation.arrays import ARRAYS, mean_of, noting_infinities
from expectitree.decide.simulation.strategies import Strategies, everything, nothing, these

DRAWS = 6
NAMES = ("p", "q", "x", "y")


def random_tree(random: Random) -> et.Tree:
    """Return a small tree with decisions at several depths, one of them perhaps shared."""
    utilities = ("x", "y", "x*y", "3 - x", "p*y", "1", "2", "max(x, y)", "if(x < y, 2*y, x)")

    def node(depth: int) -> Any:
        kind = random.choice(("max", "chance", "leaf")) if depth else "max"
        if depth == 3 or (depth and kind == "leaf"):
            return random.choice(utilities)
        if depth == 1 and random.random() < 0.3:
            return {"ref": "shared"}
        children = [node(depth + 1) for _ in range(2)]
        if kind == "max":
            return {
                "max": [{"reward": random.choice(("0", "y/2")), **as_dict(c)} for c in children]
            }
        ps = random.choice((("p", "rest"), ("p*q", "1 - p*q"), ("0.3", "0.7"), ("p^2", "rest")))
        return {"chance": [{"p": p, **as_dict(c)} for p, c in zip(ps, children, strict=True)]}

    def as_dict(child: Any) -> dict[str, Any]:
        return child if isinstance(child, dict) else {"utility": child}

    shared = {"chance": [{"p": "q", "max": ["x", "1 - y"]}, {"p": "rest", "utility": "y"}]}
    parameters = dict.fromkeys(NAMES, 0.5)
    return et.from_dict({"parameters": parameters, "nodes": {"shared": shared}, **node(0)})


def draws_of(seed: int) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    return {name: random.random(DRAWS).round(3) for name in NAMES}


def plays(node: et.Node) -> Iterator[float]:
    """Yield the value of each strategy below a node, with an action for each history."""
    below = [
        [(branch.p, branch.reward + value) for value in plays(branch.child)]
        for branch in node.branches
    ]
    if node.kind == et.Kind.TERMINAL:
        yield node.utility or 0.0
    elif node.kind == et.Kind.MAX:
        yield from (value for options in below for _, value in options)
    else:
        for chosen in itertools.product(*below):
            yield sum(p * value for p, value in chosen)


@pytest.mark.parametrize("seed", range(60))
def test_enumeration(seed: int) -> None:
    tree, draws = random_tree(Random(seed)), draws_of(seed)
    one_by_one = [
        tree.with_parameters(**{name: float(x[at]) for name, x in draws.items()})
        for at in range(DRAWS)
    ]
    # The strategies are in the same order in each tree.
    table = np.array([[*plays(moved.root)] for moved in one_by_one])
    strategies = Strategies(tree, draws)
    now, actions = strategies.play(nothing)
    assert now.mean() == pytest.approx(table.mean(axis=0).max())
    assert actions.mean(axis=1).max() == pytest.approx(now.mean())
    known, actions = strategies.play(everything)
    assert known == pytest.approx(table.max(axis=1))
    assert known == pytest.approx([et.evaluate(moved).value for moved in one_by_one])
    assert actions.max(axis=0) == pytest.approx(known)


def test_what_a_history_says_about_a_parameter() -> None:
    # After a success, p is probably high, so repeating is best; at the mean of p it is not.
    text = """
parameters: {p: 0.5}
chance:
  win: {p: p, max: {again: 10*p - 5.5, stop: 0}}
  lose: {p: rest, max: {again: 10*p - 5.5, stop: 0}}
"""
    now, _ = Strategies(et.loads(text), {"p": np.array([0.2, 0.8])}).play(nothing)
    # By hand: after a win, 0.2 * -3.5 + 0.8 * 2.5 is positive; after a loss it is not.
    assert now.mean() == pytest.approx((0.2 * -3.5 + 0.8 * 2.5) / 2)


@pytest.mark.parametrize(
    "text",
    [
        *("x + y*2 - -x/y", "x^y", "x^2", "x^-1", "exp(x)", "log(x)", "sqrt(y)", "abs(-x)"),
        *("min(x, y, 1)", "max(x, 2)", "if(x < y, 1/y, x)", "if(x > 0, log(x), 0)"),
        *("if(1/x < 1, 1, 2)", "(1/x)^0", "1^log(x)", "if(1 <= 2, x, log(-1))", "1/(1/x)"),
        *("exp(1000*x)", "if(x = y, 1, 0)", "5%*x", "if(x >= 1, if(y < 1, 1, 2), 3)", "1/0 + x"),
    ],
)
def test_formulas_over_arrays(text: str) -> None:
    expression = parse(text, ("x", "y"))
    xs, ys = (a.ravel() for a in np.meshgrid([-2.0, -0.5, 0.0, 1.0, 3.0], [-1.0, 0.0, 1.0, 2.5]))
    with noting_infinities():
        found = np.broadcast_to(evaluate(expression, ARRAYS, {"x": xs, "y": ys}), xs.shape)
    for x, y, value in zip(xs, ys, found, strict=True):
        try:
            expected = evaluate(expression, FLOATS, {"x": float(x), "y": float(y)})
        except ExpressionError:
            expected = np.nan
        assert value == pytest.approx(expected, nan_ok=True), (x, y)


def test_a_number_is_not_needed_where_its_probability_is_0() -> None:
    found = mean_of([np.array([0.0, 0.5]), 1.0], [np.array([np.nan, 1.0]), 2.0])
    assert found.tolist() == [2.0, 2.5]


NO_VALUE = {
    "max: {a: log(x), b: 0}": "a: 'log(x)' is the logarithm of a number that is not positive at x "
    "= -0.5; give the parameter a distribution without such values, or limit it in the formula, as "
    "in min(x, 1)",
    "chance: {a: {p: x, utility: 1}, b: {p: rest, utility: 0}}": "a: p is -0.5 at x = -0.5, "
    "expected a number from 0 to 1: change the formula or a parameter; give the parameter",
    "chance: {a: {p: abs(x), utility: 1}, b: {p: 0, utility: 0}}": "/: the probabilities sum to "
    "0.5 at x = -0.5, expected 1",
}


@pytest.mark.parametrize("text", NO_VALUE)
def test_a_draw_without_a_value(text: str) -> None:
    tree = et.loads(f"parameters: {{x: 1}}\n{text}")
    with pytest.raises(AnalysisError) as caught:
        Strategies(tree, {"x": np.array([1.0, -0.5, 1.0])}).play(nothing)
    assert str(caught.value).startswith(f"draw 2: {NO_VALUE[text]}")


def test_knowing_one_parameter() -> None:
    """The difference of two actions is a + b, each normal; knowing a is worth its unit loss."""
    random = np.random.default_rng(3)
    draws = {"a": random.normal(0, 1, 40_000), "b": random.normal(0, 2, 40_000)}
    tree = et.loads("{parameters: {a: 0, b: 0}, max: {do: a + b, wait: 0}}")
    strategies = Strategies(tree, draws)
    now = strategies.play(nothing)[0]
    for names, sd in (("a", 1), ("b", 2), ("ab", 5**0.5)):
        gain = strategies.play(these([draws[name] for name in names]))[0] - now
        error = gain.std() / 200
        assert abs(gain.mean() - sd / (2 * np.pi) ** 0.5) < 4 * error < 0.06


@pytest.mark.slow
def test_standard_errors_and_chance_findings() -> None:
    """The 95% intervals contain the value, and that of an idle parameter is 0 on average."""
    tree = et.loads("{parameters: {a: 0, b: 0}, max: {do: a + b, wait: 0}}")
    within, idle = 0, []
    for seed in range(200):
        random = np.random.default_rng(seed)
        draws = {name: random.normal(0, 1, 2_000) for name in "ab"}
        strategies = Strategies(tree, draws)
        now = strategies.play(nothing)[0]
        gain = strategies.play(these([draws["a"]]))[0] - now
        # Deciding now is worth 0; the better mean of a sample is a bit more.
        within += abs(gain.mean() + now.mean() - (2 * np.pi) ** -0.5) < 2 * gain.std() / 2_000**0.5
        idle.append((strategies.play(these([random.normal(0, 1, 2_000)]))[0]).mean())
    assert within > 180
    assert abs(np.mean(idle)) < 0.005


@pytest.mark.parametrize("seed", range(8))
def test_knowing_one_parameter_before_later_decisions(seed: int) -> None:
    """Enumerate the strategies for each value of a discrete parameter."""
    tree, count = random_tree(Random(seed)), 3_000
    random = np.random.default_rng(seed)
    draws = {"x": random.choice([0.1, 0.5, 2.5], count)}
    draws |= {name: random.choice([0.2, 0.9], count) for name in ("p", "q", "y")}
    points = np.array([*draws.values()]).T
    tables: dict[tuple[float, ...], Any] = {}  # the values of all strategies, by the parameters
    for point in map(tuple, np.unique(points, axis=0).tolist()):
        moved = tree.with_parameters(**dict(zip(draws, point, strict=True)))
        tables[point] = np.array([*plays(moved.root)])
    table = np.array([tables[point] for point in map(tuple, points.tolist())])
    parts = [table[draws["x"] == x].mean(axis=0).max() for x in (0.1, 0.5, 2.5)]
    shares = [(draws["x"] == x).mean() for x in (0.1, 0.5, 2.5)]
    value, _ = Strategies(tree, draws).play(these([draws["x"]]))
    assert value.mean() == pytest.approx(np.dot(shares, parts), rel=1e-3, abs=1e-3)
    assert value.mean() <= np.dot(shares, parts) + 1e-9


@pytest.mark.parametrize("seed", range(20))
def test_the_criteria_of_an_action_make_up_its_value(seed: int) -> None:
    """In each draw of each action, with decisions at all depths, for MAX and for MIN."""
    random, names = Random(seed), ("cost", "effect", "idle")
    decider = random.choice(("max", "min"))
    node = {decider: [random_node(random, 3, names, (decider, "chance")) for _ in range(2)]}

    def uncertain(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: part[key] if key == "p" else uncertain(part[key]) for key in part}
        if isinstance(part, list):
            return [*map(uncertain, part)]
        return f"{part}*{random.choice(('x', 'y', '1'))}"

    normal = {"distribution": "normal(1, 1)"}
    parameters = {"x": normal, "y": normal, "wtp": 3}
    about = {"parameters": parameters, "criteria": [*names], "objective": "wtp*effect - cost"}
    found = et.simulate(et.from_dict({**about, **uncertain(node)}), draws=100)
    weighed = 3 * found.criteria["effect"] - found.criteria["cost"]
    assert weighed == pytest.approx(np.array(found.values))
    assert (found.plane is None) == (decider == "min")


REPEATED = """
parameters: {t: 0, x: 0.3, y: 0.6}
nodes:
  a:
    until: t = 5
    utility: 9*y
    max:
      stay: {reward: 1, ref: a, with: {t: t + 1}}
      go: {chance: [{p: x, utility: 7}, {p: P, ref: a, with: {t: t + 1}}, {p: rest, utility: 1}]}
max: {one: {ref: a}, two: 9*y}
"""


@pytest.mark.parametrize(
    ("p", "places"),
    [("1 - x", 26), ("(1 - x)*y", 26), ("0.9 - x", 26), ("rest", 26), ("0.05", 10), ("0*x", 17),
     ("(1 - x)/(t + 1)", 47)],
)  # fmt: skip
def test_paths_with_the_same_evidence_are_one_place(
    p: str, places: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = et.loads(REPEATED.replace("P", p))
    draws = {name: 0.8 * draws_of(7)[name] for name in ("x", "y")}
    found, apart = Strategies(tree, draws), Strategies(unshare(tree), draws)
    assert (len(found.places), len(apart.places)) == (places, 47)
    for estimate in (nothing, everything):
        for one, other in zip(found.play(estimate), apart.play(estimate), strict=True):
            assert one == pytest.approx(other)
    monkeypatch.setattr("expectitree.decide.simulation.draws._MAX_NUMBERS", DRAWS * places - 1)
    with pytest.raises(et.AnalysisError, match="fewer uncertain probabilities above decisions"):
        Strategies(tree, draws)


def test_each_thread_notes_its_own_infinities() -> None:
    with noting_infinities():
        infinite = np.ones(2) / np.zeros(2)
        with ThreadPoolExecutor(1) as pool:
            pool.submit(ARRAYS.checked, np.ones(2)).result()
        assert np.isnan(ARRAYS.checked(infinite)).all()
