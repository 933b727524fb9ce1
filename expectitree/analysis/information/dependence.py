"""Refuse an event on which another event depends that play can meet without it.

A tree shows how oil depends on a test's result only below the test. If the result were known in
advance, the oil of the other branches would be another, too. The tree does not say which, so the
value with that information cannot be computed from it.
"""

from __future__ import annotations

from typing import Any

from expectitree.analysis.information.events import Chances, Event
from expectitree.errors import AnalysisError
from expectitree.numbers import escape, message_text
from expectitree.tree.columns import CHANCE
from expectitree.tree.model import Tree


def check_dependence(event: Event, near: Any) -> None:
    """Raise `AnalysisError` if another event depends on one, and play meets it without that."""
    tree = event.tree
    events = tree.formulas.events if tree.formulas is not None else {}
    without = _reached_without(event)
    others = dict.fromkeys(name for n, name in events.items() if without[n])
    for other in others:
        if other == event.name:
            continue
        chances = _chances(tree, {n for n, name in events.items() if name == other})
        for n in sorted(event.nodes):
            if without[n]:
                _compare(event, n, other, chances, near)


def _reached_without(event: Event) -> bytearray:
    """Return [N] whether play reaches a node without passing a node of the event."""
    tree, columns = event.tree, event.tree.columns
    reached = bytearray(len(tree))
    reached[event.at] = True
    for n in range(event.at, -1, -1):
        if reached[n] and n not in event.nodes:
            for b in tree.branches_of(n):
                if columns.probability[b] > 0:
                    reached[columns.child[b]] = True
    return reached


def _chances(tree: Tree, nodes: set[int]) -> dict[int, Chances]:
    """Return the probabilities of an event from each node on, among the plays that meet it."""
    columns = tree.columns
    found: dict[int, Chances] = {}
    for n in range(len(tree)):
        branches = tree.branches_of(n)
        if n in nodes:
            found[n] = {tree.branch_label(n, b): columns.probability[b] for b in branches}
            continue
        shares: list[tuple[Any, Chances]] = [
            (columns.probability[b], found[columns.child[b]])
            for b in branches
            if columns.child[b] in found and columns.probability[b] > 0
        ]
        if columns.kind[n] != CHANCE:
            shares = shares[:1]
        if shares:
            mass = sum(p for p, _ in shares)
            outcomes = shares[0][1]
            found[n] = {o: sum(p * one[o] for p, one in shares) / mass for o in outcomes}
    return found


def _compare(event: Event, n: int, other: str, chances: dict[int, Chances], near: Any) -> None:
    """Raise `AnalysisError` if an event has different probabilities after outcomes of a node."""
    tree, columns = event.tree, event.tree.columns
    after = [
        (b, chances[columns.child[b]])
        for b in tree.branches_of(n)
        if columns.child[b] in chances and columns.probability[b] > 0
    ]
    for b, found in after[1:]:
        first, expected = after[0]
        for outcome, p in found.items():
            if abs(p - expected[outcome]) > near:
                one, two = (
                    f"{message_text(x)} after {escape(tree.branch_label(n, branch))}"
                    for x, branch in ((expected[outcome], first), (p, b))
                )
                name, known = escape(other), escape(event.name)
                raise AnalysisError(
                    f"{escape(tree.path_of(n))}: {name} depends on {known} ({escape(outcome)}: "
                    f"{one}, {two}), and play also meets {name} without {known}: ask for {name} "
                    "instead, with the likelihoods of a test"
                )
