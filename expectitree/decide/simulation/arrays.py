"""Evaluate a tree for many draws of its parameters at once: one NumPy array a number.

A number that has no value in some draws is NaN there, so that it is an error only where play needs
it. Numbers that no draw changes stay floats.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from expectitree.base.expressions.evaluation import FLOATS, Domain, evaluate
from expectitree.base.expressions.syntax import NEGATION, Expression, Name
from expectitree.base.numbers import to_nearest_float
from expectitree.base.tree.columns import TERMINAL
from expectitree.base.tree.formulas import REST, Formulas
from expectitree.base.tree.model import Tree
from expectitree.base.tree.parameters import ParameterValues

_TOLERANCE = 1e-9  # by which probabilities may miss [0, 1] or the sum 1
_SIGNS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "=": "eq"}


# ---- Formulas.


def _checked(value: Any) -> Any:
    finite = np.isfinite(value)
    return value if finite.all() else np.where(finite, value, np.nan)


def _power(base: Any, exponent: Any) -> Any:
    # NumPy takes 1 to any power, and any number to the power 0, to be 1, even NaN.
    return np.power(base, exponent) + 0 * base + 0 * exponent


def _compared(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def apply(a: Any, b: Any) -> Any:
        found = np.where(np.isnan(a + b), np.nan, compare(a, b))
        return bool(found) if not found.ndim and found == found else found

    return apply


def _join(verdict: Any, a: Any, b: Any) -> Any:
    return np.where(np.isnan(verdict), np.nan, np.where(verdict == 1, a, b))


ARRAYS = Domain(
    FLOATS.number,
    {
        **{"+": operator.add, "-": operator.sub, "*": operator.mul, "/": np.divide},
        **{"^": _power, NEGATION: operator.neg, "abs": abs, "join": _join},
        **{"exp": np.exp, "log": np.log, "sqrt": np.sqrt},
        "min": lambda *operands: reduce(np.minimum, operands),
        "max": lambda *operands: reduce(np.maximum, operands),
        **{sign: _compared(getattr(operator, name)) for sign, name in _SIGNS.items()},
    },
    _checked,
)


# ---- Trees.


class Numbers:
    """The numbers of a tree for some draws of its parameters."""

    def __init__(self, tree: Tree, known: Mapping[str, Any]) -> None:
        self.tree, self.formulas = tree, tree.formulas or Formulas()
        self.parameters = ParameterValues(tree.parameters, ARRAYS, known)
        self.found: dict[int, Any] = {}  # the values of formulas, by the id of the expression
        self.chances: dict[tuple[int, ...], list[Any]] = {}  # by the ids of several

    def _value(self, formula: Expression | None, number: Any) -> Any:
        """Return the value of a formula; without one, the number."""
        if formula is None:
            return to_nearest_float(number)
        if id(formula) not in self.found:
            self.found[id(formula)] = evaluate(formula, ARRAYS, self.parameters)
        return self.found[id(formula)]

    def reward(self, branch: int) -> Any:
        """Return what a branch pays; -1 leads to the root."""
        return self._value(self.formulas.rewards.get(branch), self.tree.reward_of(branch))

    def probabilities(self, n: int) -> list[Any]:
        """Return the probabilities of a chance node; NaN where they are wrong."""
        branches, written = self.tree.branches_of(n), self.formulas.probabilities
        if branches[0] not in written:
            return [to_nearest_float(self.tree.columns.probability[b]) for b in branches]
        key = tuple(id(written[b]) for b in branches)  # a Markov model repeats its transitions
        if key not in self.chances:
            self.chances[key] = self._of_formulas([written[b] for b in branches])
        return self.chances[key]

    def _of_formulas(self, formulas: Sequence[Expression]) -> list[Any]:
        found = {at: self._value(p, 0) for at, p in enumerate(formulas) if p != Name(REST)}
        for at, p in found.items():
            is_wrong = (p < -_TOLERANCE) | (p > 1 + _TOLERANCE)
            found[at] = np.clip(np.where(is_wrong, np.nan, p) if np.any(is_wrong) else p, 0, 1)
        total, rests = sum(found.values()), len(formulas) - len(found)
        is_wrong = (total > 1 + _TOLERANCE) | ((total < 1 - _TOLERANCE) & (not rests))
        if np.any(is_wrong):
            total = np.where(is_wrong, np.nan, total)
        if not rests:
            return [p / total for p in found.values()]
        rest = np.maximum(1 - total, 0) / rests
        return [found[at] + 0 * total if at in found else rest for at in range(len(formulas))]

    def values(self, decides: Sequence[bool]) -> dict[int, Any]:
        """Return the values of the nodes below which nobody decides, as far as others need them.

        `decides` marks the other nodes.
        """
        tree, columns = self.tree, self.tree.columns
        found: dict[int, Any] = {}
        uses = Counter(columns.child)
        for n in range(len(tree)):
            if decides[n]:
                continue
            if columns.kind[n] == TERMINAL:
                found[n] = self._value(self.formulas.nodes.get(n), columns.utility[n])
                continue
            branches = tree.branches_of(n)
            amounts = [self.reward(b) + found[columns.child[b]] for b in branches]
            found[n] = mean_of(zip(self.probabilities(n), amounts, strict=True))
            for b in branches:
                uses[columns.child[b]] -= 1
                if not uses[columns.child[b]]:  # all arrays of a large tree would not fit in memory
                    del found[columns.child[b]]
        return found


def mean_of(outcomes: Iterable[tuple[Any, Any]]) -> Any:
    """Return the mean of values, given as pairs with their probabilities."""
    total: Any = 0.0
    for p, value in outcomes:
        term = p * value
        if np.isnan(term).any():  # a value is not needed where its probability is 0
            term = np.where(p == 0, 0.0, term)
        total = total + term
    return total
