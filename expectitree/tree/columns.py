"""The columns of a tree, and the small types that all code over columns shares.

    node table                                      branch table
    kind[N]     TERMINAL, MAX, MIN or CHANCE        child[M]        node id
    utility[N]  of a terminal; else the estimate    probability[M]  1 unless below CHANCE
    first[N+1]  first branch; the branches of node
                n are first[n] .. first[n + 1]

A column is an array, a view of another library's memory, or a list (of `Fraction` in exact mode).
Compiled code sees a NumPy array of the same memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar, overload

from expectitree.numbers import Number

# The kinds of nodes, as the column `kind` holds them and as loops compare them.
TERMINAL, MAX, MIN, CHANCE = range(4)

NONE = -1  # in a column of nodes or branches: there is none

Bounds: TypeAlias = tuple[Number, Number]


# A column whose type the caller knows, as code that builds or forwards columns has it.
Column: TypeAlias = Any

T_co = TypeVar("T_co", covariant=True)


class Readable(Protocol[T_co]):
    """A column that is only read."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[T_co]: ...
    @overload
    def __getitem__(self, at: int, /) -> T_co: ...
    @overload
    def __getitem__(self, at: slice, /) -> Sequence[T_co]: ...


class Writable(Readable[T_co], Protocol[T_co]):
    """A column that a loop writes."""

    def __setitem__(self, at: int, value: Any, /) -> None: ...


IntColumn: TypeAlias = Writable[int]  # ids of nodes or branches, kinds, counts
FloatColumn: TypeAlias = Writable[float]  # floats in every mode
NumberColumn: TypeAlias = Writable[Number]  # floats, or `Fraction` in exact mode


class Columns(NamedTuple):
    """The numeric columns of a tree, as a search takes them; shapes as in the module's table."""

    kind: Column
    utility: Column
    first: Column
    child: Column
    probability: Column

    @property
    def read_only(self) -> bool:
        """Compiled loops see these columns read-only."""
        return True


class Repeated(Sequence[Any]):
    """A column that holds one value throughout, and takes no memory."""

    def __init__(self, value: Any, count: int) -> None:
        self.value, self.count_ = value, count

    def __len__(self) -> int:
        return self.count_

    def __getitem__(self, at: Any) -> Any:
        places = range(self.count_)[at]
        return self.value if isinstance(places, int) else Repeated(self.value, len(places))
