"""Read SilverDecisions' files: a tree in them becomes a structure for the grammar of tree files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, NoReturn, TypeAlias

from expectitree.base.expressions.syntax import FUNCTIONS
from expectitree.base.numbers import quote
from expectitree.base.tree.builder import SUM_HINT
from expectitree.base.tree.formulas import REST
from expectitree.base.tree.model import Tree
from expectitree.files.formats.json import parse
from expectitree.files.grammar.document import (
    MAX_NESTED,
    NESTED_TOO_DEEPLY,
    Data,
    Document,
    Place,
    place_of,
)
from expectitree.files.grammar.problems import TooManyProblemsError
from expectitree.files.grammar.words import described
from expectitree.files.rows import Warn
from expectitree.foreign.shared import Fields, Translation, free_name, labels_of, own_words

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
_MIXED = re.compile(r"([+-]?)([0-9]+) +([0-9]+/[0-9]+)")  # SilverDecisions writes 5/2 as `2 1/2`
_COMMENT = re.compile("#[^\n]*")
_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")
_ASSIGNMENT = re.compile(r"([^\W\d]\w*)\s*=(?!=)\s*(.+)", re.DOTALL)
_RESERVED = (*FUNCTIONS, REST, "inf")
# Texts in messages of the grammar and of JSON, and their replacements here.
_WORDS = {
    SUM_HINT: "correct them, or write # for one of them",
    "`p: rest`": SHARE,
    "`rest`": SHARE,
    ", or a percentage such as 50%": "",
    "under the root's `parameters:`": "in the code of the file",
    NESTED_TOO_DEEPLY: f"the tree has more than {MAX_NESTED} edges on one path, expected fewer",
}

# The names that expressions at a node may use, each with the name of its parameter.
Names: TypeAlias = Mapping[str, str]


def read(
    text: str, name: str, warn: Warn | None, exact_nodes: int, tree: int | None = None
) -> Tree:
    """Return a tree of a text by its number, the first if that is None."""
    with own_words(_WORDS):
        reader = _Reader(parse(text, name))
        return reader.tree(lambda: reader.root(tree), warn, exact_nodes)


class _Object:
    """An object of the file."""

    def __init__(self, data: Data, place: Place, path: tuple[str, ...] = ()) -> None:
        self.data, self.place = data, place
        self.path = path  # the labels from the root of the tree
        self.keys: dict[str, Data] = dict(data)

    def place_of(self, key: str) -> Place:
        """Return the place of a key's value, or of the object if it has no such key."""
        return place_of(self.data, key) if key in self.keys else self.place


class _Node(NamedTuple):
    """A node that is not translated yet."""

    about: _Object
    names: Names  # that its formulas may use
    fields: Fields  # of its item: those of the edge to it
    siblings: list[Data]  # the items before its own


class _Reader(Translation):
    """Translates one tree of a file."""

    def __init__(self, source: Document) -> None:
        super().__init__(source)
        self.parameters: Fields = {}
        self.kinds: dict[Data, str] = {}  # by the type of a node
        self.criterion = 0  # the place of the payoffs that count
        self.has_other_payoffs = False

    def root(self, number: int | None) -> Data:
        """Return the translated tree with a number, the first if that is None."""
        source = self.source.root
        file = _Object(source if isinstance(source, tuple) else (), Place())
        if KEY not in file.keys:
            self.stop(file, KEY, f"expected a JSON object with the key {KEY}: its version")
        rule = file.keys.get("rule", _DEFAULT_RULE)
        if not isinstance(rule, str) or rule not in RULES:
            known = ", ".join(RULES)
            self.stop(file, "rule", f"found {described(rule)} as rule, expected one of {known}")
        self.kinds = dict(zip(("decision", "chance"), RULES[rule], strict=True))
        if self.kinds["chance"] != "chance":
            self.notes.append(f"the rule {rule} uses no probabilities: left out")
        self.criterion = int(file.keys.get("viewMode") == "criterion2")
        if not isinstance(file.keys.get("data"), tuple):
            hint = "save a file of an old version in SilverDecisions 1.2"
            self.stop(file, "data", f"expected an object with the trees as data: {hint}")
        data = _Object(file.keys["data"], file.place_of("data"))
        fields: Fields = {"payoff": ("0", data.place)}
        stack = [_Node(self.find_tree(data, number), self.assign(data, {}), fields, [])]
        while stack:
            stack += reversed([*self.open(stack.pop())])
        for key, name in (("title", "title"), ("source", "description")):
            if text := self.text(file, name):
                fields[key] = text, file.place_of(name)
        if self.parameters:
            fields["parameters"] = self.mapping(self.parameters), data.place_of("code")
        if self.has_other_payoffs:
            found = f"this is the tree for criterion {self.criterion + 1}"
            self.notes.append(f"{found}: left out the payoffs of the other criterion")
        return self.mapping(fields)

    def find_tree(self, data: _Object, number: int | None) -> _Object:
        """Return the root of the tree with a number, the first if that is None."""
        trees = self.objects(data, "trees")
        if number is None and len(trees) > 1:
            self.notes.append(f"this is the first of {len(trees)} trees: --tree 2 reads the second")
        number = 1 if number is None else number
        if not 1 <= number <= len(trees):
            found = f"there is no tree {number} among the {len(trees)} trees of the file"
            self.stop(data, "trees", f"{found}: remove --tree to read the first")
        return trees[number - 1]

    # ---- Nodes and edges.

    def open(self, node: _Node) -> Iterator[_Node]:
        """Add the item of a node to its siblings, and yield its children."""
        about, fields = node.about, node.fields
        kind = about.keys.get("type")
        if kind not in ("decision", "chance", "terminal"):
            expected = "expected decision, chance or terminal"
            self.fault(about, "type", f"found {described(kind)} as type, {expected}")
            return
        edges = self.objects(about, "childEdges")
        children: list[Data] = []
        if bool(edges) == (kind == "terminal"):
            found, hint = "has no edges", "add one, or make it a terminal node"
            if edges:
                found, hint = "has edges", "remove them, or change its type"
            self.fault(about, "childEdges", f"a {kind} node {found}: {hint}")
            return
        paid = fields.pop("payoff")
        if kind == "terminal":
            fields["utility"] = paid
        else:
            fields[self.kinds[kind]] = children, about.place
            if paid[0] != "0":
                fields["reward"] = paid
        if name := self.text(about, "name"):
            fields["note"] = name, about.place
        node.siblings.append(self.mapping(fields))
        self.places[id(children)] = [edge.place for edge in edges]
        names = self.assign(about, node.names)
        labels = self.labels(about, edges)
        for place, (edge, label) in enumerate(zip(edges, labels, strict=True), 1):
            edge.path = (*about.path, label or f"#{place}")
            child = edge.keys.get("childNode")
            if not isinstance(child, tuple):
                self.fault(edge, "childNode", f"found {described(child)}, expected a node")
                continue
            root = _Object(child, edge.place_of("childNode"), edge.path)
            of_edge = self.numbers(edge, self.kinds[kind] == "chance", names)
            if label:
                of_edge["label"] = label, edge.place_of("name")
            yield _Node(root, names, of_edge, children)

    def labels(self, about: _Object, edges: Sequence[_Object]) -> list[str | None]:
        """Return the labels of a node's edges; note a name that is left out."""
        names = [self.text(edge, "name") for edge in edges]
        labels = labels_of(names)
        left_out = [n for n, label in zip(names, labels, strict=True) if n and not label]
        if left_out:
            self.note(about.path, f"left out the name {quote(left_out[0])}: a label is unique")
        return labels

    def numbers(self, edge: _Object, is_outcome: bool, names: Names) -> Fields:
        """Return the payoff of an edge, and the probability of an outcome."""
        payoffs = edge.keys.get("payoff", "")
        payoffs = payoffs if isinstance(payoffs, list) else [payoffs]
        payoff = payoffs[self.criterion] if self.criterion < len(payoffs) else ""
        others = [other for at, other in enumerate(payoffs) if at != self.criterion]
        self.has_other_payoffs |= any(other not in (None, "", "0") for other in others)
        found: Fields = {"payoff": (formula_of(payoff, names), edge.place_of("payoff"))}
        if is_outcome:
            written = edge.keys.get("probability", "")
            is_share = isinstance(written, str) and written.strip() == SHARE
            p = REST if is_share else formula_of(written, names)
            found["p"] = p, edge.place_of("probability")
        return found

    def assign(self, item: _Object, names: Names) -> Names:
        """Return the names after the code of an object, whose assignments become parameters."""
        code = self.text(item, "code")
        if not code:
            return names
        found = dict(names)
        for statement in re.split(r"[\n;]", _COMMENT.sub("", code)):
            match = _ASSIGNMENT.fullmatch(statement.strip())
            if match:
                base = re.sub("[^A-Za-z0-9_]", "_", match[1])
                new = free_name(base, lambda text: text in self.parameters or text in _RESERVED)
                self.parameters[new] = formula_of(match[2], found), item.place_of("code")
                found[match[1]] = new
            elif statement.strip():
                left_out = f"left out {quote(statement.strip())}"
                self.note(item.path, f"{left_out}, which is not an assignment such as x = 2")
        return found

    # ---- Values of any object.

    def text(self, item: _Object, key: str) -> str:
        """Return a text, which is empty if it is missing."""
        text = item.keys.get(key) or ""
        if not isinstance(text, str):
            self.fault(item, key, f"found {described(text)} as {key}, expected text")
            return ""
        return text

    def objects(self, item: _Object, key: str) -> list[_Object]:
        """Return the objects in a list, which may be missing."""
        items = item.keys.get(key) or []
        if not isinstance(items, list) or not all(isinstance(data, tuple) for data in items):
            self.stop(item, key, f"found {described(items)} as {key}, expected a list of objects")
        return [_Object(data, Place(items, at), item.path) for at, data in enumerate(items)]

    def fault(self, item: _Object, key: str, message: str) -> None:
        """Report a problem at the value of a key, or at the object if it has no such key."""
        self.report(item.place_of(key), item.path, message)

    def stop(self, item: _Object, key: str, message: str) -> NoReturn:
        """Report a problem after which nothing can be read."""
        self.fault(item, key, message)
        raise TooManyProblemsError


def formula_of(written: Data, names: Names) -> Data:
    """Return a number or a formula with the names of parameters; other data as they are."""
    if not isinstance(written, str):
        return written
    text = _COMMENT.sub("", written).strip().replace("%", " mod ")  # as mathjs reads it
    if mixed := _MIXED.fullmatch(text):
        return "{}({} + {})".format(*mixed.groups())
    return _NAME.sub(lambda name: names.get(name[0], name[0]), text)
