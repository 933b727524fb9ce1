"""The values of a tree's nodes as intervals that contain them, at values of one parameter.

Formulas with `exp`, `log`, `sqrt` and powers have irrational values. With intervals, a comparison
of two actions is either certain, or it is repeated with more digits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from expectitree.analysis.sensitivity.formulas import FormulaValues
from expectitree.errors import NumberError
from expectitree.expressions.intervals import Interval, intervals, point
from expectitree.expressions.syntax import names_in
from expectitree.numbers import to_exact
from expectitree.tree.columns import CHANCE, MAX, MIN, NONE, TERMINAL
from expectitree.tree.formulas import Formulas
from expectitree.tree.model import Tree
from expectitree.tree.parameters import in_order

PRECISIONS = (60, 240)  # digits; actions whose values differ in none of them count as equal


class Verdict(NamedTuple):
    """The best actions at a value of the parameter."""

    best: tuple[str, ...]  # several are equal; none without a player at the root
    is_certain: bool  # unless the actions only agree to all digits
    value: Interval  # of the tree


class Enclosures:
    """Intervals that contain the values of a tree's nodes.

    Only the nodes that depend on the parameter are evaluated anew at each of its values.
    """

    def __init__(self, tree: Tree, name: str) -> None:
        self.tree, self.name = tree, name
        moved = {name}
        for other in in_order(tree.parameters):
            if not moved.isdisjoint(tree.parameters[other].bases):
                moved.add(other)
        formulas = tree.formulas or Formulas()
        self.constant = {
            id(one) for one in formulas.expressions() if moved.isdisjoint(names_in(one))
        }
        self.moving = self._find_moving(formulas)
        # By the number of digits: the formulas and the nodes that do not depend on the parameter.
        self.kept: dict[int, tuple[dict[int, Interval], dict[int, Interval]]] = {}
        self.verdict_at = cache(self._verdict_at)

    def _find_moving(self, formulas: Formulas) -> Sequence[int]:
        """Return the root and the nodes that depend on the parameter, children before parents."""
        tree, columns = self.tree, self.tree.columns
        nodes, *of_branches = (
            {key for key, formula in column.items() if id(formula) not in self.constant}
            for column in (formulas.nodes, formulas.probabilities, formulas.rewards)
        )
        branches, moving = set().union(*of_branches), set[int]()
        for n in range(len(tree)):
            own = tree.branches_of(n)
            if n in nodes or any(b in branches or columns.child[b] in moving for b in own):
                moving.add(n)
        return sorted({*moving, tree.root_id})

    def _verdict_at(self, place: Fraction) -> Verdict:
        """Return the best actions at a place.

        Raises `NumberError` where a formula has no value, or a probability is not one.
        """
        for digits in PRECISIONS:
            try:
                found = self._verdict(place, digits)
            except NumberError:
                if digits == PRECISIONS[-1]:
                    raise
                continue
            if found.is_certain:
                break
        return found

    def _verdict(self, place: Fraction, digits: int) -> Verdict:
        """Return the best actions by intervals with a number of digits."""
        tree, kind = self.tree, self.tree.columns.kind[self.tree.root_id]
        numbers, values = self._values(place, digits, self.moving)
        if values is None:
            numbers, values = self._values(place, digits, range(len(tree)))
        assert values is not None
        value = values[tree.root_id] + numbers.reward_of(NONE)
        if kind not in (MAX, MIN):
            return Verdict((), True, value)
        actions = {
            tree.branch_label(tree.root_id, b): self._worth(b, numbers, values)
            for b in tree.branches_of(tree.root_id)
        }
        signed = {label: one if kind == MAX else -one for label, one in actions.items()}
        least = max(one.low for one in signed.values())
        best = tuple(label for label, one in signed.items() if one.high >= least)
        is_certain = len(best) == 1 or all(actions[label].is_point for label in best)
        return Verdict(best, is_certain, value)

    def _values(
        self, place: Fraction, digits: int, nodes: Sequence[int]
    ) -> tuple[FormulaValues, Mapping[int, Interval] | None]:
        """Return the formulas, and the values of nodes by their ids.

        The values are None if one is missing: that of a node which is not among `nodes`.
        """
        domain, child = intervals(digits), self.tree.columns.child
        formulas, kept = self.kept.get(digits, ({}, {}))
        known = {self.name: point(place)}
        numbers = FormulaValues(self.tree, domain, point, known, nodes, formulas)
        _check(numbers)
        values = dict(kept)
        for n in nodes:
            if not numbers.reached[n]:
                continue
            own = self.tree.branches_of(n)
            branches = [b for b in own if numbers.probability_of(b) != numbers.zero]
            if any(child[b] not in values for b in branches):
                return numbers, None
            values[n] = domain.checked(self._value(n, branches, numbers, values))
        if nodes is not self.moving:
            known_formulas = {key: numbers.known[key] for key in self.constant & {*numbers.known}}
            self.kept[digits] = known_formulas, values
        return numbers, values

    def _value(
        self,
        n: int,
        branches: Sequence[int],
        numbers: FormulaValues,
        values: Mapping[int, Interval],
    ) -> Interval:
        kind, u = self.tree.columns.kind[n], self.tree.columns.utility[n]
        if kind == TERMINAL:
            # An unknown utility is below an outcome of probability 0: any number will do.
            known = point(to_exact(u) if u == u else Fraction(0))
            utility: Interval = numbers.utility.get(n, known)
            return utility
        below = [self._worth(b, numbers, values) for b in branches]
        if kind == CHANCE:
            shares = [numbers.probability_of(b) for b in branches]
            parts = [p * value for p, value in zip(shares, below, strict=True)]
            total: Interval = sum(parts[1:], parts[0])
            return total
        end = max if kind == MAX else min
        return Interval(end(one.low for one in below), end(one.high for one in below))

    def _worth(
        self, branch: int, numbers: FormulaValues, values: Mapping[int, Interval]
    ) -> Interval:
        found: Interval = numbers.reward_of(branch) + values[self.tree.columns.child[branch]]
        return found


def _check(numbers: FormulaValues) -> None:
    """Raise `NumberError` if a probability is certainly not from 0 to 1, or a sum is not 1."""
    for p in numbers.probability.values():
        if p.high < 0 or p.low > 1:
            raise NumberError("a probability is not from 0 to 1")
    for total in numbers.sums.values():
        if not total.low <= 1 <= total.high:
            raise NumberError("probabilities do not sum to 1")
