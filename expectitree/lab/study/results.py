"""Keeps the results of a study: a JSON line for each tree, in a file that only grows.

A line is on the disk before its task counts as done. A study that was killed at any moment
therefore continues where it stopped: complete lines count, half a line at the end is removed, and
of two results of one search the first counts.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeAlias

from expectitree.base.algorithms import Algorithm
from expectitree.base.budget import read_limited
from expectitree.base.errors import FileError
from expectitree.files.grammar.document import error_in
from expectitree.files.writing import append, lock, named_errors, open_to_append
from expectitree.lab.study.spec import SOURCES, Key, Parameters, Study, is_lazy, tree_key

Figures: TypeAlias = Mapping[str, Any]  # of a search, or of a line of the file, by name
_UNWRITTEN = "the results cannot be written"
_START = b'{"tree": {'
_NO_RESULT = "this line is not a result of a study\nname another file, or move this one away"
_FIGURES = ("leaves", "nodes", "visits", "cuts", "seconds")  # of a run, in addition to its value
GROWN_FIGURES = ("evaluations", "rows", "depth")  # in addition, of a lazy search of a game


class Record(NamedTuple):
    """One tree and some searches of it; figures are plain numbers."""

    tree: Parameters
    repetition: int
    seed: int
    nodes: int  # of the whole tree; of lazy searches, 0
    leaves: int
    runs: Mapping[str, Figures]  # by run: its value (or null) and `_FIGURES`

    @property
    def key(self) -> Key:
        return Key(tree_key(self.tree), self.repetition, self.seed)

    @property
    def line(self) -> str:
        return json.dumps(self._asdict(), ensure_ascii=False) + "\n"


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
        with named_errors(self.path, "the results cannot be read"), open(self.path, "rb") as stream:
            content = read_limited(stream, self.path, "name another file")
        *lines, rest = content.split(b"\n")
        for number, line in enumerate(lines, start=1):
            try:
                self._take(_record(json.loads(line)))
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
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
        with named_errors(self.path, _UNWRITTEN):
            self._stream = open_to_append(self.path)
        with self._stream:
            if lock(self._stream) is False:
                raise error_in(
                    self.path,
                    "another study is writing to this file\nwait for it, or name another",
                )
            with named_errors(self.path, _UNWRITTEN):
                self._stream.seek(0)
                self._stream.truncate(self._stream.read().rfind(b"\n") + 1)
            yield

    def add(self, records: list[Record]) -> None:
        """Write records to the disk, then add them to `records`."""
        if self._stream is not None:
            lines = "".join(record.line for record in records)
            with named_errors(self.path, _UNWRITTEN, "; what was written counts, go on later"):
                append(self._stream, lines.encode())
        for record in records:
            self._take(record)

    def missing(self, key: Key, algorithms: Sequence[Algorithm]) -> tuple[Algorithm, ...]:
        """Return the algorithms that have no result yet for a tree."""
        known: Mapping[str, Figures] = {}
        if key in self.records:
            known = self.records[key].runs
        return tuple(chosen for chosen in algorithms if chosen.full_name not in known)

    def _take(self, record: Record) -> None:
        """Add a record; of two results of one run, the first counts."""
        if before := self.records.get(record.key):
            record = record._replace(runs={**record.runs, **before.runs})
        self.records[record.key] = record

    def _no_result(self, line: int) -> FileError:
        return error_in(self.path, _NO_RESULT, line=line, column=1)


def count_done(study: Study, results: Results) -> tuple[int, int]:
    """Return how many trees of a study have the results of all searches, and how many it has."""
    keys = [key for _, keys in study.keys for key in keys]
    return sum(not results.missing(key, study.algorithms) for key in keys), len(keys)


def _record(data: Figures) -> Record:
    """Return the record of a line's data; raise one of the exceptions that `read` expects."""
    record = Record(**data)
    whole = (record.repetition, record.seed, record.nodes, record.leaves)
    texts = [*record.tree, *record.tree.values()]
    is_valid = (
        all(type(n) is int and n >= 0 for n in whole)
        and (is_lazy(record.tree) or 1 <= record.leaves <= record.nodes)
        and any(source in record.tree for source in SOURCES)
        and all(isinstance(text, str) for text in texts)
        and bool(record.runs)
        and all(_is_valid(run, record) for run in record.runs.values())
    )
    if not is_valid:
        raise ValueError
    return record


def _is_valid(run: Figures, record: Record) -> bool:
    is_grown = is_lazy(record.tree)
    figures = [run[name] for name in _FIGURES + GROWN_FIGURES * is_grown]
    if any(type(figure) not in (int, float) or not figure >= 0 for figure in figures):
        return False
    if type(run["value"]) not in (int, float, type(None)):  # None: the best action was proved first
        return False
    return is_grown or bool(run["leaves"] <= record.leaves and run["nodes"] <= record.nodes)
