"""One expectation of a file, and whether it holds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from expectitree.analysis.verify.edit import Place
from expectitree.base.errors import ExpectitreeError


class Hint(Enum):
    """The reason why an expectation does not hold, where that is not plain."""

    NO_BEST = "the root is not a player's, so it has no best action: remove `best`"
    TIE = "it is worth as much, and comes later"
    DIGITS = "only the digits written agree: write {found}"


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

    @property
    def hint_text(self) -> str:
        """Why the expectation does not hold, or nothing."""
        if isinstance(self.hint, Hint):
            return self.hint.value.format(found=self.found)
        return str(self.hint or "")

    def json_fields(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        names = ("what", "expected", "found", "kept", "line", "column")
        return {name: getattr(self, name) for name in names} | {"hint": self.hint_text}
