"""Random trees of every shape, from a seed.

A tree starts as plain rows, so that the same tree can be built exact, in floats, and mirrored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor
from random import Random
from typing import Any

import pytest

from expectitree import ALGORITHMS, Kind, Search, Tree, TreeBuilder
from expectitree.base.algorithms import Algorithm, algorithm
from expectitree.base.numbers import INFINITY, MAX_LENGTH, Number
from expectitree.base.tree.columns import Bounds
from expectitree.searches.engine import search_tree, search_window

UTILITIES = (
    (-1, 0, 1),  # ties everywhere, at the bounds too
    tuple(range(-5, 6)),
    tuple(range(100, 104)),  # far from zero, all of one sign
    tuple(Fraction(n, 3) for n in range(-6, 7)),
    (0, Fraction(1, 10), Fraction(1, 5), 7),
)
REWARDS = (
    (0, 0, 0, 1),
    (0, -2, 2),
    (-1, 1),  # every branch pays
    tuple(Fraction(n, 6) for n in range(-4, 9, 2)),
    (0, 0, 100, -100),  # far greater than most utilities, and they cancel
)
WEIGHTS = ((1,), (0, 1, 2), (1, 2, 3, 4), (0, 0, 1, 9))
# With `rare`, numbers at the limits of floats too: the program accepts values up to 10^301.
GREAT, SMALL = Fraction(10) ** 300, Fraction(1, 10**300)
RARE_UTILITIES = (
    *UTILITIES,
    (GREAT, -GREAT, GREAT / 3),
    (GREAT, -GREAT, 1, 0),  # next to them, all other numbers are rounding errors
    (SMALL, -SMALL, 3 * SMALL, 0),
)
RARE_WEIGHTS = (*WEIGHTS, (1, 10**40), (0, 1, 10**40), (1, 10**20, 10**40, 10**180))
RARE_REWARDS = (*REWARDS, (0, GREAT, -GREAT), (0, SMALL, -3 * SMALL))
STAR25 = [
    algorithm("star2.5", probes=k, probe_order=order)
    for k in (1, 2, 3, 9)
    for order in ("cyclic", "sequential")
]
PRUNED = [ALGORITHMS[name] for name in ("alphabeta", "star1", "star2")] + STAR25
BEST_FIRST = [ALGORITHMS["best-first"]]
PROVE_ACTION = algorithm("best-first", goal="action")
EVERY = [ALGORITHMS["expectiminimax"], *PRUNED, *BEST_FIRST]
# By default `pytest` leaves these variants out where a test needs long for each.
VARIANTS = [chosen for chosen in STAR25 if chosen.full_name != "star2.5 (2 probes, sequential)"]
SWAPPED = {
    Kind.TERMINAL: Kind.TERMINAL,
    Kind.MAX: Kind.MIN,
    Kind.MIN: Kind.MAX,
    Kind.CHANCE: Kind.CHANCE,
}


def with_slow_variants(algorithms: Sequence[Algorithm]) -> list[Any]:
    """Return test parameters, with the variants of an algorithm marked as slow."""
    slow = pytest.mark.slow
    return [pytest.param(one, marks=slow) if one in VARIANTS else one for one in algorithms]


@dataclass(frozen=True)
class Row:
    """One node: the row numbers of its children are smaller than its own."""

    kind: Kind
    utility: Fraction = Fraction(0)
    children: tuple[int, ...] = ()
    probabilities: tuple[Fraction, ...] = ()
    bounds: tuple[Number, Number] | None = None
    rewards: tuple[Fraction, ...] = ()  # of the branches; empty if none pays
    estimate: Fraction | None = None


def random_rows(
    random: Random,
    local_bounds: float = 0.15,
    rewards: Sequence[int | Fraction] = (0,),
    rare: bool = False,
    kinds: Sequence[Kind] = (Kind.MAX, Kind.MIN, Kind.CHANCE, Kind.CHANCE),
    utilities: Sequence[int | Fraction] = (),
    weights: Sequence[int] = (),
) -> list[Row]:
    """Return the rows of a random tree, root last.

    `local_bounds` is the share of inner nodes that have bounds. Each branch pays one of `rewards`.
    Inner nodes have one of `kinds`, which may repeat some. With `rare`, there are also numbers at
    the limits of floats, estimates, and terminals with bounds. Without `utilities` and `weights`,
    those of the tables above are chosen.
    """
    rows: list[Row] = []
    utilities = utilities or random.choice(RARE_UTILITIES if rare else UTILITIES)
    weights = weights or random.choice(RARE_WEIGHTS if rare else WEIGHTS)
    sharing, widest, height = (
        random.choice((0, 0.1, 0.3)),
        random.choice((2, 3, 4)),
        random.choice((0, 1, 2, 3, 4, 5)),
    )

    def grow(depth: int) -> int:
        if rows and random.random() < sharing:
            return random.randrange(len(rows))
        if depth == 0 or (depth < height and random.random() < 0.15):
            rows.append(Row(Kind.TERMINAL, Fraction(random.choice(utilities))))
        else:
            kind = random.choice(kinds)
            children = [grow(depth - 1) for _ in range(random.randint(1, widest))]
            if random.random() < sharing:
                children.append(children[0])  # two branches of one node lead to the same child
            paid = (Fraction(random.choice(rewards)) for _ in children) if any(rewards) else ()
            shares = distribution(kind, len(children))
            rows.append(Row(kind, Fraction(0), tuple(children), shares, rewards=tuple(paid)))
        return len(rows) - 1

    def distribution(kind: Kind, count: int) -> tuple[Fraction, ...]:
        if kind != Kind.CHANCE:
            return ()
        drawn = [random.choice(weights) for _ in range(count)]
        if not any(drawn):
            drawn[random.randrange(count)] = 1
        return tuple(Fraction(w, sum(drawn)) for w in drawn)

    grow(height)
    for n, (least, greatest) in enumerate(utility_ranges(rows)):
        if rows[n].children and random.random() < local_bounds:
            rows[n] = replace(rows[n], bounds=random_bounds(random, least, greatest))
    return with_rare_features(random, rows, random.choice((0, 0.3, 1))) if rare else rows


def with_rare_features(random: Random, rows: list[Row], share: float) -> list[Row]:
    """Return the rows with estimates at a share of inner nodes, and bounds at some terminals."""
    found = []
    for row, (least, greatest) in zip(rows, utility_ranges(rows), strict=True):
        if random.random() < share:
            if row.children:
                estimate = random.choice((least, (least + greatest) / 2, greatest))
                if len(str(estimate)) <= MAX_LENGTH:
                    row = replace(row, estimate=estimate)
            else:
                row = replace(row, bounds=random_bounds(random, least, greatest))
        found.append(row)
    return found


def utility_ranges(rows: list[Row]) -> list[tuple[Fraction, Fraction]]:
    """Return the least and the greatest total that each row may still receive."""
    ranges: list[tuple[Fraction, Fraction]] = []
    for row in rows:
        paid = row.rewards or (Fraction(0),) * len(row.children)
        below = [
            (low + r, high + r)
            for (low, high), r in zip((ranges[c] for c in row.children), paid, strict=True)
        ] or [(row.utility, row.utility)]
        ranges.append((min(low for low, _ in below), max(high for _, high in below)))
    return ranges


def random_bounds(random: Random, least: Fraction, greatest: Fraction) -> tuple[Number, Number]:
    """Return bounds for totals from `least` to `greatest`.

    Each end is tight, wide or infinite.
    """
    lower = random.choice((least, least - 1, least - Fraction(20, 3), -INFINITY))
    upper = random.choice((greatest, greatest + 2, greatest + Fraction(40, 3), INFINITY))
    return readable(lower, floor), readable(upper, ceil)


def readable(end: Any, rounding: Callable[[Fraction], int]) -> Any:
    """Return a number, rounded to an integer if its text is longer than the program reads."""
    return end if len(str(end)) <= MAX_LENGTH else Fraction(rounding(end))


def mirrored(rows: list[Row]) -> list[Row]:
    """Return the mirrored tree: MAX and MIN swapped, utilities, rewards and bounds negated."""
    return [
        replace(
            row,
            kind=SWAPPED[row.kind],
            utility=-row.utility,
            bounds=row.bounds and (-row.bounds[1], -row.bounds[0]),
            rewards=tuple(-r for r in row.rewards),
            estimate=None if row.estimate is None else -row.estimate,
        )
        for row in rows
    ]


def build(rows: list[Row], exact: bool) -> Tree:
    """Return the tree of some rows, whose numbers are its node ids."""
    builder = TreeBuilder(exact=exact)
    nodes = []
    for row in rows:
        children = [nodes[c] for c in row.children]
        if row.kind == Kind.TERMINAL:
            nodes.append(builder.terminal(row.utility))
            if row.bounds:
                builder.annotate(nodes[-1], bounds=in_numbers(row.bounds, exact))
        elif row.kind == Kind.CHANCE:
            nodes.append(builder.chance(children, row.probabilities, **about(row)))
        else:
            add = builder.max if row.kind == Kind.MAX else builder.min
            nodes.append(add(children, **about(row)))
    return builder.build(nodes[-1])


def about(row: Row) -> dict[str, Any]:
    """Return the keyword arguments of a builder's method for an inner row."""
    return {"bounds": row.bounds, "rewards": row.rewards or None, "estimate": row.estimate}


class Case:
    """A random tree in both number systems, valid root bounds and a window, from one seed.

    With `pays`, branches have rewards; `rare` is that of `random_rows`.
    """

    def __init__(self, seed: int, pays: bool = False, rare: bool = False) -> None:
        random = Random(seed)
        rewards = random.choice(RARE_REWARDS if rare else REWARDS) if pays else (0,)
        self.rows = random_rows(random, rewards=rewards, rare=rare)
        least, greatest = utility_ranges(self.rows)[-1]
        self.bounds = random.choice(
            (
                None,
                (-INFINITY, INFINITY),
                (readable(least, floor), INFINITY),
                random_bounds(random, least, greatest),
            )
        )
        self.window_bounds = self.bounds or (least, greatest)
        # Window ends on the utilities' grid, where ties are, between and beyond them; and infinite.
        grid = (
            least - 1,
            greatest + 1,
            *(least + (greatest - least) * Fraction(i, 12) for i in range(13)),
        )
        self.window = (random.choice((-INFINITY, *grid)), random.choice((INFINITY, *grid)))
        if self.window[0] > self.window[1]:
            self.window = self.window[::-1]
        self.trees: dict[tuple[bool, bool], Tree] = {}

    def tree(self, exact: bool = True, mirror: bool = False) -> Tree:
        if (exact, mirror) not in self.trees:
            self.trees[exact, mirror] = build(mirrored(self.rows) if mirror else self.rows, exact)
        return self.trees[exact, mirror]

    def run(self, chosen: Algorithm, exact: bool = True, mirror: bool = False) -> Search:
        bounds = self.bounds and in_numbers(self.bounds, exact, mirror)
        return search_tree(self.tree(exact, mirror), chosen, bounds=bounds)

    def run_in_window(self, chosen: Algorithm, exact: bool = True, mirror: bool = False) -> Search:
        bounds, window = (
            in_numbers(pair, exact, mirror) for pair in (self.window_bounds, self.window)
        )
        return search_window(self.tree(exact, mirror), chosen, (bounds, "option"), window)


def in_numbers(pair: Bounds, exact: bool, mirror: bool = False) -> Bounds:
    lower, upper = (-pair[1], -pair[0]) if mirror else pair
    return (lower, upper) if exact else (float(lower), float(upper))
