"""Beliefs about an event that the file does not define, from the probabilities that a tree shows.

The nodes of the event show what is believed of it before them. So does everything above them:

    decision        its actions have the same belief: a decision does not change an event
    CHANCE          the mean of the beliefs after its outcomes
    one outcome     what the belief before a CHANCE node leaves to it, if the others are known
    a signal        P(outcome | signal) by Bayes' rule, with the likelihoods that other nodes of the
                    same event show, if they explain the probabilities of the signals here

A chance node of which the tree shows nothing is independent of the event. So is one after which the
tree shows the same belief wherever it shows one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from expectitree.base import budget
from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import escape, message_text
from expectitree.decide.information.beliefs import (
    MAX_STEPS,
    Belief,
    Event,
    is_near,
    reached,
    scope_of,
)
from expectitree.tree.columns import CHANCE, TERMINAL
from expectitree.tree.formulas import Formulas
from expectitree.tree.model import Tree

Chances: TypeAlias = Mapping[str, Any]  # the probability of each outcome


@dataclass(frozen=True)
class Likelihoods:
    """What a place in the tree shows of P(outcome of another event | outcome of the event).

    Attributes:
        place: The node that shows it.
        before: The belief there.
        rows: By outcome of the other event: its probability given each outcome of the event, None
            if that is not shown.
    """

    place: int
    before: Belief
    rows: Mapping[str, Sequence[Any]]


def shown_event(
    tree: Tree, name: str, nodes: frozenset[int], outcomes: tuple[str, ...], at: int
) -> Event | None:
    """Return an event with the beliefs that a tree shows; None if play never meets it.

    Raises `AnalysisError` where the tree does not show enough, or contradicts itself.
    """
    return _Search(tree, name, nodes, outcomes).event(at)


@dataclass
class _Search:
    """Finds beliefs: those that nodes show, children first, then those that follow from above."""

    tree: Tree
    name: str
    nodes: frozenset[int]
    outcomes: tuple[str, ...]
    shown: dict[int, Belief] = field(default_factory=dict)  # by node, from all that follows it
    hints: dict[int, Belief] = field(default_factory=dict)  # from a part of what follows it
    created: list[Belief] = field(default_factory=list)
    clashes: dict[int, str] = field(default_factory=dict)  # messages about contradictions, by node
    faults: dict[int, str] = field(default_factory=dict)  # about beliefs that do not follow
    node: dict[int, Belief | None] = field(default_factory=dict)
    branch: dict[int, Belief] = field(default_factory=dict)
    wanted: set[str] = field(default_factory=set)  # other events whose likelihoods are needed

    def __post_init__(self) -> None:
        self.events = (self.tree.formulas or Formulas()).events
        self.reached = reached(self.tree, (self.tree.root_id,), self.nodes)

    def event(self, at: int) -> Event | None:
        """Return the event as it is seen from a node; None if play does not meet it from there."""
        self.ascend()
        self.descend()
        likelihoods = self._likelihoods()
        self.descend(likelihoods)
        scope = scope_of(self.tree, at, self.nodes, lambda n: self.events.get(n) in likelihoods)
        if not scope or scope[-1] != at:
            return None
        self._check(scope)
        node = {n: belief for n, belief in self.node.items() if belief is not None}
        return Event(
            self.tree, self.name, self.nodes, at, self.outcomes, node, self.branch, scope,
            self.created,
        )  # fmt: skip

    def _check(self, scope: Sequence[int]) -> None:
        """Raise `AnalysisError` for a contradiction, or for a belief that is missing."""
        found = [n for n in scope if n in self.clashes]
        if not found and scope[-1] not in self.shown:  # the belief comes from other places
            found = sorted(self.clashes)
        if found:
            raise AnalysisError(self.clashes[found[0]])
        for n in reversed(scope):
            is_inner = self._is_chance(n)
            missing = is_inner and any(b not in self.branch for b in self._branches(n))
            if missing or self.node.get(n) is None:
                raise AnalysisError(self.faults.get(n) or self.faults[min(self.faults)])

    # ---- Nodes.

    def _branches(self, n: int) -> list[int]:
        probability = self.tree.columns.probability
        return [b for b in self.tree.branches_of(n) if probability[b] > 0]

    def _is_chance(self, n: int) -> bool:
        return self.tree.columns.kind[n] == CHANCE and n not in self.nodes

    def _path(self, n: int) -> str:
        return escape(self.tree.path_of(n))

    def _label(self, n: int, b: int) -> str:
        return escape(self.tree.branch_label(n, b))

    def _new(self, chances: Iterable[Any], *rule: Any) -> Belief:
        self.created.append(Belief(tuple(chances), rule))
        return self.created[-1]

    def same(self, one: Belief, two: Belief) -> bool:
        """Return whether two beliefs are equal."""
        return one is two or _equal(one.chances, two.chances)

    # ---- From what is shown below.

    def ascend(self) -> None:
        """Find the beliefs that follow from what is shown below a node."""
        tree, columns = self.tree, self.tree.columns
        for n in range(len(tree)):
            if not self.reached[n] or columns.kind[n] == TERMINAL:
                continue
            if n in self.nodes:
                own = {tree.branch_label(n, b): columns.probability[b] for b in tree.branches_of(n)}
                self.shown[n] = self._new((own[o] for o in self.outcomes), "own", n)
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
            first = next(iter(below))
            other = next((b for b in below if not self.same(below[b], below[first])), None)
            if other is None or column is self.shown:
                own = (belief for belief in below.values() if belief.rule[0] == "own")
                column[n] = next(own, below[first])
            if other is not None and column is self.shown:
                self.clashes[n] = self._changed(n, first, other, below)
            return

    def _changed(self, n: int, first: int, other: int, below: Mapping[int, Belief]) -> str:
        one, two = below[first].chances, below[other].chances
        o = next(o for o, p in enumerate(one) if not is_near(p, two[o]))
        shown = " after ".join((message_text(one[o]), self._label(n, first)))
        shown += f", {message_text(two[o])} after {self._label(n, other)}"
        name = escape(self.name)
        return (
            f"{self._path(n)}: the decision changes the probability of {name} "
            f"({escape(self.outcomes[o])}: {shown}): {name} cannot be known in advance"
        )

    def _mix(self, n: int) -> None:
        """Note the mean of the beliefs after the outcomes of a chance node, or a part of them."""
        child, branches = self.tree.columns.child, self._branches(n)
        known = {
            b: self.shown.get(child[b]) or self.hints[child[b]]
            for b in branches
            if child[b] in self.shown or child[b] in self.hints
        }
        if len(known) == len(branches):
            is_shown = all(child[b] in self.shown for b in branches)
            column = self.shown if is_shown else self.hints
            column[n] = self._new(self._mean(known), "mix", n)
        elif known:
            first = next(iter(known.values()))
            if all(self.same(first, belief) for belief in known.values()):
                self.hints[n] = first
            self.faults[n] = self._incomplete(n, branches, known)

    def _mean(self, after: Mapping[int, Belief]) -> list[Any]:
        """Return the mean of beliefs after branches, which need not be all of a node."""
        p = self.tree.columns.probability
        columns = zip(*(belief.chances for belief in after.values()), strict=True)
        return [sum(p[b] * q for b, q in zip(after, qs, strict=True)) for qs in columns]

    def _incomplete(self, n: int, branches: Sequence[int], known: Collection[int]) -> str:
        met = self._label(n, next(iter(known)))
        rest = self._label(n, next((b for b in branches if b not in known), branches[-1]))
        return (
            f"{self._path(n)}: play meets {escape(self.name)} after {met}, but not after {rest}, "
            "and the tree does not show its probabilities there: write the event into the other "
            "branches, too, or define it under `events`"
        )

    # ---- From what is known above.

    def descend(self, likelihoods: Mapping[str, Sequence[Likelihoods]] | None = None) -> None:
        """Find the beliefs at all nodes and after all outcomes.

        The first time, without likelihoods, other events that may be signals stay open.
        """
        tree, child = self.tree, self.tree.columns.child
        self.node, self.branch = dict(self.shown), {}
        root = self.shown.get(tree.root_id) or self.hints.get(tree.root_id)
        self.node[tree.root_id] = root
        for n in range(tree.root_id, -1, -1):
            if not self.reached[n] or n in self.nodes:
                continue
            own = self.node.get(n)
            if self._is_chance(n):
                after = self._after(n, own, likelihoods)
                self.branch.update(after)
            else:
                after = {b: own for b in self._branches(n) if own is not None}
            for b, belief in after.items():
                c = child[b]
                if c in self.shown:
                    continue
                before = self.node.setdefault(c, belief)
                if before is not None and not self.same(before, belief):
                    self.node[c] = None
                    self.faults[c] = (
                        f"{self._path(c)}: {escape(self.name)} has different probabilities on "
                        "paths that lead to this node: write the node once for each of them"
                    )

    def _after(
        self,
        n: int,
        own: Belief | None,
        likelihoods: Mapping[str, Sequence[Likelihoods]] | None,
    ) -> dict[int, Belief]:
        """Return the beliefs after the outcomes of a chance node, as far as they are known."""
        child, branches = self.tree.columns.child, self._branches(n)
        found = {b: self.shown[child[b]] for b in branches if child[b] in self.shown}
        others = [b for b in branches if b not in found]
        name = self.events.get(n, "")
        if likelihoods is None and name and len(others) > 1:
            self.wanted.add(name)
        if own is None:
            return found
        likely = (likelihoods or {}).get(name, ())
        if likely and len(others) > 1:
            return self._explained(n, own, likely, found)
        hints = {b: self.hints[child[b]] for b in others if child[b] in self.hints}
        explained = self._mean(found | hints) if len(hints) == len(others) else ()
        if others and explained and _equal(explained, own.chances):
            found |= hints
        elif len(others) == 1:
            self._leave(n, own, others[0], found)
        elif name in self.wanted and likelihoods is None:
            return found
        elif all(self.same(own, belief) for belief in found.values()):
            found.update(dict.fromkeys(others, own))
        after_event = [one for one in likely if one.place in self.nodes]
        if after_event and not any(self._agrees(n, own, one, found) for one in after_event):
            self.clashes[n] = self._unexplained(n, after_event)
        return found

    def _leave(self, n: int, own: Belief, last: int, found: dict[int, Belief]) -> None:
        """Note what the belief before a chance node leaves to its last branch."""
        p = self.tree.columns.probability[last]
        known = self._mean(found) if found else [0] * len(own.chances)
        left = [(q - x) / p for q, x in zip(own.chances, known, strict=True)]
        if left == [*own.chances] or not self.tree.exact and _equal(left, own.chances):
            found[last] = own
        elif all(x <= q or is_near(x, q) for q, x in zip(own.chances, known, strict=True)):
            found[last] = self._new((max(q, 0) for q in left), "rest", n, last)
        else:
            self.clashes[n] = self._incomplete(n, self._branches(n), found)

    # ---- From the likelihoods of other events.

    def _likelihoods(self) -> dict[str, list[Likelihoods]]:
        """Return what the tree shows of how other events depend on this one, by their names."""
        found: dict[str, list[Likelihoods]] = {}
        p = self.tree.columns.probability
        for n, name in self.events.items():
            own, branches = self.node.get(n), self._branches(n)
            is_shown = own is not None and all(b in self.branch for b in branches)
            if name not in self.wanted or not self.reached[n] or own is None or not is_shown:
                continue
            after = {b: self.branch[b].chances for b in branches}
            if all(_equal(own.chances, chances) for chances in after.values()):
                continue
            rows = {
                self.tree.branch_label(n, b): [
                    p[b] * q / before if before else None
                    for q, before in zip(chances, own.chances, strict=True)
                ]
                for b, chances in after.items()
            }
            found.setdefault(name, []).append(Likelihoods(n, own, rows))
        for name, places in dependents(self.tree, self.nodes).items():
            for m, after_outcome in places:
                labels = dict.fromkeys(s for chances in after_outcome.values() for s in chances)
                rows = {s: [after_outcome.get(o, {}).get(s) for o in self.outcomes] for s in labels}
                found.setdefault(name, []).append(Likelihoods(m, self.shown[m], rows))
        return found

    def _explained(
        self, n: int, own: Belief, likelihoods: Sequence[Likelihoods], shown: Mapping[int, Belief]
    ) -> dict[int, Belief]:
        """Return the beliefs after the signals of a node, from likelihoods shown elsewhere."""
        fits = [(one, fit) for one in likelihoods if (fit := self._fit(n, own, one, shown))]
        fits = [one for one in fits if self.same(one[0].before, own)] or fits
        if fits and all(_equal(fit[b], fits[0][1][b]) for _, fit in fits for b in fits[0][1]):
            place = fits[0][0].place
            return {
                b: shown[b] if b in shown else self._new(chances, "likelihood", n, b, place)
                for b, chances in fits[0][1].items()
            }
        self.clashes[n] = self._unexplained(n, likelihoods)
        return dict(shown)

    def _unexplained(self, n: int, likelihoods: Sequence[Likelihoods]) -> str:
        name, known = escape(self.events[n]), escape(self.name)
        return (
            f"{self._path(n)}: {name} depends on {known}, as {self._path(likelihoods[0].place)} "
            f"shows, and the tree does not show the probabilities of {known} after {name} here: "
            f"define {name} as a test of {known} under `events`"
        )

    def _agrees(self, n: int, own: Belief, one: Likelihoods, after: Mapping[int, Belief]) -> bool:
        """Return whether the beliefs after the signals of a node agree with likelihoods."""
        p = self.tree.columns.probability
        return all(
            x is None or is_near(q * x, p[b] * r)
            for b, belief in after.items()
            for q, r, x in zip(
                own.chances,
                belief.chances,
                one.rows[self.tree.branch_label(n, b)],
                strict=True,
            )
        )

    def _fit(
        self, n: int, own: Belief, one: Likelihoods, shown: Mapping[int, Belief]
    ) -> dict[int, list[Any]] | None:
        """Return what follows from likelihoods after each signal; None if they do not fit."""
        p, found = self.tree.columns.probability, {}
        for b in self._branches(n):
            row = one.rows.get(self.tree.branch_label(n, b), [0] * len(self.outcomes))
            if all(x is None or is_near(x, p[b]) for x in row):
                row = [p[b]] * len(row)
            joint: list[Any] = [
                q and (None if x is None else q * x) for q, x in zip(own.chances, row, strict=True)
            ]
            total = sum(x for x in joint if x is not None)
            if joint.count(None) == 1:
                left = max(p[b] - total, 0)
                joint[joint.index(None)], total = left, total + left
            if None in joint or not is_near(total, p[b]):
                return None
            found[b] = [x / p[b] for x in joint]
            if b in shown and not _equal(found[b], shown[b].chances):
                return None
        return found


def _equal(one: Sequence[Any], two: Sequence[Any]) -> bool:
    return all(is_near(p, q) for p, q in zip(one, two, strict=True))


def dependents(
    tree: Tree, nodes: frozenset[int]
) -> dict[str, list[tuple[int, dict[str, Chances]]]]:
    """Return the other events that depend on an event, and that play also meets without it.

    For each, there are the nodes of the event that show this, with the probabilities of the other
    event after their outcomes.
    """
    formulas = tree.formulas or Formulas()
    columns, play = tree.columns, reached(tree, (tree.root_id,), nodes)
    met = [n for n in sorted(nodes) if play[n]]
    after = reached(tree, [columns.child[b] for n in met for b in tree.branches_of(n)])
    without = {name for n, name in formulas.events.items() if play[n]} - formulas.defined.keys()
    names = dict.fromkeys(one for n, one in formulas.events.items() if after[n] and one in without)
    if len(names) * len(tree) > budget.most(MAX_STEPS):
        raise budget.TooMuchWorkError(
            f"{len(names):,} other events in a tree of {len(tree):,} nodes: remove `event` where "
            f"it stands only once, or {budget.more()}"
        )
    found = {name: _dependence(tree, nodes, name) for name in names}
    return {name: places for name, places in found.items() if places}


def _dependence(
    tree: Tree, nodes: frozenset[int], name: str
) -> list[tuple[int, dict[str, Chances]]]:
    """Return the nodes of an event that show how another event depends on it."""
    own = frozenset(n for n, event in (tree.formulas or Formulas()).events.items() if event == name)
    first = max(own)
    labels = tuple(tree.branch_label(first, b) for b in tree.branches_of(first))
    search = _Search(tree, name, own, labels)
    search.ascend()
    search.descend()
    found: list[tuple[int, dict[str, Chances]]] = []
    is_sure = tree.root_id in search.shown and not search.clashes
    for n in sorted(nodes - own):
        after = {
            b: search.branch[b]
            for b in tree.branches_of(n)
            if b in search.branch and (is_sure or tree.columns.child[b] in search.shown)
        }
        known = [*after.values()]
        if is_sure and (before := search.node.get(n)) is not None:
            known.append(before)
        if search.reached[n] and any(not search.same(known[0], one) for one in known):
            rows = {tree.branch_label(n, b): one.chances for b, one in after.items()}
            found.append((n, {o: dict(zip(labels, row, strict=True)) for o, row in rows.items()}))
    return found
