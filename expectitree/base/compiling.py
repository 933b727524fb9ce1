"""Run plain loops over columns, interpreted or compiled. No other module knows numba.

A loop is a module-level function of columns and numbers: no objects, no closures, no recursion. It
may call other such functions and read constants (whole numbers and floats) of any module.
Interpreted, it takes arrays or lists, also of `Fraction`. Compiled (extra `fast`), it takes the
same columns as NumPy sees them, without a copy. Both run the same text, so they cannot disagree.

Compiled code checks no index. It may only read columns that `TreeBuilder` made or that
`adopt.adopt` has checked.
"""

from __future__ import annotations

import copyreg
import sys
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Event, Lock, Thread
from types import CodeType, FunctionType
from typing import Any, TypeAlias, cast

from expectitree.base.errors import install_hint

# A scan runs 3 million rows a second interpreted, and 500 million compiled. Importing numba and
# starting it takes 0.85 s once a process. Compiling a loop for the first time on a machine takes
# some seconds more, which these numbers ignore, because the machine code is kept on disk.
# (`python -m benchmarks` measures all of this.) One scan of 2 million rows pays for the start; but
# to evaluate a file takes eight scans.
MANY_ROWS = 500_000  # compiling pays for a scan of so many rows
SOME_ROWS = 50_000  # the same once numba has started

Loop: TypeAlias = Callable[..., Any]
NewColumn: TypeAlias = Any  # an array, or a view of NumPy's memory

# How numba compiles a loop. Loops run without the interpreter's lock, so that a progress bar moves.
# The functions that a loop calls become part of it, and columns are not reference-counted: without
# these two, a depth-first search takes 5 to 40 times as long (docs/decisions/0015).
OPTIONS: dict[str, Any] = {"nogil": True, "forceinline": True}
PRIVATE_OPTIONS: dict[str, Any] = {"_nrt": False}  # numba may drop it: then loops are only slower

_state: dict[str, Any] = {"started": False, "hides_scipy": False, "say": None, "kept": True}
_told: set[str] = set()
_PATIENCE = 1.0  # seconds until the program says that it compiles
_COMPILING = "compiling the search: that takes up to half a minute, once on this machine …"
_NOT_KEPT = (
    "machine code cannot be kept, so every run compiles anew: set NUMBA_CACHE_DIR to a folder that "
    "can be written"
)
_loaded: set[Loop] = set()
_lock = Lock()  # so that no two threads compile the same loop


def pays(rows: float) -> bool:
    """Return whether numba is installed and compiling a loop over so many rows saves time."""
    is_enough = rows >= MANY_ROWS or (rows >= SOME_ROWS and _state["started"])
    return is_enough and available()


def assume_started() -> None:
    """Ignore the time that starting numba takes, because many loops will follow."""
    _state["started"] = True


def expect_rows(rows: float) -> None:
    """Ignore the time that starting numba takes if so many rows follow, in several loops."""
    if pays(rows):
        assume_started()


def serve_program(say: Callable[[str], None]) -> None:
    """Tell a program's user why a first search takes long, and start numba sooner.

    Numba imports SciPy, where it is installed, for linear algebra, which no loop here has. It takes
    a third of the start. Only a program may hide it: a library's caller may compile linear algebra.
    """
    _state.update(say=say, hides_scipy="scipy" not in sys.modules)


def is_loaded(name: str) -> bool:
    """Return whether a loop has run compiled in this process."""
    return name in {loop.__name__ for loop in _loaded}


def is_ready(loop: Loop) -> bool:
    """Return whether a loop has run compiled in this process, or its machine code is on disk."""
    if loop in _loaded or not available():
        return loop in _loaded
    compiled = _compiled(cast(FunctionType, loop), _state["kept"])
    folder, name = compiled.stats.cache_path, compiled.py_func.__qualname__
    return folder is not None and any(Path(folder).glob(f"*.{name}-*.nbi"))


def versions() -> int:
    """Return how many loops were compiled in this process, each for the types of its columns."""
    return sum(len(_compiled(cast(FunctionType, f), _state["kept"]).signatures) for f in _loaded)


@cache
def available() -> bool:
    """Return whether numba and NumPy are installed."""
    from importlib.util import find_spec

    return find_spec("numba") is not None and find_spec("numpy") is not None


def run(loop: Loop, *arguments: Any, rows: float, compiled: bool | None = None) -> Any:
    """Run a loop and return its result.

    The loop runs compiled if `compiled` says so; without `compiled`, if that pays for `rows` rows.
    """
    if compiled is None:
        compiled = pays(rows)
    if compiled:
        return run_compiled(loop, *arguments)
    return loop(*arguments)


def run_compiled(loop: Loop, *arguments: Any) -> Any:
    """Run a loop compiled and return its result; keep the machine code on disk if possible."""
    if _state["hides_scipy"]:
        _state["hides_scipy"] = False
        sys.modules["scipy"] = None  # type: ignore[assignment]
        try:
            return run_compiled(loop, *arguments)
        finally:
            sys.modules.pop("scipy", None)
    _state["started"] = True
    function = cast(FunctionType, loop)
    missing = function.__code__.co_argcount - len(arguments)
    defaults = function.__defaults__ or ()
    as_numpy = [*map(_as_numpy, (*arguments, *defaults[len(defaults) - missing :]))]
    try:
        if loop in _loaded:
            return _compiled(function, _state["kept"])(*as_numpy)
        with _lock:
            compiled = _ready(function, as_numpy)
    except (KeyError, TypeError):  # numba refuses the options that it does not document
        if not PRIVATE_OPTIONS:
            raise
        PRIVATE_OPTIONS.clear()
        _compiled.cache_clear()
        return run_compiled(loop, *arguments)
    result = compiled(*as_numpy)
    _loaded.add(loop)
    return result


def _ready(loop: FunctionType, arguments: list[Any]) -> Any:
    """Return a compiled loop that has machine code for arguments of these types."""
    from numba import typeof

    types = tuple(map(typeof, arguments))
    try:
        compiled = _compiled(loop, _state["kept"])
        with _telling_why(compiled):
            compiled.compile(types)
    except OSError:  # the disk is full, or the cache directory cannot be written
        if not _state["kept"]:
            raise
        _state["kept"] = False
        return _ready(loop, arguments)
    return compiled


@contextmanager
def _telling_why(compiled: Any) -> Iterator[None]:
    """Tell a program's user, once, that a loop is compiled, and if machine code cannot be kept."""
    is_ready = Event()

    def tell(message: str) -> None:
        if _state["say"] is not None and message not in _told:
            _told.add(message)
            _state["say"](message)

    def watch() -> None:
        while not is_ready.wait(_PATIENCE):
            if compiled.stats.cache_misses:  # otherwise it only loads
                tell(_COMPILING)

    Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        is_ready.set()
    if not _state["kept"]:
        tell(_NOT_KEPT)


@cache
def _compiled(loop: FunctionType, keep: bool) -> Any:
    import numba

    called = {name: _compiled(f, keep) for name, f in _called(loop)}
    copy = FunctionType(loop.__code__, loop.__globals__ | called, loop.__name__, loop.__defaults__)
    # numba names the file of machine code after the function, and takes it for stale only if the
    # function's own source file changed. The digest covers imported functions and constants too.
    copy.__qualname__ = f"{loop.__name__}_{_digest(loop)}"
    njit: Any = numba.njit  # its types know no `_nrt`
    options = OPTIONS | PRIVATE_OPTIONS
    try:
        return njit(copy, cache=keep, **options)
    except RuntimeError:  # numba found no directory to keep machine code in
        _state["kept"] = False
        return njit(copy, **options)


def _called(loop: FunctionType) -> Iterator[tuple[str, FunctionType]]:
    """Yield the functions that a loop calls, with their names in the loop."""
    for name in loop.__code__.co_names:
        called = loop.__globals__.get(name)
        if isinstance(called, FunctionType):
            yield name, called


@cache
def _digest(loop: FunctionType) -> str:
    """Return a digest of a loop, of all functions that it calls, and of the constants they read."""
    import hashlib  # slow to import, and few commands compile

    code = loop.__code__
    parts: list[object] = [code.co_code, code.co_names, code.co_varnames]
    parts += [part for part in code.co_consts if not isinstance(part, CodeType)]
    parts += [_digest(called) for _, called in _called(loop)]
    for name in (*code.co_names, *loop.__annotations__.values()):
        read = loop.__globals__.get(name)
        if isinstance(read, (int, float)):
            parts.append(read)
        fields = getattr(read, "_fields", None)
        if fields is not None:  # a tuple of columns, which numba finds in its module again
            parts += [read, fields]
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def _as_numpy(argument: Any) -> Any:
    """Return a column as NumPy sees it (a list as a copy), and any other argument unchanged.

    The columns of a finished tree become read-only.
    """
    import numpy as np

    argument = getattr(argument, "whole", argument)  # a column that is not in memory as such
    if type(argument) is tuple:
        return tuple(map(_as_numpy, argument))
    if isinstance(argument, tuple):
        columns = type(argument)(*map(_as_numpy, argument))
        if getattr(argument, "read_only", False):
            for column in columns:
                column.flags.writeable = False
        return columns
    if isinstance(argument, (array, memoryview, list)):
        return np.asarray(argument)
    return argument


def zeros(code: str, count: int, compiled: bool | None = None) -> NewColumn:
    """Return a column of zeros of an array's type code, for a loop that `run` compiles or not.

    The column of a compiled loop takes memory only where the loop writes.
    """
    return filled(code, 0, count, compiled)


def filled(code: str, value: Any, count: int, compiled: bool | None = None) -> NewColumn:
    """Return a column that holds one value throughout, for a loop that `run` compiles or not."""
    if compiled is None:
        compiled = pays(count)
    if not compiled:
        return array(code, [value]) * count
    import numpy as np

    if not value:
        return _view(np.zeros(count, code))
    return _view(np.full(count, value, code))


def countdown(count: int) -> NewColumn:
    """Return the column count - 1, …, 1, 0."""
    if not pays(count):
        return array("i", range(count - 1, -1, -1))
    import numpy as np

    return _view(np.arange(count - 1, -1, -1, dtype="i"))


def _view(column: Any) -> NewColumn:
    return memoryview(column)


# A report may have columns of compiled loops.
copyreg.pickle(memoryview, lambda view: (memoryview, (array(view.format, view.tobytes()),)))


def advice(rows: float) -> str | None:
    """Return a hint to install numba if it is missing and many rows would need it; else None."""
    if rows < MANY_ROWS or available():
        return None
    return f"numba makes large trees some hundred times faster: {install_hint('fast')}"
