"""Write a tree as a file of SilverDecisions 1.2, piece by piece."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from typing import Any

from expectitree.base.errors import TreeError
from expectitree.base.expressions.syntax import Name
from expectitree.base.numbers import escape, message_text, number_text, to_fraction
from expectitree.base.tree.formulas import REST, is_formula
from expectitree.base.tree.model import Kind, Tree
from expectitree.base.tree.parameters import parameter_values
from expectitree.files.formats.json import NOTATION
from expectitree.files.rows import Warn
from expectitree.foreign.shared import formula_text, free_name, payoff_of
from expectitree.foreign.silverdecisions.reader import KEY, RULES, SHARE

_LEFT, _TOP, _ACROSS, _DOWN = 20, 20, 170, 75  # of the layout, in pixels
_GREATEST = 2**53 - 1  # a greater payoff is not valid in SilverDecisions
# Words that mathjs, which computes for SilverDecisions, reads as operators or constants.
_WORDS = ("and", "end", "false", "in", "mod", "not", "null", "or", "to", "true", "undefined", "xor")
_FORMAT = {
    "style": "decimal",
    "currency": "USD",
    "currencyDisplay": "symbol",
    "minimumFractionDigits": 0,
    "maximumFractionDigits": 3,
    "useGrouping": True,
}
_SETTINGS = {
    "lng": "en",
    "viewMode": "criterion1",
    "format": {"locales": "en", "payoff1": _FORMAT, "payoff2": _FORMAT, "probability": _FORMAT},
}
_CRITERIA = {
    "texts": [],
    "payoffNames": [],
    "defaultCriterion1Weight": 1,
    "weightLowerBound": 0,
    "weightUpperBound": "Infinity",
}


def write(tree: Tree, warn: Warn | None = None) -> Iterator[str]:
    """Yield the text of a tree piece by piece; raise `TreeError` for a payoff that is too large."""
    writer = _Writer(tree)
    yield from writer.text()
    if writer.left_out and warn is not None:
        found = ", ".join(writer.left_out)
        warn(f"left out what SilverDecisions' JSON cannot hold: {found}")


class _Writer:
    """Writes one tree, in which each node has one parent."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.formulas = tree.formulas
        self.rule, self.types = _rule({Kind(kind) for kind in set(tree.columns.kind)})
        self.names = _mathjs_names(tree.parameters)
        self.left_out = {"notes of branches": None} if tree.branch_notes else {}
        if any(p.range or p.unit or p.description for p in tree.parameters.values()):
            self.left_out["ranges, units and descriptions of parameters"] = None

    def text(self) -> Iterator[str]:
        """Yield the whole file."""
        tree, code, scope = self.tree, list[str](), dict[str, float]()
        values: dict[str, Any] = parameter_values(tree)
        for n, value in values.items():
            name = self.names[n]
            code.append(f"{name} = {self.formula(tree.parameters[n].value, value)}")
            if value is not None and abs(value) <= _GREATEST:
                scope[name] = float(value)
        head = {
            KEY: "1.2.0",
            "rule": self.rule,
            "title": tree.title or "",
            "description": tree.source or "",
            **_SETTINGS,
        }
        data = {"code": "\n".join(code), "expressionScope": scope, **_CRITERIA}
        yield f'{_opened(head)},\n"data": {_opened(data)},\n"trees": [\n'
        yield from self.nodes()
        yield "\n]}}\n"

    def nodes(self) -> Iterator[str]:
        """Yield the root and everything below it, a row for each terminal."""
        tree, columns = self.tree, self.tree.columns
        row = 0
        yield self.node(tree.root_id, 0, row)
        stack = [self.edges(tree.root_id)]
        while stack:
            edge = next(stack[-1], None)
            if edge is None:
                stack.pop()
                yield "]}}" if stack else "]}"
                continue
            b, text = edge
            yield f"{text}{self.node(columns.child[b], len(stack), row)}"
            row += not columns.kind[columns.child[b]]
            stack.append(self.edges(columns.child[b]))

    def node(self, n: int, depth: int, row: int) -> str:
        """Return the text of a node up to its first edge."""
        node = {
            "type": self.types[Kind(self.tree.columns.kind[n])],
            "name": self.tree.notes.get(n, ""),
            "code": "",
            "folded": False,
            "location": {"x": _LEFT + _ACROSS * depth, "y": _TOP + _DOWN * row},
        }
        return f'{_opened(node)}, "childEdges": ['

    def edges(self, node: int) -> Iterator[tuple[int, str]]:
        """Yield the branches of a node, each with its text up to the child."""
        branches = self.tree.branches_of(node)
        is_chance = self.types[Kind(self.tree.columns.kind[node])] == "chance"
        probabilities = self.probabilities(node) if is_chance else [None] * len(branches)
        separator = "\n"
        for b, probability in zip(branches, probabilities, strict=True):
            edge: dict[str, Any] = {
                "name": self.tree.label[b] or "",
                "payoff": [self.payoff(node, b), 0],
            }
            if probability is not None:
                edge["probability"] = probability
            yield b, f'{separator}{_opened(edge)}, "childNode": '
            separator = ",\n"

    def payoff(self, node: int, b: int) -> str:
        """Return what a branch pays, with the utility of a terminal at its end."""
        written, value = payoff_of(self.tree, b)
        if abs(value) > _GREATEST:
            path = escape(self.tree.path_of(node, b))
            found = f"the payoff {message_text(value)} is beyond 2^53 - 1"
            greatest = "the greatest that SilverDecisions accepts"
            raise TreeError(f"{path}: {found}, {greatest}: scale the utilities")
        return self.formula(written, value)

    def probabilities(self, node: int) -> list[str]:
        """Return the probabilities of the outcomes of a chance node, which sum to 1."""
        branches, formulas = self.tree.branches_of(node), self.formulas
        numbers: list[Any] = [self.tree.columns.probability[b] for b in branches]
        if self.tree.columns.kind[node] != Kind.CHANCE:
            return [SHARE] * len(branches)  # the rule does not use them
        if formulas is not None and branches[0] in formulas.probabilities:
            written = [formulas.probabilities[b] for b in branches]
            return [
                SHARE if p == Name(REST) else self.formula(p, number)
                for p, number in zip(written, numbers, strict=True)
            ]
        shares = [*map(_simple, numbers)]
        total = sum(shares)  # of rounded floats
        return [number_text(share / total) for share in shares]

    def formula(self, written: Any, value: Any) -> str:
        """Return a number, or a formula as mathjs reads it; its value if it cannot."""
        if is_formula(written):
            text = formula_text(written, self.names, lambda operation: operation != "if")
            if text is not None:
                return text
            self.left_out["formulas with if (their values are written)"] = None
        return number_text(_simple(value))


def _rule(kinds: set[Kind]) -> tuple[str, dict[Kind, str]]:
    """Return the rule for a tree with some kinds of nodes, and the type of each kind."""
    for rule, (decision, chance) in RULES.items():
        types = {Kind[decision.upper()]: "decision", Kind[chance.upper()]: "chance"}
        if len(types) == 2 and kinds <= {*types, Kind.TERMINAL}:
            return rule, {**types, Kind.TERMINAL: "terminal"}
    raise AssertionError("`losses` refuses a tree with three kinds of nodes")


def _opened(data: Mapping[str, Any]) -> str:
    """Return an object in JSON without its closing brace."""
    for value in data.values():
        if isinstance(value, str):
            NOTATION.text(value)  # raises `TreeError` if it is not Unicode
    return json.dumps(data, ensure_ascii=False)[:-1]


def _simple(number: Any) -> Fraction:
    """Return a number as a fraction: of a float, its shortest decimal."""
    return to_fraction(number_text(number)) if isinstance(number, float) else Fraction(number)


def _mathjs_names(parameters: Collection[str]) -> dict[str, str]:
    """Return the names of the parameters in mathjs, which reserves a few words."""

    def is_taken(name: str) -> bool:
        return name in _WORDS or name in found.values()

    found = {name: name for name in parameters if name not in _WORDS}
    for name in parameters:
        if name not in found:
            found[name] = free_name(name, is_taken)
    return found
