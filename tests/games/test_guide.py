"""The guide on games: its class is the example file, and its commands run."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from helpers import ROOT, run_main

GUIDE = (ROOT / "docs" / "how-to" / "games.md").read_text("utf-8")
EXAMPLE = ROOT / "docs" / "examples" / "stones.py"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)


COMMANDS = [
    line
    for block in blocks("sh")
    for line in block.splitlines()
    if line.startswith("expectitree") and "pig.arrow" not in line
]


def test_the_class_and_the_estimate_are_those_of_the_example() -> None:
    written = [block for block in blocks("python") if "import expectitree" not in block]
    assert len(written) == 2
    for block in written:
        assert block in EXAMPLE.read_text("utf-8")


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(line, marks=pytest.mark.extra) if "open_spiel" in line else line
        for line in COMMANDS
    ],
)
def test_a_command_of_the_guide_runs(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(EXAMPLE, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert run_main(*shlex.split(command)[1:]).status == 0


def test_a_tree_is_written_and_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    commands = [
        line for block in blocks("sh") for line in block.splitlines() if "pig.arrow" in line
    ]
    assert len(commands) == 2
    for command in commands:
        assert run_main(*shlex.split(command)[1:]).status == 0
