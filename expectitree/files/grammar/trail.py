"""The nodes between the root and the one being read, the errors on the way, and the named nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from expectitree.base.errors import ExpectitreeError
from expectitree.base.expressions.parser import listed
from expectitree.base.numbers import quote
from expectitree.base.tree import paths
from expectitree.base.tree.formulas import Expressions
from expectitree.base.tree.model import Kind
from expectitree.files.grammar.document import (
    Data,
    Document,
    Fields,
    Keys,
    Place,
    Problems,
    SharedText,
    keys_of,
    place_of,
)
from expectitree.files.grammar.keys import (
    NODE_KEYS,
    PAYMENTS,
    ROOT_KEYS,
    SCHEMA_KEY,
)
from expectitree.files.grammar.values import are_probabilities
from expectitree.files.grammar.words import described, flow_text, key_hint

# The node that a name refers to: its definition, its keys, its place and its identity.
Named: TypeAlias = tuple[Data, Keys, Place, object]


@dataclass(slots=True)
class Frame:
    """A node whose children are being read; at the bottom of the trail, the holder of the root."""

    kind: Kind  # TERMINAL at the bottom
    container: Data  # the list or mapping that holds the children
    nested: int = 0  # nodes within nodes in the text
    about: Fields = field(default_factory=dict)  # the values of the node's own keys
    identity: object = None  # of a shared node
    is_keyed_by_p: bool = False  # whether the container's keys are probabilities, not labels
    items: Sequence[Data] = field(init=False)  # the children as written
    ids: list[int] = field(default_factory=list)  # the children that the table holds already
    # The values at branches: by key, then by the child's place.
    branches: dict[str, dict[int, Any]] = field(default_factory=dict)
    formulas: Expressions | None = None  # of all probabilities, if one is a formula

    def __post_init__(self) -> None:
        if isinstance(self.container, list):
            self.items = self.container
        else:
            self.items = [child for _, child in self.container]
            if not self.is_keyed_by_p:
                self.branches["label"] = {
                    index: str(k) for index, (k, _) in enumerate(self.container)
                }

    @property
    def is_labelled(self) -> bool:
        """Whether the container's keys are labels."""
        return isinstance(self.container, tuple) and not self.is_keyed_by_p

    def label(self, index: int) -> str:
        """Return the label of a child, for a path."""
        return self.branches.get("label", {}).get(index) or f"#{index + 1}"

    def place_of_label(self, index: int) -> Place:
        """Return the place of a child's label."""
        if self.is_labelled:
            return Place(self.container, index, True)
        return place_of(self.items[index], "label")

    def text_of_p(self, index: int) -> str:
        """Return the probability of a child as written."""
        if self.is_keyed_by_p:
            return str(self.container[index][0])
        return str(dict(self.items[index])["p"])

    def place(self, index: int) -> Place:
        """Return the place of a child."""
        if self.kind:
            return Place(self.container, index)
        return Place()


class Trail(Problems):
    """The frames from the root's holder to the innermost node, and the problems found so far."""

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self.frames: list[Frame] = []
        self.listed: list[str] = []  # the allowed keys that a message lists
        self.base: tuple[str, ...] = ()  # the path of the first frame, in messages

    def here(self) -> Place:
        """Return the place of the current child."""
        frame = self.frames[-1]
        return frame.place(len(frame.ids))

    def path(self, of_parent: bool = False, index: int | None = None) -> str:
        """Return the path of the current child, the child `at`, or with `own` their parent."""
        frames = [frame for frame in self.frames[: -1 if of_parent else None] if frame.kind]
        labels = [frame.label(len(frame.ids)) for frame in frames]
        if index is not None:
            labels[-1] = frames[-1].label(index)
        return paths.join([*self.base, *labels])

    def report(
        self,
        place: Place,
        message: ExpectitreeError | str,
        of_parent: bool = False,
        index: int | None = None,
    ) -> None:
        """Note an error at the node whose path `path` returns for the last two arguments."""
        self.add(place, self.path(of_parent, index), message)

    def keys_of(self, item: Data) -> Keys:
        """Return the keys of a mapping, without the root's own; report duplicates.

        Anything else has no keys.
        """
        keys = keys_of(item)
        if keys and len(keys) != len(item) and not are_probabilities(item):  # these are outcomes
            seen = set()
            for index, (key, _) in enumerate(item):
                if key in seen:
                    self.report(Place(item, index, True), f"duplicate key {quote(key)}\nkeep one")
                seen.add(key)
        if item is self.document.root:
            for key in (*ROOT_KEYS, SCHEMA_KEY):
                keys.pop(key, None)
        return keys

    def allowed_keys(self, is_named: bool) -> list[str]:
        """Return the keys that the current child may have, or with `is_named` a named node."""
        frame = self.frames[-1]
        keys = [key for key in NODE_KEYS if key != "with"]  # which goes with a ref alone
        if not is_named:
            keys.remove("until")
        if is_named or not frame.kind or frame.is_labelled:
            keys.remove("label")
        if is_named or frame.kind != Kind.CHANCE or frame.is_keyed_by_p:
            keys.remove("p")
        if is_named or frame.kind:
            return keys
        return [*keys, *ROOT_KEYS]


class Names:
    """The named nodes of one document."""

    def __init__(self, trail: Trail) -> None:
        self.trail = trail
        self.places: dict[str, Place] = {}
        self.followed: dict[str, Named | None] = {}  # None after an error

    def read(self, nodes: Data, place: Place) -> None:
        """Take in the names under `nodes`."""
        if not isinstance(nodes, tuple):
            self.trail.report(
                place,
                f"found {described(nodes)} under nodes\nwrite nodes by name, such as "
                "`{left: {max: [1, 2]}}`",
            )
            return
        for index, (name, _) in enumerate(nodes):
            if name in self.places:
                self.trail.report(
                    Place(nodes, index, True), f"duplicate name {quote(name)} under nodes\nkeep one"
                )
            self.places[name] = Place(nodes, index)

    def definition(self, name: str) -> Data:
        """Return the node under a name."""
        nodes, index, *_ = self.places[name]
        return nodes[index][1]

    def identity(self, name: str) -> object:
        """Return the identity of a node: its object's id, or its name if it is a plain scalar.

        It is also the name if the node pays: where an alias repeats it, its branch pays instead.
        """
        definition = self.definition(name)
        is_alike = isinstance(definition, SharedText) or (
            isinstance(definition, tuple) and {*dict(definition)}.isdisjoint(PAYMENTS)
        )
        if definition and is_alike:
            return id(definition)
        return name

    def follow(self, item: Data, keys: Keys) -> Named | None:
        """Return the node to which the ref of a mapping leads; None after a report."""
        for key in keys:
            if key not in ("note", "ref"):
                message = (
                    f"the key {quote(key)} does not go with ref\nonly p, label, reward, cost, "
                    "with and note do"
                )
                if key not in NODE_KEYS:
                    pairs = keys[key] if isinstance(keys[key], tuple) else ((key, keys[key]),)
                    message += f"; to replace parameters, write `with: {flow_text(pairs)}`"
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
        keys = self.trail.keys_of(item)
        for key in ("label", "p", "with"):
            if key in keys:
                del keys[key]
                message = f"the key {quote(key)} belongs to a branch\nwrite it next to the ref"
                self.trail.report(place_of(item, key, True), message)
        if "ref" in keys:
            message = f"the name {quote(name)} leads to a ref\nwrite a node here"
            self.trail.report(place_of(item, "ref", True), message)
            return None
        return item, keys, self.places[name], self.identity(name)

    def _unknown(self, name: Data) -> str:
        """Return the message about a ref to a name that is not defined."""
        problem = f"unknown ref {described(name)}"
        if not self.places:
            return f"{problem}\ndefine it under the root's `nodes:`, which has no names yet"
        near = key_hint(name, self.places) if isinstance(name, str) else ""
        names = listed([quote(known)[1:-1] for known in self.places])
        return f"{problem}{near}\nthe names under nodes are {names}"
