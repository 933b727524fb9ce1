"""The keys of one node: its kind, its children or its utility, and what is noted about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from expectitree.files.grammar.document import Data, Place
from expectitree.files.grammar.values import ValueReader
from expectitree.files.grammar.words import described, key_list, unknown_key
from expectitree.numbers import quote
from expectitree.tree.model import Kind

KINDS = {"max": Kind.MAX, "min": Kind.MIN, "chance": Kind.CHANCE}
_KIND_KEYS = {**KINDS, "utility": Kind.TERMINAL}
_TYPES = {kind.name: kind for kind in Kind}
SCHEMA_KEY = "$schema"  # editors read it; a tree does not use it
ROOT_KEYS = ("title", "source", "nodes", "expect")
BRANCH_KEYS = ("label", "p")
NODE_KEYS = (
    *KINDS,
    "utility",
    "ref",
    "type",
    "children",
    *BRANCH_KEYS,
    "estimate",
    "bounds",
    "note",
)
EXPECTED_NODE = (
    "expected a number (a terminal), or a mapping with one of "
    "max, min, chance, utility, ref or type"
)


# The keys of a node apart from those of its branch: the kind, the children or the utility, and
# the estimate, the bounds and the note, if there are any. (A plain tuple is the fastest to make.)
Header: TypeAlias = tuple[Kind, Data, dict[str, Any] | None]


def place_of(item: Data, key: str, of_key: bool = False) -> Place:
    """Return the place of the last pair with that key in a mapping."""
    return Place(item, max(i for i, pair in enumerate(item) if pair[0] == key), of_key)


class KeyReader:
    """Reads the keys of the nodes of one document."""

    def __init__(
        self,
        values: ValueReader,
        allowed: Callable[[bool], Sequence[str]],
        here: Callable[[], Place],
    ) -> None:
        self.values, self.report = values, values.report
        self.allowed = allowed  # returns the keys of a node, from whether it is a named one
        self.here = here  # returns the place of the current child

    def read(self, item: Data, keys: dict[str, Data], named: Place | None) -> Header | None:
        """Return the header of the mapping `item`, or None after a report.

        `named` is its place if a ref leads to it.
        """
        if len(keys) == 1:
            ((key, body),) = keys.items()
            if key in _KIND_KEYS:
                return _KIND_KEYS[key], body, None
        kinds = [key for key in keys if key in _KIND_KEYS]
        about = self.about(item, keys)
        unknown = [key for key in keys if key not in NODE_KEYS]
        for key in unknown:
            if key in ROOT_KEYS or key == SCHEMA_KEY:
                message = f"the key {quote(key)} is for the root alone: move it there"
            else:
                message = unknown_key(key, self.allowed(named is not None))
            self.report(place_of(item, key, True), message)
        if len(kinds) > 1:
            message = f"two kinds in one node, {key_list(kinds)}: keep one"
            self.report(place_of(item, kinds[1], True), message)
        if "type" in keys or "children" in keys:
            return self.long_form(item, keys, kinds, about)
        if kinds:
            return _KIND_KEYS[kinds[0]], keys[kinds[0]], about
        if not unknown:
            only = f"a node with only {key_list(keys)}" if keys else "a mapping without a kind"
            self.report(named or self.here(), f"found {only}, {EXPECTED_NODE}")
        return None

    def about(self, item: Data, keys: dict[str, Data]) -> dict[str, Any]:
        about: dict[str, Any] = {}
        if "estimate" in keys:
            about["estimate"] = self.values.number(keys["estimate"], place_of(item, "estimate"))
        if "bounds" in keys:
            about["bounds"] = self.values.bounds(keys["bounds"], place_of(item, "bounds"))
        if "note" in keys:
            about["note"] = self.values.text(keys["note"], place_of(item, "note"), "a note")
        return about

    def long_form(
        self, item: Data, keys: dict[str, Data], kinds: list[str], about: dict[str, Any]
    ) -> Header | None:
        """Return the header of `type: MAX` with `children:`, or TERMINAL with `utility:`."""
        if "type" not in keys:
            message = "children without a type: add type: MAX, MIN or CHANCE"
            self.report(place_of(item, "children", True), message)
            return None
        written = keys["type"]
        kind = _TYPES.get(written.upper()) if isinstance(written, str) else None
        if kind is None:
            expected = "expected MAX, MIN, CHANCE or TERMINAL"
            self.report(place_of(item, "type"), f"unknown type {described(written)}: {expected}")
            return None
        if kinds and (kind or kinds != ["utility"]):
            if len(kinds) == 1:  # more than one are reported already
                message = f"two kinds in one node, type {written} and {key_list(kinds)}: keep one"
                self.report(place_of(item, kinds[0], True), message)
            return None
        needed = "children" if kind else "utility"
        if needed not in keys:
            message = f"the type {written} needs `{needed}:` next to it: add it"
            self.report(place_of(item, "type"), message)
            return None
        if not kind and "children" in keys:
            message = "a TERMINAL has no children: take them out, or change the type"
            self.report(place_of(item, "children", True), message)
        return kind, keys[needed], about
