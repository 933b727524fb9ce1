"""The numbers of a tree that are formulas: as functions of a parameter, or as intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from expectitree.base.expressions.domains import Domain
from expectitree.base.expressions.evaluation import evaluate as evaluate_expression
from expectitree.base.expressions.syntax import Expression, Name
from expectitree.base.numbers import Number, to_exact
from expectitree.tree.columns import CHANCE, NONE, TERMINAL
from expectitree.tree.formulas import REST, Formulas
from expectitree.tree.model import Tree
from expectitree.tree.parameters import ParameterValues


class FormulaValues:
    """The numbers of a tree that are formulas, over a domain.

    Args:
        tree: The tree.
        domain: That of the values.
        known: The values of some parameters.
        nodes: The nodes whose formulas are read, in order; by default, all.
        values: The values of some formulas, by their ids.
        numbers: A memory of the numbers in the tree's columns.
    """

    def __init__(
        self,
        tree: Tree,
        domain: Domain,
        known: Mapping[str, Any],
        nodes: Sequence[int] | None = None,
        values: Mapping[int, Any] | None = None,
        numbers: dict[Any, Any] | None = None,
    ) -> None:
        self.tree, self.domain = tree, domain
        self.zero, self.one = domain.number("0"), domain.number("1")
        self.nodes = range(len(tree)) if nodes is None else nodes
        self.numbers = {} if numbers is None else numbers
        self.values = ParameterValues(tree.parameters, domain, known)
        self.known = dict(values or {})  # by the id of a formula
        self.utility: dict[int, Any] = {}  # of the terminals that have formulas
        self.probability: dict[int, Any] = {}  # by branch, where it is a formula
        self.reward: dict[int, Any] = {}
        self.sums: dict[int, Any] = {}  # of outcomes, by node, where it is not always 1
        self.reached = bytearray(len(tree))
        self._read_formulas(tree.formulas or Formulas())

    def _read_formulas(self, formulas: Formulas) -> None:
        """Evaluate the formulas that play can reach, parents before children."""
        tree, columns = self.tree, self.tree.columns
        self.reached[tree.root_id] = 1
        if NONE in formulas.rewards:
            self.reward[NONE] = self._value(formulas.rewards[NONE])
        for n in reversed(self.nodes):
            if not self.reached[n]:
                continue
            branches = tree.branches_of(n)
            if columns.kind[n] == TERMINAL and n in formulas.nodes:
                self.utility[n] = self._value(formulas.nodes[n])
            if columns.kind[n] == CHANCE and branches[0] in formulas.probabilities:
                self._read_outcomes(n, branches, formulas.probabilities)
            for b in branches:
                if self.probability_of(b) == self.zero:
                    continue
                if b in formulas.rewards:
                    self.reward[b] = self._value(formulas.rewards[b])
                self.reached[columns.child[b]] = 1

    def _read_outcomes(self, n: int, branches: range, formulas: Mapping[int, Expression]) -> None:
        rests = [b for b in branches if formulas[b] == Name(REST)]
        total, operations = self.zero, self.domain.operations
        for b in branches:
            if b not in rests:
                self.probability[b] = self._value(formulas[b])
                total = operations["+"](total, self.probability[b])
        for b in rests:
            share = self.domain.number(Fraction(1, len(rests)))
            self.probability[b] = operations["*"](operations["-"](self.one, total), share)
        if not rests and total != self.one:
            self.sums[n] = total

    def _value(self, formula: Expression) -> Any:
        if id(formula) not in self.known:
            self.known[id(formula)] = evaluate_expression(formula, self.domain, self.values)
        return self.known[id(formula)]

    def probability_of(self, branch: int) -> Any:
        """Return the probability of a branch."""
        if branch in self.probability:
            return self.probability[branch]
        return self.number(self.tree.columns.probability[branch])

    def reward_of(self, branch: int) -> Any:
        """Return the reward of a branch; -1 is the way to the root."""
        if branch in self.reward:
            return self.reward[branch]
        return self.number(self.tree.reward_of(branch))

    def number(self, value: Number) -> Any:
        """Return a number in a column of the tree as one of the domain."""
        if value not in self.numbers:
            self.numbers[value] = self.domain.number(to_exact(value))
        return self.numbers[value]
