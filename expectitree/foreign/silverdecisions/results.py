"""The results that SilverDecisions stores in its files: by rule, the payoff of every node.

The payoff of a node is its value plus what the edge to it pays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from expectitree.files.grammar.document import Document, Mark
from expectitree.files.grammar.words import described
from expectitree.foreign.silverdecisions.code import number_of
from expectitree.foreign.silverdecisions.diagram import RULES, Diagram, Item
from expectitree.foreign.silverdecisions.reader import Translation, criterion
from expectitree.foreign.silverdecisions.structure import DiagramReader


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
        nodes = [node for _, node in diagram.nodes()]
        marks = reader.document.locate([node.place_of("computed") for node in nodes])
        for rule in RULES:
            payoffs = [_payoff(reader, diagram, node, rule) for node in nodes]
            if reader.problems.found:
                raise reader.problems.failure()
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
