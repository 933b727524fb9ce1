"""How trees grow: numbers are drawn ply by ply, and put together depth first, straight into columns.

Loops here are columns in, columns out, to be interpreted or compiled.
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
from expectitree.tree import scans
from expectitree.tree.model import Column, Columns, Kind

TOO_LARGE = f"more than {MOST_NODES:,} nodes: choose a shorter pattern or a smaller branching"


def assembled(
    kinds: Sequence[Kind],
    widths: list[Column],
    amounts: list[Column],
    chances: list[Column],
    additive: bool,
) -> Columns:
    """Return the tables of what was drawn ply by ply; `chances` is empty where outcomes are equally likely."""
    plies, count = len(kinds), sum(map(len, widths))
    if count > MOST_NODES:
        raise TransformError(TOO_LARGE)
    columns = tables(count, count - 1)
    widest = max(run(scans.greatest, own) for own in widths)
    starts = list(accumulate(map(len, widths), initial=0))
    cursors = (
        array("I", starts[:-1]), array("I", [start - 1 for start in starts[1:-1]]),
        compiling.zeros("I", plies * widest), *(compiling.zeros("I", plies) for _ in range(2)), compiling.zeros("d", plies),
    )  # fmt: skip
    width, amount, chance = map(_joined, ("I", "d", "d"), (widths, amounts, chances))
    kind_of = array("B", kinds)
    compiling.run(
        assemble,
        tuple(columns),
        kind_of,
        width,
        amount,
        chance,
        *cursors,
        widest,
        additive,
        rows=count,
    )
    return columns


def tables(count: int, branches: int) -> Columns:
    """Return the columns of a tree to be made: zeros throughout."""
    rows = (("B", count), ("d", count), ("I", count + 1), ("I", branches), ("d", branches))
    return Columns._make(compiling.zeros(code, length) for code, length in rows)


def _joined(code: str, parts: list[Column]) -> Column:
    count = sum(map(len, parts))
    whole = compiling.zeros(code, count)
    view, start = memoryview(whole), 0
    for part in parts:
        view[start : start + len(part)] = memoryview(part)
        start += len(part)
    return whole


def run(loop: Callable[..., Any], column: Column, *arguments: Any) -> Any:
    """Return what a loop returns that goes through its first column."""
    return compiling.run(loop, column, *arguments, rows=len(column))


def draw_numbers(random: Random, count: int) -> Column:
    """Return the next numbers of `random`, from 0 to below 1."""
    if not compiling.pays(count):
        draw = random.random
        return array("d", (draw() for _ in range(count)))
    import numpy as np

    # NumPy's RandomState, which is frozen, goes on from the same state with the same numbers.
    version, state, gauss = random.getstate()
    generator: Any = np.random.RandomState()
    generator.set_state(("MT19937", np.array(state[:-1], np.uint32), state[-1]))
    draws = generator.random_sample(count)
    words = generator.get_state()
    random.setstate((version, (*map(int, words[1]), int(words[2])), gauss))
    return memoryview(draws)


def permute(amount: Column, draws: Column, width: int) -> None:
    """Write a random permutation of 0, 1, … to each run of `width` rows (Fisher and Yates, inside out)."""
    at = 0
    for start in range(0, len(amount), width):
        amount[start] = 0.0
        for i in range(1, width):
            j = int(draws[at] * (i + 1))
            at += 1
            amount[start + i] = amount[start + j]
            amount[start + j] = i


def count_off(amount: Column, width: int, falling: bool) -> None:
    """Write 0, 1, … to each run of `width` rows, or the same falling."""
    for start in range(0, len(amount), width):
        for i in range(width):
            amount[start + i] = width - 1 - i if falling else i


def roll(chance: Column, amount: Column, sides: int) -> None:
    """Write how likely each amount is as the sum, counted from 0, of two dice."""
    for b in range(len(amount)):
        ways = int(amount[b]) + 1
        if ways > sides:
            ways = 2 * sides - ways
        chance[b] = ways / (sides * sides)


def choose_widths(width: Column, draws: Column, least: int, most: int, end: float) -> int:
    """Write how many branches each node of a ply has, none with probability `end`; return their sum."""
    total = 0
    for n in range(len(width)):
        w = 0 if draws[2 * n] < end else least + int(draws[2 * n + 1] * (most - least + 1))
        width[n] = w
        total += w
    return total


def choose_utilities(amount: Column, draws: Column, lower: float, upper: float, real: bool) -> None:
    """Write a utility for each branch of a ply."""
    for b in range(len(amount)):
        x = draws[b] * (upper - lower + (0 if real else 1))
        amount[b] = lower + (x if real else int(x))


def choose_probabilities(width: Column, chance: Column, draws: Column, skew: int) -> None:
    """Write the probabilities of each node's outcomes: whole units of 10^-12, about proportional to draws^skew.

    The greatest outcome gets what rounding leaves, so that the decimals sum to 1, in text as well.
    """
    units = 1_000_000_000_000
    start = 0
    for n in range(len(width)):
        total = 0.0
        for b in range(start, start + width[n]):
            power = draws[b]
            for _ in range(skew - 1):
                power = power * draws[b]
            chance[b] = power
            total += power
        left = units
        greatest = start
        for b in range(start, start + width[n]):
            whole = 1 if total == 0 else 1 + int(chance[b] / total * (units - width[n]))
            chance[b] = whole
            left -= whole
            if chance[b] > chance[greatest]:
                greatest = b
        if width[n] > 0:
            chance[greatest] += left
        for b in range(start, start + width[n]):
            chance[b] = chance[b] / units
        start += width[n]


def assemble(
    tree: tuple[Column, ...],
    kinds: Column,
    width: Column,
    amount: Column,
    chance: Column,
    node_cursor: Column,
    branch_cursor: Column,
    waiting: Column,
    done: Column,
    wanted: Column,
    total: Column,
    widest: int,
    additive: bool,
) -> None:
    """Write the tables of a tree, children before parents, from what was drawn for it ply by ply.

    `width` holds the branches of all nodes, ply after ply, `amount` and `chance` a row for each of
    those branches. A walk in depth-first order meets the nodes of a ply from left to right, so a
    cursor for each ply says whose turn it is. `waiting` holds by ply the children of the current
    node that are done.
    """
    kind, utility, first, child, probability = tree
    n = 0  # the next row of the node table
    row = 0  # the next row of the branch table
    ply = 0
    wanted[0] = width[0]
    node_cursor[0] = 1
    while True:
        if done[ply] < wanted[ply]:
            b = branch_cursor[ply]
            branch_cursor[ply] += 1
            value = amount[b] + total[ply] if additive else amount[b]
            w = width[node_cursor[ply + 1]]
            node_cursor[ply + 1] += 1
            if w > 0:
                ply += 1
                wanted[ply] = w
                done[ply] = 0
                total[ply] = value
                continue
            utility[n] = value
        else:
            # The node of this ply is complete: its branches, then itself.
            start = branch_cursor[ply] - wanted[ply]
            for i in range(wanted[ply]):
                child[row] = waiting[ply * widest + i]
                if kinds[ply] == 3:
                    probability[row] = chance[start + i] if len(chance) > 0 else 1.0 / wanted[ply]
                else:
                    probability[row] = 1.0
                row += 1
            kind[n] = kinds[ply]
            utility[n] = float("nan")
            ply -= 1
        n += 1
        first[n] = row
        if ply < 0:
            return
        waiting[ply * widest + done[ply]] = n - 1
        done[ply] += 1


def weave_lattice(
    tree: tuple[Column, ...],
    prices: Column,
    discounts: Column,
    strike: float,
    call: bool,
    p: float,
    q: float,
    later: Column,
) -> None:
    """Write the tables of a binomial lattice, the last step first; `later` holds the points of the step after."""
    kind, utility, first, child, probability = tree
    steps = len(discounts) - 1
    n = 0
    row = 0
    for step in range(steps, -1, -1):
        for ups in range(step + 1):
            price = prices[steps + 2 * ups - step]
            gain = price - strike if call else strike - price
            utility[n] = gain * discounts[step] if gain > 0 else 0.0
            n += 1
            first[n] = row
            if step < steps:
                child[row] = later[ups + 1]
                probability[row] = p
                child[row + 1] = later[ups]
                probability[row + 1] = q
                kind[n] = 3
                utility[n] = float("nan")
                n += 1
                first[n] = row + 2
                child[row + 2] = n - 1
                child[row + 3] = n - 2
                probability[row + 2] = probability[row + 3] = 1.0
                kind[n] = 1
                utility[n] = float("nan")
                n += 1
                row += 4
                first[n] = row
            later[ups] = n - 1
