"""Counts of a run, in memory that workers share with the process that reports them."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


class Tally(ctypes.Structure):
    """The counts of one target in one worker."""

    _fields_ = (
        ("next", ctypes.c_int64),  # the number of the next case
        ("inputs", ctypes.c_int64),
        ("read", ctypes.c_int64),
        ("refused", ctypes.c_int64),
        ("seconds", ctypes.c_double),
        ("slowest", ctypes.c_double),  # seconds of processor time
        ("slowest_case", ctypes.c_int64),
    )


class State(ctypes.Structure):
    """What a worker does now, so that a crash has a name."""

    _fields_ = (
        ("target", ctypes.c_int64),  # its place in the list of targets; -1 between cases
        ("case", ctypes.c_int64),
        ("started", ctypes.c_double),  # the time of `time.monotonic`
        ("peak", ctypes.c_int64),  # bytes of memory
    )


@dataclass
class Failure:
    """A distinct failure: the first case that has it, and how many cases have it."""

    target: str
    case: int
    message: str
    key: tuple[str, ...]  # equal for the same defect
    count: int = 1


@dataclass
class Failures:
    """The distinct failures of a run."""

    found: dict[tuple[str, ...], Failure] = field(default_factory=dict)

    def add(self, failure: Failure) -> bool:
        """Add a failure; return whether it is new."""
        known = self.found.setdefault(failure.key, failure)
        known.count += known is not failure
        return known is failure

    def of(self, target: str) -> int:
        """Return how many cases of a target failed."""
        return sum(one.count for one in self.found.values() if one.target == target)


def table(names: Sequence[str], tallies: Sequence[Any], failures: Failures) -> list[str]:
    """Return the lines of the report; `tallies` has an array for each worker."""
    rows = [("target", "inputs", "per s", "read", "refused", "failures", "slowest", "its case")]
    for at, name in enumerate(names):
        mine = [array[at] for array in tallies]
        inputs, read, refused = (
            sum(getattr(one, column) for one in mine) for column in ("inputs", "read", "refused")
        )
        seconds = sum(one.seconds for one in mine)
        slowest = max(mine, key=lambda one: one.slowest)
        figures = (read, refused) if read or refused else ("", "")
        rate = f"{inputs / seconds:,.0f}" if seconds else "0"
        longest = (f"{slowest.slowest:.2f} s", slowest.slowest_case) if inputs else ("", "")
        rows.append((name, inputs, rate, *figures, failures.of(name), *longest))
    texts = [[f"{cell:,}" if isinstance(cell, int) else cell for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    return [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip()
        for row in texts
    ]
