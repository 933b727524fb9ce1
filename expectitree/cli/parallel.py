"""Start and stop the processes that a study runs its searches in."""

from __future__ import annotations

import os
from typing import Any


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
