"""The parameters of all families: how each is read, from Python or from text, and its help."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from expectitree.base.errors import TransformError
from expectitree.base.numbers import quote
from expectitree.base.reading import to_float
from expectitree.base.tree.columns import MAX_IDS
from expectitree.base.tree.model import Kind

PATTERN = (Kind.MAX, Kind.CHANCE, Kind.MIN)
ORDERS = ("random", "best", "worst")
TOO_LARGE = f"more than {MAX_IDS:,} nodes\nchoose a shorter pattern or a smaller branching"
MAX_PLIES = 64

Written: TypeAlias = Any  # what a user wrote: text, or a value in Python


class Parameter(NamedTuple):
    read: Callable[[Written], Any]  # raises an error for a wrong value
    expected: str  # the values it takes, in words
    metavar: str | None  # on the command line; None for a flag and for a choice
    help: str

    def value(self, name: str, written: Written) -> Any:
        """Return the value of the parameter `name`; raise `TransformError` if it is wrong."""
        try:
            return self.read(written)
        except (ValueError, TypeError, KeyError, OverflowError):
            if not isinstance(written, str):
                written = _python_text(written)
            found = quote(written)
            raise TransformError(f"found {found} as {name}\nwrite {self.expected}") from None


def repeat_pattern(pattern: Sequence[Kind], plies: int | None) -> list[Kind]:
    """Return the kinds of the plies: the pattern, repeated or cut to so many plies."""
    return [pattern[ply % len(pattern)] for ply in range(plies or len(pattern))]


def whole(least: int, most: int, help: str = "", metavar: str = "N") -> Parameter:
    """Return a parameter that is a whole number."""

    def read(value: Written) -> int:
        if isinstance(value, str):
            if not (value.isascii() and value.isdecimal()):
                raise ValueError
            value = int(value)  # raises an error for thousands of digits
        if type(value) is not int or not least <= value <= most:
            raise ValueError
        return value

    return Parameter(read, f"a whole number from {least} to {most:,}", metavar, help)


def _real(least: float, most: float, help: str = "") -> Parameter:
    def read(value: Written) -> float:
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise TypeError
        if isinstance(value, str):
            value = to_float(value)
        number = float(value)
        if not least <= number <= most:
            raise ValueError
        return number

    return Parameter(read, f"a number from {least:g} to {most:g}", "P", help)


def _plies(value: Written) -> int | None:
    if value is None:
        return None
    return int(whole(1, MAX_PLIES).read(value))


def _branching(value: Written) -> int | tuple[int, int]:
    branches = whole(1, MAX_IDS).read
    if isinstance(value, str) and "-" in value:
        value = tuple(value.split("-"))
    if not isinstance(value, (tuple, list)):
        return int(branches(value))
    least, most = map(branches, value)
    if least > most:
        raise ValueError
    return least, most


def _utilities(value: Written) -> tuple[float, float]:
    if isinstance(value, str):
        value = value.strip("[]").split(",")
    lower, upper = map(_real(-1e15, 1e15).read, value)
    if lower > upper:
        raise ValueError
    return lower, upper


def _pattern(value: Written) -> list[Kind]:
    kinds: list[Kind] = []
    if isinstance(value, str):
        value = value.split(",")
    for kind in value:
        if isinstance(kind, str):
            kind = Kind[kind.strip().upper()]
        if not isinstance(kind, Kind) or kind == Kind.TERMINAL:
            raise ValueError
        kinds.append(kind)
    if not 1 <= len(kinds) <= MAX_PLIES:
        raise ValueError
    return kinds


def _python_text(value: object) -> str:
    try:
        return repr(value)
    except ValueError:  # Python prints no number of more than 4,300 digits
        return f"a {type(value).__name__} of many digits"


PARAMETERS = {
    "pattern": Parameter(
        _pattern,
        f"from 1 to {MAX_PLIES} of max, min and chance, such as max,chance,min",
        "KINDS",
        "kinds of the plies, starting at the root; without it, a sheet of alphabeta has max,min.  "
        "[default: max,chance,min]",
    ),
    "plies": Parameter(
        _plies,
        f"a whole number from 1 to {MAX_PLIES}",
        "N",
        "number of plies; the pattern is repeated or cut.",
    ),
    "branching": Parameter(
        _branching,
        "a whole number from 1 on such as 4, or two such as 2-4",
        "N",
        "branches of each node; uniform takes a range.  [default: 4; uniform 2-4; 2 in a sheet, 3 "
        "for alphabeta]",
    ),
    "order": Parameter(
        lambda order: ORDERS[ORDERS.index(order)],
        f"one of {', '.join(ORDERS)}",
        None,
        "order of children; best is best for a search.  [default: random]",
    ),
    "dice": whole(
        0, 1000, "sides of each of two dice, whose sums are the outcomes.  [default: 0, no dice]"
    ),
    "utilities": Parameter(
        _utilities,
        "a lower and an upper number, up to 1e15, such as 0,100",
        "LOWER,UPPER",
        "range of the utilities.  [default: 0,100]",
    ),
    "real": Parameter(
        lambda truth: {"true": True, "false": False}[str(truth).lower()],
        "true or false",
        None,
        "utilities are real numbers, not whole numbers.",
    ),
    "end": _real(0, 0.999999, "probability that a node is a terminal early.  [default: 0]"),
    "skew": whole(0, 4, "how uneven probabilities are, from 0 to 4.  [default: 0, even]", "K"),
    "seed": whole(0, 10**18 - 1, "seed.  [default: 0]"),
}
