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
from typing import Any, cast

from expectitree.decide.information.beliefs import Event, Evidence
from expectitree.tree.columns import CHANCE, MAX, MIN, TERMINAL
from expectitree.tree.model import Tree

Values = Mapping[int, Any]  # by node
Result = tuple[Any, tuple[str, ...]]  # the value of the tree, and the best actions at the root


@dataclass(frozen=True)
class Conditioning:
    """Values of a tree when something is known.

    Attributes:
        tree: The tree.
        eps: The difference at which two actions of a decision are still equally good.
    """

    tree: Tree
    eps: Any

    @cached_property
    def now(self) -> Result:
        """The value of the tree when nothing is known, and its best actions."""
        return self._result(self._values)

    def given(self, event: Event, evidence: Iterable[Evidence]) -> Iterator[Result]:
        """Yield the value of the tree, and its best actions, for each piece of evidence."""
        for one in evidence:
            shares = partial(event.shares, evidence=one)
            yield self._result(self._values_of(event.scope, self._values, shares))

    @cached_property
    def _values(self) -> Values:
        return self._values_of(range(len(self.tree)), {}, lambda n: None)

    def _values_of(
        self, nodes: Sequence[int], known: Values, shares: Callable[[int], Values | None]
    ) -> Values:
        """Return the values of some nodes, which come children first, and of others.

        `known` has the values of the others. `shares` returns other probabilities of a chance
        node's branches, or None.
        """
        columns, found = self.tree.columns, dict[int, Any]()
        values = ChainMap(found, cast("dict[int, Any]", known))  # it is not written to
        for n in nodes:
            branches, kind = self.tree.branches_of(n), columns.kind[n]
            if kind == TERMINAL:
                found[n] = columns.utility[n]
            elif kind == CHANCE:
                own = shares(n) or {b: columns.probability[b] for b in branches}
                found[n] = sum(p * self._worth(b, values) for b, p in own.items() if p)
            else:
                worth = (self._worth(b, values) for b in branches)
                found[n] = max(worth) if kind == MAX else min(worth)
        return values

    def _worth(self, branch: int, values: Values) -> Any:
        """Return what a branch is worth: its reward and the value of the node below."""
        return self.tree.reward_of(branch) + values[self.tree.columns.child[branch]]

    def _result(self, values: Values) -> Result:
        root, value = self.tree.root_id, values[self.tree.root_id]
        best = []
        if self.tree.columns.kind[root] in (MAX, MIN):
            for b in self.tree.branches_of(root):
                if abs(self._worth(b, values) - value) <= self.eps:
                    best.append(self.tree.branch_label(root, b))
        return self.tree.root_reward + value, tuple(best)
