"""Warnings about trees: printed after the answer, part of JSON and of `Tree.warnings`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import run_main

import expectitree as et

TEXT = "max: {bet: {chance: {win 0.6: 5, lose 0.4: 1}}, pass: 2}"
FOUND = "bet: the labels 'win 0.6', 'lose 0.4' contain numbers that sum to 1"


def test_a_warning_is_printed_once_after_the_answer(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text(TEXT)
    words = [sys.executable, "-m", "expectitree", "eval", "-e", TEXT, str(tmp_path / "x.yaml")]
    output = subprocess.run(words, stdout=-1, stderr=subprocess.STDOUT, check=True).stdout.decode()
    *answer, first, second = output.splitlines()
    assert answer[-1].startswith("bounds ")
    assert first.startswith(f"warning: -e: {FOUND}")
    assert second.startswith(f"warning: {tmp_path / 'x.yaml'}: {FOUND}")


def test_a_warning_is_printed_after_an_error(tmp_path: Path) -> None:
    done = run_main("eval", "-e", TEXT, str(tmp_path / "none.yaml"))
    assert done.status == 3
    assert "there is no such file" in done.err.splitlines()[0]
    assert done.err.splitlines()[-1].startswith(f"warning: -e: {FOUND}")


@pytest.mark.parametrize(
    "words",
    ["eval", "eval --order best", "eval --attitude exponential=9", "compare", "limit", "risk",
     "opponents", "rescale --map 2*u+3", "sensitivity --strategies", "trace", "verify"],
)  # fmt: skip
def test_json_has_the_warnings(words: str, tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text(TEXT)
    (tmp_path / "y.yaml").write_text("max: [1, 2]")
    for name, count in (("x.yaml", 1), ("y.yaml", 0)):
        done = run_main(*words.split(), str(tmp_path / name), "--format", "json")
        found = json.loads(done.out.splitlines()[0]).get("warnings", [])
        assert [FOUND in warning for warning in found] == [True] * count
        assert done.err.count("warning: ") == count


def test_a_tree_keeps_its_warnings() -> None:
    passed: list[str] = []
    for tree in (et.loads(TEXT, name="x", warn=passed.append), et.loads(TEXT, name="x")):
        (found,) = tree.warnings
        assert found.startswith(f"x: {FOUND}")
        assert repr(tree) == "<Tree 5 nodes, 3 leaves, 1 warning>"
    assert passed == [found]
    assert et.from_dict({"chance": {"win 0.6": 5, "lose 0.4": 1}}).warnings
    assert et.loads("{parameters: {x: 1, y: 2}, max: [1]}").warnings[1:]
    assert not et.loads("max: [1, 2]").warnings
