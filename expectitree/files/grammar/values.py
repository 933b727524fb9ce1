"""Reading single values: numbers, bounds, counts and texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from expectitree.errors import NumberError
from expectitree.files.grammar.document import Data, Place
from expectitree.files.grammar.words import described
from expectitree.numbers import HOW, Number, to_bound, to_number
from expectitree.tree.columns import Bounds
from expectitree.tree.model import UNKNOWN

NOT_KNOWN = "?"  # the utility of a terminal that is not known yet
_HINT_NOT_KNOWN = '; or "?" where it is not known yet'
_MOST_DIGITS = 30  # of a count

Report: TypeAlias = Callable[[Place, str], None]


class ValueReader:
    """Reads the values of one document; a method reports an error and returns None."""

    def __init__(self, exact: bool, report: Report) -> None:
        self.exact, self.report = exact, report

    def number(self, data: Data, place: Place, hint: str = "") -> Number | None:
        """Return a number; a message ends with `hint`."""
        try:
            if not isinstance(data, str):
                raise NumberError(f"{described(data)} is not a number: {HOW}")
            return to_number(data, self.exact)
        except NumberError as error:
            self.report(place, f"{error}{hint or only_utilities(data)}")
            return None

    def utility(self, data: Data, place: Place) -> Number | None:
        """Return a utility, `UNKNOWN` for `"?"`."""
        if data == NOT_KNOWN:
            return UNKNOWN
        looks_unknown = data in (None, "", "~", "null") or isinstance(data, str) and "?" in data
        return self.number(data, place, _HINT_NOT_KNOWN if looks_unknown else "")

    def bounds(self, data: Data, place: Place) -> Bounds | None:
        """Return a pair of bounds."""
        if not isinstance(data, list) or len(data) != 2:
            is_list = isinstance(data, list) and data
            found = f"a list of {len(data)}" if is_list else described(data)
            expected = "expected [lower, upper], such as [0, 100] or [-inf, inf]"
            self.report(place, f"found {found} as bounds, {expected}")
            return None
        lower, upper = (self._bound(end, Place(data, index)) for index, end in enumerate(data))
        if lower is None or upper is None:
            return None
        if lower > upper:
            message = f"the lower bound {data[0]} is greater than the upper bound {data[1]}"
            self.report(place, f"{message}: swap them")
            return None
        return lower, upper

    def _bound(self, data: Data, place: Place) -> Number | None:
        if not isinstance(data, str):
            found = described(data)
            self.report(place, f"found {found} as a bound, expected a number, inf or -inf")
            return None
        try:
            return to_bound(data, self.exact)
        except NumberError as error:
            self.report(place, f"{error}{only_utilities(data)}")
            return None

    def text(self, data: Data, place: Place, name: str) -> str | None:
        """Return a text; messages call it `name`."""
        if isinstance(data, str):
            return str(data)
        self.report(place, f"found {described(data)} as {name}, expected text")
        return None

    def count(self, data: Data, place: Place) -> int | None:
        """Return a whole number."""
        is_count = isinstance(data, str) and data.isascii() and data.isdecimal()
        if is_count and len(data) <= _MOST_DIGITS:
            return int(data)
        found = described(data)
        self.report(place, f"found {found} as a count, expected a whole number such as 5")
        return None


def only_utilities(data: Data) -> str:
    """Return a hint for a `?` where only a number is allowed."""
    return '; only a utility may be "?"' if data == NOT_KNOWN else ""
