"""Call a function that recurses deeply.

Since Python 3.11, a call between Python functions uses no C stack. So a recursion may be as deep as
its memory allows, if the interpreter's limit is raised. That limit belongs to all threads: to lower
it below the depth of another thread's calls would abort Python 3.11.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from threading import Lock
from types import FunctionType
from typing import Any, TypeVar

T = TypeVar("T")
_SLOTS = 1 << 16  # of 8 bytes: Python then provides 1 MB, of which the calls below get half

_lock = Lock()
_usual_limit = 0  # what the limit was before the first deep call
_in_progress: set[DeepCall] = set()


class DeepCall:
    """A call of a function that recurses, with room for so many levels of calls.

    >>> def depth(plies):
    ...     return 1 + depth(plies - 1) if plies else 0
    >>> DeepCall(100_000).run(depth, 100_000)
    100000
    """

    def __init__(self, levels: int = 0) -> None:
        self.levels = levels

    def run(self, function: Callable[..., T], *arguments: Any) -> T:
        """Return what a function returns."""
        global _usual_limit
        with _lock:
            if not _in_progress:
                _usual_limit = sys.getrecursionlimit()
            _in_progress.add(self)
        self.need(self.levels)
        try:
            result: T = _call_with_room(function, *arguments)
            return result
        finally:
            with _lock:
                _in_progress.remove(self)
                if not _in_progress:
                    sys.setrecursionlimit(_usual_limit)

    def need(self, levels: int) -> None:
        """Allow so many levels on top of the usual ones, from now on or when the call begins."""
        self.levels = max(self.levels, levels)
        with _lock:
            if self in _in_progress:
                # The limit never falls here: another thread may need what it was allowed before.
                sys.setrecursionlimit(max(_usual_limit + levels, sys.getrecursionlimit()))


def _call(function: Callable[..., Any], *arguments: Any) -> Any:
    return function(*arguments)


# Python keeps its calls in pieces of 16 kB, and gets a new piece from the system each time that a
# call does not fit into the last one. Where a loop's calls cross this border, each of them takes up
# to 90 times as long (measured on 3.11 to 3.13). This function claims a large frame, which makes
# Python provide one large piece, with room for the calls below.
_call_with_room: Callable[..., Any] = FunctionType(
    _call.__code__.replace(co_stacksize=_SLOTS), globals()
)
