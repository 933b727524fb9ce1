"""Draw numbers ply by ply, and arrange them in the tables of a tree, children before parents.

Everything here is the same on every machine and in every engine: the draws are those of Python's
`random.Random(seed).random()`, the rest is whole numbers and single IEEE operations. Loops take and
fill columns, interpreted or compiled.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from itertools import accumulate
from random import Random
from typing import Any

from expectitree import compiling
from expectitree.errors import TransformError
from expectitree.families.parameters import MOST_NODES
from expectitree.tree.columns import Column, Columns
from expectitree.tree.model import Kind

TOO_LARGE = f"more than {MOST_NODES:,} nodes: choose a shorter pattern or a smaller branching"
CHANCE = int(Kind.CHANCE)


class NewColumns(Columns):
    """The columns of a tree that a loop fills."""

    @property
    def read_only(self) -> bool:
        """Compiled loops may write these columns."""
        return False


def new_columns(nodes: int, branches: int) -> NewColumns:
    """Return the columns of a tree, with zeros throughout."""
    return NewColumns.of(
        kind=compiling.zeros("B", nodes),
        utility=compiling.zeros("d", nodes),
        first=compiling.zeros("I", nodes + 1),
        child=compiling.zeros("I", branches),
        probability=compiling.zeros("d", branches),
    )


def finished(columns: NewColumns) -> Columns:
    """Return the columns, from now on read-only."""
    return Columns.of(*columns.stored)


def run(loop: Callable[..., Any], column: Column, *arguments: Any) -> Any:
    """Run a loop over the rows of its first column."""
    return compiling.run(loop, column, *arguments, rows=len(column))


def draw_numbers(random: Random, count: int) -> Column:
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
    widths: list[Column],
    amounts: list[Column],
    chances: list[Column],
    additive: bool,
) -> Columns:
    """Return the columns of a tree from its plies.

    `kinds` has one kind a ply, `widths` the number of branches of each node. `amounts` has a number
    for each branch: a terminal is worth the number of its branch, or the sum along its path if the
    tree is `additive`. `chances` has the probability of each branch below CHANCE; it is empty if
    outcomes are equally likely.
    """
    nodes = sum(map(len, widths))
    if nodes > MOST_NODES:
        raise TransformError(TOO_LARGE)
    columns = new_columns(nodes, nodes - 1)
    plies = array("I", accumulate(map(len, widths), initial=0))
    width, amount, chance = map(_joined, "Idd", (widths, amounts, chances))
    size, row, branch = (compiling.zeros("I", nodes) for _ in range(3))
    total = compiling.zeros("d", nodes)
    run(count_nodes, width, size)
    compiling.run(
        arrange, columns, array("B", kinds), plies, width, amount, chance, size, row, branch, total,
        additive, rows=nodes,
    )  # fmt: skip
    return finished(columns)


def _joined(code: str, parts: list[Column]) -> Column:
    count = sum(map(len, parts))
    whole = compiling.zeros(code, count)
    view, start = memoryview(whole), 0
    for part in parts:
        view[start : start + len(part)] = memoryview(part)
        start += len(part)
    return whole


def count_nodes(width: Column, size: Column) -> None:
    """Write the number of nodes in each node's subtree; nodes are in the order of plies."""
    child = len(width)
    for n in range(len(width) - 1, -1, -1):
        nodes = 1
        for _ in range(width[n]):
            child -= 1
            nodes += size[child]
        size[n] = nodes


def arrange(
    columns: NewColumns,
    kinds: Column,
    plies: Column,
    width: Column,
    amount: Column,
    chance: Column,
    size: Column,
    row: Column,
    branch: Column,
    total: Column,
    additive: bool,
) -> None:
    """Write the tables in depth-first order, each subtree in consecutive rows, its root last.

    Node n, in the order of plies, has a subtree of `size[n]` nodes and one branch fewer, which
    starts at node `row[n]` and branch `branch[n]` of the tables. Branch n - 1 leads to node n.
    `total[n]` is the utility if n is a terminal.
    """
    child = 1
    for ply in range(len(plies) - 1):
        for n in range(plies[ply], plies[ply + 1]):
            w = int(width[n])
            next_row, next_branch = int(row[n]), int(branch[n])
            own = next_row + int(size[n]) - 1
            b = next_branch + int(size[n]) - 1 - w
            columns.first[own + 1] = b + w
            if w == 0:
                columns.utility[own] = total[n]
                continue
            columns.utility[own] = float("nan")
            kind = kinds[ply]
            columns.kind[own] = kind
            for _ in range(w):
                total[child] = amount[child - 1] + (total[n] if additive else 0.0)
                row[child] = next_row
                branch[child] = next_branch
                next_row += int(size[child])
                next_branch += int(size[child]) - 1
                columns.child[b] = next_row - 1
                columns.probability[b] = 1.0
                if kind == CHANCE:
                    columns.probability[b] = chance[child - 1] if len(chance) > 0 else 1.0 / w
                b += 1
                child += 1
