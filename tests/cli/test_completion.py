"""Completion: the program's answers to a shell, and the scripts in bash, zsh and fish."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import CompletionItem, FishComplete
from helpers import ROOT, invoke

from expectitree.base.algorithms import ALGORITHMS
from expectitree.cli import COMMANDS, cli, completion
from expectitree.searches.setup import ENGINES

ODD = """\
max:
  "it's": {min: [1, 2]}
  'a/b "c"': {min: {"x:y=z": {max: [1]}, '$HOME': 2, 'back\\slash': {max: [3]}}}
  '#tag': 3
  é 日本: {max: [1, 2]}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with some trees in it."""
    (tmp_path / "my trees").mkdir()
    for name in ("risk.yaml", "pacman-corridor.yaml"):
        shutil.copy(ROOT / "trees" / name, tmp_path)
    (tmp_path / "odd.yaml").write_text(ODD, "utf-8")
    (tmp_path / "bad.yaml").write_text("max: {a: x}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def complete(line: str) -> list[CompletionItem[str]]:
    """Return the completions of a line with the cursor at its end."""
    *words, incomplete = line.split("|")
    return FishComplete(cli, {}, "expectitree", "").get_completions(words, incomplete)


def values(line: str) -> list[str]:
    """Return the completions without their help; `|` separates the words of the line."""
    return [item.value for item in complete(line)]


# ---- Commands, options and their values.


def test_commands_are_completed_with_their_descriptions() -> None:
    assert {item.value: item.help for item in complete("")} == COMMANDS
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
    assert values("generate|la") == ["lattice"]
    assert values("completion|") == ["bash", "zsh", "fish"]
    assert values("eval|--bounds|") == []
    assert values("eval|-a|") == list(ALGORITHMS)
    assert values("compare|-a|star1|--algorithm|star2") == ["star2", "star2.5"]


@pytest.mark.parametrize(
    "line",
    [
        "eval|tr",
        "verify|risk.yaml|tr",
        "convert|tr",
        "generate|ballard|-o|tr",
        "draw|-o|tr",
        "ask|tr",
        "study|tr",
        "new|tr",
        "eval|--explain|tr",
    ],
)
def test_files_are_left_to_the_shell(line: str) -> None:
    [item] = complete(line)
    assert (item.type, item.value) == ("file", "tr")


# ---- Paths within the tree.


def test_paths_are_completed_label_by_label(folder: Path) -> None:
    found = complete("trace|pacman-corridor.yaml|--at|")
    assert [(item.value, item.help) for item in found] == [("left", "CHANCE"), ("right", "CHANCE")]
    found = complete("trace|pacman-corridor.yaml|--at|right/")
    assert [(item.value, item.help) for item in found] == [
        ("right/to 4", "0"),
        ("right/to 6", "MAX"),
    ]
    assert values("trace|pacman-corridor.yaml|--at|left/to 4/left/") == [
        "left/to 4/left/to 3",
        "left/to 4/left/to 5",
    ]
    assert values("trace|risk.yaml|--at|/") == ["/"]
    assert values("trace|risk.yaml|--at|x") == values("trace|risk.yaml|--at|x/y/") == []
    assert values("trace|risk.yaml|--at|left/#1/") == []


def test_children_follow_the_only_node_that_fits(folder: Path) -> None:
    """So the shell does not end the word after an inner node."""
    assert values("eval|risk.yaml|--explain|r") == ["right", "right/#1", "right/#2"]


def test_labels_are_escaped_in_paths(folder: Path) -> None:
    assert values("trace|odd.yaml|--at|") == ["it's", 'a\\/b "c"', "#tag", "é 日本"]
    assert values('trace|odd.yaml|--at|a\\/b "c"/b') == [
        'a\\/b "c"/back\\\\slash',
        'a\\/b "c"/back\\\\slash/#1',
    ]


def test_a_typed_tree_has_paths() -> None:
    line = "eval|-e|max: {a: 1, bc: {min: [1]}, bd: 3}|--explain|b"
    assert values(line) == ["bc", "bd"]


def test_children_are_in_the_order_of_the_search(folder: Path) -> None:
    (folder / "t.yaml").write_text("max: [1, {min: [2, 3]}]\nestimate: 0\n")
    assert values("trace|t.yaml|--at|#") == ["#1", "#2"]
    assert values("trace|t.yaml|--order|best|--at|#") == ["#2", "#1"]
    assert values("trace|t.yaml|--depth|0|--at|") == []


@pytest.mark.parametrize("file", ["bad.yaml", "nowhere.yaml", "-", "my trees", "large.yaml"])
def test_a_file_that_is_not_a_small_tree_has_no_completions(folder: Path, file: str) -> None:
    (folder / "large.yaml").write_text(f"max: [{'1, ' * 400_000}1]")
    assert values(f"trace|{file}|--at|") == []


def test_a_wide_node_has_a_limited_number_of_completions(folder: Path) -> None:
    (folder / "wide.yaml").write_text(f"max: [{'1, ' * 5_000}1]")
    assert len(values("trace|wide.yaml|--at|")) == completion.MAX_ITEMS


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


def test_the_program_answers_a_shell(folder: Path, program: Path) -> None:
    words = {"_EXPECTITREE_COMPLETE": "bash_complete", "COMP_CWORD": "3"}
    line = "expectitree eval --format j"
    assert run(program, "expectitree", COMP_WORDS=line, **words) == ["plain,json"]
    line = "expectitree nonsense --x 'y"
    assert run(program, "expectitree", COMP_WORDS=line, **words) == [""]


def test_other_commands_do_not_import_completion() -> None:
    code = (
        "import sys; sys.argv = ['expectitree', 'trace', '-e', 'max: {a: 1}', '-a', 'star1']\n"
        "from expectitree.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "modules = 'click.shell_completion', 'expectitree.cli.completion'\n"
        "print([module for module in modules if module in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_help_shows_how_to_install_each_script() -> None:
    for shell in ("bash", "zsh", "fish"):
        assert f"expectitree completion {shell}" in invoke("completion", "--help").output
    assert invoke("completion", "powershell").exit_code == 2


@pytest.mark.slow
def test_bash_completes(folder: Path, program: Path) -> None:
    def completed(*words: str) -> list[str]:
        setting = 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))'
        show = 'printf "%s\\n" "${COMPREPLY[@]}"'
        load = 'eval "$(expectitree completion bash)"'
        script = f'{load}; {setting}; _expectitree_completion "$1"; {show}'
        return run(program, "bash", "--norc", "-c", script, "bash", "expectitree", *words)

    assert completed("con") == ["convert"]
    assert completed("trace", "pacman-corridor.yaml", "--at", "left/to\\ 4/") == [
        "left/to 4/left",
        "left/to 4/right",
    ]
    assert completed("trace", "odd.yaml", "--at", "'a") == completed(
        "trace", "odd.yaml", "--at", "a"
    )
    assert completed("trace", "odd.yaml", "--at", "a")[0] == 'a\\/b "c"'
    script = 'eval "$(expectitree completion bash)"; complete -p expectitree'
    [setup] = run(program, "bash", "--norc", "-c", script)
    assert "-o filenames" in setup  # bash quotes the labels


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
def test_fish_completes(folder: Path, program: Path) -> None:
    def completed(line: str) -> list[str]:
        script = "expectitree completion fish | source; complete -C $argv[1]"
        lines = run(program, "fish", "--no-config", "-c", script, line, HOME=str(folder))
        return [line.replace("\\ ", " ") for line in lines]  # some versions show the escapes

    assert [line.partition("\t")[0] for line in completed("expectitree con")] == ["convert"]
    assert completed("expectitree eval my") == ["my trees/"]
    assert completed("expectitree trace pacman-corridor.yaml --at left/to\\ 4/") == [
        "left/to 4/left\tCHANCE",
        "left/to 4/right\tCHANCE",
    ]


@pytest.mark.slow
@pytest.mark.extra
@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_zsh_completes(folder: Path, program: Path) -> None:
    """The script runs with stand-ins for the two functions of zsh's completion system it calls."""

    def completed(*words: str) -> list[str]:
        script = (
            "compdef() {}; "
            '_describe() { local name=$3; print -rl -- "${(@P)name}"; }; '
            'eval "$(expectitree completion zsh)"; '
            "words=(expectitree $@); CURRENT=$#words; _expectitree_completion"
        )
        return run(program, "zsh", "-f", "-c", script, "zsh", *words)

    assert completed("conv") == [f"convert:{COMMANDS['convert']}"]
    assert completed("trace", "pacman-corridor.yaml", "--at", "left/to\\ 4/") == [
        "left/to 4/left:CHANCE",
        "left/to 4/right:CHANCE",
    ]
