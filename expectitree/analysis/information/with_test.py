"""Write a test into a tree: a chance node over its signals, and Bayes' rule as formulas below."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from expectitree.analysis.information.events import Event
from expectitree.expressions.syntax import Expression, text_of
from expectitree.tree.bayes import ZERO, Definitions, chances_of, product, quotient
from expectitree.tree.builder import label_at
from expectitree.tree.columns import CHANCE, TERMINAL
from expectitree.tree.model import Tree
from expectitree.tree.parameters import evaluated
from expectitree.tree.transform import Copy


def with_test(
    tree: Tree, event: Event, likelihoods: Mapping[str, Mapping[str, Expression]]
) -> Tree:
    """Return the tree with a free test for an event, without `expect`.

    In front of the node `event.at` is a chance node over the signals. Below each signal is a copy
    of what was there, in which the probabilities are those given the signal. The copies share inner
    nodes that play reaches after the event, or without it.
    """
    copy, child = _Tested(tree, event, likelihoods), tree.columns.child
    plain: list[int] = []
    for n in range(len(tree)):
        branches = tree.branches_of(n)
        if n in event.region:
            for signal in likelihoods:
                copy.add_given(signal, n, plain)
        if n == event.at:
            plain.append(copy.add_test(n))
        else:
            plain.append(copy.add(n, branches, [plain[child[b]] for b in branches]))
    parameters = copy.definitions.parameters
    return evaluated(replace(copy.finish(), parameters=parameters, expect=None))[0]


class _Tested(Copy):
    """A copy of a tree with a test.

    Attributes:
        given: The copy of each node given a signal, by signal and node.
        weights: The probability of a signal from a node on, by signal and node.
    """

    def __init__(
        self, tree: Tree, event: Event, likelihoods: Mapping[str, Mapping[str, Expression]]
    ) -> None:
        super().__init__(tree)
        self.event, self.likelihoods = event, likelihoods
        self.definitions = Definitions(tree.parameters)
        self.given: dict[tuple[str, int], int] = {}
        self.weights: dict[tuple[str, int], Expression] = {}

    def add_given(self, signal: str, n: int, plain: list[int]) -> None:
        """Add the copy of a node given a signal."""
        tree, child, branches = self.tree, self.tree.columns.child, self.tree.branches_of(n)
        if tree.columns.kind[n] == CHANCE:
            joint = self._joint(signal, n)
            weight = self.definitions.sum(joint, signal)
        else:
            met = [(signal, child[b]) for b in branches if (signal, child[b]) in self.weights]
            weight = min((self.weights[one] for one in met), key=lambda w: len(text_of(w)))
        self.weights[signal, n] = weight
        for c in {child[b] for b in branches}:
            if tree.columns.kind[c] == TERMINAL and (signal, c) not in self.given:
                self.given[signal, c] = self.add(c, (), ())  # shared terminals are hard to read
        children = [self.given.get((signal, child[b]), plain[child[b]]) for b in branches]
        copy = self.given[signal, n] = self.add(n, branches, children)
        if tree.columns.kind[n] == CHANCE and weight != ZERO:  # else the signal cannot occur here
            posterior = {place: quotient(p, weight) for place, p in enumerate(joint)}
            self.builder.add_formulas(self.builder.formulas.probabilities, copy, posterior)

    def _joint(self, signal: str, n: int) -> list[Expression]:
        """Return the probability of each outcome of a chance node together with a signal."""
        tree, branches, likely = self.tree, self.tree.branches_of(n), self.likelihoods[signal]
        if n in self.event.nodes:
            weights = [likely[tree.branch_label(n, b)] for b in branches]
        else:
            below = [(signal, tree.columns.child[b]) for b in branches]
            weights = [self.weights.get(one, ZERO) for one in below]
        return [product(*pair) for pair in zip(chances_of(tree, n), weights, strict=True)]

    def add_test(self, n: int) -> int:
        """Add the chance node over the signals in front of a node."""
        signals, builder = list(self.likelihoods), self.builder
        children = [self.given[signal, n] for signal in signals]
        equal, _ = builder.distribution(None, len(signals))
        added = builder.add_inner(
            CHANCE, children, equal, [label_at(s, k) for k, s in enumerate(signals, start=1)]
        )
        chances = {place: self.weights[signal, n] for place, signal in enumerate(signals)}
        builder.add_formulas(builder.formulas.probabilities, added, chances)
        return added
