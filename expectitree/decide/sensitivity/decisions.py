"""Where the best action changes as a parameter moves: thresholds, each verified on both sides.

1. Take the value of each action at a node as a piecewise function of the parameter.
2. Find the closed intervals on which each action's function equals the envelope of all.
3. Sweep over the ends of these intervals: between two ends, the set of best actions is constant.
4. Evaluate the tree exactly on both sides of each change, to verify it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from itertools import groupby
from typing import Any, NamedTuple

from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import are_near, message_text, to_digits
from expectitree.base.tree.columns import MAX, MIN, NONE
from expectitree.base.tree.paths import join, message_path
from expectitree.decide.algebra.polynomials import (
    VALUE_TOLERANCE,
    Root,
    between,
    compare,
    enclose,
    place_of,
)
from expectitree.decide.algebra.rationals import (
    Piecewise,
    Rational,
    formula_text,
    greatest_of,
    shifted,
    where_equal,
)
from expectitree.decide.sensitivity.functions import NodeFunctions


@dataclass(frozen=True)
class Place:
    """A value of the parameter, or an interval that contains it."""

    lower: Fraction  # the place, or the lower end of the interval
    upper: Fraction  # the place, or the upper end
    value: Fraction  # the value there, of the root or of both sides of an equation

    @property
    def middle(self) -> Fraction:
        """The place, or the middle of the interval that contains it."""
        return (self.lower + self.upper) / 2

    @property
    def exact(self) -> Fraction | None:
        """The place, or None if it is not known to be rational."""
        return self.lower if self.lower == self.upper else None


@dataclass(frozen=True)
class Threshold(Place):
    """A value of the parameter at which the set of best actions differs from those beside it."""

    before: tuple[str, ...]  # the best actions below it; none at the left end of the range
    at: tuple[str, ...]  # the best actions at it, two or more; none if the value jumps there
    after: tuple[str, ...]  # the best actions above it; none at the right end of the range


@dataclass(frozen=True)
class Piece:
    """A part of the range on which the set of best actions is constant."""

    start: Fraction  # the left end of the part
    end: Fraction  # the right end
    best: tuple[str, ...]  # the best actions; empty if no player decides
    value: Rational | None  # the value, if it is one rational function on the whole part

    def json_fields(self, name: str) -> dict[str, Any]:
        """Return the fields for JSON, where the value is a formula of a parameter's name."""
        return {"from": self.start, "to": self.end, "best": self.best, "value": self.formula(name)}

    def record(self) -> dict[str, Any]:
        """Return the part for a table: its ends, the first best action, and how many there are."""
        best = self.best[0] if self.best else None
        return {"start": self.start, "end": self.end, "best": best, "ties": len(self.best)}

    def formula(self, name: str) -> str | None:
        """Return the value as a formula of a parameter's name; None if it is not a short one."""
        return None if self.value is None else formula_text(self.value, name)


class Change(NamedTuple):
    """A place where an action becomes best or ceases to be; both ends of the range are such too."""

    place: Root
    at: tuple[str, ...]  # the best actions at it
    after: tuple[str, ...]  # the best actions from it to the next place; none after the last


class Decision:
    """The best actions of a player as functions of a parameter.

    Attributes:
        actions: The function of each action, by its label; empty if no player decides.
        value: The value of the node, by default `envelope`, that of the best action.
        changes: Every place where an action becomes best or ceases to be, in order.
    """

    def __init__(
        self,
        functions: NodeFunctions,
        actions: Mapping[str, Piecewise],
        envelope: Piecewise,
        value: Piecewise | None = None,
    ) -> None:
        self.functions, self.actions, self.value = functions, actions, value or envelope
        ends = [Change(end, (), ()) for end in (functions.left, functions.right)]
        self.changes = _changes(actions, envelope) if actions else ends
        self._verified: set[Fraction] = set()  # neighbouring thresholds share a side

    @classmethod
    def at_root(cls, functions: NodeFunctions) -> Decision:
        """Return the decision at the root; without a player there, it has only a value."""
        tree, reward = functions.tree, functions.reward_of(NONE)
        value, actions = functions.of_branch(NONE), {}
        kind = tree.columns.kind[tree.root_id]
        if kind not in (MAX, MIN):
            return cls(functions, {}, functions.check_limits("the tree", value))
        for b in tree.branches_of(tree.root_id):
            label = tree.branch_label(tree.root_id, b)
            action = shifted(functions.of_branch(b), reward)
            actions[label] = functions.check_limits(message_path(join([label])), action)
        return cls(functions, actions, greatest_of(actions.values(), kind == MAX), value)

    def pieces(self) -> Iterator[Piece]:
        """Yield the parts of the range on which the set of best actions is constant."""
        left = self.changes[0]
        for here, later in zip(self.changes[1:], [*self.changes[2:], None], strict=True):
            if later is None or here.after != left.after or here.at != left.after:
                yield self._piece(left.place, here.place, left.after)
                left = here

    def _piece(self, left: Root, right: Root, best: tuple[str, ...]) -> Piece:
        values = {
            value
            for value, start, end in self.value.parts()
            if compare(start, right) < 0 and compare(left, end) < 0
        }
        value = values.pop() if len(values) == 1 else None
        return Piece(place_of(left), place_of(right), best, value)

    def thresholds(self, is_verified: bool = True) -> Iterator[Threshold]:
        """Yield every threshold in order; verify it by evaluations of the tree."""
        padded = [None, *self.changes, None]
        for previous, here, later in zip(padded, self.changes, padded[2:], strict=False):
            before = previous.after if previous else ()
            if (previous and before != here.at) or (later and here.after != here.at):
                neighbours = [side.place for side in (previous, later) if side]
                lower, upper = enclose(here.place, neighbours)
                value = self.value(place_of(here.place, VALUE_TOLERANCE))
                if lower < upper:
                    value = to_digits(value)
                if is_verified:
                    self._verify(lower, upper, previous, here, later)
                yield Threshold(lower, upper, value, before, here.at, here.after)

    def _verify(
        self,
        low: Fraction,
        high: Fraction,
        previous: Change | None,
        here: Change,
        later: Change | None,
    ) -> None:
        """Evaluate the tree at a threshold that is known exactly, and on both sides of it."""
        is_exact = low == high
        if is_exact:
            self._check(low, here.at)
        if previous:
            self._check(between(previous.place, here.place) if is_exact else low, previous.after)
        if later:
            self._check(between(here.place, later.place) if is_exact else high, here.after)

    def _check(self, place: Fraction, best: tuple[str, ...]) -> None:
        if place in self._verified:
            return
        self._verified.add(place)
        evaluated = self.functions.evaluated_at(place)
        if evaluated is None:
            return
        (search, found), value = evaluated, self.value(place)
        if found != best or not are_near(search.value, value, search.eps):
            raise AnalysisError(
                f"at {self.functions.range.name} = {message_text(place)} the best actions are "
                f"{', '.join(found)} (value {message_text(search.value)}), but {', '.join(best)} "
                f"(value {message_text(value)}) were computed: this is a defect of expectitree, "
                "please report it with the tree"
            )


def _changes(actions: Mapping[str, Piecewise], envelope: Piecewise) -> list[Change]:
    """Return every place where an action becomes best or ceases to be, and both ends, in order."""
    labels = [*actions]
    equal = {id(f): where_equal(f, envelope) for f in {id(f): f for f in actions.values()}.values()}
    ends = [
        (end, action, is_start)
        for action, function in enumerate(actions.values())
        for interval in equal[id(function)]
        for end, is_start in zip(interval, (True, False), strict=True)
    ]
    key = cmp_to_key(compare)
    ends.sort(key=lambda end: key(end[0]))
    changes = []
    best: Counter[int] = Counter()  # the intervals that contain the place
    for _, group in groupby(ends, key=lambda end: key(end[0])):
        here = list(group)
        best.update(action for _, action, is_start in here if is_start)
        at = tuple(labels[action] for action in sorted(best))
        best -= Counter(action for _, action, is_start in here if not is_start)
        after = tuple(labels[action] for action in sorted(best))
        changes.append(Change(here[0][0], at, after))
    return changes
