"""The structure of a SilverDecisions file, checked: trees of nodes and edges.

Since version 0.7 a file has its trees under `data`; before, it had them at the root.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from expectitree.files.grammar.document import Data, Place, place_of
from expectitree.files.grammar.words import described

# By rule, the kinds of the nodes that decision and chance nodes become.
RULES = {
    "expected-value-maximization": ("max", "chance"),
    "expected-value-minimization": ("min", "chance"),
    "maxi-min": ("max", "min"),
    "maxi-max": ("max", "max"),
    "mini-min": ("min", "min"),
    "mini-max": ("min", "max"),
}


@dataclass(slots=True, eq=False)
class Item:
    """An object of the file."""

    data: Data
    place: Place
    path: tuple[str, ...] = ()  # the labels from the root of the tree
    keys: dict[str, Data] = field(init=False)

    def __post_init__(self) -> None:
        self.keys = dict(self.data)

    def place_of(self, key: str) -> Place:
        """Return the place of a key's value, or of the object if it has no such key."""
        return place_of(self.data, key) if key in self.keys else self.place

    def mapping(self, key: str) -> dict[str, Data]:
        """Return the object under a key; it is empty if there is none."""
        found = self.keys.get(key)
        return dict(found) if isinstance(found, tuple) else {}

    def found(self, key: str) -> str:
        """Describe the value of a key for a message."""
        return f"found {described(self.keys[key])} as {key}" if key in self.keys else f"no {key}"


@dataclass(slots=True, eq=False)
class Edge(Item):
    """An edge to a child."""

    label: str | None = None  # the name; None if it is empty or repeated
    child: Node = field(init=False)


@dataclass(slots=True, eq=False)
class Node(Item):
    """A decision, chance or terminal node."""

    kind: str = ""
    name: str = ""
    code: str = ""
    edges: list[Edge] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Diagram:
    """A tree of a file, and what the file says about all its trees."""

    root: Node
    data: Item  # the object with the trees
    criterion: int  # the place of the payoffs that count
    about: dict[str, str]  # `title`, `description` and `code`
    texts: list[str]

    def nodes(self) -> Iterator[tuple[Edge | None, Node]]:
        """Yield every node after the edge to it, parents first, in the order of the edges."""
        stack: list[tuple[Edge | None, Node]] = [(None, self.root)]
        while stack:
            _, node = stack[-1]
            yield stack.pop()
            stack += [(edge, edge.child) for edge in reversed(node.edges)]
