"""The names under the root's `nodes:`, and what a `ref` to one of them comes to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from expectitree.files.grammar.branches import Frame
from expectitree.files.grammar.document import Data, Place, SharedText
from expectitree.files.grammar.keys import Report, place_of, read_text
from expectitree.files.grammar.words import described, nearest
from expectitree.numbers import quote


class Named(NamedTuple):
    """What a name under `nodes` comes to, other names followed."""

    definition: Data
    place: Place
    memo: object  # what the node is known by
    note: str | None


class Names:
    """The named nodes of one document; `keys_of` reads a mapping's keys, `report` is told what is wrong."""

    def __init__(self, keys_of: Callable[[Data], dict[str, Data]], report: Report) -> None:
        self.keys_of, self.report = keys_of, report
        self.places: dict[str, Place] = {}
        self.followed: dict[
            str, Named | None
        ] = {}  # what a name comes to, once a ref was followed to it

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def read(self, nodes: Data, place: Place) -> None:
        if not isinstance(nodes, tuple):
            self.report(
                place, f"found {described(nodes)} under nodes, expected a mapping from name to node"
            )
            return
        for index, (name, _) in enumerate(nodes):
            if name in self.places:
                self.report(
                    Place(nodes, index, True),
                    f"duplicate name {quote(name)} under nodes: keep one",
                )
            self.places[name] = Place(nodes, index)

    def definition(self, name: str) -> Data:
        nodes, index, _ = self.places[name]
        return nodes[index][1]

    def follow(self, frame: Frame, place: int, item: Data, keys: dict[str, Data]) -> Named | None:
        """Follow a ref to what it names; a note beside it, or else beside a ref on the way, is the branch's."""
        names: list[str] = []
        notes = [self.read_beside_ref(item, keys)]
        found: Named | None = None
        while "ref" in keys:
            name = keys["ref"]
            if not isinstance(name, str) or name not in self.places:
                what = "nothing: quote a name that starts with #" if name == "" else described(name)
                self.report(place_of(item, "ref"), f"unknown ref {what}: {self.known(name)}")
                break
            if name in self.followed:
                found = self.followed[name]
                break
            if name in names:
                message = f"the ref {quote(name)} leads back to itself: that is a cycle, and a tree has none"
                self.report(place_of(item, "ref"), message)
                break
            names.append(name)
            item = self.definition(name)
            keys = self.keys_of(item) if isinstance(item, tuple) else {}
            for key in ("p", "label"):
                if key in keys:
                    del keys[key]
                    message = f"the key {quote(key)} belongs to a branch: write it beside the ref"
                    self.report(place_of(item, key, True), message)
            if "ref" in keys:
                notes.append(self.read_beside_ref(item, keys))
            else:
                notes.append(None)
                found = Named(item, self.places[name], self.memo(name), None)
        for name, note in zip(reversed(names), reversed(notes), strict=False):
            if found is not None and note is not None:
                found = found._replace(note=note)
            self.followed[name] = found
        if found is not None and (notes[0] or found.note):
            frame.notes = frame.notes or {}
            frame.notes[place] = notes[0] or found.note or ""
        return found

    def read_beside_ref(self, item: Data, keys: dict[str, Data]) -> str | None:
        """Return the note beside a ref; nothing else may stand there."""
        note = None
        for key, value in keys.items():
            if key == "note":
                note = read_text(value, "a note", self.report, place_of(item, "note"))
            elif key != "ref":
                message = f"the key {quote(key)} does not go with ref: only p, label and note do"
                self.report(place_of(item, key, True), message)
        return note

    def memo(self, name: str) -> object:
        """Return what a named node is known by: its object, or its name where that is a plain scalar."""
        definition = self.definition(name)
        by_object = isinstance(definition, SharedText) or (
            isinstance(definition, tuple) and definition
        )
        return id(definition) if by_object else name

    def known(self, name: Data) -> str:
        if not self.places:
            return "nothing is defined under the root's `nodes:`; define it there"
        hint = nearest(name, self.places) if isinstance(name, str) else ""
        some = ", ".join(quote(known)[1:-1] for known in list(self.places)[:8])
        return f"the names under nodes are {some}{', …' if len(self.places) > 8 else ''}{hint}"
