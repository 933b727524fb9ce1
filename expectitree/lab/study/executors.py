"""The way to other workers: processes of this machine, or a Dask cluster."""

from __future__ import annotations

import logging
import os
import re
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import AbstractContextManager, contextmanager
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from multiprocessing import get_context, parent_process
from typing import Any, TypeAlias

from expectitree.base.errors import AnalysisError, ExpectitreeError, install_hint
from expectitree.base.interrupts import SIGNALS
from expectitree.base.numbers import quote

Workers: TypeAlias = AbstractContextManager[tuple[Executor, int]]
Client: TypeAlias = Any  # of Dask, which has no types


def results_of(
    executor: Executor, most: int, function: Callable[[Any], Any], tasks: Iterable[Any]
) -> Iterator[Any]:
    """Yield the result of a function for each task as it ends; at most so many run at a time.

    On an error, running tasks end with the executor, which belongs to the caller.
    """
    waiting, running = iter(tasks), set[Future[Any]]()
    while True:
        more = islice(waiting, most - len(running))
        running.update(executor.submit(function, task) for task in more)
        if not running:
            return
        done, running = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            yield future.result()


def executor_of(jobs: int | None, scheduler: str | None) -> Workers:
    """Provide an executor and its number of workers: `jobs` processes, or a scheduler's cluster.

    Raises `AnalysisError` if the cluster cannot be used, or a worker fails.
    """
    if scheduler is not None:
        return _cluster(scheduler)
    return _processes(jobs or _cores())


@contextmanager
def _processes(count: int) -> Iterator[tuple[Executor, int]]:
    executor = _start(count)
    try:
        yield executor, count
    except BaseException as error:
        _stop(executor)
        if isinstance(error, BrokenExecutor):
            raise AnalysisError(
                "a search process died, perhaps because memory ran out\ntry fewer jobs; a results "
                "file keeps what is done"
            ) from None
        raise
    executor.shutdown()


@contextmanager
def _cluster(address: str) -> Iterator[tuple[Executor, int]]:
    try:
        import distributed
    except ImportError:
        raise AnalysisError(f"a cluster needs Dask\n{install_hint('cluster')}") from None
    logging.disable(logging.CRITICAL)  # this command reports errors of the cluster in one line
    if not re.fullmatch(r"([a-z+]+://)?\S+:[0-9]+", address):
        raise AnalysisError(
            f"found {quote(address)} as the scheduler, expected an address such as tcp://host:8786"
        )
    try:
        client: Client = distributed.Client(address, timeout=10, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise AnalysisError(
            f"no Dask scheduler answers at {address}: {_first_line(error)}"
        ) from None
    try:
        workers = client.ncores()
        if not workers:
            raise AnalysisError(
                f"the scheduler at {address} has no workers\nstart some with `dask worker "
                f"{address}`"
            )
        _check_workers(client, address)
        yield client.get_executor(pure=False), sum(workers.values())
    except ExpectitreeError:
        raise
    except Exception as error:  # Dask and a worker raise errors of any class
        message = f"the scheduler at {address} or its workers failed: {_first_line(error)}"
        message += "; a study keeps its results so far, and the same command continues"
        raise AnalysisError(message) from None
    finally:
        client.close()


def _first_line(error: Exception) -> str:
    text = str(error) or type(error).__name__
    return text.splitlines()[0]


def _check_workers(client: Client, address: str) -> None:
    """Raise if workers lack this package or have another version.

    Tasks that a worker cannot unpickle would never end.
    """
    try:
        versions = set(client.run(version, "expectitree").values())
    except PackageNotFoundError:
        versions = {"not installed"}
    expected = version("expectitree")
    if versions != {expected}:
        raise AnalysisError(
            f"found expectitree {', '.join(sorted(versions))} on the workers at {address}, "
            f"expected {expected}\ninstall it there"
        )


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _start(workers: int) -> Executor:
    """Return an executor with started processes, which leave signals to this process."""
    executor = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_serve)
    if not hasattr(signal, "pthread_sigmask"):
        return executor
    # Ctrl-C would end a process that is still starting with a traceback, so signals are blocked
    # until the process has started.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        for _ in range(workers):
            executor.submit(os.getpid)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return executor


def _serve() -> None:
    """Make a worker ignore Ctrl-C and SIGTERM, and end when its parent ends."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    parent = parent_process()

    def follow() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


def _stop(executor: Executor) -> None:
    """End an executor and its processes now, even while they search."""
    # Cancelling futures as well would print a traceback (Python 3.11): the executor notices that
    # its processes are dead, and fails all waiting futures.
    for process in list((getattr(executor, "_processes", None) or {}).values()):
        process.kill()
    executor.shutdown()
