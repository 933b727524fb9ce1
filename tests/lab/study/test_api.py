"""`et.study` from Python, its result as records, and the command `study`."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest
from helpers import invoke
from lab.study.studies import SMALL, SMALL_TREES, figures, run_study, spec_in, without_times

import expectitree as et
from expectitree.lab.study.report import Summary
from expectitree.lab.study.spec import Study

SPEC: dict[str, Any] = {
    "title": "From Python",
    "trees": [
        {"family": "ballard", "branching": range(2, 4), "order": ["random", "best"]},
        {"family": "uniform", "branching": "2-3", "end": 0.2, "real": True},
    ],
    "algorithms": ["star1", {"star2.5": {"probes": [1, 3]}}],
    "repetitions": 3,
    "seed": 11,
}


@pytest.fixture(scope="module")
def found() -> Summary:
    return et.study(SPEC)


def test_a_file_gives_what_the_command_finds_and_nothing_is_written(
    small: tuple[Study, Path], tmp_path: Path
) -> None:
    spec = spec_in(tmp_path, SMALL)
    for source in (spec, str(spec)):
        summary = et.study(source)
        assert (summary.done, summary.total) == (SMALL_TREES, SMALL_TREES)
        assert [row.leaves for row in summary.rows] == [row[4] for row in figures(*small)]
    assert os.listdir(tmp_path) == ["spec.yaml"]


def test_results_are_kept_and_continued(small: tuple[Study, Path], tmp_path: Path) -> None:
    spec, kept = spec_in(tmp_path, SMALL), tmp_path / "kept.jsonl"
    lines = small[1].read_bytes().splitlines(keepends=True)
    kept.write_bytes(b"".join(lines[:5]))
    summary = et.study(spec, results=kept)
    assert len(kept.read_bytes().splitlines()) == SMALL_TREES
    assert kept.read_bytes().startswith(b"".join(lines[:5]))
    assert [row.leaves for row in summary.rows] == [row[4] for row in figures(*small)]
    after = kept.read_bytes()
    assert et.study(spec, results=str(kept)) == summary
    assert kept.read_bytes() == after
    printed = run_study(spec, "--report", "--results", kept, COLUMNS="80")
    assert printed == f"{et.to_text(summary)}\n"


@pytest.mark.slow
def test_processes_find_the_same(found: Summary) -> None:
    again = et.study(SPEC, jobs=2)
    assert without_times(again.to_records()) == without_times(found.to_records())


def test_a_mapping_is_a_study_with_the_same_seeds_as_its_file(
    found: Summary, tmp_path: Path
) -> None:
    written = json.dumps(SPEC, default=list)
    summary = et.study(spec_in(tmp_path, written, "spec.json"))
    assert without_times(summary.to_records()) == without_times(found.to_records())
    assert et.study(io.StringIO(written)).total == found.total


def test_a_summary_is_shown_as_the_command_shows_it(found: Summary) -> None:
    assert et.to_text(found).startswith("From Python\n11 of 11 trees done\n")
    shown = json.loads(et.to_json(found))
    assert (shown["title"], shown["trees"]) == ("From Python", {"done": 11, "total": 11})
    assert len(shown["rows"]) == len(found.rows) == 5 * 3
    assert "From Python" in found._repr_mimebundle_()["text/html"]


def test_records_are_flat_and_typed(found: Summary) -> None:
    records = found.to_records()
    assert all(list(record) == list(records[0]) for record in records)
    first, last = records[0], records[-1]
    assert (first["order"], first["end"], last["end"]) == ("random", None, 0.2)
    assert (first["algorithm"], first["probes"]) == ("star1", None)
    assert (last["algorithm"], last["probes"], last["branching"]) == ("star2.5", 3, "2-3")
    assert {type(value) for record in records for value in record.values()} <= {
        int, float, str, type(None),
    }  # fmt: skip
    row = found.rows[0]
    assert (first["trees"], first["leaves"], first["leaf_share_half"]) == (
        3,
        row.leaves.value,
        row.leaf_share.half,
    )


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (3, "found int, expected a path, or a dict such as a study's file describes"),
        ({}, "there is no key trees"),
        ({**SPEC, "reps": 3}, "unknown key 'reps' (did you mean 'repetitions'?)"),
        ({**SPEC, "trees": [{"family": "ballard", "branching": 0}]}, "found '0' as branching"),
        ({**SPEC, "title": object()}, "expected text, numbers, lists and dicts"),
    ],
)
def test_a_wrong_study_is_reported(spec: Any, message: str) -> None:
    with pytest.raises(et.ExpectitreeError) as error:
        et.study(spec)
    assert message in str(error.value)


@pytest.mark.parametrize("jobs", [0, -1, 1.5, "2", True])
def test_wrong_jobs_are_reported(jobs: Any) -> None:
    with pytest.raises(et.AnalysisError, match="expected a whole number, 1 or more"):
        et.study(SPEC, jobs=jobs)


# ---- The command.


def test_a_report_runs_nothing(small: tuple[Study, Path], tmp_path: Path) -> None:
    spec, path = spec_in(tmp_path, SMALL), tmp_path / "spec.results.jsonl"
    assert run_study(spec, "--report") == "0 of 14 trees done\n\n"
    assert invoke("study", str(spec), "--report").exit_code == 1
    assert os.listdir(tmp_path) == ["spec.yaml"]
    path.write_bytes(b"".join(small[1].read_bytes().splitlines(keepends=True)[:6]))
    before = path.stat().st_mtime_ns
    assert "6 of 14 trees done" in run_study(spec, "--report")
    assert invoke("study", str(spec), "--report").exit_code == 1
    assert path.stat().st_mtime_ns == before
    path.write_bytes(small[1].read_bytes())
    assert invoke("study", str(spec), "--report").exit_code == 0
