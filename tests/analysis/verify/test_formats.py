"""`verify`: hints and --quiet."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import ROOT, run_main

import expectitree as et

RISK = str(ROOT / "trees" / "risk.yaml")
BROKEN = """\
# é
max: {a: 1, b: 3}
expect:
  value: 4
  best: b
  values: {a: 1, "b":   2}
  star1:
    - nodes: 3
      leaves: 9
    - skipped:
      - a
      - b
"""


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    file = tmp_path / "broken.yaml"
    file.write_text(BROKEN, encoding="utf-8")
    return file


def test_quiet_prints_what_is_broken_and_the_last_line(tmp_path: Path, broken: Path) -> None:
    done = run_main("verify", "-q", RISK, str(broken))
    assert done.status == 1
    assert done.out.splitlines() == [
        f"✗ {broken}: 3 of 8 expectations kept",
        "    ✗ value: expected 4, found 3",
        "    ✗ value of b: expected 2, found 3",
        "    ✗ star1: leaves visited: expected 9, found 2",
        "    ✗ star1: a: expected not visited, found visited",
        "    ✗ star1: b: expected not visited, found visited",
        "",
        "2 files, 10 of 15 expectations kept",
    ]
    done = run_main("verify", "--quiet", RISK)
    assert (done.status, done.out) == (0, "1 file, 7 of 7 expectations kept\n")
    (tmp_path / "no.yaml").write_text("maxx: [1]\n")
    done = run_main("verify", "--quiet", str(tmp_path / "no.yaml"))
    assert done.status == 3
    assert "no.yaml:1:1: error: /: unknown key 'maxx'" in done.out


def test_refreshed_files_are_reported_with_what_is_still_broken(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("max: {a: 1, b: 2}\nexpect:\n  value: 3\n  values: {c: 1}\n")
    done = run_main("verify", "--write", str(file))
    assert done.status == 1
    assert "value of c: expected 1, found no such node" in done.out
    assert "1 of 2 expectations kept" in done.out
    assert "value: 2\n" in file.read_text()


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (
            "{expect: {best: a}, chance: {a: 1, b: 2}}",
            "the root is not a player's, so it has no best action: remove `best`",
        ),
        ("{expect: {best: b}, max: {a: 1, b: 1}}", "it is worth as much, and comes later"),
        (
            "{expect: {value: 0.33}, max: [1/3]}",
            "0.33 is rounded: write the exact value, or use --write",
        ),
        ("{expect: {value: 2}, max: [1/3]}", ""),
    ],
)
def test_a_hint_explains_why_an_expectation_does_not_hold(text: str, hint: str) -> None:
    report = et.verify(et.loads(text))
    (check,) = report.checks
    assert (check.kept, check.hint) == (False, hint)
    assert et.to_text(report).splitlines()[1].endswith(f"({hint})" if hint else "found 1/3")


def test_an_unknown_path_has_the_error_as_its_hint() -> None:
    text = "{expect: {values: {x: 1}, star1: {skipped: [a, x]}}, max: {a: 1, b: 2}}"
    report = et.verify(et.loads(text))
    assert [check.found for check in report.checks] == ["no such node", "visited", "no such node"]
    assert [check.hint[:9] for check in report.checks] == ["no node x", "", "no node x"]
    assert report.checks[0].replacement is report.checks[2].replacement is None


def test_a_value_by_path_includes_what_the_branch_pays() -> None:
    expect = "{value: 12, values: {a: 3, b/x: 5, b: 12}}"
    paid = "{reward: 7, chance: {x: {reward: 2, utility: 3}, y: 5}}"
    text = f"{{expect: {expect}, reward: 1, max: {{a: {{cost: 1, utility: 4}}, b: {paid}}}}}"
    found = {check.what: check.found for check in et.verify(et.loads(text)).broken}
    assert found == {"value": "13"}
