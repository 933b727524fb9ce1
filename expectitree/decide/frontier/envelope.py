"""The strategies that are best for some weight, as lines whose upper envelope is the value.

A strategy is worth a + b * weight, so the value of the tree is convex. If two lines meet at a
weight, and no strategy is worth more there, then none is worth more than both anywhere between the
places where each of the two is best. (M. Eisner and D. Severance, Mathematical techniques for
efficient record segmentation in large shared databases, Journal of the ACM 23, 1976.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

from expectitree.base.numbers import INFINITY
from expectitree.base.tree.columns import CHANCE, NONE, TERMINAL
from expectitree.base.tree.model import Tree

SAME, ONCE = "same", "best at one weight"
DOMINATED, EXTENDEDLY = "dominated", "extendedly dominated"
SAME, ONCE = "same", "best at one weight"


class Line(NamedTuple):
    """What a strategy is worth by weight: a + b * weight."""

    a: Any
    b: Any
    choices: Mapping[int, int] = {}  # the branch at each node that it reaches

    def at(self, weight: Any) -> Any:
        """Return the worth at a weight; at infinity, what a unit of weight adds."""
        return self.b if weight == INFINITY else self.a + weight * self.b


class Lines:
    """The strategies of a tree in which one player decides, and a parameter is a weight.

    What they are worth is the decision maker's gain.
    """

    def __init__(self, tree: Tree, name: str) -> None:
        sign = tree.gain_sign

        def line(at_zero: Any, at_one: Any) -> Line:
            return Line(sign * at_zero, sign * (at_one - at_zero))

        zero, one = (tree.with_parameters(**{name: weight}) for weight in (0, 1))
        branches = range(NONE, len(tree.columns.child))
        self.tree = tree
        self.utility = [*map(line, zero.columns.utility, one.columns.utility)]
        paid = {b: line(zero.reward_of(b), one.reward_of(b)) for b in branches}
        self.reward = {b: line for b, line in paid.items() if line.a or line.b}

    def best(self, rank: Callable[[Line], Any], first: int | None = None) -> Line:
        """Return the line of the greatest rank; with `first`, of those that begin with a branch."""
        columns, found, chosen = self.tree.columns, list[Line](), dict[int, int]()
        for n, kind in enumerate(columns.kind):
            if kind == TERMINAL:
                found.append(self.utility[n])
                continue
            own = [b for b in self.tree.branches_of(n) if columns.probability[b] > 0]
            worth = {b: self._after(b, found[columns.child[b]]) for b in own}
            if kind == CHANCE:
                parts = [(columns.probability[b], line) for b, line in worth.items()]
                found.append(Line(sum(p * x.a for p, x in parts), sum(p * x.b for p, x in parts)))
                continue
            chosen[n] = max(own, key=lambda b: rank(worth[b]))
            if first is not None and n == self.tree.root_id:
                chosen[n] = first
            found.append(worth[chosen[n]])
        reached = {self.tree.root_id}
        for n in range(self.tree.root_id, -1, -1):
            if n in reached:
                played = [chosen[n]] if n in chosen else self.tree.branches_of(n)
                reached |= {columns.child[b] for b in played if columns.probability[b] > 0}
        choices = {n: b for n, b in chosen.items() if n in reached}
        return self._after(NONE, found[-1])._replace(choices=choices)

    def _after(self, branch: int, line: Line) -> Line:
        paid = self.reward.get(branch)
        return line if paid is None else Line(line.a + paid.a, line.b + paid.b)

    def envelope(
        self, low: Fraction, high: Any, first: int | None = None
    ) -> tuple[list[Line], list[Fraction]]:
        """Return the lines that are best somewhere between two weights, and where they meet."""
        found = [self.best(lambda line: (line.at(low), line.b), first)]
        is_open = high == INFINITY  # of lines that are equal at the end, the best just before it
        last = self.best(lambda line: (line.at(high), line.a if is_open else -line.b), first)
        waiting, meetings = [last], list[Fraction]()
        while waiting:
            left, right = found[-1], waiting[-1]
            if left.b >= right.b:  # the same line
                waiting.pop()
                continue
            weight = (left.a - right.a) / (right.b - left.b)
            middle = self.best(partial(Line.at, weight=weight), first)
            if middle.at(weight) > left.at(weight) and left.b < middle.b < right.b:
                waiting.append(middle)
            else:
                meetings.append(weight)
                found.append(waiting.pop())
        return found, meetings


def standing(
    line: Line, best: Sequence[Line], weights: Sequence[Any]
) -> tuple[str, tuple[int, ...], Any]:
    """Return the status of a strategy, the numbers of the best ones that are the reason, a weight.

    `weights` are those between which each is best. A strategy may be worth the same as one of them
    everywhere, or at one weight. It is dominated if one of them is worth at least as much at every
    weight, and extendedly dominated if that takes two: one at small weights, the other at great
    ones.
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
    reaches = [i for i, one in numbered if one.at(high) >= line.at(high)]
    for i in reaches:
        if best[i - 1].at(low) >= line.at(low):
            return DOMINATED, (i,), None
    return EXTENDEDLY, (reaches[0] - 1, reaches[0]), None
