"""The source lines of errors: the part of a line around the column of each problem."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from expectitree.errors import Excerpt, FileError, Problem

_REACH = 200  # characters on each side of the column
# YAML counts these as line breaks and JSON does not: lines after one are not shown.
_ODD_BREAK = re.compile("\r(?!\n)|[\x85\u2028\u2029]")


def error_at(text: str, at: int, name: str, message: str) -> FileError:
    """Return the error at a place in a text, with its line and column."""
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    return FileError([Problem(name, message, line=line, column=column)])


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
