"""Reports in files: `-o FILE`, or `--report FILE` where -o writes a tree."""

from __future__ import annotations

from pathlib import Path

from helpers import ROOT, error_of, invoke

RISK = str(ROOT / "trees" / "risk.yaml")


def test_a_report_never_replaces_what_a_link_leads_to(tmp_path: Path) -> None:
    tree, link = tmp_path / "tree.json", tmp_path / "link.txt"
    tree.write_text('{"max": [1, 2]}')
    link.symlink_to(tree)
    assert "name another file for the report" in error_of("eval", str(tree), "-o", str(link))
    assert tree.read_text("utf-8") == '{"max": [1, 2]}'


def test_a_full_disk_is_an_error() -> None:
    assert "the file cannot be written" in error_of("eval", RISK, "-o", "/dev/full", status=3)


def test_help_is_a_command() -> None:
    assert invoke("help").stdout == invoke("--help").stdout == invoke("help", "help").stdout
    assert invoke("help", "eval").stdout.split() == invoke("eval", "--help").stdout.split()
