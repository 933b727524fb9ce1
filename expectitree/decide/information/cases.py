"""What may be known in advance: each case has its probability, and the tree given what is known.

The tree given the outcome of one event is a tree like any other, in which the next event has its
probabilities given that outcome. So the joint distribution of several events is the product of the
beliefs at the roots of these trees.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import escape
from expectitree.base.tree.columns import CHANCE
from expectitree.base.tree.formulas import Formulas
from expectitree.base.tree.model import Tree
from expectitree.decide.information.beliefs import (
    Event,
    Evidence,
    NeverMetError,
    meeting_nodes,
    reached,
    weight,
)
from expectitree.decide.information.events import find_event
from expectitree.searches.backward_induction import values_under
from expectitree.searches.engine import search_tree
from expectitree.searches.result import PLAYERS


@dataclass(frozen=True)
class Case:
    """What is known in a case, and the tree then."""

    known: Mapping[str, str]  # the outcomes of events, or the signal of a test
    p: Any
    tree: Tree  # with its probabilities given what is known
    choices: Mapping[int, int]  # the branches of nodes whose outcome is known

    def result(self, eps: Any) -> tuple[Any, tuple[str, ...]]:
        """Return the value of the tree and its best actions; `eps` is the difference of a tie."""
        tree, columns = self.tree, self.tree.columns
        if tree.attitude is not None:
            search = search_tree(tree)
            return search.value, search.ties
        values = values_under(tree, self.choices)
        root, best = tree.root_id, []
        for b in tree.branches_of(root) if columns.kind[root] in PLAYERS else ():
            if abs(tree.reward_of(b) + values[columns.child[b]] - values[root]) <= eps:
                best.append(tree.branch_label(root, b))
        return tree.root_reward + values[root], tuple(best)


def signal_cases(event: Event, test: Mapping[str, Evidence]) -> Iterator[Case]:
    """Yield a case for each signal of a test that can occur."""
    for signal, evidence in test.items():
        p = weight(event.prior, evidence)
        if p:
            yield Case({"signal": signal}, p, _tree_given(event, evidence), {})


def outcome_cases(tree: Tree, events: Mapping[str, frozenset[int]], case: Case) -> Iterator[Case]:
    """Yield each combination of outcomes of events that can occur, after what is known.

    `tree` is the tree as it was loaded, and `events` has the nodes of each by name. Raises
    `AnalysisError` if the tree does not give the joint distribution of the events.
    """
    event = _first_event(tree, events, case)
    if event is None:
        yield case
        return
    others = {other: nodes for other, nodes in events.items() if other != event.name}
    for o, label in enumerate(event.outcomes):
        if event.prior[o]:
            known = {**case.known, event.name: label}
            chosen = {n: branches[label] for n, branches in event.branch_of.items()}
            choices = {**case.choices, **chosen}
            after = Case(known, case.p * event.prior[o], _tree_given(event, o), choices)
            yield from outcome_cases(tree, others, after)


def _first_event(tree: Tree, events: Mapping[str, frozenset[int]], case: Case) -> Event | None:
    """Return the first event that the tree gives after what is known.

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
    if errors:
        known = " and ".join(f"{escape(name)} is {escape(x)}" for name, x in case.known.items())
        raise AnalysisError(f"if {known}: {errors[0]}" if known else errors[0])
    return None


def _has_signal(tree: Tree, name: str, nodes: frozenset[int], case: Case) -> bool:
    """Return whether play, which does not meet an event, may meet another that depends on it.

    Elsewhere the event follows that one. An event that the file defines depends on its tests alone.
    """
    formulas = tree.formulas or Formulas()
    if name in formulas.defined:
        return False
    played, above = reached(case.tree, (tree.root_id,)), meeting_nodes(tree, nodes)
    before = {other for n, other in formulas.events.items() if above[n]}.difference(case.known)
    return any(played[n] and other in before for n, other in formulas.events.items())


def _tree_given(event: Event, evidence: Evidence) -> Tree:
    """Return the tree of an event with its probabilities given evidence."""
    tree = event.tree
    probability: Any = tree.columns.probability[:]
    zero = probability[0] * 0  # a float stays one
    for n in event.scope:
        if tree.columns.kind[n] == CHANCE:
            shares = event.shares(n, evidence)
            for b in tree.branches_of(n):
                probability[b] = zero
            for b, share in shares.items():
                probability[b] = zero + share
    return replace(tree, columns=tree.columns._replace(probability=probability))
