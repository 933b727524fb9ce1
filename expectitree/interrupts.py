"""Ctrl-C ends the program within half a second, whatever it does, with status 130.

Python raises `KeyboardInterrupt` in the main thread, between two steps of Python code. That is not
enough: the C code of a library that is being imported turns it into an error of its own, callbacks
lose it, and C code that runs long delays it. So while the program starts, it exits at once on
Ctrl-C. Later, the signal raises `KeyboardInterrupt`, so that files and processes are cleaned up. If
that has no effect, a thread ends the program. This module is imported first, and imports nothing
slow.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager

TYPE_CHECKING = False  # as in `typing`, which takes time to import
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, NoReturn

INTERRUPTED = 130  # the exit status
_GRACE = 0.3  # seconds in which the main thread must notice the signal
_LONGEST = 5.0  # seconds in which it must then have cleaned up

at_exit: list[Callable[[], None]] = []  # `leave` calls them, as to remove half a file
_state = {"installed": False, "noticed": False}


def install() -> None:
    """Exit at once on Ctrl-C, until `clean_up_first`; if Ctrl-C is ignored, keep ignoring it."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda number, frame: leave())
        _state["installed"] = True


def clean_up_first() -> None:
    """Raise `KeyboardInterrupt` on Ctrl-C from now on, and exit if that has no effect."""
    if not _state["installed"]:
        return
    import threading

    sys.unraisablehook = _unraisable
    if os.name == "posix":  # elsewhere, only sockets can wake up a thread
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        threading.Thread(target=_watch, args=(reading,), daemon=True).start()
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    signal.signal(signal.SIGINT, _notice)


def is_noticed() -> bool:
    """Return whether Ctrl-C has raised `KeyboardInterrupt`, which may now be another exception."""
    return _state["noticed"]


def go_on() -> None:
    """Go on after Ctrl-C has raised `KeyboardInterrupt`; another Ctrl-C raises it again."""
    if _state["installed"]:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    _state["noticed"] = False


@contextmanager
def held() -> Iterator[None]:
    """Delay Ctrl-C to the end: for work that takes a moment and must be completed."""
    delayed: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: delayed.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if delayed:
        signal.raise_signal(signal.SIGINT)


def finish(status: int) -> NoReturn:
    """Exit with a status; if `install` was called, without freeing memory, which takes time."""
    if _state["installed"]:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        # After Ctrl-C, a compiled loop may still use the memory. Semaphores must be freed.
        if "multiprocessing.synchronize" not in sys.modules:
            os._exit(status)
    sys.exit(status)


def leave() -> NoReturn:
    """Exit now, as an interrupted program does."""
    try:
        for clean_up in at_exit:
            clean_up()
        os.write(2, b"expectitree: interrupted\n")
    finally:
        os._exit(INTERRUPTED)


def _notice(number: int, frame: Any) -> None:
    if not _state["noticed"]:  # ignore a second one: leaving takes a moment
        _state["noticed"] = True
        raise KeyboardInterrupt


def _watch(signals: int) -> None:
    """Exit if the main thread does not notice a signal, or does not end after it."""
    while os.read(signals, 1) != bytes([signal.SIGINT]):
        pass
    from time import sleep

    sleep(_GRACE)
    while signal.getsignal(signal.SIGINT) is not _notice:  # another handler is set
        sleep(_GRACE)
    if _state["noticed"]:
        sleep(_LONGEST)
    if signal.getsignal(signal.SIGINT) is _notice:
        leave()


def _unraisable(lost: Any) -> None:
    """Exit if a callback lost the interrupt; report other exceptions as Python does."""
    if isinstance(lost.exc_value, KeyboardInterrupt):
        leave()
    sys.__unraisablehook__(lost)
