"""Draw numbers ply by ply, and arrange them in the tables of a tree, children before parents.

Everything here is the same on every machine and in every engine: the draws are those of Python's
`random.Random(seed).random()`, the rest is whole numbers and single IEEE operations. Loops take and
fill columns, interpreted or compiled.

Rows are depth first, and the nodes of each ply have the same order there as in their ply.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import mul
from random import Random
from typing import Any, NamedTuple

from expectitree.base import compiling
from expectitree.base.errors import TransformError
from expectitree.base.tree.columns import (
    CHANCE,
    MAX_IDS,
    TERMINAL,
    Bounds,
    Column,
    Columns,
    FloatColumn,
    IntColumn,
    Kind,
)
from expectitree.lab.families.parameters import TOO_LARGE
from expectitree.searches.progress import report

Draw = Callable[[int, Random, Column], int]


class NewColumns(Columns):
    """The columns of a tree that a loop fills."""

    read_only = False


class Numbers(NamedTuple):
    """What `write_rows` makes rows of: the drawn numbers, at the places that `Front` has."""

    kinds: IntColumn  # of the plies
    amount: FloatColumn
    weight: FloatColumn
    width: IntColumn
    even: bool  # whether outcomes are equally likely; else branches hold the weights of their nodes
    additive: bool


class Front(NamedTuple):
    """Where `write_rows` is: columns by ply, then a stack of the nodes that wait for their parent.

    Of each ply, it has entered at most one node without having written its row: that before `next`.
    """

    next: IntColumn  # the place of the ply's next node in the columns of numbers
    missing: IntColumn  # how many children of the node have not been entered
    total: FloatColumn  # the node's amount, or the sum along its path
    row: IntColumn  # of a waiting node
    weight: FloatColumn  # of the branch to it


def run(loop: Callable[..., int], column: Column, *arguments: object) -> int:
    """Run a loop over the rows of its first column; return how many children these have."""
    children: int = compiling.run(loop, column, *arguments, rows=len(column))
    return children


def draw_numbers(random: Random, count: int) -> FloatColumn:
    """Return the next numbers of `random`, at least 0 and less than 1."""
    if not compiling.pays(count):
        draw = random.random
        return array("d", (draw() for _ in range(count)))
    import numpy as np

    # NumPy's RandomState continues from the same state with the same numbers, only faster.
    version, state, gauss = random.getstate()
    generator: Any = np.random.RandomState()
    generator.set_state(("MT19937", np.array(state[:-1], np.uint32), state[-1]))
    draws = generator.random_sample(count)
    words = generator.get_state()
    random.setstate((version, (*map(int, words[1]), int(words[2])), gauss))
    return memoryview(draws)


@dataclass
class Growth:
    """A tree of a family, whose rows are written when they are needed.

    A `Draw` takes a ply, 0 for the root's, the generator, and a column of zeros. It writes the
    numbers of so many nodes, the next ones of the ply, and returns how many children they have if
    it draws widths, else 0. Siblings are drawn together.
    """

    seed: int
    kinds: Sequence[Kind]  # of each ply except the last
    widest: Sequence[int]  # the most branches of a node, in each of these plies
    mean: Sequence[float]  # the same on average
    amounts: Draw  # a terminal is worth its amount, or the sum along its path if `additive`
    weights: Draw | None  # of the branches to the nodes; None: the amounts are the weights
    widths: Draw  # numbers of branches
    share: tuple[Callable[[NewColumns, int], None], int] | None  # a loop that makes probabilities
    # of weights, and its argument; None: outcomes are equally likely
    additive: bool
    about: dict[str, Any]  # what `adopt` takes besides columns
    bounds: Bounds  # of the root

    @property
    def expected_nodes(self) -> float:
        """How many nodes the tree has on average."""
        return sum(accumulate(self.mean, mul, initial=1))

    def columns(self) -> Columns:
        """Draw all numbers, and arrange them in the tables of the tree."""
        compiling.expect_rows(self.expected_nodes)
        counts, drawn = self._draw()
        count, plies, zeros = sum(counts), len(counts), compiling.zeros
        self.about["local_bounds"] = {count - 1: self.bounds}
        kinds, is_even = array("B", self.kinds), self.share is None
        numbers = Numbers(kinds, drawn[0], drawn[-2], drawn[-1], is_even, self.additive)
        # No node has more children than its ply has.
        waiting = 1 + sum(map(min, self.widest, counts[1:]))
        begins = array("q", accumulate(counts[:-1], initial=0))
        front = Front(begins, *map(zeros, "qdId", [plies, plies, waiting, waiting]))
        tree = NewColumns.of(*map(zeros, "BdIId", [count, count, count + 1, count - 1, count - 1]))
        compiling.run(write_rows, tree, numbers, front, rows=count)
        if self.share is not None:
            loop, argument = self.share
            compiling.run(loop, tree, argument, rows=count)
        report(count, count)
        return tree

    def _draw(self) -> tuple[list[int], list[Any]]:
        """Return the number of nodes of each ply, and the columns of numbers of all plies."""
        counts, random = [1], Random(self.seed)
        draws = zip("ddI", (self.amounts, self.weights, self.widths), strict=True)
        columns: list[tuple[str, Draw, list[Any]]] = [
            (code, draw, []) for code, draw in draws if draw is not None
        ]
        for ply in range(len(self.widest) + 1):
            children = 0
            for code, draw, parts in columns:
                part = compiling.zeros(code, counts[ply])
                children += draw(ply, random, part)
                parts.append(part)
            counts.append(children)
            if sum(counts) > MAX_IDS:
                raise TransformError(TOO_LARGE)
        return counts[:-1], [_joined(code, parts) for code, _, parts in columns]


def _joined(code: str, parts: Sequence[Any]) -> Any:
    """Return one column of several."""
    column = compiling.zeros(code, sum(map(len, parts)))
    begin = 0
    for part in parts:
        memoryview(column)[begin : begin + len(part)] = memoryview(part)
        begin += len(part)
    return column


def write_rows(tree: NewColumns, numbers: Numbers, front: Front) -> None:
    """Write the rows in depth-first order, children before parents."""
    kinds, width = numbers.kinds, numbers.width
    kind, utility, first, child = tree.kind, tree.utility, tree.first, tree.child
    probability = tree.probability
    ply, top, b, n = -1, 0, 0, 0
    while n < len(kind):
        if ply < 0 or front.missing[ply] > 0:  # enter the next child, or the root
            row = front.next[ply + 1]
            front.next[ply + 1] = row + 1
            front.missing[ply + 1] = width[row]
            front.total[ply + 1] = numbers.amount[row]
            if ply >= 0:
                front.missing[ply] -= 1
                if numbers.additive:
                    front.total[ply + 1] += front.total[ply]
            ply += 1
            continue
        row = front.next[ply] - 1
        w = width[row]
        if w == 0:
            kind[n] = TERMINAL
            utility[n] = front.total[ply]
        else:
            kind[n] = kinds[ply]
            utility[n] = math.nan
            top -= w
            is_chance = kinds[ply] == CHANCE
            for i in range(top, top + w):
                child[b] = front.row[i]
                probability[b] = 1.0
                if is_chance:
                    probability[b] = 1.0 / w if numbers.even else front.weight[i]
                b += 1
        n += 1
        first[n] = b
        front.row[top] = n - 1
        front.weight[top] = numbers.weight[row]
        top += 1
        ply -= 1
