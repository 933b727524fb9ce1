"""Bayes' rule in formulas: probabilities of outcomes as expressions, and names for their sums."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Mapping, Sequence

from expectitree.base.expressions.parser import parse
from expectitree.base.expressions.syntax import (
    FUNCTIONS,
    MAX_LENGTH,
    Apply,
    Expression,
    Name,
    Number,
    text_of,
)
from expectitree.base.numbers import exact_text
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
        cancelled = _dividend(factor, found) or _dividend(found, factor)
        if found == ONE:
            found = factor
        elif cancelled is not None:
            found = cancelled
        elif factor != ONE:
            found = Apply("*", (found, factor))
    return found


def _dividend(quotient: Expression, divisor: Expression) -> Expression | None:
    """Return x if an expression is x divided by a divisor; else None."""
    if not isinstance(quotient, Apply) or quotient.operation != "/":
        return None
    dividend, below = quotient.operands
    return dividend if below == divisor else None


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
    complement = _complement(others[0]) if len(others) == count == 1 else None
    if complement is not None:
        return complement
    found: Expression = ONE
    for other in others:
        found = found if other == ZERO else Apply("-", (found, other))
    return found if count == 1 else Apply("/", (found, Number(str(count))))


def _complement(expression: Expression) -> Expression | None:
    """Return x if an expression is `1 - x`; else None."""
    if not isinstance(expression, Apply) or expression.operation != "-":
        return None
    whole, part = expression.operands
    return part if whole == ONE else None


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
        self._counts: dict[str, int] = {}  # the number of the last name made of some words
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
        if len(text) > MAX_LENGTH and len(terms) > 1:
            half = len(terms) // 2
            found = total([self.sum(part, *words) for part in (terms[:half], terms[half:])])
            text = text_of(found)
        if text not in self._known:
            wanted = "_".join(("p", *words))
            start = self._counts.get(wanted, 1)
            name, self._counts[wanted] = free_name(wanted, self.parameters, start)
            self._known[text] = name
            self.parameters[name] = Parameter(name, found)
        return Name(self._known[text])


def free_name(wanted: str, taken: Collection[str], start: int = 1) -> tuple[str, int]:
    """Return a name for a parameter that is made of a text and a number from `start` on.

    No other parameter has it. The number is the second result.
    """
    name = _NOT_IN_NAMES.sub("_", wanted).strip("_") or "p"
    name = f"p_{name}" if name[0].isdigit() else name
    for count in itertools.count(start):
        found = name if count == 1 else f"{name}_{count}"
        if found not in taken and found not in FUNCTIONS and found not in (REST, "inf"):
            break
    return found, count
