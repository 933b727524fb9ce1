"""What the recursion of `depth_first` works on: its limits, and infinities among fractions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from expectitree.base.algorithms import Algorithm
from expectitree.base.numbers import INFINITY
from expectitree.base.tree.columns import Columns
from expectitree.searches.intervals import one_number
from expectitree.searches.problem import ALL, Found, Observer, Window
from expectitree.searches.progress import report

# A window that overflows ends here: at infinity, a child of which nothing is known would fail low.
# Rewards up to three times as much do not make it infinite.
FAR = sys.float_info.max / 4


class Infinity:
    """Plus or minus infinity among fractions.

    A fraction plus a float would become a float, for which it may be too large. Factors and
    divisors are positive: they are probabilities.
    """

    __slots__ = ("sign",)

    def __init__(self, sign: int) -> None:
        self.sign = sign

    def __add__(self, _: Any) -> Infinity:
        return self

    __radd__ = __sub__ = __mul__ = __rmul__ = __truediv__ = __add__

    def __neg__(self) -> Infinity:
        return Infinity(-self.sign)

    def __rsub__(self, _: Any) -> Infinity:
        return -self

    def __lt__(self, other: Any) -> bool:
        return self.sign < (other.sign if isinstance(other, Infinity) else 0)

    def __gt__(self, other: Any) -> bool:
        return self.sign > (other.sign if isinstance(other, Infinity) else 0)

    def __le__(self, other: Any) -> bool:
        return not self > other

    def __ge__(self, other: Any) -> bool:
        return not self < other


@dataclass(slots=True)
class Recursion:
    """What `search_depth_first` works on: a tree, and the limits of the search.

    The tree may grow: before the search enters an UNSEEN node, it calls `grow` with that. `grow`
    returns whether the search may go on.
    """

    columns: Columns
    root: int
    window: Window
    algorithm: Algorithm
    allow: Callable[[], int]  # returns how many more visits the search may make; 0 stops it
    eps: Any = 0  # what rounding may change; 0 in fractions
    zero: Any = 0.0  # what sums start from, in the type of the columns
    infinity: Any = INFINITY
    far: Any = FAR
    probes: int = 0
    # The rounds of a search below a CHANCE node: which ranks each gives to every outcome in turn.
    rounds: list[list[int]] = field(default_factory=lambda: [[ALL]])
    shares: bool = False  # whether outcomes of a CHANCE node may lead to one child
    observer: Observer | None = None
    grow: Callable[[int], bool] = lambda _: False
    done: Callable[[int], None] | None = None  # called with each inner node that the search leaves
    nearly_exact: list[int] = field(default_factory=list)  # nodes that are exact but for rounding

    def probe_up_to(self, widest: int) -> None:
        """Add the probes of the algorithm below nodes with so many children, if they are missing.

        More probes than any node has children would find nothing to do.
        """
        for rank in range(self.probes, min(self.algorithm.probes, widest)):
            if self.algorithm.probe_order == "cyclic" or len(self.rounds) == 1:
                self.rounds.insert(-1, [rank])
            else:
                self.rounds[0].append(rank)
            self.probes += 1

    def use_infinities(self, found: Found) -> None:
        """Replace infinite floats among fractions."""
        self.infinity = self.far = Infinity(1)
        self.window = tuple(with_infinities(self.window))
        found.lower, found.upper = with_infinities(found.lower), with_infinities(found.upper)


class Allowance:
    """How many more visits a search may make, called again when they are used up."""

    def __init__(self, most: int | None, pause: int, expected: int) -> None:
        self.most, self.pause, self.expected = most, pause, expected if most is None else most
        self.allowed = 0

    def __call__(self) -> int:
        """Report the progress; return how many visits are allowed until the next call."""
        if self.allowed:
            report(self.allowed, self.expected)
        more = self.pause if self.most is None else min(self.pause, self.most - self.allowed)
        self.allowed += more
        return more


def close_intervals(problem: Recursion, found: Found) -> None:
    """Make one number of each interval that is exact but for rounding."""
    kind, lower, upper = problem.columns.kind, found.lower, found.upper
    for node in problem.nearly_exact:
        low, high = lower[node], upper[node]
        if high - low <= 2 * problem.eps:
            lower[node] = upper[node] = one_number(kind[node], low, high)


def with_infinities(numbers: Iterable[Any]) -> list[Any]:
    """Return the same numbers with `Infinity` in place of infinite floats.

    Finite floats stay as they are: the bounds of a game may be floats among fractions.
    """
    infinite = {sign * INFINITY: Infinity(sign) for sign in (1, -1)}
    return [infinite.get(x, x) if x.__class__ is float else x for x in numbers]


def without_infinities(numbers: Iterable[Any]) -> list[Any]:
    """Return the same numbers with infinite floats again."""
    return [x.sign * INFINITY if x.__class__ is Infinity else x for x in numbers]
