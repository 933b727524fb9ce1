"""Report how far a search is to a listener, such as the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# Called with what is done so far, and the whole (None if it is not known).
Listener = Callable[[int, int | None], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Call a function now and then while searches run."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def report(done: int, whole: int | None) -> None:
    """Report to the listener, if there is one, how far the search is."""
    listener = _listener.get()
    if listener is not None:
        listener(done, whole)
