"""A tree in binary form: every node with several children becomes steps that join two at a time.

The steps of a node pair its children off like a tournament. Any two leaves of a tree without shared
nodes meet in one step, so work on all pairs of leaves below each step is quadratic in the leaves.
In exact mode the numbers of a step are multiplied by the least integer that makes all numbers below
it integers, which makes sums of fractions fast.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from expectitree.errors import AnalysisError
from expectitree.numbers import INFINITY, is_finite, to_exact
from expectitree.searches.result import Search
from expectitree.tree.model import Kind, Tree

MOST_LEAVES = 20_000  # that `limit` accepts by default
MOST_LARGE = 4_000  # the same where fractions need integers of more than 64 bits
_WORD = 2**62  # two integers below it can be added in 64 bits


@dataclass(slots=True)
class Step:
    """A terminal, or a node of two operands, which are earlier steps."""

    kind: Kind
    value: Any
    leaves: int  # the leaves below that bounds alone do not decide
    mask: int = 0  # these leaves as bits; only where nodes are shared
    scale: int = 1  # what the numbers of the tree are multiplied by
    node: int = -1  # of a terminal
    bounds: tuple[Any, Any] = (0, 0)  # of a terminal
    operands: tuple[int, ...] = ()  # two, or none of a terminal
    factors: tuple[Any, ...] = ()  # what the numbers of the operands are multiplied by
    last_use: int = -1  # the last step that has this one as an operand


class Action(NamedTuple):
    """An action at the root; several branches to one child are one action."""

    step: int
    factor: Any
    branch: int


@dataclass
class BinaryTree:
    """The steps of a tree, operands first, and the actions at its root."""

    eps: Any
    is_sharing: bool
    steps: list[Step] = field(default_factory=list)
    actions: list[Action] = field(default_factory=list)
    root: int = 0  # the step of the root; later steps are below branches of probability 0
    sign: int = 1  # -1 where MIN is at the root
    code: str = "d"  # the type code of an array of its numbers; empty for large integers
    infinity: Any = INFINITY  # what an infinite bound is in such an array

    def join(self, kind: Kind, pair: tuple[tuple[int, Any], tuple[int, Any]], scale: int) -> int:
        """Add a step of two operands, each given with its factor, and return its id."""
        operands, factors = zip(*pair, strict=True)
        one, other = (self.steps[s] for s in operands)
        value = joined(kind, factors[0] * one.value, factors[1] * other.value)
        mask = one.mask | other.mask
        leaves = mask.bit_count() if self.is_sharing else one.leaves + other.leaves
        one.last_use = other.last_use = len(self.steps)
        self.steps.append(
            Step(kind, value, leaves, mask, scale, operands=operands, factors=factors)
        )
        return len(self.steps) - 1


def joined(kind: Kind, x: Any, y: Any) -> Any:
    """Return the value of a step whose operands have these values, times their factors."""
    return x + y if kind == Kind.CHANCE else max(x, y) if kind == Kind.MAX else min(x, y)


def check_size(leaves: int, max_leaves: int | None, why: str = "", most: int = MOST_LEAVES) -> None:
    """Raise `AnalysisError` where there are too many leaves, or as much work as they would make."""
    most = most if max_leaves is None else max_leaves
    if leaves > most:
        raise AnalysisError(
            f"{leaves:,} leaves{why}, and the work grows with their square: at most {most:,} are "
            "accepted unless --max-leaves says more"
        )


def to_binary(tree: Tree, search: Search, max_leaves: int | None) -> BinaryTree:
    """Return a tree in binary form, with the bounds and the tolerance of a search of it.

    Several branches from a node to one child become one, and outcomes of probability 0 are left
    out. Raises `AnalysisError` where the tree has more than `max_leaves` leaves.
    """
    check_size(tree.leaves, max_leaves)
    columns, one = tree.columns, 1 if tree.exact else 1.0
    binary = BinaryTree(search.eps, tree.is_sharing)
    step_of = _add_terminals(binary, tree, search)
    steps = binary.steps
    for n, kind in enumerate(map(Kind, columns.kind)):
        if kind == Kind.TERMINAL:
            continue
        factors: dict[int, Any] = {}  # of the children's steps
        for b in tree.branches_of(n):
            s = step_of[columns.child[b]]
            if kind != Kind.CHANCE:
                factors[s] = one
            elif columns.probability[b]:
                factors[s] = factors.get(s, 0) + columns.probability[b]
        scale = 1
        if tree.exact and len(factors) > 1:
            own = {s: steps[s].scale * p.denominator for s, p in factors.items()}
            scale = math.lcm(*own.values())
            factors = {s: p.numerator * (scale // own[s]) for s, p in factors.items()}
        if n == tree.root_id and kind != Kind.CHANCE:
            binary.sign = 1 if kind == Kind.MAX else -1
            branch_to: dict[int, int] = {}
            for b in tree.branches_of(n):
                branch_to.setdefault(columns.child[b], b)
            binary.actions = [
                Action(step_of[child], factors[step_of[child]], b) for child, b in branch_to.items()
            ]
        queue = list(factors.items())
        while len(queue) > 1:
            pairs = zip(queue[::2], queue[1::2], strict=False)
            joined = [(binary.join(kind, pair, scale), one) for pair in pairs]
            queue = joined + queue[2 * len(joined) :]
        step_of[n] = queue[0][0]
    binary.root = step_of[tree.root_id]
    for action in binary.actions:
        steps[action.step].last_use = len(steps)
    if tree.exact:
        _choose_integers(binary, tree, max_leaves)
    return binary


def _add_terminals(binary: BinaryTree, tree: Tree, search: Search) -> list[int]:
    """Add a step for each terminal, and return the step of each node (of inner nodes 0)."""
    kind, value = tree.columns.kind, search.lower
    lower, upper = tree.inherited_bounds(search.bounds)
    terminals = [n for n in range(len(tree)) if kind[n] == Kind.TERMINAL]
    scale = 1
    if tree.exact:
        ends = (x for n in terminals for x in (value[n], lower[n], upper[n]) if is_finite(x))
        scale = math.lcm(*(to_exact(x).denominator for x in ends))

    def scaled(x: Any) -> Any:
        return int(to_exact(x) * scale) if tree.exact and is_finite(x) else x

    step_of = [0] * len(tree)
    for leaf, n in enumerate(terminals):
        step_of[n] = len(binary.steps)
        is_open = upper[n] - lower[n] > search.eps
        mask = is_open << leaf if tree.is_sharing else 0
        bounds = scaled(lower[n]), scaled(upper[n])
        binary.steps.append(
            Step(Kind.TERMINAL, scaled(value[n]), int(is_open), mask, scale, n, bounds)
        )
    return step_of


def _choose_integers(binary: BinaryTree, tree: Tree, max_leaves: int | None) -> None:
    """Choose integers of 64 bits if they can hold all numbers of a tree, or else longer ones."""
    terminals = [step for step in binary.steps if not step.operands]
    ends = [abs(x) for step in terminals for x in (step.value, *step.bounds) if is_finite(x)]
    greatest = max(ends) * (max(step.scale for step in binary.steps) // terminals[0].scale)
    binary.code, binary.infinity = "q", 2 * _WORD - 1
    if greatest >= _WORD:
        why = " of fractions beyond 64 bits (which need --exact)"
        check_size(tree.leaves, max_leaves, why, MOST_LARGE)
        binary.code, binary.infinity = "", 4 * greatest
