"""Read files of SilverDecisions 1.2: their trees become a structure for the grammar."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, NoReturn, TypeAlias, Unpack

from expectitree.base.errors import (
    NOT_A_PROBABILITY,
    UNDEFINED,
    WRONG_SUM,
    WRONG_SUM_OF_FORMULAS,
)
from expectitree.base.expressions.syntax import RESERVED
from expectitree.base.numbers import quote
from expectitree.base.reading import HOW
from expectitree.base.tree.formulas import REST
from expectitree.base.tree.model import Tree
from expectitree.files.formats.json import parse
from expectitree.files.grammar.document import Data, Document, Place, TooManyProblemsError, place_of
from expectitree.files.grammar.values import NORMALIZE
from expectitree.files.grammar.words import described
from expectitree.files.rows import ReadOptions, Warn
from expectitree.foreign import shared
from expectitree.foreign.shared import Fields, Path, Translation, walk
from expectitree.text.phrases import plural

# By rule, the kinds of the nodes that decision and chance nodes become.
RULES = {
    "expected-value-maximization": ("max", "chance"),
    "expected-value-minimization": ("min", "chance"),
    "maxi-min": ("max", "min"),
    "maxi-max": ("max", "max"),
    "mini-min": ("min", "min"),
    "mini-max": ("min", "max"),
}
# By rule, the signs of two criteria; the weight multiplies the first. Decisions are MAX.
TWO_CRITERIA = {"min-max": "-+", "max-min": "+-", "min-min": "--", "max-max": "++"}
KEY = "SilverDecisions"  # the root's key with the version of the file
SHARE = "#"  # the probability that the other outcomes leave of 1
_MIXED = re.compile(r"([+-]?)([0-9]+) +([0-9]+/[0-9]+)")  # SilverDecisions writes 5/2 as `2 1/2`
_COMMENT = re.compile("#[^\n]*")
_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")
_ASSIGNMENT = re.compile(r"([^\W\d]\w*)\s*=(?!=)\s*(.+)", re.DOTALL)
# What to do about errors that the grammar finds, by their kinds.
_HINTS = {
    NOT_A_PROBABILITY: f"write a number from 0 to 1, or {SHARE} for 1 minus the sum of the others",
    UNDEFINED: f"{HOW}, or define it in the code of the file",
    WRONG_SUM: f"correct them, write {SHARE} for one of them, or {NORMALIZE}",
    WRONG_SUM_OF_FORMULAS: f"change a formula or a parameter, or write {SHARE} for one of them",
}

# The names that expressions at a node may use, each with the name of its parameter.
Names: TypeAlias = Mapping[str, str]


def read(
    text: str, name: str, warn: Warn, exact_nodes: int, **options: Unpack[ReadOptions]
) -> Tree:
    """Return a tree of a text by its number, the first if that is None."""
    with shared.own_hints(_HINTS):
        reader = _Reader(replace(parse(text, name), normalize=options.get("normalize", False)))
        return reader.tree(lambda: reader.root(options.get("tree")), warn, exact_nodes)


class _Object(dict[str, Data]):
    def __init__(self, data: Data, place: Place, path: Path = ()) -> None:
        super().__init__(data)
        self.data, self.place = data, place
        self.path = path

    def place_of(self, key: str) -> Place:
        """Return the place of a key's value, or of the object if it has no such key."""
        if key in self:
            return place_of(self.data, key)
        return self.place


class _Node(NamedTuple):
    """A node that is not translated yet."""

    about: _Object
    names: Names  # that its formulas may use
    fields: Fields  # of its item: those of the edge to it
    siblings: list[Data]  # the items before its own


class _Reader(Translation):
    def __init__(self, source: Document) -> None:
        super().__init__(source)
        self.parameters: Fields = {}
        self.taken = {*RESERVED}  # names that are no longer free for a parameter
        self.kinds: dict[Data, str] = {}  # by the type of a node
        self.criterion = 0  # the place of the payoffs that count
        self.criteria: list[str] = []  # the names, for a rule of two criteria
        self.has_other_payoffs = False

    def root(self, number: int | None) -> Data:
        """Return the translated tree with a number, the first if that is None."""
        file = _Object((), Place())
        if isinstance(self.source.root, tuple):
            file = _Object(self.source.root, Place())
        if KEY not in file:
            self.stop(file, KEY, f"found no key {KEY}\nsave the file in SilverDecisions")
        rule = file.get("rule", next(iter(RULES)))
        if not isinstance(rule, str) or (rule not in RULES and rule not in TWO_CRITERIA):
            known = ", ".join((*RULES, *TWO_CRITERIA))
            self.stop(file, "rule", f"found {described(rule)} as rule\nwrite one of {known}")
        self.kinds["decision"], self.kinds["chance"] = RULES.get(rule, ("max", "chance"))
        if self.kinds["chance"] != "chance":
            self.notes.append(f"the rule {rule} uses no probabilities: left out")
        self.criterion = int(file.get("viewMode") == "criterion2")
        if not isinstance(file.get("data"), tuple):
            self.stop(
                file,
                "data",
                "expected an object with the trees as data\nsave a file of an old version in "
                "SilverDecisions 1.2",
            )
        data = _Object(file["data"], file.place_of("data"))
        fields: Fields = {"payoff": ("0", data.place)}
        names = self.assign(data, {})
        about: Fields = {}
        if rule in TWO_CRITERIA:
            about = self.two_criteria(data, TWO_CRITERIA[rule])
        walk(_Node(self.find_tree(data, number), names, fields, []), self.open)
        self.add_text(fields, "title", file, "title")
        self.add_text(fields, "source", file, "description")
        if self.parameters:
            fields["parameters"] = self.mapping(self.parameters), data.place_of("code")
        fields |= about
        if self.has_other_payoffs:
            self.notes.append(
                f"this is the tree for criterion {self.criterion + 1}: left out the payoffs of "
                "the other criterion"
            )
        return self.mapping(fields)

    def two_criteria(self, data: _Object, signs: str) -> Fields:
        """Return the criteria and the objective, whose weight becomes a parameter."""
        named = data.get("payoffNames")
        if not isinstance(named, list):
            named = []
        place, described = data.place_of("payoffNames"), Fields()
        for number, title in enumerate([*named, None, None][:2], 1):
            if not isinstance(title, str) or not title:
                title = f"criterion {number}"
            name = self.new_name(title)
            described[name] = (), place
            if name != title:
                described[name] = self.mapping({"description": (title, place)}), place
        first, second = self.criteria = [*described]
        key, sign = "defaultCriterion1Weight", signs[0].strip("+")
        objective, value = f"{sign}{first}", str(data.get(key, "1"))
        if value != "Infinity":  # otherwise, SilverDecisions counts the first criterion alone
            weight = self.new_name("weight")
            self.parameters[weight] = value, data.place_of(key)
            objective = f"{sign}{weight}*{first} {signs[1]} {second}"
        criteria = self.mapping(described), place
        return {"criteria": criteria, "objective": (objective, data.place)}

    def find_tree(self, data: _Object, number: int | None) -> _Object:
        trees = self.objects(data, "trees")
        if number is None and len(trees) > 1:
            self.notes.append(f"this is the first of {len(trees)} trees: --tree 2 reads the second")
        if number is None:
            number = 1
        if not 1 <= number <= len(trees):
            advice = "choose one with --tree" if trees else "draw one in SilverDecisions first"
            count = plural(len(trees), "tree")
            self.stop(data, "trees", f"no tree {number}: the file has {count}\n{advice}")
        return trees[number - 1]

    # ---- Nodes and edges.

    def open(self, node: _Node) -> Iterator[_Node]:
        """Add the item of a node to its siblings, and yield its children."""
        about, fields = node.about, node.fields
        kind = about.get("type")
        if kind not in ("decision", "chance", "terminal"):
            self.fault(
                about,
                "type",
                f"found {described(kind)} as type\nwrite decision, chance or terminal",
            )
            return
        edges = self.objects(about, "childEdges")
        children: list[Data] = []
        if bool(edges) == (kind == "terminal"):
            reason = "has no edges\nadd one, or make it a terminal node"
            if edges:
                reason = "has edges\nremove them, or change its type"
            self.fault(about, "childEdges", f"a {kind} node {reason}")
            return
        paid = fields.pop("payoff")
        if kind == "terminal":
            fields["utility"] = paid
        else:
            fields[self.kinds[kind]] = children, about.place
            if paid[0] != "0":
                fields["reward"] = paid
        self.add_text(fields, "note", about, "name")
        node.siblings.append(self.mapping(fields))
        self.places[id(children)] = [edge.place for edge in edges]
        names = self.assign(about, node.names)
        labels = self.labels(about, edges)
        for place, (edge, label) in enumerate(zip(edges, labels, strict=True), 1):
            edge.path = (*about.path, label or f"#{place}")
            child = edge.get("childNode")
            if not isinstance(child, tuple):
                hint = 'write an object, such as {"type": "terminal"}'
                self.fault(edge, "childNode", f"found {described(child)} as childNode\n{hint}")
                continue
            root = _Object(child, edge.place_of("childNode"), edge.path)
            of_edge = self.numbers(edge, self.kinds[kind] == "chance", names)
            if label:
                of_edge["label"] = label, edge.place_of("name")
            yield _Node(root, names, of_edge, children)

    def labels(self, about: _Object, edges: Sequence[_Object]) -> list[str | None]:
        """Return the labels of a node's edges; note a name that is left out."""
        names = [self.text(edge, "name") for edge in edges]
        labels = shared.labels_of(names)
        left_out = [n for n, label in zip(names, labels, strict=True) if n and not label]
        if left_out:
            self.note(about.path, f"left out the name {quote(left_out[0])}: a label is unique")
        return labels

    def numbers(self, edge: _Object, is_outcome: bool, names: Names) -> Fields:
        """Return the payoff of an edge, and the probability of an outcome."""
        payoffs = edge.get("payoff", "")
        if not isinstance(payoffs, list):
            payoffs = [payoffs]
        place = edge.place_of("payoff")
        if self.criteria:
            pairs = zip(self.criteria, [*payoffs, "0", "0"], strict=False)
            amounts = {name: (formula_of(payoff, names), place) for name, payoff in pairs}
            amounts = {name: pair for name, pair in amounts.items() if pair[0] != "0"}
            paid = self.mapping(amounts) if amounts else "0"
        else:
            others = payoffs[: self.criterion] + payoffs[self.criterion + 1 :]
            self.has_other_payoffs |= any(other not in (None, "", "0") for other in others)
            paid = formula_of([*payoffs, "", ""][self.criterion], names)
        fields: Fields = {"payoff": (paid, place)}
        if is_outcome:
            written = edge.get("probability", "")
            p = formula_of(written, names)
            if isinstance(written, str) and written.strip() == SHARE:
                p = REST
            fields["p"] = p, edge.place_of("probability")
        return fields

    def assign(self, item: _Object, names: Names) -> Names:
        """Return the names after the code of an object, whose assignments become parameters."""
        code = self.text(item, "code")
        if not code:
            return names
        known = dict(names)
        for statement in map(str.strip, re.split(r"[\n;]", _COMMENT.sub("", code))):
            if match := _ASSIGNMENT.fullmatch(statement):
                new = self.new_name(match[1])
                self.parameters[new] = formula_of(match[2], known), item.place_of("code")
                known[match[1]] = new
            elif statement:
                self.note(
                    item.path,
                    f"left out {quote(statement)}, which is not an assignment such as x = 2",
                )
        return known

    def new_name(self, title: str) -> str:
        """Return a name that is not taken yet, and take it."""
        new = shared.free_name(shared.identifier(title), self.taken)
        self.taken.add(new)
        return new

    # ---- Values of any object.

    def text(self, item: _Object, key: str) -> str:
        """Return a text, which is empty if it is missing."""
        text = item.get(key) or ""
        if not isinstance(text, str):
            self.fault(item, key, f"found {described(text)} as {key}\nwrite text")
            return ""
        return text

    def add_text(self, fields: Fields, name: str, item: _Object, key: str) -> None:
        """Add a text to fields under another name, if it is there."""
        if text := self.text(item, key):
            fields[name] = text, item.place_of(key)

    def objects(self, item: _Object, key: str) -> list[_Object]:
        """Return the objects in a list, which may be missing."""
        items = item.get(key) or []
        if not isinstance(items, list) or not all(isinstance(data, tuple) for data in items):
            self.stop(item, key, f"found {described(items)} as {key}\nwrite a list of objects")
        return [_Object(data, Place(items, index), item.path) for index, data in enumerate(items)]

    def fault(self, item: _Object, key: str, message: str) -> None:
        """Report a problem at the value of a key, or at the object if it has no such key."""
        self.report(item.place_of(key), item.path, message)

    def stop(self, item: _Object, key: str, message: str) -> NoReturn:
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
