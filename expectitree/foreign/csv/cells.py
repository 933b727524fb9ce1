"""The cells of a text in CSV, with their lines and columns, which Python's `csv` does not give."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from expectitree.base.errors import FileError, Problem
from expectitree.base.numbers import escape
from expectitree.files.grammar.problems import MAX_PROBLEMS

_SEPARATORS = "\t;,"  # the first of those that are most frequent in the first row
_LINE_END = re.compile(r"\r\n|\r|\n")


class Cell(NamedTuple):
    """One cell: its text, with single blanks between words, and where it starts."""

    text: str
    line: int = 1
    column: int = 1


class Faults:
    """The errors found in the cells of one text."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.found: list[Problem] = []

    def add(self, cell: Cell, message: str, path: str | None = None) -> None:
        """Note an error in a cell; raise `FileError` when there are enough."""
        self.found.append(Problem(self.name, escape(message), path, cell.line, cell.column))
        if len(self.found) >= MAX_PROBLEMS:
            raise FileError(self.found, stopped=True)

    def raise_any(self) -> None:
        """Raise `FileError` if there is an error."""
        if self.found:
            raise FileError(self.found)


def separator_of(text: str) -> str:
    """Return the separator of cells: a tab, semicolon or comma, the most frequent in row 1."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    return max(_SEPARATORS, key=re.sub('"[^"]*"', "", first).count)


def read_rows(text: str, separator: str, faults: Faults) -> list[list[Cell]]:
    """Return the rows that have any text, without the empty cells at their ends."""
    rows: list[list[Cell]] = [[]]
    for cell, ends_row in _cells(text, separator, faults):
        rows[-1].append(cell)
        if ends_row:
            while rows[-1] and not rows[-1][-1].text:
                rows[-1].pop()
            if rows[-1]:
                rows.append([])
    return rows[:-1]


def _cells(text: str, separator: str, faults: Faults) -> Iterator[tuple[Cell, bool]]:
    """Yield each cell, and whether it is the last of its row."""
    plain = rf"[^{separator}\r\n]*"
    # A cell may be in quotes, where two quotes mean one.
    token = re.compile(rf'((?: *"([^"]*(?:""[^"]*)*)")?)({plain})({separator}|\r\n|\r|\n|\Z)')
    at, line, start = 0, 1, 0  # the place, its line, and where that line starts
    while True:
        match = token.match(text, at)
        assert match is not None  # a cell may be empty, and the text ends somewhere
        quoted, inner, rest, end = match.groups("")
        raw = inner.replace('""', '"') if quoted else rest
        blanks = len(match[0]) - len(match[0].lstrip(" "))
        words = " ".join(raw.split())
        cell = Cell(words, line, at + blanks - start + 1)
        if quoted and rest.strip():
            faults.add(cell, 'text follows the closing quote: within quotes, write "" for a quote')
        elif not quoted and words.startswith('"'):
            faults.add(cell, "a quote opens this cell, and none closes it: add one at its end")
        yield cell, end != separator
        if not end:
            return
        at = match.end()
        for line_end in _LINE_END.finditer(match[0]):
            line, start = line + 1, match.start() + line_end.end()
