"""Draw numbers ply by ply, and arrange them in the tables of a tree, children before parents.

Everything here is the same on every machine and in every engine: the draws are those of Python's
`random.Random(seed).random()`, the rest is whole numbers and single IEEE operations. Loops take and
fill columns, interpreted or compiled.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from itertools import accumulate
from random import Random
from typing import Any

from expectitree.base import compiling
from expectitree.base.tree.columns import CHANCE, Columns, FloatColumn, IntColumn, Kind


class NewColumns(Columns):
    """The columns of a tree that a loop fills."""

    read_only = False


def run(loop: Callable[..., Any], column: Any, *arguments: Any) -> Any:
    """Run a loop over the rows of its first column."""
    return compiling.run(loop, column, *arguments, rows=len(column))


def draw_numbers(random: Random, count: int) -> Any:
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


def assemble(
    kinds: Sequence[Kind],
    widths: list[Any],
    amounts: list[Any],
    chances: list[Any],
    additive: bool,
) -> NewColumns:
    """Return the columns of a tree from its plies.

    `kinds` has one kind a ply, `widths` the number of branches of each node. The plies of `amounts`
    start at the root too: a number for each node. A terminal is worth its number, or the sum along
    its path if the tree is `additive`. `chances` has the probability of each branch below CHANCE;
    it is empty if outcomes are equally likely.
    """
    nodes = sum(map(len, widths))
    zeros = compiling.zeros
    columns = NewColumns.of(
        kind=zeros("B", nodes),
        utility=zeros("d", nodes),
        first=zeros("I", nodes + 1),
        child=zeros("I", nodes - 1),
        probability=zeros("d", nodes - 1),
    )
    plies = array("I", accumulate(map(len, widths), initial=0))
    width, amount, chance = (
        array(code, b"".join(parts))
        for code, parts in zip("Idd", (widths, amounts, chances), strict=True)
    )
    size, row, branch = (zeros("I", nodes) for _ in range(3))
    run(count_nodes, width, size)
    row[0], branch[0] = nodes - 1, nodes - 1
    compiling.run(
        arrange, columns, array("B", kinds), plies, width, amount, chance, size, row, branch,
        additive, rows=nodes,
    )  # fmt: skip
    return columns


def count_nodes(width: IntColumn, size: IntColumn) -> None:
    """Write the number of nodes in each node's subtree; nodes are in the order of plies."""
    child = len(width)
    for n in range(len(width) - 1, -1, -1):
        nodes = 1
        for _ in range(width[n]):
            child -= 1
            nodes += size[child]
        size[n] = nodes


def arrange(
    tree: NewColumns,
    kinds: IntColumn,
    plies: IntColumn,
    width: IntColumn,
    amount: FloatColumn,
    chance: FloatColumn,
    size: IntColumn,
    row: IntColumn,
    branch: IntColumn,
    additive: bool,
) -> None:
    """Write the tables in depth-first order, each subtree in consecutive rows, its root last.

    Node n, in the order of plies, has the row `row[n]`. Its subtree has `size[n]` nodes and one
    branch fewer; these branches end before `branch[n]` with those of n itself. Both columns hold
    the root's values at first. Branch n - 1 of `chance` leads to node n.
    """
    kind, utility, first, child = tree.kind, tree.utility, tree.first, tree.child
    probability = tree.probability
    below = 1  # the next node's first child
    for ply in range(len(plies) - 1):
        for n in range(plies[ply], plies[ply + 1]):
            own = row[n]
            end = branch[n]
            first[own + 1] = end
            w = width[n]
            if w == 0:
                utility[own] = amount[n]
                continue
            kind[own] = kinds[ply]
            utility[own] = math.nan
            is_uneven = kinds[ply] == CHANCE and len(chance) > 0
            even = 1.0 / w if kinds[ply] == CHANCE else 1.0
            next_row = own - 1
            next_branch = end - w
            below += w
            for i in range(1, w + 1):  # the last child lies next to its parent
                c = below - i
                b = end - i
                child[b] = row[c] = next_row
                branch[c] = next_branch
                probability[b] = chance[c - 1] if is_uneven else even
                if additive:
                    amount[c] += amount[n]
                next_row -= size[c]
                next_branch -= size[c] - 1
