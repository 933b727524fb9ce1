"""What several formats need: names that are free, messages in a format's words, some notes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, count, islice

from expectitree.base.errors import FileError
from expectitree.files.rows import Warn

_MAX_NOTES = 20


def free_name(base: str, is_taken: Callable[[str], bool], separator: str = "_") -> str:
    """Return a name that is not taken: the base, or else with the first free number from 2 on."""
    numbered = (f"{base}{separator}{number}" for number in count(2))
    return next(name for name in chain([base], numbered) if not is_taken(name))


@contextmanager
def own_words(words: Mapping[str, str]) -> Iterator[None]:
    """Raise a `FileError` with other words in its messages: those of a format."""
    try:
        yield
    except FileError as error:
        problems = []
        for problem in error.problems:
            message = problem.message
            for theirs, own in words.items():
                message = message.replace(theirs, own)
            problems.append(replace(problem, message=message))
        raise FileError(problems, error.stopped) from None


def warn_of(notes: Sequence[str], name: str, kind: str, warn: Warn | None) -> None:
    """Warn of the first notes about a text; `kind` is what a message calls those left out."""
    if warn is None:
        return
    for note in islice(notes, _MAX_NOTES):
        warn(f"{name}: {note}")
    if len(notes) > _MAX_NOTES:
        warn(f"{name}: more such {kind} are left out")
