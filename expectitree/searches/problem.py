"""What a search gets and finds: `Algorithm.run` receives a `Problem` and returns a `Found`."""

from __future__ import annotations

import warnings
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter
from typing import Any, Protocol, TypeAlias

from expectitree.base import compiling
from expectitree.base.algorithms import ABSENT, Algorithm
from expectitree.base.numbers import Number
from expectitree.base.tree.columns import (
    UNSEEN,
    Bounds,
    Column,
    Columns,
)
from expectitree.base.tree.model import Tree
from expectitree.searches.engines import Engine, choose_engine
from expectitree.searches.tolerance import rounding_error

ALL = -1  # as a rank: search all children; another rank probes one child, by its place
Window: TypeAlias = tuple[Any, Any]  # alpha, beta
_PAUSE, _COMPILED_PAUSE = 50_000, 1_000_000  # visits: less than half a second


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


@dataclass
class Problem:
    """A tree to search, and what is asked of the search.

    Attributes:
        tree: The tree.
        algorithm: The algorithm, with the values of its options.
        bounds: The bounds of the root, which hold for every total.
        bounds_source: Where they come from: "option", "file", "leaves" or "none".
        engine: The engine, never "auto".
        columns: The columns of the tree: lists of fractions or floats, or arrays if compiled.
        zero: What sums start from, in the type of these numbers.
        window: Alpha and beta of the root. The search may stop when it proves that the value is at
            most alpha or at least beta.
        max_visits: The most visits that the search may make; None for no limit.
        seed: The seed of a search that draws random numbers.
        observer: What watches the search, if anything: an `Observer`.
    """

    tree: Tree
    algorithm: Algorithm
    bounds: Bounds
    bounds_source: str
    engine: Engine
    columns: Columns
    zero: Number
    window: Window
    max_visits: int | None = None
    seed: int = 0
    observer: Any = None
    started: float = field(default_factory=perf_counter)  # when the search itself began

    @classmethod
    def of(
        cls,
        tree: Tree,
        algorithm: Algorithm,
        known: tuple[Bounds, str],
        engine: str,
        window: Window | None = None,
        **asked: Any,
    ) -> Problem:
        """Choose the engine for a search and prepare its columns.

        `known` is what `choose_bounds` returns; the window is by default that of the bounds.
        """
        chosen = choose_engine(tree, algorithm, engine)
        columns = tree.columns
        absent = ABSENT.get(algorithm.alias)
        if absent and absent in columns.kind:
            warnings.warn(
                f"{algorithm.alias} is for trees without {absent.name} nodes: here, "
                f"{algorithm.name} runs",
                stacklevel=5,  # the caller of `evaluate`
            )
        zero: Number = 0.0
        if chosen is not Engine.COMPILED:
            # A list returns the objects it holds; an array would create one at each reading.
            columns = Columns.of(*map(list, columns.stored))
            zero = columns.probability[0] * 0 if len(columns.probability) else 0
        return cls(tree, algorithm, *known, chosen, columns, zero, window or known[0], **asked)

    def wait_for_unknown(self) -> None:
        """Make the search wait where it would enter an unknown terminal."""
        kind = array("B", self.columns.kind)
        for n in self.tree.unknown:
            kind[n] = UNSEEN
        self.columns = self.columns._replace(kind=kind)

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
        self.started = perf_counter()

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


@dataclass(slots=True)
class Found:
    """What a search found, by node; `of` makes it.

    Attributes:
        lower: [N] The lower end of the interval that contains the node's value.
        upper: [N] The upper end.
        visits: [N] How often the search entered the node.
        alpha: [N] The lower end of the window of the last entry.
        beta: [N] The upper end.
        cut: [N] How the last entry ended: a constant of `expectitree.searches.cuts`.
        cut_after: [N] How many children were done before the cut; while probing, outcomes.
        asked_by: [N] The node whose window gave a node its own, if that is not the one above.
        cuts: The number of cuts.
        stopped: Whether the search reached its limit of visits.
        estimate: The value of the root, from a search that does not prove it.
    """

    lower: Any
    upper: Any
    visits: Any
    alpha: Any
    beta: Any
    cut: Any
    cut_after: Any
    asked_by: Any = None
    cuts: int = 0
    stopped: bool = False
    estimate: Number | None = None

    @classmethod
    def of(cls, problem: Problem) -> Found:
        """Return what is known before a search: the bounds of each node, and no visit."""
        columns: Any = *problem.intervals(), *map(problem.column, "IddBI")
        result = cls(*columns)
        if not problem.algorithm.is_built_in:  # which may have no other windows
            result.alpha, result.beta = ([end] * len(problem.tree) for end in problem.window)
        return result
