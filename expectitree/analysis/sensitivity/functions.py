"""The values of a tree's nodes as functions of one parameter, in exact arithmetic.

A strategy fixes all choices. Its value is the sum over the leaves of the product of the
probabilities on the path, times the total. If formulas are made of + - * / and whole powers, that
is a quotient of polynomials in the parameter, and the value of a node is one between thresholds.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from expectitree.algebra.piecewise import Piecewise, greatest_of, scaled, shifted, weighted_sum
from expectitree.algebra.polynomials import (
    Coefficients,
    Root,
    TooMuchWorkError,
    between,
    in_order,
    roots_between,
    sign_at,
    spend,
)
from expectitree.algebra.rationals import VARIABLE, Rational, constant
from expectitree.algebra.thresholds import place_of
from expectitree.analysis.sensitivity.quotients import MOST_BITS, MOST_DEGREE, RATIONALS
from expectitree.errors import AnalysisError
from expectitree.expressions.evaluation import evaluate as evaluate_expression
from expectitree.expressions.syntax import Expression, Name
from expectitree.numbers import message_text
from expectitree.searches.engine import evaluate
from expectitree.tree.columns import CHANCE, MAX, NONE, TERMINAL
from expectitree.tree.formulas import REST, Formulas
from expectitree.tree.model import Tree
from expectitree.tree.parameters import ParameterValues
from expectitree.tree.paths import message_path

_COEFFICIENT_WORK = 30  # for one coefficient of a node's function
_ONE, _ZERO = constant(Fraction(1)), constant(Fraction(0))


@dataclass(frozen=True)
class OutOfRange:
    """A probability that is not one, or a sum that is not 1, at a value of the parameter."""

    node: int
    branch: int  # -1 for the sum of all outcomes
    at: Fraction
    value: Fraction


class NodeFunctions:
    """The values of the nodes of an exact tree, as functions of one of its parameters.

    Args:
        tree: The tree, in fractions.
        name: The parameter; with None, `added` moves instead.
        left: The least value of the parameter.
        right: The greatest one.
        fixed: Other parameters that have another value than in the tree.
        added: The parameter is added to the rewards of these branches.
        strategy: The branch that each player takes, by node; without it, players decide anew at
            each value of the parameter.
    """

    def __init__(
        self,
        tree: Tree,
        name: str | None,
        left: Root | Fraction,
        right: Root | Fraction,
        fixed: Mapping[str, Fraction] | None = None,
        added: Sequence[int] = (),
        strategy: Mapping[int, int] | None = None,
    ) -> None:
        self.tree, self.name, self.added, self.strategy = tree, name, added, strategy
        self.left, self.right = (
            end if isinstance(end, Root) else Root.at(end) for end in (left, right)
        )
        known = {other: constant(value) for other, value in (fixed or {}).items()}
        if name is not None:
            known[name] = VARIABLE
        self.values = ParameterValues(tree.parameters, RATIONALS, known)
        self.known: dict[int, Rational] = {}  # by the id of a formula
        self.utility: dict[int, Rational] = {}  # of the terminals that have formulas
        self.probability: dict[int, Rational] = {}  # by branch, where it is a formula
        self.reward: dict[int, Rational] = {}
        self.sums: dict[int, Rational] = {}  # of outcomes, by node, where it is not always 1
        self.reached = bytearray(len(tree))
        self._read_formulas(tree.formulas or Formulas())
        for branch in added:
            self.reward[branch] = self.reward_of(branch) + VARIABLE

    def tree_at(self, at: Fraction) -> Tree:
        """Return the tree at a value of the parameter."""
        if self.name is not None:
            return self.tree.with_parameters(**{self.name: at})
        columns, count = self.tree.columns, len(self.tree.columns.child)
        reward: list[Any] = list(columns.reward) if columns.pays else [Fraction(0)] * count
        for branch in self.added:
            reward[branch] += at
        return replace(self.tree, columns=columns._replace(reward=reward), formulas=None)

    def _read_formulas(self, formulas: Formulas) -> None:
        """Evaluate the formulas that play can reach, parents before children."""
        tree, columns = self.tree, self.tree.columns
        self.reached[tree.root_id] = 1
        if NONE in formulas.rewards:
            self.reward[NONE] = self._value(formulas.rewards[NONE])
        for n in range(tree.root_id, -1, -1):
            if not self.reached[n]:
                continue
            branches = tree.branches_of(n)
            if columns.kind[n] == TERMINAL and n in formulas.nodes:
                self.utility[n] = self._value(formulas.nodes[n])
            if columns.kind[n] == CHANCE and branches[0] in formulas.probabilities:
                self._read_outcomes(n, branches, formulas.probabilities)
            for b in branches:
                if not self.probability_of(b).numerator:
                    continue
                if b in formulas.rewards:
                    self.reward[b] = self._value(formulas.rewards[b])
                self.reached[columns.child[b]] = 1

    def _read_outcomes(self, n: int, branches: range, formulas: Mapping[int, Expression]) -> None:
        rests = [b for b in branches if formulas[b] == Name(REST)]
        total = _ZERO
        for b in branches:
            if b not in rests:
                self.probability[b] = self._value(formulas[b])
                total += self.probability[b]
        for b in rests:
            self.probability[b] = (_ONE - total) * constant(Fraction(1, len(rests)))
        if not rests and total != _ONE:
            self.sums[n] = total

    def _value(self, formula: Expression) -> Rational:
        if id(formula) not in self.known:
            self.known[id(formula)] = evaluate_expression(formula, RATIONALS, self.values)
        return self.known[id(formula)]

    def probability_of(self, branch: int) -> Rational:
        """Return the probability of a branch."""
        if branch in self.probability:
            return self.probability[branch]
        return constant(_exact(self.tree.columns.probability[branch]))

    def reward_of(self, branch: int) -> Rational:
        """Return the reward of a branch; -1 is the way to the root."""
        if branch in self.reward:
            return self.reward[branch]
        return constant(_exact(self.tree.reward_of(branch)))

    def over(self, left: Root, right: Root) -> NodeFunctions:
        """Return the same functions over another interval."""
        other = copy(self)
        other.left, other.right = left, right
        for name in ("feasible", "_turns", "of_nodes"):
            other.__dict__.pop(name, None)
        return other

    # ---- Where probabilities are numbers from 0 to 1.

    @cached_property
    def feasible(self) -> list[tuple[Root, Root]]:
        """The closed intervals of the parameter on which all probabilities lie in [0, 1]."""
        ends = [self.left, *self._turns, self.right]
        found: list[tuple[Root, Root]] = []
        for start, end in itertools.pairwise(ends):
            if self.fault_at(between(start, end)) is None:
                if found and found[-1][1] is start:
                    start = found.pop()[0]
                found.append((start, end))
        return found

    @cached_property
    def _turns(self) -> list[Root]:
        """The places where a probability crosses 0 or 1, or is not defined."""
        found: list[Root] = []
        for p in {p for p in self.probability.values() if p.degree}:
            for part in (p.numerator, (_ONE - p).numerator, p.denominator):
                if part:
                    found += roots_between(part, self.left, self.right)
        return in_order(found)

    @property
    def fault(self) -> OutOfRange | None:
        """A probability that leaves [0, 1], at an end of the range if it does so there."""
        turns = [self.left, *self._turns, self.right]
        middles = (between(a, b) for a, b in itertools.pairwise(turns))
        places = [end.lower for end in (self.right, self.left)]
        return next(filter(None, map(self.fault_at, (*places, *middles))), None)

    def fault_at(self, at: Fraction) -> OutOfRange | None:
        """Return a probability that is not one at a value of the parameter, if there is any.

        A sum that is 1 only at some values counts as a fault at all of them.
        """
        for n, total in self.sums.items():
            return OutOfRange(n, NONE, at, total(at))
        for b, p in self.probability.items():
            try:
                value = p(at)
            except ZeroDivisionError:  # a posterior below an outcome of probability 0
                continue
            if not 0 <= value <= 1:
                return OutOfRange(self.tree.parent_of(b), b, at, value)
        return None

    # ---- Values.

    @cached_property
    def of_nodes(self) -> list[Piecewise | None]:
        """The function of each node; None of a node that is never reached."""
        tree, columns = self.tree, self.tree.columns
        constants = evaluate(tree).lower
        moving = self._find_moving()
        functions: list[Piecewise | None] = []
        for n, kind in enumerate(columns.kind):
            found = None
            if self.reached[n]:
                is_constant = not moving[n] and self.strategy is None
                if is_constant:
                    found = self._flat(constant(constants[n]))
                elif kind == TERMINAL:
                    found = self._flat(self.utility.get(n) or constant(constants[n]))
                else:
                    found = self._combined(n, kind, functions)
                if any(p.degree > MOST_DEGREE or p.bits > MOST_BITS for p in found.pieces):
                    raise TooMuchWorkError
                spend(_COEFFICIENT_WORK * sum(len(p.numerator) for p in found.pieces))
            functions.append(found)
        return functions

    def _find_moving(self) -> bytearray:
        """Return [N] whether a node's value depends on the parameter, or on those fixed anew."""
        tree, columns = self.tree, self.tree.columns
        moving = bytearray(len(tree))
        moved = {
            *(
                b
                for b, p in self.probability.items()
                if p != constant(_exact(columns.probability[b]))
            ),
            *(b for b, r in self.reward.items() if r != constant(_exact(tree.reward_of(b)))),
        }
        for n in range(len(tree)):
            if n in self.utility:
                u = columns.utility[n]
                moving[n] = u != u or self.utility[n] != constant(_exact(u))
            for b in tree.branches_of(n):
                if moving[columns.child[b]] or b in moved:
                    moving[n] = 1
        return moving

    def _flat(self, value: Rational) -> Piecewise:
        return Piecewise((value,), (), self.left, self.right)

    def _combined(self, n: int, kind: int, functions: Sequence[Piecewise | None]) -> Piecewise:
        """Return the function of an inner node from those of its children."""
        branches = [b for b in self.tree.branches_of(n) if self.probability_of(b).numerator]
        if kind == CHANCE:
            terms = []
            for b in branches:
                p, below = self.probability_of(b), self.of_branch(b, functions)
                if p.degree:
                    terms.append((Fraction(1), scaled(p, below)))
                else:
                    terms.append((p(Fraction(0)), below))
            return weighted_sum(terms)
        if self.strategy is not None and n in self.strategy:
            return self.of_branch(self.strategy[n], functions)
        return greatest_of((self.of_branch(b, functions) for b in branches), kind == MAX)

    def has_pole_at(self, place: Fraction) -> bool:
        """Say whether the value of some node may have no limit at a place."""
        return any(sign_at(denominator, place) == 0 for denominator in self._denominators)

    @cached_property
    def _denominators(self) -> set[Coefficients]:
        pieces = (piece for f in self.of_nodes if f is not None for piece in f.pieces)
        return {piece.denominator for piece in pieces if not piece.is_polynomial}

    def check_limits(self, what: str, function: Piecewise) -> Piecewise:
        """Return a function; raise `AnalysisError` if it has no limit somewhere in its interval."""
        for piece, left, right in function.parts():
            if not piece.is_polynomial:
                ends = (end for end in (left, right) if end.is_root_of(piece.denominator))
                for place in itertools.chain(ends, roots_between(piece.denominator, left, right)):
                    at = message_text(place_of(place))
                    raise AnalysisError(
                        f"{what} has no value at {self.name} = {at}, where a formula divides by "
                        f"zero: give {self.name} a range that leaves {at} out"
                    )
        return function

    def of_branch(
        self, branch: int, functions: Sequence[Piecewise | None] | None = None
    ) -> Piecewise:
        """Return the value of a branch: its reward plus its node's function."""
        functions = self.of_nodes if functions is None else functions
        node = self.tree.root_id if branch == NONE else self.tree.columns.child[branch]
        found = functions[node]
        if found is None:
            path = message_path(self.tree.path_of(node))
            raise AnalysisError(
                f"{path} is below an outcome of probability 0, so it has no value to compare: "
                "name a place that play can reach"
            )
        return shifted(found, self.reward_of(branch))


def _exact(number: Any) -> Fraction:
    return Fraction(number)
