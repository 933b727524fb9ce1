"""Write a test into a tree: a chance node over its signals, and what follows below each signal.

If the file defines the event, the test becomes one of its definitions, from which all probabilities
follow. Otherwise, the probabilities below the signals become formulas, by Bayes' rule.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace

from expectitree.base.errors import AnalysisError
from expectitree.base.expressions.parser import parse
from expectitree.base.expressions.syntax import Apply, Expression
from expectitree.base.numbers import escape, exact_text
from expectitree.decide.information.beliefs import Belief, Event
from expectitree.decide.information.find import find_event, never_meets
from expectitree.tree.bayes import (
    ZERO,
    Definitions,
    Histories,
    chances_of,
    define_probabilities,
    free_name,
    product,
    quotient,
    written_parameters,
)
from expectitree.tree.builder import Copy, label_at
from expectitree.tree.columns import CHANCE, TERMINAL
from expectitree.tree.formulas import Definition, Formulas
from expectitree.tree.model import Tree
from expectitree.tree.parameters import evaluated, raise_at

Likelihoods = Mapping[str, Mapping[str, Expression]]


def with_test(tree: Tree, name: str, at: int, likelihoods: Likelihoods) -> Tree:
    """Return the tree with a free test for an event, without `expect`.

    In front of the node `at` is a chance node over the signals. Below each signal is a copy of what
    was there, in which the probabilities are those given the signal. The copies share inner nodes
    that play reaches after the event, or without it.
    """
    formulas = tree.formulas or Formulas()
    if name in formulas.defined:
        return _with_defined_test(tree, formulas, name, at, likelihoods)
    event = find_event(tree, tree, name, at)
    if event is None:
        raise never_meets(tree, name, at)
    copy, weights = _Tested(tree, likelihoods), _Weights(event, likelihoods)
    test = copy.run(at, frozenset(event.scope))
    for signal in likelihoods:
        for n in event.scope:
            if tree.columns.kind[n] == CHANCE:
                copy.set_chances(copy.given[signal, n], weights.posterior(signal, n))
    copy.set_chances(test, [weights.of[signal, id(event.prior)] for signal in likelihoods])
    if any(formulas.events.get(n) in formulas.defined for n in event.scope):
        copy.builder.formulas.defined.clear()
    parameters = weights.definitions.parameters
    return evaluated(replace(copy.finish(), parameters=parameters, expect=None))[0]


def _with_defined_test(
    tree: Tree, formulas: Formulas, name: str, at: int, likelihoods: Likelihoods
) -> Tree:
    """Return the tree with a test of an event that the file defines."""
    of = formulas.defined[name].test_of
    if of:
        raise AnalysisError(
            f"{escape(name)} is a test of {escape(of)}, and a file cannot define a test of a test: "
            f"ask for {escape(of)}"
        )
    family = {name, *(test for test, one in formulas.defined.items() if one.test_of == name)}
    histories = Histories(tree, formulas.defined)
    before = {n for n, shown in histories if not isinstance(shown.get(name, ()), str)}
    copied = bytearray(len(tree))
    for n in range(at + 1):
        below = any(copied[tree.columns.child[b]] for b in tree.branches_of(n))
        copied[n] = n in before and (below or formulas.events.get(n) in family)
    copy = _Tested(tree, likelihoods)
    test = copy.run(at, {n for n in range(at + 1) if copied[n]})
    taken = {*formulas.events.values(), *formulas.defined}
    own, _ = free_name(f"test of {name}", taken)
    copy.builder.formulas.events[test] = own
    defined = {**formulas.defined, own: Definition(test_of=name, likelihood=likelihoods)}
    tested = replace(copy.finish(), parameters=written_parameters(tree), expect=None)
    return evaluated(define_probabilities(tested, defined, raise_at(tested)))[0]


class _Tested(Copy):
    """A copy of a tree with a test.

    Attributes:
        given: The copy of each node given a signal, by signal and node.
    """

    def __init__(self, tree: Tree, likelihoods: Likelihoods) -> None:
        super().__init__(tree)
        self.likelihoods = likelihoods
        self.given: dict[tuple[str, int], int] = {}

    def run(self, at: int, copied: Container[int]) -> int:
        """Copy the tree, and some nodes once for each signal; return the node of the test."""
        tree, child, plain = self.tree, self.tree.columns.child, list[int]()
        test = 0
        for n in range(len(tree)):
            if n in copied and n <= at:
                for signal in self.likelihoods:
                    self._add_given(signal, n, plain)
            if n == at:
                test = self._add_test(n)
                plain.append(test)
            else:
                plain.append(
                    self.add(n, tree.branches_of(n), [plain[child[b]] for b in tree.branches_of(n)])
                )
        return test

    def _add_given(self, signal: str, n: int, plain: list[int]) -> None:
        """Add the copy of a node given a signal."""
        tree, child, branches = self.tree, self.tree.columns.child, self.tree.branches_of(n)
        for c in {child[b] for b in branches}:
            if tree.columns.kind[c] == TERMINAL and (signal, c) not in self.given:
                self.given[signal, c] = self.add(c, (), ())  # shared terminals are hard to read
        children = [self.given.get((signal, child[b]), plain[child[b]]) for b in branches]
        self.given[signal, n] = self.add(n, branches, children)

    def _add_test(self, n: int) -> int:
        """Add the chance node over the signals in front of a node."""
        signals = list(self.likelihoods)
        equal, _ = self.builder.distribution(None, len(signals))
        labels = [label_at(s, k) for k, s in enumerate(signals, start=1)]
        return self.builder.add_inner(CHANCE, [self.given[s, n] for s in signals], equal, labels)

    def set_chances(self, copy: int, chances: list[Expression]) -> None:
        """Write the probabilities of a chance node, unless the signal cannot occur there."""
        if any(p != ZERO for p in chances):
            column = self.builder.formulas.probabilities
            self.builder.add_formulas(column, copy, dict(enumerate(chances)))


class _Weights:
    """The probability of each signal given each belief about an event, as a formula.

    Attributes:
        definitions: The parameters of the tree, and names for sums.
        of: The formulas, by signal and by the id of a belief.
    """

    def __init__(self, event: Event, likelihoods: Likelihoods) -> None:
        self.event, self.tree, self.likelihoods = event, event.tree, likelihoods
        self.definitions = Definitions(event.tree.parameters)
        self.of: dict[tuple[str, int], Expression] = {}
        for belief in self._used():
            for signal in likelihoods:
                self.of[signal, id(belief)] = self._weight(signal, belief)

    def _used(self) -> list[Belief]:
        """Return the beliefs that formulas need, each after those that it follows from."""
        event, found = self.event, []
        used = {id(event.node[n]) for n in event.scope}
        for n in event.scope:
            used.update(id(event.branch[b]) for b in self.tree.branches_of(n) if b in event.branch)
        for belief in reversed(event.created):
            if id(belief) in used:
                found.append(belief)
                rule, *places = belief.rule
                if rule in ("mix", "rest"):
                    branches = self.tree.branches_of(places[0])
                    used.update(id(event.branch[b]) for b in branches if b in event.branch)
                if rule == "rest":
                    used.add(id(event.node[places[0]]))
        return found[::-1]

    def _weight(self, signal: str, belief: Belief) -> Expression:
        rule, n, *places = belief.rule
        if rule in ("own", "mix"):
            return self.definitions.sum(self._joint(signal, n), signal)
        if rule == "likelihood":
            return self.definitions.sum(
                [product(p, self.likelihoods[signal][o])
                 for o, p in zip(self.event.outcomes, self._chances(n, belief), strict=True)],
                signal,
            )  # fmt: skip
        branches = self.tree.branches_of(n)
        at = branches.index(places[0])
        found = self.of[signal, id(self.event.node[n])]
        for place, term in enumerate(self._joint(signal, n, places[0])):
            if place != at and term != ZERO:
                found = Apply("-", (found, term))
        return quotient(found, chances_of(self.tree, n)[at])

    def _joint(self, signal: str, n: int, left_out: int | None = None) -> list[Expression]:
        """Return the probability of each outcome of a chance node together with a signal."""
        event, branches = self.event, self.tree.branches_of(n)
        if n in event.nodes:
            row = self.likelihoods[signal]
            weights = [row[self.tree.branch_label(n, b)] for b in branches]
        else:
            weights = [
                self.of[signal, id(event.branch[b])]
                if b in event.branch and b != left_out
                else ZERO
                for b in branches
            ]
        return [product(*pair) for pair in zip(chances_of(self.tree, n), weights, strict=True)]

    def _chances(self, n: int, belief: Belief) -> list[Expression]:
        """Return the probabilities of a belief that follows from likelihoods elsewhere."""
        if self.tree.parameters:
            raise AnalysisError(
                f"{escape(self.tree.path_of(n))}: the formulas of a test here would need the "
                f"likelihoods of {escape((self.tree.formulas or Formulas()).events[n])}: define it "
                f"as a test of {escape(self.event.name)} under `events`"
            )
        return [parse(exact_text(p), ()) for p in belief.chances]

    def posterior(self, signal: str, n: int) -> list[Expression]:
        """Return the probabilities of a chance node given a signal."""
        weight = self.of[signal, id(self.event.node[n])]
        return [quotient(p, weight) for p in self._joint(signal, n)] if weight != ZERO else [ZERO]
