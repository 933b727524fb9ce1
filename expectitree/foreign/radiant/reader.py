"""Read Radiant's files: nothing recurses on the depth of a tree."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeAlias

from expectitree.base.errors import FileError, NumberError
from expectitree.base.numbers import escape, message_text, quote, to_probability
from expectitree.files.grammar.document import MAX_DEPTH, Data, Document, Mark, Place
from expectitree.files.grammar.problems import Problems, TooManyProblemsError
from expectitree.files.grammar.reader import read_tree
from expectitree.files.grammar.values import offset_of
from expectitree.files.grammar.words import described
from expectitree.files.rows import Warn
from expectitree.foreign.radiant import repairs
from expectitree.foreign.radiant.nodes import TOO_DEEP, Node
from expectitree.foreign.radiant.repairs import Edit, place_before
from expectitree.foreign.radiant.variables import Variables
from expectitree.tree import paths
from expectitree.tree.columns import SUM_TOLERANCE
from expectitree.tree.model import Tree

_MAX_WARNINGS = 20
_NO_REST = ", or write `p: rest` at one outcome"  # a hint of the grammar for tree files

# A key, its value, the place it comes from, and the edits of the value.
_Item: TypeAlias = "tuple[str, Data, Place, tuple[Edit, ...]]"


def read(text: str, name: str, warn: Warn | None, exact_nodes: int, minimize: bool = False) -> Tree:
    """Return the tree of a text in Radiant's YAML.

    Args:
        text: The text.
        name: The text's name in messages.
        warn: Called with a message about what is ignored.
        exact_nodes: A tree of more nodes has floats in place of fractions.
        minimize: Whether decisions choose the least value, so that they are MIN.

    Raises:
        FileError: The text is not a tree. The error lists every problem found.
    """
    reader = _Reader(repairs.parse(text, name), "min" if minimize else "max")
    with suppress(TooManyProblemsError):
        reader.read()
    if reader.problems.found:
        error = reader.problems.failure()
        places = sorted(
            error.problems, key=lambda problem: (problem.line or 0, problem.column or 0)
        )
        raise FileError(places, error.stopped)
    if warn is not None:
        for message in reader.warnings:
            warn(message)
    try:
        return read_tree(reader.document(), warn, exact_nodes=exact_nodes)
    except FileError as error:
        places = [replace(p, message=p.message.replace(_NO_REST, "")) for p in error.problems]
        raise FileError(places, error.stopped) from None


class _Reader:
    """Converts one document."""

    def __init__(self, source: Document, decision: str) -> None:
        self.source, self.decision = source, decision
        self.problems = Problems(source)
        self.warnings: list[str] = []
        self.variables = Variables()
        self.root: Data = ()
        self.origins: dict[tuple[int, int], tuple[Place, tuple[Edit, ...]]] = {}
        self.done: dict[tuple[int, str], Data] = {}  # by raw mapping and the kind above it
        self.trail: list[Node] = []

    def document(self) -> Document:
        """Return the result."""
        repeated = self.source.shared
        shared = frozenset(id(node) for (raw, _), node in self.done.items() if raw in repeated)
        name, text = self.source.name, self.source.text
        return Document(name, self.root, shared, self.locate, text, has_labels=True)

    def locate(self, places: Sequence[Place]) -> Sequence[Mark | None]:
        """Return line and column of places in the result."""
        found = []
        for container, at, of_key, offset in places:
            place, edits = self.origins.get((id(container), at), (Place(), ()))
            found.append(place._replace(of_key=of_key, offset=place_before(edits, offset)))
        return self.source.locate(found)

    def report(self, place: Place, message: str) -> None:
        """Note an error at the current node."""
        self.problems.add(place, self.path(), message)

    def warn(self, message: str) -> None:
        """Warn of something at the current node, but not too often."""
        name = escape(self.source.name)
        if len(self.warnings) < _MAX_WARNINGS:
            self.warnings.append(f"{name}: {paths.message_path(self.path())}: {message}")
        elif len(self.warnings) == _MAX_WARNINGS:
            self.warnings.append(f"{name}: more such warnings are left out")

    def path(self) -> str:
        return paths.join([node.label for node in self.trail[1:]])

    def read(self) -> None:
        """Convert the document; a node is complete after its branches."""
        if not isinstance(self.source.root, tuple):
            found = f"found {described(self.source.root)}, expected a mapping"
            self.report(Place(), f"{found} with `type: decision` or `type: chance`")
            return
        self.open(Node(self.source.root))
        while True:
            node = self.trail[-1]
            if len(node.children) < len(node.branches):
                self.read_branch(node)
                continue
            converted = self.done[id(node.raw), node.above] = self.close(node)
            self.trail.pop()
            if not self.trail:
                self.root = converted
                return
            self.trail[-1].children.append((node.label, converted))

    def read_branch(self, node: Node) -> None:
        """Open the next branch of a node, unless an alias leads to it and it is done."""
        at, kind = node.branches[len(node.children)], self.kind(node)
        label, raw = node.raw[at]
        if (id(raw), kind) in self.done:
            node.children.append((label, self.done[id(raw), kind]))
        elif len(self.trail) > MAX_DEPTH:
            self.report(Place(node.raw, at, True), TOO_DEEP)
            raise TooManyProblemsError
        else:
            self.open(Node(raw, Place(node.raw, at, True), label, kind))

    def kind(self, node: Node) -> str:
        """Return the key of an inner node's kind in a tree file."""
        return "chance" if node.value("type") == "chance" else self.decision

    # ---- One node.

    def open(self, node: Node) -> None:
        """Find the keys and the branches of a node, and report what is missing or wrong."""
        self.trail.append(node)
        for place, message in [*node.find_keys()] or node.faults():
            self.report(place, message)
        if not node.above:
            self.variables = self.read_variables(node)

    def close(self, node: Node) -> Data:
        """Return a node, whose branches are all converted, as a tree file has it."""
        items = [] if node.above else self.root_items(node)
        if "p" in node.keys and node.above != "chance":
            self.warn("a p that does not belong to an outcome of a chance node is ignored")
        elif "p" in node.keys:
            items.append(("p", *self.formula(node, "p")))
        if "cost" in node.keys:
            items.append(("cost", *self.formula(node, "cost")))
            if not node.branches:
                self.warn("Radiant ignores a cost at an end node; pyrsm subtracts it, as here")
        if not node.branches and "payoff" in node.keys:
            items.append(("utility", *self.formula(node, "payoff")))
        elif "payoff" in node.keys:
            self.warn("the payoff of a node with branches is ignored, as in Radiant")
        if node.branches:
            branches = [
                (*child, Place(node.raw, at), ())
                for child, at in zip(node.children, node.branches, strict=True)
            ]
            kind = self.kind(node)
            items.append((kind, self.mapping(branches), node.place_of("type"), ()))
            if kind == "chance":
                self.check_sum(node)
        return self.mapping(items)

    def mapping(self, items: Sequence[_Item]) -> Data:
        """Return a mapping, and remember where its items come from."""
        found = tuple((key, value) for key, value, _, _ in items)
        for at, (_, _, place, edits) in enumerate(items):
            self.origins[id(found), at] = place, edits
        return found

    def root_items(self, node: Node) -> list[_Item]:
        """Return the title and the parameters."""
        items: list[_Item] = []
        if isinstance(node.value("name"), str) and node.value("name"):
            items.append(("title", node.value("name"), node.place_of("name"), ()))
        parameters: list[_Item] = []
        written = node.value("variables") or ()
        for at, (name, value) in enumerate(written if isinstance(written, tuple) else ()):
            place, known = Place(written, at), self.variables.identifiers[name]
            entry = ("value", *self.attempt(value, place, f"the variable {quote(name)}"))
            about = [] if name == known else [("description", name, place, ())]
            parameters.append((known, self.mapping([entry, *about]), place, ()))
        if parameters:
            place = node.place_of("variables")
            items.append(("parameters", self.mapping(parameters), place, ()))
        return items

    def read_variables(self, node: Node) -> Variables:
        """Return the variables that are defined at the root."""
        written, place = node.value("variables"), node.place_of("variables")
        if isinstance(written, str) and written:
            found = f"`variables: {escape(written[:40])}` refers to another tree, in another file"
            self.report(place, f"{found}: write its variables here")
            raise TooManyProblemsError  # without them, every formula has an error
        if not isinstance(written, tuple) and written:
            found = f"found {described(written)} under variables"
            self.report(place, f"{found}, expected a name with a number or a formula in each line")
            raise TooManyProblemsError
        names: dict[str, None] = {}
        for at, (name, _) in enumerate(written or ()):
            if name in names:
                message = f"duplicate variable {quote(name)}: keep one"
                self.report(Place(written, at, True), message)
            names[name] = None
        return Variables(names)

    # ---- Numbers.

    def formula(self, node: Node, key: str) -> tuple[str, Place, tuple[Edit, ...]]:
        """Return the number or the formula of a key of a node."""
        return self.attempt(node.value(key), node.place_of(key), key)

    def attempt(self, data: Data, place: Place, what: str) -> tuple[str, Place, tuple[Edit, ...]]:
        """Return a number or a formula with its place; report other data, and return 0."""
        if not isinstance(data, str) or not data:
            found = f"found {described(data)} as {what}"
            self.report(place, f"{found}, expected a number such as 0.5, or a formula")
            return "0", place, ()
        try:
            text, edits = self.variables.formula(data)
        except NumberError as error:
            self.report(place._replace(offset=offset_of(error)), f"{what}: {error}")
            return "0", place, ()
        return text, place, edits

    def check_sum(self, node: Node) -> None:
        """Report probabilities that are numbers and do not sum to 1."""
        texts = [dict(child).get("p", "") for _, child in node.children]
        try:
            shares: list[Any] = [to_probability(text, exact=True) for text in texts]
        except NumberError:
            return  # a formula, or an error that the grammar reports
        total = sum(shares)
        if abs(total - 1) > SUM_TOLERANCE and not self.problems.found:
            message = f"the probabilities sum to {message_text(total)}, expected 1: correct them"
            self.report(Place(node.raw, node.branches[0], True), message)
