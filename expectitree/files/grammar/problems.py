"""The errors of a document, collected with their places and paths, and raised all at once."""

from __future__ import annotations

from expectitree.errors import ExpectitreeError, FileError, Problem
from expectitree.files.grammar.document import Document, Place
from expectitree.files.grammar.excerpts import with_excerpts
from expectitree.numbers import escape
from expectitree.tree.paths import message_path

MOST_PROBLEMS = 20


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
        if len(self.found) >= MOST_PROBLEMS:
            raise TooManyProblemsError

    def failure(self) -> FileError:
        """Return the exception for all errors, with line and column if the format knows them."""
        marks = self.document.locate([place for place, _, _ in self.found])
        error = FileError(
            [
                Problem(self.document.name, message, message_path(path), *(mark or (None, None)))
                for (_, path, message), mark in zip(self.found, marks, strict=True)
            ],
            stopped=len(self.found) >= MOST_PROBLEMS,
        )
        return with_excerpts(error, self.document.text)
