"""Events and tests that a file defines once: the probabilities of their nodes, by Bayes' rule.

At a node of an event, after the signals s of tests on the way there:

    joint(o)    P(o), times P(s | o) for each of the signals
    P(o | s)    joint(o) / the sum of joint
    P(t | s)    the sum of joint(o) * P(t | o), / the sum of joint, for a signal t of another test

Given the outcome, the signals are independent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from expectitree.expressions.syntax import Expression
from expectitree.numbers import escape
from expectitree.tree.bayes import ONE, ZERO, Definitions, product, quotient
from expectitree.tree.columns import NONE
from expectitree.tree.formulas import Formulas
from expectitree.tree.model import Tree
from expectitree.tree.parameters import Report

# What play has shown of an event so far: signals with their tests, or the outcome; None if paths
# that show different things lead to one node.
Shown: TypeAlias = "tuple[tuple[str, str], ...] | str | None"


@dataclass(frozen=True, slots=True)
class Definition:
    """An event with a prior, or a test of an event.

    Attributes:
        prior: The probability of each outcome of an event.
        test_of: The event that a test is of; empty for an event.
        likelihood: For a test: by signal and outcome, the probability of the signal.
    """

    prior: Mapping[str, Expression] = field(default_factory=dict)
    test_of: str = ""
    likelihood: Mapping[str, Mapping[str, Expression]] = field(default_factory=dict)

    @property
    def labels(self) -> list[str]:
        """The outcomes of an event, or the signals of a test."""
        return list(self.likelihood if self.test_of else self.prior)


def define_probabilities(tree: Tree, defined: Mapping[str, Definition], report: Report) -> Tree:
    """Return the tree with formulas for the probabilities of all nodes of defined events.

    The numbers of the tree do not change until the formulas are evaluated.
    """
    derivation = _Derivation(tree, defined, report)
    derivation.run()
    parameters, formulas = derivation.definitions.parameters, tree.formulas
    if formulas is not None:
        probabilities = {**formulas.probabilities, **derivation.found}
        formulas = Formulas(formulas.nodes, probabilities, formulas.rewards, formulas.events)
    return replace(tree, parameters=parameters, formulas=formulas)


class _Derivation:
    """Finds the probabilities of nodes, parents before children."""

    def __init__(self, tree: Tree, defined: Mapping[str, Definition], report: Report) -> None:
        self.tree, self.defined, self.report = tree, defined, report
        self.definitions = Definitions(tree.parameters)
        self.found: dict[int, Expression] = {}  # by branch
        self.shown: dict[int, dict[str, Shown]] = {tree.root_id: {}}  # by node, then event

    def run(self) -> None:
        tree, child = self.tree, self.tree.columns.child
        events = tree.formulas.events if tree.formulas is not None else {}
        for n in range(tree.root_id, -1, -1):
            shown, name = self.shown.pop(n, {}), events.get(n, "")
            if name in self.defined:
                self._define(n, name, shown)
            for b in tree.branches_of(n):
                after = self._after(n, b, name, shown)
                known = self.shown.setdefault(child[b], after)
                if known is not after and known != after:
                    keys = {*known, *after}
                    self.shown[child[b]] = {
                        key: known.get(key, ())
                        if known.get(key, ()) == after.get(key, ())
                        else None
                        for key in keys
                    }

    def _after(self, n: int, b: int, name: str, shown: dict[str, Shown]) -> dict[str, Shown]:
        """Return what play has shown after a branch."""
        if name not in self.defined:
            return shown
        event, label = self.defined[name].test_of or name, self.tree.branch_label(n, b)
        before = shown.get(event, ())
        if event == name:
            return {**shown, event: label}
        if isinstance(before, tuple):
            return {**shown, event: tuple(sorted((*before, (name, label))))}
        return shown

    def _define(self, n: int, name: str, shown: Mapping[str, Shown]) -> None:
        """Write the probabilities of a node, or report why it has none."""
        tree, one = self.tree, self.defined[name]
        labels = [tree.branch_label(n, b) for b in tree.branches_of(n)]
        if sorted(labels) != sorted(one.labels):
            what, expected = ", ".join(map(escape, labels)), ", ".join(map(escape, one.labels))
            self._fault(n, f"the outcomes of {escape(name)} are {what} here, expected {expected}")
            return
        event = one.test_of or name
        known = shown.get(event, ())
        if known is None:
            self._fault(
                n,
                f"paths with different signals lead to this node, so {escape(name)} has different "
                "probabilities: write the node once below each signal",
            )
        elif isinstance(known, tuple):
            chances = self._chances(name, known)
            self._write(n, [chances[label] for label in labels])
        elif one.test_of:
            self._write(n, [one.likelihood[label][known] for label in labels])
        else:
            self._fault(
                n, f"{escape(name)} is {escape(known)} on the way here: an event happens once"
            )

    def _chances(self, name: str, known: tuple[tuple[str, str], ...]) -> dict[str, Expression]:
        """Return the probabilities of outcomes or signals after some signals."""
        one = self.defined[name]
        total = self._total(one.test_of or name, known)
        if not one.test_of:
            return {o: quotient(p, total) for o, p in self._joint(name, known).items()}
        after = {s: (*known, (name, s)) for s in one.likelihood}
        return {s: quotient(self._total(one.test_of, some), total) for s, some in after.items()}

    def _joint(self, event: str, known: Sequence[tuple[str, str]]) -> dict[str, Expression]:
        """Return the probability of each outcome together with signals."""
        return {
            o: product(p, *(self.defined[test].likelihood[signal][o] for test, signal in known))
            for o, p in self.defined[event].prior.items()
        }

    def _total(self, event: str, known: Sequence[tuple[str, str]]) -> Expression:
        """Return the probability of signals."""
        known = sorted(known)
        if not known:
            return ONE
        return self.definitions.sum(
            [*self._joint(event, known).values()], *(signal for _, signal in known)
        )

    def _write(self, n: int, chances: Sequence[Expression]) -> None:
        if all(p == ZERO for p in chances):  # the signals cannot occur
            return
        self.found.update(zip(self.tree.branches_of(n), chances, strict=True))

    def _fault(self, n: int, message: str) -> None:
        self.report(message, "outcomes", n, NONE)
