"""Reports in files: `-o FILE`, or `--report FILE` where -o writes a tree."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import ROOT, error_of, invoke

RISK = str(ROOT / "trees" / "risk.yaml")


def test_a_report_replaces_an_older_report(tmp_path: Path) -> None:
    out = tmp_path / "report.txt"
    for _ in range(2):
        done = invoke("eval", RISK, "-o", str(out))
        assert (done.exit_code, done.stdout) == (0, "")
    assert "expected value 54.5" in out.read_text("utf-8")
    assert "\x1b" not in out.read_text("utf-8")


def test_a_report_is_written_although_the_answer_is_negative(tmp_path: Path) -> None:
    out = tmp_path / "report.json"
    words = ("-a", "star1", "--max-visits", "2", "--format", "json", "-o", str(out))
    assert invoke("eval", RISK, *words).exit_code == 1
    assert out.read_text("utf-8").startswith("{")


def test_an_error_leaves_the_older_report(tmp_path: Path) -> None:
    out = tmp_path / "report.txt"
    out.write_text("older")
    assert invoke("eval", str(tmp_path / "none.yaml"), "-o", str(out)).exit_code == 3
    assert out.read_text("utf-8") == "older"


@pytest.mark.parametrize(
    "words", [("eval",), ("verify",), ("compare",), ("limit",), ("trace",), ("opponents",)]
)
def test_a_report_never_replaces_its_own_input(words: tuple[str, ...], tmp_path: Path) -> None:
    tree, link = tmp_path / "tree.json", tmp_path / "link.txt"
    tree.write_text('{"max": [1, 2]}')
    link.symlink_to(tree)
    for out in (tree, link):
        assert "name another file for the report" in error_of(*words, str(tree), "-o", str(out))
    assert tree.read_text("utf-8") == '{"max": [1, 2]}'


@pytest.mark.parametrize("name", ["tree.yaml", "tree.arrow", "study.results.jsonl", ""])
def test_a_report_has_no_name_of_a_tree(name: str, tmp_path: Path) -> None:
    error = error_of("eval", RISK, "-o", str(tmp_path / name) if name else "")
    assert "choose an ending such as .txt or .json" in error


def test_a_report_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    for out in ("/dev/full", str(tmp_path / "none" / "x.txt"), str(tmp_path)):
        assert "the file cannot be written" in error_of("eval", RISK, "-o", out, status=3)


def test_help_is_a_command() -> None:
    assert invoke("help").stdout == invoke("--help").stdout == invoke("help", "help").stdout
    assert invoke("help", "eval").stdout.split() == invoke("eval", "--help").stdout.split()


def test_examples_are_listed_printed_and_written(tmp_path: Path) -> None:
    titles = dict(line.split(maxsplit=1) for line in invoke("new", "--list").stdout.splitlines())
    assert titles["risk"] == "A risk worth taking"
    assert "schema" not in invoke("new", "--example", "decision").stdout
    file = tmp_path / "t.yaml"
    assert invoke("new", "--example", "risk", str(file)).exit_code == 0
    assert invoke("verify", str(file)).exit_code == 0
    assert invoke("eval", "example:risk").exit_code == 0
    assert "did you mean risk?" in invoke("eval", "example:riks").stderr
    assert invoke("new", "--example", "risk", str(tmp_path / "t.arrow")).exit_code == 2
    assert invoke("new", "--list", str(file)).exit_code == 2
