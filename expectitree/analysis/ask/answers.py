"""Answers to `expectitree ask`, in a YAML file to which each answer adds one line.

A line is `path: utility`. The last line about a path counts, and `path: "?"` takes its answer back.
Lines are only added, so whatever people write into the file stays as it is.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

from expectitree.errors import FileError, Problem
from expectitree.files import ANSWERS, parse, read_text
from expectitree.files.formats import format_by_suffix
from expectitree.files.formats.yaml import LONGEST_KEY, NOTATION
from expectitree.files.grammar.document import Document, Place
from expectitree.files.grammar.problems import Problems, TooManyProblemsError
from expectitree.files.grammar.words import described
from expectitree.numbers import escape

TAKEN_BACK = "?"  # in place of a number: this path has no answer any more
_HEADER = """\
# Answers to `expectitree ask {}`: the path of a leaf, and its utility.
# The last line about a path counts. Add lines, or correct them.
"""
_EXPECTED = "expected the path of a leaf and its utility on every line, such as `a2/#1: 4.5`"


class Answer(NamedTuple):
    """One answer of a file: the number as written, and the place of its line."""

    path: str
    number: str
    place: Place


class AnswersFile:
    """The file with the answers to one tree. `pending` holds the answers that are not in it."""

    def __init__(self, name: str | None, tree_name: str, saves: bool = True) -> None:
        self.name, self.tree_name = name, tree_name
        self.saves = saves and name is not None
        self.pending: dict[str, str] = {}

    def read(self) -> tuple[list[Answer], Problems]:
        """Return the answers that count, and a collector for problems with them.

        Raises `FileError` with everything in the file that is not an answer.
        """
        document = _document(self._text(), self.name or "")
        return _answers(document), Problems(document)

    def check_writable(self) -> None:
        """Raise `FileError` if answers cannot be added to the file."""
        if not self.saves or self.name is None:
            return
        is_new = not os.path.lexists(self.name)
        try:
            with open(self.name, "ab"):
                pass
        except OSError as error:
            hint = "name another file with --answers, or keep no answers with --no-save"
            raise self._failure(f"answers cannot be kept here: {_reason(error)}: {hint}") from None
        if is_new:
            os.unlink(self.name)
        try:
            _answers(_document(f"{self._text()}\n{answers_text({'x': '0'})}", self.name))
        except FileError:
            expected = "expected one `path: utility` a line, not indented and without braces"
            hint = "rewrite the file, or name another one with --answers"
            raise self._failure(f"no line can be added here, {expected}: {hint}") from None

    def add(self, changes: Mapping[str, str]) -> None:
        """Write answers to the file, with all that are pending, and wait until the disk has them.

        Raises `FileError` if that is impossible; then the file is as before, and they are pending.
        """
        self.pending.update(changes)
        if not self.saves or self.name is None:
            return
        try:
            _append(self.name, answers_text(self.pending), _HEADER.format(escape(self.tree_name)))
        except OSError as error:
            raise self._failure(f"the answers cannot be written: {_reason(error)}") from None
        self.pending.clear()

    def _text(self) -> str:
        if self.name is None or not os.path.lexists(self.name):
            return ""
        return read_text(self.name)[0]

    def _failure(self, message: str) -> FileError:
        return FileError([Problem(self.name or "", message)])


def answers_name(file: str) -> str:
    """Return the name of the answers file that belongs to a tree file."""
    base = os.path.splitext(file)[0] if format_by_suffix(file) else file
    return base + ANSWERS


def answers_text(answers: Mapping[str, str]) -> str:
    """Return answers as lines of YAML."""
    lines = []
    for path, number in answers.items():
        key = NOTATION.text(path)
        value = f'"{number}"' if number == TAKEN_BACK else number
        is_long = len(key) > LONGEST_KEY
        lines.append(f"? {key}\n: {value}\n" if is_long else f"{key}: {value}\n")
    return "".join(lines)


def _reason(error: OSError) -> str:
    return os.strerror(error.errno) if error.errno else str(error)


def _append(name: str, text: str, header: str) -> None:
    """Add lines to a file, or the header and the lines to an empty one; all of them or none."""
    with open(name, "ab+", buffering=0) as stream:
        size = stream.seek(0, os.SEEK_END)
        if size == 0:
            text = header + text
        else:
            stream.seek(-1, os.SEEK_END)
            text = text if stream.read(1) == b"\n" else f"\n{text}"
        line = text.encode()
        try:
            if stream.write(line) < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(stream.fileno())
        except OSError:
            with suppress(OSError):
                stream.truncate(size)
            raise


def _document(text: str, name: str) -> Document:
    """Return the structure of a text; an empty one if the text holds comments only."""
    lines = [line.strip() for line in text.removeprefix("\ufeff").splitlines()]
    if all(not line or line.startswith("#") for line in lines):
        return Document(name, ())
    return parse(text, name)


def _answers(document: Document) -> list[Answer]:
    """Return the answers that count, in the order in which they were given."""
    problems = Problems(document)
    root = document.root
    if not isinstance(root, tuple):
        problems.add(Place(), "the answers", f"found {described(root)}, {_EXPECTED}")
        raise problems.failure()
    answers: dict[str, Answer] = {}
    with suppress(TooManyProblemsError):
        for at, (path, number) in enumerate(root):
            place = Place(root, at)
            answers.pop(path, None)
            if not isinstance(number, str):
                problems.add(place, path, f"found {described(number)}, {_EXPECTED}")
            elif number != TAKEN_BACK:
                answers[path] = Answer(path, str(number), place)
    if problems.found:
        raise problems.failure()
    return list(answers.values())
