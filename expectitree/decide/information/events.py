"""What users name: an event, by its name or the path of a chance node, and a test for it.

The beliefs about an event that the file defines follow from its prior and the likelihoods of its
tests. Those about another event follow from the probabilities at the nodes (`shown.py`). The
likelihoods of a test are the probabilities of its signals: by signal, then by outcome.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TypeAlias

from expectitree.base.errors import AnalysisError, FileError, NumberError, TreeError
from expectitree.base.expressions.evaluation import domain_of, evaluate
from expectitree.base.expressions.parser import parse
from expectitree.base.names import did_you_mean
from expectitree.base.numbers import Number, escape, exact_text, message_text, quote, to_exact
from expectitree.base.tree.bayes import Posteriors, Shown, histories, shown_after
from expectitree.base.tree.columns import CHANCE
from expectitree.base.tree.formulas import REST
from expectitree.base.tree.model import Tree
from expectitree.base.tree.parameters import ParameterValues
from expectitree.base.tree.paths import composed
from expectitree.decide.information.beliefs import (
    NEAR,
    Belief,
    Event,
    check_once,
    is_near,
    meeting_nodes,
    possible_branches,
    reached,
    scope_of,
)
from expectitree.decide.information.shown import ShownBeliefs
from expectitree.decide.records import Labels
from expectitree.files import parse as parse_document
from expectitree.files import read_text
from expectitree.files.grammar.document import error_in

# By signal and outcome: a number, or a text such as "0.9", "1/3", "1 - spec" and "rest".
Likelihoods: TypeAlias = Mapping[str, Mapping[str, "Number | str"]]

_FORM = "write signal: {outcome: probability, ...}, such as `positive: {oil: 0.9, dry: 0.3}`"


def events_named(tree: Tree, names: Iterable[str]) -> dict[str, frozenset[int]]:
    """Return the nodes of events by name; a user may also give the path of a node.

    Raises `AnalysisError` if there is no such event.
    """
    events = tree.formulas.events
    known = list(dict.fromkeys(events.values()))
    found = {}
    for name in map(composed, names):
        nodes = [n for n, other in events.items() if other == name] or [_node_at(tree, name, known)]
        event = events.get(nodes[0], name)
        found[event] = frozenset(n for n in (*events, *nodes) if events.get(n, name) == event)
    return found


def find_event(
    numbers: Tree, tree: Tree, name: str, nodes: frozenset[int], known: Mapping[str, str]
) -> Event:
    """Return an event.

    Args:
        numbers: The tree in the numbers to compute in, with its probabilities given `known`.
        tree: The tree as it was loaded.
        name: The name of the event.
        nodes: Its nodes.
        known: The outcomes of other events that are known.

    Raises:
        AnalysisError: Play never meets the event, or the tree does not give the joint distribution
            of the event and its signals.
    """
    check_once(numbers, name, nodes)
    _check_others(numbers, name, nodes)
    if name in tree.formulas.defined:
        return _defined_event(numbers, tree, name, nodes, known)
    return ShownBeliefs(numbers, name, nodes, _outcomes(tree, nodes)).event()


def _outcomes(tree: Tree, nodes: frozenset[int]) -> Labels:
    first = max(nodes)
    return tuple(tree.branch_label(first, b) for b in tree.branches_of(first))


def _defined_event(
    numbers: Tree, tree: Tree, name: str, nodes: frozenset[int], known: Mapping[str, str]
) -> Event:
    """Return an event that the file defines."""
    formulas, outcomes = tree.formulas, _outcomes(tree, nodes)
    event = formulas.defined[name].test_of or name
    family = {event, *(test for test, two in formulas.defined.items() if two.test_of == event)}
    signals = {n for n, other in formulas.events.items() if other in family}
    scope = scope_of(numbers, name, nodes, signals)
    posteriors = Posteriors(formulas.defined, tree.parameters)
    beliefs: dict[Shown, Belief] = {}

    def belief(shown: Mapping[str, Shown]) -> Belief:
        state = known.get(event, shown.get(event, ()))
        if isinstance(state, tuple):
            more = family.intersection(known) - {test for test, _ in state}
            state = tuple(sorted((*state, *((test, known[test]) for test in more))))
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
        if n in within - nodes:
            for b in possible_branches(numbers, n):
                branch[b] = belief(shown_after(tree, formulas.defined, n, b, shown))
    return Event(numbers, name, nodes, outcomes, node, branch, scope)


def such_as(tree: Tree, option: str = "") -> str:
    """Return the path of a chance node below the root as an example, if there is one."""
    inner = (path for node, path in tree.walk() if node.kind == CHANCE and node.id != tree.root_id)
    example = next(inner, "")
    return f", such as {option}{quote(example)}" if example else ""


def _node_at(tree: Tree, path: str, names: list[str]) -> int:
    """Return the chance node at a path."""
    known = "the tree has no `event:`"
    if names:
        known = f"the events are {', '.join(map(escape, names))}"
    try:
        node = tree.find(path).id
    except TreeError:
        found = f"no event {quote(path)}{did_you_mean(path, names)}: {known}"
        also = f"the path of a chance node is an event, too{such_as(tree)}"
        raise AnalysisError(f"{found}; {also}") from None
    if tree.columns.kind[node] != CHANCE:
        raise AnalysisError(f"{escape(path)} is not a chance node: {known}")
    return node


def _check_others(tree: Tree, name: str, nodes: frozenset[int]) -> None:
    """Raise `AnalysisError` if another event may depend on this one in a way that is not shown.

    Its nodes below the event show its probabilities given an outcome. If play also meets it without
    the event, those nodes have to show the same. Where the event always follows, its probabilities
    show how it depends on the other. An event that the file defines depends only on its tests.
    """
    formulas, p = tree.formulas, tree.columns.probability
    without = reached(tree, (tree.root_id,), nodes)
    below = [tree.columns.child[b] for n in nodes if without[n] for b in tree.branches_of(n)]
    after, followed = reached(tree, below), meeting_nodes(tree, nodes, min)
    met: dict[str, list[int]] = {}
    for n, other in formulas.events.items():
        if n not in nodes and other not in formulas.defined and (after[n] or without[n]):
            met.setdefault(other, []).append(n)
    for other, others in met.items():
        rows = [{tree.branch_label(n, b): p[b] for b in tree.branches_of(n)} for n in others]
        is_same = all(is_near(rows[0].get(x, 0), q) for row in rows for x, q in row.items())
        alone = [n for n in others if without[n] and not followed[n]]
        if alone and any(after[n] for n in others) and not is_same:
            raise AnalysisError(
                f"{escape(tree.path_of(alone[0]))}: {escape(other)} may depend on {escape(name)}, "
                f"and play also meets it without {escape(name)}\ndefine both under `events`"
            )


# ---- The likelihoods of a test.


class LikelihoodError(AnalysisError):
    """Likelihoods that are not those of a test of the event."""


def read_likelihoods(path: str) -> dict[str, dict[str, str]]:
    """Return the likelihoods in a file as texts; raise `FileError` if it has something else."""
    text, name = read_text(path)
    root = parse_document(text, name).root

    def wrong(message: str) -> FileError:
        return error_in(name, message)

    if not isinstance(root, tuple) or not root:
        raise wrong(f"found no mapping\n{_FORM}")
    found: dict[str, dict[str, str]] = {}
    for signal, row in root:
        if not isinstance(row, tuple):
            raise wrong(f"{escape(signal)}: found no mapping\n{_FORM}")
        if signal in found:
            raise wrong(f"duplicate signal {quote(signal)}\nkeep one")
        own = found[str(signal)] = dict[str, str]()
        for outcome, p in row:
            problem = ""
            if not isinstance(p, str):
                problem = "found no number"
            elif outcome in own:
                problem = "a duplicate key"
            if problem:
                raise wrong(f"{escape(signal)}/{escape(outcome)}: {problem}\n{_FORM}")
            own[str(outcome)] = str(p)
    return found


def likelihood_values(
    tree: Tree, likelihoods: Likelihoods, outcomes: Labels
) -> dict[str, list[Fraction]]:
    """Return the likelihoods of each signal as fractions, in the order of the outcomes.

    Raises `LikelihoodError` unless each outcome has a distribution over the signals.
    """
    if not likelihoods:
        raise LikelihoodError("the test has no signals\ngive the likelihoods of at least one")
    for signal, row in likelihoods.items():
        if set(row) != set(outcomes):
            raise LikelihoodError(
                f"the signal {escape(signal)} has likelihoods of {', '.join(map(escape, row))}\n"
                f"write one of each outcome: {', '.join(map(escape, outcomes))}"
            )
    columns = [
        _distribution(tree, outcome, {signal: row[outcome] for signal, row in likelihoods.items()})
        for outcome in outcomes
    ]
    return {signal: [column[signal] for column in columns] for signal in likelihoods}


def _distribution(
    tree: Tree, outcome: str, written: Mapping[str, Number | str]
) -> dict[str, Fraction]:
    """Return the likelihoods of signals given an outcome; irrational formulas to 60 digits."""
    domain = domain_of(exact=True)
    parameters = ParameterValues(tree.parameters, domain)
    rests = [signal for signal, p in written.items() if p == REST]
    if len(rests) > 1:
        place = f"{escape(outcome)} at {' and '.join(map(escape, rests[:2]))}"
        raise LikelihoodError(f"two signals have the rest of {place}\ngive one a number")
    found: dict[str, Fraction] = {}
    for signal, p in written.items():
        if p == REST:
            continue
        try:
            text = p if isinstance(p, str) else exact_text(p)
            found[signal] = to_exact(evaluate(parse(text, tree.parameters), domain, parameters))
        except NumberError as error:
            raise LikelihoodError(f"{escape(signal)}/{escape(outcome)}: {error.lines}") from None
    rest = 1 - sum(found.values(), Fraction(0))
    found.update(dict.fromkeys(rests, rest))
    for signal, value in found.items():
        if not 0 <= value <= 1:
            raise LikelihoodError(
                f"{escape(signal)}/{escape(outcome)}: the likelihood is {message_text(value)}\n"
                "write a number from 0 to 1"
            )
    if not rests and abs(rest) > NEAR:
        raise LikelihoodError(
            f"the likelihoods of the signals for {escape(outcome)} sum to "
            f"{message_text(1 - rest)}, expected 1\ncorrect them, or write `rest` for one"
        )
    return found
