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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple, cast

from expectitree.decide.information.beliefs import Event, Evidence, nodes_above
from expectitree.searches.backward_induction import mix
from expectitree.tree.columns import CHANCE, MAX, MIN, TERMINAL
from expectitree.tree.model import Tree

Values = Mapping[int, Any]  # by node
Finding = tuple[Any, tuple[str, ...]]  # a value of the node `at`, and the best actions there


class Step(NamedTuple):
    """The rule by which a node's value follows from others.

    Attributes:
        node: The node.
        branches: Its branches; of a decision, those with values that change.
        other: The best value of the other branches of a decision; None if there is none.
    """

    node: int
    branches: Sequence[int]
    other: Any


@dataclass(frozen=True)
class Conditioning:
    """Values of a tree at a node where something is known.

    Attributes:
        tree: The tree.
        at: The node.
        eps: The difference at which two actions of a decision are still equally good.
        risk_tolerance: The risk tolerance of an exponential attitude; None for expected values.
    """

    tree: Tree
    at: int
    eps: Any
    risk_tolerance: Any = None

    def mean(self, shares: Sequence[Any], worth: Sequence[Any]) -> Any:
        """Return the expected value, or the certainty equivalent, of what outcomes are worth."""
        if self.risk_tolerance is None:
            return sum(p * w for p, w in zip(shares, worth, strict=True) if p)
        weight, found = 0.0, 0.0
        for p, w in zip(shares, worth, strict=True):
            found = mix(weight, found, float(p), float(w), self.risk_tolerance)
            weight += float(p)
        return found

    @cached_property
    def values(self) -> Values:
        """The value of each node when nothing is known."""
        return self.values_of(self.steps(range(len(self.tree)), {}), {})

    @cached_property
    def now(self) -> Finding:
        """The value of the node `at` when nothing is known, and its best actions."""
        is_decision = self.tree.columns.kind[self.at] in (MAX, MIN)
        branches = self.tree.branches_of(self.at) if is_decision else ()
        return self.values[self.at], self._best(self.values, branches)

    def given(self, event: Event, evidence: Iterable[Evidence]) -> Iterator[Finding]:
        """Yield the value of the node `at`, and its best actions, for each piece of evidence."""
        steps, values = self.steps(event.scope, self.values), self.values
        _, actions, other = steps[-1]
        if self.tree.columns.kind[self.at] == CHANCE:
            actions = ()
        elif other is not None:  # of the actions that do not change, only the best may be best
            fixed = set(self.tree.branches_of(self.at)).difference(actions)
            equal = [b for b in fixed if abs(self._worth(b, values) - other) <= self.eps]
            actions = sorted((*actions, *equal))
        for one in evidence:
            values = self.values_of(steps, self.values, partial(event.shares, evidence=one))
            yield values[self.at], self._best(values, actions)

    def with_value(self, value: Any) -> Any:
        """Return the value of the tree if the node `at` has a value."""
        above = nodes_above(self.tree, (self.at,), self.tree.root_id)[1:]
        known = {**self.values, self.at: value}
        values = self.values_of(self.steps(above, known), known)
        return self.tree.root_reward + values[self.tree.root_id]

    def steps(self, nodes: Sequence[int], known: Values) -> list[Step]:
        """Return the steps that compute the values of some nodes, which come children first.

        `known` has the values of all others.
        """
        columns, changing, found = self.tree.columns, frozenset(nodes), []
        for n in nodes:
            branches: Sequence[int] = self.tree.branches_of(n)
            other = None
            if columns.kind[n] in (MAX, MIN):
                best = max if columns.kind[n] == MAX else min
                fixed = (b for b in branches if columns.child[b] not in changing)
                other = best((self._worth(b, known) for b in fixed), default=None)
                branches = [b for b in branches if columns.child[b] in changing]
            found.append(Step(n, branches, other))
        return found

    def values_of(
        self,
        steps: Iterable[Step],
        known: Values,
        shares: Callable[[int], Values | None] = lambda n: None,
    ) -> Values:
        """Return the values that some steps compute, and the others that are known.

        `shares` returns other probabilities of a chance node's branches, or None.
        """
        kind, p = self.tree.columns.kind, self.tree.columns.probability
        found: dict[int, Any] = {}
        values = ChainMap(found, cast("dict[int, Any]", known))  # it is not written to
        for n, branches, other in steps:
            if kind[n] == TERMINAL:
                found[n] = self.tree.columns.utility[n]
            elif kind[n] == CHANCE:
                own = shares(n) or {b: p[b] for b in branches}
                found[n] = self.mean([*own.values()], [self._worth(b, values) for b in own])
            else:
                worth = [self._worth(b, values) for b in branches]
                worth += [other] if other is not None else []
                found[n] = max(worth) if kind[n] == MAX else min(worth)
        return values

    def _worth(self, branch: int, values: Values) -> Any:
        """Return what a branch is worth: its reward and the value of the node below."""
        return self.tree.reward_of(branch) + values[self.tree.columns.child[branch]]

    def _best(self, values: Values, branches: Iterable[int]) -> tuple[str, ...]:
        """Return the best of some actions of the node `at`."""
        value = values[self.at]
        return tuple(
            self.tree.branch_label(self.at, b)
            for b in branches
            if abs(self._worth(b, values) - value) <= self.eps
        )
