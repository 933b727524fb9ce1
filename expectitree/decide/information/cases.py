"""What may be known in advance: each case has its probability, and the tree given what is known.

The tree given the outcome of one event is a tree like any other, in which the next event has its
probabilities given that outcome. So the joint distribution of several events is the product of the
beliefs at the roots of these trees.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import escape
from expectitree.base.tree.columns import CHANCE
from expectitree.base.tree.formulas import Formulas
from expectitree.base.tree.model import Tree
from expectitree.decide.information.beliefs import Event, Evidence, weight
from expectitree.decide.information.events import find_event, nodes_of
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


def in_order(tree: Tree, names: Collection[str]) -> list[str]:
    """Return the names of events in the order in which to find them.

    Those that the file defines are known whatever happens before them. Others may be met only after
    an outcome of an event above them, so those below are first.
    """
    defined = (tree.formulas or Formulas()).defined
    return sorted(names, key=lambda name: (name not in defined, min(nodes_of(tree, name))))


def outcome_cases(tree: Tree, names: Collection[str], case: Case) -> Iterator[Case]:
    """Yield each combination of outcomes that can occur, after what is known.

    `tree` is the tree as it was loaded. Raises `AnalysisError` if it does not give the joint
    distribution of the events.
    """
    if not names:
        yield case
        return
    event = _first_event(tree, names, case)
    others = [name for name in names if name != event.name]
    for o, label in enumerate(event.outcomes):
        if event.prior[o]:
            known = {**case.known, event.name: label}
            chosen = {n: branches[label] for n, branches in event.branch_of.items()}
            after = Case(known, case.p * event.prior[o], _tree_given(event, o), chosen)
            yield from outcome_cases(tree, others, replace(after, choices=case.choices | chosen))


def _first_event(tree: Tree, names: Collection[str], case: Case) -> Event:
    """Return the first event that the tree gives after what is known.

    Another one may depend on it.
    """
    errors = []
    for name in names:
        try:
            return find_event(case.tree, tree, name, case.known)
        except AnalysisError as error:
            errors.append(error)
    known = " and ".join(f"{escape(name)} is {escape(x)}" for name, x in case.known.items())
    raise AnalysisError(f"if {known}: {errors[0]}" if known else str(errors[0]))


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
