"""A tree as a file of SilverDecisions 1.2, piece by piece."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from expectitree.errors import TreeError
from expectitree.expressions.syntax import (
    Apply,
    Expression,
    Name,
    Number,
    fold,
    substitute,
    text_of,
)
from expectitree.files.silverdecisions.diagram import KEY, RULES
from expectitree.numbers import escape, message_text, number_text, to_fraction
from expectitree.tree.columns import NONE
from expectitree.tree.formulas import REST, is_formula, sum_of
from expectitree.tree.model import Kind, Tree
from expectitree.tree.parameters import parameter_values, place_text

_VERSION = "1.2.0"
_LEFT, _TOP, _ACROSS, _DOWN = 20, 20, 170, 75  # of the layout, in pixels
_GREATEST = 2**53 - 1  # a greater payoff is not valid in SilverDecisions
_SHARE = "#"  # the probability that the other outcomes leave of 1
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


def lost(tree: Tree) -> list[str]:
    """Return what is left out of a file, apart from what `FORMATS` lists."""
    formulas = [] if tree.formulas is None else [*tree.formulas.expressions()]
    parameters = tree.parameters.values()
    found = {
        "notes of branches": tree.branch_notes,
        "ranges of parameters": any(parameter.range for parameter in parameters),
        "units of parameters": any(parameter.unit for parameter in parameters),
        "descriptions of parameters": any(parameter.description for parameter in parameters),
        "formulas with if (their values are written)": any(
            map(_is_beyond, [*formulas, *(parameter.value for parameter in parameters)])
        ),
    }
    return [what for what, is_there in found.items() if is_there]


class DiagramWriter:
    """Writes one tree, in which each node has one parent."""

    def __init__(self, tree: Tree) -> None:
        self.tree, self.formulas = tree, tree.formulas
        kinds = {Kind(kind) for kind in set(tree.columns.kind)}
        self.rule, self.types = _rule(kinds)
        self.values = parameter_values(tree)
        self.names = {name: f"{name}_" if name in _WORDS else name for name in tree.parameters}
        self.check()

    def check(self) -> None:
        """Raise `TreeError` for a value that SilverDecisions has no place for."""
        tree = self.tree
        root_pays = self.formulas is not None and NONE in self.formulas.rewards or tree.root_reward
        if root_pays or len(tree) == 1:
            found = "a reward at the root" if root_pays else "a tree of one terminal"
            hint = ": move it into the utilities with --fold rewards" if root_pays else ""
            raise TreeError(f"SilverDecisions has payoffs at edges only, and not {found}{hint}")

    def text(self) -> Iterator[str]:
        """Yield the whole file."""
        tree, names = self.tree, self.names
        code = [
            f"{names[n]} = {self.formula(p.value, self.values[n])}"
            for n, p in tree.parameters.items()
        ]
        scope = {names[name]: float(value or 0) for name, value in self.values.items()}
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
        stack = [(tree.root_id, iter(tree.branches_of(tree.root_id)))]
        yield self.node(tree.root_id, 0, heights)
        while stack:
            node, branches = stack[-1]
            b = next(branches, None)
            if b is None:
                yield "]}" + "}" * (len(stack) > 1)
                stack.pop()
                continue
            comma = "" if b == tree.columns.first[node] else ","
            yield f"{comma}\n{self.edge(node, b)}"
            yield self.node(child[b], len(stack), heights)
            stack.append((child[b], iter(tree.branches_of(child[b]))))

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

    def edge(self, node: int, b: int) -> str:
        """Return the text of a branch up to its child."""
        edge: dict[str, Any] = {
            "name": self.tree.label[b] or "",
            "payoff": [self.payoff(node, b), 0],
        }
        if self.types[Kind(self.tree.columns.kind[node])] == "chance":
            edge["probability"] = self.probability(node, b)
        return f'{_json(edge)[:-1]}, "childNode": '

    def payoff(self, node: int, b: int) -> str:
        """Return what a branch pays, with the utility of a terminal at its end."""
        columns, formulas = self.tree.columns, self.formulas
        n = columns.child[b]
        terminal, reward = not columns.kind[n], self.tree.reward_of(b)
        value: Any = reward + columns.utility[n] if terminal else reward
        if abs(value) > _GREATEST:
            path = escape(place_text(self.tree, node, b))
            found = f"the payoff {message_text(value)} is beyond 2^53 - 1"
            raise TreeError(
                f"{path}: {found}, the greatest of SilverDecisions: scale the utilities"
            )
        if formulas is None:
            return number_text(value)
        written = formulas.rewards.get(b, reward)
        if terminal:
            written = sum_of(written, formulas.nodes.get(n, columns.utility[n]))
        return self.formula(written, value) if is_formula(written) else number_text(value)

    def probability(self, node: int, b: int) -> str:
        """Return the probability of an outcome."""
        tree, branches = self.tree, self.tree.branches_of(node)
        if tree.columns.kind[node] != Kind.CHANCE:
            return _SHARE  # the rule does not use it
        if self.formulas is not None and b in self.formulas.probabilities:
            written = self.formulas.probabilities[b]
            return (
                _SHARE
                if written == Name(REST)
                else self.formula(written, tree.columns.probability[b])
            )
        texts = [number_text(tree.columns.probability[each]) for each in branches]
        is_last = b == branches[-1]
        if is_last and sum(map(to_fraction, texts)) != 1:  # rounded floats
            return _SHARE
        return texts[b - branches[0]]

    def formula(self, expression: Expression, value: Any) -> str:
        """Return a formula as mathjs reads it, or its value if it cannot."""
        if _is_beyond(expression):
            return number_text(value)
        renamed = {old: Name(new) for old, new in self.names.items() if old != new}
        return text_of(substitute(_without_percent(expression), renamed))


def _rule(kinds: set[Kind]) -> tuple[str, dict[Kind, str]]:
    """Return the rule for a tree with some kinds of nodes, and the type of each kind."""
    for rule, (decision, chance) in RULES.items():
        types = {Kind[decision.upper()]: "decision", Kind[chance.upper()]: "chance"}
        if len(types) == 2 and kinds <= {*types, Kind.TERMINAL}:
            return rule, {**types, Kind.TERMINAL: "terminal"}
    hint = "SilverDecisions has one player: with MAX and MIN nodes, it has no CHANCE nodes"
    raise TreeError(f"the tree has MAX, MIN and CHANCE nodes: {hint}")


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


def _is_beyond(expression: Expression) -> bool:
    """Return whether mathjs has no such formula: one with `if`."""
    found = False

    def combine(node: Expression, _: list[None]) -> None:
        nonlocal found
        found = found or isinstance(node, Apply) and node.operation == "if"

    fold(expression, combine)
    return found


def _without_percent(expression: Expression) -> Expression:
    """Return an expression with a quotient in place of each percentage."""

    def combine(node: Expression, operands: list[Expression]) -> Expression:
        if isinstance(node, Number) and node.text.endswith("%"):
            return Apply("/", (Number(node.text[:-1]), Number("100")))
        return Apply(node.operation, tuple(operands)) if isinstance(node, Apply) else node

    return fold(expression, combine)


def _json(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False)
