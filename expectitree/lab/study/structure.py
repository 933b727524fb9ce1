"""Read lists, mappings and single values of a study's file, and note what is wrong in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias

from expectitree.errors import AnalysisError, ExpectitreeError
from expectitree.files.grammar.document import Data, Place
from expectitree.files.grammar.problems import Problems
from expectitree.files.grammar.words import described, unknown_key
from expectitree.numbers import quote

Reader: TypeAlias = Callable[[Data, Place], Any]  # returns what a value means, or raises an error


class StructureReader:
    """Reads one document; the error of a reader becomes a problem at the place of its value."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems

    def wrong(self, place: Place, message: str) -> None:
        self.problems.add(place, "study", message)

    def attempt(self, read: Reader, value: Data, place: Place) -> Any:
        """Return what a value means; if it is wrong, note the problem and return None."""
        try:
            return read(value, place)
        except ExpectitreeError as error:
            return self.wrong(place, str(error))

    def each(self, read: Reader) -> Reader:
        """Return a reader of a list, or of one value in place of a list; it returns a tuple."""

        def read_each(value: Data, place: Place) -> tuple[Any, ...]:
            if not isinstance(value, list):
                return (self.attempt(read, value, place),)
            if not value:
                key = place.container[place.at][0]
                self.wrong(place, f"found an empty list, expected at least one of {key}")
            return tuple(self.attempt(read, item, Place(value, i)) for i, item in enumerate(value))

        return read_each

    def all_of(self, read: Reader, value: Data, place: Place) -> tuple[Any, ...]:
        """Return what the items of a list mean, where each means several things."""
        return tuple(chain.from_iterable(found or () for found in self.each(read)(value, place)))

    def mapping(self, data: Data, expected: str, readers: Mapping[str, Reader]) -> dict[str, Any]:
        """Return what the value of each key means; a key without a reader is a problem."""
        expect(isinstance(data, tuple), data, expected)
        found: dict[str, Any] = {}
        for index, (key, value) in enumerate(data):
            if key not in readers:
                self.wrong(Place(data, index, True), unknown_key(str(key), tuple(readers)))
            elif key in found:
                self.wrong(Place(data, index, True), f"duplicate key {quote(key)}: keep one")
            else:
                found[key] = self.attempt(readers[key], value, Place(data, index))
        return found

    def check_repeats(self, names: Iterable[str], what: str) -> None:
        for name, count in Counter(names).items():
            if count > 1 and not self.problems.found:
                raise AnalysisError(f"the same {what} listed twice: {name}; keep one")


def expect(holds: bool, found: Data, expected: str) -> None:
    if not holds:
        raise AnalysisError(f"found {described(found)}, expected {expected}")


def as_text(value: Data, place: Place) -> str:
    text = str(value).lower() if isinstance(value, bool) else value
    expect(isinstance(text, str), value, "text")
    return str(text)


def whole(least: int, most: int) -> Reader:
    def read(value: Data, place: Place) -> int:
        is_whole = isinstance(value, str) and value.isascii() and value.isdecimal()
        # Python refuses to read thousands of digits.
        found = int(value.lstrip("0")[:30] or "0") if is_whole else -1
        expect(least <= found <= most, value, f"a whole number from {least:,} to {most:,}")
        return found

    return read


def one_of(values: Sequence[str]) -> Reader:
    def read(value: Data, place: Place) -> str:
        expect(value in values, value, f"{', '.join(values[:-1])} or {values[-1]}")
        return str(value)

    return read
