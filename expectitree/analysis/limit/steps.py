"""A tree in binary form: every node with several children becomes steps that join two at a time.

The steps of a node pair its children off like a tournament. Any two leaves of a tree without shared
nodes meet in one step, so work on all pairs of leaves below each step is quadratic in the leaves.
In exact mode the numbers of a step are multiplied by the least integer that makes all numbers below
it integers, which makes sums of fractions fast.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from expectitree.errors import AnalysisError
from expectitree.numbers import is_finite, to_exact
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
    node: int = -1  # of a terminal
    lower: Any = 0  # the bounds of a terminal
    upper: Any = 0
    operands: tuple[int, int] = (-1, -1)
    factors: tuple[Any, Any] = (1, 1)  # what the numbers of the operands are multiplied by
    leaves: int = 0  # the leaves below that bounds alone do not decide
    mask: int = 0  # the same leaves as bits; only where nodes are shared
    scale: int = 1  # what the numbers of the tree are multiplied by
    last_use: int = -1  # the last step that has this one as an operand


@dataclass
class BinaryTree:
    """The steps of a tree, operands first, and the actions at its root."""

    eps: Any
    is_sharing: bool
    steps: list[Step] = field(default_factory=list)
    actions: dict[int, Any] = field(default_factory=dict)  # the root's: step -> factor
    branch: dict[int, int] = field(default_factory=dict)  # the root's: step -> first branch to it
    root: int = 0  # the step of the root
    code: str = "d"  # the type code of an array of its numbers; empty for large integers
    size: int = 0  # no utility and no finite bound is farther from 0

    def join(self, kind: Kind, one: tuple[int, Any], other: tuple[int, Any], scale: int) -> int:
        """Add a step of two operands, each given with its factor, and return its id."""
        (left, f), (right, g) = one, other
        a, b = self.steps[left], self.steps[right]
        x, y = f * a.value, g * b.value
        value = x + y if kind == Kind.CHANCE else max(x, y) if kind == Kind.MAX else min(x, y)
        mask = a.mask | b.mask
        leaves = mask.bit_count() if self.is_sharing else a.leaves + b.leaves
        a.last_use = b.last_use = len(self.steps)
        self.steps.append(
            Step(kind, value, operands=(left, right), factors=(f, g), leaves=leaves, mask=mask,
                 scale=scale)
        )  # fmt: skip
        return len(self.steps) - 1


def check_size(tree: Tree, max_leaves: int | None, is_large: bool = False) -> None:
    """Raise `AnalysisError` where a tree has too many leaves; `is_large`: of long fractions."""
    most = (MOST_LARGE if is_large else MOST_LEAVES) if max_leaves is None else max_leaves
    if tree.leaves > most:
        why = "of fractions beyond 64 bits, " if is_large else ""
        raise AnalysisError(
            f"{tree.leaves:,} leaves, {why}and the work grows with their square: at most {most:,} "
            f"are accepted unless --max-leaves says more"
            f"{' (or --exact is left out)' if is_large else ''}"
        )


def to_binary(tree: Tree, search: Search, max_leaves: int | None) -> BinaryTree:
    """Return a tree in binary form, with the bounds and the tolerance of a search of it.

    Several branches from a node to one child become one, and outcomes of probability 0 are left
    out. Raises `AnalysisError` where the tree has more than `max_leaves` leaves.
    """
    check_size(tree, max_leaves)
    columns = tree.columns
    binary = BinaryTree(search.eps, tree.is_sharing)
    step_of = _add_terminals(binary, tree, search)
    for n, kind in enumerate(map(Kind, columns.kind)):
        if kind == Kind.TERMINAL:
            continue
        weights: dict[int, Any] = {}  # step -> probability
        for b in tree.branches_of(n):
            s = step_of[columns.child[b]]
            if kind != Kind.CHANCE:
                weights[s] = 1
            elif columns.probability[b]:
                weights[s] = weights.get(s, 0) + columns.probability[b]
        queue, scale = list(weights.items()), 1
        if tree.exact and len(queue) > 1:
            scales = [binary.steps[s].scale * p.denominator for s, p in queue]
            scale = math.lcm(*scales)
            queue = [
                (s, p.numerator * (scale // own)) for (s, p), own in zip(queue, scales, strict=True)
            ]
            if scale * binary.size >= _WORD:
                binary.code = ""
                check_size(tree, max_leaves, is_large=True)
        if n == tree.root_id and kind != Kind.CHANCE:
            binary.actions = dict(queue)
            for b in reversed(tree.branches_of(n)):
                binary.branch[step_of[columns.child[b]]] = b
        while len(queue) > 1:
            pairs = zip(queue[::2], queue[1::2], strict=False)
            joined = [(binary.join(kind, *pair, scale), 1) for pair in pairs]
            queue = joined + queue[2 * len(joined) :]
        step_of[n] = queue[0][0]
    binary.root = step_of[tree.root_id]
    return binary


def _add_terminals(binary: BinaryTree, tree: Tree, search: Search) -> list[int]:
    """Add a step for each terminal, and return the step of each node (of inner nodes 0)."""
    kind, value = tree.columns.kind, search.lower
    lower, upper = tree.inherited_bounds(search.bounds)
    terminals = [n for n in range(len(tree)) if kind[n] == Kind.TERMINAL]
    numbers = [x for n in terminals for x in (value[n], lower[n], upper[n]) if is_finite(x)]
    scale = 1
    if tree.exact:
        scale = math.lcm(*(to_exact(x).denominator for x in numbers))
        binary.code = "q"
        binary.size = math.ceil(max(map(abs, numbers)))

    def scaled(x: Any) -> Any:
        return int(to_exact(x) * scale) if tree.exact and is_finite(x) else x

    step_of = [0] * len(tree)
    for leaf, n in enumerate(terminals):
        step_of[n] = len(binary.steps)
        is_open = upper[n] - lower[n] > search.eps
        binary.steps.append(
            Step(Kind.TERMINAL, scaled(value[n]), n, scaled(lower[n]), scaled(upper[n]),
                 leaves=int(is_open), mask=is_open << leaf if tree.is_sharing else 0, scale=scale)
        )  # fmt: skip
    return step_of
