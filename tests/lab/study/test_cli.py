"""The command line of `study`."""

from __future__ import annotations

import os
from pathlib import Path

from helpers import invoke
from lab.study.studies import SMALL, run_study, spec_in

from expectitree.lab.study.spec import Study


def status_of(*words: str | Path) -> int:
    done = invoke("study", *map(str, words))
    return done.exit_code


def test_a_report_runs_nothing(small: tuple[Study, Path], tmp_path: Path) -> None:
    spec, path = spec_in(tmp_path, SMALL), tmp_path / "spec.results.jsonl"
    assert run_study(spec, "--report") == "0 of 14 trees done\n\n"
    assert status_of(spec, "--report") == 1
    assert os.listdir(tmp_path) == ["spec.yaml"]
    path.write_bytes(b"".join(small[1].read_bytes().splitlines(keepends=True)[:6]))
    before = path.stat().st_mtime_ns
    assert "6 of 14 trees done" in run_study(spec, "--report")
    assert status_of(spec, "--report") == 1
    assert path.stat().st_mtime_ns == before
    path.write_bytes(small[1].read_bytes())
    assert status_of(spec, "--report") == 0


def test_wrong_usage_exits_with_status_2(tmp_path: Path) -> None:
    spec = spec_in(tmp_path, SMALL)
    assert "is used" in run_study(
        spec, "--jobs", "2", "--scheduler", "x:1"
    ) or "are used" in run_study(spec, "--jobs", "2", "--scheduler", "x:1")
    assert "0 is not in the range x>=1" in run_study(spec, "--jobs", "0")
    assert "no such file" in run_study(tmp_path / "none.yaml")
    assert "this is a folder" in run_study(tmp_path)
    assert status_of(spec, "--format", "xml") == 2
    assert os.listdir(tmp_path) == ["spec.yaml"]
