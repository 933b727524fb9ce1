"""The value of a tree under strategies that know nothing, something or all of its parameters.

A strategy has an action for each history of chances and earlier actions. The action that is best
after a history has the greatest sum of gains over the draws, each draw weighted with the
probability of that history, which is evidence about the parameters. So backward induction finds the
best strategy of all, if a node is one place for each evidence with which paths reach it.

If something is known in advance, means given that take the place of sums over all draws.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import partial
from itertools import combinations
from typing import TypeAlias

import numpy as np

from expectitree.base.errors import AnalysisError, ExpectitreeError
from expectitree.base.tree.columns import CHANCE, NONE
from expectitree.base.tree.model import Tree
from expectitree.decide.simulation.arrays import Numbers, mean_of, noting_infinities
from expectitree.decide.simulation.draws import Array, check_size
from expectitree.searches.result import PLAYERS

MAX_SIZE = 1e100  # of a value, so that floats hold its square
_KNOTS = 11  # of the piecewise linear function of a parameter: its deciles
_MAX_PAIRED = 10  # parameters whose products are in a regression

# From an array [actions, draws] to what a decision knows of it: [actions, draws] or [actions, 1].
Estimate = Callable[[Array], Array]


# The probabilities of the chances on a way that differ between draws, by the ids of their arrays,
# sorted: their order says nothing about the parameters, and neither do certain probabilities. After
# an outcome that never happens, there is none.
Evidence: TypeAlias = "tuple[int, ...] | None"


# A node with decisions in it or below, as paths with the same evidence reach it.
Place: TypeAlias = "tuple[int, Evidence]"


class Strategies:
    """The decisions of a tree, and the numbers in each draw on which they depend."""

    def __init__(self, tree: Tree, draws: Mapping[str, Array]) -> None:
        """Evaluate the tree for draws of its parameters."""
        self.tree, self.draws, self.count = tree, draws, len(next(iter(draws.values())))
        self.kind, self.child = tree.columns.kind, tree.columns.child
        decides: list[bool] = []
        for n, kind in enumerate(self.kind):
            below = any(decides[self.child[b]] for b in tree.branches_of(n))
            decides.append(below or kind in PLAYERS)
        with noting_infinities():  # a number that is missing is NaN
            self.numbers = Numbers(tree, draws)
            values = self.numbers.values(decides)
            # Products of probabilities: in each draw, how likely the evidence is.
            self.reaches: dict[Evidence, Array] = {(): 1.0, None: 0.0}
            self.places = self._unfolded(decides)
            branches = [b for n in {n for n, _ in self.places} for b in tree.branches_of(n)]
            needed = {tree.root_id, *(self.child[b] for b in branches)}
            self.values = {n: values[n] for n in needed}
            self.rewards = {b: self.numbers.reward(b) for b in (NONE, *branches)}

    def towards(self, other: Strategies, share: float) -> Strategies:
        """Return the strategies between these and others, if all amounts are linear in a weight."""
        found = copy(self)
        found.values = _between(self.values, other.values, share)
        found.rewards = _between(self.rewards, other.rewards, share)
        return found

    def _unfolded(self, decides: Sequence[bool]) -> dict[Place, list[Place | None]]:
        """Return the places of each place's children; None where nobody decides."""
        places: dict[Place, list[Place | None]] = {}
        # By node, the places that are still to be opened: a dict keeps their order.
        root = self.tree.root_id
        pending: dict[int, dict[Place, None]] = {root: {(root, ()): None}}
        for n in range(root, -1, -1):  # parents first
            for place in pending.pop(n, ()):
                places[place] = []
                branches = self.tree.branches_of(n)  # none if the root is a terminal
                chances = branches and self.numbers.probabilities(n)  # 1 for an action
                for b, p in zip(branches, chances, strict=True):
                    child, below = self.child[b], None
                    if decides[child]:
                        below = child, self._evidence(place[1], p)
                        pending.setdefault(child, {})[below] = None
                    places[place].append(below)
                check_size(len(places), self.count)
        return places

    def _evidence(self, before: Evidence, p: Array) -> Evidence:
        """Return the evidence after an outcome, and note how likely it is."""
        if before is None or not np.any(p):
            return None
        if not np.ptp(p):
            return before
        evidence = tuple(sorted((*before, id(p))))
        if evidence not in self.reaches:
            self.reaches[evidence] = self.reaches[before] * p
        return evidence

    def play(self, estimate: Estimate) -> tuple[Array, Array]:
        """Return the value in each draw, and the values of the root's actions.

        `estimate` says what decisions know. Without a decision at the root, it is one action.
        """
        return self._values(partial(self._best, estimate=estimate))

    def amounts(self, trees: Mapping[str, Tree], estimate: Estimate) -> dict[str, Array]:
        """Return the values of the root's actions in other trees, played as in this one.

        The trees differ from this one in what their terminals and branches are worth.
        """
        choices: dict[Place, Array] = {}

        def choose(place: Place, options: Array) -> Array:
            choices[place] = self._best(place, options, estimate)
            return choices[place]

        self._values(choose)
        amounts = {}
        for name, tree in trees.items():
            other = Strategies(tree, self.draws)
            other.places = self.places  # by the ids of the same arrays
            amounts[name] = other._values(lambda place, options: choices[place])[1]
        return amounts

    def _values(self, choose: Callable[[Place, Array], Array]) -> tuple[Array, Array]:
        """Return the value in each draw, and those of the root's actions.

        `choose` returns the number of an option in each draw, by the place and the values of its
        options.
        """
        values: dict[Place, Array] = {}
        options: list[Array] = []
        with noting_infinities():
            for place, children in reversed(self.places.items()):
                n, options = place[0], []
                for b, child in zip(self.tree.branches_of(n), children, strict=True):
                    value = self.values[self.child[b]]
                    if child is not None:
                        value = values[child]
                    options.append(self.rewards[b] + value)
                if self.kind[n] == CHANCE:
                    options = [mean_of(self.numbers.probabilities(n), options)]
                options = options or [self.values[n]]  # of a terminal, the root
                options = [np.broadcast_to(option, self.count) for option in options]
                values[place] = options[0]
                if len(options) > 1:
                    table = np.array(options)
                    values[place] = table[choose(place, table), np.arange(self.count)]
            paid = self.rewards[NONE]
            value, actions = values[place] + paid, np.array(options) + paid
        self._check(value)
        return value, actions

    def _best(self, place: Place, options: Array, estimate: Estimate) -> Array:
        """Return the number of the best option in each draw, given what decisions know."""
        reach = self.reaches[place[1]]
        weighted = options * reach
        if np.isnan(weighted).any():
            weighted = np.where(reach == 0, 0.0, weighted)
            self._check(weighted.sum(axis=0))
        gains = self.tree.gain_sign * estimate(weighted)
        return gains.argmax(axis=0)

    def _check(self, values: Array) -> None:
        """Raise `AnalysisError` for a draw without a value, or with one that is too large."""
        is_wrong = ~(abs(values) <= MAX_SIZE)
        if not is_wrong.any():
            return
        draw = int(is_wrong.argmax())
        problem = f"the value is beyond {MAX_SIZE:g}"
        try:
            self.tree.with_parameters(**{name: float(x[draw]) for name, x in self.draws.items()})
        except ExpectitreeError as error:
            problem = str(error)
        raise AnalysisError(
            f"draw {draw + 1:,}: {problem}; give the parameter a distribution without such values, "
            "or limit it in the formula, as in min(x, 1)"
        )


def _between(left: dict[int, Array], right: dict[int, Array], share: float) -> dict[int, Array]:
    return {key: (1 - share) * x + share * right[key] for key, x in left.items()}


# ---- What decisions know.


def nothing(weighted: Array) -> Array:
    """Return the mean over all draws."""
    return weighted.mean(axis=1, keepdims=True)


def everything(weighted: Array) -> Array:
    """Return the numbers of each draw."""
    return weighted


def these(columns: Sequence[Array]) -> Estimate:
    """Return the regression on some parameters, given by their draws.

    The basis has a piecewise linear function of each parameter, and products of two. The regression
    for a half of the draws is on the other half, so that chance alone seems to be worth nothing.
    """
    rows = []
    for x in columns:
        values = np.unique(x)
        if len(values) > _KNOTS:
            values = np.quantile(x, np.linspace(0, 1, _KNOTS))
        values = values[np.diff(values, prepend=-np.inf) > 1 / MAX_SIZE]
        rows += [np.interp(x, values, row) for row in np.eye(len(values))]
    if len(columns) <= _MAX_PAIRED:
        centred = [(x - x.mean()) / (x.std() or 1) for x in columns]
        rows += [a * b for a, b in combinations(centred, 2)]
    middle = len(columns[0]) // 2
    halves = slice(None, middle), slice(middle, None)
    bases = [np.array(rows)[:, half] for half in halves]
    # `einsum` does not use several cores, whose sums would differ in the last digit.
    inverses = [np.linalg.pinv(np.einsum("in,jn->ij", b, b), 1e-10, True) for b in bases]

    def estimate(weighted: Array) -> Array:
        fitted = np.empty_like(weighted)
        for i, half in enumerate(halves):
            moments = np.einsum("in,an->ia", bases[1 - i], weighted[:, halves[1 - i]])
            factors = np.einsum("ij,ja->ia", inverses[1 - i], moments)
            fitted[:, half] = np.einsum("in,ia->an", bases[i], factors)
        return fitted

    return estimate
