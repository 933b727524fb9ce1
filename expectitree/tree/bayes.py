"""Bayes' rule in formulas: probabilities of outcomes as expressions, and names for their sums."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from expectitree.expressions.parser import parse
from expectitree.expressions.syntax import (
    FUNCTIONS,
    LONGEST,
    Apply,
    Expression,
    Name,
    Number,
    text_of,
)
from expectitree.numbers import exact_text
from expectitree.tree.formulas import REST, Parameter
from expectitree.tree.model import Tree

ZERO, ONE = Number("0"), Number("1")
_SHORT = 5  # characters of an expression that needs no name, such as 1/3
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_]+")


def product(*factors: Expression) -> Expression:
    """Return the product of expressions; `p * (x / p)` is x."""
    found: Expression = ONE
    for factor in factors:
        if ZERO in (found, factor):
            return ZERO
        if found == ONE:
            found = factor
        elif _is_over(factor, found):
            found = factor.operands[0]  # type: ignore[union-attr]
        elif _is_over(found, factor):
            found = found.operands[0]  # type: ignore[union-attr]
        elif factor != ONE:
            found = Apply("*", (found, factor))
    return found


def _is_over(quotient: Expression, divisor: Expression) -> bool:
    """Return whether an expression is a quotient with a divisor."""
    is_quotient = isinstance(quotient, Apply) and quotient.operation == "/"
    return is_quotient and quotient.operands[1] == divisor  # type: ignore[union-attr]


def quotient(a: Expression, b: Expression) -> Expression:
    """Return the quotient of two expressions."""
    if a == ZERO or b == ONE:
        return a
    return ONE if a == b else Apply("/", (a, b))


def total(terms: Sequence[Expression]) -> Expression:
    """Return the sum of expressions."""
    terms = [term for term in terms if term != ZERO] or [ZERO]
    found = terms[0]
    for term in terms[1:]:
        found = Apply("+", (found, term))
    return found


def rest_of(others: Sequence[Expression], count: int = 1) -> Expression:
    """Return what some probabilities leave of 1, for each of `count` outcomes."""
    if len(others) == 1 and count == 1 and _is_complement(others[0]):
        return others[0].operands[1]  # type: ignore[union-attr]
    found: Expression = ONE
    for other in others:
        found = found if other == ZERO else Apply("-", (found, other))
    return found if count == 1 else Apply("/", (found, Number(str(count))))


def _is_complement(expression: Expression) -> bool:
    """Return whether an expression is `1 - x`."""
    is_difference = isinstance(expression, Apply) and expression.operation == "-"
    return is_difference and expression.operands[0] == ONE  # type: ignore[union-attr]


def chances_of(tree: Tree, node: int) -> list[Expression]:
    """Return the probabilities of a chance node's outcomes as expressions, in order."""
    branches, columns = tree.branches_of(node), tree.columns
    written = tree.formulas.probabilities if tree.formulas is not None else {}
    if branches[0] in written:
        found = [written[b] for b in branches]
        others = [p for p in found if p != Name(REST)]
        rest = rest_of(others, len(found) - len(others))
        return [rest if p == Name(REST) else p for p in found]
    count = len(branches)
    equal = (columns.probability[branches[0]] * 0 + 1) / count
    if all(columns.probability[b] == equal for b in branches):
        return [quotient(ONE, Number(str(count)))] * count
    return [parse(exact_text(columns.probability[b]), ()) for b in branches]


class Definitions:
    """The parameters of a tree, and more that are derived from them.

    Attributes:
        parameters: All parameters by name.
    """

    def __init__(self, parameters: Mapping[str, Parameter]) -> None:
        self.parameters = dict(parameters)
        self._known = {
            text_of(one.value): name for name, one in self.parameters.items() if one.bases
        }

    def sum(self, terms: Sequence[Expression], *words: str) -> Expression:
        """Return the sum of some terms, as the name of a derived parameter unless it is short.

        `words` are what the name is made of.
        """
        found = total(terms)
        text = text_of(found)
        if not isinstance(found, Apply) or len(text) <= _SHORT:
            return found
        if len(text) > LONGEST and len(terms) > 1:
            half = len(terms) // 2
            found = total([self.sum(part, *words) for part in (terms[:half], terms[half:])])
            text = text_of(found)
        if text not in self._known:
            name = self._known[text] = free_name("_".join(("p", *words)), self.parameters)
            self.parameters[name] = Parameter(name, found)
        return Name(self._known[text])


def free_name(wanted: str, taken: Collection[str]) -> str:
    """Return a name for a parameter that is made of a text and that no other one has."""
    name = _NOT_IN_NAMES.sub("_", wanted).strip("_") or "p"
    name = f"p_{name}" if name[0].isdigit() else name
    found, count = name, 1
    while found in taken or found in FUNCTIONS or found in (REST, "inf"):
        count += 1
        found = f"{name}_{count}"
    return found
