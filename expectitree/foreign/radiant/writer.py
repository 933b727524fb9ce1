"""Write Radiant's YAML, so that Radiant and pyrsm read it as it is.

Radiant evaluates formulas and fractions only in a file with variables. It replaces the name of a
variable wherever it occurs, even within another name, and some signs in labels.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from expectitree.base.errors import TreeError
from expectitree.base.expressions.syntax import (
    MAX_LENGTH,
    NEGATION,
    Apply,
    Expression,
    Name,
    Number,
)
from expectitree.base.numbers import Number as Value
from expectitree.base.numbers import escape, number_text
from expectitree.base.tree.columns import CHANCE, NONE
from expectitree.base.tree.formulas import REST, is_formula, negative_of, payment_of
from expectitree.base.tree.model import Kind, Tree
from expectitree.base.tree.parameters import in_order, parameter_values
from expectitree.files.formats.yaml import NOTATION
from expectitree.files.rows import Warn
from expectitree.foreign.radiant.reader import KEYS
from expectitree.foreign.shared import formula_text, free_name, payoff_of, plain_decimal

_MARGIN = "    "
_OPERATIONS = ("+", "-", "*", "/", NEGATION)
_MAX_INTEGER = 2**31 - 1  # of R, which reads a greater number only with a decimal point
_SIGN = re.compile(r"[]:#(){}<>@;~[]")
_SIGNS_AT_START = re.compile(r"^[!`@%&*+]+\s*")
# Names that YAML takes for another type.
_TYPED = ("y", "n", "yes", "no", "on", "off", "true", "false", "null")


def write(tree: Tree, warn: Warn | None) -> Iterator[str]:
    """Yield the text of a tree piece by piece; `warn` receives what is written differently."""
    writer = _Writer(tree)
    yield from writer.document()
    if warn is not None:
        for message in writer.changes:
            warn(message)


class _Writer:
    """Writes one tree."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.columns = tree.columns
        self.formulas = tree.formulas
        self.names = _variables(tree)  # of variables, by the name of a parameter
        self.changes: dict[str, None] = {}

    def document(self) -> Iterator[str]:
        """Yield the title, the variables and the tree."""
        tree = self.tree
        if Kind.MIN in self.columns.kind:
            choose = "choose Min in Radiant, and read the file with --minimize"
            self.note(f"decisions minimize, but the file cannot show that: {choose}")
        title = (tree.title or "tree").replace("#", "//")  # as Radiant reads it
        yield f"name: {NOTATION.text(title)}\n"
        if tree.parameters:
            yield "variables:\n"
            yield from self.variables()
        reward: Any = tree.root_reward
        if self.formulas is not None:
            reward = self.formulas.rewards.get(NONE, reward)
        if is_formula(reward) or reward:
            yield f"{self.cost(reward, tree.root_reward, tree.root_id)}\n"
        yield from self.nodes()

    def variables(self) -> Iterator[str]:
        """Yield a line for each parameter, after those that it is derived from."""
        values = parameter_values(self.tree)
        for name in in_order(self.tree.parameters):
            parameter = self.tree.parameters[name]
            text = self.amount(parameter.value, values[name], self.tree.root_id)
            yield f"{_MARGIN}{self.names[name]}: {text}\n"
            if self.names[name] != name:
                self.note(f"the parameter {name} is called {self.names[name]}")
            if parameter.range or parameter.unit or parameter.description:
                self.note("left out the ranges, the units and the descriptions of parameters")

    def nodes(self) -> Iterator[str]:
        """Yield the lines of all nodes, parents first."""
        tree, kind = self.tree, self.columns.kind
        yield f"type: {_type(kind[tree.root_id])}\n"
        trail = [self.branches(tree.root_id)]
        while trail:
            found = next(trail[-1], None)
            if found is None:
                trail.pop()
                continue
            margin = _MARGIN * (len(trail) - 1)
            node, b, label = found
            child = self.columns.child[b]
            yield f"{margin}{NOTATION.text(label)}:\n"
            for line in self.lines(node, b, child):
                yield f"{margin}{_MARGIN}{line}\n"
            trail.append(self.branches(child))

    def branches(self, node: int) -> Iterator[tuple[int, int, str]]:
        """Yield the branches of a node with their labels, which are all different."""
        taken: set[str] = set()
        what = "outcome" if self.columns.kind[node] == CHANCE else "action"
        for place, b in enumerate(self.tree.branches_of(node), 1):
            written = self.tree.label[b]
            fit = _fit(written or "") or f"{what} {place}"
            label = free_name(fit, taken.__contains__, " ")
            taken.add(label)
            if label != written:
                self.note("Radiant needs labels without signs such as ( or #: some are changed")
            yield node, b, label

    def lines(self, node: int, b: int, child: int) -> Iterator[str]:
        """Yield the keys of a child and its branch."""
        if self.columns.kind[node] == CHANCE:
            p = self.columns.probability[b]
            yield f"p: {self.amount(self.probability(node, b), p, child)}"
        written, value = payoff_of(self.tree, b)
        if not self.columns.kind[child]:
            yield f"payoff: {self.amount(written, value, child)}"
            return
        if is_formula(written) or written:
            yield self.cost(written, value, child)
        yield f"type: {_type(self.columns.kind[child])}"

    def cost(self, reward: Any, paid: Any, node: int) -> str:
        """Return the negative of a reward, or of its formula, as a cost."""
        key, formula = payment_of(reward)
        cost = formula if key == "cost" else negative_of(reward)
        return f"cost: {self.amount(cost, -paid, node)}"

    def probability(self, node: int, b: int) -> Any:
        """Return the probability of an outcome; a remainder is 1 minus the others."""
        written = {} if self.formulas is None else self.formulas.probabilities
        found = written.get(b, self.columns.probability[b])
        if found != Name(REST):
            return found
        siblings: list[Any] = [written[s] for s in self.tree.branches_of(node)]
        left: Expression = Number("1")
        for sibling in siblings:
            left = left if sibling == found else Apply("-", (left, sibling))
        count = siblings.count(found)
        return left if count == 1 else Apply("/", (left, Number(str(count))))

    def amount(self, written: Any, value: Any, node: int) -> str:
        """Return a number, or a formula as Radiant reads it; its value if it cannot."""
        if is_formula(written) and self.tree.parameters:
            text = formula_text(written, self.names, _OPERATIONS.__contains__)
            if text is not None and len(text) <= MAX_LENGTH:
                return text
            self.note("formulas with powers, functions or many terms are replaced by their values")
        try:
            return self.number(value)
        except TreeError as error:
            raise TreeError(f"{escape(self.tree.path_of(node))}: {error}") from None

    def number(self, value: Value) -> str:
        """Return a number as a decimal, or as a fraction if the file has variables."""
        text = number_text(value)
        if "/" in text and self.tree.parameters:
            return text
        if "/" in text:
            text = repr(float(value))
            self.note("fractions are rounded to decimals of 17 digits")
        text = plain_decimal(text)
        is_great = text.lstrip("-").isdigit() and abs(int(text)) > _MAX_INTEGER
        return f"{text}.0" if is_great else text

    def note(self, message: str) -> None:
        """Note something that is written differently, once."""
        self.changes[message] = None


def _type(kind: int) -> str:
    return "chance" if kind == CHANCE else "decision"


def _fit(text: str) -> str:
    """Return a label that Radiant reads as it is; empty if nothing is left."""
    label = _SIGNS_AT_START.sub("", _SIGN.sub("/", text))
    return f"{label}_" if label.lower() in KEYS else label


def _variables(tree: Tree) -> dict[str, str]:
    """Return a name for each parameter: none is a part of another, and none is reserved."""
    found: dict[str, str] = {}
    for name in sorted(tree.parameters, key=len, reverse=True):

        def is_taken(variable: str) -> bool:
            is_reserved = variable.lower() in (*KEYS, *_TYPED)
            return is_reserved or any(variable in v or v in variable for v in found.values())

        found[name] = free_name(name, is_taken)
    return found
