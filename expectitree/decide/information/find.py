"""Find an event by its name or by the path of a chance node, with the beliefs about it.

The beliefs about an event that the file defines follow from its prior and the likelihoods of its
tests. Those about another event follow from the probabilities at the nodes (`shown.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from expectitree.base.errors import AnalysisError, TreeError
from expectitree.base.expressions.evaluation import domain_of, evaluate
from expectitree.base.names import did_you_mean
from expectitree.base.numbers import escape, quote
from expectitree.base.tree.bayes import Posteriors, Shown, histories, shown_after
from expectitree.base.tree.columns import CHANCE
from expectitree.base.tree.formulas import Formulas
from expectitree.base.tree.model import Tree
from expectitree.base.tree.parameters import ParameterValues
from expectitree.decide.information.beliefs import (
    Belief,
    Event,
    check_once,
    check_steps,
    is_near,
    reached,
    scope_of,
)
from expectitree.decide.information.shown import ShownBeliefs


def find_event(numbers: Tree, tree: Tree, event: str, signals: int) -> Event:
    """Return an event.

    Args:
        numbers: The tree in the numbers to compute in.
        tree: The tree as it was loaded.
        event: The name of an event, or the path of a chance node.
        signals: How many signals a test for it has.

    Raises:
        AnalysisError: There is no such event, play never meets it, or the tree does not give the
            joint distribution of the event and its signals.
        TooMuchWorkError: The event has too many outcomes, or its test too many signals.
    """
    events = (tree.formulas or Formulas()).events
    names = list(dict.fromkeys(events.values()))
    name = event if event in names else events.get(_node_at(tree, event, names), event)
    nodes = frozenset(n for n, other in events.items() if other == name)
    nodes = nodes or frozenset([tree.find(name).id])
    check_steps(tree, name, nodes, signals)
    first = max(nodes)
    outcomes = tuple(tree.branch_label(first, b) for b in tree.branches_of(first))
    check_once(numbers, name, nodes)
    _check_others(numbers, name, nodes)
    formulas = tree.formulas or Formulas()
    if name not in formulas.defined:
        found = ShownBeliefs(numbers, name, nodes, outcomes).event()
    else:
        found = _defined_event(numbers, tree, name, nodes, outcomes)
    if found is None:
        raise AnalysisError(f"play never meets {escape(name)}")
    return found


def _defined_event(
    numbers: Tree, tree: Tree, name: str, nodes: frozenset[int], outcomes: tuple[str, ...]
) -> Event | None:
    """Return an event that the file defines; None if play does not meet it."""
    formulas = tree.formulas or Formulas()
    event = formulas.defined[name].test_of or name
    family = {event, *(test for test, two in formulas.defined.items() if two.test_of == event)}
    signals = {n for n, other in formulas.events.items() if other in family}
    scope = scope_of(numbers, nodes, signals.__contains__)
    if scope is None:
        return None
    posteriors = Posteriors(formulas.defined, tree.parameters)
    beliefs: dict[Shown, Belief] = {}

    def belief(shown: Mapping[str, Shown]) -> Belief:
        state = shown.get(event, ())
        assert state is not None  # the reader refuses such a file
        if state not in beliefs:
            chances, domain = posteriors.chances(name, state), domain_of(numbers.exact)
            # New parameters are derived with each belief.
            values = ParameterValues(posteriors.parameters, domain)
            beliefs[state] = [evaluate(chances[o], domain, values) for o in outcomes]
        return beliefs[state]

    within = frozenset(scope)
    node: dict[int, Belief] = {}
    branch: dict[int, Belief] = {}
    for n, shown in histories(tree, formulas.defined):
        if n in within:
            node[n] = belief(shown)
            for b in tree.branches_of(n) if n not in nodes else ():
                if numbers.columns.probability[b] > 0:
                    branch[b] = belief(shown_after(tree, formulas.defined, n, b, shown))
    return Event(numbers, name, nodes, outcomes, node, branch, scope)


def _node_at(tree: Tree, path: str, names: list[str]) -> int:
    """Return the chance node at a path."""
    known = "the tree has no `event:`"
    if names:
        known = f"the events are {', '.join(map(escape, names))}"
    try:
        node = tree.find(path).id
    except TreeError:
        found = f"no event {quote(path)}{did_you_mean(path, names)}: {known}"
        inner = (
            path for node, path in tree.walk() if node.kind == CHANCE and node.id != tree.root_id
        )
        example = next(inner, "")
        such_as = f", such as {quote(example)}" if example else ""
        also = f"the path of a chance node is an event, too{such_as}"
        raise AnalysisError(f"{found}; {also}") from None
    if tree.columns.kind[node] != CHANCE:
        raise AnalysisError(f"{escape(path)} is not a chance node: {known}")
    return node


def _check_others(tree: Tree, name: str, nodes: frozenset[int]) -> None:
    """Raise `AnalysisError` if another event may depend on this one in a way that is not shown.

    Its nodes below the event show its probabilities given an outcome. If play also meets it without
    the event, those nodes have to show the same. An event that the file defines depends only on its
    tests.
    """
    formulas, p = tree.formulas or Formulas(), tree.columns.probability
    without = reached(tree, (tree.root_id,), nodes)
    below = [tree.columns.child[b] for n in nodes if without[n] for b in tree.branches_of(n)]
    after = reached(tree, below)
    shown: dict[str, dict[str, Any]] = {}  # the probabilities at the first node of each event
    differing, is_after = set[str](), set[str]()
    met: dict[str, int] = {}  # where play meets an event without this one
    for n, other in formulas.events.items():
        if n in nodes or other in formulas.defined or not (after[n] or without[n]):
            continue
        row = {tree.branch_label(n, b): p[b] for b in tree.branches_of(n)}
        first = shown.setdefault(other, row)
        if any(not is_near(first.get(label, 0), q) for label, q in row.items()):
            differing.add(other)
        if after[n]:
            is_after.add(other)
        if without[n]:
            met.setdefault(other, n)
    for other, n in met.items():
        if other in is_after and other in differing:
            raise AnalysisError(
                f"{escape(tree.path_of(n))}: {escape(other)} may depend on {escape(name)}, and "
                f"play also meets it without {escape(name)}: define both under `events`"
            )
