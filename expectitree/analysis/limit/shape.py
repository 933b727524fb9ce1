"""A tree as the loops of `lists` take it: its numbers, in exact mode scaled to integers, and what it shares."""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from expectitree import compiling
from expectitree.analysis.limit.nodes import CHANCE, TERMINAL, Shape
from expectitree.errors import AnalysisError
from expectitree.numbers import is_finite
from expectitree.tree.model import Bounds, Column, Columns, Tree

_WORD = 2**62  # integers below it are added in 64 bits
_MOST_BITS = 2**31  # of all denominators: a quarter of a gigabyte


@dataclass(frozen=True)
class Ground:
    """One tree in numbers: what all counts are made from."""

    shape: Shape
    value: Column  # [N] v*
    lower: Column  # [N] bounds; those of terminals matter
    upper: Column  # [N]
    known: Column  # [N] terminals whose bounds leave one number
    eps: Any
    greatest: Any  # a bound beyond is none
    code: str  # the type code of columns of numbers; empty where they are large integers
    bits: int  # of one number
    overlaps: bool  # some children share leaves that are not known

    def numbers(self, count: int) -> Column:
        """Return a column for so many numbers (at least one, which compiled loops ask for)."""
        return compiling.zeros(self.code, max(count, 1)) if self.code else [0] * count


def ground_of(tree: Tree, value: Sequence[Any], bounds: Bounds, eps: Any) -> Ground:
    """Return a tree whose nodes are worth `value` and whose root has `bounds`, ready to be counted.

    Where branches share leaves, two branches to one node are made one, and outcomes of probability
    0 are left out. In exact mode a node's numbers are multiplied with the least integer that makes
    all of them at and below it integers. Raises `AnalysisError` where these become too large.
    """
    columns = tree.columns
    lower, upper = tree.inherited_bounds(bounds)
    known = compiling.zeros("B", len(tree))
    tree.scan(mark_known, columns.kind, lower, upper, eps, known)
    group, most, overlaps = array("i", [0]), array("q", [0]), False
    if tree.is_sharing:
        columns, group, most, overlaps = _without_doubles(tree, known)
    first = array(
        "q", columns.first
    )  # signed: compiled, an unsigned number and a signed one make a float
    if not tree.exact:
        shape = Shape(columns.kind, first, columns.child, columns.probability, group, most)
        return Ground(shape, value, lower, upper, known, eps, sys.float_info.max, "d", 64, overlaps)
    from fractions import Fraction

    lower, upper = (
        [Fraction(x) if is_finite(x) else x for x in column] for column in (lower, upper)
    )
    scale, factor = _scale(columns, lower, upper)
    leaves = [n for n, k in enumerate(columns.kind) if k == TERMINAL]
    size = max(abs(x) for n in leaves for x in (lower[n], upper[n], value[n]) if is_finite(x))
    greatest = max(scale) * math.ceil(size)
    small = greatest < _WORD

    def column(numbers: list[int]) -> Column:
        return array("q", numbers) if small else numbers

    def at_leaves(ends: Column) -> Column:
        found = [0] * len(tree)
        for n in leaves:
            found[n] = (
                int(ends[n] * scale[n])
                if is_finite(ends[n])
                else (greatest + 1) * (1 if ends[n] > 0 else -1)
            )
        return column(found)

    return Ground(
        Shape(columns.kind, first, columns.child, column(factor), group, most),
        column([int(v * scale[n]) for n, v in enumerate(value)]),
        at_leaves(lower),
        at_leaves(upper),
        known,
        0,
        greatest,
        "q" if small else "",
        max(64, greatest.bit_length()),
        overlaps,
    )


def mark_known(kind: Column, lower: Column, upper: Column, eps: Any, known: Column) -> None:
    """Mark the terminals whose bounds leave one number."""
    for n in range(len(kind)):
        if kind[n] == 0 and upper[n] - lower[n] <= eps:
            known[n] = 1


def _scale(columns: Columns, lower: Column, upper: Column) -> tuple[list[int], list[int]]:
    """Return for each node what makes its numbers integers, and for each branch what makes the child's the node's."""
    kind, utility, first, child, probability = columns
    common = 1
    for n, k in enumerate(kind):
        if k == TERMINAL:
            for x in (utility[n], lower[n], upper[n]):
                if is_finite(x):
                    common = math.lcm(common, x.denominator)
    scale = [common] * len(kind)
    factor = [0] * len(child)
    bits = 0
    for n, k in enumerate(kind):
        if k == TERMINAL:
            continue
        own = [b for b in range(first[n], first[n + 1]) if probability[b]]
        scale[n] = math.lcm(*(scale[child[b]] * probability[b].denominator for b in own))
        for b in own:
            factor[b] = probability[b].numerator * (
                scale[n] // (scale[child[b]] * probability[b].denominator)
            )
        bits += scale[n].bit_length()
        if bits > _MOST_BITS:
            raise AnalysisError(
                f"the fractions grow to {int(scale[n].bit_length() * 0.30103):,} digits: leave --exact out, or cut the "
                "tree with --depth"
            )
    return scale, factor


def _without_doubles(tree: Tree, known: Column) -> tuple[Columns, Column, Column, bool]:
    """Return the columns with one branch from a node to a child, those that share unknown leaves side by side.

    Also the number of its group for each branch, how many leaves that are not known lie below each
    node, and whether any group has several.
    """
    kind, utility, first, child, probability = tree.columns
    last = array("i", [0]) * len(
        tree
    )  # the last parent: afterwards a node's leaves are not asked for again
    for n in range(len(tree)):
        for b in range(first[n], first[n + 1]):
            last[child[b]] = n
    below: dict[int, int] = {}  # the leaves below a node, as the bits of an integer
    most = array("q", [0]) * len(tree)
    firsts, children, group = array("i", [0]), array("i"), array("i")
    probabilities: Column = [] if tree.exact else array("d")
    overlaps, leaves = False, 0
    for n in range(len(tree)):
        merged: dict[int, Any] = {}
        for b in range(first[n], first[n + 1]):
            if kind[n] != CHANCE:
                merged[child[b]] = probability[b]
            elif probability[b]:
                merged[child[b]] = merged.get(child[b], 0) + probability[b]
        groups: list[tuple[int, list[int]]] = []
        seen = 0
        for c in merged:
            bits, members = below[c], [c]
            if bits & seen:
                overlaps = True
                touching = [g for g in groups if g[0] & bits]
                groups = [g for g in groups if not g[0] & bits]
                for g in touching:
                    bits |= g[0]
                members = [m for g in touching for m in g[1]] + members
            groups.append((bits, members))
            seen |= bits
        for number, (_, members) in enumerate(groups):
            children.extend(members)
            probabilities.extend([merged[c] for c in members])
            group.extend([number] * len(members))
        firsts.append(len(children))
        if kind[n] == TERMINAL and not known[n]:
            seen, leaves = 1 << leaves, leaves + 1
        below[n], most[n] = seen, seen.bit_count()
        for c in {child[b] for b in range(first[n], first[n + 1])}:
            if last[c] == n:
                del below[c]
    return Columns(kind, utility, firsts, children, probabilities), group, most, overlaps
