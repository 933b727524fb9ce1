"""The nodes of Radiant's files: their keys and branches, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from expectitree.base.numbers import escape, quote
from expectitree.files.grammar.document import MAX_DEPTH, Data, Place
from expectitree.files.grammar.words import described, key_list

ROOT_KEYS = ("name", "variables")
KEYS = (*ROOT_KEYS, "type", "p", "payoff", "cost")
OTHER_TREE = ("tree", "with")  # pyrsm's keys for a branch that another tree replaces
_TYPES = ("decision", "chance")
TOO_DEEP = f"more than {MAX_DEPTH} nodes in each other: cut the tree at a node above"
ELSEWHERE = (
    "refers to another tree, in another file: write the value of that tree here, or convert both "
    "and join them with nodes and ref"
)


@dataclass(slots=True)
class Node:
    """A node whose branches are being converted."""

    raw: Data
    place: Place = field(default_factory=Place)  # of its label
    label: str = ""
    above: str = ""  # the kind of the node above: max, min or chance; empty at the root
    keys: dict[str, int] = field(default_factory=dict)  # where its own keys are
    branches: list[int] = field(default_factory=list)  # where its branches are
    children: list[tuple[str, Data]] = field(default_factory=list)  # those converted so far
    refers_elsewhere: bool = False  # to another tree

    def place_of(self, key: str) -> Place:
        """Return the place of a key's value, or of the label if there is no such key."""
        return Place(self.raw, self.keys[key]) if key in self.keys else self.place

    def value(self, key: str) -> Data:
        """Return the value of a key; empty if there is none."""
        return self.raw[self.keys[key]][1] if key in self.keys else ""

    def find_keys(self) -> Iterator[tuple[Place, str]]:
        """Find the keys and the branches; yield the place and the message of each error."""
        for at, (key, value) in enumerate(self.raw):
            word = key.lower()
            place = Place(self.raw, at, True)
            if word in ROOT_KEYS and self.above:
                yield place, f"the key {quote(word)} is for the root alone: remove it"
            elif word in self.keys:
                yield place, f"duplicate key {quote(word)}: keep one"
            elif word in KEYS:
                self.keys[word] = at
            elif word in OTHER_TREE:
                if self.refers_elsewhere:
                    continue
                self.refers_elsewhere = True
                yield place, f"the key {quote(key)} {ELSEWHERE}"
            elif isinstance(value, tuple):
                self.branches.append(at)
            else:
                yield place, _fault_of_branch(key, value)

    def faults(self) -> Iterator[tuple[Place, str]]:
        """Yield the place and the message of each key that is missing or unfit for the branches."""
        kind, place = self.value("type"), self.place_of("type")
        if kind not in (*_TYPES, "terminal", ""):
            yield place, f"found {described(kind)} as type, expected decision or chance"
        elif self.branches and kind not in _TYPES:
            found = "an end node has branches" if kind else "a node with branches has no type"
            yield place, f"{found}: write `type: decision` or `type: chance` above them"
        elif not self.branches and (kind in _TYPES or not self.above):
            found = f"this {kind} node has no branches"
            if kind not in _TYPES:
                found = "this tree has no branches"
            yield place, f"{found}: write each as a label with a colon, and indent its lines"
        elif not self.branches and "payoff" not in self.keys:
            yield self.place, "this end node has no payoff: add it, as in `payoff: 100`"
        if self.above == "chance" and "p" not in self.keys:
            yield self.place, "this outcome has no probability: add it, as in `p: 0.5`"


def _fault_of_branch(key: str, value: Data) -> str:
    """Return the message about a key that is neither known nor the label of a node."""
    if not value:
        return f"nothing belongs to {quote(key)}: indent its lines, such as `payoff: 100`"
    if isinstance(value, list):
        return f"found a list at {quote(key)}: write each branch as a label with a colon"
    word, _, number = value.partition(" ")
    if word.lower() in KEYS and number:
        return f"found {quote(value)} at {quote(key)}: write `{word}: {escape(number)}`"
    hint = "write `payoff:` and the number on the next line, indented"
    known = f"the keys of a node are {key_list(KEYS)}"
    return f"found {described(value)} at {quote(key)}: if this is a branch, {hint}; {known}"
