"""The command line: output, exit statuses, pipes and closed streams."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import ROOT, run_main

from expectitree import __version__
from expectitree.base.tables import COMMANDS

RISK = "trees/risk.yaml"


def shell(command: str) -> subprocess.CompletedProcess[str]:
    """Run a bash command in which `expectitree` is this checkout."""
    program = f'expectitree() {{ "{sys.executable}" -m expectitree "$@"; }}; '
    return subprocess.run(
        ["bash", "-c", program + command], capture_output=True, text=True, cwd=ROOT, check=False
    )


@pytest.fixture(autouse=True)
def _at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_ascii_output_uses_ascii_branches() -> None:
    done = shell(f"COLUMNS=80 PYTHONUTF8=0 PYTHONIOENCODING=ascii expectitree eval {RISK}")
    assert done.stdout.isascii()
    assert "`-* right  CHANCE 54.5 = mean(100, 9)" in done.stdout


WORDS = [[], *([name] for name in COMMANDS)]


@pytest.mark.parametrize(
    "words",
    [["--version"], [], *([*name, f"--help{size}"] for size in ("", "-all") for name in WORDS)],
)
def test_help_and_version_are_printed(words: list[str]) -> None:
    done = run_main(*words)
    assert done.status == 0
    assert (__version__ if words == ["--version"] else "Usage: expectitree") in done.out


def test_a_defect_is_reported_without_a_traceback() -> None:
    program = (
        "import sys, expectitree.__main__ as program, expectitree.cli as cli\n"
        "def run():\n    1 / 0\n"
        "cli.main = run; program.main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 70
    assert done.stderr == (
        "expectitree: error: ZeroDivisionError in <string>, line 3: division by zero\n"
        "help: this is a defect of expectitree, please report it with the command and the file\n"
    )


@pytest.mark.slow
def test_json_is_valid_in_every_encoding() -> None:
    done = shell("PYTHONIOENCODING=ascii expectitree eval -e 'max: {ä😀: 1}' --format json")
    assert done.stdout.isascii()
    assert json.loads(done.stdout)["best"] == "ä😀"


@pytest.mark.slow
def test_a_closed_pipe_is_not_an_error(tmp_path: Path) -> None:
    file = tmp_path / "wide.yaml"
    file.write_text("max: [" + "{min: [1, 2]}, " * 20_000 + "3]")
    done = shell(f"set -o pipefail; expectitree eval --all {file} | head -n 1")
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_a_full_disk_is_an_error() -> None:
    done = shell(f"expectitree eval {RISK} > /dev/full")
    message = "standard output cannot be written: No space left on device\n"
    assert (done.returncode, done.stderr) == (3, message)


def test_closed_standard_input_is_an_error() -> None:
    done = shell("expectitree eval - <&-")
    assert done.returncode == 3
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("streams", [">&-", "2>&-", ">&- 2>&-", "2> >(true)", "2> /dev/full"])
@pytest.mark.parametrize(
    ("words", "status"),
    [
        (f"eval {RISK}", 0),
        ("eval --bad", 2),
        ("eval -e 'max: [1]' --bounds 5,9", 2),
        ("eval /nosuch.yaml", 3),
    ],
)
def test_closed_streams_do_not_change_the_exit_status(
    words: str, status: int, streams: str
) -> None:
    if "/dev/full" in streams and not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    done = shell(f"expectitree {words} {streams}")
    assert done.returncode == status
    assert "Traceback" not in done.stderr + done.stdout


@pytest.mark.parametrize("width", [50, 80])
@pytest.mark.parametrize("tree", sorted((ROOT / "trees").iterdir()), ids=lambda path: path.name)
def test_trees_fit_the_width(tree: Path, width: int) -> None:
    for words in ("eval -a star1 --windows", "eval -a star2 --windows", "trace -a star2"):
        lines = run_main(*words.split(), str(tree), COLUMNS=str(width)).out.splitlines()
        assert max(map(len, lines)) <= width
