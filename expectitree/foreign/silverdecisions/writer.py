"""A tree as a file of SilverDecisions 1.2, piece by piece."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from typing import Any

from expectitree.base.errors import TreeError
from expectitree.base.expressions.syntax import (
    Apply,
    Expression,
    Name,
    Number,
    fold,
    substitute,
    text_of,
)
from expectitree.base.numbers import escape, message_text, number_text, to_exact
from expectitree.files.formats.json import NOTATION
from expectitree.files.rows import Warn
from expectitree.foreign.silverdecisions.structure import KEY, RULES, SHARE
from expectitree.tree import paths
from expectitree.tree.formulas import REST, is_formula, sum_of
from expectitree.tree.model import Kind, Tree
from expectitree.tree.parameters import parameter_values

_VERSION = "1.2.0"
_LEFT, _TOP, _ACROSS, _DOWN = 20, 20, 170, 75  # of the layout, in pixels
_GREATEST = 2**53 - 1  # a greater payoff is not valid in SilverDecisions
_SHORT = 10**6  # denominators of fractions in place of floats
# Words that mathjs reads as operators or constants.
_WORDS = ("and", "end", "false", "in", "mod", "not", "null", "or", "to", "true", "undefined", "xor")
_FORMAT = {
    "style": "decimal",
    "currency": "USD",
    "currencyDisplay": "symbol",
    "minimumFractionDigits": 0,
    "maximumFractionDigits": 2,
    "useGrouping": True,
}


class DiagramWriter:
    """Writes one tree, in which each node has one parent."""

    def __init__(self, tree: Tree, warn: Warn | None) -> None:
        self.tree, self.formulas, self.warn = tree, tree.formulas, warn
        self.check()
        self.rule, self.types = _rule({Kind(kind) for kind in set(tree.columns.kind)})
        self.values = parameter_values(tree)
        self.names = mathjs_names(tree.parameters)

    def check(self) -> None:
        """Warn of the details that are lost."""
        tree, parameters = self.tree, self.tree.parameters.values()
        expressions = [] if tree.formulas is None else [*tree.formulas.expressions()]
        expressions += [parameter.value for parameter in parameters]
        lost = {
            "notes of branches": tree.branch_notes,
            "ranges of parameters": any(parameter.range for parameter in parameters),
            "units of parameters": any(parameter.unit for parameter in parameters),
            "descriptions of parameters": any(parameter.description for parameter in parameters),
            "formulas with if (their values are written)": any(map(has_if, expressions)),
        }
        found = [what for what, is_there in lost.items() if is_there]
        if found and self.warn is not None:
            self.warn(f"left out what SilverDecisions' JSON cannot hold: {', '.join(found)}")

    def text(self) -> Iterator[str]:
        """Yield the whole file."""
        tree, names = self.tree, self.names
        code = [
            f"{names[n]} = {self.formula(p.value, self.values[n])}"
            for n, p in tree.parameters.items()
        ]
        known: dict[str, Any] = {n: value for n, value in self.values.items() if value is not None}
        scope = {names[n]: float(value) for n, value in known.items() if abs(value) <= _GREATEST}
        head = {
            KEY: _VERSION,
            "lng": "en",
            "viewMode": "criterion1",
            "rule": self.rule,
            "title": tree.title or "",
            "description": tree.source or "",
            "format": {
                "locales": "en",
                "payoff1": _FORMAT,
                "payoff2": _FORMAT,
                "probability": {**_FORMAT, "maximumFractionDigits": 3},
            },
        }
        data = {"code": "\n".join(code), "expressionScope": scope}
        tail = {
            "texts": [],
            "payoffNames": [],
            "defaultCriterion1Weight": 1,
            "weightLowerBound": 0,
            "weightUpperBound": "Infinity",
        }
        yield f'{_json(head)[:-1]},\n"data": {_json(data)[:-1]},\n"trees": [\n'
        yield from self.nodes()
        yield f"\n],\n{_json(tail)[1:]}}}\n"

    def nodes(self) -> Iterator[str]:
        """Yield the root and everything below it."""
        tree, child = self.tree, self.tree.columns.child
        heights = _heights(tree)
        stack = [self.edges(tree.root_id)]
        yield self.node(tree.root_id, 0, heights)
        while stack:
            edge = next(stack[-1], None)
            if edge is None:
                stack.pop()
                yield "]}}" if stack else "]}"
                continue
            b, text = edge
            yield f"{text}{self.node(child[b], len(stack), heights)}"
            stack.append(self.edges(child[b]))

    def node(self, n: int, depth: int, heights: list[float]) -> str:
        """Return the text of a node up to its first edge."""
        node = {
            "type": self.types[Kind(self.tree.columns.kind[n])],
            "name": self.tree.notes.get(n, ""),
            "code": "",
            "folded": False,
            "location": {"x": _LEFT + _ACROSS * depth, "y": _TOP + _DOWN * heights[n]},
        }
        return f'{_json(node)[:-1]}, "childEdges": ['

    def edges(self, node: int) -> Iterator[tuple[int, str]]:
        """Yield the branches of a node, each with its text up to the child."""
        is_chance = self.types[Kind(self.tree.columns.kind[node])] == "chance"
        probabilities = self.probabilities(node) if is_chance else None
        separator = "\n"
        for b in self.tree.branches_of(node):
            edge: dict[str, Any] = {
                "name": self.tree.label[b] or "",
                "payoff": [self.payoff(node, b), 0],
            }
            if probabilities is not None:
                edge["probability"] = next(probabilities)
            yield b, f'{separator}{_json(edge)[:-1]}, "childNode": '
            separator = ",\n"

    def payoff(self, node: int, b: int) -> str:
        """Return what a branch pays, with the utility of a terminal at its end."""
        columns, formulas = self.tree.columns, self.formulas
        n = columns.child[b]
        terminal, reward = not columns.kind[n], self.tree.reward_of(b)
        value: Any = reward + columns.utility[n] if terminal else reward
        if abs(value) > _GREATEST:
            path = escape(self.tree.path_of(node, b))
            found = f"the payoff {message_text(value)} is beyond 2^53 - 1"
            greatest = "the greatest that SilverDecisions accepts"
            raise TreeError(f"{path}: {found}, {greatest}: scale the utilities")
        if formulas is None:
            return number_text(simple(value))
        written = formulas.rewards.get(b, reward)
        if terminal:
            written = sum_of(written, formulas.nodes.get(n, columns.utility[n]))
        return self.formula(written, value) if is_formula(written) else number_text(simple(value))

    def probabilities(self, node: int) -> Iterator[str]:
        """Yield the probabilities of the outcomes of a chance node."""
        tree, formulas, branches = self.tree, self.formulas, self.tree.branches_of(node)
        numbers: list[Any] = [tree.columns.probability[b] for b in branches]
        if tree.columns.kind[node] != Kind.CHANCE:
            yield from [SHARE] * len(branches)  # the rule does not use them
        elif formulas is not None and branches[0] in formulas.probabilities:
            for b, number in zip(branches, numbers, strict=True):
                written = formulas.probabilities[b]
                yield SHARE if written == Name(REST) else self.formula(written, number)
        else:
            yield from map(number_text, self.shares(node, [*map(simple, numbers)]))

    def shares(self, node: int, probabilities: list[Fraction]) -> list[Fraction]:
        """Return probabilities that sum to 1; warn if SilverDecisions computes another sum."""
        total = sum(probabilities)
        if total != 1:  # rounded floats
            probabilities = [p / total for p in probabilities]
        added, is_exact = Fraction(0), True
        for p in probabilities:
            is_exact = is_exact and added.denominator * p.denominator < _GREATEST
            added += p
        if not is_exact and self.warn is not None:
            path = paths.message_path(self.tree.path_of(node))
            found = "probabilities with so many digits may not sum to 1"
            self.warn(f"{path}: in SilverDecisions, {found}: round them")
        return probabilities

    def formula(self, expression: Expression, value: Any) -> str:
        """Return a formula as mathjs reads it, or its value if it cannot."""
        if has_if(expression):
            return number_text(simple(value))
        renamed = {old: Name(new) for old, new in self.names.items() if old != new}
        return text_of(substitute(without_percent(expression), renamed))


def _rule(kinds: set[Kind]) -> tuple[str, dict[Kind, str]]:
    """Return the rule for a tree with some kinds of nodes, and the type of each kind."""
    for rule, (decision, chance) in RULES.items():
        types = {Kind[decision.upper()]: "decision", Kind[chance.upper()]: "chance"}
        if len(types) == 2 and kinds <= {*types, Kind.TERMINAL}:
            return rule, {**types, Kind.TERMINAL: "terminal"}
    raise AssertionError("`losses` refuses a tree with three kinds of nodes")


def _heights(tree: Tree) -> list[float]:
    """Return the vertical place of each node, in rows: parents are between their children."""
    places, columns, rows = [0.0] * len(tree), tree.columns, 0
    for n in tree.first_paths.order:
        if not columns.kind[n]:
            places[n], rows = rows, rows + 1
    for n in range(len(tree)):
        if columns.kind[n]:
            branches = tree.branches_of(n)
            ends = columns.child[branches[0]], columns.child[branches[-1]]
            places[n] = sum(places[end] for end in ends) / 2
    return places


def _json(data: Mapping[str, Any]) -> str:
    for value in data.values():
        if isinstance(value, str):
            NOTATION.text(value)  # raises `TreeError` if it is not Unicode
    return json.dumps(data, ensure_ascii=False)


# ---- Formulas and numbers as mathjs reads them, with which SilverDecisions computes.


def simple(number: Any) -> Fraction:
    """Return a number as a fraction: for a float, a short one that equals it, if there is one.

    SilverDecisions computes with fractions whose terms are floats, so short ones are more precise.
    """
    if not isinstance(number, float):
        return Fraction(number)
    short = Fraction(number).limit_denominator(_SHORT)
    return short if float(short) == number else to_exact(number)


def has_if(expression: Expression) -> bool:
    """Return whether an expression has the function `if`, which mathjs lacks."""

    def combine(node: Expression, below: list[bool]) -> bool:
        return any(below) or isinstance(node, Apply) and node.operation == "if"

    return fold(expression, combine)


def without_percent(expression: Expression) -> Expression:
    """Return an expression with a quotient in place of each percentage."""

    def combine(node: Expression, operands: list[Expression]) -> Expression:
        if isinstance(node, Number) and node.text.endswith("%"):
            return Apply("/", (Number(node.text[:-1]), Number("100")))
        return Apply(node.operation, tuple(operands)) if isinstance(node, Apply) else node

    return fold(expression, combine)


def mathjs_names(parameters: Collection[str]) -> dict[str, str]:
    """Return the names of the parameters in mathjs, which reserves a few words."""
    names = {name: name for name in parameters}
    for name in names:
        while names[name] in _WORDS or names[name] != name and names[name] in parameters:
            names[name] += "_"
    return names
