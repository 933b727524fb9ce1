"""Runs a study: makes its trees and searches them, in processes or on a Dask cluster."""

from __future__ import annotations

import logging
import os
import re
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import get_context, parent_process
from time import perf_counter
from typing import Any, NamedTuple, TypeAlias

from expectitree import __version__
from expectitree.base import compiling
from expectitree.base.algorithms import Algorithm
from expectitree.base.errors import AnalysisError, ExpectitreeError, install_hint
from expectitree.base.numbers import quote
from expectitree.base.tree.paths import ROOT
from expectitree.base.tree.transform import in_floats
from expectitree.lab.families import generate
from expectitree.lab.limit.report import Limit, limit
from expectitree.lab.study.results import Record, Results
from expectitree.lab.study.spec import (
    LIMIT,
    Key,
    Parameters,
    Study,
    describe,
    is_game,
    make_tree,
    nodes_of,
)
from expectitree.searches.engine import search_tree
from expectitree.searches.result import Outcome, Search

_TASK_NODES = 200_000  # searched nodes that make a task worth sending: some tenths of a second
_MAX_TREES = 50  # in one task
_MAX_LEAVES = 100_000  # of trees whose limit is computed, in about a gigabyte

Workers: TypeAlias = AbstractContextManager[tuple[Executor, int]]


class Task(NamedTuple):
    """Some trees with the same parameters, for one worker to make and search."""

    tree: Parameters
    trees: list[tuple[Key, tuple[Algorithm, ...]]]  # with the searches still to do
    is_much: bool  # the whole study is long enough for compiling to pay
    folder: str  # of the study, where files of games are


def find_tasks(study: Study, results: Results) -> list[Task]:
    """Return what is still to do, in the order of the file."""
    sizes = [nodes_of(tree) * len(study.algorithms) for tree in study.trees]
    of_kinds = list(zip(sizes, study.keys, strict=True))
    is_much = compiling.pays(sum(size * len(keys) for size, (_, keys) in of_kinds))
    tasks = []
    for size, (tree, keys) in of_kinds:
        missing = ((key, results.missing(key, study.algorithms)) for key in keys)
        todo = [(key, algorithms) for key, algorithms in missing if algorithms]
        step = 1 if is_game(tree) else max(1, min(_MAX_TREES, int(_TASK_NODES / size)))
        for start in range(0, len(todo), step):
            tasks.append(Task(tree, todo[start : start + step], is_much, study.folder))
    return tasks


def perform(task: Task) -> list[Record]:
    """Return a record for each tree of a task, with the results of its searches."""
    if task.is_much:
        compiling.assume_started()
        for chosen in {chosen for _, algorithms in task.trees for chosen in algorithms}:
            _warm_up(chosen)
    return [_search(task, key, algorithms) for key, algorithms in task.trees]


def _search(task: Task, key: Key, algorithms: Sequence[Algorithm]) -> Record:
    """Make a tree, search it with each algorithm, and return the record."""
    name = f"{describe(task.tree)}, seed {key.seed}"
    tree = in_floats(make_tree(task.tree, key.seed, task.folder))  # a game may have fractions
    found: dict[str, dict[str, Any]] = {}
    for chosen in algorithms:
        start = perf_counter()
        if chosen == LIMIT:
            least = limit(tree, (), max_leaves=_MAX_LEAVES, exact=True)
            search, figures = least.search, _limit_figures(least)
        else:
            search = search_tree(tree, chosen)
            figures = _search_figures(search)
        seconds = perf_counter() - start
        found[chosen.full_name] = figures | {"seconds": round(seconds, 6)}
        _check_agreement(name, chosen, search, found)
    return Record(dict(task.tree), key.repetition, key.seed, len(tree), tree.leaves, found)


def _search_figures(search: Search) -> dict[str, Any]:
    counts = search.counts
    return {
        "value": float(search.value) if search.outcome is Outcome.VALUE else None,
        "leaves": counts.leaves_visited,
        "nodes": counts.visited,
        "visits": counts.visits,
        "cuts": counts.cuts,
    }


def _limit_figures(limit: Limit) -> dict[str, Any]:
    """Return the figures of a search that visits only the leaves that are needed."""
    tree, enough = limit.tree, limit.exact
    needed = set(enough.leaves)
    for n in range(len(tree)):
        if any(tree.columns.child[b] in needed for b in tree.branches_of(n)):
            needed.add(n)
    return {
        "value": float(limit.search.value),
        "leaves": enough.least,
        "nodes": len(needed),
        "visits": len(needed),
        "cuts": 0,
    }


@cache
def _warm_up(algorithm: Algorithm) -> None:
    """Compile a loop once in each worker, so that no search's time includes that."""
    if compiling.available():
        search_tree(generate("ballard", branching=2), algorithm, engine="compiled")


def _check_agreement(
    name: str, chosen: Algorithm, search: Search, figures: Mapping[str, Mapping[str, Any]]
) -> None:
    """Raise `AnalysisError` if a search contradicts the first value that a search has found."""
    values = (other["value"] for other in figures.values() if other["value"] is not None)
    known = next(values, None)
    if known is None:
        return
    lower, upper = map(float, search.interval(ROOT))
    tolerance = 1e-6 * max(1.0, abs(known))
    if not lower - tolerance <= known <= upper + tolerance:
        found = repr(lower) if lower == upper else f"from {lower!r} to {upper!r}"
        raise AnalysisError(
            f"{chosen.full_name} finds {found} where another search found {known!r}, in the "
            f"tree {name}: this is a defect of expectitree, please report it"
        )


def execute(
    tasks: Sequence[Task],
    results: Results,
    executor: Executor,
    workers: int,
    progress: Callable[[int], None],
) -> None:
    """Perform tasks, a few for each worker at a time; report finished trees to `progress`.

    On an interrupt, the running tasks end with the executor, which belongs to the caller.
    """
    todo = iter(tasks)
    running: set[Future[list[Record]]] = set()
    while True:
        for task in todo:
            running.add(executor.submit(perform, task))
            if len(running) >= 3 * workers:
                break
        if not running:
            return
        done, running = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            records = future.result()
            results.add(records)
            progress(len(records))


# ---- The workers.


def executor_of(jobs: int | None, scheduler: str | None) -> Workers:
    """Provide an executor and its number of workers: `jobs` processes, or a scheduler's cluster.

    Raises `AnalysisError` if the cluster cannot be used, or a worker fails.
    """
    if scheduler is not None:
        return _cluster(scheduler)
    if jobs is None and hasattr(os, "sched_getaffinity"):
        jobs = len(os.sched_getaffinity(0))
    return _processes(jobs or os.cpu_count() or 1)


@contextmanager
def _processes(count: int) -> Iterator[tuple[Executor, int]]:
    executor = _start(count)
    try:
        yield executor, count
    except BaseException as error:
        _stop(executor)
        if isinstance(error, BrokenExecutor):
            raise AnalysisError(
                "a search process died, perhaps because memory ran out: try fewer jobs; a results "
                "file keeps what is done"
            ) from None
        raise
    executor.shutdown()


@contextmanager
def _cluster(address: str) -> Iterator[tuple[Executor, int]]:
    try:
        import distributed
    except ImportError:
        raise AnalysisError(f"a cluster needs Dask: {install_hint('cluster')}") from None
    logging.disable(logging.CRITICAL)  # this command reports errors of the cluster in one line
    if not re.fullmatch(r"([a-z+]+://)?\S+:[0-9]+", address):
        raise AnalysisError(
            f"found {quote(address)} as the scheduler, expected an address such as tcp://host:8786"
        )
    try:
        client: Any = distributed.Client(address, timeout=10, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        message = f"no Dask scheduler answers at {address}: {_first_line(error)}"
        raise AnalysisError(message) from None
    try:
        workers = client.ncores()
        if not workers:
            advice = f"start some with `dask worker {address}`"
            raise AnalysisError(f"the scheduler at {address} has no workers: {advice}")
        _check_workers(client, address)
        yield client.get_executor(pure=False), sum(workers.values())
    except ExpectitreeError:
        raise
    except Exception as error:  # Dask and a worker raise errors of any class
        message = f"the scheduler at {address} or its workers failed: {_first_line(error)}"
        message += "; the results so far are kept, and the same command continues"
        raise AnalysisError(message) from None
    finally:
        client.close()


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def _check_workers(client: Any, address: str) -> None:
    """Raise if workers lack this package or have another version.

    Tasks that a worker cannot unpickle would never end.
    """
    try:
        found = set(client.run(version, "expectitree").values())
    except PackageNotFoundError:
        found = {"not installed"}
    if found != {__version__}:
        versions = ", ".join(sorted(found))
        raise AnalysisError(
            f"found expectitree {versions} on the workers at {address}, expected {__version__}: "
            "install it there"
        )


def _start(workers: int) -> Any:
    """Return an executor with started processes, which leave Ctrl-C to this process."""
    executor = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_serve)
    if not hasattr(signal, "pthread_sigmask"):
        return executor
    # Ctrl-C would end a process that is still starting with a traceback, so the signal is blocked
    # until the process has started.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        for _ in range(workers):
            executor.submit(os.getpid)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return executor


def _serve() -> None:
    """Make a worker ignore Ctrl-C, and end when its parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()

    def follow() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


def _stop(executor: Any) -> None:
    """End an executor and its processes now, even while they search."""
    # Cancelling futures as well would print a traceback (Python 3.11): the executor notices that
    # its processes are dead, and fails all waiting futures.
    for process in list((getattr(executor, "_processes", None) or {}).values()):
        process.terminate()
    executor.shutdown()
