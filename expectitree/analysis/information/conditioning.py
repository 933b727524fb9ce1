"""The value of a tree, given evidence about an event.

The evidence is a known outcome, or the signal of a test with a likelihood for each outcome. By
Bayes' rule, with the beliefs about the event at each node:

    W(node)       the sum of P(o | node) * P(evidence | o): the probability of the evidence
    event node    p(o) becomes p(o) * P(evidence | o) / W(node)
    other CHANCE  p(i) becomes p(i) * W(after i) / W(node)

A node from which play meets neither the event nor a signal of it keeps its value. Both players know
the evidence.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

from expectitree.analysis.information.beliefs import Event, Evidence, nodes_above
from expectitree.searches.certainty import mix
from expectitree.tree.columns import CHANCE, MAX, MIN, TERMINAL
from expectitree.tree.model import Tree


def given_outcome(event: Event, outcome: int) -> Tree:
    """Return the tree with the probabilities that nodes have if an outcome of an event is known."""
    probability: Any = event.tree.columns.probability[:]
    for n in event.scope:
        if event.tree.columns.kind[n] == CHANCE:
            shares = event.shares(n, outcome)
            for b in event.tree.branches_of(n):
                probability[b] = shares.get(b, probability[b] * 0)
    columns = event.tree.columns._replace(probability=probability)
    return replace(event.tree, columns=columns)


@dataclass(frozen=True)
class Conditioning:
    """Values of a tree at a node where something is known.

    Attributes:
        tree: The tree.
        at: The node.
        eps: The difference at which two actions of a decision are still equally good.
        tolerance: The risk tolerance of an exponential attitude; None for expected values.
    """

    tree: Tree
    at: int
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
    def values(self) -> Mapping[int, Any]:
        """The value of each node when nothing is known."""
        return self._values(range(len(self.tree)), {})

    @cached_property
    def value(self) -> Any:
        """The value of the tree when nothing is known."""
        return self.tree.root_reward + self.values[self.tree.root_id]

    def given(self, event: Event, evidence: Evidence) -> tuple[Any, tuple[str, ...]]:
        """Return the value of the node at which something is known, and its best actions."""
        values = self._values(event.scope, self.values, lambda n: event.shares(n, evidence))
        return values[self.at], self.best(values)

    def best(self, values: Mapping[int, Any]) -> tuple[str, ...]:
        """Return the best actions of the node at which something is known."""
        tree, at = self.tree, self.at
        if tree.columns.kind[at] not in (MAX, MIN):
            return ()
        return tuple(
            tree.branch_label(at, b)
            for b in tree.branches_of(at)
            if abs(tree.reward_of(b) + values[tree.columns.child[b]] - values[at]) <= self.eps
        )

    def with_value(self, value: Any) -> Any:
        """Return the value of the tree if the node at which something is known has a value."""
        above = nodes_above(self.tree, (self.at,), self.tree.root_id)
        values = self._values(above[1:], {**self.values, self.at: value})
        return self.tree.root_reward + (values[self.tree.root_id] if above[1:] else value)

    def under_control(self, chosen: Mapping[int, int], above: Iterable[int]) -> Any:
        """Return the value of the node at which something is known, if MAX chooses outcomes.

        `chosen` has the branch of the outcome at each node of the events. Only the nodes `above`
        them, and they, have other values.
        """

        def shares(n: int) -> Mapping[int, Any] | None:
            return {chosen[n]: 1} if n in chosen else None

        return self._values(above, self.values, shares)[self.at]

    def _values(
        self,
        nodes: Iterable[int],
        known: Mapping[int, Any],
        shares: Callable[[int], Mapping[int, Any] | None] = lambda n: None,
    ) -> Mapping[int, Any]:
        """Return the values of some nodes, children first, and the others that are known.

        `shares` returns other probabilities of a chance node's branches, or None.
        """
        columns = self.tree.columns
        kind, child, reward = columns.kind, columns.child, self.tree.reward_of
        found: dict[int, Any] = {}
        values = ChainMap(found, cast("dict[int, Any]", known))  # it is not written to
        for n in nodes:
            if kind[n] == TERMINAL:
                found[n] = columns.utility[n]
                continue
            own = shares(n) if kind[n] == CHANCE else None
            branches = self.tree.branches_of(n) if own is None else own
            worth = [reward(b) + values[child[b]] for b in branches]
            if kind[n] == CHANCE:
                p = [columns.probability[b] for b in branches] if own is None else [*own.values()]
                found[n] = self.mean(p, worth)
            else:
                found[n] = max(worth) if kind[n] == MAX else min(worth)
        return values
