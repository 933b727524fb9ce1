"""The names under the root's `nodes:`, and the nodes that refs to them lead to."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from typing import NamedTuple

from expectitree.files.grammar.document import Data, Place, SharedText
from expectitree.files.grammar.keys import BRANCH_KEYS, place_of
from expectitree.files.grammar.values import ValueReader
from expectitree.files.grammar.words import described, nearest
from expectitree.numbers import quote

_MOST_NAMES = 8  # in a message


class Named(NamedTuple):
    """The node that a name refers to, after following refs to other names."""

    definition: Data
    keys: dict[str, Data]
    place: Place
    identity: object
    note: str | None  # next to the first ref on the way that has one


class Names:
    """The named nodes of one document; `keys_of` reads the keys of a mapping."""

    def __init__(self, keys_of: Callable[[Data], dict[str, Data]], values: ValueReader) -> None:
        self.keys_of, self.values, self.report = keys_of, values, values.report
        self.places: dict[str, Place] = {}
        self.followed: dict[str, Named | None] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def read(self, nodes: Data, place: Place) -> None:
        """Take in the names under `nodes`."""
        if not isinstance(nodes, tuple):
            found = f"found {described(nodes)} under nodes"
            self.report(place, f"{found}, expected a mapping from name to node")
            return
        for index, (name, _) in enumerate(nodes):
            if name in self.places:
                message = f"duplicate name {quote(name)} under nodes: keep one"
                self.report(Place(nodes, index, True), message)
            self.places[name] = Place(nodes, index)

    def definition(self, name: str) -> Data:
        nodes, index, _ = self.places[name]
        return nodes[index][1]

    def follow(self, item: Data, keys: dict[str, Data]) -> Named | None:
        """Follow the ref of a mapping from name to name; return None after a report."""
        way: dict[str, str | None] = {}  # each name, and the note next to the ref to it
        found: Named | None = None
        while found is None and "ref" in keys:
            name, note = keys["ref"], self.read_note(item, keys)
            problem = self.problem_of_ref(name, way)
            if problem:
                self.report(place_of(item, "ref"), problem)
                break
            way[name] = note
            if name in self.followed:
                found = self.followed[name]
                break
            item = self.definition(name)
            keys = self.read_definition(item)
            if "ref" not in keys:
                found = Named(item, keys, self.places[name], self.identity(name), None)
        for name, note in reversed(way.items()):
            self.followed[name] = found
            if found is not None and note:
                found = found._replace(note=note)
        return found

    def problem_of_ref(self, name: Data, way: Container[str]) -> str | None:
        if not isinstance(name, str) or name not in self.places:
            hint = ": quote a name that starts with #" if name == "" else ""
            return f"unknown ref {described(name)}{hint}: {self.known(name)}"
        if name in way:
            ref = f"the ref {quote(name)}"
            return f"{ref} leads back to itself: that is a cycle, and a tree has none"
        return None

    def read_definition(self, item: Data) -> dict[str, Data]:
        """Return the keys of a named node, without those of a branch."""
        keys = dict(self.keys_of(item)) if isinstance(item, tuple) else {}
        for key in BRANCH_KEYS:
            if key in keys:
                del keys[key]
                message = f"the key {quote(key)} belongs to a branch: write it next to the ref"
                self.report(place_of(item, key, True), message)
        return keys

    def read_note(self, item: Data, keys: dict[str, Data]) -> str | None:
        """Return the note next to a ref; report every other key."""
        for key in keys:
            if key not in ("note", "ref"):
                message = f"the key {quote(key)} does not go with ref: only p, label and note do"
                self.report(place_of(item, key, True), message)
        if "note" not in keys:
            return None
        return self.values.text(keys["note"], place_of(item, "note"), "a note")

    def identity(self, name: str) -> object:
        """Return what a node is known by: its object's id, or its name if it is a plain scalar."""
        definition = self.definition(name)
        has_identity = isinstance(definition, (SharedText, tuple)) and definition
        return id(definition) if has_identity else name

    def known(self, name: Data) -> str:
        if not self.places:
            return "nothing is defined under the root's `nodes:`; define it there"
        hint = nearest(name, self.places) if isinstance(name, str) else ""
        names = ", ".join(quote(known)[1:-1] for known in [*self.places][:_MOST_NAMES])
        more = ", …" if len(self.places) > _MOST_NAMES else ""
        return f"the names under nodes are {names}{more}{hint}"
