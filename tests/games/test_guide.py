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


def test_the_class_and_the_estimate_are_those_of_the_example() -> None:
    written = [block for block in blocks("python") if "import expectitree" not in block]
    assert len(written) == 3
    for block in written:
        assert block in EXAMPLE.read_text("utf-8")


@pytest.mark.parametrize("extra", [False, pytest.param(True, marks=pytest.mark.extra)])
def test_the_commands_of_the_guide_run(
    extra: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(EXAMPLE, tmp_path)
    monkeypatch.chdir(tmp_path)
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    commands = [line for line in lines if line.startswith("expectitree")]
    assert len(commands) > 5
    for command in commands:
        if ("open_spiel" in command) == extra:
            assert run_main(*shlex.split(command)[1:]).status == 0, command
