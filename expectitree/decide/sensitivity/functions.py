"""The values of a tree's nodes as functions of one parameter, in exact arithmetic.

A strategy fixes all choices. Its value is the sum over the leaves of the product of the
probabilities on the path, times the total. If formulas are made of + - * / and whole powers, that
is a rational function of the parameter, and the value of a node is one between thresholds.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from expectitree.base.budget import TooMuchWorkError
from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import message_text, to_exact
from expectitree.decide.algebra.piecewise import (
    Piecewise,
    greatest_of,
    scaled,
    shifted,
    weighted_sum,
)
from expectitree.decide.algebra.polynomials import (
    Coefficients,
    Root,
    roots_between,
    sign_at,
)
from expectitree.decide.algebra.rationals import (
    MAX_BITS,
    MAX_DEGREE,
    VARIABLE,
    Rational,
    constant,
)
from expectitree.decide.algebra.thresholds import place_of
from expectitree.decide.sensitivity.formulas import FormulaFunctions
from expectitree.searches.engine import search_tree
from expectitree.searches.result import Search
from expectitree.tree.columns import CHANCE, MAX, NONE, TERMINAL
from expectitree.tree.model import Tree
from expectitree.tree.paths import message_path


class NodeFunctions(FormulaFunctions):
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
        super().__init__(tree, name, left, right, fixed)
        self.added, self.strategy = added, strategy
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

    def over(self, left: Root, right: Root) -> NodeFunctions:
        """Return the same functions over another interval."""
        other = copy(self)
        other.left, other.right = left, right
        for name in ("feasible", "_turns", "of_nodes", "_denominators"):
            other.__dict__.pop(name, None)
        return other

    # ---- Values.

    @cached_property
    def now(self) -> Search:
        """The evaluation of the tree at the current values of its parameters."""
        return search_tree(self.tree)

    @cached_property
    def of_nodes(self) -> list[Piecewise | None]:
        """The function of each node; None of a node that is never reached."""
        columns = self.tree.columns
        constants = self.now.lower
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
                if any(p.degree > MAX_DEGREE or p.bits > MAX_BITS for p in found.pieces):
                    raise TooMuchWorkError
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
                if p != constant(to_exact(columns.probability[b]))
            ),
            *(b for b, r in self.reward.items() if r != constant(to_exact(tree.reward_of(b)))),
        }
        for n in range(len(tree)):
            if n in self.utility:
                u = columns.utility[n]
                moving[n] = u != u or self.utility[n] != constant(to_exact(u))
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
        """Return whether the value of some node may have no limit at a place."""
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
