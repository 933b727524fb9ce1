"""Keeps the results of a study: a JSON line for each tree, in a file that only grows.

A line is on the disk before its task counts as done. A study that was killed at any moment therefore
continues where it stopped: complete lines count, half a line at the end is removed, and of two
results of one run the first counts.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from expectitree.analysis.study.spec import Parameters, tree_key
from expectitree.errors import FileError, Problem

_START = b'{"tree": {'
_NO_RESULT = "this line is not a result of a study: name another file, or move this one away"
_FIGURES = ("leaves", "nodes", "visits", "cuts", "seconds")  # of a run, besides its value


class Key(NamedTuple):
    """Identifies a tree: its parameters, and the seed that generated it."""

    tree: str  # the parameters as JSON text, in order of their names
    repetition: int
    seed: int


class Record(NamedTuple):
    """One tree and some searches of it; figures are plain numbers."""

    tree: Parameters
    repetition: int
    seed: int
    nodes: int
    leaves: int
    runs: Mapping[str, Mapping[str, Any]]  # by run: its value (or null) and `_FIGURES`

    @property
    def key(self) -> Key:
        """The key that identifies this tree."""
        return Key(tree_key(self.tree), self.repetition, self.seed)


class Results:
    """The records of a results file, and the file to append to."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.records: dict[Key, Record] = {}
        self._stream: Any = None

    def read(self) -> None:
        """Read the file; raise `FileError` if a line other than the last is not a record."""
        try:
            with open(self.path, "rb") as stream:
                content = stream.read()
        except FileNotFoundError:
            return
        except OSError as error:
            raise FileError(
                [Problem(self.path, f"the results cannot be read: {error.strerror}")]
            ) from None
        lines = content.split(b"\n")
        for number, line in enumerate(lines[:-1], start=1):
            try:
                self._take(_record(json.loads(line)))
            except (ValueError, KeyError, TypeError, RecursionError):
                raise FileError([Problem(self.path, _NO_RESULT, line=number, column=1)]) from None
        rest = lines[-1][: len(_START)]
        if rest != _START[: len(rest)]:  # a line that a killed study left starts like a whole one
            raise FileError([Problem(self.path, _NO_RESULT, line=len(lines), column=1)])

    def open(self) -> None:
        """Open the file for appending, and remove half a line that a killed study may have left."""
        try:
            self._stream = open(self.path, "ab", buffering=0)  # noqa: SIM115
            try:
                _lock(self._stream, self.path)
            except FileError:
                self.close()
                raise
            with open(self.path, "rb+") as stream:
                content = stream.read()
                whole = content.rfind(b"\n") + 1
                if whole < len(content):
                    stream.truncate(whole)
        except OSError as error:
            raise FileError(
                [Problem(self.path, f"the results cannot be written: {error.strerror}")]
            ) from None

    def add(self, records: list[Record]) -> None:
        """Write records to the disk, then add them to `records`."""
        text = "".join(
            json.dumps(record._asdict(), ensure_ascii=False) + "\n" for record in records
        )
        try:
            remaining = memoryview(text.encode())
            while remaining:
                remaining = remaining[self._stream.write(remaining) :]
            os.fsync(self._stream.fileno())
        except OSError as error:
            message = f"the results cannot be written: {error.strerror}; what was written counts, go on later"
            raise FileError([Problem(self.path, message)]) from None
        for record in records:
            self._take(record)

    def close(self) -> None:
        """Close the file."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records.values())

    def _take(self, record: Record) -> None:
        """Add a record; of two results of one run, the first counts."""
        before = self.records.get(record.key)
        if before is not None:
            record = record._replace(runs={**record.runs, **before.runs})
        self.records[record.key] = record


def _record(data: dict[str, Any]) -> Record:
    """Return the record of a line's data; raise `ValueError`, `KeyError` or `TypeError` if invalid."""
    record = Record(**data)
    whole = (record.repetition, record.seed, record.nodes, record.leaves)
    if (
        not all(type(n) is int and n >= 0 for n in whole)
        or not 1 <= record.leaves <= record.nodes
        or not record.runs
    ):
        raise ValueError
    if "family" not in record.tree or not all(
        isinstance(text, str) for pair in record.tree.items() for text in pair
    ):
        raise ValueError
    for run in record.runs.values():
        if not all(type(run[name]) in (int, float) for name in _FIGURES):
            raise ValueError
        # The value is None if the best action was proved before it.
        if type(run["value"]) not in (int, float, type(None)):
            raise ValueError
        if (
            not 0 <= run["leaves"] <= record.leaves
            or not 0 <= run["nodes"] <= record.nodes
            or run["seconds"] < 0
        ):
            raise ValueError
    return record


def _lock(stream: Any, path: str) -> None:
    """Lock the file against other studies, on systems that have such locks, until the process ends."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise FileError(
            [Problem(path, "another study is writing to this file: wait for it, or name another")]
        ) from None
    except OSError:  # a file system without locks
        return
