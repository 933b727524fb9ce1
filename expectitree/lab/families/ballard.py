"""Trees with additive utilities, on which Ballard (1983) measured *-minimax search."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from expectitree.base.errors import TransformError
from expectitree.base.tree.columns import CHANCE, Column, FloatColumn, IntColumn, Kind
from expectitree.lab.families.growing import Growth, NewColumns, draw_numbers, run
from expectitree.lab.families.parameters import PATTERN, repeat_pattern

SOURCE = (
    'after B. W. Ballard, "The *-minimax search procedure for trees containing chance nodes", '
    "AI 21 (1983)"
)


def ballard(
    pattern: Sequence[Kind] = PATTERN,
    plies: int | None = None,
    branching: int | tuple[int, int] = 4,
    order: str = "random",
    dice: int = 0,
    seed: int = 0,
) -> Growth:
    """Return a tree with additive utilities (Ballard 1983, section 6).

    The branches of every node carry a permutation of the numbers from 0 to `branching` - 1. A
    terminal is worth the sum on its path, so utilities lie in [0, plies * (branching - 1)], the
    bounds of the root. `order` is the order of each permutation: `random`, or `best` for a search,
    which is descending at MAX and ascending at MIN and CHANCE; `worst` is the reverse. With `dice`,
    a CHANCE node has an outcome for each sum of two dice with so many sides, which carries that
    sum, counted from 0, and has its probability; otherwise its outcomes are equally likely.
    """
    if isinstance(branching, tuple):
        least, most = branching
        raise TransformError(f"ballard has one branching for all nodes, got {least}-{most}")
    kinds = repeat_pattern(pattern, plies)
    wide = [2 * dice - 1 if dice and kind == Kind.CHANCE else branching for kind in kinds]

    def draw_amounts(ply: int, random: Random, amount: Column) -> int:
        if not ply:
            return 0
        width = wide[ply - 1]
        if order == "random":
            draws = draw_numbers(random, len(amount) // width * (width - 1))
            return run(permute, amount, draws, width)
        is_down = (kinds[ply - 1] == Kind.MAX) == (order == "best")
        return run(count_up_or_down, amount, width, is_down)

    def draw_widths(ply: int, random: Random, width: Column) -> int:
        return run(fill, width, [*wide, 0][ply])

    title = f"Additive utilities: {', '.join(kind.name for kind in kinds)}, branching {branching}"
    title += f", order {order}"
    share = None
    if dice:
        share = roll, dice
        title += f", chance two dice of {dice} sides"
    if order == "random":
        title += f", seed {seed}"
    return Growth(
        seed, kinds, wide, wide,
        draw_amounts, None, draw_widths,
        share=share, additive=True,
        about={"title": title, "source": SOURCE}, bounds=(0.0, float(sum(wide) - len(wide))),
    )  # fmt: skip


def fill(column: IntColumn, width: int) -> int:
    """Write the same width to all rows; return the sum."""
    for n in range(len(column)):
        column[n] = width
    return len(column) * width


def permute(amount: FloatColumn, draws: FloatColumn, width: int) -> int:
    """Write a random permutation of 0, 1, … to each run of `width` rows (Fisher and Yates)."""
    place = 0
    for start in range(0, len(amount), width):
        amount[start] = 0.0
        for i in range(1, width):
            j = int(draws[place] * (i + 1))
            place += 1
            amount[start + i] = amount[start + j]
            amount[start + j] = i
    return 0


def count_up_or_down(amount: FloatColumn, width: int, down: bool) -> int:
    """Write 0, 1, … to each run of `width` rows, or the same numbers in descending order."""
    for start in range(0, len(amount), width):
        for i in range(width):
            amount[start + i] = i
            if down:
                amount[start + i] = width - 1 - i
    return 0


def roll(tree: NewColumns, sides: int) -> None:
    """Replace amounts by the probabilities that they are the sum of two dice, counted from 0."""
    for n in range(len(tree.kind)):
        if tree.kind[n] == CHANCE:
            for b in range(tree.first[n], tree.first[n + 1]):
                ways = int(tree.probability[b]) + 1
                if ways > sides:
                    ways = 2 * sides - ways
                tree.probability[b] = ways / (sides * sides)
