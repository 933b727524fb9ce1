"""Completion: the program's answers to a shell, and the scripts in bash, zsh and fish."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import CompletionItem, FishComplete
from helpers import ROOT, invoke

from expectitree.base.algorithms import NAMES
from expectitree.base.tables import COMMANDS
from expectitree.cli import cli
from expectitree.searches.engines import ENGINES


def complete(line: str) -> list[CompletionItem[str]]:
    """Return the completions of a line with the cursor at its end."""
    *words, incomplete = line.split("|")
    return FishComplete(cli, {}, "expectitree", "").get_completions(words, incomplete)


def values(line: str) -> list[str]:
    """Return the completions without their help; `|` separates the words of the line."""
    return [item.value for item in complete(line)]


# ---- Commands, options and their values.


def test_commands_are_completed_with_their_descriptions() -> None:
    assert {item.value: item.help for item in complete("")} == {
        name: row.about for name, row in COMMANDS.items()
    }
    assert values("--v") == ["--version"]


@pytest.mark.parametrize("command", COMMANDS)
def test_options_of_every_command_are_completed(command: str) -> None:
    found = cli.get_command(click.Context(cli, info_name="expectitree"), command)
    assert found is not None
    options = [p for p in found.params if isinstance(p, click.Option) and not p.hidden]
    names = {name for option in options for name in option.opts}
    assert names <= set(values(f"{command}|-"))


def test_values_of_options_are_completed() -> None:
    assert values("eval|--engine|") == list(ENGINES)
    assert values("eval|--format|j") == ["json"]
    assert values("eval|--probe-order|") == ["cyclic", "sequential"]
    assert values("compare|--order|") == ["given", "best", "worst", "inner", "random:"]
    assert values("generate|--order|b") == ["best"]
    assert values("generate|ba") == ["ballard"]
    assert values("completion|") == ["bash", "zsh", "fish"]
    assert values("eval|--bounds|") == []
    assert values("eval|-a|") == list(NAMES)
    assert values("compare|-a|star1|--algorithm|star2") == ["star2", "star2.5"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("eval|ri", ["risk.yaml"]),  # not risk.svg
        ("eval|", ["risk.yaml", "trees/", "example:", "game:"]),
        ("eval|tr", ["trees/a.json", "trees/b.efg"]),
        ("eval|trees/b", ["trees/b.efg"]),
        ("eval|nowhere/", []),
        ("eval|.h", [".hidden/"]),
        ("verify|risk.yaml|ri", ["risk.yaml"]),
        ("convert|example:aima-5.12-l", ["example:aima-5.12-left"]),
        ("eval|game:p", ["game:pig"]),
        ("play|game:d", ["game:dice"]),
        ("play|exa", []),
        ("ask|game:p", []),
        ("eval|risk.yaml|--set|", ["win=", "prize="]),
        ("sensitivity|risk.yaml|-p|w", ["win"]),
        ("sensitivity|-p|w", []),
        ("eval|nowhere.yaml|--set|", []),
        ("eval|-e|max: {a: 1, b: {min: [2, 3]}}|--explain|b", ["b", "b/#1", "b/#2"]),
        ("trace|risk.yaml|--at|le", ["left", "left/#1", "left/#2"]),
    ],
)
def test_what_can_be_read_is_completed(
    line: str, expected: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "{parameters: {win: 0.5, prize: 9}, max: {left: [win, prize], right: 1}}"
    Path("risk.yaml").write_text(text.replace("[win, prize]", "{chance: [win, prize]}"))
    for folder in ("trees", ".hidden"):
        Path(folder).mkdir()
    for name in ("risk.svg", "trees/a.json", "trees/b.efg", "trees/c.html"):
        Path(name).touch()
    assert values(line) == expected


@pytest.mark.parametrize("line", ["draw|-o|tr", "new|tr"])
def test_files_to_write_are_left_to_the_shell(line: str) -> None:
    [item] = complete(line)
    assert (item.type, item.value) == ("file", "tr")


# ---- The program, as a shell calls it.


@pytest.fixture
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for PATH in which `expectitree` is this checkout."""
    folder = tmp_path_factory.mktemp("bin")
    script = folder / "expectitree"
    script.write_text(
        f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m expectitree "$@"\n'
    )
    script.chmod(0o755)
    return folder


def run(program: Path, *words: str, **environment: str) -> list[str]:
    """Return the lines that a command prints; it prints nothing to standard error."""
    path = f"{program}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        words,
        env={**os.environ, "PATH": path, "LC_ALL": "C.UTF-8", **environment},
        capture_output=True,
        encoding="utf-8",
        check=True,
        stdin=subprocess.DEVNULL,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_the_program_answers_a_shell(program: Path) -> None:
    words = {"_EXPECTITREE_COMPLETE": "bash_complete", "COMP_CWORD": "3"}
    line = "expectitree eval --format j"
    assert run(program, "expectitree", COMP_WORDS=line, **words) == ["plain,json"]


def test_the_help_shows_how_to_install_each_script() -> None:
    for shell in ("bash", "zsh", "fish"):
        assert f"expectitree completion {shell}" in invoke("completion", "--help").output
    assert invoke("completion", "powershell").exit_code == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("con", "convert"),
        ("eval example : risk-", "risk-minimax"),  # bash splits words at colons
        ("eval game :", "2048 dice einstein pig"),
        ("eval example : investment --set p", ""),
        ("eval example : movie-contract --explain movie/sm", r"movie/small\ box\ office"),
        ("eval example : movie-contract --explain 'movie/sm", "movie/small box office"),
    ],
)
def test_bash_completes(program: Path, words: str, expected: str) -> None:
    count = len(words.split())
    quoted = words.replace("'", "\\'")
    setting = f"COMP_WORDS=(expectitree {quoted}); COMP_CWORD={count}; compopt() {{ :; }}"
    script = 'eval "$(expectitree completion bash)"; _expectitree_completion expectitree'
    shown = run(program, "bash", "--norc", "-c", f'{setting}; {script}; echo "${{COMPREPLY[@]}}"')
    assert shown == [expected]
