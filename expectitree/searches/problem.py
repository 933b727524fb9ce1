"""What a search gets, what it finds, and what may watch it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from expectitree.base.algorithms import Algorithm
from expectitree.base.numbers import INFINITY
from expectitree.base.tree.columns import MAX, MIN, Columns, IntColumn, NumberColumn
from expectitree.searches.progress import report

ALL = -1  # as a rank: search all children; another rank probes one child, by its place
Window: TypeAlias = tuple[Any, Any]  # alpha, beta


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


class Observer(Protocol):
    """What watches a search. `branch` leads to the node, and is NONE at the root."""

    def enter(self, node: int, branch: int, window: Window, rank: int) -> None:
        """Note that the search enters an inner node; `rank` is the place of the child to probe."""

    def visit(self, node: int, branch: int) -> None:
        """Note that the search visits a terminal."""

    def skip(self, node: int, branch: int) -> None:
        """Note that the search does not enter a child, whose interval is as good as searched."""

    def narrow(self, node: int, branch: int, low: Any, high: Any) -> None:
        """Note what the children of a node prove so far; `branch` is the last one, if any."""

    def leave(self, node: int, interval: Window, cut: int, after: int) -> None:
        """Note the interval of a node after an entry, and the cut that ended it."""


class WalkObserver(Protocol):
    """What watches the walks of a best-first search.

    No method has the name of a function that a loop calls: the compiler would take it for that.
    """

    def enter(self, node: int, branch: int, depth: int, aim: int) -> None:
        """Note that a walk enters a node by a branch; the last one may be a terminal."""

    def update(self, node: int, lower: Any, upper: Any) -> None:
        """Note what the children of a node prove; often that is known already."""


@dataclass(slots=True)
class Problem:
    """A tree, the bounds of its nodes, and the limits of a search.

    The tree may grow: before the search enters an UNSEEN child, it calls `grow` with the branch.
    `grow` returns whether the search may go on.
    """

    columns: Columns
    lower: NumberColumn  # [N] the bounds of each node, which the search narrows
    upper: NumberColumn  # [N]
    root: int
    window: Window
    algorithm: Algorithm
    allow: Callable[[], int]  # returns how many more visits the search may make; 0 stops it
    eps: Any = 0  # what rounding may change; 0 in fractions
    zero: Any = 0.0  # what sums start from, in the type of the columns
    infinity: Any = INFINITY
    probes: int = 0
    # The rounds of a search below a CHANCE node: which ranks each gives to every outcome in turn.
    rounds: list[list[int]] = field(default_factory=lambda: [[ALL]])
    shares: bool = False  # whether outcomes of a CHANCE node may lead to one child
    observer: Observer | None = None
    grow: Callable[[int], bool] = lambda _: False
    done: Callable[[int], None] | None = None  # called with each inner node that the search leaves

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

    def use_infinities(self) -> None:
        """Replace infinite floats among fractions."""
        self.infinity = Infinity(1)
        self.window = tuple(with_infinities(self.window))
        self.lower, self.upper = with_infinities(self.lower), with_infinities(self.upper)


@dataclass(slots=True)
class Found:
    """What a search found, by node; the intervals are in the columns of its problem."""

    visits: IntColumn  # [N] entries
    alpha: NumberColumn  # [N] the window of the last entry
    beta: NumberColumn  # [N]
    cut: IntColumn  # [N] how the last entry ended: a constant of `cuts`
    cut_after: IntColumn  # [N] after how many children; while probing, outcomes
    nearly_exact: list[int] = field(
        default_factory=list, init=False
    )  # nodes that are exact but for rounding
    cuts: int = field(default=0, init=False)
    stopped: bool = field(default=False, init=False)

    @property
    def columns(self) -> tuple[Any, ...]:
        """The columns by node, in the order of `Search`."""
        return self.visits, self.alpha, self.beta, self.cut, self.cut_after


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


def close_intervals(problem: Problem, found: Found) -> None:
    """Make one number of each interval that is exact but for rounding."""
    kind, lower, upper = problem.columns.kind, problem.lower, problem.upper
    for node in found.nearly_exact:
        low, high = lower[node], upper[node]
        if high - low <= 2 * problem.eps:
            if kind[node] == MAX:
                high = low
            elif kind[node] == MIN:
                low = high
            else:
                low = high = (low + high) / 2
            lower[node], upper[node] = low, high


def with_infinities(numbers: Iterable[Any]) -> list[Any]:
    """Return fractions and infinite floats, with `Infinity` in place of the latter."""
    infinite = {sign * INFINITY: Infinity(sign) for sign in (1, -1)}
    return [infinite[x] if x.__class__ is float else x for x in numbers]


def without_infinities(numbers: Iterable[Any]) -> list[Any]:
    """Return the same numbers with infinite floats again."""
    return [x.sign * INFINITY if x.__class__ is Infinity else x for x in numbers]
