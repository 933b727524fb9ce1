"""American options on a binomial lattice: trees with many shared nodes."""

from __future__ import annotations

import math
from array import array
from itertools import accumulate
from operator import mul, truediv
from typing import Any

from expectitree.base import compiling
from expectitree.base.errors import TransformError
from expectitree.base.numbers import exact_text
from expectitree.base.tree.adopt import adopt
from expectitree.base.tree.columns import CHANCE, MAX, FloatColumn, IntColumn
from expectitree.base.tree.model import Tree
from expectitree.lab.families.growing import NewColumns, new_columns

MAX_LOG = 690.0  # of a price: e^690 is about 10^300
SOURCE = "J. C. Cox, S. A. Ross and M. Rubinstein, Option Pricing: A Simplified Approach (1979)"


def lattice(
    steps: int = 100,
    spot: float = 100.0,
    strike: float = 100.0,
    up: float = 1.01,
    rate: float = 1.0001,
    call: bool = False,
) -> Tree:
    """Return an American option on a recombining binomial lattice (Cox, Ross, Rubinstein 1979).

    At each of `steps` steps the price is multiplied by `up` or by its inverse, with the
    probabilities under which it grows by the factor `rate` on average. At every point MAX stops,
    for the option's payoff, or goes on. Payoffs are divided by `rate` once a step, so the value of
    the tree is the option's price. The point after i steps, j of them up, is one node, however it
    was reached: 1,000 steps have half a million points (of three nodes each: MAX, its stop, and
    CHANCE), and about 2^1000 nodes unfolded.
    """
    nodes = lattice_nodes(steps, spot, up, rate)
    down = 1 / up
    inner = steps * (steps + 1) // 2
    columns = new_columns(nodes, branches=4 * inner)
    # Rounded to 15 decimals, both probabilities sum to 1, in text too.
    p = round((rate - down) / (up - down), 15)
    factors = [up] * steps
    falling = list(accumulate(factors, truediv, initial=spot))
    prices = array("d", falling[:0:-1] + list(accumulate(factors, mul, initial=spot)))
    discounts = array("d", accumulate([rate] * steps, truediv, initial=1.0))
    points_after = compiling.zeros("I", steps + 1)
    compiling.run(
        weave, columns, prices, discounts, strike, call, p, round(1 - p, 15), points_after,
        rows=nodes,
    )  # fmt: skip
    numbers = {"spot": spot, "strike": strike, "up": up, "rate": rate}
    kind = "call" if call else "put"
    title = f"An American {kind}: {steps:,} step{'s' * (steps != 1)}, "
    title += ", ".join(f"{name} {exact_text(x)}" for name, x in numbers.items())
    labels = ("up", "down", "go on", "stop") * inner
    return adopt(columns, labels, title=f"{title} a step", source=SOURCE)


def lattice_nodes(steps: int, spot: float, up: float, rate: float, **others: Any) -> int:
    """Return how many nodes the tree has.

    Raises `TransformError` if the factors do not fit together, or a price is not a float.
    """
    down = 1 / up
    if not down < rate < up:
        raise TransformError(
            f"the rate {exact_text(rate)} lies not between the factors down {exact_text(down)} and "
            f"up {exact_text(up)}: one could win without risk"
        )
    if steps * max(math.log(up), -math.log(rate)) + math.log(spot) > MAX_LOG:
        raise TransformError(
            f"prices after {steps:,} steps are beyond 10^300: choose fewer steps, or up nearer to 1"
        )
    points = (steps + 1) * (steps + 2) // 2
    return points + steps * (steps + 1)  # two more where a choice is left


def weave(
    columns: NewColumns,
    prices: FloatColumn,
    discounts: FloatColumn,
    strike: float,
    call: bool,
    p: float,
    q: float,
    points_after: IntColumn,
) -> None:
    """Write the tables, the last step first; `points_after` holds the points of the next step."""
    kind, utility, first = columns.kind, columns.utility, columns.first
    child, probability = columns.child, columns.probability
    steps = len(discounts) - 1
    n = 0
    b = 0
    for step in range(steps, -1, -1):
        for ups in range(step + 1):
            price = prices[steps + 2 * ups - step]
            gain = price - strike if call else strike - price
            utility[n] = gain * discounts[step] if gain > 0 else 0.0
            n += 1
            first[n] = b
            if step < steps:
                child[b] = points_after[ups + 1]
                probability[b] = p
                child[b + 1] = points_after[ups]
                probability[b + 1] = q
                kind[n] = CHANCE
                utility[n] = math.nan
                n += 1
                first[n] = b + 2
                child[b + 2] = n - 1
                child[b + 3] = n - 2
                probability[b + 2] = probability[b + 3] = 1.0
                kind[n] = MAX
                utility[n] = math.nan
                n += 1
                b += 4
                first[n] = b
            points_after[ups] = n - 1
