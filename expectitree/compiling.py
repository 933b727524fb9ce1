"""Runs plain loops over columns, as they stand or compiled: the one module that knows numba.

A loop is a module-level function of columns and numbers: no objects, no closures, no recursion.
Interpreted it takes arrays or lists, of `Fraction` too; compiled (extra `fast`) it takes the same
columns as NumPy sees them, without a copy. One text serves both, so they cannot disagree. Compiled
code checks no index: only columns that `TreeBuilder` made, or that `columns.check` has passed, may
reach it.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any, cast

# Rows of a scan from which compiling pays. A scan does some 3 million rows a second interpreted,
# and 500 million compiled; before the first compiled loop runs, 0.85 s go into importing numba and
# starting it up, once a process (`python -m benchmarks` measures all of it). That the very first
# use on a machine compiles for some seconds is not counted: what it makes is kept on disk.
MANY_ROWS = 2_000_000
SOME_ROWS = 50_000  # once it has started

_state = {"started": False}
_loaded: set[Callable[..., Any]] = set()


def pays(rows: float) -> bool:
    """Say whether to compile a loop of so many rows: there is numba, and it saves more time than it takes."""
    return rows >= (SOME_ROWS if _state["started"] else MANY_ROWS) and available()


def begin() -> None:
    """Count the start-up as spent: there is much work to come, in many small parts."""
    _state["started"] = True


def is_loaded(loop: Callable[..., Any]) -> bool:
    """Say whether a loop has run compiled in this process, so that no time goes into compiling it any more."""
    return loop in _loaded


@cache
def available() -> bool:
    """Say whether loops can be compiled here."""
    from importlib.util import find_spec

    try:
        return find_spec("numba") is not None and find_spec("numpy") is not None
    except (ImportError, ValueError):
        return False


def run(
    loop: Callable[..., Any], *arguments: Any, rows: float, compiled: bool | None = None
) -> Any:
    """Return what a loop returns; it is compiled where that pays for so many rows, or as `compiled` says."""
    if pays(rows) if compiled is None else compiled:
        return run_compiled(loop, *arguments)
    return loop(*arguments)


def run_compiled(loop: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a loop returns, compiled; the machine code is kept on disk where there is a place for it."""
    _state["started"] = True
    given = [_as_numpy(argument) for argument in arguments]
    try:
        found = _compiled(cast(FunctionType, loop), True)(*given)
    except OSError:  # the disk is full, or the place for machine code cannot be written after all
        found = _compiled(cast(FunctionType, loop), False)(*given)
    _loaded.add(loop)
    return found


@cache
def _compiled(loop: FunctionType, keep: bool) -> Callable[..., Any]:
    import numba

    # What a loop calls of its own module is compiled with it.
    there = loop.__globals__
    called = [
        there[name] for name in loop.__code__.co_names if isinstance(there.get(name), FunctionType)
    ]
    own = {f.__name__: _compiled(f, keep) for f in called if f.__module__ == loop.__module__}
    if own:
        loop = FunctionType(loop.__code__, there | own, loop.__name__, loop.__defaults__)
    # Without the interpreter's lock, so that a progress bar moves meanwhile.
    try:
        return numba.njit(loop, cache=keep, nogil=True)
    except RuntimeError:  # neither the package's folder nor the user's own cache can be written
        return numba.njit(loop, nogil=True)


def _as_numpy(argument: Any) -> Any:
    """Return a column as NumPy sees it, a list as a copy, to be read; numbers as they are.

    The columns of a tree that is made are read-only; those of one that is being made are passed as
    a bare tuple.
    """
    import numpy as np

    if type(argument) is tuple:
        return tuple(map(_as_numpy, argument))
    if isinstance(argument, tuple):
        columns = type(argument)(*map(_as_numpy, argument))
        if getattr(argument, "read_only", False):
            for column in columns:
                column.flags.writeable = False
        return columns
    return np.asarray(argument) if isinstance(argument, (array, memoryview, list)) else argument


def zeros(code: str, count: int, compiled: bool | None = None) -> Any:
    """Return a column of zeros of an array's type code, for loops that run compiled where that pays, or as said.

    A compiled loop's takes no memory where nothing is written.
    """
    if not (pays(count) if compiled is None else compiled):
        return array(code, [0]) * count
    import numpy as np

    column: Any = np.zeros(count, code)
    return memoryview(column)


def filled(code: str, value: Any, count: int, compiled: bool | None = None) -> Any:
    """Return a column that holds one value throughout."""
    if not (pays(count) if compiled is None else compiled):
        return array(code, [value]) * count
    import numpy as np

    column: Any = np.full(count, value, code)
    return memoryview(column)


def advice(rows: float) -> str | None:
    """Return what would help with so many rows of work, None where nothing would."""
    if rows < MANY_ROWS or available():
        return None
    return "numba makes large trees some hundred times faster: pip install 'expectitree[fast]'"
