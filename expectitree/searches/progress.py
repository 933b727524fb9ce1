"""Report the progress of searches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# Called with the work done so far, and all work (None if it is not known).
Listener = Callable[[int, int | None], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Call a function from time to time while searches run."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def report(done: int, whole: int | None) -> None:
    """Report the progress of a search to the listener, if there is one."""
    listener = _listener.get()
    if listener is not None:
        listener(done, whole)
