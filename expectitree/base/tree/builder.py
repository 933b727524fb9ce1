"""`TreeBuilder` makes a `Tree`: add its nodes, children before their parents, then call `build`."""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from expectitree.base.errors import WRONG_SUM, NumberError, TreeError
from expectitree.base.expressions.syntax import Expression
from expectitree.base.numbers import Number, escape, message_text, quote
from expectitree.base.reading import float_column, to_bound, to_number, to_probability
from expectitree.base.rounding import Rounded, sum_of
from expectitree.base.tree.bounds import check_bounds, outside_bounds
from expectitree.base.tree.columns import (
    CHANCE,
    NO_BOUNDS,
    NONE,
    ROUNDING,
    SUM_TOLERANCE,
    UNKNOWN,
    Bounds,
    Columns,
    Labels,
)
from expectitree.base.tree.formulas import Amount, Expressions, Formulas, TreeText, is_formula
from expectitree.base.tree.formulas import sum_of as sum_of_formulas
from expectitree.base.tree.model import Kind, Tree

EXACT_NODES = 20_000  # of a tree that is held in fractions


class NodeId(int):
    """A node of a builder; a class of its own, because a number as a child is a terminal."""

    __slots__ = ()


Child: TypeAlias = "NodeId | Number | str"
Children: TypeAlias = "Iterable[Child] | Mapping[str, Child]"


class TreeBuilder:
    """Collects nodes, children before their parents, and builds a tree of them.

        >>> import expectitree as et
        >>> t = et.TreeBuilder()
        >>> coin = t.chance([0, 10])
        >>> twice = t.chance({"again": coin, "three": 3}, ["1/3", "2/3"])
        >>> tree = t.build(t.max({"pass": 4, "toss": coin, "toss twice": twice}))
        >>> et.evaluate(tree).best, len(tree)
        ('toss', 7)

    A child is a number (a terminal) or a node that a method returned. A node that is a child of
    several nodes is stored, evaluated and counted once.

    Up to 20,000 nodes, numbers are exact: a float counts as the decimal that Python prints for it,
    so 0.1 is 1/10. Probabilities that sum to 1 within 1e-9 are scaled to sum to exactly 1.

    Args:
        exact: Whether to begin with exact numbers. Without them, a tree of millions of nodes is
            built in floats from the start.
    """

    def __init__(self, exact: bool = True, exact_nodes: int = EXACT_NODES) -> None:
        exact = exact and exact_nodes > 0
        self.exact, self.exact_nodes = exact, exact_nodes
        self.on_floats: Callable[[], object] = bool  # called when numbers become floats
        self._kind = array("B")
        self._utility: Any = []
        self._probability: Any = []
        if not exact:
            self._utility, self._probability = array("d"), array("d")
        self._first = array("I")
        self._child = array("I")
        self._label: list[str | None] = []
        self._reward: dict[int, Number] = {}  # by branch, where it is not 0
        self._bounds: dict[int, Bounds] = {}
        self._notes: dict[int, str] = {}
        self._branch_notes: dict[int, str] = {}
        self.formulas = Formulas()
        self._is_built = False
        self._one: Number = self._number(1)

    # ---- Methods for users: they check their arguments.

    def terminal(self, utility: Number | str | None, *, note: str | None = None) -> NodeId:
        """Add a terminal and return it.

        Args:
            utility: What it is worth to MAX: a number, text such as "1/3", or None if unknown.
            note: A text that is shown with the node.

        Raises:
            NumberError: The utility is not a number.
        """
        self._check_open()
        node = NodeId(self.add_terminal(UNKNOWN if utility is None else self._number(utility)))
        self.annotate(node, note=note)
        return node

    def max(self, children: Children, **about: Any) -> NodeId:
        """Add a node where MAX chooses, and return it.

        Args:
            children: Nodes and numbers, as a list or as a mapping from label to child.
            about: `rewards` (what each branch pays MAX: a list in order, or a mapping from label to
                reward for the branches that pay), `estimate` (the value if a depth limit cuts
                here), `bounds` (a pair that holds for every total still to be received) and `note`.

        Raises:
            TreeError: There are no children, or a label, a child or an option is wrong.
        """
        return self._inner(Kind.MAX, *self._children(children), None, about)

    def min(self, children: Children, **about: Any) -> NodeId:
        """Add a node where MIN chooses, and return it; the arguments are those of `max`."""
        return self._inner(Kind.MIN, *self._children(children), None, about)

    def chance(
        self, children: Children, p: Sequence[Number | str] | None = None, **about: Any
    ) -> NodeId:
        """Add a chance node and return it.

        Args:
            children: The outcomes, as for `max`.
            p: A probability for each outcome, in order: numbers, or texts such as "1/3" and
                "10%", that sum to 1. Without them, the outcomes are equally likely.
            about: As for `max`.

        Raises:
            NumberError: A probability is not a number between 0 and 1.
            TreeError: The probabilities do not sum to 1, or the arguments are wrong.
        """
        ids, labels = self._children(children)
        written = None
        if p is not None:
            if isinstance(p, Mapping) or not isinstance(p, Sequence):
                raise TreeError(
                    f"the probabilities are {p!r}: expected a list, one for each outcome"
                )
            if len(p) != len(ids):
                raise TreeError(
                    f"{len(p)} probabilities for {len(ids)} outcomes\ngive one for each"
                )
            written = [to_probability(_text(share), self.exact) for share in p]
        return self._inner(Kind.CHANCE, ids, labels, self.distribution(written, len(ids))[0], about)

    def build(
        self, root: Child, *, reward: Number | str = 0, check: bool = True, **about: Any
    ) -> Tree:
        """Return the tree below a root, without the nodes that the root does not reach.

        Afterward, the builder takes no more nodes, because the tree holds its columns.

        Args:
            root: The root.
            reward: What MAX receives before the first move.
            check: Check the bounds. Without it, the caller guarantees that no utility or estimate
                lies outside them, and that the root reaches all nodes before it.
            about: Further fields of `Tree`, such as `title` and `source`, which outputs show.

        Raises:
            TreeError: A utility or an estimate lies outside the bounds of a node above it.
        """
        self._check_open()
        root_id = self._id(root)
        self._is_built = True
        self.pay(NONE, self._number(reward))
        tree = self._tree().changed(**about)
        if check or root_id < len(tree) - 1:
            reached = bytearray(len(tree))
            reached[root_id] = 1
            for n in range(root_id, -1, -1):
                if reached[n]:
                    for b in tree.branches_of(n):
                        reached[self._child[b]] = 1
            if not all(reached):
                kept = (n for n in range(root_id + 1) if reached[n])
                tree = keep_branches(tree, ((n, tree.branches_of(n)) for n in kept))
        if check and tree.local_bounds:
            check_bounds(tree, tree.local_bounds.get(tree.root_id, NO_BOUNDS))
        return tree

    # ---- Methods for readers and transforms, which check their arguments themselves.

    def __len__(self) -> int:
        return len(self._kind)

    def add_terminal(self, utility: Number) -> int:
        """Add a terminal without checks; its utility has the builder's type, or is `UNKNOWN`."""
        self._first.append(len(self._child))
        self._utility.append(utility)
        self._kind.append(0)
        return len(self._kind) - 1

    def add_inner(
        self,
        kind: int,
        children: Sequence[int],
        probabilities: Sequence[Number] | None,
        labels: Labels | None,
        estimate: Number | None = None,
        rewards: Mapping[int, Number] | None = None,
    ) -> int:
        """Add an inner node over ids of nodes without checks; only CHANCE has `probabilities`.

        `rewards` are by place among the children, from 0; a branch without one pays nothing.
        """
        start = len(self._child)
        if rewards:
            self._reward.update((start + place, paid) for place, paid in rewards.items() if paid)
        self._first.append(start)
        self._child.extend(children)
        self._utility.append(UNKNOWN if estimate is None else estimate)
        self._probability.extend(probabilities or [self._one] * len(children))
        self._label.extend(labels or [None] * len(children))
        self._kind.append(kind)
        if self.exact and len(self._kind) > self.exact_nodes:
            self._round_to_floats()
        return len(self._kind) - 1

    def _round_to_floats(self) -> None:
        """Go on in floats: there are too many nodes for fractions."""
        self.exact, self._one = False, 1.0
        self._utility, self._probability = (
            float_column(column) for column in (self._utility, self._probability)
        )
        self.on_floats()

    def add_terminals(self, utilities: Sequence[Number]) -> range:
        """Add several terminals at once without checks; return their ids."""
        start, count = len(self._kind), len(utilities)
        self._first.fromlist([len(self._child)] * count)
        self._utility.extend(utilities)
        self._kind.frombytes(bytes(count))
        return range(start, start + count)

    def first_branch(self, node: int) -> int:
        """Return the id of the first branch of a node."""
        return self._first[node]

    def children_of(self, node: int) -> Sequence[int]:
        """Return the ids of the children of a node."""
        end = self._first[node + 1] if node + 1 < len(self) else len(self._child)
        return self._child[self._first[node] : end]

    def annotate(self, node: int, *, bounds: Bounds | None = None, note: str | None = None) -> None:
        """Write bounds or a note at a node."""
        if bounds is not None:
            self._bounds[node] = bounds
        if note is not None:
            self._notes[node] = "\n".join(filter(None, (self._notes.get(node), note)))

    def annotate_branch(self, node: int, place: int, note: str) -> None:
        """Write a note at the branch of an inner node at a place, from 0."""
        self._branch_notes[self._first[node] + place] = note

    def add_formulas(self, column: dict[int, Expression], node: int, written: Expressions) -> None:
        """Write formulas of branches of an inner node, by place, in a column of `formulas`."""
        column.update((self._first[node] + place, formula) for place, formula in written.items())

    def pay(self, branch: int, more: Amount) -> None:
        """Add a number or a formula to what a branch pays; -1 leads to the root."""
        if not more:
            return
        formulas = self.formulas.rewards
        before = formulas.pop(branch, self._reward.pop(branch, 0))
        total = sum_of_formulas(before, more)
        if total:
            if is_formula(total):
                formulas[branch] = total
            else:
                self._reward[branch] = total

    def outside_bounds(self) -> Iterator[tuple[int, str]]:
        """Yield each node so far whose utility or estimate lies outside its bounds, and a message.

        This includes nodes that the root does not reach and `build` leaves out.
        """
        if self._bounds:
            yield from outside_bounds(self._tree(), None)

    def _tree(self) -> Tree:
        reward: Any = None
        zero = self._one * 0
        root_reward = self._reward.get(NONE, zero)
        if any(b != NONE for b in self._reward):
            reward = [zero] * (len(self._child) + 1)
            for b, paid in self._reward.items():
                reward[b] = paid
            reward.pop()  # the root's
            if not self.exact:
                reward = float_column(reward)
        if not self.exact:
            (root_reward,) = float_column([root_reward])
        first = self._first + array("I", [len(self._child)])
        columns = Columns.of(
            self._kind, self._utility, first, self._child, self._probability, reward
        )
        bounds: Any = self._bounds
        if not self.exact:
            bounds = {n: tuple(float_column(ends)) for n, ends in bounds.items()}
        return Tree(
            columns,
            self._label,
            root_reward=root_reward,
            exact=self.exact,
            local_bounds=bounds,
            text=TreeText(notes=self._notes, branch_notes=self._branch_notes),
            formulas=self.formulas or Formulas(),
        )

    def distribution(
        self, written: Sequence[Number] | None, count: int, tolerance: float = SUM_TOLERANCE
    ) -> tuple[Sequence[Number], Number | None]:
        """Return the probabilities of `count` outcomes, and their sum if they had to be normalized.

        Without probabilities, outcomes are equally likely. Raises `TreeError` if the sum misses 1
        by more than a tolerance. A sum that misses 1 by rounding only is not normalized.
        """
        if written is None:
            return [self._one / count] * count, None
        total: Any = sum_of(written) if self.exact else math.fsum(written)
        if total == 1:
            return list(written), None
        is_near = abs(total - 1) <= ROUNDING
        if is_near and (not self.exact or isinstance(total, Rounded)):
            return list(written), None
        if abs(total - 1) > tolerance + ROUNDING:
            if not self.exact:
                total = round(total, 12)  # 0.3 + 0.6 is 0.8999999999999999
            raise TreeError(
                f"the probabilities sum to {message_text(total)}, expected 1",
                "correct them, or remove every p if the outcomes are equally likely",
                WRONG_SUM,
            )
        return [p / total for p in written], None if is_near else total

    def _inner(
        self,
        kind: Kind,
        ids: list[int],
        labels: Labels | None,
        probabilities: Sequence[Number] | None,
        about: Mapping[str, Any],
    ) -> NodeId:
        unknown = set(about) - {"estimate", "bounds", "note", "rewards"}
        if unknown:
            raise TreeError(
                f"unknown argument {sorted(unknown)[0]!r}: rewards, estimate, bounds and note are "
                "known"
            )
        rewards = self._rewards(about.get("rewards"), labels, len(ids))
        read: dict[str, Callable[[Any], Any]]
        read = {"estimate": self._number, "bounds": self._interval, "note": str}
        given = {key: read[key](about[key]) for key in read if about.get(key) is not None}
        estimate = given.pop("estimate", None)
        node = NodeId(self.add_inner(kind, ids, probabilities, labels, estimate, rewards))
        self.annotate(node, **given)
        return node

    def _rewards(self, written: object, labels: Labels | None, count: int) -> dict[int, Number]:
        """Return rewards by place, from a list in order or a mapping from label to reward."""
        if written is None:
            return {}
        if isinstance(written, Mapping):
            names = [
                label or f"#{place}" for place, label in enumerate(labels or [None] * count, 1)
            ]
            unknown = [label for label in written if str(label) not in names]
            if unknown:
                raise TreeError(
                    f"a reward for {quote(str(unknown[0]))}, and no child has that label: "
                    f"the labels are {', '.join(map(escape, names[:8]))}"
                )
            return {names.index(str(label)): self._number(r) for label, r in written.items()}
        if isinstance(written, str) or not isinstance(written, Sequence) or len(written) != count:
            raise TreeError(
                f"the rewards are {written!r}: expected a list of {count}, one for each child, "
                "or a mapping from label to reward"
            )
        return {place: self._number(reward) for place, reward in enumerate(written)}

    def _interval(self, bounds: object) -> Bounds:
        if not isinstance(bounds, Sequence) or isinstance(bounds, str) or len(bounds) != 2:
            raise TreeError(f"bounds are a pair (lower, upper), got {bounds!r}")
        lower, upper = (to_bound(_text(end), self.exact) for end in bounds)
        if lower > upper:
            raise TreeError(
                f"bounds are a pair (lower, upper), got {bounds!r}, whose lower end is the greater"
            )
        return lower, upper

    def _children(self, children: Children) -> tuple[list[int], Labels | None]:
        """Return the ids of some children and the labels of the branches to them."""
        self._check_open()
        if isinstance(children, str) or not isinstance(children, Iterable):
            raise TreeError(
                f"the children are {children!r}: expected a list of nodes, "
                "or a mapping from label to node"
            )
        labels = None
        if isinstance(children, Mapping):
            written = [str(label) for label in children]
            if len(set(written)) < len(written):
                label = next(label for label in written if written.count(label) > 1)
                raise TreeError(f"duplicate label {quote(label)} among siblings\ngive each its own")
            labels = [label_at(label, place) for place, label in enumerate(written, start=1)]
            children = children.values()
        ids = [self._id(child) for child in children]
        if not ids:
            raise TreeError("a node has no children\ngive it at least one, or make it a terminal")
        return ids, labels

    def _id(self, child: Child) -> int:
        if child is None:  # more often a slip than meant
            raise NumberError(
                "a child is None: expected a number or a node; one not known yet is terminal(None)"
            )
        if not isinstance(child, NodeId):
            return self.terminal(child)
        if child >= len(self):
            raise TreeError(f"node {int(child)} is not in this builder, which holds {len(self)}")
        return int(child)

    def _number(self, value: object) -> Number:
        return to_number(_text(value), self.exact)

    def _check_open(self) -> None:
        if self._is_built:
            raise TreeError(
                "this builder has built its tree\nmake another builder for another tree"
            )


def _text(value: object) -> str:
    if isinstance(value, bool) or value is None:
        raise NumberError(f"{value!r} is not a number")
    return str(value)


def label_at(label: str, place: int) -> str | None:
    """Return a label as the column holds it: None for `#k`, the name of the branch at place k.

    Raises `TreeError` for an empty label, and for `#k` at another place.
    """
    if not label:
        raise TreeError("the label is empty\nwrite one, or remove it for #1, #2, … by place")
    if label[0] == "#" and label[1:].isdecimal() and label.isascii():
        if label != f"#{place}":
            label = quote(label)[1:-1]
            raise TreeError(
                f"the label {label} is at place {place}\nwrite another label; of this form, only "
                f"#{place} is possible here"
            )
        return None
    return label


def normalised(columns: Columns, given: Iterable[Number], exact: bool = False) -> list[Number]:
    """Return probabilities, divided by their sum at each chance node where it misses 1."""
    builder, p = TreeBuilder(exact), [*given]
    for n, kind in enumerate(columns.kind):
        if kind == CHANCE:
            outcomes = slice(columns.first[n], columns.last[n])
            p[outcomes], _ = builder.distribution(p[outcomes], outcomes.stop - outcomes.start)
    return p


# The fields of a tree that `Copy` makes anew.
_COPIED = (
    "columns",
    "label",
    "exact",
    "local_bounds",
    "notes",
    "branch_notes",
    "estimated",
    "formulas",
    "root_reward",
)


class Copy(TreeBuilder):
    """A copy of a tree in the making: add its nodes, children before their parents.

    The copy of a tree in fractions is in fractions, however many nodes it gets.
    """

    def __init__(self, tree: Tree, exact_nodes: int = sys.maxsize) -> None:
        super().__init__(tree.exact, exact_nodes)
        self.tree = tree
        self.estimated: set[int] = set()
        self._reward[NONE] = tree.root_reward
        self.formulas = replace(self.formulas, criteria=tree.formulas.criteria)
        self.formulas.defined.update(tree.formulas.defined)
        if NONE in tree.formulas.rewards:
            self.formulas.rewards[NONE] = tree.formulas.rewards[NONE]

    def labels_of(self, node: int, branches: Sequence[int]) -> Labels:
        """Return the labels of some branches in a new order; `#k` stays with its branch."""
        tree, first = self.tree, self.tree.columns.first[node]
        return [
            tree.label[b] if b - first == place else tree.branch_label(node, b)
            for place, b in enumerate(branches)
        ]

    def rewards_of(self, branches: Sequence[int]) -> dict[int, Number]:
        """Return the rewards of some branches by their place in a new order."""
        columns = self.tree.columns
        return {place: columns.reward[b] for place, b in enumerate(branches) if columns.pays}

    def add(
        self, node: int, branches: Sequence[int], children: Sequence[int], kind: int | None = None
    ) -> int:
        """Add a copy of a node over the copies that `branches` lead to; return its id.

        Branches keep their labels, rewards and notes. `kind` replaces the node's kind, and its
        estimate, which was for other play, is left out. An inner node without branches becomes a
        terminal worth its estimate.
        """
        tree, columns = self.tree, self.tree.columns
        if branches:
            estimate, p = None, None
            if kind is None:
                kind, estimate = columns.kind[node], columns.utility[node]
            if kind == CHANCE:
                p = [columns.probability[b] for b in branches]
            labels, rewards = self.labels_of(node, branches), self.rewards_of(branches)
            copy = self.add_inner(kind, children, p, labels, estimate, rewards)
        else:
            copy = self.add_terminal(columns.utility[node])
            if columns.kind[node] or node in tree.estimated:
                self.estimated.add(copy)
        self.annotate_as(copy, node)
        if tree.formulas:
            self._copy_formulas(tree.formulas, node, branches, copy)
        for place, b in enumerate(branches):
            if b in tree.branch_notes:
                self.annotate_branch(copy, place, tree.branch_notes[b])
        return copy

    def annotate_as(self, copy: int, node: int) -> None:
        """Write the bounds and the note of a node at its copy."""
        bounds, note = self.tree.local_bounds.get(node), self.tree.notes.get(node)
        self.annotate(copy, bounds=bounds, note=note)

    def _copy_formulas(
        self, formulas: Formulas, node: int, branches: Sequence[int], copy: int
    ) -> None:
        if node in formulas.nodes:
            self.formulas.nodes[copy] = formulas.nodes[node]
        if node in formulas.events and self._kind[copy] == CHANCE:
            self.formulas.events[copy] = formulas.events[node]
        for name in ("probabilities", "rewards"):
            column = getattr(formulas, name)
            written = {place: column[b] for place, b in enumerate(branches) if b in column}
            self.add_formulas(getattr(self.formulas, name), copy, written)

    def finish(self, check: bool = True) -> Tree:
        """Return the copy; its root is the node added last. `check` is that of `build`."""
        tree, root = self.tree, NodeId(len(self) - 1)
        built = self.build(root, estimated=frozenset(self.estimated), check=check)
        return tree.changed(**{name: getattr(built, name) for name in _COPIED})


def keep_branches(tree: Tree, kept: Iterable[tuple[int, Sequence[int]]]) -> Tree:
    """Return the tree of some nodes, in the order of their ids, each with some of its branches.

    The root must be among the nodes, and so must every child that a kept branch leads to.
    """
    copy, child = Copy(tree), tree.columns.child
    copies = array("I", [0]) * len(tree)  # by node
    formulas = tree.formulas
    for n, branches in kept:
        copies[n] = copy.add(n, branches, [copies[child[b]] for b in branches])
        if n in formulas.states:
            copy.formulas.named[copies[n]] = formulas.named[n]
            copy.formulas.states[copies[n]] = formulas.states[n]
    return copy.finish(check=False)
