"""Write Radiant's YAML, so that Radiant and pyrsm read it without repairs.

Radiant evaluates formulas and fractions only in a file with variables.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from expectitree.base.errors import TreeError
from expectitree.base.expressions.syntax import (
    MAX_LENGTH,
    NEGATION,
    Apply,
    Expression,
    Name,
    Number,
    fold,
    text_of,
)
from expectitree.base.numbers import Number as Value
from expectitree.base.numbers import escape, number_text
from expectitree.files.formats.yaml import NOTATION
from expectitree.files.rows import Warn
from expectitree.foreign.radiant.names import Names
from expectitree.tree.columns import CHANCE, NONE
from expectitree.tree.formulas import REST, Expressions, is_formula, negative_of, payment_of, sum_of
from expectitree.tree.model import Kind, Tree
from expectitree.tree.parameters import parameter_values

_MARGIN = "    "
_OPERATIONS = ("+", "-", "*", "/", NEGATION)
_MAX_INTEGER = 2**31 - 1  # of R, which reads a greater number only with a decimal point
_NO_FORMULAS: Expressions = {}


def write(tree: Tree, warn: Warn | None) -> Iterator[str]:
    """Yield the text of a tree piece by piece; `warn` receives what is written differently."""
    writer = _Writer(tree)
    yield from writer.document()
    if warn is not None:
        for message in (*writer.names.changes(), *writer.changes):
            warn(message)


class _Writer:
    """Writes one tree."""

    def __init__(self, tree: Tree) -> None:
        self.tree, self.columns = tree, tree.columns
        self.names = Names(tree)
        self.changes: dict[str, None] = {}
        formulas = tree.formulas if tree.parameters else None
        self.utilities = formulas.nodes if formulas else _NO_FORMULAS
        self.probabilities = formulas.probabilities if formulas else _NO_FORMULAS
        self.rewards = formulas.rewards if formulas else _NO_FORMULAS

    def document(self) -> Iterator[str]:
        """Yield the title, the variables and the tree."""
        tree = self.tree
        if Kind.MIN in self.columns.kind:
            choose = "choose Min in Radiant, and read the file with --minimize"
            self.changes[f"decisions minimize, but the file cannot show that: {choose}"] = None
        title = (tree.title or "tree").replace("#", "//")  # as Radiant reads it
        yield f"name: {NOTATION.text(title)}\n"
        if tree.parameters:
            yield "variables:\n"
            yield from self.variables()
        reward = self.rewards.get(NONE, tree.root_reward)
        if is_formula(reward) or reward:
            yield f"{self.cost(reward, tree.root_reward, tree.root_id)}\n"
        yield from self.nodes()

    def variables(self) -> Iterator[str]:
        """Yield a line for each parameter, after those that it is derived from."""
        values = parameter_values(self.tree)
        for name in self.names.in_order():
            parameter = self.tree.parameters[name]
            text = self.amount(parameter.value, values[name], self.tree.root_id)
            yield f"{_MARGIN}{self.names.variable[name]}: {text}\n"
            if parameter.range or parameter.unit:
                self.changes["left out the ranges and the units of parameters"] = None

    def nodes(self) -> Iterator[str]:
        """Yield the lines of all nodes, parents first."""
        tree, kind = self.tree, self.columns.kind
        trail = [iter(self.branches(tree.root_id))]
        yield f"type: {_type(kind[tree.root_id])}\n"
        while trail:
            found = next(trail[-1], None)
            if found is None:
                trail.pop()
                continue
            node, b, label = found
            child, margin = self.columns.child[b], _MARGIN * (len(trail) - 1)
            yield f"{margin}{label}:\n"
            for line in self.lines(node, b, child):
                yield f"{margin}{_MARGIN}{line}\n"
            if kind[child]:
                trail.append(iter(self.branches(child)))

    def branches(self, node: int) -> Iterator[tuple[int, int, str]]:
        """Yield the branches of a node with their labels as they are written."""
        labels = self.names.labels(node)
        for b, label in zip(self.tree.branches_of(node), labels, strict=True):
            yield node, b, NOTATION.text(label)

    def lines(self, node: int, b: int, child: int) -> Iterator[str]:
        """Yield the keys of a child and its branch."""
        if self.columns.kind[node] == CHANCE:
            p = self.columns.probability[b]
            yield f"p: {self.amount(self.probability(node, b), p, child)}"
        paid = self.tree.reward_of(b)
        reward: Any = self.rewards.get(b, paid)
        pays = is_formula(reward) or bool(reward)
        if not self.columns.kind[child]:
            own = self.columns.utility[child]
            payoff: Any = self.utilities.get(child, own)
            if pays:
                added = "rewards at end nodes are added to the payoffs: Radiant ignores costs there"
                self.changes[added] = None
                payoff = sum_of(payoff, reward)
            yield f"payoff: {self.amount(payoff, own + paid, child)}"
            return
        if pays:
            yield self.cost(reward, paid, child)
        yield f"type: {_type(self.columns.kind[child])}"

    def cost(self, reward: Any, paid: Any, node: int) -> str:
        """Return the negative of a reward, or of its formula, as a cost."""
        key, formula = payment_of(reward)
        cost = formula if key == "cost" else negative_of(reward)
        return f"cost: {self.amount(cost, -paid, node)}"

    def probability(self, node: int, b: int) -> Any:
        """Return the probability of an outcome; a remainder is 1 minus the others."""
        found: Any = self.probabilities.get(b, self.columns.probability[b])
        if found != Name(REST):
            return found
        siblings = [self.probabilities[s] for s in self.tree.branches_of(node)]
        left: Expression = Number("1")
        for sibling in siblings:
            left = left if sibling == found else Apply("-", (left, sibling))
        count = siblings.count(found)
        return left if count == 1 else Apply("/", (left, Number(str(count))))

    # ---- Numbers.

    def amount(self, formula: Any, value: Any, node: int) -> str:
        """Return a number or a formula as Radiant reads it.

        Where Radiant cannot read a formula, return its value.
        """
        if is_formula(formula):
            text = self.formula(formula)
            if text and len(text) <= MAX_LENGTH:
                return text
            changed = "formulas with powers, functions or many terms are replaced by their values"
            self.changes[changed] = None
        try:
            return self.number(value if is_formula(formula) else formula)
        except TreeError as error:
            raise TreeError(f"{escape(self.tree.path_of(node))}: {error}") from None

    def formula(self, formula: Expression) -> str:
        """Return a formula with the names of variables, or nothing if Radiant cannot read it."""

        def combine(part: Expression, operands: list[Any]) -> Expression | None:
            if isinstance(part, Number):
                return Number(_decimal(text_of(part)))
            if isinstance(part, Name):
                return Name(self.names.variable[part.name])
            if part.operation not in _OPERATIONS or None in operands:
                return None
            return Apply(part.operation, tuple(operands))

        found = fold(formula, combine)
        return "" if found is None else text_of(found)

    def number(self, value: Value) -> str:
        """Return a number as a decimal, or as a fraction if the file has variables."""
        text = number_text(value)
        if "/" in text and not self.tree.parameters:
            text = repr(float(value))
            self.changes["fractions are rounded to decimals of 17 digits"] = None
        if "/" not in text:
            text = _decimal(text)
        is_great = text.lstrip("-").isdigit() and abs(int(text)) > _MAX_INTEGER
        return f"{text}.0" if is_great else text


def _type(kind: int) -> str:
    return "chance" if kind == CHANCE else "decision"


def _decimal(text: str) -> str:
    """Return a number without a percent sign or an exponent."""
    if text.isdigit():
        return text
    sign, digits, exponent = Decimal(text.removesuffix("%")).as_tuple()
    assert isinstance(exponent, int)  # it is finite
    exponent -= 2 if text.endswith("%") else 0
    return f"{Decimal((sign, digits, exponent)):f}"
