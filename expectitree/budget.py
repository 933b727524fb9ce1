"""Limit work, so that no file, however hostile, takes all memory or runs for hours.

The budget counts the bytes of a text, the rows and bytes of a table, and computation steps, which
take about a microsecond each. Ordinary files stay far below its limits. The environment variable
EXPECTITREE_BUDGET multiplies all limits, and the defaults of the options that limit work.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import IO, Any

from expectitree.errors import NumberError, TreeError

VARIABLE = "EXPECTITREE_BUDGET"
MOST_FACTOR = 1e9  # a limit must fit into the numbers of a machine
MOST_BYTES = 2**30  # of one text; a larger tree belongs in a table
FREE_ROWS = 10_000_000  # of a compressed file; they take about 300 MB
ROWS_A_BYTE = 10  # of the file's size; a tree takes at least two bytes per row
ROW_BYTES = 30  # that a row takes in memory
_PORTION = 2**24  # bytes that are read at once

_steps_left: ContextVar[list[float] | None] = ContextVar("steps left", default=None)


class TooMuchWorkError(TreeError):
    """The work takes more steps, or a file has more rows, than the budget allows."""


def factor() -> float:
    """Return the factor of EXPECTITREE_BUDGET, 1 by default."""
    text = os.environ.get(VARIABLE) or "1"
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found <= MOST_FACTOR:
        raise NumberError(
            f"the environment variable {VARIABLE} is {text!r}, expected a number above 0 and at "
            f"most {MOST_FACTOR:.0e}, such as 10"
        )
    return found


def more() -> str:
    """Return the advice to raise the budget."""
    return f"set {VARIABLE}={10 * factor():g} for ten times as much"


def most(default: int) -> int:
    """Return a limit: its default times `factor`."""
    return int(default * factor())


@contextmanager
def limited_work(steps: int) -> Iterator[None]:
    """Limit the work in a `with` block to a number of steps, times `factor`.

    The steps are counted as they happen, since their number often depends on what is found.
    """
    token = _steps_left.set([most(steps)] * 2)
    try:
        yield
    finally:
        _steps_left.reset(token)


def spend(steps: float) -> None:
    """Count steps; raise `TooMuchWorkError` if fewer are left."""
    left = _steps_left.get()
    if left is not None:
        left[0] -= steps
        if left[0] < 0:
            raise TooMuchWorkError(
                f"exact arithmetic with these numbers takes more than {left[1]:,} steps: "
                f"write fractions with fewer digits, or {more()}"
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
            f"read: write a smaller one, or {more()}"
        )


def read_limited(stream: IO[str] | IO[bytes]) -> Any:
    """Return the content of a stream; None if it is longer than a text may be."""
    left = most(MOST_BYTES) + 1
    parts: list[Any] = [stream.read(min(left, _PORTION))]  # reading n bytes takes the memory of n
    while parts[-1] and left > 0:
        left -= len(parts[-1])
        parts.append(stream.read(min(left, _PORTION)))
    return parts[0][:0].join(parts) if left > 0 else None


def too_long() -> str:
    """Return the start of the message about a text that `read_limited` did not read."""
    return f"more than {most(MOST_BYTES) >> 20:,} MiB of text: {more()}, or "
