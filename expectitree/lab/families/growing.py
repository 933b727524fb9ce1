"""Draw numbers ply by ply, and arrange them in the tables of a tree, children before parents.

Everything here is the same on every machine and in every engine: the draws are those of Python's
`random.Random(seed).random()`, the rest is whole numbers and single IEEE operations. Loops take and
fill columns, interpreted or compiled.

Rows are depth first, and the nodes of each ply have the same order there as in their ply. So a tree
that does not fit into memory is drawn twice: first to count the nodes of each ply and to know the
state of the generator where its numbers begin, then a few numbers at a time, as rows need them.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
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

AT_ONCE = 1 << 18  # numbers of a ply that are drawn at once, if a tree is written part by part

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
    end: IntColumn  # the place after the ply's last number there
    missing: IntColumn  # how many children of the node have not been entered
    total: FloatColumn  # the node's amount, or the sum along its path
    row: IntColumn  # of a waiting node
    weight: FloatColumn  # of the branch to it
    state: IntColumn  # the ply; numbers of waiting nodes, of rows, and of branches


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
    nodes: int = 0  # known once the numbers are drawn

    @property
    def expected_nodes(self) -> float:
        """How many nodes the tree has on average."""
        return sum(accumulate(self.mean, mul, initial=1))

    def draw(self, at_once: int = MAX_IDS) -> None:
        """Draw all numbers; keep those of a ply only if there are at most `at_once`."""
        compiling.expect_rows(self.expected_nodes)
        self._counts = [1]  # nodes of each ply
        self._room: list[int] = []  # for numbers of each ply
        self._drawn: list[list[Iterator[Any]]] = []  # numbers of each ply
        random = Random(self.seed)
        draws = zip("ddI", (self.amounts, self.weights, self.widths), strict=True)
        self._draws = [(code, draw) for code, draw in draws if draw is not None]
        for ply, siblings in enumerate([1, *self.widest]):
            count, room = self._counts[ply], max(1, at_once // siblings) * siblings
            sizes = [min(room, count - at) for at in range(0, count, room)]
            drawn = [
                _columns(code, partial(draw, ply), random, sizes) for code, draw in self._draws
            ]
            self._drawn.append([columns for columns, _ in drawn])
            self._room.append(min(room, count))
            self._counts.append(sum(children for _, children in drawn))
            if sum(self._counts) > MAX_IDS:
                raise TransformError(TOO_LARGE)
        self.nodes = sum(self._counts)
        self.about["local_bounds"] = {self.nodes - 1: self.bounds}

    def parts(self, size: int = 1 << 20) -> Iterator[NewColumns]:
        """Yield the rows, `size` at a time; in each part, `first` starts at 0. Call this once."""
        # No node has more children than its ply has.
        waiting = 1 + sum(map(min, self.widest, self._counts[1:]))
        zeros, plies, room = compiling.zeros, len(self._room), sum(self._room)
        self._numbers = [zeros(code, room) for code, _ in self._draws]
        self._front = front = Front(*map(zeros, "qqqdIdq", [*[plies] * 4, waiting, waiting, 4]))
        front.state[0] = -1
        amount, weight, width = self._numbers[0], self._numbers[-2], self._numbers[-1]
        kinds, is_even = array("B", self.kinds), self.share is None
        numbers = Numbers(kinds, amount, weight, width, is_even, self.additive)
        for start in range(0, self.nodes, size):
            count = min(size, self.nodes - start)
            branches = min(count + waiting, self.nodes - 1)
            lengths = count, count, count + 1, branches, branches
            part = NewColumns.of(*map(zeros, "BdIId", lengths))
            front.state[2] = front.state[3] = 0
            write = partial(compiling.run, write_rows, part, numbers, front, start)
            while (ply := write(rows=self.nodes)) >= 0:
                self._refill(ply)
            own: Any = (column[: front.state[3]] for column in (part.child, part.probability))
            part = NewColumns.of(part.kind, part.utility, part.first, *own)
            if self.share is not None:
                loop, argument = self.share
                compiling.run(loop, part, argument, rows=count)
            report(start + count, self.nodes)
            yield part

    def _refill(self, ply: int) -> None:
        """Draw the next numbers of a ply."""
        begin = end = sum(self._room[:ply])
        for column, drawn in zip(self._numbers, self._drawn[ply], strict=True):
            numbers = memoryview(next(drawn))
            end = begin + len(numbers)
            memoryview(column)[begin:end] = numbers
        self._front.next[ply], self._front.end[ply] = begin, end


def _columns(
    code: str, draw: Callable[[Random, Column], int], random: Random, sizes: Sequence[int]
) -> tuple[Iterator[Column], int]:
    """Draw columns of some sizes; return them, and how many children there are.

    Several columns are not kept, but drawn again when they are needed.
    """

    def drawn(random: Random, size: int) -> tuple[Column, int]:
        column = compiling.zeros(code, size)
        return column, draw(random, column)

    if len(sizes) == 1:
        column, children = drawn(random, *sizes)
        return iter([column]), children
    again = copy(random)
    children = sum(drawn(random, size)[1] for size in sizes)
    return (drawn(again, size)[0] for size in sizes), children


def write_rows(tree: NewColumns, numbers: Numbers, front: Front, start: int) -> int:
    """Write the next rows in depth-first order, children before parents, from the id `start` on.

    Return the ply that needs more numbers to continue, or -1 if the tables are full.
    """
    kinds, width = numbers.kinds, numbers.width
    kind, utility, first, child = tree.kind, tree.utility, tree.first, tree.child
    probability = tree.probability
    ply, top, n, b = front.state[0], front.state[1], front.state[2], front.state[3]
    while n < len(kind):
        if ply < 0 or front.missing[ply] > 0:  # enter the next child, or the root
            at = front.next[ply + 1]
            if at == front.end[ply + 1]:
                break
            front.next[ply + 1] = at + 1
            front.missing[ply + 1] = width[at]
            front.total[ply + 1] = numbers.amount[at]
            if ply >= 0:
                front.missing[ply] -= 1
                if numbers.additive:
                    front.total[ply + 1] += front.total[ply]
            ply += 1
            continue
        at = front.next[ply] - 1
        w = width[at]
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
        front.row[top] = start + n - 1
        front.weight[top] = numbers.weight[at]
        top += 1
        ply -= 1
    front.state[0], front.state[1], front.state[2], front.state[3] = ply, top, n, b
    return ply + 1 if n < len(kind) else -1
