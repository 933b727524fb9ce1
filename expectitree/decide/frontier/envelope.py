"""The strategies that are best for some weight, as lines whose upper envelope is the value.

A strategy is worth a + b * weight, so the value of the tree is convex. If two lines meet at a
weight, and no strategy is worth more there, then none is worth more than both anywhere between the
places where each of the two is best. (M. Eisner and D. Severance, Mathematical techniques for
efficient record segmentation in large shared databases, Journal of the ACM 23, 1976.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial, reduce
from typing import Any, NamedTuple, TypeAlias

from expectitree.base.numbers import INFINITY
from expectitree.base.tree.columns import CHANCE, NONE, TERMINAL
from expectitree.base.tree.model import Tree
from expectitree.searches.result import PLAYERS

Weight: TypeAlias = Fraction | float  # a fraction, or infinity
SAME, ONCE = "same", "best at one weight"
DOMINATED, EXTENDEDLY = "dominated", "extendedly dominated"
WORSE = "worse in this range"


_ROUNDING = Fraction(1, 10**50)  # of a value in a tree whose numbers have 60 digits


class Line(NamedTuple):
    """What a strategy is worth by weight: a + b * weight."""

    a: Fraction
    b: Fraction
    choices: Mapping[int, int] = {}  # the branch at each node that it reaches

    def at(self, weight: Weight) -> Fraction:
        """Return the worth at a weight; at infinity, what a unit of weight adds."""
        if isinstance(weight, Fraction):
            return self.a + weight * self.b
        return self.b

    def plus(self, other: Line, share: Fraction = Fraction(1)) -> Line:
        """Return the sum with a share of another line, without choices."""
        return Line(self.a + share * other.a, self.b + share * other.b)


ZERO = Line(Fraction(0), Fraction(0))


class Lines:
    """The strategies of a tree in which one player decides, and a parameter is a weight.

    What they are worth is the decision maker's gain.
    """

    def __init__(self, tree: Tree, name: str) -> None:
        sign = tree.gain_sign

        def line(at_zero: Any, at_one: Any) -> Line:
            return Line(sign * at_zero, sign * (at_one - at_zero))

        zero, one = (tree.with_parameters(**{name: weight}).computed for weight in (0, 1))
        branches = range(NONE, len(tree.columns.child))
        self.tree, self.near = tree, _ROUNDING * bool(tree.error)
        self.utility = [*map(line, zero.columns.utility, one.columns.utility)]
        paid = {b: line(zero.reward_of(b), one.reward_of(b)) for b in branches}
        self.reward = {b: line for b, line in paid.items() if line != ZERO}
        self.probability: Any = zero.columns.probability

    def best(self, rank: Callable[[Line], Any], first: int | None = None) -> Line:
        """Return the line of the greatest rank; with `first`, of those that begin with a branch."""
        tree, kind, child = self.tree, self.tree.columns.kind, self.tree.columns.child
        p = self.probability
        lines = list[Line]()
        played: dict[int, list[int]] = {}
        for n, utility in enumerate(self.utility):
            played[n] = [b for b in tree.branches_of(n) if p[b] > 0]
            worth = {b: self._after(b, lines[child[b]]) for b in played[n]}
            if kind[n] == CHANCE:
                lines.append(reduce(lambda mean, b: mean.plus(worth[b], p[b]), worth, ZERO))
            elif kind[n] == TERMINAL:
                lines.append(utility)
            else:
                chosen = max(worth, key=lambda b: rank(worth[b]))
                if first is not None and n == tree.root_id:
                    chosen = first
                played[n] = [chosen]
                lines.append(worth[chosen])
        reached = {tree.root_id}
        choices = {}
        for n in range(tree.root_id, -1, -1):
            if n in reached:
                reached.update(child[b] for b in played[n])
                if kind[n] in PLAYERS:
                    (choices[n],) = played[n]
        return self._after(NONE, lines[-1])._replace(choices=choices)

    def _after(self, branch: int, line: Line) -> Line:
        if branch in self.reward:
            return line.plus(self.reward[branch])
        return line

    def envelope(
        self, low: Fraction, high: Weight, first: int | None = None
    ) -> tuple[list[Line], list[Fraction]]:
        """Return the lines that are best somewhere between two weights, and where they meet."""

        def at_end(line: Line) -> tuple[Fraction, Fraction]:  # then the best just before it
            return line.at(high), -line.b if isinstance(high, Fraction) else line.a

        found = [self.best(lambda line: (line.at(low), line.b), first)]
        waiting, meetings = [self.best(at_end, first)], list[Fraction]()
        while waiting:
            left, right = found[-1], waiting[-1]
            if left.b >= right.b - self.near * abs(right.b):  # the same line
                waiting.pop()
                continue
            weight = (left.a - right.a) / (right.b - left.b)
            middle = self.best(partial(Line.at, weight=weight), first)
            gain, least = middle.at(weight) - left.at(weight), self.near * abs(left.at(weight))
            if gain > least and left.b < middle.b < right.b:
                waiting.append(middle)
            else:
                meetings.append(weight)
                found.append(waiting.pop())
        return found, meetings


def standing(
    line: Line, best: Sequence[Line], weights: Sequence[Weight]
) -> tuple[str, tuple[int, ...], Weight | None]:
    """Return the status of a strategy, the numbers of the best ones that are the reason, a weight.

    `weights` are those between which each is best. A strategy may be worth the same as one of them
    everywhere, or at one weight. It is dominated if one of them is worth at least as much at every
    weight from 0 on, and extendedly dominated if that takes two: one at small weights, the other at
    great ones. If that is so only for the weights of a range, the strategy is worse there.
    """
    numbered, low, high = [*enumerate(best, 1)], weights[0], weights[-1]
    for i, one in numbered:
        if one[:2] == line[:2]:
            return SAME, (i,), None
    # A strategy that is no better by any criterion may be as good at the weight 0.
    if not any(one.a >= line.a and one.b >= line.b for one in best):
        for weight in weights:
            greatest = max(one.at(weight) for one in best)
            if line.at(weight) == greatest and weight != INFINITY:
                return ONCE, tuple(i for i, one in numbered if one.at(weight) == greatest), weight
    for i, one in numbered:
        if one.a >= line.a and one.b >= line.b:
            return DOMINATED, (i,), None
    reaches = [i for i, one in numbered if one.at(high) >= line.at(high)]
    for i in reaches:
        if best[i - 1].at(low) >= line.at(low):
            return WORSE, (i,), None
    status = WORSE
    if (low, high) == (0, INFINITY):
        status = EXTENDEDLY
    return status, (reaches[0] - 1, reaches[0]), None
