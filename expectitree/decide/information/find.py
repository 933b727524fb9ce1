"""Find an event by its name or by the path of a chance node, with the beliefs about it.

The beliefs about an event that the file defines follow from its prior and the likelihoods of its
tests. Those about another event follow from the probabilities at the nodes (`shown.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from expectitree.base.errors import AnalysisError, TreeError
from expectitree.base.expressions.domains import domain_of
from expectitree.base.expressions.evaluation import evaluate
from expectitree.base.names import did_you_mean
from expectitree.base.numbers import escape, quote
from expectitree.decide.information.beliefs import Belief, Event, check_once, is_near, scope_of
from expectitree.decide.information.shown import dependents, shown_event
from expectitree.tree.bayes import Definitions, Histories, Posteriors, Shown
from expectitree.tree.columns import CHANCE
from expectitree.tree.formulas import Formulas
from expectitree.tree.model import Tree
from expectitree.tree.parameters import ParameterValues


def name_of(tree: Tree, name: str) -> str:
    """Return the name of an event, or the path of a chance node without one.

    Raises `AnalysisError` if there is no such event.
    """
    events = (tree.formulas or Formulas()).events
    names = list(dict.fromkeys(events.values()))
    return name if name in names else events.get(_node_at(tree, name, names), name)


def nodes_of(tree: Tree, name: str) -> frozenset[int]:
    """Return the chance nodes that represent an event, by what `name_of` returns."""
    events = (tree.formulas or Formulas()).events
    return frozenset(n for n, event in events.items() if event == name) or frozenset(
        [tree.find(name).id]
    )


def labels_of(tree: Tree, name: str) -> tuple[str, ...]:
    """Return the outcomes of an event, in order."""
    first = max(nodes_of(tree, name))
    return tuple(tree.branch_label(first, b) for b in tree.branches_of(first))


def find_event(
    numbers: Tree,
    tree: Tree,
    name: str,
    at: int,
    known: Mapping[str, str] = MappingProxyType({}),
) -> Event | None:
    """Return an event by what `name_of` returns; None if play does not meet it from a node on.

    Args:
        numbers: The tree, in the numbers to compute in.
        tree: The tree as it was loaded.
        name: The name of the event.
        at: The node at which something is known.
        known: The outcomes of other events that are known, by name.

    Raises:
        AnalysisError: A play can meet the event twice, or the tree does not give the joint
            distribution of the event and its signals.
    """
    nodes, outcomes = nodes_of(tree, name), labels_of(tree, name)
    check_once(numbers, name, nodes)
    formulas = tree.formulas or Formulas()
    if name not in formulas.defined:
        return shown_event(numbers, name, nodes, outcomes, at)
    _check_independence(numbers, name, nodes)
    event = formulas.defined[name].test_of or name
    family = {event, *(test for test, two in formulas.defined.items() if two.test_of == event)}
    signals = {n for n, other in formulas.events.items() if other in family}
    scope = scope_of(numbers, at, nodes, signals.__contains__)
    if not scope or scope[-1] != at:
        return None
    posteriors = Posteriors(formulas.defined, Definitions(tree.parameters))
    beliefs: dict[Shown, Belief] = {}

    def belief(shown: Mapping[str, Shown]) -> Belief:
        state = shown.get(event, ())
        assert state is not None  # the reader refuses such a file
        if state not in beliefs:
            chances, domain = posteriors.chances(name, state), domain_of(numbers.exact)
            # New parameters are derived with each belief.
            values = ParameterValues(posteriors.definitions.parameters, domain)
            beliefs[state] = Belief([evaluate(chances[o], domain, values) for o in outcomes])
        return beliefs[state]

    within = frozenset(scope)
    node: dict[int, Belief] = {}
    branch: dict[int, Belief] = {}
    known = {one: label for one, label in known.items() if one in formulas.defined}
    histories = Histories(tree, formulas.defined, known)
    for n, shown in histories:
        if n in within:
            node[n] = belief(shown)
            for b in tree.branches_of(n) if n not in nodes else ():
                if numbers.columns.probability[b] > 0:
                    branch[b] = belief(histories.after(n, b, shown))
    return Event(numbers, name, nodes, at, outcomes, node, branch, scope)


def never_meets(tree: Tree, name: str, at: int) -> AnalysisError:
    """Return the error about an event that play does not meet from a node on."""
    where = "play" if at == tree.root_id else f"{escape(tree.path_of(at))}: play after this node"
    return AnalysisError(f"{where} never meets {escape(name)}")


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


def _check_independence(tree: Tree, name: str, nodes: frozenset[int]) -> None:
    """Raise `AnalysisError` if an event that the file does not define depends on one that it does.

    That matters only if play also meets the other event without this one.
    """
    for other, places in dependents(tree, nodes).items():
        place, after = places[0]
        expected = next(iter(after.values()))
        for n in nodes_of(tree, other):
            for b in tree.branches_of(n):
                p, q = tree.columns.probability[b], expected[tree.branch_label(n, b)]
                if not is_near(p, q):
                    raise AnalysisError(
                        f"{escape(tree.path_of(place))}: {escape(other)} depends on "
                        f"{escape(name)}, and play also meets it without {escape(name)}: define "
                        f"{escape(other)} as a test of {escape(name)} under `events`"
                    )
