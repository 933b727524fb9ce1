"""`Document`: the structure of a text, which a format passes to the grammar uninterpreted.

    a scalar    str, as written (JSON's true, false and null stay True, False and None)
    a list      list
    a mapping   tuple of (key, value) pairs, so that the grammar can report duplicate keys

Where several branches lead to one place of the text (YAML's aliases), the same object is at
each of them, and its `id` is in `shared`; a scalar that is shared in this way is a `SharedText`.

`Problems` collects the errors of a document with their places and paths, to raise all at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

from expectitree.base.errors import (
    NESTED,
    Excerpt,
    ExpectitreeError,
    FileError,
    Problem,
    WarningText,
)
from expectitree.base.numbers import escape
from expectitree.base.tree.paths import message_path
from expectitree.files.rows import Warn

Data: TypeAlias = Any  # str | bool | None | list[Data] | tuple[tuple[str, Data], ...]
Fields: TypeAlias = dict[str, Any]  # of an object that is being read or written, by name
Keys: TypeAlias = dict[str, Data]  # of a mapping without duplicates
Pairs: TypeAlias = Sequence[tuple[str, Data]]  # of a mapping: keys and values

MAX_NESTED = 300  # nodes within nodes in one text
MAX_DEPTH = MAX_NESTED - 2  # branches on a path, in formats that cannot give a part a name
MAX_CONTAINERS = 2 * MAX_NESTED + 100  # lists and mappings within each other


class SharedText(str):
    """A scalar that an alias may repeat: one object, one node."""

    __slots__ = ()


class NumberText(str):
    """The text of a number to be written, or one that JSON has without quotes."""

    __slots__ = ()


class FormulaText(str):
    """The text of a formula to be written."""

    __slots__ = ()


class Place(NamedTuple):
    """A place in the structure: an item of a list or a pair of a mapping; the root by default."""

    container: Data = None
    at: int = 0
    of_key: bool = False  # the pair's key, not its value
    offset: int = 0  # characters from the start of a scalar


Mark: TypeAlias = "tuple[int, int]"  # line and column, from 1


@dataclass(frozen=True, slots=True)
class Document:
    """One parsed text."""

    name: str  # what messages call it: a file's path, `-` or `-e`
    root: Data
    shared: frozenset[int] = frozenset()  # ids of the values that an alias repeats
    locate: Callable[[Sequence[Place]], Sequence[Mark | None]] = lambda places: [None] * len(places)
    text: str = ""  # the source, for the lines of errors
    # Warnings of texts, by line; a message about an error in that line includes them.
    doubts: Mapping[Any, list[str]] = field(default_factory=dict)
    has_labels: bool = False  # the keys of children are labels, even if all are probabilities
    max_nodes: int = 0  # that repeated nodes may make; 0 is the default
    normalize: bool = False  # whether probabilities rounded for print are divided by their sum


def place_of(item: Data, key: str, of_key: bool = False) -> Place:
    """Return the place of the last pair with that key in a mapping."""
    return Place(item, max(i for i, pair in enumerate(item) if pair[0] == key), of_key)


def keys_of(data: Data) -> Keys:
    """Return the values of a mapping by key; nothing for another part of a document."""
    if isinstance(data, tuple):
        return dict(data)
    return {}


# ---- Errors.

MAX_PROBLEMS = 20
_REACH = 200  # characters on each side of the column
# YAML counts these as line breaks and JSON does not: lines after one are not shown.
_ODD_BREAK = re.compile("\r(?!\n)|[\x85\u2028\u2029]")


class GrammarError(ExpectitreeError):
    """An error in a document, at `place` if that is known; the reader reports it and goes on."""

    def __init__(
        self, reason: str, place: Place | None = None, hint: str = "", kind: str = ""
    ) -> None:
        super().__init__(reason, hint, kind)
        self.place = place


TOO_DEEP = GrammarError(
    f"the text nests more than {MAX_NESTED} nodes",
    hint="give a deeper part a name under the root's `nodes:` and write `ref: NAME` in its place",
    kind=NESTED,
)


class TooManyProblemsError(Exception):
    """Enough problems were found, so reading stops here."""


class Problems:
    """The problems of one document."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.found: list[tuple[Place | None, Problem]] = []

    def add(self, place: Place | None, path: str | None, error: ExpectitreeError | str) -> None:
        """Note a problem; raise `TooManyProblemsError` when there are enough."""
        shown = None if path is None else message_path(path)
        self.found.append((place, replace(problem_of(self.document.name, error), path=shown)))
        if len(self.found) >= MAX_PROBLEMS:
            raise TooManyProblemsError

    def failure(self) -> FileError:
        """Return the exception for all errors, with line and column if the format knows them."""
        marks = iter(self.document.locate([place for place, _ in self.found if place]))
        problems = []
        for place, problem in self.found:
            mark = next(marks) if place else None
            line, column = mark or (None, None)
            doubts = self.document.doubts.get(line, [])
            if doubts:
                problem = problem.with_hint("; ".join(filter(None, [problem.hint, *doubts])))
            problems.append(replace(problem, line=line, column=column))
        error = FileError(problems, stopped=len(self.found) >= MAX_PROBLEMS)
        return with_excerpts(error, self.document.text)


def warn_of_each(warn: Warn, name: str, warnings: Sequence[str]) -> None:
    """Warn of the first of several things in a document."""
    for warning in warnings[:MAX_PROBLEMS]:
        warn(WarningText(name, warning))
    if warnings[MAX_PROBLEMS:]:
        warn(WarningText(name, "more such warnings are left out"))


def error_in(
    name: str,
    message: str | ExpectitreeError,
    line: int | None = None,
    column: int | None = None,
) -> FileError:
    """Return the error of a whole file, or of a place in it."""
    return FileError([replace(problem_of(name, message), line=line, column=column)])


def problem_of(name: str, error: str | ExpectitreeError) -> Problem:
    """Return the problem that an error of a file is."""
    if isinstance(error, str):
        error = ExpectitreeError(error)
    return Problem(name, escape(str(error)), hint=escape(error.hint), kind=error.kind)


def error_at(text: str, offset: int, name: str, message: str) -> FileError:
    """Return the error at a place in a text, with its line and column."""
    return error_in(name, message, *mark_of(text, offset))


def mark_of(text: str, offset: int) -> Mark:
    """Return the line and the column of a character."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def with_excerpts(error: FileError, text: str) -> FileError:
    """Return an error in a text with the lines of its problems."""
    odd = _ODD_BREAK.search(text)
    last = max(problem.line or 0 for problem in error.problems)
    end = odd.start() if odd else len(text)
    lines = text[:end].split("\n", last)
    problems = [replace(p, excerpt=p.excerpt or _excerpt(p, lines)) for p in error.problems]
    return FileError(problems, error.stopped)


def _excerpt(problem: Problem, lines: Sequence[str]) -> Excerpt | None:
    if problem.line is None or problem.column is None or problem.line > len(lines):
        return None
    line, offset = lines[problem.line - 1], problem.column - 1
    if offset > len(line):
        return None
    first = max(0, offset - _REACH)
    shown = line[first : offset + _REACH].removesuffix("\r")
    if shown.strip():
        return Excerpt(shown, offset - first)
    return None
