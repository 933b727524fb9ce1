"""All states that a game can reach, one for each key, with their branches as columns."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from fractions import Fraction
from math import inf, nextafter
from threading import TIMEOUT_MAX
from time import monotonic
from typing import Any

from expectitree.base.errors import GameError, SearchError
from expectitree.base.numbers import Number, escape, is_finite
from expectitree.base.rounding import to_nearest_float
from expectitree.base.tree.columns import CHANCE, TERMINAL
from expectitree.games.rules import RowsError, Rules
from expectitree.games.states import States
from expectitree.searches.progress import report

STATES_SHOWN = 250  # between two reports of progress, and checks of the time


def outward(value: Number) -> tuple[float, float]:
    """Return the floats that enclose a number."""
    found = to_nearest_float(value)
    if not is_finite(found) or Fraction(found) == value:
        return found, found
    return nextafter(found, -inf), nextafter(found, inf)


class Limits:
    """How many states may be made, and until when."""

    def __init__(self, rules: Rules, seconds: float | None, begun: float) -> None:
        self.rules, self.seconds = rules, seconds
        self.end = begun + (seconds or inf)

    @property
    def left(self) -> float:
        """How many seconds are left, as a timer takes them."""
        return min(max(self.end - monotonic(), 0), TIMEOUT_MAX)

    def check(self, states: int) -> None:
        if states > self.rules.max_rows:
            raise RowsError(
                f"{self.rules.title}: more than {self.rules.max_rows:,} states\nallow more with "
                "--max-rows, or make the game smaller"
            )
        self.check_time(states)
        report(states, None)

    def check_time(self, states: int) -> None:
        if self.left == 0:
            raise SearchError(
                f"{self.rules.title}: the limit of {self.seconds:g} s was reached after "
                f"{states:,} states, before their values were found\nallow more with --seconds"
            )


class Reached:
    """The states as columns: of a state its kind and bounds of its value, of a branch its child.

    `weight` is the probability of an outcome, and of a move the discount. `number_of` returns the
    number of a state, and `objects` yields the states in the order of their numbers.
    """

    number_of: Callable[[Any], int | None]
    objects: Callable[[], Iterator[Any]]
    fractions: dict[str, list[Any]]  # the numbers before they are rounded, with --exact

    def __init__(self, rules: Rules, limits: Limits) -> None:
        self.rules, self.limits = rules, limits
        self.kind: Any = array("b")
        self.first: Any = array("I", [0])
        self.child: Any = array("I")
        self.weight: Any = array("d")
        self.reward: Any = array("d")
        self.low: Any = array("d")
        self.high: Any = array("d")

    def __len__(self) -> int:
        return len(self.kind)


class RuledStates(Reached):
    """States that the methods of a game make, one at a time."""

    def __init__(self, rules: Rules, start: Any, limits: Limits, most: int) -> None:
        """Find all states, or more than `most`."""
        super().__init__(rules, limits)
        if not rules.merges:
            raise GameError(
                f"{rules.title}: solve finds out by keys which states are the same\nmake states "
                "that can be hashed, such as tuples, or give the game a method key(state)"
            )
        self.fractions = {"weight": [], "reward": [], "value": []}
        self._states = States(rules)
        self._states.most_kept = rules.max_rows
        self._states.find(start)
        self.number_of = self._states.number_of
        while len(self) < len(self._states) and len(self) <= most:
            self._add(len(self))
            if len(self) % STATES_SHOWN == 0:
                limits.check(len(self._states))
        self.is_complete = len(self) == len(self._states)
        limits.check(len(self._states))

    def objects(self) -> Iterator[Any]:
        """Yield the states in the order of their numbers."""
        return map(self._states.state, range(len(self._states)))

    def _add(self, number: int) -> None:
        """Add the next state, with its branches."""
        states, kind = self._states, self._states.kind_of(number)
        value: Number = 0
        if kind == TERMINAL:
            value = states.value(number)
        else:
            children, probabilities, moves = states.ask(number)
            for branch in zip(probabilities, children, moves, strict=True):
                self._add_branch(number, kind == CHANCE, *branch)
            states.known[number] = None  # the columns have it now
        low, high = outward(value)
        self.low.append(low)
        self.high.append(high)
        self.kind.append(kind)
        self.first.append(len(self.child))
        self._keep("value", value)

    def _add_branch(
        self, number: int, is_outcome: bool, probability: Any, child: int, move: Any
    ) -> None:
        rules, weight = self.rules, probability if is_outcome else self.rules.discount
        self.child.append(child)
        self.weight.append(float(weight))
        self._keep("weight", weight)
        if rules.pays:
            reward = rules.reward(self._states.state(number), move) * (weight if is_outcome else 1)
            self.reward.append(float(reward))
            self._keep("reward", reward)

    def _keep(self, name: str, number: Number) -> None:
        """Keep a number before it is rounded, with --exact."""
        if self.rules.options.exact:
            self.fractions[name].append(number)


def state_text(rules: Rules, state: Any) -> str:
    """Return a state on one line, as the game's method `text` writes it, or `str`."""
    return escape(" / ".join(rules.text(state).splitlines()))
