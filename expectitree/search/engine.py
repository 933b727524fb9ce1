"""Runs a search: chooses the engine, prepares the columns, calls the loop, wraps the outcome.

The loops of `backward_induction` and `star_minimax` take columns and numbers only, so an engine is a choice of column
type and of how the same text is executed: lists of floats interpreted, arrays of floats compiled, lists of `Fraction`
exact.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from expectitree import loops
from expectitree.builder import check_bounds
from expectitree.errors import SearchError, TreeError
from expectitree.number import INFINITY, Number, quoted, shortest, to_bound
from expectitree.search.algorithms import Algorithm, algorithm
from expectitree.search.backward_induction import backward_induction
from expectitree.search.result import Search
from expectitree.search.star_minimax import DEPTH_CODES, Work, star_minimax
from expectitree.tree import Bounds, Column, Columns, Repeated, Tree, finite

ENGINES = ("auto", "interpreted", "compiled", "exact")
NO_LIMIT = sys.maxsize  # of visits
_VISIT = 6  # scanned rows that take as long as one visit, interpreted (2.7 million against 0.45 million a second)
RELATIVE_EPS = 1e-9  # of the greatest utility: what is a tie on paper
ROUNDING_EPS = 1e-14  # of the greatest bound: what running sums may have lost


def evaluate(
    tree: Tree,
    algorithm_name: str | Algorithm = "expectiminimax",
    *,
    bounds: Bounds | None = None,
    probes: int | None = None,
    probe_order: str | None = None,
    engine: str = "auto",
    max_visits: int | None = None,
) -> Search:
    """Search a tree and return what is known of every node afterwards.

    `bounds` hold for every utility (`inf` where nothing is known); without them the root's own from the file are
    taken, else the least and the greatest utility. `engine` is one of `ENGINES`; they all return the same, sooner or
    later. A pruning search that would enter nodes more than `max_visits` times is stopped, with what is known by
    then. Raises `SearchError` for an unknown algorithm, unsound bounds, or an engine that does not do for the tree.
    """
    chosen = algorithm_name if isinstance(algorithm_name, Algorithm) else algorithm(algorithm_name)
    if probes is not None or probe_order is not None:
        chosen = algorithm(chosen.name, probes, probe_order)
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
    listen: Callable[[str, Column], Column] | None = None,
) -> Search:
    """Search a tree's root in a window: exact, or failing low or high, by the contract of `star_minimax`.

    `listen` is handed every column that the search writes, with its name, and returns the one that is written
    instead: one that tells what is written. No compiled search can be listened to.
    """
    chosen = choose_engine(tree, algorithm, engine)
    compiled = chosen == "compiled"
    count, branches, eps = len(tree), len(tree.columns.child), tolerance(tree, bounds)
    columns = tree.columns
    zero: Number = 0.0
    if not compiled:
        columns = Columns(*map(list, columns))  # a list hands out objects it has; an array makes them anew
        zero = columns.probability[0] * 0 if branches else 0

    def run(loop: Callable[..., Any], *arguments: Any) -> Any:
        return loops.run(loop, *arguments, rows=count, compiled=compiled)

    def column(code: str, length: int = count) -> Column:
        return loops.zeros(code, length, True) if compiled else [zero if code == "d" else 0] * length

    if not algorithm.player_cuts:
        value = column("d")
        if listen is not None:
            value = listen("value", value)
        run(backward_induction, columns, value, zero)
        nothing = Repeated(0, count)
        return Search(
            tree, algorithm, bounds, source, eps, chosen, value, value, Repeated(1, count),
            Repeated(-INFINITY, count), Repeated(INFINITY, count), nothing, nothing, 0, False,
        )  # fmt: skip
    lower, upper = (end if compiled else list(end) for end in tree.inherited_bounds(bounds))
    depths = tree.heights[-1] + 1
    by_node, by_branch = map(column, "IddBI"), (column("d", branches) for _ in range(2))
    by_depth = (column(code, depths) for code in DEPTH_CODES)
    work = Work._make([lower, upper, *by_node, *by_branch, *by_depth])
    if listen is not None:
        work = Work._make(map(listen, Work._fields, work))
    # More probes than any node has children find nothing to do.
    probes = algorithm.probes
    if probes > 1:
        probes = min(probes, tree.widest)
    alpha, beta = map(float, window) if compiled else window
    cuts, stopped = run(
        star_minimax,
        columns,
        work,
        alpha,
        beta,
        eps,
        zero,
        INFINITY,
        INFINITY if tree.exact else sys.float_info.max,
        algorithm.chance_cuts,
        probes,
        algorithm.probe_order == "cyclic",
        NO_LIMIT if max_visits is None else max_visits,
    )
    return Search(tree, algorithm, bounds, source, eps, chosen, *work[:7], cuts, stopped)


def choose_engine(tree: Tree, algorithm: Algorithm, engine: str) -> str:
    """Return the engine that searches a tree: the one asked for, or for `auto` the quickest that does for it."""
    if engine not in ENGINES:
        raise SearchError(f"unknown engine {quoted(engine)}: choose among {', '.join(ENGINES)}")
    if tree.exact:
        if engine in ("auto", "exact"):
            return "exact"
        raise SearchError(f"the engine {engine} computes in floats, and this tree is in fractions: leave it out")
    if engine == "exact":
        raise SearchError("the engine exact computes in fractions, and this tree is in floats: load it with exact=True")
    if engine == "auto":
        return "compiled" if loops.pays(work_of(tree, algorithm)) else "interpreted"
    if engine == "compiled" and not loops.available():
        raise SearchError("the engine compiled needs numba: pip install 'expectitree[fast]'")
    return engine


def work_of(tree: Tree, algorithm: Algorithm) -> int:
    """Return how long a search takes, in rows of a scan: a visit of a pruning search costs about six."""
    return len(tree) * (_VISIT if algorithm.player_cuts else 1)


def choose_bounds(tree: Tree, bounds: Bounds | None) -> tuple[Bounds, str]:
    """Return the root's bounds and where they came from: "option", "file" or "leaves"."""
    if bounds is not None:
        if bounds[0] != bounds[0] or bounds[1] != bounds[1]:
            raise SearchError("NaN is no bound: give numbers, or inf or -inf")
        if bounds[0] > bounds[1]:
            raise SearchError(
                f"bounds are lower, upper, and {shortest(bounds[0])} is greater than {shortest(bounds[1])}: swap them"
            )
        try:
            check_bounds(tree, bounds)
        except TreeError as error:
            raise SearchError(str(error)) from None
        if tree.exact:  # a float among fractions would make floats of them
            bounds = to_bound(shortest(bounds[0]), True), to_bound(shortest(bounds[1]), True)
        return bounds, "option"
    written = tree.local_bounds.get(len(tree) - 1)
    return (tree.utility_range, "leaves") if written is None else (written, "file")


def tolerance(tree: Tree, bounds: Bounds) -> Number:
    """Return eps, by which two numbers may differ and be taken as equal: 0 in exact mode.

    It is 1e-9 of the greatest magnitude among the utilities, so that what ties on paper ties here too, and no less
    than what sums of bounds may lose to rounding (docs/decisions/0002-tolerance.md).
    """
    if tree.exact:
        return 0
    greatest = max(abs(float(utility)) for utility in tree.utility_range)
    widest = max((abs(float(end)) for end in bounds if finite(end)), default=0.0)
    return max(RELATIVE_EPS * greatest, ROUNDING_EPS * widest)
