"""The values of a tree's nodes as intervals that contain them, at values of one parameter.

Formulas with `exp`, `log`, `sqrt` and powers have irrational values. With intervals, a comparison
of two actions is either certain, or it is repeated with more digits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from expectitree.base.errors import NumberError
from expectitree.base.expressions.domains import FRACTIONS, Domain
from expectitree.base.expressions.intervals import Interval, intervals
from expectitree.base.expressions.syntax import names_in
from expectitree.base.numbers import to_digits
from expectitree.decide.sensitivity.formulas import FormulaValues
from expectitree.tree.columns import CHANCE, MAX, MIN, NONE, TERMINAL
from expectitree.tree.formulas import Formulas
from expectitree.tree.model import Tree
from expectitree.tree.parameters import in_order

# Each is used where the one before it cannot separate two actions. In fractions, a tie is certain,
# but formulas may have no value.
DOMAINS = (intervals(20), FRACTIONS, intervals(60), intervals(240))


class Verdict(NamedTuple):
    """The best actions at a value of the parameter."""

    best: tuple[str, ...]  # several are equal; none without a player at the root
    is_certain: bool  # unless the actions only agree to 240 digits
    value: Fraction  # of the tree; rounded, unless all formulas have exact values


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
        # For each domain, what does not depend on the parameter: formulas, nodes, and numbers.
        self.kept: dict[int, tuple[dict[int, Any], dict[int, Any], dict[Any, Any]]] = {}
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
        found: Verdict | None = None
        for domain in DOMAINS:
            try:
                found = self._verdict(place, domain)
            except NumberError:
                if domain is DOMAINS[-1] and found is None:
                    raise
                continue
            if found.is_certain:
                break
        assert found is not None
        return found

    def _verdict(self, place: Fraction, domain: Domain) -> Verdict:
        """Return the best actions by values of a domain."""
        tree = self.tree
        numbers, values = self._values(place, domain, self.moving)
        if values is None:
            numbers, values = self._values(place, domain, range(len(tree)))
        assert values is not None
        value = domain.operations["+"](numbers.reward_of(NONE), values[tree.root_id])
        low, high = _ends(value)
        shown = low if low == high else to_digits((low + high) / 2)
        kind, branches = tree.root.kind, tree.branches_of(tree.root_id)
        if kind not in (MAX, MIN):
            return Verdict((), True, shown)
        ends = [_ends(self._worth(b, numbers, values)) for b in branches]
        if kind == MIN:
            ends = [(-high, -low) for low, high in ends]
        least = max(low for low, _ in ends)
        best = [b for b, (_, high) in zip(branches, ends, strict=True) if high >= least]
        labels = tuple(tree.branch_label(tree.root_id, b) for b in best)
        return Verdict(labels, len(best) == 1 or domain is FRACTIONS, shown)

    def _values(
        self, place: Fraction, domain: Domain, nodes: Sequence[int]
    ) -> tuple[FormulaValues, Mapping[int, Any] | None]:
        """Return the formulas, and the values of nodes by their ids.

        The values are None if one is missing: that of a node which is not among `nodes`.
        """
        child = self.tree.columns.child
        formulas, kept, constants = self.kept.get(id(domain), ({}, {}, {}))
        known = {self.name: domain.number(place)}
        numbers = FormulaValues(self.tree, domain, known, nodes, formulas, constants)
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
            self.kept[id(domain)] = known_formulas, values, constants
        return numbers, values

    def _value(
        self, n: int, branches: Sequence[int], numbers: FormulaValues, values: Mapping[int, Any]
    ) -> Any:
        kind, u, domain = self.tree.columns.kind[n], self.tree.columns.utility[n], numbers.domain
        if kind == TERMINAL:
            if n in numbers.utility:
                return numbers.utility[n]
            # An unknown utility is below an outcome of probability 0: any number will do.
            return numbers.number(u) if u == u else numbers.zero
        below = [self._worth(b, numbers, values) for b in branches]
        if kind != CHANCE:
            return domain.operations["max" if kind == MAX else "min"](*below)
        total, times = numbers.zero, domain.operations["*"]
        for b, value in zip(branches, below, strict=True):
            total = domain.operations["+"](total, times(numbers.probability_of(b), value))
        return total

    def _worth(self, branch: int, numbers: FormulaValues, values: Mapping[int, Any]) -> Any:
        value, reward = values[self.tree.columns.child[branch]], numbers.reward_of(branch)
        return value if reward == numbers.zero else numbers.domain.operations["+"](reward, value)


def _ends(value: Interval | Fraction) -> tuple[Fraction, Fraction]:
    if isinstance(value, Fraction):
        return value, value
    return Fraction(value.low), Fraction(value.high)


def _check(numbers: FormulaValues) -> None:
    """Raise `NumberError` if a probability is certainly not from 0 to 1, or a sum is not 1."""
    for p in numbers.probability.values():
        low, high = _ends(p)
        if high < 0 or low > 1:
            raise NumberError("a probability is not from 0 to 1")
    for total in numbers.sums.values():
        low, high = _ends(total)
        if not low <= 1 <= high:
            raise NumberError("probabilities do not sum to 1")
