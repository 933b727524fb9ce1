"""One tree on a Dask cluster whose workers may die."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers import ROOT
from lab.study.test_cluster import BARE, cluster, wait_until

import expectitree as et

pytestmark = [pytest.mark.extra, pytest.mark.slow]
PATIENCE = 120  # seconds: the workers start numba
# Many small tasks, so that a worker dies midway.
EVAL = """
from expectitree.searches import streaming
streaming.TASK_ROWS = 1000
from expectitree.cli import main
main()
"""


def evaluate(file: Path | str, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", EVAL, "eval", str(file), *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", cwd=ROOT,
    )  # fmt: skip


def wait_until_connected(folder: Path, count: int, process: subprocess.Popen[str]) -> None:
    """Wait until so many evaluations have reached the scheduler, and the last one has tasks."""
    known = b"Receive client connection"
    wait_until(lambda: (folder / "log").read_bytes().count(known) >= count, process)
    time.sleep(1)


def test_a_worker_that_dies_changes_nothing_and_workers_read_urls(tmp_path: Path) -> None:
    file = tmp_path / "tree.arrow"
    et.save(et.generate("uniform", plies=6, branching=(6, 9), real=True, seed=1), file)
    whole, _ = evaluate(file).communicate(timeout=PATIENCE)
    with cluster(tmp_path) as found:
        found.add_workers(2)
        process = evaluate(file, "--scheduler", found.address)
        wait_until_connected(tmp_path, 1, process)
        assert process.poll() is None, "it was not midway"
        found.workers[0].send_signal(signal.SIGKILL)
        output, errors = process.communicate(timeout=PATIENCE)
        assert (process.returncode, errors) == (0, "")
        assert ", 2 jobs\n" in output
        assert output.rpartition("value")[2] == whole.rpartition("value")[2]

        process = evaluate(file, "--scheduler", found.address)
        wait_until_connected(tmp_path, 2, process)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
        assert (process.returncode, errors) == (130, "expectitree: interrupted\n")

        et.save(et.load(file), tmp_path / "tree.parquet")
        url = f"{tmp_path.as_uri()}/tree.parquet"
        output, errors = evaluate(url, "--scheduler", found.address).communicate(timeout=PATIENCE)
        assert output.rpartition("value")[2] == whole.rpartition("value")[2]
        assert errors == ""

        found.add_workers(1, "-c", BARE)
        output, errors = evaluate(file, "--scheduler", found.address).communicate(timeout=PATIENCE)
        assert output == ""
        assert "on the workers at" in errors
        assert errors.count("\n") == 1
