"""The keys of one node: which kind it is, what its children or its utility are, and what is said about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from expectitree.errors import NumberError
from expectitree.files.grammar.document import Data, Place
from expectitree.files.grammar.words import described, key_list, unknown_key
from expectitree.numbers import Number, quote, to_bound, to_number
from expectitree.tree.model import UNKNOWN, Bounds, Kind

KINDS = {"max": Kind.MAX, "min": Kind.MIN, "chance": Kind.CHANCE}
TYPES = {**{kind: kind for kind in KINDS}, "terminal": "utility"}
ROOT_KEYS = ("title", "source", "nodes", "expect")
NOT_KNOWN = "?"  # the utility of a terminal that is not known yet
SCHEMA_KEY = "$schema"  # at the root too, for editors: where they find the schema
NODE_KEYS = (
    *KINDS,
    "utility",
    "ref",
    "type",
    "children",
    "label",
    "p",
    "estimate",
    "bounds",
    "note",
)
EXPECTED_NODE = "expected a number (a terminal), or a mapping with one of max, min, chance, utility, ref or type"

ONLY_UTILITIES = '; only a utility may be "?"'

Report = Callable[[Place, str], None]


class Header(NamedTuple):
    """What the keys of a node say, apart from `p`, `label` and `ref`."""

    kind: str  # a key of KINDS, "utility", or "" where nothing sound was found
    body: Data
    about: dict[str, Any] | None  # of estimate, bounds, note: what is there


def place_of(item: Data, key: str, of_key: bool = False) -> Place:
    """Return where the last pair with that key stands in a mapping."""
    return Place(item, max(i for i, pair in enumerate(item) if pair[0] == key), of_key)


def read_keys(
    item: Data, keys: dict[str, Data], exact: bool, report: Report, where: Place
) -> Header:
    """Return what the keys of the mapping `item`, which stands at `where`, say; whatever is wrong is reported."""
    if len(keys) == 1:
        (key,) = keys
        if key in KINDS or key == "utility":
            return Header(key, keys[key], None)
    about: dict[str, Any] = {}
    kinds: list[str] = []
    unknown = False
    for key, value in keys.items():
        if key in KINDS or key == "utility":
            kinds.append(key)
        elif key == "estimate":
            about[key] = read_number(value, exact, report, place_of(item, key))
        elif key == "bounds":
            about[key] = read_bounds(value, exact, report, place_of(item, key))
        elif key == "note":
            about[key] = read_text(value, "a note", report, place_of(item, key))
        elif key in ROOT_KEYS or key == SCHEMA_KEY:
            unknown = True
            report(
                place_of(item, key, True),
                f"the key {quote(key)} is for the root alone: move it there",
            )
        elif key not in ("type", "children"):
            unknown = True
            known = NODE_KEYS if where.container is not None else (*NODE_KEYS, *ROOT_KEYS)
            report(place_of(item, key, True), unknown_key(key, known))
    if len(kinds) > 1:
        report(
            place_of(item, kinds[1], True), f"two kinds in one node, {key_list(kinds)}: keep one"
        )
    if "type" in keys or "children" in keys:
        return _long_form(item, keys, kinds, about, report)
    if kinds:
        return Header(kinds[0], keys[kinds[0]], about)
    if not unknown:
        found = (
            f"found a node with only {key_list(keys)}"
            if keys
            else "found a mapping that says no kind"
        )
        report(where, f"{found}, {EXPECTED_NODE}")
    return Header("", None, about)


def _long_form(
    item: Data, keys: dict[str, Data], kinds: list[str], about: dict[str, Any], report: Report
) -> Header:
    """Return the header of a node written as `type: MAX` with `children:`, or TERMINAL with `utility:`."""
    if "type" not in keys:
        report(
            place_of(item, "children", True),
            "children without a type: add type: MAX, MIN or CHANCE",
        )
        return Header("", None, about)
    written = keys["type"]
    kind = TYPES.get(written.lower()) if isinstance(written, str) else None
    if kind is None:
        report(
            place_of(item, "type"),
            f"unknown type {described(written)}: expected MAX, MIN, CHANCE or TERMINAL",
        )
        return Header("", None, about)
    if any(other != kind or kind != "utility" for other in kinds):
        if len(kinds) == 1:
            report(
                place_of(item, kinds[0], True),
                f"two kinds in one node, type {written} and {key_list(kinds)}: keep one",
            )
        return Header("", None, about)
    needed = "utility" if kind == "utility" else "children"
    if needed not in keys:
        report(place_of(item, "type"), f"the type {written} needs `{needed}:` beside it: add it")
        return Header("", None, about)
    if kind == "utility" and "children" in keys:
        report(
            place_of(item, "children", True),
            "a TERMINAL has no children: take them out, or change the type",
        )
    return Header(kind, keys[needed], about)


def read_utility(value: Data, exact: bool, report: Report, place: Place) -> Number:
    """Return the utility written, `UNKNOWN` for `"?"`; where it is none, report it and return 0."""
    if value == NOT_KNOWN and isinstance(value, str):
        return UNKNOWN

    def tell(place: Place, message: str) -> None:
        is_missing = value in (None, "", "~", "null") or isinstance(value, str) and "?" in value
        report(place, message + ('; or "?" where it is not known yet' if is_missing else ""))

    return read_number(value, exact, tell, place)


def read_number(value: Data, exact: bool, report: Report, place: Place) -> Number:
    """Return the number written; where it is none, report it and return 0."""
    if isinstance(value, str):
        try:
            return to_number(value, exact)
        except NumberError as error:
            report(place, f"{error}{ONLY_UTILITIES if value == NOT_KNOWN else ''}")
    else:
        report(
            place,
            f"{described(value)} is no number: write a decimal such as 2, -4.5e3 or .9, or a fraction such as 1/3",
        )
    return to_number("0", exact)


def read_bounds(value: Data, exact: bool, report: Report, place: Place) -> Bounds | None:
    """Return the pair of bounds written; where it is none, report it and return None."""
    if not isinstance(value, list) or len(value) != 2:
        found = f"a list of {len(value)}" if isinstance(value, list) and value else described(value)
        report(
            place,
            f"found {found} as bounds, expected [lower, upper], such as [0, 100] or [-inf, inf]",
        )
        return None
    ends = []
    for index, end in enumerate(value):
        if not isinstance(end, str):
            report(
                Place(value, index),
                f"found {described(end)} as a bound, expected a number, inf or -inf",
            )
            continue
        try:
            ends.append(to_bound(end, exact))
        except NumberError as error:
            report(Place(value, index), f"{error}{ONLY_UTILITIES if end == NOT_KNOWN else ''}")
    if len(ends) < 2:
        return None
    lower, upper = ends
    if lower > upper:
        report(
            place,
            f"the lower bound {value[0]} is greater than the upper bound {value[1]}: swap them",
        )
        return None
    return lower, upper


def read_text(value: Data, what: str, report: Report, place: Place) -> str | None:
    """Return the text written; where it is none, report it and return None."""
    if isinstance(value, str):
        return str(value)
    report(place, f"found {described(value)} as {what}, expected text")
    return None
