"""Limit work, so that no file, however hostile, takes all memory or runs for hours.

The budget counts the bytes of a text, the rows and bytes of a table, the steps of some analyses,
and the steps of exact algebra. It counts work and not seconds, so that a file has the same result
on every machine. Ordinary files stay far below its limits. The environment variable
EXPECTITREE_BUDGET multiplies all these limits, and the defaults of the options that limit work.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from typing import IO, Any

from expectitree.base.errors import FileError, NumberError, Problem, TreeError

VARIABLE = "EXPECTITREE_BUDGET"
MAX_FACTOR = 1e9  # a limit must fit into the numbers of a machine
MAX_BYTES = 2**30  # of one text; a larger tree belongs in a table
FREE_ROWS = 10_000_000  # of a compressed file; they take about 300 MB
ROWS_A_BYTE = 10  # of the file's size; a tree takes at least two bytes per row
ROW_BYTES = 30  # that a row takes in memory
_PORTION = 2**24  # bytes that are read at once; reading n bytes takes the memory of n

_left: ContextVar[float] = ContextVar("left", default=inf)  # steps


class TooMuchWorkError(TreeError):
    """The work takes longer, or a file has more rows, than the budget allows."""


def factor() -> float:
    """Return the factor of EXPECTITREE_BUDGET, 1 by default."""
    text = os.environ.get(VARIABLE) or "1"
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= MAX_FACTOR:
        raise NumberError(
            f"the environment variable {VARIABLE} is {text!r}, expected a number above 0 and at "
            f"most {MAX_FACTOR:.0e}, such as 10"
        )
    return number


def more() -> str:
    """Return the advice to raise the budget."""
    return f"set {VARIABLE}={10 * factor():g} for ten times as much"


def most(default: int) -> int:
    """Return a limit: its default times `factor`."""
    return int(default * factor())


@contextmanager
def limited_work(steps: float) -> Iterator[None]:
    """Let `spend` limit the work in a `with` block to some steps, times `factor`."""
    token = _left.set(steps * factor())
    try:
        yield
    finally:
        _left.reset(token)


def spend(steps: float) -> None:
    """Count some steps; raise `TooMuchWorkError` if these are more than `limited_work` allows."""
    left = _left.get() - steps
    _left.set(left)
    if left < 0:
        raise TooMuchWorkError(
            f"exact functions of these numbers take too long\nwrite fewer digits, or {more()}"
        )


def check_rows(rows: int, size: int) -> None:
    """Raise `TooMuchWorkError` for more rows than a file of `size` bytes may have."""
    allowed = most(FREE_ROWS + ROWS_A_BYTE * size)
    if rows > allowed:
        raise TooMuchWorkError(
            f"{rows:,} rows in a file of {size:,} bytes: at most {allowed:,} are read; {more()}"
        )


def check_memory(taken: int, size: int) -> None:
    """Raise `TooMuchWorkError` if a table takes more memory than a file of `size` bytes may."""
    allowed = most(ROW_BYTES * (FREE_ROWS + ROWS_A_BYTE * size))
    if taken > allowed:
        raise TooMuchWorkError(
            f"a table of {size:,} bytes takes more than {allowed:,} bytes of memory once it is "
            f"read\nwrite a smaller one, or {more()}"
        )


def read_limited(stream: IO[str] | IO[bytes], name: str, hint: str) -> Any:
    """Return the content of a stream; raise `FileError` if it is longer than a text may be."""
    limit, length = most(MAX_BYTES), 0
    parts: list[Any] = []
    while not parts or parts[-1]:
        parts.append(stream.read(min(limit + 1 - length, _PORTION)))
        length += len(parts[-1])
        if length > limit:
            raise FileError(
                [Problem(name, f"more than {limit >> 20:,} MiB of text: {more()}, or {hint}")]
            )
    return parts[0][:0].join(parts)
