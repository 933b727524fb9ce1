"""Measures whole processes of `eval`, from 5 nodes to 10^8, and what a cluster costs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter, sleep

import click

from benchmarks.measuring import REPOSITORY, Row, Size, as_installed
from expectitree.lab.study.executors import results_of

PROGRAM = [sys.executable, "-m", "expectitree"]
PLIES = {5: "json", 6: "arrow", 7: "arrow", 8: "arrow"}  # 10 branches: 1.1 * 10^plies
SPACE = {8: 4 << 30}  # bytes that the file needs


def scale(size: Size) -> Iterator[Row]:
    """Yield the time and the memory of `eval` by the size of the file."""
    yield from _eval_rows("eval, 5 nodes, YAML", "trees/risk.yaml", 5)
    with tempfile.TemporaryDirectory() as folder:
        for plies, ending in PLIES.items():
            path = Path(folder, f"tree.{ending}")
            if shutil.disk_usage(folder).free < SPACE.get(plies, 0):
                click.echo(f"too little disk for a tree of 10^{plies} nodes", err=True)
                return
            if plies > size.most_plies:
                return
            command = [*PROGRAM, "generate", "uniform", "--real", "--branching", "10", "--plies"]
            subprocess.run(
                [*command, str(plies), "-o", str(path)],
                env=as_installed(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=True,
            )
            what = f"eval, 10^{plies} nodes, {ending}"
            yield from _eval_rows(what, str(path), 3 if plies < 8 else 1)
            path.unlink()


def cluster(size: Size) -> Iterator[Row]:
    """Yield what a task costs that a worker of a Dask cluster does nothing for."""
    try:
        import distributed
    except ImportError:
        click.echo("no Dask: a cluster is not measured", err=True)
        return
    tasks = 100 * size.repetitions
    for workers in (2, 4):
        local = distributed.LocalCluster(workers, threads_per_worker=1, dashboard_address=None)
        with local, distributed.Client(local) as client, client.get_executor(pure=False) as door:
            start = perf_counter()
            for _ in results_of(door, 2 * workers, abs, [0] * tasks):
                pass
            seconds = perf_counter() - start
        what = f"a cluster of {workers} local workers: each task costs"
        yield Row(what, 1000 * seconds / tasks, "ms")


def _eval_rows(what: str, path: str, runs: int) -> Iterator[Row]:
    found = [_watched([*PROGRAM, "eval", path]) for _ in range(runs)]
    yield Row(what, min(seconds for seconds, _ in found), "s")
    yield Row("  its own memory, without the file", max(peak for _, peak in found), "MB")


def _watched(command: list[str]) -> tuple[float, float]:
    """Run a command; return the processor's seconds, and the peak of its own memory in MB."""
    peak = 0.0
    child = subprocess.Popen(command, cwd=REPOSITORY, env=as_installed(), stdout=subprocess.DEVNULL)
    while True:
        peak = max(peak, _own_memory(child.pid))
        done, status, used = os.wait4(child.pid, os.WNOHANG)
        if done:
            if status:
                raise SystemExit(f"{' '.join(command)} failed")
            return used.ru_utime + used.ru_stime, peak
        sleep(0.01)


def _own_memory(process: int) -> float:
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:  # another system than Linux
        return 0.0
    found = [line.split()[1] for line in status.splitlines() if line.startswith("RssAnon")]
    return int(found[0]) / 1024 if found else 0.0
