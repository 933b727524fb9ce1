"""Verifications as workflow commands of GitHub, which shows errors next to the lines of a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from expectitree.analysis.verify.report import Verification
from expectitree.analysis.verify.text import summary
from expectitree.base.numbers import escape


def render(verifications: Sequence[Verification]) -> Iterator[str]:
    """Yield a command for each error and each broken expectation, and a summary."""
    for v in verifications:
        file = _encoded(v.file).replace(":", "%3A").replace(",", "%2C")
        for message, line, column in _errors(v):
            place = f",line={line},col={column}" if line else ""
            yield f"::error file={file}{place}::{_encoded(escape(message))}"
    yield summary(verifications)


def _errors(v: Verification) -> Iterator[tuple[str, int | None, int | None]]:
    """Yield the message, the line and the column of each error and broken expectation."""
    if v.unchecked is not None:
        yield v.unchecked, None, None
    for problem in v.error.problems if v.error else ():
        path = f"{problem.path}: " if problem.path else ""
        yield path + problem.message, problem.line, problem.column
    for check in v.broken:
        yield check.text, check.line, check.column


def _encoded(text: str) -> str:
    """Return a text as a command holds it; the characters are those of GitHub's own toolkit."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
