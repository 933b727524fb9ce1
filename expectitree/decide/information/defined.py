"""Beliefs about an event that the file defines: from its prior and the likelihoods of its tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from expectitree.decide.information.beliefs import Belief, Event, check_once, is_near, scope_of
from expectitree.decide.information.shown import dependents
from expectitree.errors import AnalysisError
from expectitree.expressions.domains import domain_of
from expectitree.expressions.evaluation import evaluate
from expectitree.expressions.syntax import Expression
from expectitree.numbers import escape
from expectitree.tree.bayes import Definitions
from expectitree.tree.events import Histories, Posteriors, Shown
from expectitree.tree.formulas import Formulas
from expectitree.tree.model import Tree
from expectitree.tree.parameters import ParameterValues


def defined_event(
    numbers: Tree, tree: Tree, name: str, at: int, known: Mapping[str, str]
) -> Event | None:
    """Return an event or a test that the file defines; None if play never meets it.

    Args:
        numbers: The tree, in the numbers to compute in.
        tree: The tree as it was loaded.
        name: The name of the event or the test.
        at: The node at which something is known.
        known: The outcomes of other events that are known, by name.
    """
    formulas = tree.formulas or Formulas()
    nodes = frozenset(n for n, event in formulas.events.items() if event == name)
    one = formulas.defined[name]
    event = one.test_of or name
    family = {event, *(test for test, two in formulas.defined.items() if two.test_of == event)}
    signals = {n for n, other in formulas.events.items() if other in family}
    first = max(nodes)
    labels = tuple(tree.branch_label(first, b) for b in tree.branches_of(first))
    check_once(numbers, name, nodes)
    _check_independence(numbers, name, nodes, formulas)
    posteriors = Posteriors(formulas.defined, Definitions(tree.parameters))
    number = _Numbers(numbers.exact, posteriors)
    beliefs: dict[Shown, Belief] = {}

    def belief(shown: Mapping[str, Shown]) -> Belief:
        state = shown.get(event, ())
        assert state is not None  # the reader refuses such a file
        if state not in beliefs:
            chances = posteriors.chances(name, state)
            beliefs[state] = Belief([number(chances[label]) for label in labels])
        return beliefs[state]

    scope = scope_of(numbers, at, nodes, signals.__contains__)
    if not scope or scope[-1] != at:
        return None
    within = frozenset(scope)
    node: dict[int, Belief] = {}
    branch: dict[int, Belief] = {}
    histories = Histories(tree, formulas.defined, known)
    for n, shown in histories:
        if n in within:
            node[n] = belief(shown)
            for b in tree.branches_of(n) if n not in nodes else ():
                if numbers.columns.probability[b] > 0:
                    branch[b] = belief(histories.after(n, b, shown))
    return Event(numbers, name, nodes, at, labels, node, branch, scope)


class _Numbers:
    """Evaluates probabilities, in fractions or in floats."""

    def __init__(self, exact: bool, posteriors: Posteriors) -> None:
        self.domain, self.definitions = domain_of(exact), posteriors.definitions

    def __call__(self, formula: Expression) -> Any:
        # New parameters are derived with each belief.
        values = ParameterValues(self.definitions.parameters, self.domain)
        return evaluate(formula, self.domain, values)


def _check_independence(tree: Tree, name: str, nodes: frozenset[int], formulas: Formulas) -> None:
    """Raise `AnalysisError` if an event that the file does not define depends on one that it does.

    That matters only if play also meets the other event without this one.
    """
    for other, places in dependents(tree, nodes, formulas.events).items():
        expected = next(iter(places[0][1].values()))
        here = [n for n, event in formulas.events.items() if event == other]
        chances = [
            {tree.branch_label(n, b): tree.columns.probability[b] for b in tree.branches_of(n)}
            for n in here
        ]
        if any(not is_near(p, expected[s]) for row in chances for s, p in row.items()):
            raise AnalysisError(
                f"{escape(tree.path_of(places[0][0]))}: {escape(other)} depends on {escape(name)}, "
                f"and play also meets it without {escape(name)}: define {escape(other)} as a test "
                f"of {escape(name)} under `events`"
            )
