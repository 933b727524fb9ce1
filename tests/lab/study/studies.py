"""Studies for tests, and executors that run them in this process, shuffled, or in others."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from helpers import ROOT, invoke

from expectitree.base.errors import ExpectitreeError
from expectitree.lab.study.reader import load_study
from expectitree.lab.study.report import summarize
from expectitree.lab.study.results import Results
from expectitree.lab.study.run import execute, find_tasks
from expectitree.lab.study.spec import Study

PATIENCE = 25  # A step that takes more seconds than this hangs.

SMALL = """
trees:
  - {family: ballard, branching: [2, 3], order: [random, best]}
  - {family: uniform, pattern: "max,chance,min", branching: 2-3, end: 0.2, skew: 1}
algorithms: [star1, star2.5: {probes: [1, 3], probe-order: [cyclic, sequential]}]
repetitions: 4
seed: 11
"""
SMALL_TREES = 2 * (4 + 1) + 4
SMALL_RUNS: dict[str, tuple[Any, ...]] = {
    "star1": ("star1", None, None),
    "star2.5 (1 probe, cyclic)": ("star2.5", 1, "cyclic"),
    "star2.5 (3 probes, cyclic)": ("star2.5", 3, "cyclic"),
    "star2.5 (1 probe, sequential)": ("star2.5", 1, "sequential"),
    "star2.5 (3 probes, sequential)": ("star2.5", 3, "sequential"),
}
# Many short tasks: whenever it is killed, some are done, some are running and some are waiting.
GRID = """
trees:
  - family: ballard
    branching: [2, 3, 4, 5, 6, 7]
    order: [random, best]
    pattern: ["max,chance,min", "min,chance"]
  - {family: uniform, branching: [2, 3, 2-4], end: [0, 0.2], skew: [0, 1], utilities: "0,9"}
algorithms: [star1, star2]
repetitions: 12
"""
GRID_TREES = 12 * 12 + 12 + 12 * 12
# Games are always interpreted, so these take long on every machine.
LONG = """
trees: {game: "game:einstein", depth: 3, random-moves: 8}
algorithms: star2
repetitions: 1000
"""
# One tree takes minutes.
SLOW = LONG.replace("depth: 3", "depth: 7")
PUBLISHED = f"""{SMALL}
title: "A *title*, with | in it"
published:
  - {{branching: 2, order: best, star1: 5/8}}
  - {{branching: 3, order: random, star1: 84.1}}
  - {{family: uniform, probes: 3, star2.5: 50}}
  - {{branching: 3, probe-order: sequential, probes: 1, star2.5: 60}}
"""


class ImmediateExecutor(Executor):
    """An executor that runs each task when it is submitted."""

    def __init__(self) -> None:
        self.trees = 0
        self.runs = 0

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **_: Any) -> Future[Any]:
        self.trees += len(arguments[0].trees)
        self.runs += sum(len(runs) for *_, runs in arguments[0].trees)
        future: Future[Any] = Future()
        future.set_result(function(*arguments))
        return future


def spec_in(folder: Path, text: str, name: str = "spec.yaml") -> Path:
    (folder / name).write_text(text, "utf-8")
    return folder / name


def study_of(folder: Path, text: str, name: str = "spec.yaml") -> Study:
    return load_study(spec_in(folder, text, name))


def plan(folder: Path, text: str) -> Any:
    """Read a spec and its results, as the command does before the first search."""
    study = study_of(folder, text)
    kept = Results("")
    find_tasks(study, kept)
    return summarize(study, kept)


def run_remaining(study: Study, path: Path) -> ImmediateExecutor:
    """Run the remaining tasks in this process."""
    executor, kept = ImmediateExecutor(), Results(str(path))
    kept.read()
    with kept.writing():
        execute(find_tasks(study, kept), kept, executor, 2, lambda more: None)
    return executor


def summary_of(study: Study, path: Path) -> Any:
    kept = Results(str(path))
    kept.read()
    return summarize(study, kept)


def figures(study: Study, path: Path) -> list[Any]:
    """Return the summary of a results file without times."""
    rows = summary_of(study, path).rows
    return [
        (
            dict(r.tree),
            r.algorithm,
            r.trees,
            r.leaves_total,
            r.leaves,
            r.leaf_share,
            r.nodes,
            r.visits,
        )
        for r in rows
    ]


def without_times(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**row, "seconds": None} for row in rows]


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def record_keys(path: Path) -> list[tuple[str, int, int]]:
    return [
        (json.dumps(r["tree"], sort_keys=True), r["repetition"], r["seed"]) for r in records(path)
    ]


def command_line(*words: str | Path) -> list[str]:
    return [sys.executable, "-m", "expectitree", "study", *map(str, words)]


def plain_environment(**environment: str) -> dict[str, str]:
    kept = {
        k: v
        for k, v in os.environ.items()
        if k not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "PYTHONIOENCODING")
    }
    return {**kept, "COLUMNS": "80", "PYTHONUTF8": "1", **environment}


@contextmanager
def started(*words: str | Path) -> Iterator[subprocess.Popen[str]]:
    """Run `expectitree study` in its own process group, and kill the group afterwards."""
    process = subprocess.Popen(
        command_line(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
        cwd=ROOT, env=plain_environment(),
        start_new_session=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        workers = (
            psutil.Process(process.pid).children(recursive=True)
            if psutil.pid_exists(process.pid)
            else []
        )
        signal_group(process, signal.SIGKILL)
        for worker in alive(workers):
            worker.kill()
        process.communicate()


def signal_group(process: subprocess.Popen[str], number: int) -> None:
    """Send a signal to the process group of a process, as a terminal does."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def wait_until(holds: Callable[[], Any], process: subprocess.Popen[str]) -> None:
    """Wait until a condition is true while a process runs."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert process.poll() is None, f"it ended too early: {process.communicate()}"
        assert time.monotonic() < end
        time.sleep(0.002)


def lines_in(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def workers_of(process: subprocess.Popen[str]) -> list[psutil.Process]:
    """Return the worker processes of a process."""
    found = psutil.Process(process.pid).children(recursive=True)
    return [child for child in found if "spawn_main" in " ".join(child.cmdline())]


def alive(processes: list[psutil.Process]) -> list[psutil.Process]:
    """Return the running processes, without zombies."""
    found = []
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            if process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def output_at_exit(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Wait for the end of a process; return its output and its errors."""
    try:
        return process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return pytest.fail("it hangs")


def run_study(*words: str | Path, **environment: str) -> str:
    """Run `expectitree study` in this process; return its output or its error."""
    done = invoke("study", *map(str, words), **environment)
    if done.exception is not None and not isinstance(
        done.exception, (SystemExit, ExpectitreeError)
    ):
        raise done.exception
    return str(done.exception) if isinstance(done.exception, ExpectitreeError) else done.output


@contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """Fail if the block takes longer than a number of seconds."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"still at it after {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def assert_continues(grid: tuple[Study, list[Any]], path: Path) -> None:
    """Check that the next run of a study makes the trees that are missing, and no others."""
    done = lines_in(path)
    assert run_remaining(grid[0], path).trees == GRID_TREES - done
    assert_complete(grid, path)


def assert_complete(grid: tuple[Study, list[Any]], path: Path) -> None:
    """Check that each tree is in the file once, with the figures of an undisturbed run."""
    study, expected = grid
    assert (
        len(record_keys(path))
        == len(set(record_keys(path)))
        == sum(len(own) for _, own in study.keys)
    )
    assert figures(study, path) == expected
