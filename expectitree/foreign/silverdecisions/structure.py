"""The structure of a SilverDecisions file, checked: trees of nodes and edges.

Since version 0.7 a file has its trees under `data`; before, it had them at the root.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from expectitree.base.numbers import quote
from expectitree.files.grammar.document import Data, Document, Place, place_of
from expectitree.files.grammar.problems import MAX_PROBLEMS, Problems, TooManyProblemsError
from expectitree.files.grammar.words import described
from expectitree.tree import paths

# By rule, the kinds of the nodes that decision and chance nodes become.
RULES = {
    "expected-value-maximization": ("max", "chance"),
    "expected-value-minimization": ("min", "chance"),
    "maxi-min": ("max", "min"),
    "maxi-max": ("max", "max"),
    "mini-min": ("min", "min"),
    "mini-max": ("min", "max"),
}
KEY = "SilverDecisions"  # the root's key with the version of the file
SHARE = "#"  # the probability that the other outcomes leave of 1
_DEFAULT_RULE = next(iter(RULES))
_TWO_CRITERIA = ("min-max", "max-min", "min-min", "max-max")  # rules
_CRITERIA = {"criterion1": 0, "criterion2": 1, "twoCriteria": 0}  # by view mode
_TYPES = ("decision", "chance", "terminal")
_OLDEST, _NEWEST = (0, 5), (1, 2)  # versions
_VERSION = re.compile(r"([0-9]{1,9})\.([0-9]{1,9})(\.[0-9]{1,9})?")
_NUMBER_LABEL = re.compile("#[0-9]+")


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

    nodes: list[Node]  # parents first, in the order of the edges
    data: Item  # the object with the trees
    criterion: int  # the place of the payoffs that count
    about: dict[str, str]  # `title`, `description` and `code`
    texts: list[str]


class DiagramReader:
    """Reads the structure of one file.

    Attributes:
        problems: What is wrong.
        notes: Warnings for the user, which do not stop the reading.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.problems, self.notes = Problems(document), list[str]()
        root = document.root if isinstance(document.root, tuple) else ()
        self.root = Item(root, Place())
        if KEY not in self.root.keys:
            message = f"expected a JSON object with the key {KEY}: the version of the file"
            self.report(self.root, KEY, message)
        self.raise_any()
        self.data = self.root
        if "trees" not in self.root.keys:
            data = self.root.keys.get("data")
            if not isinstance(data, tuple) or not data:
                message = f"{self.root.found('data')}, expected an object with trees"
                self.report(self.root, "data", message)
            self.raise_any()
            self.data = Item(data, self.root.place_of("data"))
        self.trees = self.items(self.data, "trees")
        if not self.trees and not self.problems.found:
            message = f"{self.data.found('trees')}, expected a list of at least one tree"
            self.report(self.data, "trees", message)
        self.raise_any()

    def raise_any(self) -> None:
        """Raise `FileError` if there is a problem."""
        if self.problems.found:
            raise self.problems.failure()

    def report(self, item: Item, key: str, message: str, place: Place | None = None) -> None:
        """Report a problem, unless there are many already.

        Its place is by default the value of a key, or the object if it has no such key.
        """
        with suppress(TooManyProblemsError):
            if len(self.problems.found) < MAX_PROBLEMS:
                self.problems.add(place or item.place_of(key), paths.join(item.path), message)

    def note(self, item: Item, message: str) -> None:
        """Note something about a node or an edge."""
        self.notes.append(f"{paths.message_path(paths.join(item.path))}: {message}")

    def rule(self) -> str:
        """Return the decision rule of the file; raise `FileError` if it is not supported."""
        rule = self.root.keys.get("rule", _DEFAULT_RULE)
        if rule in _TWO_CRITERIA:
            hint = "choose a rule with one criterion in SilverDecisions, and save the file"
            self.report(self.root, "rule", f"the rule {rule} weighs two criteria: {hint}")
        elif not isinstance(rule, str) or rule not in RULES:
            message = f"{self.root.found('rule')}, expected {_one_of(RULES)}"
            self.report(self.root, "rule", message)
        self.raise_any()
        return str(rule)

    def read(self, tree: int | None = None) -> Diagram:
        """Return a tree by its number, the first if that is None.

        Raises `FileError` with every problem found.
        """
        last = len(self.trees)
        if tree is None and last > 1:
            self.notes.append(f"this is the first of {last} trees: --tree 2 reads the second")
        self.check_version()
        mode = self.root.keys.get("viewMode", "criterion1")
        if not isinstance(mode, str) or mode not in _CRITERIA:
            message = f"{self.root.found('viewMode')}, expected {_one_of(_CRITERIA)}"
            self.report(self.root, "viewMode", message)
        about = {key: self.text(self.root, key) for key in ("title", "description")}
        about["code"] = self.text(self.data, "code")
        number = 1 if tree is None else tree
        if not 1 <= number <= last:
            between = "or" if last == 2 else "to"
            hint = f"{last} trees, so write --tree 1 {between} --tree {last}"
            if last == 1:
                hint = "1 tree, so remove --tree"
            self.report(self.data, "trees", f"there is no tree {tree}: the file has {hint}")
            self.raise_any()
        items = self.items(self.data, "texts")
        root = self.node(*self.trees[number - 1], ())
        texts = [self.text(Item(*item), "value") for item in items]
        nodes: list[Node] = []
        stack = [] if root is None else [root]
        while stack:
            nodes.append(node := stack.pop())
            node.edges = [*self.edges(node)]
            stack += [edge.child for edge in reversed(node.edges)]
        self.raise_any()
        return Diagram(nodes, self.data, _CRITERIA[str(mode)], about, texts)

    def check_version(self) -> None:
        """Report an invalid version; note one that is too old or too new."""
        version = self.root.keys[KEY]
        match = _VERSION.fullmatch(version) if isinstance(version, str) else None
        if match is None:
            message = f"found {described(version)} as version, expected one such as 1.2.0"
            self.report(self.root, KEY, message)
        elif not _OLDEST <= (int(match[1]), int(match[2])) <= _NEWEST:
            known = "expectitree knows versions 0.5 to 1.2"
            self.notes.append(f"the file has version {version}, and {known}: check the result")

    def text(self, item: Item, key: str) -> str:
        """Return a text, which is empty if it is missing."""
        text = item.keys.get(key)
        if text is None or isinstance(text, str):
            return text or ""
        self.report(item, key, f"{item.found(key)}, expected text")
        return ""

    def items(self, item: Item, key: str) -> list[tuple[Data, Place]]:
        """Return the objects in a list, each with its place; the list may be missing."""
        items = item.keys.get(key, [])
        if not isinstance(items, list):
            self.report(item, key, f"{item.found(key)}, expected a list")
            return []
        found = []
        for at, data in enumerate(items):
            if isinstance(data, tuple):
                found.append((data, Place(items, at)))
            else:
                message = f"found {described(data)} in {key}, expected an object"
                self.report(item, key, message, Place(items, at))
        return found

    def node(self, data: Data, place: Place, path: tuple[str, ...]) -> Node | None:
        """Return a node without its edges; None if it has no type."""
        node = Node(data, place, path)
        kind = node.keys.get("type")
        if kind not in _TYPES:
            self.report(node, "type", f"{node.found('type')}, expected {_one_of(_TYPES)}")
            return None
        node.kind = str(kind)
        node.name, node.code = self.text(node, "name"), self.text(node, "code")
        return node

    def edges(self, node: Node) -> Iterator[Edge]:
        """Yield the edges of a node to the children that are nodes."""
        items = self.items(node, "childEdges")
        if node.kind == "terminal" and items:
            message = "a terminal node has no edges: remove them, or change its type"
            self.report(node, "childEdges", message)
            return
        if node.kind != "terminal" and not node.keys.get("childEdges"):
            message = f"a {node.kind} node has no edges: add one, or make it a terminal node"
            self.report(node, "childEdges", message)
        edges = [Edge(data, place, node.path) for data, place in items]
        self.label(node, edges)
        for edge in edges:
            data = edge.keys.get("childNode")
            if not isinstance(data, tuple):
                self.report(edge, "childNode", f"{edge.found('childNode')}, expected a node")
            elif (child := self.node(data, edge.place_of("childNode"), edge.path)) is not None:
                edge.child = child
                yield edge

    def label(self, node: Node, edges: list[Edge]) -> None:
        """Set the labels of a node's edges, and their paths."""
        names = [self.text(edge, "name") for edge in edges]
        counts = Counter(names)
        for at, (edge, name) in enumerate(zip(edges, names, strict=True), 1):
            if name and counts[name] == 1 and not _NUMBER_LABEL.fullmatch(name):
                edge.label = name
            edge.path = (*node.path, edge.label or f"#{at}")
        repeated = [name for name, count in counts.items() if name and count > 1]
        if repeated:
            message = f"left out the name {quote(repeated[0])}, which several edges have"
            self.note(node, message)


def _one_of(words: Iterable[str]) -> str:
    """Return words as a list for a message: `a, b or c`."""
    *words, last = words
    return f"{', '.join(words)} or {last}"
