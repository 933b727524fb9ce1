"""The formulas of a tree as rational functions of one parameter."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from expectitree.base.expressions.evaluation import evaluate
from expectitree.base.expressions.syntax import Expression, Name
from expectitree.base.numbers import Number, to_exact
from expectitree.decide.algebra.rationals import Rational, constant
from expectitree.decide.sensitivity.quotients import RATIONALS
from expectitree.tree.columns import CHANCE, NONE, TERMINAL
from expectitree.tree.formulas import REST, Formulas
from expectitree.tree.model import Tree
from expectitree.tree.parameters import ParameterValues

ZERO, ONE = constant(Fraction(0)), constant(Fraction(1))


class FormulaFunctions:
    """The numbers of an exact tree, of which those that are formulas may be functions.

    `known` has the values of some parameters. Only formulas that play can reach are read.
    """

    def __init__(self, tree: Tree, known: Mapping[str, Rational]) -> None:
        self.tree = tree
        self.values = ParameterValues(tree.parameters, RATIONALS, known)
        self.known: dict[int, Rational] = {}  # by the id of a formula
        self.numbers: dict[Number, Rational] = {}  # of those in the tree's columns
        self.utility: dict[int, Rational] = {}  # of the terminals that have formulas
        self.probability: dict[int, Rational] = {}  # by branch, where it is a formula
        self.reward: dict[int, Rational] = {}
        self.sums: dict[int, Rational] = {}  # of outcomes, by node, where it is not always 1
        self.reached = bytearray(len(tree))
        self._read_formulas(tree.formulas or Formulas())

    def _read_formulas(self, formulas: Formulas) -> None:
        """Evaluate the formulas, parents before children."""
        tree, columns = self.tree, self.tree.columns
        self.reached[tree.root_id] = 1
        if NONE in formulas.rewards:
            self.reward[NONE] = self._value(formulas.rewards[NONE])
        for n in reversed(range(len(tree))):
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
        total = ZERO
        for b in branches:
            if b not in rests:
                self.probability[b] = self._value(formulas[b])
                total += self.probability[b]
        for b in rests:
            self.probability[b] = (ONE - total) * constant(Fraction(1, len(rests)))
        if not rests and total != ONE:
            self.sums[n] = total

    def _value(self, formula: Expression) -> Rational:
        if id(formula) not in self.known:
            self.known[id(formula)] = evaluate(formula, RATIONALS, self.values)
        return self.known[id(formula)]

    def probability_of(self, branch: int) -> Rational:
        """Return the probability of a branch."""
        if branch in self.probability:
            return self.probability[branch]
        return self.number(self.tree.columns.probability[branch])

    def reward_of(self, branch: int) -> Rational:
        """Return the reward of a branch; -1 is the way to the root."""
        if branch in self.reward:
            return self.reward[branch]
        return self.number(self.tree.reward_of(branch))

    def number(self, value: Number) -> Rational:
        """Return a number in a column of the tree as a constant function."""
        if value not in self.numbers:
            self.numbers[value] = constant(to_exact(value))
        return self.numbers[value]
