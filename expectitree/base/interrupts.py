"""Ctrl-C and SIGTERM end the program within half a second, with status 130 and 143.

The program exits at once, after `at_exit`. An exception would not do: the C code of a library turns
`KeyboardInterrupt` into an error of its own, and callbacks lose it. Python handles the signal
between two steps of Python code; if C code runs long, a thread ends the program. This module is
imported first, and imports nothing slow.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager, suppress

TYPE_CHECKING = False  # as in `typing`, which takes time to import
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, NoReturn

INTERRUPTED = 130  # the exit status after Ctrl-C
SIGNALS = (signal.SIGINT, signal.SIGTERM)  # the second comes from `kill`, `timeout` and Docker
_GRACE = 0.2  # seconds in which the main thread must notice a signal

at_exit: list[Callable[[], None]] = []  # `leave` calls them, as to remove half a file
_raised: list[int] = []  # the signal that became `KeyboardInterrupt`


def install() -> None:
    """Exit on the signals from now on; if one is ignored, keep ignoring it."""
    for number in SIGNALS:
        if signal.getsignal(number) in (signal.default_int_handler, signal.SIG_DFL):
            signal.signal(number, leave)
    if os.name == "posix":  # elsewhere, only sockets can wake up a thread
        import threading

        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        threading.Thread(target=_watch, args=(reading,), daemon=True).start()


def finish(status: int) -> NoReturn:
    """Exit with a status; Python would let Ctrl-C kill the program while it ends."""
    if signal.getsignal(signal.SIGINT) is leave:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(128 + signal.SIGTERM if signal.SIGTERM in _raised else status)


def leave(number: int, frame: object = None) -> NoReturn:
    """Exit now, as a program does that a signal interrupted."""
    try:
        for clean_up in at_exit:
            clean_up()
        os.write(2, b"expectitree: interrupted\n")
    finally:
        os._exit(128 + number)


@contextmanager
def raising() -> Iterator[None]:
    """Raise `KeyboardInterrupt` in a `with` block, once: for processes that must be ended."""
    _exchange(leave, _raise)
    try:
        yield
    finally:
        _exchange(_raise, leave)


@contextmanager
def held() -> Iterator[None]:
    """Delay the signals to the end: for work that takes a moment and must be completed."""
    delayed = []

    def delay(number: int, frame: object) -> None:
        delayed.append(number)

    before = []
    with suppress(ValueError):  # only the main thread has signals
        before = [(number, signal.signal(number, delay)) for number in SIGNALS]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)
    if delayed:
        signal.raise_signal(delayed[0])


def _exchange(handler: Any, other: Any) -> None:
    for number in SIGNALS:
        if signal.getsignal(number) is handler:
            signal.signal(number, other)


def _raise(number: int, frame: object) -> None:
    if not _raised:  # ignore a second one: cleaning up takes a moment
        _raised.append(number)
        raise KeyboardInterrupt


def _watch(signals: int) -> None:
    """Exit if the main thread does not notice a signal, nor the same signal again.

    Readline misses one that comes just before it waits for a key, and wakes up at the next.
    """
    import threading
    from time import sleep

    main = threading.main_thread().ident
    while received := os.read(signals, 1):
        (number,) = received
        for attempt in range(2):
            sleep(_GRACE)
            if _raised or signal.getsignal(number) not in (leave, _raise):
                break
            if attempt:
                leave(number)
            elif main is not None:
                signal.pthread_kill(main, number)
