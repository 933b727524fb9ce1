"""Studies on a Dask cluster whose scheduler and workers are processes that may die."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from helpers import ROOT
from lab.study.studies import output_at_exit, spec_in, started, wait_until, without_times

import expectitree as et

pytestmark = pytest.mark.extra
SPEC = """
trees: {family: ballard, branching: [6, 7, 8], order: random}
algorithms: [star1, star2]
repetitions: 200
"""
TREES = 600
# A worker on a machine without expectitree.
BARE = """
import importlib.metadata, sys
known = importlib.metadata.version
importlib.metadata.version = lambda name: known("no-" + name if name == "expectitree" else name)
sys.modules["expectitree"] = None
from distributed.cli.dask_worker import main
main()
"""


class Cluster:
    """A scheduler at a free port, and workers that tests start and stop."""

    def __init__(self, folder: Path, processes: ExitStack, **environment: str) -> None:
        self.folder, self.processes, self.environment = folder, processes, environment
        self.workers: list[subprocess.Popen[bytes]] = []
        found = folder / "scheduler.json"
        words = ("--host", "127.0.0.1", "--port", "0", "--dashboard-address", "127.0.0.1:0")
        self.scheduler = self.start(
            "-m",
            "distributed.cli.dask_scheduler",
            *words,
            "--no-show",
            "--scheduler-file",
            str(found),
        )
        wait_until(
            lambda: found.exists() and found.read_text().rstrip().endswith("}"), self.scheduler
        )
        self.address = str(json.loads(found.read_text())["address"])

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        log = self.processes.enter_context((self.folder / "log").open("ab"))
        environment = {**os.environ, "PYTHONPATH": str(ROOT), **self.environment}
        process = subprocess.Popen(
            [sys.executable, *words], stdout=log, stderr=log, cwd=self.folder, env=environment
        )
        self.processes.callback(process.wait)
        self.processes.callback(process.kill)
        return process

    def add_workers(self, count: int, *program: str) -> None:
        """Start workers, and wait until the scheduler knows them."""
        for _ in range(count):
            words = ("--host", "127.0.0.1", "--no-nanny", "--nthreads", "1", "--no-dashboard")
            program = program or ("-m", "distributed.cli.dask_worker")
            place = ("--local-directory", str(self.folder / "scratch"))
            self.workers.append(self.start(*program, self.address, *words, *place))
        known = b"Starting worker compute stream"
        wait_until(
            lambda: (self.folder / "log").read_bytes().count(known) >= len(self.workers),
            self.workers[-1],
        )


@contextmanager
def cluster(folder: Path, **environment: str) -> Iterator[Cluster]:
    """Provide a cluster and stop its processes afterwards."""
    with ExitStack() as processes:
        yield Cluster(folder, processes, **environment)


def study(folder: Path, *words: str) -> AbstractContextManager[subprocess.Popen[str]]:
    """Run `expectitree study` on the study of a folder."""
    return started(spec_in(folder, SPEC), "--format", "json", *words)


def results(folder: Path) -> list[dict[str, Any]]:
    path = folder / "spec.results.jsonl"
    whole = path.read_bytes().rpartition(b"\n")[0] if path.exists() else b""
    return [json.loads(line) for line in whole.splitlines()]


def assert_complete(folder: Path, output: str) -> None:
    """Check that each tree is there once, with the counts of a search in this process."""
    found = results(folder)
    assert (
        len({(record["tree"]["branching"], record["repetition"]) for record in found})
        == len(found)
        == TREES
    )
    assert len({record["seed"] for record in found}) == TREES
    for record in found[::7]:
        tree = et.generate(**record["tree"], seed=record["seed"])
        assert (record["nodes"], record["leaves"]) == (len(tree), tree.leaves)
        for name in ("star1", "star2"):
            run, counts = record["runs"][name], et.evaluate(tree, name).counts
            assert (run["leaves"], run["nodes"], run["visits"]) == (
                counts.leaves_visited, counts.visited, counts.visits,
            )  # fmt: skip
    summary = json.loads(output)
    assert summary["trees"] == {"done": TREES, "total": TREES}
    assert [row["trees"] for row in summary["rows"]] == [200] * 6


@pytest.fixture(scope="module", autouse=True)
def wrong_addresses(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[dict[str, subprocess.Popen[str]]]:
    """Start studies with wrong addresses early, since they wait long for a scheduler."""
    with ExitStack() as processes:
        found = {}
        for n, address in enumerate(("tcp://127.0.0.1:1", "nonsense", "")):
            folder = tmp_path_factory.mktemp(f"wrong{n}")
            found[address] = processes.enter_context(study(folder, "--scheduler", address))
        yield found


@pytest.mark.slow
def test_a_worker_that_dies_changes_nothing(tmp_path: Path) -> None:
    """Another worker takes its tasks, and the results equal those of a local run."""
    here = tmp_path / "here"
    here.mkdir()
    with cluster(tmp_path) as found:
        found.add_workers(2)
        with study(tmp_path, "--scheduler", found.address) as process:
            wait_until(lambda: results(tmp_path), process)
            found.workers[0].send_signal(signal.SIGKILL)
            found.workers[0].wait()
            assert process.poll() is None
            assert len(results(tmp_path)) < TREES / 2, "it was not midway"
            output, errors = output_at_exit(process)
    assert process.returncode == 0
    assert "Traceback" not in errors
    assert_complete(tmp_path, output)
    with study(here, "--jobs", "2") as process:
        local, _ = output_at_exit(process)
    ours, theirs = (without_times(json.loads(text)["rows"]) for text in (local, output))
    assert ours == theirs


@pytest.mark.slow
def test_a_study_continues_after_an_interrupt_or_a_dead_scheduler(tmp_path: Path) -> None:
    """Each has a short message, nothing is lost, and the same command continues the study."""
    with cluster(tmp_path) as found:
        found.add_workers(1)
        with study(tmp_path, "--scheduler", found.address) as process:
            wait_until(lambda: results(tmp_path), process)
            process.send_signal(signal.SIGINT)
            _, errors = output_at_exit(process)
        assert process.returncode == 130
        assert errors.endswith("the same command continues there\nexpectitree: interrupted\n")
        assert errors.count("\n") == 2
        done = len(results(tmp_path))
        assert 0 < done < TREES
        with study(tmp_path, "--scheduler", found.address) as process:
            wait_until(lambda: len(results(tmp_path)) > done, process)
            found.scheduler.kill()
            _, errors = output_at_exit(process)
        assert process.returncode == 2
        assert "Traceback" not in errors
        assert errors.splitlines()[-1].startswith("expectitree: error: ")
        assert "scheduler" in errors.splitlines()[-1]
    done = len(results(tmp_path))
    assert 0 < done < TREES
    with study(tmp_path, "--jobs", "2") as process:
        output, errors = output_at_exit(process)
    assert (
        errors
        == f"{tmp_path / 'spec.results.jsonl'}: {done} of {TREES} trees are done, continuing\n"
    )
    assert_complete(tmp_path, output)


@pytest.mark.slow
def test_a_cluster_that_cannot_search_is_reported(tmp_path: Path) -> None:
    """One cluster has no workers, the workers of the other do not have expectitree."""
    with cluster(tmp_path) as found:
        with study(tmp_path, "--scheduler", found.address) as process:
            output, errors = output_at_exit(process)
        assert (process.returncode, output) == (2, "")
        what = f"the scheduler at {found.address} has no workers"
        assert (
            errors
            == f"expectitree: error: {what}\nhelp: start some with `dask worker {found.address}`\n"
        )
        found.add_workers(1, "-c", BARE)
        with study(tmp_path, "--scheduler", found.address) as process:
            output, errors = output_at_exit(process)
        assert (process.returncode, output) == (2, "")
        assert errors.startswith("expectitree: ")
        assert errors.count("\n") <= 2, errors


def test_an_address_without_a_scheduler_is_reported(
    wrong_addresses: dict[str, subprocess.Popen[str]],
) -> None:
    for address, process in wrong_addresses.items():
        output, errors = output_at_exit(process)
        assert (process.returncode, output) == (2, ""), address
        is_one = ":" in address
        says = (
            f"no Dask scheduler answers at {address}"
            if is_one
            else f"found '{address}' as the scheduler, expected"
        )
        assert errors.startswith(f"expectitree: error: {says}"), errors
        assert errors.count("\n") <= 2, errors
