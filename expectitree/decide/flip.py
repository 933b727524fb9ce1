"""Interchange two levels of chance nodes: Bayes' rule, with formulas as the result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from expectitree.base.errors import TransformError
from expectitree.base.expressions.parser import parse
from expectitree.base.expressions.syntax import Expression, Name, Number
from expectitree.base.numbers import escape, exact_text
from expectitree.base.tree.bayes import ONE, ZERO, Definitions, product, quotient, rest_of
from expectitree.base.tree.builder import Copy, label_at
from expectitree.base.tree.columns import CHANCE
from expectitree.base.tree.formulas import REST, sum_of
from expectitree.base.tree.model import Kind, Tree
from expectitree.base.tree.parameters import evaluated


def flip(tree: Tree, path: str) -> Tree:
    """Return the tree with two levels of chance nodes interchanged, without `expect`.

    With outcomes a of the node at `path` and b of the chance nodes below it:

        P(b)      the sum of P(a) * P(b | a) over a
        P(a | b)  P(a) * P(b | a) / P(b)

    Both are formulas, and P(b) is a derived parameter. They replace the definitions of events. The
    rewards of both levels are paid at the lower one. The nodes below the two levels are shared with
    the rest of the tree as before.

    Args:
        tree: The tree.
        path: The path of a chance node whose children are chance nodes with the same labels.

    Raises:
        TreeError: There is no such path.
        TransformError: The nodes there are not two levels of chance nodes with the same labels.
    """
    node = tree.find(path).id
    labels = _labels_below(tree, node)
    copy, columns = _Flipped(tree), tree.columns
    copies: list[int] = []
    for n in range(len(tree)):
        branches = tree.branches_of(n)
        if n == node:
            copies.append(copy.add_flipped(n, labels, copies))
        else:
            copies.append(copy.add(n, branches, [copies[columns.child[b]] for b in branches]))
    flipped = copy.finish().changed(parameters=copy.definitions.parameters, expect=None)
    flipped = replace(flipped, formulas=replace(flipped.formulas, defined={}))
    return evaluated(flipped)[0]


def left_out(tree: Tree, path: str) -> list[str]:
    """Return what `flip` leaves out: notes, bounds and estimates at nodes that no longer exist."""
    found, node = [], tree.find(path).id
    for b in tree.branches_of(node):
        n = tree.columns.child[b]
        lost = {
            "note": n in tree.notes,
            "bounds": n in tree.local_bounds,
            "estimate": tree.node(n).estimate is not None,
            "notes of branches": any(c in tree.branch_notes for c in (b, *tree.branches_of(n))),
        }
        found += [f"the {what} of {escape(tree.path_of(n))}" for what in lost if lost[what]]
    return [*dict.fromkeys(found)]


class _Flipped(Copy):
    """A copy of a tree in which two levels are interchanged."""

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        self.definitions = Definitions(tree.parameters)

    def add_flipped(self, node: int, labels: Sequence[str], copies: Sequence[int]) -> int:
        """Add the two levels in their new order; return the id of the upper node."""
        tree, columns = self.tree, self.tree.columns
        upper = tree.branches_of(node)
        names = [tree.branch_label(node, b) for b in upper]
        chances = dict(zip(upper, _chances_of(tree, node), strict=True))
        event = self._event([node])
        added, marginals = [], []
        for label in labels:
            joint: list[Expression] = []
            ends: list[tuple[int, int]] = []  # the branch of each level
            for b in upper:
                n = columns.child[b]
                place = [tree.branch_label(n, c) for c in tree.branches_of(n)].index(label)
                joint.append(product(chances[b], _chances_of(tree, n)[place]))
                ends.append((b, columns.first[n] + place))
            marginal = self.definitions.sum(joint, label)
            marginals.append(marginal)
            equal, _ = self.distribution(None, len(upper))
            children = [copies[columns.child[c]] for _, c in ends]
            rewards = {i: tree.reward_of(b) + tree.reward_of(c) for i, (b, c) in enumerate(ends)}
            lower = self.add_inner(Kind.CHANCE, children, equal, _written(names), None, rewards)
            if marginal != ZERO:  # else the outcome cannot occur, and what follows does not matter
                posterior = {i: quotient(p, marginal) for i, p in enumerate(joint)}
                self.add_formulas(self.formulas.probabilities, lower, posterior)
            self._add_reward_formulas(lower, ends)
            if event:
                self.formulas.events[lower] = event
            added.append(lower)
        equal, _ = self.distribution(None, len(added))
        estimate = columns.utility[node]
        top = self.add_inner(Kind.CHANCE, added, equal, _written(labels), estimate)
        self.add_formulas(self.formulas.probabilities, top, dict(enumerate(marginals)))
        written = tree.formulas.nodes
        if node in written:
            self.formulas.nodes[top] = written[node]
        below = self._event([columns.child[b] for b in upper])
        if below:
            self.formulas.events[top] = below
        self.annotate_as(top, node)
        return top

    def _event(self, nodes: Sequence[int]) -> str | None:
        """Return the event that all of some chance nodes represent."""
        events = self.tree.formulas.events
        first, *others = (events.get(n) for n in nodes)
        return first if all(event == first for event in others) else None

    def _add_reward_formulas(self, node: int, ends: Sequence[tuple[int, int]]) -> None:
        """Write the rewards that are formulas at the branches of a lower node."""
        written = self.tree.formulas.rewards
        sums = {
            i: sum_of(*(written.get(b, self.tree.reward_of(b)) for b in pair))
            for i, pair in enumerate(ends)
            if any(b in written for b in pair)
        }
        self.add_formulas(self.formulas.rewards, node, sums)


def _written(labels: Sequence[str]) -> list[str | None]:
    return [label_at(label, place) for place, label in enumerate(labels, start=1)]


def _labels_below(tree: Tree, node: int) -> list[str]:
    """Return the labels of the lower level, in order; raise `TransformError` if they differ."""
    columns = tree.columns
    path = escape(tree.path_of(node))
    if columns.kind[node] != CHANCE:
        raise TransformError(
            f"{path} is a {Kind(columns.kind[node]).name} node\ngive the path of a CHANCE node "
            "whose children are CHANCE nodes"
        )
    found: list[str] = []
    for b in tree.branches_of(node):
        n, where = columns.child[b], escape(tree.branch_label(node, b))
        if columns.kind[n] != CHANCE:
            raise TransformError(
                f"{path}: below {where} is a {Kind(columns.kind[n]).name} node\nonly CHANCE nodes "
                "can be interchanged with their CHANCE children"
            )
        labels = [tree.branch_label(n, c) for c in tree.branches_of(n)]
        found = found or labels
        if sorted(labels) != sorted(found):
            first = escape(tree.branch_label(node, columns.first[node]))
            shown, expected = (", ".join(map(escape, some)) for some in (labels, found))
            raise TransformError(
                f"{path}: the outcomes below {where} are {shown}, and those below {first} are "
                f"{expected}\ngive them the same labels"
            )
    return found


def _chances_of(tree: Tree, node: int) -> list[Expression]:
    """Return the probabilities of a chance node's outcomes as expressions, in order."""
    branches, columns = tree.branches_of(node), tree.columns
    written = tree.formulas.probabilities
    if branches[0] in written:
        found = [written[b] for b in branches]
        others = [p for p in found if p != Name(REST)]
        rest = rest_of(others, len(found) - len(others))
        return [rest if p == Name(REST) else p for p in found]
    count = len(branches)
    equal = (columns.probability[branches[0]] * 0 + 1) / count
    if all(columns.probability[b] == equal for b in branches):
        return [quotient(ONE, Number(str(count)))] * count
    return [parse(exact_text(columns.probability[b]), ()) for b in branches]
