"""The errors of a document, collected with their places and paths, and raised all at once.

Each has an excerpt: the part of a source line around its column.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from expectitree.base.errors import Excerpt, ExpectitreeError, FileError, Problem
from expectitree.base.numbers import escape
from expectitree.base.tree.paths import message_path
from expectitree.files.grammar.document import Document, Mark, Place

MAX_PROBLEMS = 20
_REACH = 200  # characters on each side of the column
# YAML counts these as line breaks and JSON does not: lines after one are not shown.
_ODD_BREAK = re.compile("\r(?!\n)|[\x85\u2028\u2029]")


class GrammarError(ExpectitreeError):
    """An error in a document, at `place` if that is known; the reader reports it and goes on."""

    def __init__(self, message: str, place: Place | None = None) -> None:
        super().__init__(message)
        self.place = place


class TooManyProblemsError(Exception):
    """Enough problems were found, so reading stops here."""


class Problems:
    """The problems of one document."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.found: list[tuple[Place, str, str]] = []  # place, path, message

    def add(self, place: Place, path: str, message: str) -> None:
        """Note a problem; raise `TooManyProblemsError` when there are enough."""
        self.found.append((place, path, escape(message)))
        if len(self.found) >= MAX_PROBLEMS:
            raise TooManyProblemsError

    def failure(self) -> FileError:
        """Return the exception for all errors, with line and column if the format knows them."""
        marks = self.document.locate([place for place, _, _ in self.found])
        error = FileError(
            [
                Problem(self.document.name, message, message_path(path), *(mark or (None, None)))
                for (_, path, message), mark in zip(self.found, marks, strict=True)
            ],
            stopped=len(self.found) >= MAX_PROBLEMS,
        )
        return with_excerpts(error, self.document.text)


def error_in(
    name: str, message: str, line: int | None = None, column: int | None = None
) -> FileError:
    """Return the error of a whole file, or of a place in it."""
    return FileError([Problem(name, message, line=line, column=column)])


def error_at(text: str, at: int, name: str, message: str) -> FileError:
    """Return the error at a place in a text, with its line and column."""
    return error_in(name, message, *mark_of(text, at))


def mark_of(text: str, at: int) -> Mark:
    """Return the line and the column of a character."""
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def with_excerpts(error: FileError, text: str) -> FileError:
    """Return an error in a text with the lines of its problems."""
    starts = _line_starts(text, {problem.line for problem in error.problems if problem.line})
    odd = _ODD_BREAK.search(text)
    end = odd.start() if odd else len(text)
    problems = [replace(p, excerpt=_excerpt(p, starts, text, end)) for p in error.problems]
    return FileError(problems, error.stopped)


def _line_starts(text: str, lines: Iterable[int]) -> dict[int, int]:
    """Return where some lines start, from one pass over the text."""
    starts: dict[int, int] = {}
    line, start = 1, 0
    for wanted in sorted(lines):
        while line < wanted:
            start = text.find("\n", start) + 1
            if not start:
                return starts
            line += 1
        starts[wanted] = start
    return starts


def _excerpt(
    problem: Problem, starts: dict[int, int], text: str, readable_end: int
) -> Excerpt | None:
    start = starts.get(problem.line or 0)
    if start is None or problem.column is None or problem.excerpt is not None:
        return problem.excerpt
    at = start + problem.column - 1
    newline = text.find("\n", start, at + _REACH)
    end = newline if newline >= 0 else min(len(text), at + _REACH)
    if not start <= at <= min(end, readable_end):
        return None
    first = max(start, at - _REACH)
    shown = text[first:end].removesuffix("\r")
    return Excerpt(shown, at - first) if shown.strip() else None
