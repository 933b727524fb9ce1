"""The names under the root's `nodes:`, and the nodes that refs to them lead to."""

from __future__ import annotations

from collections.abc import Container
from typing import Any, NamedTuple

from expectitree.base.errors import NumberError
from expectitree.base.numbers import quote
from expectitree.files.grammar.document import Data, Place, SharedText, place_of
from expectitree.files.grammar.keys import BRANCH_VALUES, NODE_VALUES, PAYMENTS
from expectitree.files.grammar.trail import Trail
from expectitree.files.grammar.values import ValueReader
from expectitree.files.grammar.words import described, key_hint
from expectitree.tree.formulas import negative_of, sum_of

_MAX_NAMES = 8  # in a message


class Named(NamedTuple):
    """The node that a name refers to, after following refs to other names."""

    definition: Data
    keys: dict[str, Data]
    place: Place
    identity: object
    note: str | None  # next to the first ref on the way that has one
    reward: Any = 0  # of every branch to the name: the sum of those on the way


class Names:
    """The named nodes of one document."""

    def __init__(self, trail: Trail, values: ValueReader) -> None:
        self.trail, self.values = trail, values
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
        """Follow the ref of a mapping from name to name; return None after a report."""
        way: dict[str, str | None] = {}  # each name, and the note next to the ref to it
        rewards: dict[str, Any] = {}  # what each name's own definition pays
        found: Named | None = None
        while found is None and "ref" in keys:
            name, note = keys["ref"], self._note(item, keys)
            problem = self._problem(name, way)
            if problem:
                self.trail.report(place_of(item, "ref"), problem)
                break
            way[name] = note
            if name in self.followed:
                found = self.followed[name]
                break
            item = self.definition(name)
            keys = self.trail.keys_of(item) if isinstance(item, tuple) else {}
            rewards[name] = self._payment(item, keys)
            for key in [key for key in BRANCH_VALUES if key in keys]:
                message = f"the key {quote(key)} belongs to a branch: write it next to the ref"
                self.trail.report(place_of(item, key, True), message)
                del keys[key]
            if "ref" not in keys:
                found = Named(item, keys, self.places[name], self.identity(name), None)
        for name, note in reversed(way.items()):
            if found is not None and name in rewards:
                try:
                    found = found._replace(reward=sum_of(found.reward, rewards[name]))
                except NumberError as error:
                    message = f"the rewards of this name: {error}"
                    self.trail.report(self.places[name], message)
            self.followed[name] = found
            if found is not None and note:
                found = found._replace(note=note)
        return found

    def _payment(self, item: Data, keys: dict[str, Data]) -> Any:
        """Take the reward or the cost out of the keys of a named node, and return the reward."""
        written = [key for key in PAYMENTS if key in keys]
        if len(written) > 1:
            message = "a reward and a cost at one node: write one of them, with the difference"
            self.trail.report(place_of(item, "cost", True), message)
        paid = [
            self.values.attempt(BRANCH_VALUES[key], keys.pop(key), item, key) for key in written
        ]
        if not paid or paid[0] is None:
            return 0
        return paid[0] if written[0] == "reward" else negative_of(paid[0])

    def _note(self, item: Data, keys: dict[str, Data]) -> str | None:
        """Return the note next to a ref; report every other key."""
        for key in keys:
            if key not in ("note", "ref"):
                known = "p, label, reward, cost and note"
                message = f"the key {quote(key)} does not go with ref: only {known} do"
                self.trail.report(place_of(item, key, True), message)
        if "note" not in keys:
            return None
        note: str | None = self.values.attempt(NODE_VALUES["note"], keys["note"], item, "note")
        return note

    def _problem(self, name: Data, way: Container[str]) -> str | None:
        """Return the message about a ref that leads nowhere, or back to a name on the way."""
        if isinstance(name, str) and name in self.places:
            cycle = f"the ref {quote(name)} leads back to itself: that is a cycle"
            return f"{cycle}, and a tree has none" if name in way else None
        hint = ": quote a name that starts with #" if name == "" else ""
        problem = f"unknown ref {described(name)}{hint}: "
        if not self.places:
            return f"{problem}nothing is defined under the root's `nodes:`; define it there"
        near = key_hint(name, self.places) if isinstance(name, str) else ""
        names = ", ".join(quote(known)[1:-1] for known in [*self.places][:_MAX_NAMES])
        more = ", …" if len(self.places) > _MAX_NAMES else ""
        return f"{problem}the names under nodes are {names}{more}{near}"
