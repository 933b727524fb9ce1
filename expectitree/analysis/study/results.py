"""Keeps the results of a study: a JSON line for each tree, in a file that only grows.

A line is on the disk before its task counts as done. A study that was killed at any moment
therefore continues where it stopped: complete lines count, half a line at the end is removed, and
of two results of one run the first counts.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from expectitree.analysis.study.spec import Key, Parameters, Run, Study, tree_key
from expectitree.budget import read_limited, too_long
from expectitree.errors import FileError, Problem

_START = b'{"tree": {'
_NO_RESULT = "this line is not a result of a study: name another file, or move this one away"
_FIGURES = ("leaves", "nodes", "visits", "cuts", "seconds")  # of a run, in addition to its value


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
    """The records of a results file, and the file to append to; without a path, only records."""

    def __init__(self, path: str = "") -> None:
        self.path = path
        self.records: dict[Key, Record] = {}
        self._stream: Any = None

    def read(self) -> None:
        """Read the file; raise `FileError` if a line other than the last is not a record."""
        if not os.path.exists(self.path):
            return
        with self._errors("read"), open(self.path, "rb") as stream:
            content = read_limited(stream)
        if content is None:
            raise FileError([Problem(self.path, f"{too_long()}name another file")])
        *lines, rest = content.split(b"\n")
        for number, line in enumerate(lines, start=1):
            try:
                self._take(_record(json.loads(line)))
            except (ValueError, KeyError, TypeError, RecursionError):
                raise self._no_result(number) from None
        start = rest[: len(_START)]
        if not _START.startswith(start):  # a line that a killed study left starts like a whole one
            raise self._no_result(len(lines) + 1)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Open the file for `add`, and lock it against other studies.

        Half a line that a killed study may have left is removed.
        """
        if not self.path:
            yield
            return
        with self._errors("written"):
            self._stream = open(self.path, "ab+", buffering=0)  # noqa: SIM115
        try:
            with self._errors("written"):
                _lock(self._stream, self.path)
                self._stream.seek(0)
                self._stream.truncate(self._stream.read().rfind(b"\n") + 1)
            yield
        finally:
            self._stream.close()

    def add(self, records: list[Record]) -> None:
        """Write records to the disk, then add them to `records`."""
        if self._stream is not None:
            self._write(records)
        for record in records:
            self._take(record)

    def _write(self, records: list[Record]) -> None:
        lines = [json.dumps(record._asdict(), ensure_ascii=False) + "\n" for record in records]
        with self._errors("written", "; what was written counts, go on later"):
            remaining = memoryview("".join(lines).encode())
            while remaining:
                remaining = remaining[self._stream.write(remaining) :]
            os.fsync(self._stream.fileno())

    def missing(self, key: Key, runs: tuple[Run, ...]) -> tuple[Run, ...]:
        """Return the runs that have no result yet for a tree."""
        record = self.records.get(key)
        return tuple(run for run in runs if record is None or run.name not in record.runs)

    def _take(self, record: Record) -> None:
        """Add a record; of two results of one run, the first counts."""
        before = self.records.get(record.key)
        if before is not None:
            record = record._replace(runs={**record.runs, **before.runs})
        self.records[record.key] = record

    @contextmanager
    def _errors(self, done: str, advice: str = "") -> Iterator[None]:
        """Turn an error of the system into a `FileError`."""
        try:
            yield
        except OSError as error:
            message = f"the results cannot be {done}: {error.strerror}{advice}"
            raise FileError([Problem(self.path, message)]) from None

    def _no_result(self, line: int) -> FileError:
        return FileError([Problem(self.path, _NO_RESULT, line=line, column=1)])


def count_done(study: Study, results: Results) -> tuple[int, int]:
    """Return how many trees of a study have the results of all runs, and how many trees it has."""
    keys = [key for _, keys in study.keys for key in keys]
    return sum(not results.missing(key, study.runs) for key in keys), len(keys)


def _record(data: dict[str, Any]) -> Record:
    """Return the record of a line's data; raise ValueError, KeyError or TypeError if invalid."""
    record = Record(**data)
    whole = (record.repetition, record.seed, record.nodes, record.leaves)
    texts = [text for pair in record.tree.items() for text in pair]
    is_valid = (
        all(type(n) is int and n >= 0 for n in whole)
        and 1 <= record.leaves <= record.nodes
        and "family" in record.tree
        and all(isinstance(text, str) for text in texts)
        and bool(record.runs)
        and all(_is_valid(run, record) for run in record.runs.values())
    )
    if not is_valid:
        raise ValueError
    return record


def _is_valid(run: Mapping[str, Any], record: Record) -> bool:
    """Say whether the figures of a run are possible."""
    # The value is None if the best action was proved before it.
    return (
        all(type(run[name]) in (int, float) for name in _FIGURES)
        and type(run["value"]) in (int, float, type(None))
        and 0 <= run["leaves"] <= record.leaves
        and 0 <= run["nodes"] <= record.nodes
        and run["seconds"] >= 0
    )


def _lock(stream: Any, path: str) -> None:
    """Lock the file until it is closed, on systems that have such locks."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        message = "another study is writing to this file: wait for it, or name another"
        raise FileError([Problem(path, message)]) from None
    except OSError:  # a file system without locks
        return
