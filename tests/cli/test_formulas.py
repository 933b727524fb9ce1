"""Parameters and formulas on the command line: `--set`, `eval --show formulas`, `convert`."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from helpers import run_main

TEXT = """\
parameters: {pr: 0.5, fee: {value: 10, range: [0, 20]}, k: 2*pr}
expect:
  value: 40
  at:
    - {set: {pr: 0.3}, value: 25, best: keep}
    - {set: {fee: 5}}
max:
  keep: 25
  bet: {cost: fee, chance: {win: {p: pr, utility: 100}, lose: {p: rest, utility: "min(0, k - 1)"}}}
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("bet.yaml").write_text(TEXT, "utf-8")
    return "bet.yaml"


def test_eval_shows_formulas_beside_the_numbers(file: str) -> None:
    done = run_main("eval", file, "--show", "formulas", "--set", "pr=0.6")
    lines = done.out.splitlines()
    assert "    win: p = pr" in " ".join(lines)
    assert [line.strip(" │") for line in lines[3:6]] == [
        "cost = fee", "win: p = pr", "lose: p = rest, utility = min(0, k - 1)",
    ]  # fmt: skip
    assert lines[-1] == "parameters     pr = 0.6, fee = 10, k = 2*pr = 1.2"
    assert "parameters" not in run_main("eval", file).out


def test_json_has_the_values_of_the_parameters(file: str) -> None:
    found = json.loads(run_main("eval", file, "--format", "json", "--exact").out)
    assert found["parameters"] == {"pr": "1/2", "fee": "10", "k": "1"}
    assert "parameters" not in json.loads(
        run_main("eval", "-e", "max: [1]", "--format", "json").out
    )


@pytest.mark.parametrize(
    "command",
    [
        ("eval",), ("compare",), ("trace",), ("limit",), ("opponents",),
        ("rescale", "--map", "exp(u/9)"),
        ("verify",), ("convert",), ("draw", "--format", "mmd", "-o", "-"), ("ask", "--show"),
    ],
)  # fmt: skip
def test_every_command_that_reads_a_tree_sets_parameters(
    command: tuple[str, ...], file: str
) -> None:
    words = [*command, file, *["-"] * (command[0] == "convert")]
    before = run_main(*words)
    after = run_main(*words, "--set", "pr=90%", "--set", "fee=1/2")
    assert after.status in (0, before.status)
    assert after.out != before.out or command[0] in ("limit", "ask")
    wrong = run_main(*words, "--set", "prr=1")
    assert wrong.status in (2, 3)
    assert "unknown parameter 'prr' (did you mean 'pr'?)" in wrong.err


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("pr", "found 'pr', expected NAME=VALUE such as pr=0.3"),
        ("=1", "found '=1', expected NAME=VALUE such as pr=0.3"),
        ("pr=", "found 'pr=', expected NAME=VALUE such as pr=0.3"),
        ("pr=0.1,fee=2", "found 'pr=0.1,fee=2', expected NAME=VALUE such as pr=0.3: repeat"),
        ("pr=x", "pr: 'x' is not a number"),
        ("k=1", "k is derived: k = 2*pr; set pr instead"),
        ("pr=2", "bet/win: p is 2 at pr = 2, expected a number from 0 to 1"),
    ],
)
def test_wrong_settings(setting: str, message: str, file: str) -> None:
    done = run_main("eval", file, "--set", setting)
    assert done.status in (2, 3)
    assert message in " ".join(done.err.split())
    assert done.out == ""


def test_a_tree_without_parameters_cannot_set_any() -> None:
    done = run_main("eval", "-e", "max: [1]", "--set", "x=1")
    assert (done.status, done.out) == (2, "")
    assert done.err == "-e: unknown parameter 'x': the tree has no parameters\n"


def test_verify_checks_and_fills_in_what_is_expected_at_other_values(file: str) -> None:
    done = run_main("verify", "-v", file)
    assert done.status == 1
    assert "✓ at pr = 0.3: value: expected 25, found 25" in done.out
    assert "✗ at fee = 5: expected a value to compare with, found 45" in done.out
    assert run_main("verify", "--write", file).status == 0
    text = Path(file).read_text("utf-8")
    assert text == TEXT.replace("{set: {fee: 5}}", "{set: {fee: 5}, value: 45, best: bet}")
    Path(file).write_text(text.replace("value: 25", "value: 26"), "utf-8")
    assert "at pr = 0.3: value: expected 26, found 25" in run_main("verify", file).out


def test_what_has_no_exact_value_is_converted_verified_and_rounded(file: str) -> None:
    text = "parameters: {x: 2}\nexpect: {value: 0.693}\nmax: [log(x), 1/4]\n"
    Path(file).write_text(text, "utf-8")
    done = run_main("convert", file, "-")
    assert (done.status, done.err) == (0, "")
    assert done.out.endswith("max: [log(x), 0.25]\n")
    done = run_main("verify", "-v", file)
    assert "✓ value: expected 0.693, found 0.693147" in done.out
    Path(file).write_text(text.replace("0.693", "0.694"), "utf-8")
    assert run_main("verify", file).status == 1
    done = run_main("eval", "--exact", file)
    assert "value     0.693147\n" in done.out
    found = json.loads(run_main("eval", "--exact", "--format", "json", file).out)
    assert found["value"] == math.log(2)
    assert 0 < found["rounding"] < 1e-55


def test_converting_to_a_table_reports_that_formulas_become_numbers(file: str) -> None:
    done = run_main("convert", file, "out.arrow")
    assert done.err.splitlines()[0] == (
        "out.arrow: left out what Arrow cannot hold: parameters, formulas"
    )
