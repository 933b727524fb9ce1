"""The values of a tree's nodes as functions of one parameter, in exact arithmetic.

A strategy fixes all choices. Its value is the sum over the leaves of the product of the
probabilities on the path, times the total. If formulas are made of + - * / and whole powers, that
is a quotient of polynomials in the parameter, and the value of a node is one between thresholds.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NoReturn

from expectitree.algebra.piecewise import Piecewise, greatest_of, scaled, shifted, weighted_sum
from expectitree.algebra.polynomials import (
    Root,
    TooMuchWorkError,
    between,
    in_order,
    roots_between,
    spend,
)
from expectitree.algebra.rationals import VARIABLE, Rational, constant
from expectitree.errors import NumberError
from expectitree.expressions.domains import FRACTIONS, Domain, UndefinedError
from expectitree.expressions.evaluation import evaluate as evaluate_expression
from expectitree.expressions.syntax import COMPARISONS, NEGATION, Expression, Name
from expectitree.searches.engine import evaluate
from expectitree.tree.columns import CHANCE, MAX, NONE, TERMINAL
from expectitree.tree.formulas import REST, Formulas
from expectitree.tree.model import Tree
from expectitree.tree.parameters import ParameterValues

MOST_DEGREE = 60  # of a node's function
MOST_BITS = 20_000  # of a coefficient
_COEFFICIENT_WORK = 30  # for one coefficient of a node's function
_ONE, _ZERO = constant(Fraction(1)), constant(Fraction(0))


class NotRationalError(Exception):
    """A formula is not a quotient of polynomials in the parameter; the message names what it is."""


# ---- The domain in which formulas become quotients of polynomials.


def _of_constants(operation: str) -> Callable[..., Any]:
    """Return an operation that has a value for numbers, but not for functions of the parameter."""

    def apply(*operands: Rational) -> Any:
        if any(operand.degree for operand in operands):
            raise NotRationalError(operation)
        try:
            found = FRACTIONS.operations[operation](*(operand(Fraction(0)) for operand in operands))
        except UndefinedError as error:
            raise NotRationalError(operation) if "exact" in str(error) else error from None
        return found if operation in COMPARISONS else constant(found)

    return apply


def _quotient(a: Rational, b: Rational) -> Rational:
    if not b.numerator:
        raise UndefinedError("divides by zero")
    return a / b


def _power(base: Rational, exponent: Rational) -> Rational:
    """Return a whole power of a function, or a power of a number."""
    if not base.degree and not exponent.degree:
        found: Rational = _of_constants("^")(base, exponent)
        return found
    power = None if exponent.degree else exponent(Fraction(0))
    if power is None or power.denominator != 1 or abs(power) > MOST_DEGREE:
        raise NotRationalError("^")
    found = _ONE
    for _ in range(abs(int(power))):
        found = found * base
    return _quotient(_ONE, found) if power < 0 else found


def _checked(value: Any) -> Any:
    if isinstance(value, Rational) and (value.degree > MOST_DEGREE or value.bits > MOST_BITS):
        raise TooMuchWorkError
    return value


def _join(*_: Rational) -> NoReturn:
    raise NotRationalError("if")


RATIONALS = Domain(
    lambda text: constant(FRACTIONS.number(text)),
    {
        **{"+": Rational.__add__, "-": Rational.__sub__, "*": Rational.__mul__, "/": _quotient},
        **{"^": _power, NEGATION: Rational.__neg__, "join": _join},
        **{
            name: _of_constants(name)
            for name in ("abs", "exp", "log", "max", "min", "sqrt", *COMPARISONS)
        },
    },
    _checked,
    str,
)


# ---- The functions of the nodes.


@dataclass(frozen=True)
class OutOfRange:
    """A probability that is not one: where, and at which value of the parameter."""

    node: int
    branch: int
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
                self._read_outcomes(branches, formulas.probabilities)
            for b in branches:
                if not self.probability_of(b).numerator:
                    continue
                if b in formulas.rewards:
                    self.reward[b] = self._value(formulas.rewards[b])
                self.reached[columns.child[b]] = 1

    def _read_outcomes(self, branches: range, formulas: Mapping[int, Expression]) -> None:
        rests = [b for b in branches if formulas[b] == Name(REST)]
        total = _ZERO
        for b in branches:
            if b not in rests:
                self.probability[b] = self._value(formulas[b])
                total += self.probability[b]
        for b in rests:
            self.probability[b] = (_ONE - total) * constant(Fraction(1, len(rests)))

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
        """Return a probability that is not one at a value of the parameter, if there is any."""
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
                    u = columns.utility[n]
                    utility = self.utility.get(n) or constant(_exact(u))
                    found = self._flat(utility)
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
                moving[n] = self.utility[n] != constant(_exact(columns.utility[n]))
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

    def of_branch(
        self, branch: int, functions: Sequence[Piecewise | None] | None = None
    ) -> Piecewise:
        """Return the value of a branch: its reward plus its node's function."""
        functions = self.of_nodes if functions is None else functions
        node = self.tree.root_id if branch == NONE else self.tree.columns.child[branch]
        found = functions[node]
        assert found is not None
        return shifted(found, self.reward_of(branch))


def _exact(number: Any) -> Fraction:
    return Fraction(number)


def why_not_exact(error: Exception) -> str:
    """Return why the functions of a tree are sampled, as a clause."""
    if isinstance(error, NotRationalError):
        return f"{error} makes the value no quotient of polynomials"
    if isinstance(error, NumberError):
        return str(error)
    return "exact functions would take too long"
