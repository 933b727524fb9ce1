"""All states that a game can reach, one for each key, with their branches as columns."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from fractions import Fraction
from math import inf, nextafter
from time import monotonic
from typing import Any

from expectitree.base.errors import GameError, SearchError
from expectitree.base.numbers import Number, escape, is_finite, to_nearest_float
from expectitree.base.tree.columns import CHANCE, TERMINAL
from expectitree.games.rules import RowsError, Rules
from expectitree.searches.progress import report

STATES_SHOWN = 10_000  # between two reports of progress, and checks of the time


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
        self.end = inf if seconds is None else begun + seconds

    @property
    def is_over(self) -> bool:
        return monotonic() > self.end

    def check(self, states: int) -> None:
        if states > self.rules.max_rows:
            raise RowsError(
                f"{self.rules.title}: more than {self.rules.max_rows:,} states: allow more with "
                "--max-rows, or make the game smaller"
            )
        if self.is_over:
            raise SearchError(
                f"{self.rules.title}: the limit of {self.seconds:g} s was reached after "
                f"{states:,} states, before all were found: allow more with --seconds"
            )
        report(states, None)


class States:
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
        self.first: Any = array("q", [0])
        self.child: Any = array("q")
        self.weight: Any = array("d")
        self.reward: Any = array("d")
        self.low: Any = array("d")
        self.high: Any = array("d")

    def __len__(self) -> int:
        return len(self.kind)


class RuledStates(States):
    """States that the methods of a game make, one at a time."""

    def __init__(self, rules: Rules, start: Any, limits: Limits, most: int) -> None:
        """Find all states, or more than `most`."""
        super().__init__(rules, limits)
        if not rules.merges:
            raise GameError(
                f"{rules.title}: solve finds out by keys which states are the same: make states "
                "that can be hashed, such as tuples, or give the game a method key(state)"
            )
        self.fractions = {"weight": [], "reward": [], "value": []}
        self._keeps = rules.options.exact  # the numbers before they are rounded
        self._known = {rules.key(start): 0}
        self._states = [start]
        for state in self._states:  # which grow
            self._add(state)
            if len(self) % STATES_SHOWN == 0:
                limits.check(len(self._states))
            if len(self._states) > most:
                break
        self.is_complete = len(self) == len(self._states)
        limits.check(len(self._states))

    def number_of(self, state: Any) -> int | None:
        """Return the number of a state, None if it is not reached."""
        return self._known.get(self.rules.key(state))

    def objects(self) -> Iterator[Any]:
        """Yield the states in the order of their numbers."""
        return iter(self._states)

    def _add(self, state: Any) -> None:
        rules, kind = self.rules, self.rules.kind(state)
        value: Number = 0
        if kind == TERMINAL:
            value = rules.value(state, kind, rules.bounds)
        else:
            moves, probabilities = rules.moves(state, kind)
            for place, move in enumerate(moves):
                weight = rules.discount if probabilities is None else probabilities[place]
                if weight > 0:
                    self._add_branch(state, move, weight, kind == CHANCE)
        low, high = outward(value)
        self.low.append(low)
        self.high.append(high)
        self.kind.append(kind)
        self.first.append(len(self.child))
        if self._keeps:
            self.fractions["value"].append(value)

    def _add_branch(self, state: Any, move: Any, weight: Any, is_outcome: bool) -> None:
        rules, after = self.rules, self.rules.play(state, move)
        number = self._known.setdefault(rules.key(after), len(self._states))
        if number == len(self._states):
            self._states.append(after)
        else:
            rules.check_known(after, lambda: self._states[number])
        self.child.append(number)
        self.weight.append(float(weight))
        if rules.pays:
            reward = rules.reward(state, move) * (weight if is_outcome else 1)
            self.reward.append(float(reward))
            if self._keeps:
                self.fractions["reward"].append(reward)
        if self._keeps:
            self.fractions["weight"].append(weight)


def state_text(rules: Rules, state: Any) -> str:
    """Return a state on one line, as the game's method `text` writes it, or `str`."""
    return escape(" / ".join(rules.text(state).splitlines()))
