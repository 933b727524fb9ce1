"""The value of a tree when something is known about an event.

The event is represented by some chance nodes. What is known is a weight for each outcome: 1 for the
outcome that is known and 0 for the others, or the likelihood of a test's signal. Bayes' rule:

    P(o | node)   the probability of the outcome from the node on, children first
    W(node)       the sum of P(o | node) * weight(o): the probability of what is known
    event node    p(o) becomes p(o) * weight(o) / W(node)
    other CHANCE  p(i) becomes p(i) * W(child i) / W(node)

A node from which play does not meet the event keeps its value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from expectitree.errors import AnalysisError
from expectitree.numbers import escape, message_text, quote
from expectitree.tree.columns import CHANCE, MAX, NONE, TERMINAL
from expectitree.tree.model import Tree

Outcomes: TypeAlias = Mapping[str, Any]  # a number for each outcome of the event

_NEAR = 1e-9  # that probabilities of one event may differ by in floats


@dataclass(frozen=True)
class Event:
    """An uncertain event of a tree.

    Attributes:
        tree: The tree.
        name: Its name, or the path of the only chance node that represents it.
        nodes: The chance nodes that represent it, which no play meets twice.
        outcomes: The labels of the outcomes, in order.
        chances: [N] the probability of each outcome from a node on; None where play does not meet
            the event.
    """

    tree: Tree
    name: str
    nodes: frozenset[int]
    outcomes: tuple[str, ...]
    chances: tuple[Outcomes | None, ...]

    @property
    def prior(self) -> Outcomes:
        """The probability of each outcome."""
        found = self.chances[self.tree.root_id]
        assert found is not None
        return found

    def value_given(self, weights: Outcomes) -> tuple[Any, tuple[str, ...]]:
        """Return the value of the tree and its best actions, given weights of the outcomes."""
        values = self._values(weights)
        tree, root = self.tree, self.tree.root_id
        result = tree.root_reward + values[root]
        if tree.columns.kind[root] in (TERMINAL, CHANCE):
            return result, ()
        eps = 0 if tree.exact else _NEAR * float(tree.greatest_magnitude)
        best = tuple(
            tree.branch_label(root, b)
            for b in tree.branches_of(root)
            if abs(tree.reward_of(b) + values[tree.columns.child[b]] - values[root]) <= eps
        )
        return result, best

    def _values(self, weights: Outcomes) -> list[Any]:
        tree, columns = self.tree, self.tree.columns
        known = [self._weight(n, weights) for n in range(len(tree))]
        values: list[Any] = []
        for n, kind in enumerate(columns.kind):
            if kind == TERMINAL:
                values.append(columns.utility[n])
                continue
            branches = tree.branches_of(n)
            worth = [tree.reward_of(b) + values[columns.child[b]] for b in branches]
            if kind == CHANCE:
                shares = self._shares(n, weights, known)
                pairs = zip(shares, worth, strict=True)
                values.append(sum(p * w for p, w in pairs if p))
            else:
                values.append(max(worth) if kind == MAX else min(worth))
        return values

    def _weight(self, n: int, weights: Outcomes) -> Any:
        """Return W of a node; None where play does not meet the event."""
        chances = self.chances[n]
        if chances is None:
            return None
        return sum(p * weights[outcome] for outcome, p in chances.items())

    def _shares(self, n: int, weights: Outcomes, known: list[Any]) -> list[Any]:
        """Return the probabilities of a chance node, given the weights."""
        tree, columns, branches = self.tree, self.tree.columns, self.tree.branches_of(n)
        shares = [columns.probability[b] for b in branches]
        if not known[n]:  # the event is not met, or the node cannot be reached given the weights
            return shares
        if n in self.nodes:
            likely = [weights[tree.branch_label(n, b)] for b in branches]
        else:
            likely = [known[columns.child[b]] or 0 for b in branches]
        return [p * w / known[n] for p, w in zip(shares, likely, strict=True)]

    def value_of_control(self) -> tuple[str, Any]:
        """Return the outcome that MAX would choose if it could, everywhere alike, and the value."""
        found = {outcome: self._value_under_control(outcome) for outcome in self.outcomes}
        best = max(found, key=lambda outcome: found[outcome])
        return best, found[best]

    def _value_under_control(self, outcome: str) -> Any:
        tree, columns = self.tree, self.tree.columns
        values: list[Any] = []
        for n, kind in enumerate(columns.kind):
            if kind == TERMINAL:
                values.append(columns.utility[n])
                continue
            branches = tree.branches_of(n)
            worth = [tree.reward_of(b) + values[columns.child[b]] for b in branches]
            if n in self.nodes:
                labels = [tree.branch_label(n, b) for b in branches]
                values.append(worth[labels.index(outcome)])
            elif kind == CHANCE:
                shares = (columns.probability[b] for b in branches)
                values.append(sum(p * w for p, w in zip(shares, worth, strict=True)))
            else:
                values.append(max(worth) if kind == MAX else min(worth))
        return tree.root_reward + values[-1]


def find_event(tree: Tree, name: str) -> Event:
    """Return an event by its name, or by the path of a chance node.

    Raises `AnalysisError` if there is none, if a play can meet it twice or not at all, or if a
    decision changes its probabilities.
    """
    events = tree.formulas.events if tree.formulas is not None else {}
    nodes = frozenset(n for n, event in events.items() if event == name)
    if not nodes:
        nodes = frozenset([_node_at(tree, name, sorted(set(events.values())))])
    first = max(nodes)
    outcomes = tuple(tree.branch_label(first, b) for b in tree.branches_of(first))
    event = Event(tree, name, nodes, outcomes, tuple(_chances(tree, name, nodes)))
    if event.chances[tree.root_id] is None:
        raise AnalysisError(f"play never meets {escape(name)}")
    return event


def _node_at(tree: Tree, path: str, names: list[str]) -> int:
    known = (
        f"the events are {', '.join(map(escape, names))}" if names else "the tree has no `event:`"
    )
    try:
        branch = tree.find_branch(path)
    except AnalysisError:
        raise
    except Exception:
        raise AnalysisError(
            f"no event {quote(path)}: {known}; the path of a chance node is an event, too"
        ) from None
    node = tree.root_id if branch == NONE else tree.columns.child[branch]
    if tree.columns.kind[node] != CHANCE:
        raise AnalysisError(f"{escape(path)} is not a chance node: {known}")
    return node


def _chances(tree: Tree, name: str, nodes: frozenset[int]) -> list[Outcomes | None]:
    """Return [N] the probability of each outcome from a node on, children first."""
    columns = tree.columns
    found: list[Outcomes | None] = []
    for n, kind in enumerate(columns.kind):
        branches = [b for b in tree.branches_of(n) if columns.probability[b] > 0]
        below = {b: found[columns.child[b]] for b in branches}
        meets = [b for b in branches if below[b] is not None]
        if n in nodes:
            if meets:
                raise AnalysisError(
                    f"{_path(tree, n)}: play can meet {escape(name)} again below it: an event "
                    "happens once"
                )
            found.append(
                {tree.branch_label(n, b): columns.probability[b] for b in tree.branches_of(n)}
            )
        elif not meets:
            found.append(None)
        elif kind == CHANCE:
            if len(meets) < len(branches):
                other = next(b for b in branches if below[b] is None)
                raise AnalysisError(
                    f"{_path(tree, n)}: play meets {escape(name)} after "
                    f"{escape(tree.branch_label(n, meets[0]))}, but not after "
                    f"{escape(tree.branch_label(n, other))}: write the event into the other "
                    "branches, too"
                )
            found.append(_mixed(tree, below))
        else:
            found.append(_same(tree, name, n, {b: below[b] for b in meets}))
    return found


def _mixed(tree: Tree, below: Mapping[int, Any]) -> Outcomes:
    total: dict[str, Any] = {}
    for b, chances in below.items():
        for outcome, p in chances.items():
            total[outcome] = total.get(outcome, 0) + tree.columns.probability[b] * p
    return total


def _same(tree: Tree, name: str, n: int, below: Mapping[int, Any]) -> Outcomes:
    """Return the probabilities after every action of a decision, which must be the same."""
    (first, chances), *others = below.items()
    near = 0 if tree.exact else _NEAR
    for b, other in others:
        for outcome, p in chances.items():
            if abs(other.get(outcome, 0) - p) > near:
                one, two = (
                    f"{message_text(x)} after {escape(tree.branch_label(n, branch))}"
                    for x, branch in ((p, first), (other.get(outcome, 0), b))
                )
                raise AnalysisError(
                    f"{_path(tree, n)}: the decision changes the probability of {escape(name)} "
                    f"({escape(outcome)}: {one}, {two}): {escape(name)} cannot be known in advance"
                )
    found: Outcomes = chances
    return found


def _path(tree: Tree, node: int) -> str:
    return escape(tree.path_of(node))
