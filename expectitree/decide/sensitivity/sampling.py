"""Sample a parameter's range where the value is not a rational function."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from expectitree.base import budget
from expectitree.base.errors import AnalysisError, NumberError, SearchError, TreeError
from expectitree.base.numbers import INFINITY, Number, message_text, to_digits, to_exact
from expectitree.base.tree.attitude import Attitude
from expectitree.base.tree.columns import CHANCE
from expectitree.base.tree.model import Tree, check_tree
from expectitree.base.tree.transform import in_floats, in_fractions
from expectitree.decide.algebra.polynomials import (
    MIN_DIGITS,
    TOLERANCE,
    VALUE_TOLERANCE,
    power_of_ten,
)
from expectitree.decide.records import Labels
from expectitree.decide.sensitivity.decisions import Piece, Threshold
from expectitree.decide.sensitivity.functions import best_actions
from expectitree.decide.sensitivity.parameters import Range
from expectitree.searches.engine import search_tree
from expectitree.searches.result import Search

POINTS = 200  # of the range
# Steps for one parameter. At each value, a node is a step in floats and eight in fractions, and a
# formula takes four times as many. A second is enough for 180,000 to 900,000 steps.
_MAX_STEPS = 20_000_000
_STEPS_IN_FRACTIONS, _STEPS_OF_FORMULA = 8, 4
_OFFSET = Fraction(381966, 10**6)  # of the distance between two points
_NEAR = Fraction(1, 10**6)  # of the range
_MIN_STEP = Fraction(1, 10**30)  # between the ends of an interval around 0
_JUMP = Fraction(1, 10**9)  # of a value, between two places that are next to each other
Move = Callable[[Tree, Fraction], Tree]


def risk_tolerances(tree: Tree, low: Number, high: Number) -> tuple[Threshold, ...]:
    """Return the risk tolerances between two positive ones at which the best actions change.

    The tree is evaluated with `exponential=R` for 200 values of R, and for more where two actions
    are nearly equal; its own attitude is left out.

        >>> import expectitree as et
        >>> tree = et.loads("max: {sell: 40, bet: {chance: [0, 100]}}")
        >>> [found] = et.risk_tolerances(tree, 50, 500)
        >>> round(float(found.middle), 2), found.before, found.after
        (121.63, ('sell',), ('bet',))

    Args:
        tree: The tree.
        low: The least risk tolerance.
        high: The greatest.

    Raises:
        AnalysisError: The ends are not in order.
        TreeError: The evaluations take too long.
    """
    check_tree(tree)
    if not 0 < low < high < INFINITY:
        raise AnalysisError(f"expected 0 < low < high, got low={low} and high={high}")
    ends = to_exact(low), to_exact(high)

    def move(tree: Tree, place: Fraction) -> Tree:
        return replace(tree, attitude=Attitude("exponential", place))

    return Sampler(tree, Range("R", *ends, ends[0]), move).sample(grows=True)[1]


class Verdict(NamedTuple):
    """The best actions at a value of the parameter."""

    best: Labels
    value: Fraction  # of the tree; rounded, unless all formulas have exact values
    is_exact: bool


class Estimate(NamedTuple):
    """What floats find at a value of the parameter."""

    value: float  # of the tree
    best: Labels | None = None  # the best actions; None if floats cannot find them
    behind: Mapping[str, float] = {}  # by action at the root: how much better the best one is


def action_values(search: Search) -> dict[str, float]:
    """Return the values of the actions at the root; none without a player there."""
    tree, root = search.tree, search.tree.root_id
    branches = tree.branches_of(root) if search.ties else ()
    return {
        tree.branch_label(root, b): float(tree.root_reward + search.interval_of_branch(b)[0])
        for b in branches
    }


class Sampler:
    """Evaluates a tree at values of one of its parameters, or as `move` changes it for a value.

    Irrational numbers have 60 digits. Actions are equal if they differ by less than the rounding.

    Attributes:
        range: The part of the range around the current value in which the tree has values.
    """

    def __init__(self, tree: Tree, range: Range, move: Move | None = None) -> None:
        with suppress(TreeError):  # some formulas have a value in floats only
            tree = in_fractions(tree)
        self.tree, self.range = tree, range
        self.move = move or range.moved
        self.floats: Tree | None = None
        with suppress(NumberError):
            self.floats = in_floats(self.tree)
        formulas = [*self.tree.formulas.expressions()]
        self.steps = len(self.tree) + _STEPS_OF_FORMULA * len(formulas)  # at a place
        self.left = budget.most(_MAX_STEPS)
        self.verdict_at = cache(self._verdict_at)
        self.estimate_at = cache(self._estimate_at)
        self._cut_range()

    def _cut_range(self) -> None:
        """Leave out the ends of the range where the tree has no value."""
        low, here, high = self.range.low, self.range.current, self.range.high
        faults = [self.fault_at(end) for end in (low, high)]
        if not any(faults) or not low <= here <= high or self.fault_at(here):
            return
        if faults[0]:
            low = bisected(low, here, lambda place: bool(self.fault_at(place)), TOLERANCE)[1]
        if faults[1]:
            high = bisected(here, high, lambda place: not self.fault_at(place), TOLERANCE)[0]
        if low < high:
            self.range = self.range.cut_to(low, high, faults[0] or faults[1])

    def fault_at(self, place: Fraction) -> str:
        """Return why the tree has no value at a value of the parameter, or nothing."""
        try:
            self.search_at(place)
        except AnalysisError as error:
            return str(error)
        return ""

    def sample(self, grows: bool = False) -> tuple[tuple[Piece, ...], tuple[Threshold, ...]]:
        """Return the parts of the range and the thresholds between 200 points.

        Where two actions run close, more points are between two of them. A change of the best
        actions between two points is narrowed by bisection until the digits of its place are known.
        A change that ends before the next point can be missed. With `grows`, points have equal
        ratios. Raises `AnalysisError` where the tree has no value.
        """
        first, last = self.range.low, self.range.high
        # Between round numbers and within both ends, where two actions may tie at a single place.
        steps = [_NEAR, *((i + _OFFSET) / POINTS for i in range(POINTS)), 1 - _NEAR]
        places = [first + (last - first) * step for step in steps]
        if grows:
            ratio = float(last / first)
            places = [first * to_exact(ratio ** float(step)) for step in steps]
        places = sorted([*places, *self.closest(places)])
        thresholds: list[Threshold] = []
        best = self.verdict_at(places[0]).best
        for left, right in itertools.pairwise(places):
            if self.estimate_at(right).best == best:  # floats answer soon
                continue
            while (after := self.verdict_at(right).best) != best:
                threshold = self.threshold(left, right, best, after)
                thresholds.append(threshold)
                left, best = threshold.upper, threshold.after
        ends = [first, *(threshold.middle for threshold in thresholds), last]
        actions = [*(threshold.before for threshold in thresholds), best]
        parts = zip(itertools.pairwise(ends), actions, strict=True)
        return tuple(Piece(*part, best, None) for part, best in parts), tuple(thresholds)

    def spend(self, steps: int) -> None:
        """Count some steps; raise `TooMuchWorkError` if these are more than the budget allows."""
        self.left -= steps
        if self.left < 0:
            raise budget.TooMuchWorkError(
                f"evaluating {len(self.tree):,} nodes at hundreds of values of {self.range.name} "
                f"takes more than {budget.most(_MAX_STEPS):,} steps: make the tree smaller, or its "
                f"formulas simpler; or {budget.more()}"
            )

    def _estimate_at(self, place: Fraction) -> Estimate:
        self.spend(self.steps)
        with suppress(TreeError, SearchError):
            if self.floats is not None:
                search = search_tree(self.move(self.floats, place))
                values, value = action_values(search), float(search.value)
                behind = {action: abs(value - worth) for action, worth in values.items()}
                return Estimate(value, best_actions(search), behind)
        return Estimate(float(self.search_at(place).value))

    def extremes(self) -> dict[Fraction, Fraction]:
        """Return the least and the greatest value at 200 places, which floats find, by place."""
        places = self.range.places(POINTS)
        ends = (end(places, key=lambda place: self.estimate_at(place).value) for end in (min, max))
        return {place: to_exact(self.search_at(place).value) for place in ends}

    def closest(self, places: Sequence[Fraction]) -> Iterator[Fraction]:
        """Yield the places where another action comes close to the best one, between neighbours.

        How far it is behind is taken for convex: then a value that is more than half of both
        neighbours' is far from 0.
        """
        for low, middle, high in zip(places, places[1:], places[2:], strict=False):
            _, best, behind = self.estimate_at(middle)
            for action in behind.keys() - (best or ()):
                sides = [self.behind(action, place) for place in (low, high)]
                if behind[action] <= min(*sides, max(sides) / 2):
                    yield self.closest_of(action, low, high)

    def closest_of(self, action: str, low: Fraction, high: Fraction) -> Fraction:
        """Return the place between two where an action is the least behind the best one."""
        nearest = (high - low) * _NEAR
        while high - low > nearest:
            left, right = low + (high - low) / 3, high - (high - low) / 3
            is_left = self.behind(action, left) < self.behind(action, right)
            low, high = (low, right) if is_left else (left, high)
        return (low + high) / 2

    def behind(self, action: str, place: Fraction) -> float:
        return self.estimate_at(place).behind.get(action, INFINITY)

    def search_at(self, place: Fraction) -> Search:
        """Return a search of the tree in fractions at a value of the parameter."""
        self.spend(_STEPS_IN_FRACTIONS * self.steps)
        try:
            moved = self.move(self.tree, place)
            return search_tree(replace(moved, error=max(moved.error, self.tree.error)))
        except (TreeError, SearchError) as error:
            name = self.range.name
            raise AnalysisError(f"at {name} = {message_text(place)}: {error}") from None

    def _verdict_at(self, place: Fraction) -> Verdict:
        """Return the best actions at a place, and the value of the tree."""
        search = self.search_at(place)
        value = to_exact(search.value)
        if search.eps:
            value = to_digits(value)
        return Verdict(best_actions(search), value, not search.eps)

    def threshold(self, low: Fraction, high: Fraction, before: Labels, after: Labels) -> Threshold:
        """Return the first change of the best actions that bisection finds between two places.

        A tie with the actions before the change counts as no change, unless it lasts.
        """
        lasts = set(before) <= set(after)

        def is_before(place: Fraction) -> bool:
            best = self.verdict_at(place).best
            return best == before if lasts else set(before) <= set(best)

        ends = low, high
        low, high = bisected(low, high, is_before, TOLERANCE)
        after, tie = self.verdict_at(high).best, self.verdict_at(low)
        if tie.is_exact and not lasts and set(before) < set(tie.best):
            high = low
        else:
            # At an end of the interval, there may be a jump, or a tie that is not certain.
            gap = power_of_ten(high - low) / 10**MIN_DIGITS
            for place in (low, high):
                near = max(ends[0], place - gap), min(ends[1], place + gap)
                if self.verdict_at(near[0]).best == before and not is_before(near[1]):
                    low, high = near
                    break
            else:
                if tie.best != before:  # in floats, actions tie on a part of the range
                    low, _ = bisected(
                        ends[0], low, lambda x: self.verdict_at(x).best == before, TOLERANCE
                    )
        sides = bisected(low, high, is_before, VALUE_TOLERANCE)
        left, right = (self.verdict_at(side).value for side in sides)
        jumps = abs(left - right) > _JUMP * (abs(left) + abs(right))
        ties = dict.fromkeys(() if jumps else (*before, *after))
        return Threshold(low, high, (left + right) / 2, before, tuple(ties), after)


def with_strategy(tree: Tree, strategy: Mapping[int, int]) -> Tree:
    """Return a tree in which some nodes take one branch: CHANCE, with a probability of 1."""
    if not strategy:
        return tree
    kind: Any = tree.columns.kind[:]
    probability: Any = tree.columns.probability[:]
    for n, chosen in strategy.items():
        kind[n] = CHANCE
        for b in tree.branches_of(n):
            probability[b] = int(b == chosen)
    columns = tree.columns._replace(kind=kind, probability=probability)
    return replace(tree, columns=columns, decider=tree.decision_maker)


def bisected(
    low: Fraction, high: Fraction, is_before: Callable[[Fraction], bool], tolerance: Fraction
) -> tuple[Fraction, Fraction]:
    """Return two places within a tolerance around a change, and no short decimal between them."""
    while (middle := _place_between(low, high, tolerance)) is not None:
        low, high = (middle, high) if is_before(middle) else (low, middle)
    return low, high


def _place_between(low: Fraction, high: Fraction, tolerance: Fraction) -> Fraction | None:
    """Return a short decimal near the middle of two places; None if they are close enough.

    Then no number with the digits that a threshold needs is between them.
    """
    finest = tolerance
    while finest > _MIN_STEP and min(abs(low), abs(high)) < 10 ** (MIN_DIGITS - 1) * finest:
        finest /= 10
    middle = (low + high) / 2
    width = power_of_ten(high - low) if low < high else finest
    for step in (max(finest, width), max(finest, width / 10)):
        place = round(middle / step) * step
        if low < place < high:
            return place
    return None
