"""How the commands show the problems of a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers import run_main

BAD = "max:\n  bet: {chance: {0.7: 100, 0.2: 0}}\n  sell: {value: 750}\n"
MESSAGES = [
    "2:18: bet: the probabilities sum to 0.9, expected 1: correct these keys; for labels write "
    "[{label: 0.7, utility: 100}, {label: 0.2, utility: 0}]",
    "3:10: sell: unknown key 'value': write `utility: 750`",
]


@pytest.fixture
def bad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the name of a file with two problems in the working folder."""
    monkeypatch.chdir(tmp_path)
    Path("bad.yaml").write_text(BAD, "utf-8")
    return "bad.yaml"


@pytest.mark.parametrize("words", [["eval"], ["compare"], ["draw", "-o", "x.svg"], ["limit"]])
def test_an_error_has_its_source_line(words: list[str], bad: str) -> None:
    done = run_main(*words, bad)
    assert done.status == 3
    assert done.err.splitlines() == [
        f"bad.yaml:{MESSAGES[0]}",
        "    bet: {chance: {0.7: 100, 0.2: 0}}",
        "                   ^",
        f"bad.yaml:{MESSAGES[1]}",
        "    sell: {value: 750}",
        "           ^",
    ]


def test_a_source_line_fits_the_terminal(bad: str) -> None:
    lines = run_main("eval", bad, COLUMNS="30").err.splitlines()
    assert lines[1:3] == ["    …: {chance: {0.7: 100, 0.…", "                 ^"]


def test_verify_shows_source_lines(bad: str) -> None:
    lines = run_main("verify", bad).out.splitlines()
    assert lines[2:4] == [
        "        bet: {chance: {0.7: 100, 0.2: 0}}",
        "                       ^",
    ]


def test_records_of_errors_are_one_line_each(bad: str) -> None:
    done = run_main("verify", "--format", "json", bad)
    assert json.loads(done.out)["errors"] == [f"bad.yaml:{message}" for message in MESSAGES]
    lines = run_main("verify", "--format", "github", bad).out.splitlines()
    assert [line.partition("::")[2].partition("::")[2] for line in lines[:2]] == [
        message.partition(": ")[2] for message in MESSAGES
    ]
