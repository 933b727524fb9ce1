"""Families of trees that searches are compared on: made from a seed, straight into columns, the same everywhere.

All randomness is Python's Mersenne Twister (`random.Random(seed).random()`, whose sequence Python
promises to keep); NumPy, where it is there, continues the same sequence faster. Everything else is
integers and single IEEE operations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from inspect import signature
from random import Random
from typing import Any

from expectitree import compiling
from expectitree.errors import TransformError
from expectitree.families import growing
from expectitree.families.growing import TOO_LARGE, assembled, draw_numbers, run, tables
from expectitree.families.parameters import MOST_NODES, ORDERS, read_parameters, read_pattern
from expectitree.numbers import exact_text, quote
from expectitree.tree.adopt import adopt
from expectitree.tree.model import Kind, Tree

__all__ = ["FAMILIES", "ORDERS", "ballard", "generate", "lattice", "uniform"]

_MANY = (
    1_000_000  # nodes of a ply, from which their mean number of branches tells the size of the next
)
_MOST_LOG = 690.0  # of a price: e^690 is some 10^300


def _checked(make: Callable[..., Tree]) -> Callable[..., Tree]:
    """Have a family's parameters read before its trees are made."""

    @wraps(make)
    def checked(*positional: Any, **named: Any) -> Tree:
        given = dict(zip(signature(make).parameters, positional, strict=False)) | named
        return make(**read_parameters(make.__name__, signature(make).parameters, given))

    return checked


def _kinds(pattern: Any, plies: int | None) -> list[Kind]:
    kinds = read_pattern(pattern)
    return kinds if plies is None else [kinds[ply % len(kinds)] for ply in range(plies)]


@_checked
def ballard(
    pattern: Sequence[str | Kind] = ("max", "chance", "min"),
    plies: int | None = None,
    branching: int = 4,
    order: str = "random",
    dice: int = 0,
    seed: int = 0,
) -> Tree:
    """Return a tree with additive utilities (Ballard 1983, section 6).

    `pattern` holds the kinds of the plies from the root down, and is repeated or cut to as many as
    `plies` says. Every node has `branching` branches, which carry a permutation of the numbers from
    0; a terminal is worth the sum on its path, so utilities lie in [0, plies * (branching - 1)],
    the root's bounds. `order` is how each permutation stands: at `random`, or `best` for a search,
    which is descending at MAX and ascending at MIN and CHANCE; `worst` is the reverse. With `dice`
    a CHANCE node has an outcome for each sum of two dice of so many sides, which carries that sum,
    counted from 0, and is as likely; else all its outcomes are equally likely.
    """
    kinds = _kinds(pattern, plies)
    if isinstance(branching, tuple):
        raise TransformError(
            f"ballard has one branching for all nodes, got {branching[0]}-{branching[1]}"
        )
    random = Random(seed)
    wide = [2 * dice - 1 if dice and kind == Kind.CHANCE else branching for kind in kinds]
    nodes = [1]
    for width in wide:
        nodes.append(nodes[-1] * width)
        if nodes[-1] > MOST_NODES:
            raise TransformError(TOO_LARGE)
    widths = [compiling.filled("I", width, n) for width, n in zip(wide, nodes, strict=False)]
    widths.append(compiling.zeros("I", nodes[-1]))
    amounts, chances = [], []
    for kind, width, own, below in zip(kinds, wide, nodes, nodes[1:], strict=False):
        amount = compiling.zeros("d", below)
        if order == "random":
            run(growing.permute, amount, draw_numbers(random, own * (width - 1)), width)
        else:
            run(growing.count_off, amount, width, (kind == Kind.MAX) == (order == "best"))
        amounts.append(amount)
        if dice:
            chance = compiling.zeros("d", below)
            if kind == Kind.CHANCE:
                run(growing.roll, chance, amount, dice)
            chances.append(chance)
    columns = assembled(kinds, widths, amounts, chances, additive=True)
    most = sum(wide) - len(wide)
    names = ", ".join(kind.name for kind in kinds)
    rolled = f", chance two dice of {dice} sides" if dice else ""
    title = f"Additive utilities: {names}, branching {branching}, order {order}{rolled}"
    source = 'after B. W. Ballard, "The *-minimax search procedure for trees containing chance nodes", AI 21 (1983)'
    return adopt(
        columns,
        local_bounds={len(columns.kind) - 1: (0.0, float(most))},
        title=title + (f", seed {seed}" if order == "random" else ""),
        source=source,
    )


@_checked
def uniform(
    pattern: Sequence[str | Kind] = ("max", "chance", "min"),
    plies: int | None = None,
    branching: int | tuple[int, int] = (2, 4),
    utilities: tuple[float, float] = (0, 100),
    real: bool = False,
    end: float = 0.0,
    skew: int = 0,
    seed: int = 0,
) -> Tree:
    """Return a tree whose utilities are drawn independently and uniformly from `utilities`, the root's bounds.

    They are whole numbers unless `real`. Each node but the root is a terminal already with
    probability `end`; else it has as many branches as `branching` says, or from its first to its
    second number, all equally likely. The probabilities at CHANCE are equal, or with a `skew` above
    0 about proportional to u^skew, u drawn uniformly from 0 to 1: decimals of twelve digits that
    sum to 1. Draws are made ply by ply: for each node whether it ends and how many branches it has,
    then the utilities of all branches, then their weights.
    """
    kinds = _kinds(pattern, plies)
    least, most = branching if isinstance(branching, tuple) else (branching, branching)
    lower, upper = map(float, utilities)
    if not real and (lower != int(lower) or upper != int(upper)):
        raise TransformError(
            f"whole utilities between {exact_text(lower)} and {exact_text(upper)}: give whole ends, or ask for real ones"
        )
    random = Random(seed)
    count = 1
    widths, amounts, chances = [compiling.zeros("I", 1)], [], []
    for ply, kind in enumerate(kinds):
        own = widths[-1]
        total = run(
            growing.choose_widths,
            own,
            draw_numbers(random, 2 * len(own)),
            least,
            most,
            end if ply else 0.0,
        )
        count += total
        rest = (
            len(kinds) - ply - 1
        )  # plies below; without early ends each node there has at least so many nodes below
        if count > MOST_NODES or total * (1.0 if end else float(least) ** rest) > MOST_NODES:
            raise TransformError(TOO_LARGE)
        if total > _MANY and total * ((1 - end) * (least + most) / 2) ** rest > 2 * MOST_NODES:
            raise TransformError(TOO_LARGE)
        amount, chance, width = (compiling.zeros(code, total) for code in "ddI")
        run(growing.choose_utilities, amount, draw_numbers(random, total), lower, upper, real)
        if skew:
            if kind == Kind.CHANCE:
                compiling.run(
                    growing.choose_probabilities,
                    own,
                    chance,
                    draw_numbers(random, total),
                    skew,
                    rows=total,
                )
            chances.append(chance)
        amounts.append(amount)
        widths.append(width)
    columns = assembled(kinds, widths, amounts, chances, additive=False)
    width = f"{least}" if least == most else f"{least} to {most}"
    early = f", ending early with probability {exact_text(end)}" if end else ""
    skewed = f", chance skewed by {skew}" if skew else ""
    kind_of = "real" if real else "whole"
    names = ", ".join(kind.name for kind in kinds)
    title = (
        f"Independent {kind_of} utilities from {exact_text(lower)} to {exact_text(upper)}: {names}, branching "
        f"{width}{early}{skewed}, seed {seed}"
    )
    return adopt(columns, local_bounds={len(columns.kind) - 1: (lower, upper)}, title=title)


@_checked
def lattice(
    steps: int = 100,
    spot: float = 100.0,
    strike: float = 100.0,
    up: float = 1.01,
    rate: float = 1.0001,
    call: bool = False,
) -> Tree:
    """Return the American option on a recombining binomial lattice (Cox, Ross and Rubinstein 1979).

    At each of `steps` steps the price goes up by the factor `up` or down by its inverse, with the
    probabilities under which it grows by `rate` on average; at every point MAX stops, for what the
    option pays, or goes on. Payoffs are in the money of the first day, divided by `rate` once a
    step, so the value of the tree is the option's price. The point after i steps, j of them up, is
    one node however it was reached: 1,000 steps are half a million points (of three nodes each:
    MAX, its stop, and CHANCE), and some 2^1000 nodes unfolded.
    """
    down = 1 / up
    if not down < rate < up:
        raise TransformError(
            f"the rate {exact_text(rate)} lies not between the factors down {exact_text(down)} and up {exact_text(up)}: one "
            "could win without risk"
        )
    if steps * max(math.log(up), -math.log(rate)) + math.log(spot) > _MOST_LOG:
        raise TransformError(
            f"prices after {steps:,} steps are beyond 10^300: choose fewer steps, or up nearer to 1"
        )
    points = (steps + 1) * (steps + 2) // 2
    inner = steps * (steps + 1) // 2
    count, branches = points + 2 * inner, 4 * inner
    columns = tables(count, branches)
    p = round(
        (rate - down) / (up - down), 15
    )  # as decimals both probabilities sum to 1, in text too
    prices = compiling.zeros("d", 2 * steps + 1)
    prices[steps] = spot
    for i in range(1, steps + 1):
        prices[steps + i], prices[steps - i] = (
            prices[steps + i - 1] * up,
            prices[steps - i + 1] / up,
        )
    discounts = compiling.zeros("d", steps + 1)
    discounts[0] = 1.0
    for i in range(1, steps + 1):
        discounts[i] = discounts[i - 1] / rate
    later = compiling.zeros("I", steps + 1)
    compiling.run(
        growing.weave_lattice,
        tuple(columns),
        prices,
        discounts,
        strike,
        call,
        p,
        round(1 - p, 15),
        later,
        rows=count,
    )
    what = "call" if call else "put"
    prices_text = ", ".join(
        f"{name} {exact_text(x)}"
        for name, x in (("spot", spot), ("strike", strike), ("up", up), ("rate", rate))
    )
    title = f"An American {what}: {steps:,} step{'s' * (steps != 1)}, {prices_text} a step"
    return adopt(
        columns,
        LatticeLabels(branches),
        title=title,
        source="J. C. Cox, S. A. Ross and M. Rubinstein, Option Pricing: A Simplified Approach (1979)",
    )


class LatticeLabels(Sequence[str | None]):
    """The labels of a lattice: two actions, then two outcomes, over and over."""

    _NAMES = ("up", "down", "go on", "stop")

    def __init__(self, count: int) -> None:
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, at: Any) -> Any:
        places = range(self._count)[at]
        return (
            self._NAMES[places % 4]
            if isinstance(places, int)
            else [self._NAMES[b % 4] for b in places]
        )


FAMILIES: dict[str, Callable[..., Tree]] = {
    "ballard": ballard,
    "uniform": uniform,
    "lattice": lattice,
}


def generate(family: str, **parameters: Any) -> Tree:
    """Return a tree of a family, `ballard`, `uniform` or `lattice`, with the parameters of that function here.

    A parameter may be given as text, as on the command line: `branching="2-4"`,
    `utilities="0,100"`.
    """
    return _family(family)(**parameters)


def parameters_of(family: str) -> list[str]:
    """Return the names of a family's parameters."""
    return list(signature(_family(family)).parameters)


def is_random(family: str, parameters: Mapping[str, Any]) -> bool:
    """Say whether the seed makes a difference to a tree."""
    return (
        family == "uniform" or family == "ballard" and parameters.get("order", "random") == "random"
    )


def expected_nodes(family: str, parameters: Mapping[str, Any]) -> float:
    """Return about how many nodes a tree will have."""
    known = parameters_of(family)
    given = read_parameters(
        family, known, {name: value for name, value in parameters.items() if name != "family"}
    )
    if family == "lattice":
        return 1.5 * float(given.get("steps", 100)) ** 2
    branching = given.get("branching", 4 if family == "ballard" else (2, 4))
    width = sum(branching) / 2 if isinstance(branching, tuple) else branching
    kinds = _kinds(given.get("pattern", ("max", "chance", "min")), given.get("plies"))
    goes_on = 1 - given.get("end", 0.0)  # the root always does
    count = total = 1.0
    for ply, kind in enumerate(kinds):
        rolled = given.get("dice") if kind == Kind.CHANCE else 0
        count *= (2 * rolled - 1 if rolled else width) * (goes_on if ply else 1.0)
        total += count
    return total


def _family(name: str) -> Callable[..., Tree]:
    if name not in FAMILIES:
        raise TransformError(
            f"unknown family {quote(str(name))}: choose among {', '.join(FAMILIES)}"
        )
    return FAMILIES[name]
