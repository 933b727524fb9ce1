"""The command line through a real process: outputs, pipes, exit status, and no traceback ever."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree
from pathlib import Path

import pytest
from helpers import ROOT

from expectitree import __version__
from expectitree.cli import COMMANDS

RISK = "trees/risk.yaml"
LEFT = "trees/aima-5.12-left.yaml"


def run(*words: str, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command line at 80 columns, piped."""
    plain = {
        k: v
        for k, v in os.environ.items()
        if k not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "PYTHONIOENCODING")
    }
    return subprocess.run(
        [sys.executable, "-m", "expectitree", *words],
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        cwd=ROOT,
        env={**plain, "COLUMNS": "80", "PYTHONUTF8": "1", **environment},
        check=False,
    )


def test_eval_shows_the_tree_and_the_summary() -> None:
    done = run("eval", RISK)
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout == (
        "A risk worth taking\n"
        'GeeksforGeeks, "Expectimax Algorithm in Game Theory"\n'
        "\n"
        "▲ MAX 54.5\n"
        "├── left   ● CHANCE 10 = mean(10, 10)\n"
        "└─★ right  ● CHANCE 54.5 = mean(100, 9)\n"
        "\n"
        "algorithm expectiminimax\n"
        "value     54.5\n"
        "best      right\n"
        "nodes     7 of 7 visited\n"
        "leaves    4 of 4 visited\n"
        "bounds    [0, 100] from the file\n"
    )


def test_a_cut_says_why_in_numbers() -> None:
    done = run("eval", LEFT, "-a", "star1", "--no-notes", COLUMNS="120")
    assert (
        "chance cut after 1 of 2: even if the rest were 4, at most 1.3 <= alpha 2.1; 1 node, 2 leaves not visited"
        in done.stdout
    )
    assert "└─╫ #2  p 0.1  ▼ MIN [1, 4] of min((4), (4))  not visited" in done.stdout
    assert "from the leaves themselves" in done.stdout


def test_windows_are_shown_when_asked() -> None:
    assert "alpha" not in run("eval", RISK).stdout
    assert "alpha 10, beta 100" in run("eval", RISK, "-a", "star1", "--windows").stdout


def test_without_unicode_it_is_readable() -> None:
    done = run("eval", RISK, PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert done.stdout.isascii()
    assert "`-* right  CHANCE 54.5 = mean(100, 9)" in done.stdout


def test_colour_only_where_it_is_wanted() -> None:
    assert "\x1b[" not in run("eval", RISK).stdout
    assert "\x1b[" in run("eval", RISK, FORCE_COLOR="1", TERM="xterm-256color").stdout
    assert (
        "\x1b["
        not in run("eval", RISK, FORCE_COLOR="1", NO_COLOR="1", TERM="xterm-256color").stdout
    )


def test_json_has_the_keys_of_the_design() -> None:
    found = json.loads(run("eval", RISK, "-a", "star1", "--format", "json").stdout)
    assert found | {"tree": None} == {
        "file": RISK,
        "title": "A risk worth taking",
        "algorithm": "star1",
        "engine": "interpreted",
        "value": 54.5,
        "best": "right",
        "ties": ["right"],
        "bounds": [0, 100],
        "bounds_from": "file",
        "nodes": {"total": 7, "visited": 7, "visits": 7, "unfolded": 7},
        "leaves": {"total": 4, "visited": 4},
        "cuts": 0,
        "tree": None,
    }
    tree = found["tree"]
    assert (tree["kind"], tree["lower"], tree["upper"], tree["visited"]) == (
        "MAX",
        54.5,
        54.5,
        True,
    )
    assert [child["label"] for child in tree["children"]] == ["left", "right"]
    assert [leaf["p"] for leaf in tree["children"][0]["children"]] == [0.5, 0.5]


def test_json_of_a_cut() -> None:
    found = json.loads(run("eval", LEFT, "-a", "star1", "--format", "json").stdout)
    second = found["tree"]["children"][1]
    assert second["cut"] == {
        "kind": "chance", "fails": "low", "after": 1, "of": 2, "probing": False,
        "bound": 1.3, "window": [2.1, 4], "nodes": 3, "leaves": 2,
    }  # fmt: skip
    assert (second["lower"], second["upper"]) == (1, 1.3)
    assert second["children"][1]["skipped"] == "cut"
    assert second["children"][1]["visited"] is False


def test_json_in_exact_mode_is_text() -> None:
    found = json.loads(run("eval", RISK, "--exact", "--format", "json", "--bounds=-inf,inf").stdout)
    assert (found["value"], found["bounds"]) == ("109/2", ["-inf", "inf"])


def test_several_files_give_an_object_each() -> None:
    lines = run("eval", RISK, LEFT, "--format", "json").stdout.splitlines()
    assert [json.loads(line)["file"] for line in lines] == [RISK, LEFT]


def test_standard_input_and_typed_trees() -> None:
    assert "value     3" in run("eval", "-", stdin="max: [1, 3]").stdout
    assert "value     3" in run("eval", "-", stdin='{"max": [1, 3]}').stdout
    assert "value     3" in run("eval", "-e", "max: [1, 3]").stdout


def test_depth_cuts_at_estimates_and_names_a_node_without() -> None:
    text = "{estimate: 7, max: {a: {estimate: 5, min: [1, 9]}, b: 4}}"
    assert "├─★ a  estimate 5" in run("eval", "-e", text, "--depth", "1").stdout
    assert "value     7" in run("eval", "-e", text, "--depth", "0").stdout
    done = run("eval", "-e", "max: {a: {min: [1, 2]}}", "--depth", "1")
    assert done.returncode == 2
    assert done.stderr.startswith(
        "-e: a: the depth limit 1 cuts here, and the node has no estimate"
    )


def test_order_keeps_labels() -> None:
    done = run("eval", "-e", "max: [1, 3, 2]", "--order", "best")
    assert [line.split()[1] for line in done.stdout.splitlines()[1:4]] == ["#2", "#3", "#1"]


def test_compare_is_a_table_and_a_sentence() -> None:
    done = run("compare", "trees/ballard-6.yaml")
    assert done.returncode == 0
    assert done.stdout.endswith("star2 needed 58 of 216 leaves (27%) for the same value.\n")
    assert [line.split()[0] for line in done.stdout.splitlines()[4:8]] == [
        "expectiminimax", "alphabeta", "star1", "star2",
    ]  # fmt: skip
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_compare_adds_up_several_files() -> None:
    done = run("compare", RISK, LEFT, "-a", "star1", "-a", "star2")
    assert "All 2 files" in done.stdout
    assert [line.split()[:3] for line in done.stdout.splitlines()[-2:]] == [
        ["star1", "18", "9"],
        ["star2", "18", "9"],
    ]


def test_compare_in_other_formats() -> None:
    rows = list(csv.DictReader(io.StringIO(run("compare", LEFT, "--format", "csv").stdout)))
    assert [(row["algorithm"], row["leaves_visited"]) for row in rows][:3] == [
        ("expectiminimax", "8"), ("alphabeta", "7"), ("star1", "5"),
    ]  # fmt: skip
    found = json.loads(run("compare", LEFT, "--format", "json").stdout)
    assert found["file"] == LEFT
    assert [row["leaves"]["visited"] for row in found["rows"]][:3] == [8, 7, 5]
    assert all(row["seconds"] > 0 and "tree" not in row for row in found["rows"])
    markdown = run("compare", LEFT, "--format", "markdown").stdout
    assert "| star1 | 2.1 | a1 | 11 | 5 | 62% | 2 |" in markdown


def test_verify_keeps_and_breaks(tmp_path: Path) -> None:
    assert run("verify", "trees").returncode == 0
    broken = tmp_path / "broken.yaml"
    broken.write_text("expect: {value: 0.3333, best: b}\nmax: {a: 1/3, b: 0}\n")
    done = run("verify", str(broken))
    assert done.returncode == 1
    assert (
        "✗ value: expected 0.3333, found 1/3 (only the digits written agree: write 1/3)"
        in done.stdout
    )
    assert "✗ best: expected b, found a" in done.stdout


def test_verify_says_when_nothing_is_expected(tmp_path: Path) -> None:
    bare = tmp_path / "bare.yaml"
    bare.write_text("max: [1, 2]\n")
    done = run("verify", str(bare))
    assert done.returncode == 0
    assert "a tree, without expect" in done.stdout


def test_verify_write_changes_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "tree.yaml"
    before = (
        "# é a comment\n\nexpect:   {value: 1, best: a}   # keep\nmax:\n    a: 2\n    b: 3 # odd\n"
    )
    file.write_text(before, encoding="utf-8")
    done = run("verify", "--write", str(file))
    assert done.returncode == 0
    assert file.read_text(encoding="utf-8") == before.replace(
        "value: 1, best: a", "value: 3, best: b"
    )
    bare = tmp_path / "bare.json"
    bare.write_text('{\n  "max": [1, {"chance": [1, 2, 9]}]\n}\n')
    assert run("verify", "--write", str(bare)).returncode == 0
    assert json.loads(bare.read_text())["expect"]["value"] == 4
    assert run("verify", str(bare)).returncode == 0


def test_verify_in_other_formats(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("expect: {value: 1}\nmax: [2]\n")
    found = json.loads(run("verify", str(broken), "--format", "json").stdout)
    assert (found["kept"], found["checks"][0]["found"]) == (False, "2")
    suites = xml.etree.ElementTree.fromstring(
        run("verify", str(broken), RISK, "--format", "junit").stdout
    )
    assert [suite.get("failures") for suite in suites] == ["1", "0"]


def test_verify_goes_on_after_a_bad_file(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("maxx: [1]\n")
    (tmp_path / "b.yaml").write_text("expect: {value: 1}\nmax: [1]\n")
    done = run("verify", str(tmp_path))
    assert done.returncode == 3
    assert "a.yaml:1:1: /: unknown key 'maxx' (did you mean 'max'?)" in done.stdout
    assert "1 of 1 expectations kept, 1 no tree" in done.stdout


def test_new_is_a_tree_that_keeps_its_word(tmp_path: Path) -> None:
    file = tmp_path / "new.yaml"
    file.write_text(run("new").stdout)
    assert run("verify", str(file)).returncode == 0
    assert run("new", str(file)).returncode == 2
    assert run("new", str(tmp_path / "other.yaml")).returncode == 0
    assert (tmp_path / "other.yaml").read_text() == file.read_text()


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["eval", "trees/rsik.yaml"], 3, "trees/rsik.yaml: there is no such file (did you mean trees/risk.yaml?)"),
        (["eval"], 2, "No tree was given"),
        (["evla"], 2, "did you mean 'eval'?"),
        (["eval", RISK, "-a", "star3"], 2, "unknown algorithm 'star3' (did you mean star2?)"),
        (["eval", RISK, "-a", "star1", "--probes", "2"], 2, "--probes is for star2.5: use -a star2.5"),
        (["eval", RISK, "--bounds", "5"], 2, "write LOWER,UPPER such as 0,100"),
        (["eval", RISK, "--bounds", "0,50"], 2, "right/#1: the utility 100 lies outside the bounds [0, 50]"),
        (["eval", RISK, "--bounds", "9,1"], 2, "9 is greater than 1: swap them"),
        (["eval", RISK, "--order", "random"], 2, "random needs a seed, such as random:1"),
        (["eval", RISK, "--order", "bset"], 2, "unknown order 'bset'"),
        (["eval", "-e", "max: [1e999]"], 3, "too large an exponent"),
        (["compare", RISK, "-a", "star1", "--probes", "3"], 2, "--probes is for star2.5: use -a star2.5"),
        (["verify", "tests/bad/documents-two.yaml"], 3, ""),
        (["verify"], 2, "Missing argument"),
        (["eval", "-", "-"], 2, "Standard input can be read once"),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_said(words: list[str], status: int, says: str) -> None:
    done = run(*words)
    assert done.returncode == status
    assert says in done.stderr
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "words", [["--version"], ["--help"], *([name, "--help"] for name in COMMANDS)]
)
def test_help_and_version(words: list[str]) -> None:
    done = run(*words)
    assert done.returncode == 0
    assert (__version__ if words == ["--version"] else "Usage: expectitree") in done.stdout


def test_exact_mode_takes_what_floats_cannot() -> None:
    assert run("eval", "-e", "max: [1e399, 1]").returncode == 3
    assert run("eval", "-e", "max: [1e399, 1]", "--exact").returncode == 0


def test_a_closed_pipe_is_quiet(tmp_path: Path) -> None:
    file = tmp_path / "wide.yaml"
    file.write_text("max: [" + "{min: [1, 2]}, " * 20_000 + "3]")
    command = f"{sys.executable} -m expectitree eval --all {file} | head -n 1"
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert len(done.stdout.splitlines()) == 1
    assert done.stderr == ""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_a_full_disk_is_said() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "expectitree", "eval", RISK],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            check=False,
        )
    assert done.returncode == 3
    assert "cannot write the output: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_interrupt_is_no_traceback() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "expectitree", "eval", "-"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT,
    )  # fmt: skip
    time.sleep(3.0)  # it waits for standard input by then, on a busy machine too
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert errors.strip() == "expectitree: interrupted"


def test_control_characters_never_reach_the_terminal() -> None:
    done = run(
        "eval",
        "-",
        stdin='{"title": "a\\u001b[31m", "max": {"x\\u0007y": 1, "b\\n": {"min": [2], "note": "\\u009b"}}}',
    )
    assert done.returncode == 0
    assert not any(ord(c) < 32 and c != "\n" or 127 <= ord(c) < 160 for c in done.stdout)
    assert "x\\x07y" in done.stdout


def test_help_keeps_its_tables() -> None:
    assert "    3    a file that cannot be read or written, or is no tree\n" in run("--help").stdout
    assert (
        "    star1           Cuts at CHANCE too, by the bounds (Ballard 1983).\n"
        in run("eval", "--help").stdout
    )


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_a_closed_stream_is_no_traceback(closed: str) -> None:
    command = f"{sys.executable} -m expectitree eval {'-' if closed == '<&-' else RISK} {closed}"
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == (3 if closed == "<&-" else 0)
    assert "Traceback" not in done.stderr + done.stdout


def test_a_bad_file_does_not_silence_the_others(tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text("maxx: [1]\n")
    done = run("eval", RISK, str(bad), LEFT, "--bounds=0,100")
    assert done.returncode == 3
    assert "value     54.5" in done.stdout
    assert "value     2.1" in done.stdout
    assert "unknown key 'maxx'" in done.stderr
    done = run("eval", LEFT, RISK, "--bounds=0,50")
    assert done.returncode == 2
    assert done.stderr.startswith(
        f"{RISK}: right/#1: the utility 100 lies outside the bounds [0, 50]"
    )
    assert "value     2.1" in done.stdout


def test_what_cannot_be_refreshed_stays_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "tree.yaml"
    file.write_text("expect:\n  best: |-\n    a\n# c\nmax: {a: 1, b: 2}\n")
    before = file.read_text()
    done = run("verify", "--write", str(file))
    assert done.returncode == 3
    assert (
        "not refreshed: best is an alias or a block of text: change it by hand; the file is as it was"
        in done.stderr
    )
    assert "✗ best: expected a, found b" in done.stdout
    assert file.read_text() == before


def test_a_label_that_looks_like_a_key_is_doubted() -> None:
    done = run("eval", "-e", "chance: {heads: 3, p: 0.5}")
    assert done.returncode == 0
    assert (
        done.stderr
        == "-e: /: 'p' is read as a label here; if it was meant as a key, indent it less\n"
    )


@pytest.mark.parametrize("width", [50, 80])
@pytest.mark.parametrize("tree", sorted((ROOT / "trees").iterdir()), ids=lambda path: path.name)
def test_trees_keep_to_the_width(tree: Path, width: int) -> None:
    for name in ("star1", "star2"):
        lines = run(
            "eval", str(tree), "-a", name, "--windows", COLUMNS=str(width)
        ).stdout.splitlines()
        assert max(map(len, lines)) <= width
