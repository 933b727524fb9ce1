"""`simulate`: the report, the command and its formats, files of draws, and what is drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import invoke, object_of, run_main

import expectitree as et
from expectitree.base.errors import AnalysisError
from expectitree.decide.simulation.draws import draw

ACTIONS = ("sure", "bet")
BET = """
title: A bet
parameters:
  p: {distribution: "beta(2, 2)"}
  prize: {value: 10, unit: $}
max:
  sure: 4
  bet: {chance: {win: {p: p, utility: prize}, lose: {p: rest, utility: 0}}}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "scipy_name", "arguments"),
    [
        ("beta(2, 3)", "beta", {"args": (2, 3)}),
        ("gamma(3, 2)", "gamma", {"args": (3,), "scale": 2}),
        ("lognormal(1, 0.3)", "lognorm", {"args": (0.3,), "scale": np.e}),
        ("normal(5, 2)", "norm", {"args": (), "loc": 5, "scale": 2}),
        ("triangular(1, 2, 5)", "triang", {"args": (0.25,), "loc": 1, "scale": 4}),
        ("uniform(-1, 3)", "uniform", {"args": (), "loc": -1, "scale": 4}),
        ("pert(2, 3, 7)", "beta", {"args": (1.8, 4.2), "loc": 2, "scale": 5}),
        ("pert(2, 2, 7)", "beta", {"args": (1, 5), "loc": 2, "scale": 5}),
        ("weibull(1.5, 3)", "weibull_min", {"args": (1.5,), "scale": 3}),
        ("weibull(0.5, 2)", "weibull_min", {"args": (0.5,), "scale": 2}),
    ],
)
def test_draws_follow_the_distribution_of_scipy(
    text: str, scipy_name: str, arguments: dict[str, Any]
) -> None:
    from scipy import stats

    shape = arguments.pop("args")
    expected = getattr(stats, scipy_name)(*shape, **arguments)
    tree = et.loads(f"{{parameters: {{x: {{distribution: '{text}'}}}}, max: [x, 1]}}")
    assert et.evaluate(tree).value == pytest.approx(max(expected.mean(), 1))
    drawn = draw(tree.parameters, 20_000, 7, "")["x"]
    assert stats.kstest(drawn, expected.cdf).pvalue > 0.001


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "mean", "sd", "interval"),
    [
        ("beta: {mean: 0.3, sd: 0.05}", 0.3, 0.05, None),
        ("beta: {mean: 90%, sd: 1/4}", 0.9, 0.25, None),
        ("beta: {interval: [10%, 0.4]}", 0.25, 0.3 / 3.919928, None),
        ("gamma: {mean: 9900, sd: 3000}", 9900, 3000, None),
        ("gamma: {mean: 3, interval: [1, 5.5]}", 3, 4.5 / 3.919928, None),
        ("lognormal: {mean: 0.4, sd: 0.17}", 0.4, 0.17, None),
        ("lognormal: {interval: [0.365, 0.71]}", None, None, (0.365, 0.71)),
        ("lognormal: {mean: 0.55, interval: [0.365, 0.71]}", 0.55, None, None),
        ("normal: {mean: -2, sd: 3/4}", -2, 0.75, None),
        ("normal: {interval: [-1, 6]}", 2.5, None, (-1, 6)),
        ("normal: {mean: 0.179, interval: [0.091, 0.268]}", 0.179, 0.177 / 3.919928, None),
    ],
)
def test_moments_and_intervals(
    text: str, mean: float | None, sd: float | None, interval: tuple[float, float] | None
) -> None:
    """The mean of the file, and the moments and the quantiles that SciPy computes."""
    from scipy import stats

    tree = et.loads(f"{{parameters: {{x: {{distribution: {{{text}}}}}}}, max: [x, 0]}}")
    distribution = tree.parameters["x"].distribution
    assert distribution is not None
    a, b = distribution.numbers
    expected = {
        "beta": lambda: stats.beta(a, b),
        "gamma": lambda: stats.gamma(a, scale=b),
        "lognormal": lambda: stats.lognorm(b, scale=np.exp(a)),
        "normal": lambda: stats.norm(a, b),
    }[distribution.kind]()
    assert et.evaluate(tree).value == pytest.approx(max(0, expected.mean()))
    if mean is not None:
        assert expected.mean() == pytest.approx(mean)
    if sd is not None:
        assert expected.std() == pytest.approx(sd)
    if interval is not None:
        assert expected.interval(0.95) == pytest.approx(interval)
    assert et.loads(et.dumps(tree)).parameters == tree.parameters


def test_sets_of_probabilities_and_discrete_values() -> None:
    text = (
        "parameters: {a: {distribution: {dirichlet: 2, set: s}}, b: {distribution: {dirichlet: 6, "
        "set: s}}, c: {distribution: {discrete: {10: 0.25, 30: 0.75}}}}\nmax: [a, b, c]"
    )
    tree = et.loads(text)
    assert [child.utility for child in tree.root.children] == [0.25, 0.75, 25]
    drawn = draw(tree.parameters, 20_000, 1, "")
    assert drawn["a"] + drawn["b"] == pytest.approx(1)
    assert drawn["a"].mean() == pytest.approx(0.25, abs=0.01)
    assert drawn["a"].var() == pytest.approx(0.25 * 0.75 / 9, rel=0.05)
    assert set(drawn["c"]) == {10, 30}
    assert drawn["c"].mean() == pytest.approx(25, abs=0.3)


def test_a_set_may_have_the_name_of_a_parameter(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("c\n1\n3\n")
    tree = et.loads(
        "parameters: {a: {distribution: {dirichlet: 2, set: c}}, b: {distribution: {dirichlet: 2, "
        "set: c}}, c: {value: 2, distribution: {csv: a}}}\nmax: [a + b, c]"
    )
    found = et.simulate(tree, draws=100, file=str(tmp_path / "x.yaml"))
    assert found.sample["a"] + found.sample["b"] == pytest.approx(1)
    assert {one.parameters for one in found.evppi} == {("a", "b"), ("c",)}


def test_another_distribution_changes_no_other_draws() -> None:
    one, two = et.loads(BET), et.loads(BET.replace("value: 10", "distribution: 'normal(10, 1)'"))
    drawn = [draw(tree.parameters, 100, 1, "")["p"] for tree in (one, two)]
    assert (drawn[0] == drawn[1]).all()
    assert (drawn[0] != draw(one.parameters, 100, 2, "")["p"]).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("one", "two", "number"),
    [
        ("normal(1, 2)", "normal(-3, 1)", 0.8),
        ("normal(1, 2)", "gamma(2, 3)", -0.5),
        ("beta(2, 5)", "lognormal(0, 0.5)", 1),
        ("weibull(2, 1)", "pert(0, 1, 5)", -1),
        ("uniform(0, 1)", "triangular(0, 1, 5)", 0.3),
        ("normal(1, 2)", "normal(-3, 1)", 0),
    ],
)
def test_correlation(one: str, two: str, number: float) -> None:
    """The ranks have the correlation of a normal copula; the single draws are the same."""
    from scipy import stats

    text = (
        f"{{parameters: {{x: {{distribution: '{one}', correlation: {{y: {number}}}}}, "
        f"y: {{distribution: '{two}'}}, z: {{distribution: '{one}'}}}}, max: [x, y, z]}}"
    )
    tree = et.loads(text)
    drawn = draw(tree.parameters, 20_000, 7, "")
    # Of a normal copula (Pearson, 1907).
    expected = 6 / np.pi * np.arcsin(number / 2)
    assert stats.spearmanr(drawn["x"], drawn["y"])[0] == pytest.approx(expected, abs=0.03)
    if "normal" in one and "normal" in two:
        assert np.corrcoef(drawn["x"], drawn["y"])[0, 1] == pytest.approx(number, abs=0.02)
    assert stats.spearmanr(drawn["x"], drawn["z"])[0] == pytest.approx(0, abs=0.03)
    alone = et.loads(text.replace(f", correlation: {{y: {number}}}", ""))
    others = draw(alone.parameters, 20_000, 7, "")
    assert all((np.sort(drawn[name]) == np.sort(others[name])).all() for name in drawn)
    assert et.loads(et.dumps(tree)).parameters == tree.parameters


def test_files_of_draws_are_drawn_jointly(tmp_path: Path) -> None:
    rows = "\n".join(f"{x},{-x}" for x in range(50))
    (tmp_path / "draws.csv").write_text(f'"a", b\n{rows}\n')
    tree_file = tmp_path / "x.yaml"
    tree_file.write_text(
        "parameters: {a: {value: 1, distribution: {csv: draws.csv}}, c: {value: 1, distribution: "
        "{csv: draws.csv, column: b}}}\nmax: [a, c]"
    )
    found = et.simulate(et.load(tree_file), draws=100, file=str(tree_file))
    assert (found.sample["a"] == -found.sample["c"]).all()
    assert sorted(found.sample["a"]) == sorted([*range(50)] * 2)  # each row equally often
    assert (found.sample["a"] != np.array([*range(50)] * 2)).any()
    assert invoke("simulate", str(tree_file)).exit_code == 0


def test_json_and_csv() -> None:
    found = object_of("simulate", "-e", BET, "--draws", "500")
    assert (found["draws"], found["best"]) == (500, ["bet"])
    assert [action["action"] for action in found["actions"]] == ["sure", "bet"]
    assert set(found["evpi"]) == {"value", "error"}
    (one,) = found["evppi"]
    assert one == {"name": "p", "parameters": ["p"], "evppi": one["evppi"]}
    lines = invoke("simulate", "-e", BET, "--draws", "500", "--format", "csv").stdout.splitlines()
    assert lines[0] == "file,draw,p,value of sure,value of bet"
    assert len(lines) == 501
    _, at, p, sure, bet = lines[500].split(",")
    assert (int(at), float(sure)) == (500, 4)
    assert float(bet) == pytest.approx(10 * float(p))
    mean = np.mean([float(line.split(",")[4]) for line in lines[1:]])
    assert mean == pytest.approx(found["actions"][1]["mean"])
    curve = ("simulate", "-e", BET, "--draws", "100", "-p", "prize=0..10")
    heading = invoke(*curve, "--format", "csv").stdout.splitlines()[0]
    assert heading == "file,prize,best,evpi,share of sure,share of bet"
    point = object_of(*curve)["points"][50]
    assert (point["at"], point["best"]) == (10, "bet")


CRITERIA = """
parameters: {p: {distribution: "beta(2, 2)"}, wtp: {value: 3, range: [0, 10]}}
criteria: {cost: {unit: $}, effect: {}}
objective: wtp*effect - cost
max:
  sure: {utility: {effect: 4}}
  bet:
    chance:
      win: {p: p, cost: 1, max: {all: {utility: {effect: 10}}, half: {utility: {effect: 2}}}}
      lose: {p: rest, utility: {cost: 1}}
"""


def test_cost_and_effect_in_each_draw() -> None:
    """The columns that other programs read; an action goes on with its best later decision."""
    done = invoke("simulate", "-e", CRITERIA, "--draws", "100", "--format", "csv")
    heading, first, *_ = done.stdout.splitlines()
    names = [f"{name} of {action}" for name in ("value", "cost", "effect") for action in ACTIONS]
    assert heading.split(",") == ["file", "draw", "p", *names]
    p, *numbers = map(float, first.split(",")[2:])
    assert numbers == pytest.approx([12, 30 * p - 1, 0, 1, 4, 10 * p])
    sure, bet = object_of("simulate", "-e", CRITERIA, "--draws", "100")["actions"]
    assert sure["criteria"]["effect"] == {"value": 4, "error": 0}
    assert bet["criteria"]["cost"] == {"value": 1, "error": 0}
    shown = invoke("simulate", "-e", CRITERIA).stdout
    words = shown.partition("criterion")[2].split()
    assert words[:10] == [*ACTIONS, "cost", "($)", "0", "±", "0", "1", "±", "0"]


def test_no_decision_at_the_root() -> None:
    text = "{parameters: {x: {distribution: 'normal(1, 1)'}}, chance: [x, {max: [x, 2]}]}"
    found = et.simulate(et.loads(text))
    (one,) = found.actions
    assert (one.action, one.share, found.best) == (None, 1, ())
    assert one.loss == pytest.approx(found.evpi.value)
    assert "the tree ★" in str(found)
    with pytest.raises(AnalysisError, match="no player decides at the root"):
        et.acceptability(et.loads(text.replace("1)'", "1)'}, y: {value: 1")), "y", range=(0, 1))
    leaf = et.loads("{parameters: {x: {distribution: 'normal(1, 1)'}}, utility: x}")
    (one,) = et.simulate(leaf).actions
    assert one.mean == pytest.approx(1, abs=0.05)


def test_without_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "expectitree.decide.simulation.draws", None)
    with pytest.raises(AnalysisError, match=r"simulate needs NumPy: pip install '.\[fast\]'"):
        et.simulate(et.loads(BET))


@pytest.mark.extra
def test_plots(tmp_path: Path) -> None:
    from expectitree.decide.simulation.plot import figure_of

    (axes,) = figure_of(et.simulate(et.loads(BET), draws=500)).axes
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["sure", "bet (best)"]
    report = et.acceptability(et.loads(BET), "prize", range=(0, 20), known=[("p",)], draws=500)
    axes, worth = figure_of(report).axes
    names = [text.get_text() for text in worth.get_legend().get_texts()]
    assert names == ["EVPI", "EVPPI p"]
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == ["best on average", "sure", "bet"]
    _, plane = figure_of(et.simulate(et.load("docs/examples/sumatriptan.yaml"))).axes
    names = [text.get_text() for text in plane.get_legend().get_texts()]
    assert names == ["sumatriptan, first 1,000 draws", "wtp = 50,000"]
    assert plane.get_ylabel() == r"cost (\$Can), more than caffeine"
    out = tmp_path / "x.svg"
    assert run_main("simulate", "-e", BET, "--plot", str(out)).status == 0
    assert out.read_text().startswith("<?xml")
