"""Trees with independent utilities, and branches and probabilities drawn at random."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from expectitree.base.errors import TransformError
from expectitree.base.numbers import exact_text
from expectitree.base.tree.columns import CHANCE, Column, FloatColumn, IntColumn, Kind
from expectitree.lab.families.growing import Growth, NewColumns, draw_numbers, run
from expectitree.lab.families.parameters import PATTERN, repeat_pattern

UNITS = 1_000_000_000_000  # probabilities are whole multiples of 1 / UNITS


def uniform(
    pattern: Sequence[Kind] = PATTERN,
    plies: int | None = None,
    branching: int | tuple[int, int] = (2, 4),
    utilities: tuple[float, float] = (0, 100),
    real: bool = False,
    end: float = 0.0,
    skew: int = 0,
    seed: int = 0,
) -> Growth:
    """Return a tree with utilities drawn independently and uniformly from a range.

    `utilities` are the bounds of the root; they are whole numbers unless `real`. Each node but the
    root is a terminal with probability `end`. The others have as many branches as `branching` says;
    if it is a range, all numbers in it are equally likely. The probabilities at CHANCE are equal,
    or with a `skew` about proportional to u^skew, u drawn uniformly from 0 to 1: decimals of twelve
    digits that sum to 1. Draws are made ply by ply: for each node whether it ends and how many
    branches it has, then the utilities of all branches, then their weights.
    """
    kinds = repeat_pattern(pattern, plies)
    if isinstance(branching, int):
        branching = branching, branching
    least, most = branching
    lower, upper = map(float, utilities)
    numbers = "real"
    if not real:
        numbers = "whole"
        _check_whole(lower, upper)
    mean = (least + most) / 2

    def draw_amounts(ply: int, random: Random, amount: Column) -> int:
        if not ply:
            return 0
        return run(choose_numbers, amount, draw_numbers(random, len(amount)), lower, upper, real)

    def draw_weights(ply: int, random: Random, weight: Column) -> int:
        if not ply or kinds[ply - 1] != Kind.CHANCE:
            return 0
        return run(choose_numbers, weight, draw_numbers(random, len(weight)), 0.0, 1.0, True)

    def draw_widths(ply: int, random: Random, width: Column) -> int:
        if ply == len(kinds):
            return 0
        draws = draw_numbers(random, 2 * len(width))
        return run(choose_widths, width, draws, least, most, end * (ply > 0))

    weights = share = None
    if skew:
        weights, share = draw_weights, (choose_probabilities, skew)
    title = f"Independent {numbers} utilities from {exact_text(lower)} to "
    title += f"{exact_text(upper)}: {', '.join(kind.name for kind in kinds)}, branching {least}"
    title += f" to {most}" * (least < most)
    title += f", ending early with probability {exact_text(end)}" * (end > 0)
    title += f", chance skewed by {skew}" * (skew > 0)
    return Growth(
        seed, kinds, [most] * len(kinds), [mean, *[mean * (1 - end)] * (len(kinds) - 1)],
        draw_amounts, weights, draw_widths, share=share, additive=False,
        about={"title": f"{title}, seed {seed}"}, bounds=(lower, upper),
    )  # fmt: skip


def _check_whole(lower: float, upper: float) -> None:
    """Raise `TransformError` if an end of the utilities is no whole number."""
    if not (lower.is_integer() and upper.is_integer()):
        raise TransformError(
            f"whole utilities between {exact_text(lower)} and {exact_text(upper)}\ngive whole "
            "ends, or ask for real ones"
        )


def choose_widths(width: IntColumn, draws: FloatColumn, least: int, most: int, end: float) -> int:
    """Write the number of branches of each node, none with probability `end`; return the sum."""
    total = 0
    for n in range(len(width)):
        width[n] = 0
        if draws[2 * n] >= end:
            width[n] = least + int(draws[2 * n + 1] * (most - least + 1))
        total += width[n]
    return total


def choose_numbers(
    amount: FloatColumn, draws: FloatColumn, lower: float, upper: float, real: bool
) -> int:
    """Write numbers from a range, whole ones unless they are `real`."""
    for b in range(len(amount)):
        if real:
            amount[b] = lower + draws[b] * (upper - lower)
        else:
            amount[b] = lower + int(draws[b] * (upper - lower + 1))
    return 0


def choose_probabilities(tree: NewColumns, skew: int) -> None:
    """Replace draws by the probabilities of outcomes, about proportional to draws^skew.

    They are whole multiples of 1 / UNITS. The greatest gets what rounding leaves, so that the
    decimals sum to 1, in text as well.
    """
    chance = tree.probability
    for n in range(len(tree.kind)):
        if tree.kind[n] != CHANCE:
            continue
        begin = tree.first[n]
        end = tree.first[n + 1]
        total = 0.0
        for b in range(begin, end):
            power = chance[b]
            for _ in range(skew - 1):
                power = power * chance[b]
            chance[b] = power
            total += power
        left = UNITS
        greatest = begin
        for b in range(begin, end):
            whole = 1
            if total != 0:
                whole += int(chance[b] / total * (UNITS - (end - begin)))
            chance[b] = whole
            left -= whole
            if chance[b] > chance[greatest]:
                greatest = b
        chance[greatest] += left
        for b in range(begin, end):
            chance[b] = chance[b] / UNITS
