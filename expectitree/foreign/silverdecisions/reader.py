"""Turn a SilverDecisions diagram into the structure that the grammar reads.

Each object of that structure remembers its place in the file, for the errors of the grammar.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from expectitree.base.numbers import quote
from expectitree.files.grammar.document import Data, Document, Mark, Place
from expectitree.files.grammar.words import described
from expectitree.foreign.silverdecisions.code import Names, Parameters, formula_of, number_of
from expectitree.foreign.silverdecisions.structure import (
    RULES,
    SHARE,
    Diagram,
    DiagramReader,
    Edge,
    Item,
    Node,
)
from expectitree.tree.formulas import REST


class Translation:
    """Translates one diagram under one rule."""

    def __init__(self, reader: DiagramReader, diagram: Diagram, rule: str) -> None:
        self.reader, self.diagram = reader, diagram
        self.kinds = dict(zip(("decision", "chance"), RULES[rule], strict=True))
        if self.kinds["chance"] != "chance":
            reader.notes.append(f"the rule {rule} uses no probabilities: left out")
        self.parameters = Parameters(reader)
        self.origins: dict[int, list[Place]] = {}  # id of an object -> the places of its items
        self.has_other_payoffs = False  # for the criterion that does not count

    def document(self) -> Document:
        """Return the document; raise `FileError` if a number is missing."""
        diagram = self.diagram
        names = self.parameters.run(diagram.about["code"], {}, diagram.data)
        body = self.body(diagram.nodes[0], names)
        self.reader.raise_any()
        if self.has_other_payoffs:
            found = f"this is the tree for criterion {diagram.criterion + 1}"
            self.reader.notes.append(f"{found}: left out the payoffs of the other criterion")
        note = "\n".join(filter(None, [diagram.nodes[0].name, *diagram.texts]))
        place = diagram.data.place_of("code")
        parameters = self.keep(tuple(self.parameters.found.items()), place)
        about = {
            "title": diagram.about["title"],
            "source": diagram.about["description"],
            "parameters": parameters,
            "note": note,
        }
        root = (*[(key, value) for key, value in about.items() if value], body)
        self.keep(root, diagram.nodes[0].place)
        return replace(self.reader.document, root=root, locate=self.locate)

    def keep(self, data: Data, *places: Place) -> Data:
        """Return an object, after noting the places of its items: one for all, or one each."""
        self.origins[id(data)] = [*places] * (len(data) if len(places) == 1 else 1)
        return data

    def locate(self, places: Sequence[Place]) -> Sequence[Mark | None]:
        """Return line and column of places in the translated structure."""
        places = [self.origins.get(id(p.container), [Place()] * (p.at + 1))[p.at] for p in places]
        return self.reader.document.locate(places)

    def body(self, root: Node, names: Names) -> tuple[str, Data]:
        """Return the key of the root's kind with its children and everything below."""
        children: list[Data] = []
        stack = [(root, names, children)]
        while stack:
            node, names, items = stack.pop()
            names = self.parameters.run(node.code, names, node) if node.code else names
            below = []
            for edge in node.edges:
                item, its_items = self.edge(node, edge, names)
                items.append(item)
                below.append((edge.child, names, its_items))
            self.keep(items, *[edge.place for edge in node.edges])
            stack += reversed(below)
        return (self.kinds[root.kind], children) if children else ("utility", "0")

    def edge(self, node: Node, edge: Edge, names: Names) -> tuple[Data, list[Data]]:
        """Return the child at an edge, and the list of its children, which is still empty."""
        child, children = edge.child, list[Data]()
        payoff = self.payoff(edge, names)
        found: dict[str, tuple[Data, Place]] = {}
        if edge.label is not None:
            found["label"] = edge.label, edge.place_of("name")
        if self.kinds[node.kind] == "chance":
            found["p"] = self.probability(edge, names), edge.place_of("probability")
        if child.kind == "terminal":
            found["utility"] = payoff, edge.place_of("payoff")
        else:
            if payoff != "0":
                found["reward"] = payoff, edge.place_of("payoff")
            found[self.kinds[child.kind]] = children, child.place
        if child.name:
            found["note"] = child.name, child.place
        item = tuple((key, value) for key, (value, _) in found.items())
        return self.keep(item, *[place for _, place in found.values()]), children

    def probability(self, edge: Edge, names: Names) -> str:
        """Return the probability of an outcome."""
        written = edge.keys.get("probability")
        if isinstance(written, str) and written.strip() == SHARE:
            return REST
        return self.value(edge, "probability", written, edge.mapping("computed"), names)

    def payoff(self, edge: Edge, names: Names) -> str:
        """Return the payoff of an edge for the criterion that counts."""
        at, computed = self.diagram.criterion, edge.mapping("computed")
        computed["payoff"] = criterion(computed.get("payoff"), at)
        other = criterion(edge.keys.get("payoff"), 1 - at)
        self.has_other_payoffs |= other not in (None, "", "0")
        return self.value(edge, "payoff", criterion(edge.keys.get("payoff"), at), computed, names)

    def value(
        self, edge: Edge, key: str, written: Data, computed: dict[str, Data], names: Names
    ) -> str:
        """Return a value as a formula, or else the number that the file has computed for it."""
        formula = formula_of(written, names)
        if formula is not None:
            return formula
        number = number_of(computed.get(key))
        found = f"found {described(written)} as {key}" if key in edge.keys else f"no {key}"
        if written is None and isinstance(edge.keys.get(key), list):
            found = f"no {key} for criterion {self.diagram.criterion + 1}"
        elif isinstance(written, str) and written:
            found = f"the {key} {quote(written)} is not one of expectitree's formulas"
        if number is not None:
            self.reader.note(edge, f"{found}: took the value {number} from the file")
            return number
        hint = "write a number, or save the file in SilverDecisions, which stores the value"
        self.reader.report(edge, key, f"{found}, and the file stores no value: {hint}")
        return "0"


def criterion(payoff: Data, at: int) -> Data:
    """Return the payoff for one criterion; before version 0.8 there is only one."""
    if isinstance(payoff, list):
        return payoff[at] if at < len(payoff) else None
    return payoff if at == 0 else None


# ---- Results.


class Results(NamedTuple):
    """The results of one rule for one tree."""

    what: str  # the rule, and the tree if there are several
    document: Document  # the tree under this rule, for the grammar
    payoffs: list[str | None]  # of the nodes, parents first, in the order of the branches
    marks: Sequence[Mark | None]  # line and column of each


def find_results(reader: DiagramReader) -> Iterator[Results]:
    """Yield the results that a file stores; raise `FileError` with every problem found.

    Rules for two criteria are left out.
    """
    for number in range(1, len(reader.trees) + 1):
        diagram = reader.read(number)
        marks = reader.document.locate([node.place_of("computed") for node in diagram.nodes])
        for rule in RULES:
            payoffs = [_payoff(reader, diagram, node, rule) for node in diagram.nodes]
            reader.raise_any()
            if any(payoffs):
                translated = Translation(reader, diagram, rule).document()
                what = f"tree {number}: {rule}" if len(reader.trees) > 1 else rule
                yield Results(what, translated, payoffs, marks)


def _payoff(reader: DiagramReader, diagram: Diagram, node: Item, rule: str) -> str | None:
    """Return the payoff that is stored for a node under a rule; None if there is none."""
    results = node.mapping("computed").get(rule)
    payoffs = dict(results).get("payoff") if isinstance(results, tuple) else None
    written = criterion(payoffs, diagram.criterion)
    number = number_of(written)
    if written is not None and number is None:
        expected = "expected a number such as 1165 891810/1849771"
        message = f"found {described(written)} as payoff for {rule}, {expected}"
        reader.report(node, "computed", message)
    return number
