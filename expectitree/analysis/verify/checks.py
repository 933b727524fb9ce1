"""One expectation of a file, and whether it holds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from expectitree.analysis.verify.edit import Place
from expectitree.errors import ExpectitreeError


class Hint(Enum):
    """The reason why an expectation does not hold, where that is not plain."""

    NO_BEST = "no best"  # the root is not a player's
    TIE = "tie"  # the expected action is as good, and comes later
    DIGITS = "digits"  # the value is what was written, with more digits


@dataclass(frozen=True)
class Check:
    """One expectation, and the result that was found."""

    what: str
    expected: str
    found: str
    kept: bool
    place: Place  # the keys within `expect` that lead to what was expected
    replacement: object = None  # what would hold: a text, a number, a list, a mapping
    hint: Hint | ExpectitreeError | None = None
    line: int | None = None  # in the file, from 1
    column: int | None = None
