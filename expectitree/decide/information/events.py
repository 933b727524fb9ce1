"""What users name: an event, by its name or the path of a chance node, and a test for it.

The beliefs about an event that the file defines follow from its prior and the likelihoods of its
tests. Those about another event follow from the probabilities at the nodes (`shown.py`). The
likelihoods of a test are the probabilities of its signals: by signal, then by outcome.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from expectitree.base.errors import AnalysisError, FileError, NumberError, Problem, TreeError
from expectitree.base.expressions.evaluation import domain_of, evaluate
from expectitree.base.expressions.parser import parse
from expectitree.base.names import did_you_mean
from expectitree.base.numbers import Number, escape, exact_text, message_text, quote, to_exact
from expectitree.base.tree.bayes import Posteriors, Shown, histories, shown_after
from expectitree.base.tree.columns import CHANCE
from expectitree.base.tree.formulas import REST, Formulas
from expectitree.base.tree.model import Tree
from expectitree.base.tree.parameters import ParameterValues
from expectitree.decide.information.beliefs import (
    NEAR,
    Belief,
    Event,
    check_once,
    check_steps,
    is_near,
    possible_branches,
    reached,
    scope_of,
)
from expectitree.decide.information.shown import ShownBeliefs
from expectitree.files import parse as parse_document
from expectitree.files import read_text

# By signal and outcome: a number, or a text such as "0.9", "1/3", "1 - spec" and "rest".
Likelihoods: TypeAlias = Mapping[str, Mapping[str, "Number | str"]]

_EXPECTED = "expected signal: {outcome: probability, ...}, such as positive: {oil: 0.9, dry: 0.3}"


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
    formulas = tree.formulas or Formulas()
    names = list(dict.fromkeys(formulas.events.values()))
    name = event
    if event not in names:
        name = formulas.events.get(_node_at(tree, event, names), event)
    nodes = frozenset(n for n, other in formulas.events.items() if other == name)
    nodes = nodes or frozenset([tree.find(name).id])
    check_steps(tree, name, nodes, signals)
    first = max(nodes)
    outcomes = tuple(tree.branch_label(first, b) for b in tree.branches_of(first))
    check_once(numbers, name, nodes)
    _check_others(numbers, name, nodes)
    if name in formulas.defined:
        return _defined_event(numbers, tree, name, nodes, outcomes)
    return ShownBeliefs(numbers, name, nodes, outcomes).event()


def _defined_event(
    numbers: Tree, tree: Tree, name: str, nodes: frozenset[int], outcomes: tuple[str, ...]
) -> Event:
    """Return an event that the file defines."""
    formulas = tree.formulas or Formulas()
    event = formulas.defined[name].test_of or name
    family = {event, *(test for test, two in formulas.defined.items() if two.test_of == event)}
    signals = {n for n, other in formulas.events.items() if other in family}
    scope = scope_of(numbers, name, nodes, signals)
    posteriors = Posteriors(formulas.defined, tree.parameters)
    beliefs: dict[Shown, Belief] = {}

    def belief(shown: Mapping[str, Shown]) -> Belief:
        state = shown.get(event, ())
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
            for b in possible_branches(numbers, n) if n not in nodes else ():
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


# ---- The likelihoods of a test.


class LikelihoodError(AnalysisError):
    """Likelihoods that are not those of a test of the event."""


def read_likelihoods(path: str) -> dict[str, dict[str, str]]:
    """Return the likelihoods in a file as texts; raise `FileError` if it has something else."""
    text, name = read_text(path)
    root = parse_document(text, name).root

    def wrong(message: str) -> FileError:
        return FileError([Problem(name, message)])

    if not isinstance(root, tuple) or not root:
        raise wrong(f"found no mapping, {_EXPECTED}")
    found: dict[str, dict[str, str]] = {}
    for signal, row in root:
        if not isinstance(row, tuple):
            raise wrong(f"{escape(signal)}: found no mapping, {_EXPECTED}")
        if signal in found:
            raise wrong(f"duplicate signal {quote(signal)}: keep one")
        own = found[str(signal)] = dict[str, str]()
        for outcome, p in row:
            if not isinstance(p, str) or outcome in own:
                problem = "a duplicate key" if isinstance(p, str) else "found no number"
                raise wrong(f"{escape(signal)}/{escape(outcome)}: {problem}, {_EXPECTED}")
            own[str(outcome)] = str(p)
    return found


def likelihood_values(
    tree: Tree, likelihoods: Likelihoods, outcomes: tuple[str, ...]
) -> dict[str, dict[str, Fraction]]:
    """Return the values of likelihoods as fractions, those of irrational formulas to 60 digits.

    Raises `LikelihoodError` unless each outcome has a distribution over the signals.
    """
    if not likelihoods:
        raise LikelihoodError("the test has no signals: give the likelihoods of at least one")
    domain = domain_of(exact=True)
    parameters = ParameterValues(tree.parameters, domain)
    found: dict[str, dict[str, Fraction]] = {}
    rests: dict[str, str] = {}  # the signal whose likelihood is the rest, by outcome
    for signal, row in likelihoods.items():
        if set(row) != set(outcomes):
            raise LikelihoodError(
                f"the signal {escape(signal)} has likelihoods of {', '.join(map(escape, row))}, "
                f"expected one of each outcome: {', '.join(map(escape, outcomes))}"
            )
        found[signal] = {}
        for outcome, p in row.items():
            if p == REST and outcome in rests:
                place = f"{escape(outcome)} at {escape(rests[outcome])} and {escape(signal)}"
                raise LikelihoodError(f"two signals have the rest of {place}: give one a number")
            if p == REST:
                rests[outcome] = signal
                continue
            try:
                formula = parse(p if isinstance(p, str) else exact_text(p), tree.parameters)
                found[signal][outcome] = to_exact(evaluate(formula, domain, parameters))
            except NumberError as error:
                raise LikelihoodError(f"{escape(signal)}/{escape(outcome)}: {error}") from None
    for outcome, signal in rests.items():
        others = [row[outcome] for row in found.values() if outcome in row]
        found[signal][outcome] = 1 - sum(others, Fraction(0))
    _check(found, outcomes)
    return found


def _check(found: Mapping[str, Mapping[str, Fraction]], outcomes: tuple[str, ...]) -> None:
    """Raise `LikelihoodError` unless each outcome has a distribution over the signals."""
    for signal, values in found.items():
        for outcome, value in values.items():
            if not 0 <= value <= 1:
                raise LikelihoodError(
                    f"{escape(signal)}/{escape(outcome)}: the likelihood is {message_text(value)}, "
                    "expected a number from 0 to 1"
                )
    for outcome in outcomes:
        total = sum((row[outcome] for row in found.values()), Fraction(0))
        if abs(total - 1) > NEAR:
            raise LikelihoodError(
                f"the likelihoods of the signals for {escape(outcome)} sum to "
                f"{message_text(total)}, expected 1: correct them, or write `rest` for one"
            )
