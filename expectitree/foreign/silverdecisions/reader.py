"""Turn a SilverDecisions diagram into the structure that the grammar reads.

Each object of that structure remembers its place in the file, for the errors of the grammar.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from expectitree.files.grammar.document import Data, Document, Mark, Place
from expectitree.files.grammar.words import described
from expectitree.foreign.silverdecisions.code import Parameters, Scope, number_of
from expectitree.foreign.silverdecisions.diagram import RULES, Diagram, Edge, Node
from expectitree.foreign.silverdecisions.structure import DiagramReader
from expectitree.numbers import quote
from expectitree.tree.formulas import REST

_SHARE = "#"  # the probability that the other outcomes leave of 1


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
        scope = self.parameters.run(diagram.about["code"], Scope(), diagram.data)
        body = self.body(diagram.root, scope)
        if self.reader.problems.found:
            raise self.reader.problems.failure()
        if self.has_other_payoffs:
            found = f"this is the tree for criterion {diagram.criterion + 1}"
            self.reader.notes.append(f"{found}: left out the payoffs of the other criterion")
        note = "\n".join(filter(None, [diagram.root.name, *diagram.texts]))
        place = diagram.data.place_of("code")
        parameters = self.keep(tuple(self.parameters.found.items()), place)
        about = {
            "title": diagram.about["title"],
            "source": diagram.about["description"],
            "parameters": parameters,
            "note": note,
        }
        root = (*[(key, value) for key, value in about.items() if value], body)
        self.keep(root, diagram.root.place)
        return replace(self.reader.document, root=root, locate=self.locate)

    def keep(self, data: Data, *places: Place) -> Data:
        """Return an object, after noting the places of its items: one for all, or one each."""
        self.origins[id(data)] = [*places] * (len(data) if len(places) == 1 else 1)
        return data

    def locate(self, places: Sequence[Place]) -> Sequence[Mark | None]:
        """Return line and column of places in the translated structure."""
        places = [self.origins.get(id(p.container), [Place()] * (p.at + 1))[p.at] for p in places]
        return self.reader.document.locate(places)

    def body(self, root: Node, scope: Scope) -> tuple[str, Data]:
        """Return the key of the root's kind with its children and everything below."""
        children: list[Data] = []
        stack = [(root, scope, children)]
        while stack:
            node, scope, items = stack.pop()
            scope = self.parameters.run(node.code, scope, node) if node.code else scope
            below = []
            for edge in node.edges:
                item, its_items = self.edge(node, edge, scope)
                items.append(item)
                below.append((edge.child, scope, its_items))
            self.keep(items, *[edge.place for edge in node.edges])
            stack += reversed(below)
        return (self.kinds[root.kind], children) if children else ("utility", "0")

    def edge(self, node: Node, edge: Edge, scope: Scope) -> tuple[Data, list[Data]]:
        """Return the child at an edge, and the list of its children, which is still empty."""
        child, children = edge.child, list[Data]()
        payoff = self.payoff(edge, scope)
        found: dict[str, tuple[Data, Place]] = {}
        if edge.label is not None:
            found["label"] = edge.label, edge.place_of("name")
        if self.kinds[node.kind] == "chance":
            found["p"] = self.probability(edge, scope), edge.place_of("probability")
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

    def probability(self, edge: Edge, scope: Scope) -> str:
        """Return the probability of an outcome."""
        written = edge.keys.get("probability")
        if isinstance(written, str) and written.strip() == _SHARE:
            return REST
        return self.value(edge, "probability", written, edge.mapping("computed"), scope)

    def payoff(self, edge: Edge, scope: Scope) -> str:
        """Return the payoff of an edge for the criterion that counts."""
        at, computed = self.diagram.criterion, edge.mapping("computed")
        computed["payoff"] = criterion(computed.get("payoff"), at)
        other = criterion(edge.keys.get("payoff"), 1 - at)
        self.has_other_payoffs |= other not in (None, "", "0")
        return self.value(edge, "payoff", criterion(edge.keys.get("payoff"), at), computed, scope)

    def value(
        self, edge: Edge, key: str, written: Data, computed: dict[str, Data], scope: Scope
    ) -> str:
        """Return a value as a formula, or else the number that the file has computed for it."""
        formula = scope.formula(written)
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
