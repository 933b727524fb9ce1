"""The names under the root's `nodes:`, and the nodes to which refs lead."""

from __future__ import annotations

from typing import NamedTuple

from expectitree.base.numbers import quote
from expectitree.files.grammar.document import Data, Place, SharedText, place_of
from expectitree.files.grammar.keys import BRANCH_VALUES
from expectitree.files.grammar.trail import Trail
from expectitree.files.grammar.words import described, key_hint

_MAX_NAMES = 8  # in a message


class Named(NamedTuple):
    """The node that a name refers to."""

    definition: Data
    keys: dict[str, Data]
    place: Place
    identity: object


class Names:
    """The named nodes of one document."""

    def __init__(self, trail: Trail) -> None:
        self.trail = trail
        self.places: dict[str, Place] = {}
        self.followed: dict[str, Named | None] = {}  # None after an error

    def read(self, nodes: Data, place: Place) -> None:
        """Take in the names under `nodes`."""
        if not isinstance(nodes, tuple):
            found = f"found {described(nodes)} under nodes"
            self.trail.report(place, f"{found}, expected a mapping from name to node")
            return
        for index, (name, _) in enumerate(nodes):
            if name in self.places:
                message = f"duplicate name {quote(name)} under nodes: keep one"
                self.trail.report(Place(nodes, index, True), message)
            self.places[name] = Place(nodes, index)

    def definition(self, name: str) -> Data:
        """Return the node under a name."""
        nodes, index, *_ = self.places[name]
        return nodes[index][1]

    def identity(self, name: str) -> object:
        """Return the identity of a node: its object's id, or its name if it is a plain scalar."""
        definition = self.definition(name)
        has_identity = isinstance(definition, (SharedText, tuple)) and definition
        return id(definition) if has_identity else name

    def follow(self, item: Data, keys: dict[str, Data]) -> Named | None:
        """Return the node to which the ref of a mapping leads; None after a report."""
        for key in keys:
            if key not in ("note", "ref"):
                known = "p, label, reward, cost and note"
                message = f"the key {quote(key)} does not go with ref: only {known} do"
                self.trail.report(place_of(item, key, True), message)
        name = keys["ref"]
        if not isinstance(name, str) or name not in self.places:
            self.trail.report(place_of(item, "ref"), self._unknown(name))
            return None
        if name not in self.followed:
            self.followed[name] = self._named(name)
        return self.followed[name]

    def _named(self, name: str) -> Named | None:
        """Return the node under a name; report the keys that it cannot have."""
        item = self.definition(name)
        keys = self.trail.keys_of(item) if isinstance(item, tuple) else {}
        for key in [key for key in BRANCH_VALUES if key in keys]:
            message = f"the key {quote(key)} belongs to a branch: write it next to the ref"
            self.trail.report(place_of(item, key, True), message)
            del keys[key]
        if "ref" in keys:
            message = f"the name {quote(name)} leads to a ref: write a node here"
            self.trail.report(place_of(item, "ref", True), message)
            return None
        return Named(item, keys, self.places[name], self.identity(name))

    def _unknown(self, name: Data) -> str:
        """Return the message about a ref to a name that is not defined."""
        hint = ": quote a name that starts with #" if name == "" else ""
        problem = f"unknown ref {described(name)}{hint}: "
        if not self.places:
            return f"{problem}nothing is defined under the root's `nodes:`; define it there"
        near = key_hint(name, self.places) if isinstance(name, str) else ""
        names = ", ".join(quote(known)[1:-1] for known in [*self.places][:_MAX_NAMES])
        more = ", …" if len(self.places) > _MAX_NAMES else ""
        return f"{problem}the names under nodes are {names}{more}{near}"
