"""One exception tree, a class for each layer; the command line catches `ExpectitreeError`.

Every message says what was found, what was expected, where, and what to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


def install_hint(extra: str) -> str:
    """Return how to install an extra, such as `fast`, until the package is on an index."""
    return f"pip install '.[{extra}]' in a clone of the repository"


class ExpectitreeError(Exception):
    """Whatever `expectitree` raises on purpose."""


class NumberError(ExpectitreeError, ValueError):
    """A text that is not a number of the grammar, or that the number system in use cannot hold."""


class TreeError(ExpectitreeError, ValueError):
    """A tree that cannot be built, or a path that names no node of it."""


class TransformError(ExpectitreeError, ValueError):
    """A tree that cannot be transformed as asked."""


class SearchError(ExpectitreeError, ValueError):
    """A search that cannot be run as asked."""


class AnalysisError(ExpectitreeError, ValueError):
    """A question about a tree that has no answer as asked."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong in a tree file: where it is, and what to do about it."""

    source: str
    message: str
    path: str | None = None
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        place = self.source if self.source.isprintable() else ascii(self.source)[1:-1]
        if self.line is not None:
            place += f":{self.line}:{self.column}"
        path = "" if self.path is None else f"{self.path}: "
        return f"{place}: {path}{self.message}"


class FileError(ExpectitreeError):
    """A tree file that cannot be read or is not a tree, with every problem found in it.

    `problems` holds at least one `Problem`; the text of the exception is one line for each.
    """

    def __init__(self, problems: Sequence[Problem], stopped: bool = False) -> None:
        self.problems = tuple(problems)
        self.stopped = stopped  # reading stopped here: there may be more
        lines = [str(problem) for problem in problems]
        if stopped:
            lines.append(
                f"{problems[0].source}: reading stopped after {len(problems)} errors; "
                "there may be more"
            )
        super().__init__("\n".join(lines))

    def __reduce__(self) -> tuple[type[FileError], tuple[Sequence[Problem], bool]]:
        """Go from one process to another as what it was made of."""
        return FileError, (self.problems, self.stopped)
