"""The value of a tree, given evidence about an event.

Chance nodes represent the event. The evidence is a weight for each outcome: 1 for a known outcome
and 0 for the others, or the likelihood of a test's signal. By Bayes' rule:

    P(o | node)   the probability of the outcome from the node on, children first
    W(node)       the sum of P(o | node) * weight(o): the probability of the evidence
    event node    p(o) becomes p(o) * weight(o) / W(node)
    other CHANCE  p(i) becomes p(i) * W(child i) / W(node)

A node from which play does not meet the event keeps its value. Both players know the evidence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from expectitree.analysis.information.events import Event
from expectitree.searches.certainty import mix
from expectitree.tree.columns import CHANCE, MAX, MIN, TERMINAL

Weights: TypeAlias = Mapping[str, Any]  # a number for each outcome of the event


@dataclass(frozen=True)
class Conditioning:
    """Values of a tree under weights of an event's outcomes.

    Attributes:
        event: The event.
        eps: The difference at which two actions of a decision are still equally good.
        tolerance: The risk tolerance of an exponential attitude; None for expected values.
    """

    event: Event
    eps: Any
    tolerance: Any = None

    def mean(self, shares: Sequence[Any], worth: Sequence[Any]) -> Any:
        """Return the expected value, or the certainty equivalent, of what outcomes are worth."""
        if self.tolerance is None:
            return sum(p * w for p, w in zip(shares, worth, strict=True) if p)
        weight, found = 0.0, 0.0
        for p, w in zip(shares, worth, strict=True):
            found = mix(weight, found, float(p), float(w), self.tolerance)
            weight += float(p)
        return found

    @cached_property
    def values(self) -> list[Any]:
        """[N] The value of each node when nothing is known."""
        return self._values({})

    @cached_property
    def value(self) -> Any:
        """The value of the tree when nothing is known."""
        return self.event.tree.root_reward + self.values[-1]

    def given(self, weights: Weights) -> tuple[Any, tuple[str, ...]]:
        """Return the value of the node at which something is known, and its best actions."""
        values = self._values({n: self._shares(n, weights) for n in self.event.region})
        return values[self.event.at], self.best(values)

    def best(self, values: Sequence[Any]) -> tuple[str, ...]:
        """Return the best actions of the node at which something is known."""
        tree, at = self.event.tree, self.event.at
        if tree.columns.kind[at] not in (MAX, MIN):
            return ()
        return tuple(
            tree.branch_label(at, b)
            for b in tree.branches_of(at)
            if abs(tree.reward_of(b) + values[tree.columns.child[b]] - values[at]) <= self.eps
        )

    def with_value(self, value: Any) -> Any:
        """Return the value of the tree if the node at which something is known has a value."""
        return self.event.tree.root_reward + self._values({}, {self.event.at: value})[-1]

    def under_control(self, outcome: str) -> Any:
        """Return the value of the tree if MAX makes the event have an outcome, everywhere."""
        tree = self.event.tree
        certain = {
            n: [int(tree.branch_label(n, b) == outcome) for b in tree.branches_of(n)]
            for n in self.event.nodes
        }
        return self.with_value(self._values(certain)[self.event.at])

    def _values(
        self, shares: Mapping[int, Sequence[Any]], known: Mapping[int, Any] | None = None
    ) -> list[Any]:
        """Return [N] the value of each node, with other probabilities or values of some nodes."""
        tree, columns, known = self.event.tree, self.event.tree.columns, known or {}
        values: list[Any] = []
        for n, kind in enumerate(columns.kind):
            if n in known or kind == TERMINAL:
                values.append(known.get(n, columns.utility[n]))
                continue
            branches = tree.branches_of(n)
            worth = [tree.reward_of(b) + values[columns.child[b]] for b in branches]
            if kind == CHANCE:
                own = shares.get(n) or [columns.probability[b] for b in branches]
                values.append(self.mean(own, worth))
            else:
                values.append(max(worth) if kind == MAX else min(worth))
        return values

    def _shares(self, n: int, weights: Weights) -> list[Any]:
        """Return the probabilities of a chance node, given the weights."""
        event, tree = self.event, self.event.tree
        branches = tree.branches_of(n)
        shares: list[Any] = [tree.columns.probability[b] for b in branches]
        known = event.weight(n, weights)
        if tree.columns.kind[n] != CHANCE or not known:  # nothing reaches the node
            return shares
        if n in event.nodes:
            likely = [weights[tree.branch_label(n, b)] for b in branches]
        else:
            likely = [event.weight(tree.columns.child[b], weights) for b in branches]
        return [p * w / known for p, w in zip(shares, likely, strict=True)]
