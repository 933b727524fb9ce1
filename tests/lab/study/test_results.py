"""However a run ends, no result is lost and none counts twice."""

from __future__ import annotations

import json
import math
import os
import random
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lab.study.studies import (
    GRID,
    GRID_TREES,
    LONG,
    PATIENCE,
    SLOW,
    SMALL,
    SMALL_TREES,
    alive,
    assert_continues,
    figures,
    lines_in,
    output_at_exit,
    record_keys,
    run_remaining,
    run_study,
    signal_group,
    spec_in,
    started,
    study_of,
    wait_until,
    workers_of,
)

from expectitree.base.errors import FileError
from expectitree.lab.study.results import Results
from expectitree.lab.study.spec import Study


@pytest.mark.slow
def test_a_results_file_cut_anywhere_is_continued(
    small: tuple[Study, Path], tmp_path: Path
) -> None:
    """A kill may leave any beginning of the last line."""
    study = study_of(
        tmp_path, SMALL.replace("star1, ", "").replace("[1, 3]", "3").replace(", sequential]", "]")
    )
    whole = tmp_path / "whole"
    run_remaining(study, whole)
    content, expected = whole.read_bytes(), figures(study, whole)
    last = content[:-1].rfind(b"\n") + 1
    path = tmp_path / "results"
    for end in [*range(last - 2, len(content) + 1), 0, 1]:
        path.write_bytes(content[:end])
        executor = run_remaining(study, path)
        assert executor.trees == SMALL_TREES - content[:end].count(b"\n")
        assert len(record_keys(path)) == SMALL_TREES
        assert figures(study, path) == expected


def test_a_report_does_not_change_a_file_that_ends_in_half_a_line(
    small: tuple[Study, Path], tmp_path: Path
) -> None:
    """Another study may be writing to the file."""
    path = tmp_path / "results"
    path.write_bytes(small[1].read_bytes()[:-9])
    before = path.read_bytes()
    assert "13 of 14 trees done" in run_study(
        spec_in(tmp_path, SMALL), "--results", path, "--report"
    )
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("before", "after", "trees", "runs"),
    [
        ("[star1, star2.5: {probes: [1, 3], ", "[star1, star2, star2.5: {probes: [1, 3], ", 14, 14),
        ("repetitions: 4", "repetitions: 6", 6, 6 * 5),
        ("branching: [2, 3]", "branching: [2, 3, 4]", 5, 5 * 5),
        ("[1, 3]", "1", 0, 0),
        ("repetitions: 4", "repetitions: 2", 0, 0),
    ],
)
def test_an_extended_study_runs_only_missing_searches(
    before: str, after: str, trees: int, runs: int, small: tuple[Study, Path], tmp_path: Path
) -> None:
    path = tmp_path / "results"
    path.write_bytes(small[1].read_bytes())
    study = study_of(tmp_path, SMALL.replace(before, after))
    executor = run_remaining(study, path)
    assert (executor.trees, executor.runs) == (trees, runs)
    run_remaining(study, tmp_path / "at once")
    assert figures(study, path) == figures(study, tmp_path / "at once")


def test_a_repeated_line_counts_once(small: tuple[Study, Path], tmp_path: Path) -> None:
    path = tmp_path / "results"
    lines = small[1].read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines, *lines[3:7], *reversed(lines)]))
    assert figures(small[0], path) == figures(*small)


LINE: dict[str, Any] = {
    "tree": {"family": "ballard", "branching": "2", "order": "random"}, "repetition": 0, "seed": 1,
    "nodes": 15, "leaves": 8,
    "runs": {"star1": {"value": 1.0, "leaves": 8, "nodes": 15, "visits": 15, "cuts": 0,
        "seconds": 0.1}},
}  # fmt: skip
STAR1 = LINE["runs"]["star1"]
BROKEN: list[Any] = [
    "", "hello", "[]", "5", json.dumps(LINE)[:150], "[" * 100_000, "\udcff\udcfe", "{}",
    *(LINE | change for change in (
        {"more": 1}, {"runs": []}, {"runs": {"star1": {}}}, {"runs": {"star1": 5}}, {"seed": [1]},
        {"repetition": "0"}, {"tree": {}}, {"tree": {"family": 1}}, {"leaves": None}, {"leaves": 7},
        {"nodes": -1}, {"leaves": 16},
    )),
    *(LINE | {"runs": {"star1": {k: v for k, v in STAR1.items() if k != name}}} for name in STAR1),
    *(LINE | {"runs": {"star1": STAR1 | change}} for change in (
        {"seconds": "long"}, {"nodes": math.nan}, {"leaves": 9}, {"visits": True}, {"value": "1"},
    )),
]  # fmt: skip


def test_a_broken_line_is_reported_with_its_number(
    small: tuple[Study, Path], tmp_path: Path
) -> None:
    path, spec = tmp_path / "results", spec_in(tmp_path, SMALL)
    lines = small[1].read_bytes().splitlines(keepends=True)
    for line in BROKEN:
        text = line if isinstance(line, str) else json.dumps(line)
        broken = text.encode("utf-8", "surrogateescape")
        path.write_bytes(b"".join([*lines[:5], broken + b"\n", *lines[5:9]]))
        before = path.read_bytes()
        message = run_study(spec, "--results", path)
        assert message.startswith(f"{path}:6:1: "), (text[:200], message)
        assert "name another file, or move this one away" in message
        assert path.read_bytes() == before


def test_records_count_only_once_they_are_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some disks report only at fsync that they are full."""

    def fails(_: int) -> None:
        raise OSError(28, "No space left on device")

    study = study_of(tmp_path, SMALL)
    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(
        FileError, match=r"results: the results cannot be written: No space left on device"
    ):
        run_remaining(study, tmp_path / "results")


def test_a_second_study_cannot_write_to_the_same_file(
    small: tuple[Study, Path], tmp_path: Path
) -> None:
    """The second study is refused and changes nothing; reports are possible."""
    path, spec = tmp_path / "results", spec_in(tmp_path, SMALL)
    path.write_bytes(small[1].read_bytes()[:2000])
    with Results(str(path)).writing():
        before = path.read_bytes()
        message = f"{path}: another study is writing to this file: wait for it, or name another"
        assert run_study(spec, "--results", path, "--jobs", "1") == message
        assert "trees done" in run_study(spec, "--results", path, "--report")
        assert path.read_bytes() == before
    run_remaining(small[0], path)
    assert figures(small[0], path) == figures(*small)


@pytest.mark.slow
def test_a_study_killed_at_any_moment_continues(
    grid: tuple[Study, list[Any]], tmp_path: Path
) -> None:
    spec, path = spec_in(tmp_path, GRID), tmp_path / "spec.results.jsonl"
    draw = random.Random(7)
    for jobs, wanted in ((3, 1), (2, 90), (1, 91), (3, 240)):
        with started(spec, "--jobs", str(jobs)) as process:
            wait_until(lambda: lines_in(path) >= wanted, process)  # noqa: B023
            time.sleep(draw.uniform(0, 0.03))
            signal_group(process, signal.SIGKILL)
    done = lines_in(path)
    assert 240 <= done < GRID_TREES
    assert_continues(grid, path)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["kill", "term"])
def test_workers_end_with_the_process_that_started_them(
    number: signal.Signals, tmp_path: Path
) -> None:
    """A worker left behind would wait forever and keep a pipe open."""
    with started(spec_in(tmp_path, LONG), "--jobs", "2") as process:
        wait_until(lambda: lines_in(tmp_path / "spec.results.jsonl"), process)
        workers = workers_of(process)
        assert len(workers) == 2
        process.send_signal(number)
        process.wait(PATIENCE)
        end = time.monotonic() + 6
        while left := alive(workers):
            if time.monotonic() > end:
                break
            time.sleep(0.05)
        for worker in left:
            worker.kill()
        assert not left


def stopped_midway(folder: Path, stop: Callable[[Any, list[Any]], None]) -> tuple[int, str]:
    """Run a study in two workers, and stop it in its middle; return its status and its errors."""
    with started(spec_in(folder, GRID), "--jobs", "2") as process:
        wait_until(lambda: lines_in(folder / "spec.results.jsonl") > 20, process)
        workers = workers_of(process)
        stop(process, workers)
        errors = output_at_exit(process)[1]
    assert not alive(workers)
    return process.returncode, errors


@pytest.mark.slow
def test_an_interrupt_prints_one_line(grid: tuple[Study, list[Any]], tmp_path: Path) -> None:
    """Ctrl-C reaches all processes, and the next run continues after the written results."""
    status, errors = stopped_midway(tmp_path, lambda one, _: signal_group(one, signal.SIGINT))
    path = tmp_path / "spec.results.jsonl"
    done = lines_in(path)
    expected = f"{path}: {done} of {GRID_TREES} trees are done; the same command continues there"
    assert (status, errors.splitlines()) == (130, [expected, "expectitree: interrupted"])
    assert_continues(grid, path)


@pytest.mark.slow
def test_a_worker_that_dies_is_reported(grid: tuple[Study, list[Any]], tmp_path: Path) -> None:
    """The command ends, leaves no process behind, and the next run continues."""
    status, errors = stopped_midway(tmp_path, lambda _, workers: workers[0].kill())
    assert status not in (0, 1, 130)
    assert re.fullmatch(
        r"expectitree: error: a search process died(.|\n)*a results file keeps what is done\n",
        errors,
    )
    assert_continues(grid, tmp_path / "spec.results.jsonl")


@pytest.mark.slow
def test_an_interrupt_while_workers_start_prints_no_traceback(tmp_path: Path) -> None:
    with started(spec_in(tmp_path, GRID), "--jobs", "3") as process:
        wait_until(lambda: len(workers_of(process)) == 3, process)
        workers = workers_of(process)
        time.sleep(0.05)
        signal_group(process, signal.SIGINT)
        errors = output_at_exit(process)[1]
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert "KeyboardInterrupt" not in errors
    assert errors.endswith("expectitree: interrupted\n")
    assert not alive(workers)


@pytest.mark.slow
def test_an_interrupt_does_not_wait_for_long_searches(tmp_path: Path) -> None:
    with started(spec_in(tmp_path, SLOW), "--jobs", "2") as process:
        wait_until(lambda: len(workers_of(process)) == 2, process)
        workers = workers_of(process)
        wait_until(lambda: all(worker.cpu_times().user > 1 for worker in workers), process)
        signal_group(process, signal.SIGINT)
        errors = output_at_exit(process)[1]
        assert not alive(workers)
    assert process.returncode == 130
    assert errors.splitlines()[1:] == ["expectitree: interrupted"]
