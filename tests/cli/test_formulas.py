"""Parameters and formulas on the command line: `--set`, `eval --show formulas`, `convert`."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import run_main

TEXT = """\
parameters: {pr: 0.5, fee: {value: 10, range: [0, 20]}, k: 2*pr}
expect:
  value: 40
  at:
    - {set: {pr: 0.3}, value: 25, best: keep}
    - {set: {fee: 5}}
max:
  keep: 25
  bet: {cost: fee, chance: {win: {p: pr, utility: 100}, lose: {p: rest, utility: "min(0, k - 1)"}}}
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("bet.yaml").write_text(TEXT, "utf-8")
    return "bet.yaml"


@pytest.mark.parametrize(
    "command",
    [
        ("eval",), ("compare",), ("trace",), ("limit",),
        ("rescale", "--map", "exp(u/9)"),
        ("verify",), ("convert",), ("draw", "--format", "mmd", "-o", "-"), ("ask", "--show"),
    ],
)  # fmt: skip
def test_every_command_that_reads_a_tree_sets_parameters(
    command: tuple[str, ...], file: str
) -> None:
    words = [*command, file, *["-"] * (command[0] == "convert")]
    before = run_main(*words)
    after = run_main(*words, "--set", "pr=90%", "--set", "fee=1/2")
    assert after.status in (0, before.status)
    assert after.out != before.out or command[0] in ("limit", "ask")
    wrong = run_main(*words, "--set", "prr=1")
    assert wrong.status in (2, 3)
    assert "unknown parameter 'prr' (did you mean 'pr'?)" in wrong.err
