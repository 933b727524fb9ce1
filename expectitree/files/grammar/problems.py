"""What is wrong in a document: collected with places and paths, and told all at once."""

from __future__ import annotations

from expectitree.errors import FileError, Problem
from expectitree.files.grammar.document import Document, Place
from expectitree.numbers import escape

MOST_PROBLEMS = 20
_LONGEST_PATH = 200  # characters of a path in a message


class TooManyProblemsError(Exception):
    """Enough was found wrong; reading stops here."""


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
        """Return the error that tells them, with line and column where the format knows them."""
        marks = self.document.locate([place for place, _, _ in self.found])
        return FileError(
            [
                Problem(self.document.name, message, shortened(path), *(mark or (None, None)))
                for (_, path, message), mark in zip(self.found, marks, strict=True)
            ],
            stopped=len(self.found) >= MOST_PROBLEMS,
        )


def shortened(path: str) -> str:
    """Return a path for a message: printable, and of a long one both ends."""
    path = escape(path)
    return path if len(path) <= _LONGEST_PATH else f"{path[:90]}…{path[-90:]}"
