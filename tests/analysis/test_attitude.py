"""The attitude to risk in commands, files and reports."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers import loads, run_main

import expectitree as et
from expectitree.base.errors import SearchError
from expectitree.searches.engine import search_tree

BET = "max: {safe: 40, bet: {cost: 1, chance: [0, 100]}}\n"
ATTITUDES = (
    "exponential=1000",
    "exponential=-1/3",
    "logarithmic=500",
    "points=-10:0,50:0.7,100:1",
    "utility=x^3 + 2*x",
)


def out(*words: str) -> str:
    done = run_main(*words)
    assert done.status == 0, done.err
    return done.out


# ---- The tree carries the attitude.


@pytest.mark.parametrize("text", ATTITUDES)
@pytest.mark.parametrize("exact", [True, False])
def test_text_and_tables_keep_the_attitude(text: str, exact: bool, tmp_path: Path) -> None:
    tree = loads(BET, exact=exact).with_attitude(text)
    for format in ("yaml", "json"):
        again = loads(et.dumps(tree, format=format), name=f"x.{format}", exact=exact)
        assert again.attitude == tree.attitude
    if not exact:
        for suffix in ("arrow", "parquet"):
            et.save(tree, tmp_path / f"x.{suffix}")
            again = et.load(tmp_path / f"x.{suffix}")
            assert again.attitude == tree.attitude
            assert search_tree(again).value == search_tree(tree).value
        again = et.from_networkx(et.to_networkx(tree))
        assert again.attitude is not None
        assert again.attitude is not None
        assert tree.attitude is not None
        assert again.attitude.text == tree.attitude.text


def test_the_best_order_is_that_of_certainty_equivalents() -> None:
    text = "max: {bet: {reward: 5, chance: [0, 100]}, safe: {reward: 40, utility: 0}}"
    for attitude in ("exponential=30", "logarithmic=1"):
        tree = et.prepare(et.loads(text).with_attitude(attitude), order="best")
        assert [branch.label for branch in tree.root.branches] == ["safe", "bet"]
        assert et.evaluate(tree).best == "safe"


def test_parameters_change_below_an_attitude() -> None:
    tree = et.loads(
        "{parameters: {pr: 0.5}, attitude: {points: [[0, 0], [50, 0.7], [100, 1]]}, "
        "max: {safe: 40, bet: {chance: {win: {p: pr, utility: 100}, lose: {p: rest, utility: 0}}}}}"
    )
    assert et.evaluate(tree).best == "safe"
    assert et.evaluate(tree.with_parameters(pr=0.9)).best == "bet"


def test_the_attitude_is_checked_at_the_values_of_the_parameters() -> None:
    text = "{parameters: {top: 50}, attitude: {points: [[0, 0], [60, 1]]}, max: [top, 0]}"
    assert et.loads(text).attitude is not None
    with pytest.raises(et.FileError, match="the total 70 is outside the points"):
        et.loads(text, parameters={"top": 70})
    with pytest.raises(SearchError, match="the total 70 is outside the points"):
        et.evaluate(et.loads(text).with_parameters(top=70))


# ---- Commands.


def test_eval_shows_the_mean_and_the_premium() -> None:
    shown = out("eval", "-e", BET, "--attitude", "exponential=100")
    assert "└── bet   cost 1  ● CHANCE 36.9885 = CE(0, 100) − 1\n" in shown
    assert "attitude         exponential=100: values are certainty equivalents\n" in shown
    assert "expected utility −0.67032\n" in shown
    assert "mean             40, so the risk premium is 0\n" in shown
    assert "value     49\n" in out("eval", "-e", BET, "--attitude", "none")


def test_json_has_the_mean() -> None:
    found = json.loads(out("eval", "-e", "chance: [0, 100]", "--attitude", "exponential=100",
                           "--format", "json"))  # fmt: skip
    assert found["value"] == pytest.approx(37.9885, abs=1e-4)
    assert found["attitude"] == "exponential=100"
    assert found["mean"] == 50
    assert found["risk_premium"] == pytest.approx(50 - found["value"])
    plain = json.loads(out("eval", "-e", "chance: [0, 100]", "--format", "json"))
    assert not {"mean", "attitude", "risk_premium"} & set(plain)


@pytest.mark.parametrize(
    "words",
    [
        ("trace",),
        ("limit",),
        ("rescale", "--map", "2*u"),
        ("sensitivity", "--strategies"),
        ("sensitivity", "--add", "bet"),
        ("draw", "--format", "html", "-o", "-"),
    ],
)
def test_analyses_of_expected_values_refuse(words: tuple[str, ...]) -> None:
    done = run_main(*words, "-e", BET, "--attitude", "exponential=100")
    assert done.status == 2
    assert "is about expected values, and this tree has the attitude exponential=100" in done.err
    assert "--attitude none" in done.err


def test_ask_refuses(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text('attitude: {exponential: 3}\nmax: [1, {utility: "?"}]\n')
    done = run_main("ask", str(tmp_path / "x.yaml"))
    assert done.status == 3
    assert "delete the key attitude" in done.err


def test_verify_checks_the_digits_that_are_written(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    text = (
        "attitude: {exponential: 100}\nexpect: {value: 37.9885, best: b}\n"
        "max: {b: {chance: [0, 100]}}\n"
    )
    file.write_text(text)
    assert run_main("verify", str(file)).status == 0
    file.write_text(text.replace("37.9885", "37.9886"))
    assert run_main("verify", str(file)).status == 1
    assert run_main("verify", "--write", str(file)).status == 0
    assert "value: 37.9885493" in file.read_text()
    file.write_text("attitude: {exponential: 100}\nmax: {b: {chance: [0, 100]}}\n")
    assert run_main("verify", "--write", str(file)).status == 0
    assert run_main("verify", str(file)).status == 0
    file.write_text(
        "attitude: {points: [[0, 0], [100, 3]]}\nexpect: {value: 50}\nchance: [0, 100]\n"
    )
    assert run_main("verify", str(file)).status == 0


# ---- The risk tolerance at which another action is best.


@pytest.mark.parametrize(
    ("name", "tolerance", "below", "above"),
    [("rockefeller", 1456.23, "sell", "test"), ("sealed-bid", 123.6195, "bid 700", "bid 500")],
)
def test_published_thresholds_of_the_risk_tolerance(
    name: str, tolerance: float, below: str, above: str
) -> None:
    [found] = et.risk_tolerances(et.load(f"example:{name}"), tolerance / 2, tolerance * 3)
    assert float(found.middle) == pytest.approx(tolerance, rel=5e-6)
    assert (found.before, found.after) == ((below,), (above,))


@pytest.mark.slow
def test_thresholds_of_the_risk_tolerance_hold_on_both_sides() -> None:
    tree = et.loads(
        "max: {sure: 30, fair: {chance: [0, 66]}, wide: {chance: [-100, 190]}, "
        "wider: {chance: [-500, 600]}}\nattitude: {logarithmic: 900}"
    )
    thresholds = et.risk_tolerances(tree, 1, 40_000)
    assert [one.after for one in thresholds] == [("fair",), ("wide",), ("wider",)]
    for one in thresholds:
        for place, best in ((one.middle * 999 / 1000, one.before), (one.middle * 1.001, one.after)):
            found = et.evaluate(tree.with_attitude(f"exponential={float(place)!r}"))
            assert found.ties == best


def test_a_range_of_risk_tolerances_is_positive_and_in_order() -> None:
    for low, high in ((0, 3), (-5, 3), (3, 3), (4, 3), (1, float("inf"))):
        with pytest.raises(et.AnalysisError, match="write numbers with 0 < low < high"):
            et.risk_tolerances(et.loads("max: [1, 2]"), low, high)
