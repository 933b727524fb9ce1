"""Reads the structure of a SilverDecisions file, and reports what is wrong in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress

from expectitree.files.grammar.document import Data, Document, Place
from expectitree.files.grammar.problems import MOST_PROBLEMS, Problems, TooManyProblemsError
from expectitree.files.grammar.words import described
from expectitree.foreign.silverdecisions.diagram import RULES, Diagram, Edge, Item, Node
from expectitree.numbers import quote
from expectitree.tree import paths

KEY = "SilverDecisions"  # the root's key with the version of the file
_DEFAULT_RULE = next(iter(RULES))
_TWO_CRITERIA = ("min-max", "max-min", "min-min", "max-max")  # rules
_CRITERIA = {"criterion1": 0, "criterion2": 1, "twoCriteria": 0}  # by view mode
_TYPES = ("decision", "chance", "terminal")
_OLDEST, _NEWEST = (0, 5), (1, 2)  # versions
_VERSION = re.compile(r"([0-9]{1,9})\.([0-9]{1,9})(\.[0-9]{1,9})?")
_NUMBER_LABEL = re.compile("#[0-9]+")


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
            raise self.problems.failure()
        self.data = self.root
        if "trees" not in self.root.keys:
            data = self.root.keys.get("data")
            if not isinstance(data, tuple) or not data:
                message = f"{self.root.found('data')}, expected an object with trees"
                self.report(self.root, "data", message)
                raise self.problems.failure()
            self.data = Item(data, self.root.place_of("data"))
        self.trees = self.items(self.data, "trees")
        if not self.trees and not self.problems.found:
            message = f"{self.data.found('trees')}, expected a list of at least one tree"
            self.report(self.data, "trees", message)
        if self.problems.found:
            raise self.problems.failure()

    def report(self, item: Item, key: str, message: str) -> None:
        """Report a problem at the value of a key, or at the object if it has no such key."""
        self.add(item.place_of(key), item, message)

    def add(self, place: Place, item: Item, message: str) -> None:
        """Report a problem at a place, unless there are many already."""
        with suppress(TooManyProblemsError):
            if len(self.problems.found) < MOST_PROBLEMS:
                self.problems.add(place, paths.join(item.path), message)

    def note(self, item: Item, message: str) -> None:
        """Note something about a node or an edge."""
        self.notes.append(f"{paths.message_path(paths.join(item.path))}: {message}")

    def read(self, tree: int | None = None) -> Diagram:
        """Return a tree by its number, the first if that is None.

        Raises `FileError` with every problem found.
        """
        if tree is None and len(self.trees) > 1:
            found = f"this is the first of {len(self.trees)} trees"
            self.notes.append(f"{found}: --tree 2 reads the second")
        diagram = self.diagram(1 if tree is None else tree)
        if diagram is None or self.problems.found:
            raise self.problems.failure()
        return diagram

    def rule(self) -> str:
        """Return the decision rule of the file; raise `FileError` if it is not supported."""
        rule = self.root.keys.get("rule", _DEFAULT_RULE)
        if rule in _TWO_CRITERIA:
            hint = "choose a rule with one criterion in SilverDecisions, and save the file"
            self.report(self.root, "rule", f"the rule {rule} weighs two criteria: {hint}")
        elif not isinstance(rule, str) or rule not in RULES:
            message = f"{self.root.found('rule')}, expected {_one_of(RULES)}"
            self.report(self.root, "rule", message)
        if self.problems.found:
            raise self.problems.failure()
        return str(rule)

    def diagram(self, tree: int) -> Diagram | None:
        """Return a tree by its number; problems are reported."""
        self.check_version()
        mode = self.root.keys.get("viewMode", "criterion1")
        if not isinstance(mode, str) or mode not in _CRITERIA:
            message = f"{self.root.found('viewMode')}, expected {_one_of(_CRITERIA)}"
            self.report(self.root, "viewMode", message)
        about = {key: self.text(self.root, key) for key in ("title", "description")}
        about["code"] = self.text(self.data, "code")
        if not 1 <= tree <= len(self.trees):
            last = len(self.trees)
            between = "or" if last == 2 else "to"
            hint = f"{last} trees, so write --tree 1 {between} --tree {last}"
            if last == 1:
                hint = "1 tree, so remove --tree"
            self.report(self.data, "trees", f"there is no tree {tree}: the file has {hint}")
            return None
        texts = self.items(self.data, "texts")
        root = self.node(*self.trees[tree - 1], ())
        values = [self.text(Item(*text), "value") for text in texts]
        if root is None:
            return None
        stack = [root]
        while stack:
            node = stack.pop()
            node.edges = [*self.edges(node)]
            stack += [edge.child for edge in reversed(node.edges)]
        return Diagram(root, self.data, _CRITERIA.get(str(mode), 0), about, values)

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
                self.add(Place(items, at), item, message)
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
