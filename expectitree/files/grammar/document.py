"""`Document`: the structure of a text, which a format passes to the grammar uninterpreted.

    a scalar    str, as written (JSON's true, false and null stay True, False and None)
    a list      list
    a mapping   tuple of (key, value) pairs, so that the grammar can report duplicate keys

Where several branches lead to one place of the text (YAML's aliases), the same object is at
each of them, and its `id` is in `shared`; a scalar that is shared in this way is a `SharedText`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

Data: TypeAlias = Any  # str | bool | None | list[Data] | tuple[tuple[str, Data], ...]

MAX_NESTED = 300  # nodes within nodes in one text
MAX_DEPTH = MAX_NESTED - 2  # branches on a path, in formats that cannot give a part a name
MAX_CONTAINERS = 2 * MAX_NESTED + 100  # lists and mappings within each other
NESTED_TOO_DEEPLY = (
    f"the text nests more than {MAX_NESTED} nodes: give a deeper part a name under the root's "
    "`nodes:` and write `ref: NAME` in its place"
)


class SharedText(str):
    """A scalar that an alias may repeat: one object, one node."""

    __slots__ = ()


class NumberText(str):
    """The text of a number to be written, or one that JSON has without quotes."""

    __slots__ = ()


class FormulaText(str):
    """The text of a formula to be written."""

    __slots__ = ()


class Place(NamedTuple):
    """A place in the structure: an item of a list or a pair of a mapping; the root by default."""

    container: Data = None
    at: int = 0
    of_key: bool = False  # the pair's key, not its value
    offset: int = 0  # characters from the start of a scalar


Mark: TypeAlias = "tuple[int, int]"  # line and column, from 1


@dataclass(frozen=True, slots=True)
class Document:
    """One parsed text."""

    name: str  # what messages call it: a file's path, `-` or `-e`
    root: Data
    shared: frozenset[int] = frozenset()  # ids of the values that an alias repeats
    locate: Callable[[Sequence[Place]], Sequence[Mark | None]] = lambda places: [None] * len(places)
    text: str = ""  # the source, for the lines of errors
    has_labels: bool = False  # the keys of children are labels, even if all are probabilities


def place_of(item: Data, key: str, of_key: bool = False) -> Place:
    """Return the place of the last pair with that key in a mapping."""
    return Place(item, max(i for i, pair in enumerate(item) if pair[0] == key), of_key)
