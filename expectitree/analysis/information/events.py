"""Find the chance nodes that represent an event, and its probabilities from each node on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from expectitree.errors import AnalysisError, TreeError
from expectitree.expressions.parser import did_you_mean
from expectitree.numbers import escape, message_text, quote
from expectitree.tree.columns import CHANCE
from expectitree.tree.model import Tree

Chances: TypeAlias = Mapping[str, Any]  # the probability of each outcome

NEAR = 1e-9  # by which probabilities of one event may differ, unless the tree is exact


@dataclass(frozen=True)
class Event:
    """An uncertain event of a tree.

    Attributes:
        tree: The tree.
        name: Its name, or the path of the only chance node that represents it.
        nodes: The chance nodes that represent it; no play meets two of them.
        at: The node from which the event is looked at: the root, or one below it.
        outcomes: The labels of the outcomes, in order.
        region: The probability of each outcome from a node on, by the id of each node between `at`
            and the event.
    """

    tree: Tree
    name: str
    nodes: frozenset[int]
    at: int
    outcomes: tuple[str, ...]
    region: Mapping[int, Chances]

    @property
    def prior(self) -> Chances:
        """The probability of each outcome at the node `at`."""
        return self.region[self.at]

    def weight(self, n: int, weights: Chances) -> Any:
        """Return the mean of weights of the outcomes from a node on; 0 if it cannot be reached."""
        chances = self.region.get(n, {})
        return sum(p * weights[outcome] for outcome, p in chances.items())


def find_event(tree: Tree, name: str, at: int | None = None, near: Any = NEAR) -> Event:
    """Return an event by its name, or by the path of a chance node.

    Args:
        tree: The tree.
        name: A name that chance nodes have as `event`, or a path.
        at: The node from which the event is looked at; by default the root.
        near: How much the probabilities after the actions of a decision may differ.

    Raises:
        AnalysisError: There is no such event, a play can meet it twice or not at all, or a decision
            changes its probabilities.
    """
    events = tree.formulas.events if tree.formulas is not None else {}
    names = list(dict.fromkeys(events.values()))
    if name not in names:
        node = _node_at(tree, name, names)
        name = events.get(node, name)
        nodes = {node}
    if name in names:
        nodes = {n for n, event in events.items() if event == name}
    first = max(nodes)
    outcomes = tuple(tree.branch_label(first, b) for b in tree.branches_of(first))
    start = tree.root_id if at is None else at
    region = _Search(tree, name, frozenset(nodes), near).region(start)
    if start not in region:
        where = "play" if start == tree.root_id else f"{_path(tree, start)}: play after this node"
        raise AnalysisError(f"{where} never meets {escape(name)}")
    return Event(tree, name, frozenset(nodes), start, outcomes, region)


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


@dataclass(frozen=True)
class _Search:
    """Collects the probabilities of an event from each node on."""

    tree: Tree
    name: str
    nodes: frozenset[int]
    near: Any

    def region(self, start: int) -> dict[int, Chances]:
        """Return the probabilities by node, of the nodes that play can reach from `start`."""
        reached, child = bytearray(len(self.tree)), self.tree.columns.child
        reached[start] = True
        for n in range(start, -1, -1):
            if reached[n]:
                for b in self._branches(n):
                    reached[child[b]] = True
        found: dict[int, Chances] = {}
        for n in range(start + 1):
            chances = self._chances(n, found) if reached[n] else None
            if chances is not None:
                found[n] = chances
        return found

    def _branches(self, n: int) -> list[int]:
        probability = self.tree.columns.probability
        return [b for b in self.tree.branches_of(n) if probability[b] > 0]

    def _chances(self, n: int, found: Mapping[int, Chances]) -> Chances | None:
        """Return the probabilities from a node on; None where play does not meet the event."""
        tree, columns, name = self.tree, self.tree.columns, escape(self.name)
        branches = self._branches(n)
        below = {b: found[columns.child[b]] for b in branches if columns.child[b] in found}
        if n in self.nodes:
            if below:
                raise AnalysisError(
                    f"{_path(tree, n)}: play can meet {name} again below it, and an event happens "
                    "once: give the other nodes another event"
                )
            own = tree.branches_of(n)
            return {tree.branch_label(n, b): columns.probability[b] for b in own}
        if not below:
            return None
        if columns.kind[n] != CHANCE:
            return self._same(n, below)
        if len(below) < len(branches):
            with_it = tree.branch_label(n, next(iter(below)))
            without = tree.branch_label(n, next(b for b in branches if b not in below))
            raise AnalysisError(
                f"{_path(tree, n)}: play meets {name} after {escape(with_it)}, but not after "
                f"{escape(without)}: write the event into the other branches, too"
            )
        mixed: dict[str, Any] = {}
        for b, chances in below.items():
            for outcome, p in chances.items():
                mixed[outcome] = mixed.get(outcome, 0) + columns.probability[b] * p
        return mixed

    def _same(self, n: int, below: Mapping[int, Chances]) -> Chances:
        """Return the probabilities after every action of a decision, which must be the same."""
        (first, chances), *others = below.items()
        for b, other in others:
            changed = [o for o, p in chances.items() if abs(other[o] - p) > self.near]
            if changed:
                outcome, name = changed[0], escape(self.name)
                one, two = (
                    f"{message_text(p)} after {escape(self.tree.branch_label(n, branch))}"
                    for p, branch in ((chances[outcome], first), (other[outcome], b))
                )
                raise AnalysisError(
                    f"{_path(self.tree, n)}: the decision changes the probability of {name} "
                    f"({escape(outcome)}: {one}, {two}): {name} cannot be known in advance"
                )
        return chances


def _path(tree: Tree, node: int) -> str:
    return escape(tree.path_of(node))
