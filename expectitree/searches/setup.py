"""What a search needs before it starts: the engine, its columns, and what rounding may change."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from time import perf_counter
from typing import Any

from expectitree.base import compiling
from expectitree.base.algorithms import Algorithm
from expectitree.base.errors import SearchError, install_hint
from expectitree.base.numbers import INFINITY, Number, is_finite, quote, to_digits
from expectitree.base.tree.columns import UNSEEN, Bounds, Column, Columns
from expectitree.base.tree.model import FLOAT_UNIT, Tree
from expectitree.base.tree.paths import message_path
from expectitree.base.tree.scans import LEAST_FLOAT
from expectitree.searches.result import Search


class Engine(StrEnum):
    """The engine of a search; all find the same, in floats or in fractions."""

    AUTO = "auto"  # in fractions up to 20,000 nodes; else compiled if that saves time
    INTERPRETED = "interpreted"  # in floats
    COMPILED = "compiled"  # in floats
    EXACT = "exact"  # interpreted, in fractions


ENGINES = tuple(engine.value for engine in Engine if engine is not Engine.EXACT)
NO_BOUNDS = -INFINITY, INFINITY
_FUNCTIONS = 16  # terms that lose as much as the exponentials and logarithms of an attitude
NO_FAR = sys.float_info.max  # no bound is farther
FAR = 1e5  # bounds so many times greater than all totals cost a sum too many digits
# The time of one visit of a search, in rows of a scan, interpreted.
_DEPTH_FIRST_VISIT = 6  # 0.45 million visits a second; a scan reads 2.7 million rows a second
_BEST_FIRST_VISIT = 300
_FIRST_BEST_FIRST_VISIT = 30  # until the search is compiled, which takes half a minute once
_PAUSE, _COMPILED_PAUSE = 50_000, 1_000_000  # visits: less than half a second


@dataclass(frozen=True)
class SearchSetup:
    """The tree, the algorithm and the columns that a search runs on."""

    tree: Tree
    algorithm: Algorithm
    bounds: Bounds
    bounds_source: str
    engine: Engine  # never AUTO
    columns: Columns
    zero: Number
    started: list[float] = field(default_factory=list)  # when the search itself began, if known

    @classmethod
    def of(
        cls, tree: Tree, algorithm: Algorithm, bounds: Bounds, source: str, engine: str
    ) -> SearchSetup:
        """Choose the engine for a search and prepare its columns."""
        chosen = choose_engine(tree, algorithm, engine)
        columns = tree.columns
        zero: Number = 0.0
        if chosen is not Engine.COMPILED:
            # A list returns the objects it holds; an array would create one at each reading.
            columns = Columns.of(*map(list, columns.stored))
            zero = columns.probability[0] * 0 if len(columns.probability) else 0
        return cls(tree, algorithm, bounds, source, chosen, columns, zero)

    def waiting_for_unknown(self) -> SearchSetup:
        """Return the setup of a search that waits where it would enter an unknown terminal."""
        kind = array("B", self.columns.kind)
        for n in self.tree.unknown:
            kind[n] = UNSEEN
        return replace(self, columns=self.columns._replace(kind=kind))

    @cached_property
    def compiled(self) -> bool:
        """Whether loops run compiled."""
        return self.engine is Engine.COMPILED

    @property
    def pause(self) -> int:
        """After how many visits a loop returns to its caller, to show progress."""
        return _COMPILED_PAUSE if self.compiled else _PAUSE

    @cached_property
    def eps(self) -> Number:
        """The error that rounding may cause: numbers that differ by at most this count as equal."""
        return rounding_error(self.tree, self.bounds)

    def begin(self) -> None:
        """Note that the columns are ready, and the search itself begins."""
        self.started.append(perf_counter())

    def run(self, loop: Callable[..., Any], *arguments: Any) -> Any:
        """Return what a loop returns."""
        return compiling.run(loop, *arguments, rows=len(self.tree), compiled=self.compiled)

    def column(self, code: str, length: int | None = None) -> Column:
        """Return a column of zeros, one for each node unless `length` is given."""
        count = len(self.tree) if length is None else length
        if self.compiled:
            zeros: Column = compiling.zeros(code, count, True)
            return zeros
        return [self.zero if code == "d" else 0] * count

    def index(self, number: int) -> Any:
        """Return an index in the type that compiled columns of ids have: unsigned."""
        if not self.compiled:
            return number
        import numpy as np

        return np.uint64(number)

    def intervals(self) -> tuple[Column, Column]:
        """Return the bounds that every node has before the search."""
        return self.tree.inherited_bounds(self.bounds, self.compiled)

    def result(self, eps: Number | None, *columns_and_counts: Any) -> Search:
        """Return the search with these columns, its number of cuts, and whether it was stopped.

        `eps` is None if it follows from the values that were found.
        """
        return Search(  # type: ignore[misc]
            self.tree,
            self.algorithm,
            self.bounds,
            self.bounds_source,
            eps,
            self.engine,
            *columns_and_counts,
            seconds=perf_counter() - self.started[-1] if self.started else 0.0,
        )


def choose_engine(tree: Tree, algorithm: Algorithm, engine: str) -> Engine:
    """Return the engine that searches a tree: the one requested, or for `auto` the fastest one."""
    if engine not in ENGINES:
        raise SearchError(f"unknown engine {quote(str(engine))}: choose among {', '.join(ENGINES)}")
    if tree.exact:
        return Engine.EXACT
    chosen = Engine(engine)
    if chosen is Engine.AUTO:
        is_worth_it = compiling.pays(_work_of(tree, algorithm))
        return Engine.COMPILED if is_worth_it else Engine.INTERPRETED
    if chosen is Engine.COMPILED and not compiling.available():
        raise SearchError(f"the engine compiled needs numba: {install_hint('fast')}")
    return chosen


def _work_of(tree: Tree, algorithm: Algorithm) -> int:
    """Return the time of a search in rows of a scan, less the time that compiling it takes."""
    if not algorithm.player_cuts:
        return len(tree)
    if algorithm.in_order:
        return len(tree) * _DEPTH_FIRST_VISIT
    is_loaded = compiling.is_loaded("best_first")
    return len(tree) * (_BEST_FIRST_VISIT if is_loaded else _FIRST_BEST_FIRST_VISIT)


def rounding_error(tree: Tree, bounds: Bounds) -> Number:
    """Return what the sums of a pruning search may lose to rounding; 0 in fractions.

    The terms of these sums are bounds as well as utilities, but no far bounds. On each ply, each
    term of a running sum is multiplied, added, and later replaced (decision 0002).
    """
    if not tree.rounds:
        return 0
    size, height = greatest_number(tree, bounds), tree.heights[-1]
    if tree.unit:
        far: Any = max(_far(greatest_total(tree)), tree.greatest_magnitude)
        size = min(size, far)
    terms = tree.most_outcomes + (0 if tree.attitude is None else _FUNCTIONS)
    found: Any = rounding_of_sums(size, height, terms, tree.unit)
    if tree.exact:  # with few digits, since no more are needed
        found += 2 * tree.error * (1 + height * size)
        return to_digits(Fraction(found) * Fraction(101, 100), 3)
    error: float = found
    return error


def rounding_of_sums(size: Any, depth: int, terms: int, unit: Any = FLOAT_UNIT) -> Number:
    """Return what sums of some terms of a magnitude may lose to rounding on so many plies."""
    # (To ask for `Fraction`, which has a metaclass, takes five times as long.)
    found: Any = unit * size if isinstance(size, (float, int)) else Fraction(unit) * size
    found = found or min(size, LEAST_FLOAT)  # a product of such numbers loses the least float
    error: Number = found * depth * (3 * terms + 6)
    return error


def far_of(total: Number, rounds: bool, greatest: Number) -> Number:
    """Return the greatest term that a running sum may lose: `FAR` times the greatest total.

    If no number is greater than that, or nothing is rounded, return the greatest float.
    """
    far = _far(total) if rounds else NO_FAR
    return NO_FAR if greatest <= far else far


def _far(total: Any) -> Number:
    found: Number = (FAR if isinstance(total, (float, int)) else Fraction(FAR)) * total
    return found


def greatest_total(tree: Tree) -> Number:
    """Return the greatest magnitude of a known total of a play."""
    ends: list[Any] = [abs(end) for end in tree.total_ends if is_finite(end)]
    return max(ends, default=0)


def greatest_number(tree: Tree, bounds: Bounds) -> Number:
    """Return the greatest magnitude among all bounds and the totals that nodes may receive."""
    pairs = (bounds, *tree.local_bounds.values())
    ends: list[Any] = [abs(end) for pair in pairs for end in pair if is_finite(end)]
    greatest: Number = max([tree.greatest_magnitude, *ends])
    return greatest


def why_unknown(tree: Tree, needed: int | None = None) -> str:
    """Return a message that names an unknown utility of a tree and says what to do.

    The message names the one that is needed, by default the first.
    """
    unknown = set(tree.unknown)
    if needed is None:
        needed = next(n for n in tree.first_paths.order if n in unknown)
    path = message_path(tree.path_of(needed))
    others = len(unknown) - 1
    more, instead = f", nor are those of {others:,} others", "numbers in their place"
    if others == 1:
        more = ", nor is that of 1 other"
    elif not others:
        more, instead = "", "a number in its place"
    return (
        f'the utility of {path} is not known yet ("?"){more}: `expectitree ask` '
        "asks for what matters (`inquire` from Python), and with --show it shows the tree; "
        f"or write {instead}"
    )
