"""Trees with additive utilities, on which Ballard (1983) measured *-minimax search."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from operator import mul
from random import Random
from typing import Any

from expectitree.base import compiling
from expectitree.base.errors import TransformError
from expectitree.base.tree.adopt import adopt
from expectitree.base.tree.columns import FloatColumn, Kind
from expectitree.base.tree.model import Tree
from expectitree.lab.families.growing import assemble, draw_numbers, run
from expectitree.lab.families.parameters import PATTERN, repeat_pattern

SOURCE = (
    'after B. W. Ballard, "The *-minimax search procedure for trees containing chance nodes", '
    "AI 21 (1983)"
)


def ballard(
    pattern: Sequence[Kind] = PATTERN,
    plies: int | None = None,
    branching: int = 4,
    order: str = "random",
    dice: int = 0,
    seed: int = 0,
) -> Tree:
    """Return a tree with additive utilities (Ballard 1983, section 6).

    The branches of every node carry a permutation of the numbers from 0 to `branching` - 1. A
    terminal is worth the sum on its path, so utilities lie in [0, plies * (branching - 1)], the
    bounds of the root. `order` is the order of each permutation: `random`, or `best` for a search,
    which is descending at MAX and ascending at MIN and CHANCE; `worst` is the reverse. With `dice`,
    a CHANCE node has an outcome for each sum of two dice with so many sides, which carries that
    sum, counted from 0, and has its probability; otherwise its outcomes are equally likely.
    """
    kinds = repeat_pattern(pattern, plies)
    wide = _widths(kinds, branching, dice)
    nodes = list(accumulate(wide, mul, initial=1))  # by ply
    random = Random(seed)
    widths = [compiling.filled("I", *ply) for ply in zip([*wide, 0], nodes, strict=True)]
    amounts = [compiling.zeros("d", count) for count in nodes]
    chances = [compiling.zeros("d", count) for count in nodes[1:]] if dice else []
    for ply, (kind, amount) in enumerate(zip(kinds, amounts[1:], strict=True)):
        if order == "random":
            draws = draw_numbers(random, nodes[ply] * (wide[ply] - 1))
            run(permute, amount, draws, wide[ply])
        else:
            run(count_up_or_down, amount, wide[ply], (kind == Kind.MAX) == (order == "best"))
        if dice and kind == Kind.CHANCE:
            run(roll, chances[ply], amount, dice)
    columns = assemble(kinds, widths, amounts, chances, additive=True)
    title = f"Additive utilities: {', '.join(kind.name for kind in kinds)}, branching {branching}"
    title += f", order {order}"
    title += f", chance two dice of {dice} sides" if dice else ""
    title += f", seed {seed}" if order == "random" else ""
    bounds = {sum(nodes) - 1: (0.0, float(sum(wide) - len(wide)))}
    return adopt(columns, local_bounds=bounds, title=title, source=SOURCE)


def ballard_nodes(
    pattern: Sequence[Kind],
    plies: int | None,
    branching: int | tuple[int, int],
    dice: int,
    **others: Any,
) -> float:
    """Return how many nodes the tree has; raise `TransformError` if the branching is a range."""
    if isinstance(branching, tuple):
        least, most = branching
        raise TransformError(f"ballard has one branching for all nodes, got {least}-{most}")
    widths = _widths(repeat_pattern(pattern, plies), branching, dice)
    return sum(accumulate(widths, mul, initial=1))


def _widths(kinds: Sequence[Kind], branching: int, dice: int) -> list[int]:
    return [2 * dice - 1 if dice and kind == Kind.CHANCE else branching for kind in kinds]


def permute(amount: FloatColumn, draws: FloatColumn, width: int) -> None:
    """Write a random permutation of 0, 1, … to each run of `width` rows (Fisher and Yates)."""
    at = 0
    for start in range(0, len(amount), width):
        amount[start] = 0.0
        for i in range(1, width):
            j = int(draws[at] * (i + 1))
            at += 1
            amount[start + i] = amount[start + j]
            amount[start + j] = i


def count_up_or_down(amount: FloatColumn, width: int, down: bool) -> None:
    """Write 0, 1, … to each run of `width` rows, or the same numbers in descending order."""
    for start in range(0, len(amount), width):
        for i in range(width):
            amount[start + i] = width - 1 - i if down else i


def roll(chance: FloatColumn, amount: FloatColumn, sides: int) -> None:
    """Write the probability that each amount is the sum of two dice, counted from 0."""
    for b in range(len(amount)):
        ways = int(amount[b]) + 1
        if ways > sides:
            ways = 2 * sides - ways
        chance[b] = ways / (sides * sides)
