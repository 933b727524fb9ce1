"""Evaluate a tree for many draws of its parameters at once: one NumPy array a number.

A number that has no value in some draws is NaN there, so that it is an error only where play needs
it. Numbers that no draw changes stay floats.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from math import isfinite
from threading import local

import numpy as np

from expectitree.base.expressions.evaluation import FLOATS, Domain
from expectitree.base.expressions.syntax import BELOW_TABLE, NEGATION, Expression, Name
from expectitree.base.rounding import to_nearest_float
from expectitree.base.tree.columns import CHANCE, MAX, MIN, NONE, TERMINAL
from expectitree.base.tree.formulas import REST
from expectitree.base.tree.model import Tree
from expectitree.base.tree.parameters import ParameterValues
from expectitree.decide.simulation.draws import Array
from expectitree.searches.progress import report

_TOLERANCE = 1e-9  # by which probabilities may miss [0, 1] or the sum 1
_BETTER = {MAX: np.maximum, MIN: np.minimum}
_SIGNS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "=": "eq"}


# ---- Formulas.


class _Noted(local):
    """Whether NumPy has made an infinity since the last look at a result, in this thread."""

    infinity = False


_NOTED = _Noted()


def _note(*_: object) -> None:
    _NOTED.infinity = True


def noting_infinities() -> np.errstate:
    """Return the context in which trees are evaluated: NumPy notes where it makes an infinity."""
    return np.errstate(all="ignore", over="call", divide="call", call=_note)


def _checked(value: Array) -> Array:
    """Return a result with NaN for each infinity, which is looked for only if one was made."""
    if not _NOTED.infinity and (value.__class__ is np.ndarray or isfinite(value)):
        return value
    _NOTED.infinity = False
    return np.where(np.isfinite(value), value, np.nan)[()]  # a number stays one


def _power(base: Array, exponent: Array) -> Array:
    # NumPy takes 1 to any power, and any number to the power 0, to be 1, even NaN.
    return np.power(base, exponent) + 0 * base + 0 * exponent


def _compared(compare: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    def apply(a: Array, b: Array) -> Array:
        verdict = np.where(np.isnan(a + b), np.nan, compare(a, b))
        if verdict.ndim or verdict != verdict:
            return verdict
        return bool(verdict)

    return apply


def _join(verdict: Array, a: Array, b: Array) -> Array:
    return np.where(np.isnan(verdict), np.nan, np.where(verdict == 1, a, b))


ARRAYS = Domain(
    FLOATS.number,
    {
        **{"+": operator.add, "-": operator.sub, "*": operator.mul, "/": np.divide},
        **{"^": _power, NEGATION: operator.neg, "abs": abs, "join": _join},
        BELOW_TABLE: lambda *_: np.nan,
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

    def __init__(self, tree: Tree, draws: Mapping[str, Array]) -> None:
        self.tree, self.formulas = tree, tree.formulas
        self.parameters = ParameterValues(tree.parameters, ARRAYS, draws)
        self.chances: dict[tuple[int, ...], list[Array]] = {}  # by the ids of their formulas

    def _value(self, formula: Expression | None, number: Array) -> Array:
        """Return the value of a formula; without one, the number."""
        if formula is None:
            return to_nearest_float(number)
        return self.parameters.of(formula)

    def reward(self, branch: int) -> Array:
        """Return what a branch pays; -1 leads to the root."""
        return self._value(self.formulas.rewards.get(branch), self.tree.reward_of(branch))

    def probabilities(self, n: int) -> list[Array]:
        """Return the probabilities of a chance node, scaled to the sum 1; NaN where wrong."""
        branches, written = self.tree.branches_of(n), self.formulas.probabilities
        if branches[0] not in written:
            return [to_nearest_float(self.tree.columns.probability[b]) for b in branches]
        formulas = [written[b] for b in branches]
        key = tuple(map(id, formulas))  # a Markov model repeats its transitions
        if key in self.chances:
            return self.chances[key]
        known = {i: self.parameters.of(p) for i, p in enumerate(formulas) if p != Name(REST)}
        total, rests = sum(known.values()), len(formulas) - len(known)
        is_wrong = (total > 1 + _TOLERANCE) | ((total < 1 - _TOLERANCE) & (not rests))
        for p in known.values():
            is_wrong = is_wrong | (p < -_TOLERANCE) | (p > 1 + _TOLERANCE)
        if rests:
            total = 1.0
        scale = np.where(is_wrong, np.nan, np.divide(1, total))
        scaled = {i: np.clip(p, 0, 1) * scale for i, p in known.items()}
        rest = np.maximum(1 - sum(scaled.values()), 0) / max(rests, 1)
        self.chances[key] = [scaled.get(i, rest) for i in range(len(formulas))]
        return self.chances[key]

    def values(self, decides: Sequence[bool]) -> list[Array]:
        """Return the values of the nodes; 0 where decisions are for the caller, there or below."""
        tree, columns = self.tree, self.tree.columns
        found: list[Array] = []
        for n, kind in enumerate(columns.kind):
            if decides[n]:
                found.append(0.0)
            elif kind == TERMINAL:
                found.append(self._value(self.formulas.nodes.get(n), columns.utility[n]))
            else:
                amounts = [self.reward(b) + found[columns.child[b]] for b in tree.branches_of(n)]
                if kind == CHANCE:
                    amounts = [mean_of(self.probabilities(n), amounts)]
                found.append(reduce(_BETTER.get(kind, np.maximum), amounts))
            report(n + 1, len(tree))
        return found


def values_at(
    tree: Tree, places: Mapping[str, Sequence[float]]
) -> tuple[list[float], dict[str, list[float]]]:
    """Return the values of a tree, and of the actions at its root, for values of parameters.

    NaN is where a number has no value.
    """
    zero = np.zeros(max(map(len, places.values())))
    actions = {}
    with noting_infinities():
        numbers = Numbers(tree, {name: np.array(column) for name, column in places.items()})
        values = numbers.values([False] * len(tree))
        paid = numbers.reward(NONE) + zero
        for b in tree.branches_of(tree.root_id):
            worth = paid + numbers.reward(b) + values[tree.columns.child[b]]
            actions[tree.branch_label(tree.root_id, b)] = worth.tolist()
    if tree.root.kind not in _BETTER:
        actions = {}
    return (paid + values[-1]).tolist(), actions


def mean_of(chances: Sequence[Array], values: Sequence[Array]) -> Array:
    """Return the mean of values; one is not needed where its probability is 0."""
    mean = sum(map(operator.mul, chances, values))
    if np.isnan(mean).any():
        terms = [np.where(p == 0, 0.0, p * x) for p, x in zip(chances, values, strict=True)]
        mean = sum(terms)
    return mean
