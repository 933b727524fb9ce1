"""The values of a tree's nodes as functions of one parameter, in exact arithmetic.

A strategy fixes all choices. Its value is the sum over the leaves of the product of the
probabilities on the path, times the total. If formulas are made of + - * / and whole powers, that
is a rational function of the parameter, and the value of a node is one between thresholds.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from expectitree.base.budget import spend
from expectitree.base.errors import AnalysisError, TreeError
from expectitree.base.numbers import message_text
from expectitree.base.tree.columns import CHANCE, MAX, NONE, TERMINAL
from expectitree.base.tree.formulas import Formulas
from expectitree.base.tree.model import Tree
from expectitree.base.tree.paths import message_path
from expectitree.decide.algebra.polynomials import (
    Coefficients,
    Root,
    between,
    enclose,
    in_order,
    place_of,
    roots_between,
    sign_at,
    size_of,
)
from expectitree.decide.algebra.rationals import (
    VARIABLE,
    Interval,
    Piecewise,
    Rational,
    constant,
    greatest_of,
    scaled,
    shifted,
    shortened,
    weighted_sum,
)
from expectitree.decide.records import Labels
from expectitree.decide.sensitivity.parameters import ONE, FormulaFunctions, Range, check_length
from expectitree.searches.engine import search_tree
from expectitree.searches.result import Search

NO_STRATEGY: Mapping[int, int] = {}


def best_actions(search: Search) -> Labels:
    """Return the best actions in the order of the branches, also if rounding separates them."""
    return tuple(b.label for b in search.tree.root.branches if b.label in search.ties)


class NodeFunctions(FormulaFunctions):
    """The values of the nodes of an exact tree, as functions of one number that moves.

    Args:
        tree: The tree, in fractions.
        range: The parameter and its range.
        added: The number that moves is added to the reward of this branch.
        strategy: The branch that each player takes, by node; players decide anew elsewhere.
        changed: The parameters with other values than those of the numbers in the columns.
    """

    def __init__(
        self,
        tree: Tree,
        range: Range,
        added: int | None = None,
        strategy: Mapping[int, int] = NO_STRATEGY,
        changed: Iterable[str] = (),
    ) -> None:
        others = {
            name: constant(share) * (constant(total) - VARIABLE)
            for name, (share, total) in range.scaled.items()
        }
        super().__init__(tree, {range.name: VARIABLE, **others}, changed)
        self.range, self.added, self.strategy = range, added, strategy
        self.left, self.right = Root.at(range.low), Root.at(range.high)
        if added is not None:
            self.reward[added] = self.reward_of(added) + VARIABLE

    def tree_at(self, place: Fraction) -> Tree:
        """Return the tree at a value of the parameter."""
        if self.added is None:
            return self.range.moved(self.tree, place)
        columns = self.tree.columns
        reward: list[Any] = [*map(self.tree.reward_of, range(len(columns.child)))]
        reward[self.added] += place
        return replace(self.tree, columns=columns._replace(reward=reward), formulas=Formulas())

    def evaluated_at(self, place: Fraction) -> tuple[Search, Labels] | None:
        """Return a search of the tree at a place, and the best actions there.

        Return None where the tree has no value: below an outcome of probability 0 there may be a
        pole or 0/0, and only limits exist.
        """
        if any(sign_at(denominator, place) == 0 for denominator in self._denominators):
            return None
        spend(100 * len(self.tree) * size_of([place.denominator]))
        try:
            search = search_tree(self.tree_at(place))
        except TreeError:
            return None
        return search, best_actions(search)

    # ---- Where probabilities are numbers from 0 to 1.

    @cached_property
    def feasible(self) -> list[Interval]:
        """The closed intervals of the parameter on which all probabilities lie in [0, 1]."""
        found: list[Interval] = []
        for start, end in self._parts():
            if self._fault_at(between(start, end)) is None:
                if found and found[-1][1] is start:
                    start = found.pop()[0]
                found.append((start, end))
        return found

    def over(self, left: Root, right: Root) -> NodeFunctions:
        """Return the same functions over another interval."""
        other = copy(self)
        other.left, other.right = left, right
        for name in ("feasible", "of_nodes", "_denominators"):
            other.__dict__.pop(name, None)
        return other

    def valid_part(self) -> NodeFunctions:
        """Return the functions over the part of the range where all probabilities are in [0, 1].

        Of several such parts, it is the one next to the current value. Raises `AnalysisError` if
        there is none.
        """
        if self.feasible == [(self.left, self.right)]:
            return self
        middles = (between(*part) for part in self._parts())
        places = itertools.chain((self.right.lower, self.left.lower), middles)
        faults = ((place, self._fault_at(place)) for place in places)
        why = next(
            self._fault_text(place, *fault) for place, fault in faults if fault and fault[2] != 1
        )
        if not self.feasible:
            raise AnalysisError(
                f"{why}, expected probabilities from 0 to 1 that sum to 1\nwrite `p: rest` at one "
                f"outcome, or give {self.range.name} another range"
            )
        here = Root.at(self.range.current)
        left, right = self.feasible[0]
        for part in self.feasible:
            if not here < part[0]:
                left, right = part
        # Ends that are not rational are rounded inwards.
        low, high = enclose(left, [right])[1], enclose(right, [left])[0]
        found = self.over(Root.at(low), Root.at(high))
        found.range = self.range.cut_to(low, high, why)
        return found

    def _parts(self) -> Iterator[Interval]:
        """Yield the parts of the range in which no probability crosses 0 or 1, or has a pole."""
        found: list[Root] = []
        for p in {p for p in self.probability.values() if p.degree}:
            for part in (p.numerator, (ONE - p).numerator, p.denominator):
                found += roots_between(part, self.left, self.right)
        yield from itertools.pairwise([self.left, *in_order(found), self.right])

    def _fault_at(self, place: Fraction) -> tuple[int, int, Fraction] | None:
        """Return a probability that is not one at a place: its node, its branch and its value.

        The branch is -1 for the sum of all outcomes. A sum that is 1 only at some places counts as
        a fault at all of them.
        """
        with suppress(ZeroDivisionError):
            for n, total in self.sums.items():
                return n, NONE, total(place)
        for b, p in self.probability.items():
            with suppress(ZeroDivisionError):  # a posterior below an outcome of probability 0
                value = p(place)
                if not 0 <= value <= 1:
                    return self.tree.parent_of(b), b, value
        return None

    def _fault_text(self, place: Fraction, node: int, branch: int, value: Fraction) -> str:
        what, path = "p of", self.tree.path_of(node, branch)
        if branch == NONE:
            what, path = "the sum of the probabilities of", message_path(path)
        at = f"{self.range.name} = {message_text(place)}"
        return f"{what} {path} is {message_text(value)} at {at}"

    # ---- Values.

    @cached_property
    def now(self) -> Search:
        """The evaluation of the tree at the current values of its parameters."""
        return search_tree(self.tree)

    @cached_property
    def of_nodes(self) -> list[Piecewise | None]:
        """The function of each node; None of a node that is never reached."""
        spend(10 * len(self.tree))
        moving = self._find_moving()
        functions: list[Piecewise | None] = []
        for n, kind in enumerate(self.tree.columns.kind):
            if not self.reached[n]:
                functions.append(None)
                continue
            if not moving[n]:
                function = self.flat(constant(self.now.lower[n]))
            elif kind == TERMINAL:
                function = self.flat(self.utility[n])
            else:
                function = self._combined(n, kind, functions)
            if self.tree.error:
                function = replace(function, pieces=tuple(map(shortened, function.pieces)))
            for piece in function.pieces:
                check_length(piece)
            functions.append(function)
        return functions

    def _find_moving(self) -> bytearray:
        """Return [N] whether the value of a node may differ from its current one."""
        tree, columns = self.tree, self.tree.columns
        rewards, probabilities = self.reward.items(), self.probability.items()
        moved = {b for b, r in rewards if r != self.number(tree.reward_of(b))}
        moved |= {b for b, p in probabilities if p != self.number(columns.probability[b])}
        moving = bytearray(len(tree))
        for n, u in enumerate(columns.utility):
            if n in self.utility:
                moving[n] = u != u or self.utility[n] != self.number(u)
            if any(moving[columns.child[b]] or b in moved for b in tree.branches_of(n)):
                moving[n] = 1
        return moving

    def flat(self, value: Rational) -> Piecewise:
        """Return a rational function on the interval."""
        return Piecewise((value,), (), self.left, self.right)

    def _combined(self, n: int, kind: int, functions: Sequence[Piecewise | None]) -> Piecewise:
        """Return the function of an inner node from those of its children."""
        branches = [b for b in self.tree.branches_of(n) if self.probability_of(b).numerator]
        if kind == CHANCE:
            terms = []
            for b in branches:
                p, below = self.probability_of(b), self.of_branch(b, functions)
                if p.degree:
                    p, below = ONE, scaled(p, below)
                terms.append((p(Fraction(0)), below))
            return weighted_sum(terms)
        if n in self.strategy:
            return self.of_branch(self.strategy[n], functions)
        return greatest_of((self.of_branch(b, functions) for b in branches), kind == MAX)

    @cached_property
    def _denominators(self) -> set[Coefficients]:
        pieces = (piece for f in self.of_nodes if f is not None for piece in f.pieces)
        return {piece.denominator for piece in pieces if not piece.is_polynomial}

    def check_limits(self, what: str, function: Piecewise) -> Piecewise:
        """Return a function; raise `AnalysisError` if it has no limit somewhere in its interval."""
        for piece, left, right in function.parts():
            if piece.is_polynomial:
                continue
            ends = (end for end in (left, right) if end.is_root_of(piece.denominator))
            for pole in itertools.chain(ends, roots_between(piece.denominator, left, right)):
                place, name = message_text(place_of(pole)), self.range.name
                raise AnalysisError(
                    f"{what} has no value at {name} = {place}, where a formula divides by "
                    f"zero\ngive {name} a range that leaves {place} out"
                )
        return function

    def of_branch(
        self, branch: int, functions: Sequence[Piecewise | None] | None = None
    ) -> Piecewise:
        """Return the value of a branch: its reward plus its node's function."""
        if functions is None:
            functions = self.of_nodes
        node = self.tree.root_id
        if branch != NONE:
            node = self.tree.columns.child[branch]
        function = functions[node]
        if function is None:
            path = message_path(self.tree.path_of(node))
            raise AnalysisError(
                f"{path} is below an outcome of probability 0, so it has no value to compare\n"
                "name a place that play can reach"
            )
        return shifted(function, self.reward_of(branch))
