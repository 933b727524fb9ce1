"""What is known of an event at each node of a tree: the probability of each outcome there.

`events.py` finds these beliefs by the definitions in the file, and `shown.py` by the probabilities
at the nodes.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from expectitree.base import budget
from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import escape
from expectitree.base.tree.model import Tree
from expectitree.decide.records import Amount
from expectitree.text.phrases import names_text

NEAR = 1e-9  # the part by which probabilities that should be the same may differ
_FLOAT = 1e-15  # by which rounding may change a probability in floats
MAX_STEPS = 1_500_000  # outcomes times branches; a step takes about 15 microseconds

Belief: TypeAlias = Sequence[Amount]  # the probability of each outcome, in order
# A weight for each outcome, in order, or the place of the only outcome that is possible.
Evidence: TypeAlias = Belief | int


def weight(belief: Belief, evidence: Evidence) -> Amount:
    """Return the probability of evidence."""
    if isinstance(evidence, int):
        return belief[evidence]
    return sum(p * w for p, w in zip(belief, evidence, strict=True) if p)


@dataclass(frozen=True)
class Event:
    """An uncertain event of a tree."""

    tree: Tree
    name: str  # its name, or the path of the only chance node that represents it
    nodes: frozenset[int]  # the chance nodes that represent it; no play meets two of them
    outcomes: tuple[str, ...]  # the labels of the outcomes, in order
    node: Mapping[int, Belief]  # the belief at each node of `scope`, and at others
    branch: Mapping[int, Belief]  # after the branches of their chance nodes that play can take
    scope: Sequence[int]  # from which play meets the event, or a signal of it: children first

    @property
    def prior(self) -> Belief:
        """The belief at the root."""
        return self.node[self.tree.root_id]

    @cached_property
    def branch_of(self) -> Mapping[int, Mapping[str, int]]:
        """The branch of each outcome, by the nodes of the event in `scope`."""
        tree = self.tree
        return {
            n: {tree.branch_label(n, b): b for b in tree.branches_of(n)}
            for n in self.scope
            if n in self.nodes
        }

    def shares(self, n: int, evidence: Evidence) -> Mapping[int, Amount]:
        """Return the probability of each branch of a chance node in `scope`, given evidence.

        Branches that are left out have the probability 0.
        """
        tree, p = self.tree, self.tree.columns.probability
        known = weight(self.node[n], evidence)
        if not known:  # nothing reaches the node
            return {b: p[b] for b in tree.branches_of(n)}
        if n not in self.nodes:
            branches = possible_branches(tree, n)
            return {b: p[b] * weight(self.branch[b], evidence) / known for b in branches}
        own = self.branch_of[n]
        if isinstance(evidence, int):
            return {own[self.outcomes[evidence]]: 1}
        pairs = zip(self.outcomes, evidence, strict=True)
        return {own[o]: p[own[o]] * w / known for o, w in pairs}


def is_near(p: Amount, q: Amount) -> bool:
    """Return whether two probabilities are the same, but for how a person or a float rounds them.

    Small probabilities count, too: the difference is compared with the greater of them.
    """
    near = NEAR * max(p, q)
    if isinstance(p, float):
        near += _FLOAT
    return bool(p == q or abs(p - q) <= near)


def possible_branches(tree: Tree, n: int) -> list[int]:
    """Return the branches of a node that play can take."""
    return [b for b in tree.branches_of(n) if tree.columns.probability[b] > 0]


def reached(tree: Tree, start: Iterable[int], until: Container[int] = ()) -> bytearray:
    """Return [N] whether play reaches a node from some nodes, without passing one of `until`."""
    found = bytearray(len(tree))
    for n in start:
        found[n] = True
    for n in range(tree.root_id, -1, -1):
        if found[n] and n not in until:
            for b in possible_branches(tree, n):
                found[tree.columns.child[b]] = True
    return found


def meeting_nodes(tree: Tree, nodes: Container[int], after: Any = max) -> bytearray:
    """Return [N] whether play meets one of some nodes at a node or below it.

    It does so after some branch; with `min`, after each.
    """
    child, found = tree.columns.child, bytearray(len(tree))
    for n in range(len(tree)):
        below = (found[child[b]] for b in possible_branches(tree, n))
        found[n] = n in nodes or after(below, default=False)
    return found


class NeverMetError(AnalysisError):
    """Play never meets an event, nor a signal of it."""


def scope_of(tree: Tree, name: str, nodes: frozenset[int], signals: Iterable[int]) -> list[int]:
    """Return the nodes from which play meets an event or a signal of it, among them the root.

    Raises `NeverMetError` if there are none.
    """
    within = reached(tree, (tree.root_id,), nodes)
    meeting = meeting_nodes(tree, nodes.union(signals))
    if not meeting[tree.root_id]:
        raise NeverMetError(f"play never meets {escape(name)}")
    return [n for n in range(len(tree)) if within[n] and meeting[n]]


def check_once(tree: Tree, name: str, nodes: frozenset[int]) -> None:
    """Raise `AnalysisError` if play can meet an event twice."""
    played, meeting = reached(tree, (tree.root_id,)), meeting_nodes(tree, nodes)
    for n in sorted(nodes):
        below = (tree.columns.child[b] for b in possible_branches(tree, n))
        if played[n] and any(meeting[c] for c in below):
            raise AnalysisError(
                f"{escape(tree.path_of(n))}: play can meet {escape(name)} again below it, and an "
                "event happens once\ngive the other nodes another event"
            )


def check_steps(tree: Tree, events: Mapping[str, frozenset[int]], outcomes: int) -> None:
    """Raise `TooMuchWorkError` if events, or a test, have too many outcomes or signals.

    `events` has their nodes by name. After each outcome, the next event is found in the whole tree.
    """
    branches = len(tree.columns.child) * (len(events) - 1)
    for nodes in events.values():
        above = meeting_nodes(tree, nodes)
        branches += len(nodes)
        branches += sum(
            len(tree.branches_of(n)) for n in range(len(tree)) if above[n] and n not in nodes
        )
    steps, most = outcomes * branches, budget.most(MAX_STEPS)
    if steps > most:
        raise budget.TooMuchWorkError(
            f"to know {names_text([*events])} in advance takes {steps:,} steps ({outcomes:,} "
            f"outcomes, signals or combinations times {branches:,} branches), and the limit is "
            f"{most:,}\nmerge outcomes, or {budget.more()}"
        )
