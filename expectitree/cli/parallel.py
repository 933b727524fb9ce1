"""Several large files at once: each is read in a process of its own, and comes back in its turn."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

Result = TypeVar("Result")

# Of text in all, from which starting processes pays: it takes some 0.3 s, and reading so much about
# a second.
_MANY_BYTES = 5_000_000
_TEXT = (".yaml", ".yml", ".json")


def each(
    function: Callable[..., Result], files: Sequence[str], *arguments: Any
) -> Iterator[Result]:
    """Yield what a function returns for each file, in order; it must be at a module's top level."""
    workers = min(len(files), cores())
    if workers < 2 or sum(map(_size, files)) < _MANY_BYTES:
        for file in files:
            yield function(file, *arguments)
        return
    from collections import deque
    from concurrent.futures import Future

    executor = start(workers)
    try:
        waiting: deque[Future[Result]] = deque()
        for file in files:
            waiting.append(executor.submit(function, file, *arguments))
            if len(waiting) > workers:  # no more in memory than are needed
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BaseException:
        stop(executor)
        raise
    executor.shutdown()


def cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def start(workers: int) -> Any:
    """Return an executor whose processes are started; Ctrl-C is left to the process that they work for."""
    import signal
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    executor = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=serve)
    if not hasattr(signal, "pthread_sigmask"):
        return executor
    # A process that is only starting would die of Ctrl-C with a traceback: it is born with the
    # signal blocked.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        for _ in range(workers):
            executor.submit(os.getpid)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return executor


def serve() -> None:
    """Prepare a process that works for another: when that one is gone, so is this one."""
    import signal
    import threading
    from multiprocessing import parent_process

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()

    def follow() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


def stop(executor: Any) -> None:
    """End an executor and its processes now, whatever they are doing."""
    # Nothing is cancelled: the executor finds its processes dead and gives up all that waits, which
    # prints a traceback for a future that is cancelled meanwhile (Python 3.11).
    for process in list((getattr(executor, "_processes", None) or {}).values()):
        process.terminate()
    executor.shutdown()


def _size(file: str) -> int:
    """Return the size of a text file; tables need no processes, and standard input cannot go to one."""
    if not file.lower().endswith(_TEXT):
        return 0
    try:
        return os.stat(file).st_size
    except OSError:
        return 0
