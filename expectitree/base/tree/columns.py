"""The columns of a tree, and the small types that all code over columns shares.

    node table                                      branch table
    kind[N]     TERMINAL, MAX, MIN or CHANCE        child[M]        node id
    utility[N]  of a terminal; else the estimate;   probability[M]  1 unless below CHANCE
                NaN if it is not known
    first[N+1]  first branch of a node              reward[M]       what the branch pays MAX;
    last[N]     one past its last branch                            empty if no branch pays

A column is an array, a view of another library's memory, or a list (of `Fraction`).
Compiled code sees a NumPy array of the same memory. `zeros` and `filled` make columns, and
`Columns.scan` runs a loop over them, compiled where that saves time: callers need not know.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from typing import Any, Literal, NamedTuple, Protocol, Self, TypeAlias, TypeVar, overload

from expectitree.base import compiling
from expectitree.base.compiling import expect_rows as expect_rows
from expectitree.base.compiling import filled as filled
from expectitree.base.compiling import zeros as zeros
from expectitree.base.numbers import INFINITY, Number

UNKNOWN = float("nan")  # as a utility
SUM_TOLERANCE = 1e-9  # the most by which probabilities may miss the sum 1, to be normalised
NORMALIZED = 0.02  # the same, where the user asks for sums rounded for print to be normalised
ROUNDING = 4e-16  # the most by which rounded probabilities that sum to 1 on paper miss it
MAX_IDS = 2**31 - 1  # of nodes, and of branches
NUMBERS = ("utility", "probability", "reward")  # the columns of numbers


class Kind(IntEnum):
    """The kind of a node: `MAX`, `MIN` or `CHANCE` decides there; at a `TERMINAL`, play ends.

    >>> import expectitree as et
    >>> et.loads("chance: [1, 2]").root.kind.name
    'CHANCE'
    """

    TERMINAL = 0
    MAX = 1
    MIN = 2
    CHANCE = 3


# The same as plain numbers, which loops compare.
TERMINAL, MAX, MIN, CHANCE = map(int, Kind)

NUMBER_WORDS = ("utility", *["estimate"] * 3)  # by kind: what the number at a node is

# In the column of kinds while a tree grows: a node whose kind is not known yet (`games.growth`). A
# search that would enter one waits until it has grown.
UNSEEN = 4

NONE = -1  # in a column of nodes or branches: there is none

Bounds: TypeAlias = tuple[Number, Number]
NO_BOUNDS: Bounds = (-INFINITY, INFINITY)
Labels: TypeAlias = "Sequence[str | None]"  # of branches; None for `#k`, by place
ChosenBounds: TypeAlias = Bounds | Literal["none", "leaves"] | None  # None: by file and algorithm

T_co = TypeVar("T_co", covariant=True)


class Readable(Protocol[T_co]):
    """A column that is only read."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[T_co]: ...
    @overload
    def __getitem__(self, row: int, /) -> T_co: ...
    @overload
    def __getitem__(self, at: slice, /) -> Sequence[T_co]: ...


class Writable(Readable[T_co], Protocol[T_co]):
    """A column that a loop writes."""

    def __setitem__(self, row: int, value: Any, /) -> None: ...


IntColumn: TypeAlias = Writable[int]  # ids of nodes or branches, kinds, counts
FloatColumn: TypeAlias = Writable[float]  # floats, also for trees in fractions
NumberColumn: TypeAlias = Writable[Number]  # floats, or `Fraction`
Column: TypeAlias = Writable[Any]  # one of these, as code that forwards columns has it


class Columns(NamedTuple):
    """The numeric columns of a tree, as a search takes them; shapes as in the module's table.

    `Columns.of` makes them. In a finished tree, the branches of a node follow those of the node
    before it, so `last` is a part of the memory of `first`. A loop reads `last[n]`, and does not
    need that order. A tree in which no branch pays has an empty column of rewards, which takes no
    memory. Do not read `reward` then.
    """

    kind: IntColumn
    utility: NumberColumn
    first: IntColumn
    child: IntColumn
    probability: NumberColumn
    last: IntColumn
    reward: NumberColumn

    @classmethod
    def of(
        cls,
        kind: IntColumn,
        utility: NumberColumn,
        first: IntColumn,
        child: IntColumn,
        probability: NumberColumn,
        reward: NumberColumn | None = None,
    ) -> Self:
        """Return the columns of a tree in which branches are in the order of their nodes.

        Rewards that are all 0, or None, become an empty column.
        """
        last: Any = memoryview(first)[1:] if isinstance(first, array) else first[1:]
        if reward is None or (len(reward) and not any(reward)):
            reward = array("d") if isinstance(probability, (array, memoryview)) else []
        return cls(kind, utility, first, child, probability, last, reward)

    @property
    def pays(self) -> bool:
        """Whether a branch has a reward; loops ask for the length of `reward`."""
        return len(self.reward) > 0

    @property
    def compiles(self) -> bool:
        """Whether loops over all rows run compiled: there are many, and they are not fractions."""
        return not isinstance(self.utility, list) and compiling.pays(len(self.kind))

    def scan(self, loop: Callable[..., Any], *arguments: Any, compiled: bool | None = None) -> Any:
        """Return the result of a loop over all rows of these columns."""
        if compiled is None:
            compiled = self.compiles
        return compiling.run(loop, self, *arguments, rows=0, compiled=compiled)

    @property
    def stored(self) -> tuple[Any, ...]:
        """The columns that `of` takes: all except `last`."""
        return self.kind, self.utility, self.first, self.child, self.probability, self.reward

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without `last`, since a view of memory cannot be pickled."""
        return type(self).of, self.stored

    @property
    def read_only(self) -> bool:
        """Whether compiled loops see these columns read-only."""
        return True


class Repeated(Sequence[Any]):
    """A column that holds one value throughout, and takes no memory."""

    def __init__(self, value: Any, count: int) -> None:
        self.value, self.count_ = value, count

    def __len__(self) -> int:
        return self.count_

    def __getitem__(self, row: Any) -> Any:
        places = range(self.count_)[row]
        if isinstance(places, int):
            return self.value
        return Repeated(self.value, len(places))
