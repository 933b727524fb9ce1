"""Cases of information: the known outcomes, their probability, and the tree given these outcomes.

The tree given the outcome of one event is a tree like any other, in which the next event has its
probabilities given that outcome. So the joint distribution of several events is the product of the
beliefs at the roots of these trees.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import escape
from expectitree.base.tree.columns import CHANCE
from expectitree.base.tree.model import Tree
from expectitree.decide.information.beliefs import (
    Event,
    Evidence,
    NeverMetError,
    meeting_nodes,
    possible_branches,
    reached,
    weight,
)
from expectitree.decide.information.events import find_event
from expectitree.decide.records import Amount, Labels
from expectitree.searches.backward_induction import values_under
from expectitree.searches.engine import search_tree
from expectitree.searches.result import PLAYERS, Search


@dataclass(frozen=True)
class Case:
    """Known outcomes, their probability, and the tree given these outcomes."""

    known: Mapping[str, str]  # the outcomes of events, or the signal of a test
    p: Amount
    tree: Tree  # with its probabilities given `known`
    choices: Mapping[int, int]  # the branches of nodes with one possible outcome

    def search(self, now: Search) -> Search:
        """Return the search of the tree, given that of the tree of which nothing is known."""
        if self.tree.attitude is not None:
            return search_tree(self.tree)
        values = values_under(self.tree, self.choices)  # other outcomes take no time
        return replace(now, tree=self.tree, lower=values, upper=values)


def best_actions(search: Search, n: int) -> Labels:
    """Return the best actions at a node, in order; none if no player decides there."""
    tree = search.tree
    if tree.columns.kind[n] not in PLAYERS:
        return ()
    return tuple(tree.branch_label(n, b) for b in sorted(search.best_branches(n)))


def later_actions(search: Search) -> dict[int, Labels]:
    """Return the best actions of the decisions below the root that play reaches, by node."""
    tree, actions = search.tree, dict[int, Labels]()
    reached = {tree.root_id}
    for n in range(tree.root_id, -1, -1):
        if n not in reached:
            continue
        branches: Iterable[int] = possible_branches(tree, n)
        if tree.columns.kind[n] in PLAYERS:
            branches, actions[n] = search.best_branches(n), best_actions(search, n)
        reached.update(tree.columns.child[b] for b in branches)
    actions.pop(tree.root_id, None)
    return actions


def outcome_cases(tree: Tree, events: Mapping[str, frozenset[int]], case: Case) -> Iterator[Case]:
    """Yield each combination of outcomes of events that can occur, given those of a case.

    `tree` is the tree as it was loaded, and `events` has the nodes of each by name. Raises
    `AnalysisError` if the tree does not give the joint distribution of the events.
    """
    event = _first_event(tree, events, case)
    if event is None:
        yield case
        return
    others = {name: nodes for name, nodes in events.items() if name != event.name}
    outcomes = {label: o for o, label in enumerate(event.outcomes)}
    for after in cases_after(case, event, event.name, outcomes):
        yield from outcome_cases(tree, others, after)


def cases_after(
    case: Case, event: Event, name: str, evidence: Mapping[str, Evidence]
) -> Iterator[Case]:
    """Yield a case for each piece of evidence that can occur; `name` is the event or the test."""
    tree, columns = event.tree, event.tree.columns
    for label, one in evidence.items():
        p = weight(event.prior, one)
        if not p:
            continue
        probability: Amount = columns.probability[:]
        zero = probability[0] * 0  # a float stays one
        choices = dict(case.choices)
        for n in event.scope:
            if columns.kind[n] == CHANCE:
                shares = event.shares(n, one)
                for b in tree.branches_of(n):
                    probability[b] = zero + shares[b] if b in shares else zero
                if len(shares) == 1:
                    (choices[n],) = shares
        given = replace(tree, columns=columns._replace(probability=probability))
        yield Case({**case.known, name: label}, case.p * p, given, choices)


def _first_event(tree: Tree, events: Mapping[str, frozenset[int]], case: Case) -> Event | None:
    """Return the first event that the tree gives after the outcomes of a case.

    Another one may depend on it. It is None if no event matters.
    """
    errors = []
    for name, nodes in events.items():
        try:
            return find_event(case.tree, tree, name, nodes, case.known)
        except NeverMetError as error:
            if not case.known or _has_signal(tree, name, nodes, case):
                errors.append(str(error))
        except AnalysisError as error:
            errors.append(str(error))
    if not errors:
        return None
    if not case.known:
        raise AnalysisError(errors[0])
    known = " and ".join(f"{escape(name)} is {escape(x)}" for name, x in case.known.items())
    raise AnalysisError(f"if {known}: {errors[0]}")


def _has_signal(tree: Tree, name: str, nodes: frozenset[int], case: Case) -> bool:
    """Return whether play, which does not meet an event, may meet another that depends on it.

    Elsewhere the event follows that one. An event that the file defines depends on its tests alone.
    """
    formulas = tree.formulas
    events = formulas.events
    played, above = reached(case.tree, (tree.root_id,)), meeting_nodes(tree, nodes)
    signals = {events[n] for n in events if above[n]}.difference(case.known)
    return name not in formulas.defined and any(played[n] and events[n] in signals for n in events)
