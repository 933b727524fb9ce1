"""Sample a parameter's range where the value is not a rational function."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cache, cached_property
from importlib.util import find_spec
from math import isfinite
from typing import Any, NamedTuple

from expectitree.base import budget
from expectitree.base.errors import AnalysisError, SearchError, TreeError
from expectitree.base.numbers import INFINITY, Number, message_text, to_digits, to_exact
from expectitree.base.tree.attitude import Attitude
from expectitree.base.tree.columns import CHANCE, MAX
from expectitree.base.tree.model import Tree, check_tree
from expectitree.base.tree.transform import in_fractions
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
# Steps for one parameter: at each value, a node is a step in floats and eight in fractions, and a
# formula takes four times as many. Arrays take as long for all points as floats for ten.
_MAX_STEPS = 20_000_000
_STEPS_IN_FRACTIONS, _STEPS_OF_FORMULA, _STEPS_IN_ARRAYS = 8, 4, 10
_LARGE, _DIGITS = 4_000, 12  # steps at a place above which a bar's ends have the digits of floats
_FEW_POINTS = 4  # between two places, if each is evaluated alone
_OFFSET = Fraction(381966, 10**6)  # of the distance between two points
_NEAR = Fraction(1, 10**6)  # of the range
_MIN_STEP = Fraction(1, 10**30)  # between the ends of an interval around 0
_JUMP = Fraction(1, 10**9)  # of a value, between two places that are next to each other
_CONFIRMED = 1e-9  # of the greatest value, at a place that is rounded to a float
_CLOSE = Fraction(1, 1000)  # of an interval: what is closer to an end may have been rounded
_STEEP = 100  # how much less two values differ at close places than at far ones, without a jump
_TIE = 1e-12  # of the greatest value: floats that differ by less may be equal
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
        raise AnalysisError(f"found low={low} and high={high}\nwrite numbers with 0 < low < high")
    ends = to_exact(low), to_exact(high)

    def move(tree: Tree, place: Fraction) -> Tree:
        return replace(tree, attitude=Attitude("exponential", place))

    return Sampler(tree, Range("R", *ends, ends[0]), move).sample(grows=True)[1]


class Estimate(NamedTuple):
    """What is found at a value of the parameter."""

    value: Any  # of the tree
    best: Labels  # the actions that are best, or may be best but for rounding
    behind: Mapping[str, Any]  # by action at the root: how much better the best one is
    is_exact: bool = False  # whether no number is rounded


class Sampler:
    """Evaluates a tree at values of one of its parameters, or as `move` changes it for a value.

    Arrays of floats find where something changes. Fractions, in which irrational numbers have 60
    digits, confirm it. Actions are equal if they differ by less than the rounding.
    """

    def __init__(self, tree: Tree, range: Range, move: Move | None = None) -> None:
        with suppress(TreeError):  # some formulas have a value in floats only
            tree = in_fractions(tree)
        self.tree, self.whole, self.move = tree, range, move or range.moved
        self.has_arrays = not (move or tree.attitude) and find_spec("numpy") is not None
        self.points = POINTS if self.has_arrays else _FEW_POINTS
        formulas = [*tree.formulas.expressions()]
        self.steps = len(tree) + _STEPS_OF_FORMULA * len(formulas)  # at a place
        self.left = budget.most(_MAX_STEPS)
        self.verdict_at = cache(self._verdict_at)

    @cached_property
    def range(self) -> Range:
        """The part of the range around the current value in which the tree has values."""
        low, here, high = self.whole.low, self.whole.current, self.whole.high
        with suppress(AnalysisError):
            self.estimates([low, high])
            return self.whole
        faults = [self.fault_at(end) for end in (low, high)]
        if not low <= here <= high or self.fault_at(here):
            return self.whole
        if faults[0]:
            low = bisected(low, here, lambda place: bool(self.fault_at(place)), TOLERANCE)[1]
        if faults[1]:
            high = bisected(here, high, lambda place: not self.fault_at(place), TOLERANCE)[0]
        if low < high:
            return self.whole.cut_to(low, high, faults[0] or faults[1])
        return self.whole

    def fault_at(self, place: Fraction) -> str:
        """Return why the tree has no value at a value of the parameter, or nothing."""
        try:
            self.estimates([place])
        except AnalysisError as error:
            return str(error)
        return ""

    def sample(self, grows: bool = False) -> tuple[tuple[Piece, ...], tuple[Threshold, ...]]:
        """Return the parts of the range and the thresholds between 200 points.

        Where two actions run close, more points are between two of them. A change of the best
        actions between two points is narrowed until the digits of its place are known. A change
        that ends before the next point can be missed. With `grows`, points have equal ratios.
        Raises `AnalysisError` where the tree has no value.
        """
        first, last = self.range.low, self.range.high
        # Between round numbers and within both ends, where two actions may tie at a single place.
        steps = [_NEAR, *((i + _OFFSET) / POINTS for i in range(POINTS)), 1 - _NEAR]
        places = [first + (last - first) * step for step in steps]
        if grows:
            ratio = float(last / first)
            places = [first * to_exact(ratio ** float(step)) for step in steps]
        thresholds: list[Threshold] = []
        (left, best), *others = self._best_at(places)
        for right, after in others:
            # Floats may be wrong just beside a jump.
            while after != best and (after := self.verdict_at(right).best) != best:
                threshold = self.threshold(left, right, best, after)
                thresholds.append(threshold)
                left, best = threshold.upper, threshold.after
            left = right
        ends = [first, *(threshold.middle for threshold in thresholds), last]
        actions = [*(threshold.before for threshold in thresholds), best]
        parts = zip(itertools.pairwise(ends), actions, strict=True)
        return tuple(Piece(*part, best, None) for part, best in parts), tuple(thresholds)

    def _best_at(self, places: Sequence[Fraction]) -> Iterator[tuple[Fraction, Labels]]:
        """Yield places between which the best actions may change, and these.

        Fractions decide where several actions may be best: at the first and the last of the places
        between which floats find no difference.
        """
        found = [*zip(places, self.estimates(places), strict=True)]
        closest = [*self._closest(found)]
        found += zip(closest, self.estimates(closest), strict=True)
        found.sort(key=lambda one: one[0])
        for best, group in itertools.groupby(found, key=lambda one: one[1].best):
            run = [place for place, _ in group]
            for place in dict.fromkeys((run[0], run[-1])):
                yield place, self.verdict_at(place).best if best[1:] else best

    def spend(self, steps: int) -> None:
        """Count some steps; raise `TooMuchWorkError` if these are more than the budget allows."""
        self.left -= steps
        if self.left < 0:
            raise budget.TooMuchWorkError(
                f"evaluating {len(self.tree):,} nodes at hundreds of values of {self.whole.name} "
                f"takes more than {budget.most(_MAX_STEPS):,} steps\nmake the tree smaller, or its "
                f"formulas simpler; or {budget.more()}"
            )

    def estimates(self, places: Sequence[Fraction]) -> list[Estimate]:
        """Return what arrays find at some places, and what fractions find if arrays cannot.

        Raises `AnalysisError` where the tree has no value.
        """
        if not self.has_arrays:
            return [*map(self.verdict_at, places)]
        from expectitree.decide.simulation.arrays import values_at

        self.spend(_STEPS_IN_ARRAYS * self.steps)
        rows = [self.whole.settings(place) for place in (self.whole.low, *places)]
        columns = {name: [float(row[name]) for row in rows] for name in rows[0]}
        (_, *values), actions = values_at(self.tree, columns)
        tie = _TIE * max(map(abs, filter(isfinite, values)), default=0.0)
        found = []
        for i, (place, value) in enumerate(zip(places, values, strict=True), 1):
            behind = {action: abs(value - worth[i]) for action, worth in actions.items()}
            best = tuple(action for action, less in behind.items() if less <= tie)
            one = Estimate(value, best, behind)
            found.append(one if isfinite(value) else self.verdict_at(place))
        return found

    def extremes(self) -> dict[Fraction, Fraction]:
        """Return the least and the greatest value at 200 places, which floats find, by place."""
        places = self.range.places(POINTS)
        values = dict(zip(places, (one.value for one in self.estimates(places)), strict=True))
        ends = (end(values, key=values.__getitem__) for end in (min, max))
        if self.steps > _LARGE:
            return {place: to_digits(to_exact(values[place]), _DIGITS) for place in ends}
        return {place: to_exact(self.search_at(place).value) for place in ends}

    def confirms(self, pieces: Sequence[Piece], thresholds: Sequence[Threshold]) -> bool:
        """Return whether floats find the same best actions at thresholds and between them."""
        expected = [((piece.start + piece.end) / 2, piece.best) for piece in pieces]
        expected += [(threshold.middle, threshold.at) for threshold in thresholds]
        found = self.estimates([place for place, _ in expected])
        near = _CONFIRMED * max(abs(one.value) for one in found)
        return all(
            one.behind.get(action, 0.0) <= near
            for one, (_, best) in zip(found, expected, strict=True)
            for action in best
        )

    def _closest(self, found: Sequence[tuple[Fraction, Estimate]]) -> Iterator[Fraction]:
        """Yield the places where another action comes close to the best one, between neighbours.

        How far it is behind is taken for convex: then a value that is more than half of both
        neighbours' is far from 0.
        """
        for (low, left), (_, middle), (high, right) in zip(
            found, found[1:], found[2:], strict=False
        ):
            for action in middle.behind.keys() - middle.best:
                sides = [side.behind.get(action, INFINITY) for side in (left, right)]
                if middle.behind[action] <= min(*sides, max(sides) / 2):
                    yield self._closest_of(action, low, high)

    def _closest_of(self, action: str, low: Fraction, high: Fraction) -> Fraction:
        """Return the place between two where an action is the least behind the best one."""

        def least(behind: list[float]) -> tuple[int, int]:
            at = behind.index(min(behind))
            return max(at - 1, 0), min(at + 1, self.points)

        low, high = self._narrowed(action, low, high, least)
        return to_exact(float((low + high) / 2))

    def _narrowed(
        self,
        action: str,
        low: Fraction,
        high: Fraction,
        choose: Callable[[list[float]], tuple[int, int]],
    ) -> tuple[Fraction, Fraction]:
        """Return the ends that are left if how far an action is behind leads to two points."""
        while high - low > _step_at(low, high, TOLERANCE):
            places = [low + (high - low) * i / self.points for i in range(self.points + 1)]
            start, end = choose([one.behind[action] for one in self.estimates(places)])
            low, high = places[start], places[end]
        return low, high

    def search_at(self, place: Fraction) -> Search:
        """Return a search of the tree in fractions at a value of the parameter."""
        self.spend(_STEPS_IN_FRACTIONS * self.steps)
        try:
            moved = self.move(self.tree, place)
            return search_tree(replace(moved, error=max(moved.error, self.tree.error)))
        except (TreeError, SearchError) as error:
            name = self.whole.name
            raise AnalysisError(f"at {name} = {message_text(place)}: {error.lines}") from None

    def _verdict_at(self, place: Fraction) -> Estimate:
        """Return what fractions find at a place."""
        search = self.search_at(place)
        tree, value = search.tree, to_exact(search.value)
        behind = {}
        for b in tree.branches_of(tree.root_id) if search.ties else ():
            worth = to_exact(tree.root_reward + search.interval_of_branch(b)[0])
            behind[tree.branch_label(tree.root_id, b)] = abs(value - worth)
        if search.eps:
            value = to_digits(value)
        return Estimate(value, best_actions(search), behind, not search.eps)

    def threshold(self, low: Fraction, high: Fraction, before: Labels, after: Labels) -> Threshold:
        """Return the first change of the best actions that is found between two places.

        A tie with the actions before the change counts as no change, unless it lasts.
        """
        lasts = set(before) <= set(after)

        def is_before(place: Fraction) -> bool:
            best = self.verdict_at(place).best
            return best == before if lasts else set(before) <= set(best)

        ends = low, high
        for start, end in self._guesses(low, high, before):
            if low < start < end < high and is_before(start) and not is_before(end):
                low, high = start, end
                break
        low, high = bisected(low, high, is_before, TOLERANCE)
        after, tie = self.verdict_at(high).best, self.verdict_at(low)
        all_ties = (*dict.fromkeys((*before, *after)),)
        crossing = self._crossing(low, high, ends)
        if tie.best == before and crossing and _CLOSE <= crossing[0] <= 1 - _CLOSE:
            return Threshold(low, high, crossing[1], before, all_ties, after)
        if tie.is_exact and not lasts and set(before) < set(tie.best):
            return Threshold(low, low, tie.value, before, all_ties, after)
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
        if crossing := self._crossing(low, high, ends):
            return Threshold(low, high, crossing[1], before, all_ties, after)
        sides = bisected(low, high, is_before, VALUE_TOLERANCE)
        left, right = (self.verdict_at(side).value for side in sides)
        if abs(left - right) > _JUMP * (abs(left) + abs(right)):
            all_ties = ()
        return Threshold(low, high, (left + right) / 2, before, all_ties, after)

    def _guesses(
        self, low: Fraction, high: Fraction, before: Labels
    ) -> Iterator[tuple[Fraction, Fraction]]:
        """Yield intervals in which floats find that an action ceases to be best."""

        def change(behind: list[float]) -> tuple[int, int]:
            end = next((i for i, less in enumerate(behind) if less > 0), self.points)
            return max(end - 1, 0), max(end, 1)

        low, high = self._narrowed(before[0], low, high, change)
        step = _step_at(low, high, TOLERANCE)
        lower = (low + high) / 2 // step * step
        yield lower, lower + step
        yield lower - step, lower + 2 * step

    def _crossing(
        self, low: Fraction, high: Fraction, ends: tuple[Fraction, Fraction]
    ) -> tuple[Fraction, Fraction] | None:
        """Return where two actions are equal between close places, as a share, and their value.

        Without a jump, actions differ by much less there than at both `ends`. Otherwise, return
        None.
        """
        left, right = self.verdict_at(low), self.verdict_at(high)
        before = left.best[0]
        after = next((action for action in right.best if action not in left.best), before)
        gaps = [abs(one.behind[before] - one.behind[after]) for one in (left, right)]
        far = sum(abs(x.behind[before] - x.behind[after]) for x in self.estimates([*ends]))
        if not 0 < sum(gaps) * _STEEP < far:
            return None
        share = gaps[0] / sum(gaps)
        rise = right.value - left.value
        if self.tree.root.kind == MAX:
            rise -= right.behind[before]
        else:
            rise += right.behind[before]
        return share, to_digits(left.value + rise * share)


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


def _step_at(low: Fraction, high: Fraction, tolerance: Fraction) -> Fraction:
    """Return the unit of the last digit that a place between two needs."""
    finest = tolerance
    while finest > _MIN_STEP and min(abs(low), abs(high)) < 10 ** (MIN_DIGITS - 1) * finest:
        finest /= 10
    return finest


def _place_between(low: Fraction, high: Fraction, tolerance: Fraction) -> Fraction | None:
    """Return a short decimal near the middle of two places; None if they are close enough.

    Then no number with the digits that a threshold needs is between them.
    """
    finest = _step_at(low, high, tolerance)
    middle = (low + high) / 2
    width = power_of_ten(high - low) if low < high else finest
    for step in (max(finest, width), max(finest, width / 10)):
        place = round(middle / step) * step
        if low < place < high:
            return place
    return None
