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
LEFT = "trees/aima-5.12-left.yaml"


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


def test_colours_need_a_terminal_or_force_color() -> None:
    forced = {"FORCE_COLOR": "1", "TERM": "xterm-256color"}
    assert "\x1b[" not in run_main("eval", RISK).out
    assert "\x1b[" in run_main("eval", RISK, **forced).out
    assert "\x1b[" not in run_main("eval", RISK, NO_COLOR="1", **forced).out


def test_json_of_a_cut() -> None:
    found = json.loads(run_main("eval", LEFT, "-a", "star1", "--format", "json").out)
    second = found["tree"]["children"][1]
    assert second["cut"] == {
        "kind": "chance",
        "fails": "low",
        "after": 1,
        "of": 2,
        "probing": False,
        "bound": 1.3,
        "window": [2.1, 4],
        "nodes": 3,
        "leaves": 2,
    }
    assert (second["lower"], second["upper"]) == (1, 1.3)
    assert second["children"][1]["skipped"] == "cut"
    assert second["children"][1]["visited"] is False


def test_trees_come_from_standard_input_or_the_command_line() -> None:
    assert "value     3" in run_main("eval", "-", stdin="max: [1, 3]").out
    assert "value     3" in run_main("eval", "-", stdin='{"max": [1, 3]}').out
    assert "value     3" in run_main("eval", "-e", "max: [1, 3]").out


def test_depth_cuts_the_tree_at_its_estimates() -> None:
    text = "{estimate: 7, max: {a: {estimate: 5, min: [1, 9]}, b: 4}}"
    assert "├─★ a  estimate 5" in run_main("eval", "-e", text, "--depth", "1").out
    assert "value     7" in run_main("eval", "-e", text, "--depth", "0").out
    done = run_main("eval", "-e", "max: {a: {min: [1, 2]}}", "--depth", "1")
    assert done.status == 2
    assert done.err.startswith("-e: a: the depth limit 1 cuts here, and the node has no estimate")


def test_order_changes_the_order_and_not_the_labels() -> None:
    done = run_main("eval", "-e", "max: [1, 3, 2]", "--order", "best")
    assert [line.split()[1] for line in done.out.splitlines()[1:4]] == ["#2", "#3", "#1"]


def test_the_new_tree_passes_verify(tmp_path: Path) -> None:
    file = tmp_path / "new.yaml"
    assert run_main("new", str(file)).status == 0
    assert file.read_text() == run_main("new").out
    assert run_main("verify", str(file)).status == 0
    assert run_main("new", str(file)).status == 2


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["eval", "trees/rsik.yaml"], 3, "there is no such file (did you mean trees/risk.yaml?)"),
        (["eval"], 2, "No tree was given"),
        (["evla"], 2, "did you mean 'eval'?"),
        (["eval", RISK, "-a", "star3"], 2, "unknown algorithm 'star3' (did you mean 'star2'?)"),
        (["eval", RISK, "-a", "star1", "--probes", "2"], 2, "is for star2.5: use -a star2.5"),
        (["eval", RISK, "--bounds", "5"], 2, "write LOWER,UPPER such as 0,100"),
        (["eval", RISK, "--bounds", "0,50"], 2, "the utility 100 lies outside the bounds [0, 50]"),
        (["eval", RISK, "--bounds", "9,1"], 2, "9 is greater than 1: swap them"),
        (["eval", RISK, "--order", "random"], 2, "random needs a seed, such as random:1"),
        (["eval", RISK, "--order", "bset"], 2, "unknown order 'bset'"),
        (["eval", "-e", "max: [1e999]"], 3, "too large an exponent"),
        (["verify", "CITATION.cff"], 3, ""),
        (["verify"], 2, "Missing argument"),
        (["eval", "-", "-"], 2, "Standard input can be read once"),
        (["eval", "max: [1, 2]"], 3, "a tree is typed after -e: expectitree eval -e 'max: [1, 2]'"),
        (["evl", RISK], 2, "No such command 'evl' (did you mean 'eval'?)"),
        (["rockefeller"], 2, "the example of this name is example:rockefeller"),
        (["nowhere/rockefeller.yaml"], 3, "the example of this name is example:rockefeller"),
        (["eval", RISK, "--max-visits", "3"], 2, "--max-visits stops a pruning search, and"),
    ],
)
def test_errors_are_explained(words: list[str], status: int, says: str) -> None:
    done = run_main(*words)
    assert done.status == status
    assert says in done.err
    assert "Traceback" not in done.out + done.err


WORDS = [[], *([name] for name in COMMANDS)]


@pytest.mark.parametrize(
    "words",
    [["--version"], *([*name, f"--help{size}"] for size in ("", "-all") for name in WORDS)],
)
def test_help_and_version_are_printed(words: list[str]) -> None:
    done = run_main(*words)
    assert done.status == 0
    assert (__version__ if words == ["--version"] else "Usage: expectitree") in done.out


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


def test_control_characters_are_escaped() -> None:
    done = run_main(
        "eval",
        "-",
        stdin='{"title": "a\\u001b[31m", "max": {"x\\u0007y": 1, '
        '"b\\n": {"min": [2], "note": "\\u009b"}}}',
    )
    assert done.status == 0
    assert not any(ord(c) < 32 and c != "\n" or 127 <= ord(c) < 160 for c in done.out)
    assert "x\\x07y" in done.out


def test_the_help_keeps_its_tables() -> None:
    assert (
        "    3    a file cannot be read or written, or is not a tree or a game\n"
        in run_main("--help").out
    )
    assert (
        "    star1           Cuts at CHANCE too, by the bounds (Ballard 1983).\n"
        in run_main("eval", "--help").out
    )


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


def test_the_other_files_are_solved_after_an_invalid_one(tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text("maxx: [1]\n")
    done = run_main("eval", RISK, str(bad), LEFT, "--bounds=0,100")
    assert done.status == 3
    assert "expected value 54.5" in done.out
    assert "value     2.1" in done.out
    assert "unknown key 'maxx'" in done.err
    done = run_main("eval", LEFT, RISK, "--bounds=0,50")
    assert done.status == 2
    assert done.err.startswith(f"{RISK}: right/#1: the utility 100 lies outside the bounds [0, 50]")
    assert "value     2.1" in done.out


@pytest.mark.parametrize("width", [50, 80])
@pytest.mark.parametrize("tree", sorted((ROOT / "trees").iterdir()), ids=lambda path: path.name)
def test_trees_fit_the_width(tree: Path, width: int) -> None:
    if width == 50 and tree.name in ("american-put.yaml", "hiv.yaml"):
        width = 80  # deep, with a probability, a reward and a value on each branch
    for name in ("star1", "star2"):
        lines = run_main(
            "eval", str(tree), "-a", name, "--windows", COLUMNS=str(width)
        ).out.splitlines()
        assert max(map(len, lines)) <= width


def test_each_line_of_a_note_is_a_line_of_the_output() -> None:
    text = 'source: "A book\\nPage 5\\n"\nnote: "one\\n\\ntwo\\n"\n'
    text += 'max: {a: {note: "x\\ny", utility: 1}, b: 2}'
    lines = run_main("eval", "-e", text).out.splitlines()
    assert lines[:8] == [
        "A book",
        "Page 5",
        "",
        "▲ MAX 2",
        "│   one",
        "│   two",
        "├── a  1",
        "│     x",
    ]
    assert lines[8:10] == ["│     y", "└─★ b  2"]
