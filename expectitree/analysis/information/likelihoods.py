"""Read the likelihoods of a test: signal, then outcome, then probability."""

from __future__ import annotations

from typing import Any

from expectitree.errors import FileError, NumberError, Problem
from expectitree.files import parse, read_text
from expectitree.numbers import to_probability

_EXPECTED = "expected signal: {outcome: probability, ...}, such as positive: {oil: 0.9, dry: 0.3}"


def read_likelihoods(path: str, exact: bool = False) -> dict[str, dict[str, Any]]:
    """Return the likelihoods in a file; raise `FileError` if it has something else."""
    text, name = read_text(path)
    root = parse(text, name).root

    def wrong(message: str) -> FileError:
        return FileError([Problem(name, message)])

    if not isinstance(root, tuple):
        raise wrong(f"found no mapping, {_EXPECTED}")
    found: dict[str, dict[str, Any]] = {}
    for signal, row in root:
        if not isinstance(row, tuple):
            raise wrong(f"{signal}: found no mapping, {_EXPECTED}")
        found[str(signal)] = {}
        for outcome, p in row:
            try:
                found[str(signal)][str(outcome)] = to_probability(str(p), exact)
            except NumberError as error:
                raise wrong(f"{signal}/{outcome}: {error}") from None
    return found
