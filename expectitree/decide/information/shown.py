"""Beliefs about an event that the file does not define, from the probabilities that a tree shows.

The nodes of the event show what is believed of it before them. So does everything above them:

    decision        its actions have the same belief: a decision does not change an event
    CHANCE          the mean of the beliefs after its outcomes
    one outcome     what the belief before a CHANCE node leaves to it, if the others are known

A chance node of which the tree shows nothing is independent of the event. So is one after which the
tree shows the same belief wherever it shows one. A signal, which changes the belief at one of its
nodes, has to be followed by the event at all of them.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import escape, message_text
from expectitree.base.tree.columns import CHANCE, TERMINAL
from expectitree.base.tree.model import Tree
from expectitree.decide.information.beliefs import (
    Belief,
    Event,
    is_near,
    possible_branches,
    reached,
    scope_of,
)
from expectitree.decide.records import Amount


@dataclass
class ShownBeliefs:
    """Finds beliefs: those that nodes show, children first, then those that follow from above."""

    tree: Tree
    name: str
    nodes: frozenset[int]
    outcomes: tuple[str, ...]
    shown: dict[int, Belief] = field(default_factory=dict)  # by node, from all that follows it
    hints: dict[int, Belief] = field(default_factory=dict)  # from a part of what follows it
    clashes: dict[int, str] = field(default_factory=dict)  # messages about contradictions, by node
    faults: dict[int, str] = field(default_factory=dict)  # about beliefs that do not follow
    node: dict[int, Belief | None] = field(default_factory=dict)
    branch: dict[int, Belief] = field(default_factory=dict)
    assumed: set[int] = field(default_factory=set)  # chance nodes that count as independent

    def __post_init__(self) -> None:
        self.events = self.tree.formulas.events
        self.seen = ChainMap(self.shown, self.hints)  # to read only
        self.reached = reached(self.tree, (self.tree.root_id,), self.nodes)

    def event(self) -> Event:
        """Return the event; raise `AnalysisError` if the tree shows too little of it."""
        self._ascend()
        self._descend()
        signals = self._signals()
        changing = {n for n, name in self.events.items() if name in signals}
        scope = scope_of(self.tree, self.name, self.nodes, changing)
        self._check(scope, signals)
        node = {n: belief for n, belief in self.node.items() if belief is not None}
        return Event(self.tree, self.name, self.nodes, self.outcomes, node, self.branch, scope)

    def _check(self, scope: Sequence[int], signals: Mapping[str, int]) -> None:
        """Raise `AnalysisError` for a contradiction, or for a belief that is missing."""
        found = [n for n in scope if n in self.clashes]
        if not found and scope[-1] not in self.shown:  # the belief comes from other places
            found = sorted(self.clashes)
        if found:
            raise AnalysisError(self.clashes[found[0]])
        name = escape(self.name)
        for n in reversed(scope):
            signal = self.events.get(n, "")
            if n in self.assumed and signal in signals:
                raise AnalysisError(
                    f"{self._path(n)}: {escape(signal)} depends on {name}, as "
                    f"{self._path(signals[signal])} shows, and the tree does not show the "
                    f"probabilities of {name} after {escape(signal)} here\ndefine "
                    f"{escape(signal)} as a test of {name} under `events`"
                )
            missing = self._is_chance(n) and any(b not in self.branch for b in self._branches(n))
            if missing or self.node.get(n) is None:
                raise AnalysisError(self.faults.get(n) or self.faults[min(self.faults)])

    def _signals(self) -> dict[str, int]:
        """Return the other events that change the belief, each with a node that shows this."""
        found: dict[str, int] = {}
        for n, name in self.events.items():
            after = [self.branch[b] for b in self._branches(n) if b in self.branch]
            if n not in self.assumed and not _are_same(after):
                found.setdefault(name, n)
        return found

    # ---- Nodes.

    def _branches(self, n: int) -> list[int]:
        return possible_branches(self.tree, n)

    def _is_chance(self, n: int) -> bool:
        return self.tree.columns.kind[n] == CHANCE and n not in self.nodes

    def _path(self, n: int) -> str:
        return escape(self.tree.path_of(n))

    def _label(self, n: int, b: int) -> str:
        return escape(self.tree.branch_label(n, b))

    # ---- From what is shown below.

    def _ascend(self) -> None:
        """Find the beliefs that follow from what is shown below a node."""
        tree, columns = self.tree, self.tree.columns
        for n in range(len(tree)):
            if not self.reached[n] or columns.kind[n] == TERMINAL:
                continue
            if n in self.nodes:
                own = {tree.branch_label(n, b): columns.probability[b] for b in tree.branches_of(n)}
                self.shown[n] = [own[o] for o in self.outcomes]
            elif self._is_chance(n):
                self._mix(n)
            else:
                self._decide(n)

    def _decide(self, n: int) -> None:
        """Note the belief that all actions of a decision have."""
        child = self.tree.columns.child
        for column in (self.shown, self.hints):
            below = {b: column[child[b]] for b in self._branches(n) if child[b] in column}
            if not below:
                continue
            first, *others = below
            other = next((b for b in others if not _same(below[b], below[first])), None)
            if other is None or column is self.shown:
                column[n] = below[first]
            if other is not None and column is self.shown:
                self.clashes[n] = self._changed(n, first, other, below)
            return

    def _changed(self, n: int, first: int, other: int, below: Mapping[int, Belief]) -> str:
        one, two = below[first], below[other]
        o = next(o for o, p in enumerate(one) if not is_near(p, two[o]))
        name = escape(self.name)
        return (
            f"{self._path(n)}: the decision changes the probability of {name} "
            f"({escape(self.outcomes[o])}: {message_text(one[o])} after {self._label(n, first)}, "
            f"{message_text(two[o])} after {self._label(n, other)}): {name} cannot be known in "
            "advance"
        )

    def _mix(self, n: int) -> None:
        """Note the mean of the beliefs after the outcomes of a chance node, or a part of them."""
        child, branches = self.tree.columns.child, self._branches(n)
        known = {b: self.seen[child[b]] for b in branches if child[b] in self.seen}
        if len(known) == len(branches):
            is_shown = all(child[b] in self.shown for b in branches)
            column = self.shown if is_shown else self.hints
            column[n] = self._mean(known)
        elif known:
            if _are_same(known.values()):
                self.hints[n] = next(iter(known.values()))
            self.faults[n] = self._incomplete(n, branches, known)

    def _mean(self, after: Mapping[int, Belief]) -> list[Amount]:
        """Return the mean of beliefs after branches, which need not be all of a node."""
        p = self.tree.columns.probability
        columns = zip(*after.values(), strict=True)
        return [sum(p[b] * q for b, q in zip(after, qs, strict=True)) for qs in columns]

    def _incomplete(self, n: int, branches: Sequence[int], known: Collection[int]) -> str:
        met = self._label(n, next(iter(known)))
        rest = self._label(n, next((b for b in branches if b not in known), branches[-1]))
        return (
            f"{self._path(n)}: play meets {escape(self.name)} after {met}, but not after {rest}, "
            "and the tree does not show its probabilities there\nwrite the event into the other "
            "branches, too, or define it under `events`"
        )

    # ---- From what is known above.

    def _descend(self) -> None:
        """Find the beliefs at all nodes and after all outcomes."""
        tree, child = self.tree, self.tree.columns.child
        self.node = dict(self.shown)
        self.node[tree.root_id] = self.seen.get(tree.root_id)
        for n in range(tree.root_id, -1, -1):
            if not self.reached[n] or n in self.nodes:
                continue
            own, after = self.node.get(n), dict[int, Belief]()
            if self._is_chance(n):
                after = self._after(n, own)
                self.branch |= after
            elif own is not None:
                after = dict.fromkeys(self._branches(n), own)
            for b, belief in after.items():
                c = child[b]
                if c in self.shown:
                    continue
                before = self.node.setdefault(c, belief)
                if before is not None and not _same(before, belief):
                    self.node[c] = None
                    self.faults[c] = (
                        f"{self._path(c)}: {escape(self.name)} has different probabilities on "
                        "paths that lead to this node\nwrite the node once for each of them"
                    )

    def _after(self, n: int, own: Belief | None) -> dict[int, Belief]:
        """Return the beliefs after the outcomes of a chance node, as far as they are known."""
        child, branches = self.tree.columns.child, self._branches(n)
        found = {b: self.shown[child[b]] for b in branches if child[b] in self.shown}
        others = [b for b in branches if b not in found]
        if own is None or not others:
            return found
        hints = {b: self.hints[child[b]] for b in others if child[b] in self.hints}
        if len(hints) == len(others) and _same(self._mean(found | hints), own):
            found |= hints
        elif len(others) == 1:
            self._leave(n, own, others[0], found)
            return found
        elif _are_same([own, *found.values()]):
            found.update(dict.fromkeys(others, own))
        if len(others) > 1:
            self.assumed.add(n)
        return found

    def _leave(self, n: int, own: Belief, last: int, found: dict[int, Belief]) -> None:
        """Note what the belief before a chance node leaves to its last branch."""
        p = self.tree.columns.probability[last]
        known = self._mean(found) if found else [0] * len(own)
        left = [(q - x) / p for q, x in zip(own, known, strict=True)]
        if left == [*own] or (not self.tree.exact and _same(left, own)):
            found[last] = own
        elif all(x <= q or is_near(x, q) for q, x in zip(own, known, strict=True)):
            found[last] = [max(q, 0) for q in left]
        else:
            self.clashes[n] = self._incomplete(n, self._branches(n), found)


def _same(one: Belief, two: Belief) -> bool:
    """Return whether two beliefs are equal, but for rounding."""
    return one is two or all(is_near(p, q) for p, q in zip(one, two, strict=True))


def _are_same(beliefs: Collection[Belief]) -> bool:
    """Return whether all beliefs are equal to the first, but for rounding."""
    return all(_same(next(iter(beliefs)), belief) for belief in beliefs)
