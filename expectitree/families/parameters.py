"""Parameters of families: given as numbers from Python, as text on the command line and in studies."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from expectitree.errors import TransformError
from expectitree.numbers import quote, to_float
from expectitree.tree.model import Kind

ORDERS = ("random", "best", "worst")
MOST_NODES = 2**31 - 1
MOST_PLIES = 64


def read_parameters(
    family: str, known: Collection[str], parameters: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a family's parameters, read; raise `TransformError` where it knows no such one, or a value is wrong."""
    read = {}
    for name, value in parameters.items():
        if name not in known:
            raise TransformError(
                f"{family} has no parameter {quote(name)}: it has {', '.join(known)}"
            )
        reader, expected = _PARAMETERS[name]
        try:
            read[name] = reader(value)
        except (ValueError, TypeError, KeyError, OverflowError):
            found = quote(value if isinstance(value, str) else _shown(value))
            raise TransformError(f"found {found} as {name}, expected {expected}") from None
    return read


def _whole(least: int, most: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if isinstance(value, str):
            if not (value.isascii() and value.isdecimal() and len(value) <= 20):
                raise ValueError
            value = int(value)
        if type(value) is not int or not least <= value <= most:
            raise ValueError
        return value

    return read


def _real(least: float, most: float, below: bool = False) -> Callable[[Any], float]:
    def read(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise TypeError
        number = float(to_float(value) if isinstance(value, str) else value)
        if not least <= number <= most or below and number == most:
            raise ValueError
        return number

    return read


def _branching(value: Any) -> int | tuple[int, int]:
    whole = _whole(1, MOST_NODES)
    if isinstance(value, str) and "-" in value:
        value = tuple(value.split("-"))
    if not isinstance(value, (tuple, list)):
        return whole(value)
    least, most = map(whole, value)
    if least > most:
        raise ValueError
    return least, most


def _ends(value: Any) -> tuple[float, float]:
    lower, upper = map(
        _real(-1e15, 1e15), value.strip("[]").split(",") if isinstance(value, str) else value
    )
    if lower > upper:
        raise ValueError
    return lower, upper


def read_pattern(value: Any) -> list[Kind]:
    kinds: list[Kind] = []
    for written in value.split(",") if isinstance(value, str) else value:
        kind = Kind[written.strip().upper()] if isinstance(written, str) else written
        if not isinstance(kind, Kind) or kind == Kind.TERMINAL:
            raise ValueError
        kinds.append(kind)
    if not 1 <= len(kinds) <= MOST_PLIES:
        raise ValueError
    return kinds


def _order(value: Any) -> str:
    if value not in ORDERS:
        raise ValueError
    return str(value)


def _flag(value: Any) -> bool:
    if isinstance(value, str):
        value = {"true": True, "false": False}.get(value.lower())
    if not isinstance(value, bool):
        raise TypeError
    return value


def _optional(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else read(value)


def _shown(value: object) -> str:
    try:
        return repr(value)
    except ValueError:  # Python prints no number of more than 4,300 digits
        return f"a {type(value).__name__} of many digits"


_PARAMETERS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "pattern": (
        read_pattern,
        f"from 1 to {MOST_PLIES} of max, min and chance, such as max,chance,min",
    ),
    "plies": (_optional(_whole(1, MOST_PLIES)), f"a whole number from 1 to {MOST_PLIES}"),
    "branching": (_branching, "a whole number from 1 on such as 4, or two such as 2-4"),
    "order": (_order, f"one of {', '.join(ORDERS)}"),
    "dice": (_whole(0, 1_000), "the sides of each die, from 1 to 1,000, or 0 for none"),
    "seed": (_whole(0, 10**18 - 1), "a whole number of up to 18 digits"),
    "utilities": (_ends, "a lower and an upper number, up to 1e15, such as 0,100"),
    "real": (_flag, "true or false"),
    "end": (_real(0, 1, below=True), "a number from 0 to below 1"),
    "skew": (_whole(0, 4), "a whole number from 0 to 4"),
    "steps": (_whole(1, 25_000), "a whole number from 1 to 25,000"),
    "spot": (_real(1e-15, 1e15), "a price above 0, up to 1e15"),
    "strike": (_real(0, 1e15), "a price from 0 to 1e15"),
    "up": (_real(1, 100), "a factor above 1, up to 100"),
    "rate": (_real(0.01, 100), "a factor from 0.01 to 100"),
    "call": (_flag, "true or false"),
}
