"""The results that SilverDecisions stores in its files: by rule, the payoff of every node.

The payoff of a node is its value and what the edge to it pays.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from expectitree.files.grammar.document import Document
from expectitree.files.grammar.words import described
from expectitree.files.silverdecisions.code import number_of
from expectitree.files.silverdecisions.diagram import RULES, Diagram, DiagramReader, Node
from expectitree.files.silverdecisions.reader import Translation, criterion
from expectitree.numbers import to_fraction


class Stored(NamedTuple):
    """The results of one rule for one tree."""

    tree: int  # its number in the file
    rule: str
    document: Document  # the tree under this rule, for the grammar
    payoffs: list[Fraction | None]  # of the nodes, parents first, in the order of the branches


def read_stored(document: Document) -> Iterator[Stored]:
    """Yield the results that a file stores, for each of its trees and for each of six rules.

    Rules for two criteria are left out. Raises `FileError` with every problem found.
    """
    count = len(DiagramReader(document).trees)
    for tree in range(1, count + 1):
        for rule in RULES:
            reader = DiagramReader(document)
            diagram = reader.read(tree)
            payoffs = [_payoff(reader, diagram, node, rule) for _, node in diagram.nodes()]
            if reader.problems.found:
                raise reader.problems.failure()
            if any(payoff is not None for payoff in payoffs):
                translated = Translation(document, reader, diagram, rule).document()
                yield Stored(tree, rule, translated, payoffs)


def _payoff(reader: DiagramReader, diagram: Diagram, node: Node, rule: str) -> Fraction | None:
    """Return the payoff that is stored for a node under a rule, None if there is none."""
    results = dict(node.mapping("computed").get(rule) or ())
    written = criterion(results.get("payoff"), diagram.criterion)
    if written is None:
        return None
    number = number_of(written)
    if number is None:
        expected = "expected a number such as 1165 891810/1849771"
        message = f"found {described(written)} as the payoff for {rule}, {expected}"
        reader.report(node, "computed", message)
        return None
    return to_fraction(number)
