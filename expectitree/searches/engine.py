"""Runs a search: chooses the engine, prepares the columns, calls the loop, wraps the outcome.

The loops of `backward_induction`, `star_minimax` and `best_first` take columns and numbers only, so
an engine is a choice of column type and of how the same text is executed: lists of floats
interpreted, arrays of floats compiled, lists of `Fraction` exact.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

from expectitree import compiling
from expectitree.algorithms import ALGORITHMS, OPTIONS, Algorithm
from expectitree.algorithms import algorithm as find_algorithm
from expectitree.errors import SearchError, TreeError, install_hint
from expectitree.numbers import INFINITY, Number, exact_text, quote, to_bound
from expectitree.searches.backward_induction import backward_induction
from expectitree.searches.best_first import (
    DEPTH_FLOATS,
    NODE_CODES,
    NODE_FLOATS,
    TALLIES,
    Beliefs,
    Limits,
    best_first,
)
from expectitree.searches.result import Search
from expectitree.searches.star_minimax import DEPTH_CODES, Settings, Work, star_minimax
from expectitree.searches.unknown import check_known
from expectitree.searches.windows import find_windows
from expectitree.tree import scans
from expectitree.tree.builder import check_bounds
from expectitree.tree.model import Bounds, Column, Columns, Repeated, Tree, finite

ENGINES = ("auto", "interpreted", "compiled", "exact")
NO_LIMIT = sys.maxsize  # of visits
# Children that walks to all leaves would look at: for each 60,000 to 250,000 a best-first search
# takes a second, interpreted.
MUCH_THINKING = 500_000
Listen = Callable[[str, Column], Column]
NO_BOUNDS = -INFINITY, INFINITY
_VISIT = 6  # scanned rows that take as long as one visit, interpreted (2.7 million against 0.45 million a second)
_LOOK = 300  # the same for a node of a best-first search,
_FIRST_LOOK = 30  # as long as that is not compiled, which takes half a minute once on a machine
RELATIVE_EPS = 1e-9  # of the greatest utility: what is a tie on paper
ROUNDING_EPS = 1e-14  # of the greatest bound: what running sums may have lost
_LEAST_SCALE = 1e-100  # numbers from here to its inverse are guessed with as they are


def evaluate(
    tree: Tree,
    algorithm: str | Algorithm = "expectiminimax",
    *,
    bounds: Bounds | None = None,
    engine: str = "auto",
    max_visits: int | None = None,
    **options: int | str | None,
) -> Search:
    """Search a tree and return the bounds that the search established for every node.

    `bounds` hold for every utility (`inf` if one is not known). Without them, the search uses the
    bounds that the file gives the root, or else the least and the greatest utility. `engine` is one
    of `ENGINES`; all engines run the same code and return the same results. A pruning search stops
    before it would enter nodes more than `max_visits` times. `options` are those of the algorithm,
    such as `probes=3`. Raises `SearchError` for an unknown algorithm, for unsound bounds, and for
    an engine that cannot search the tree.
    """
    chosen = find_algorithm(algorithm, **options)
    if max_visits is not None and max_visits < 1:
        raise SearchError(f"a search needs at least 1 visit, got max_visits {max_visits}")
    root_bounds, source = choose_bounds(tree, bounds)
    return search_window(tree, chosen, root_bounds, source, root_bounds, engine, max_visits)


def search_window(
    tree: Tree,
    algorithm: Algorithm,
    bounds: Bounds,
    source: str,
    window: Bounds,
    engine: str = "auto",
    max_visits: int | None = None,
    listen: Listen | None = None,
) -> Search:
    """Search a tree's root in a window: exact, or failing low or high, by the contract of `star_minimax`.

    `listen` is handed every column that the search writes, with its name, and returns the one that
    is written instead: one that tells what is written. No compiled search can be listened to.
    Raises `SearchError` where the utility of a terminal is not known.
    """
    check_known(tree)
    ground = Ground.of(tree, algorithm, bounds, source, engine)
    if not algorithm.player_cuts:
        return _induce(ground, listen)
    if not algorithm.in_order:
        return _look_around(ground, max_visits, listen)
    return _search_in_order(ground, window, max_visits, listen)


@dataclass(frozen=True)
class Ground:
    """What a search stands on: the tree, what is asked, and the engine's kind of columns."""

    tree: Tree
    algorithm: Algorithm
    bounds: Bounds
    source: str  # of the bounds
    engine: str
    columns: Columns
    zero: Number

    @classmethod
    def of(
        cls, tree: Tree, algorithm: Algorithm, bounds: Bounds, source: str, engine: str
    ) -> Ground:
        """Return the ground of a search by the engine that does for it."""
        chosen = choose_engine(tree, algorithm, engine)
        columns = tree.columns
        zero: Number = 0.0
        if chosen != "compiled":
            columns = Columns(
                *map(list, columns)
            )  # a list hands out objects it has; an array makes them anew
            zero = columns.probability[0] * 0 if len(columns.probability) else 0
        return cls(tree, algorithm, bounds, source, chosen, columns, zero)

    @property
    def compiled(self) -> bool:
        """Whether loops are compiled."""
        return self.engine == "compiled"

    @property
    def eps(self) -> Number:
        """By which numbers may differ that are taken as equal."""
        return tolerance(self.tree, self.bounds)

    def run(self, loop: Callable[..., Any], *arguments: Any) -> Any:
        """Return what a loop returns."""
        return compiling.run(loop, *arguments, rows=len(self.tree), compiled=self.compiled)

    def column(self, code: str, length: int | None = None) -> Column:
        """Return a column of zeros, as long as there are nodes, or as said."""
        count = len(self.tree) if length is None else length
        return (
            compiling.zeros(code, count, True)
            if self.compiled
            else [self.zero if code == "d" else 0] * count
        )

    def intervals(self) -> tuple[Column, Column]:
        """Return what is known of every node before the search."""
        lower, upper = self.tree.inherited_bounds(self.bounds)
        return (lower, upper) if self.compiled else (list(lower), list(upper))

    def found(self, *columns_and_counts: Any) -> Search:
        """Return a search of these columns, with its number of cuts, and whether it was stopped."""
        return Search(
            self.tree, self.algorithm, self.bounds, self.source, self.eps, self.engine, *columns_and_counts
        )  # fmt: skip


def _induce(ground: Ground, listen: Listen | None) -> Search:
    value = ground.column("d")
    if listen is not None:
        value = listen("value", value)
    ground.run(backward_induction, ground.columns, value, ground.zero)
    count = len(ground.tree)
    nothing = Repeated(0, count)
    windows = Repeated(-INFINITY, count), Repeated(INFINITY, count)
    return ground.found(value, value, Repeated(1, count), *windows, nothing, nothing, 0, False)


def _search_in_order(
    ground: Ground, window: Bounds, max_visits: int | None, listen: Listen | None
) -> Search:
    tree, algorithm = ground.tree, ground.algorithm
    branches, depths = len(tree.columns.child), tree.heights[-1] + 1
    by_node, by_branch = (
        map(ground.column, "IddBI"),
        (ground.column("d", branches) for _ in range(2)),
    )
    by_depth = (ground.column(code, depths) for code in DEPTH_CODES)
    work = Work._make([*ground.intervals(), *by_node, *by_branch, *by_depth])
    if listen is not None:
        work = Work._make(map(listen, Work._fields, work))
    # More probes than any node has children find nothing to do.
    probes = algorithm.probes
    if probes > 1:
        probes = min(probes, tree.widest)
    if ground.compiled:
        window = float(window[0]), float(window[1])
    settings = Settings(
        ground.eps,
        ground.zero,
        INFINITY,
        INFINITY if tree.exact else sys.float_info.max,
        algorithm.chance_cuts,
        probes,
        algorithm.probe_order == "cyclic",
        NO_LIMIT if max_visits is None else max_visits,
    )
    cuts, stopped = ground.run(star_minimax, ground.columns, work, settings, tree.root_id, window)
    return ground.found(*work[:7], cuts, stopped)


def _look_around(ground: Ground, max_visits: int | None, listen: Listen | None) -> Search:
    beliefs, limits = begin_best_first(ground)
    if listen is not None:
        beliefs = Beliefs._make(map(listen, Beliefs._fields, beliefs))
    most = NO_LIMIT if max_visits is None else max_visits
    stopped = ground.run(best_first, ground.columns, beliefs, limits, most)
    return end_best_first(ground, beliefs, stopped)


def begin_best_first(ground: Ground) -> tuple[Beliefs, Limits]:
    """Return the columns and numbers that the loops of `best_first` start from."""
    tree, chosen = ground.tree, ground.algorithm
    count, depths = len(tree), tree.heights[-1] + 2

    def floats(length: int) -> Column:  # they are no fractions in exact mode
        return compiling.zeros("d", length, True) if ground.compiled else [0.0] * length

    by_node = [
        *map(ground.column, NODE_CODES),
        *(floats(count) for _ in range(NODE_FLOATS)),
        floats(TALLIES),
    ]
    by_depth = [*(floats(depths) for _ in range(DEPTH_FLOATS)), ground.column("q", depths)]
    beliefs = Beliefs._make([*ground.intervals(), *by_node, *by_depth])
    goal, guide = (
        OPTIONS[key].values.index(value)
        for key, value in (("goal", chosen.goal), ("guide", chosen.guide))
    )
    greatest = greatest_number(tree, ground.bounds)
    scale: Number = 1 if tree.exact else 1.0
    if (
        greatest and not _LEAST_SCALE < greatest < 1 / _LEAST_SCALE
    ):  # guesses need squares, which must not overflow
        scale = 1 / greatest if tree.exact else float(min(1 / greatest, sys.float_info.max))
    near = (
        RELATIVE_EPS * float(greatest * scale) if tree.exact else float(ground.eps) * float(scale)
    )
    return beliefs, Limits(ground.eps, near, ground.zero, scale, guide, goal)


def end_best_first(ground: Ground, beliefs: Beliefs, stopped: bool) -> Search:
    """Return what a best-first search found, with the windows that its intervals justify."""
    bounds = ground.bounds
    alpha, beta, cut, cut_after, is_asked = map(ground.column, "ddBIB")
    columns = (beliefs.lower, beliefs.upper, beliefs.visits, alpha, beta, cut, cut_after)
    window = map(float, bounds) if ground.compiled else bounds
    is_action = ground.algorithm.goal == "action"
    cuts = ground.run(
        find_windows,
        ground.columns,
        *columns,
        is_asked,
        *window,
        ground.eps,
        INFINITY,
        is_action,
        stopped,
    )
    return ground.found(*columns, cuts, stopped)


def usual_algorithms(
    tree: Tree, among: Iterable[Algorithm] = tuple(ALGORITHMS.values())
) -> list[Algorithm]:
    """Return the algorithms that a tree is searched with where none is named: all, but none that thinks long."""
    looked_at = tree.scan(
        scans.children_on_the_way,
        tree.columns.first,
        tree.columns.child,
        compiling.zeros("d", len(tree)),
        float(tree.leaves),
    )
    return [chosen for chosen in among if chosen.in_order or looked_at <= MUCH_THINKING]


def choose_engine(tree: Tree, algorithm: Algorithm, engine: str) -> str:
    """Return the engine that searches a tree: the one asked for, or for `auto` the quickest that does for it."""
    if engine not in ENGINES:
        raise SearchError(f"unknown engine {quote(engine)}: choose among {', '.join(ENGINES)}")
    if tree.exact:
        if engine in ("auto", "exact"):
            return "exact"
        raise SearchError(
            f"the engine {engine} computes in floats, and this tree is in fractions: leave it out"
        )
    if engine == "exact":
        raise SearchError(
            "the engine exact computes in fractions, and this tree is in floats: load it with exact=True"
        )
    if engine == "auto":
        return "compiled" if compiling.pays(work_of(tree, algorithm)) else "interpreted"
    if engine == "compiled" and not compiling.available():
        raise SearchError(f"the engine compiled needs numba: {install_hint('fast')}")
    return engine


def work_of(tree: Tree, algorithm: Algorithm) -> int:
    """Return how long a search takes, in rows of a scan, less what compiling it takes where that is to be counted."""
    look = _LOOK if compiling.is_loaded(best_first) else _FIRST_LOOK
    return len(tree) * (1 if not algorithm.player_cuts else _VISIT if algorithm.in_order else look)


def choose_bounds(tree: Tree, bounds: Bounds | None) -> tuple[Bounds, str]:
    """Return the root's bounds and where they came from: "option", "file" or "leaves"."""
    if bounds is not None:
        if (
            not isinstance(bounds, Sequence)
            or len(bounds) != 2
            or not all(isinstance(end, Real) for end in bounds)
        ):
            raise SearchError(
                f"found {quote(str(bounds))} as bounds, expected a lower and an upper number"
            )
        if bounds[0] != bounds[0] or bounds[1] != bounds[1]:
            raise SearchError("NaN is no bound: give numbers, or inf or -inf")
        if bounds[0] > bounds[1]:
            raise SearchError(
                f"bounds are lower, upper, and {exact_text(bounds[0])} is greater than {exact_text(bounds[1])}: swap them"
            )
        try:
            check_bounds(tree, bounds)
        except TreeError as error:
            raise SearchError(str(error)) from None
        if tree.exact:  # a float among fractions would make floats of them
            bounds = _exactly(bounds[0]), _exactly(bounds[1])
        return bounds, "option"
    written = tree.local_bounds.get(len(tree) - 1)
    return (tree.utility_range, "leaves") if written is None else (written, "file")


def _exactly(end: Number) -> Number:
    """Return a bound for a tree in fractions: of a float, the number that is written so."""
    if isinstance(end, float):
        return to_bound(exact_text(end), True)
    from fractions import Fraction  # a small tree in floats has no use for it

    return Fraction(end)


def tolerance(tree: Tree, bounds: Bounds) -> Number:
    """Return eps, by which two numbers may differ and be taken as equal: 0 in exact mode.

    It is 1e-9 of the greatest magnitude among the utilities, so that what ties on paper ties here
    too, and no less than what sums of bounds may lose to rounding
    (docs/decisions/0002-tolerance.md).
    """
    if tree.exact:
        return 0
    widest = max((abs(float(end)) for end in bounds if finite(end)), default=0.0)
    return max(RELATIVE_EPS * float(greatest_number(tree, NO_BOUNDS)), ROUNDING_EPS * widest)


def greatest_number(tree: Tree, bounds: Bounds) -> Number:
    """Return the greatest magnitude among the utilities and these bounds."""
    ends: list[Any] = [abs(end) for end in (*tree.utility_range, *bounds) if finite(end)]
    return max(ends, default=0)
