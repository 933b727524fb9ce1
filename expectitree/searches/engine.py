"""Run a search: choose the bounds, prepare the columns, call the loop, return the result.

The loops of `backward_induction`, `star_minimax` and `best_first` take only columns and numbers, so
the same code runs interpreted on lists of floats, compiled on arrays of floats, and interpreted on
lists of `Fraction`. What `star_minimax` does, `search_recursively` does quicker if interpreted.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from fractions import Fraction
from numbers import Real
from typing import Any

from expectitree.base import compiling
from expectitree.base.algorithms import ALGORITHMS, Algorithm
from expectitree.base.algorithms import algorithm as find_algorithm
from expectitree.base.deep_calls import DeepCall
from expectitree.base.errors import SearchError, TreeError
from expectitree.base.numbers import (
    INFINITY,
    Number,
    exact_text,
    is_finite,
    quote,
    to_exact_bound,
    to_nearest_float,
)
from expectitree.base.rounding import Rounded
from expectitree.base.tree import scans
from expectitree.base.tree.columns import TERMINAL, Bounds, ChosenBounds, Repeated
from expectitree.base.tree.model import Tree, check_bounds, check_tree
from expectitree.base.tree.transform import in_fractions
from expectitree.searches.backward_induction import backward_induction
from expectitree.searches.by_utility import is_inexact, search_by_utility
from expectitree.searches.depth_first import CALLS_A_PLY, search_depth_first
from expectitree.searches.intervals import PAUSED, STOPPED_EARLY, WAITING
from expectitree.searches.problem import (
    Allowance,
    Found,
    Problem,
    close_intervals,
    without_infinities,
)
from expectitree.searches.progress import report
from expectitree.searches.result import Search
from expectitree.searches.setup import (
    NO_BOUNDS,
    NO_FAR,
    Engine,
    SearchSetup,
    far_of,
    greatest_number,
    greatest_total,
    why_unknown,
)
from expectitree.searches.star_minimax import star_minimax
from expectitree.searches.work import NO_LIMIT, RESUME_ENTRIES, Settings, Work, next_branch

# Best-first is slow if its paths from the root to all leaves compare more children than this.
# Interpreted, a search compares 60,000 to 250,000 children a second.
MAX_PATH_CHILDREN = 500_000


def evaluate(
    tree: Tree,
    algorithm: str | Algorithm = "expectiminimax",
    *,
    bounds: ChosenBounds = None,
    engine: str = "auto",
    max_visits: int | None = None,
    exact: bool = False,
    **options: int | str | None,
) -> Search:
    """Search a tree and return its value, its best actions, and the bounds proved for each node.

    A tree of up to 20,000 nodes is searched in fractions: best actions, ties, cuts and counts are
    exact, and each number that the search returns is the exact one, rounded once. With an attitude
    to risk (`Tree.attitude`), values are certainty equivalents, computed in floats, and the
    algorithm must be expectiminimax.

        >>> import expectitree as et
        >>> tree = et.load("example:risk")
        >>> found = et.evaluate(tree, "star1", bounds=(0, 100))
        >>> found.value, found.best, found.counts.leaves_visited
        (54.5, 'right', 4)

    Args:
        tree: The tree.
        algorithm: A key of `ALGORITHMS`, or a result of `algorithm`. The default visits every node.
        bounds: `(lower, upper)`: the caller guarantees that they hold for every total, the utility
            of a terminal plus the rewards on the way. `inf` is not a bound. "leaves" takes the
            least and the greatest total, and "none" no bounds. By default, the search uses the
            bounds in the file, or else "none" for alphabeta and "leaves" for all others.
        engine: "auto", "interpreted" or "compiled" (which needs numba). The last two compute in
            floats. All engines visit the same nodes.
        max_visits: The maximum number of node visits of a pruning search. A search that is stopped
            by this limit has the outcome `Outcome.STOPPED`.
        exact: Return each number as a `Fraction`, whatever the size of the tree; otherwise numbers
            are floats. A float in a tree counts as the decimal that Python prints.
        options: The options of the algorithm, such as `probes=3`.

    Raises:
        SearchError: The algorithm or the engine is unknown or cannot search the tree, a utility
            lies outside the bounds, or a utility is not known.
        TreeError: `tree` is not a tree.
    """
    check_tree(tree)
    if exact:
        if engine != Engine.AUTO:
            raise SearchError(f"exact computes in fractions, engine {engine} in floats: remove one")
        tree = in_fractions(tree)
    found = search_tree(
        tree, algorithm, bounds=bounds, engine=engine, max_visits=max_visits, **options
    )
    vars(found)["rounds"] = not exact  # a copy costs a tenth of the search of a small tree
    return found


def search_tree(
    tree: Tree,
    algorithm: str | Algorithm = "expectiminimax",
    *,
    bounds: ChosenBounds = None,
    engine: str = "auto",
    max_visits: int | None = None,
    **options: int | str | None,
) -> Search:
    """Search a tree as `evaluate` does; return numbers as they are computed, without rounding."""
    check_tree(tree)
    chosen = find_algorithm(algorithm, **options)
    if max_visits is not None and max_visits < 1:
        raise SearchError(f"a search needs at least 1 visit, got max_visits {max_visits}")
    tree = searched_tree(tree, engine)
    known = choose_bounds(tree, bounds, chosen)
    return search_window(tree, chosen, known, known[0], engine, max_visits)


def searched_tree(tree: Tree, engine: str = "auto") -> Tree:
    """Return the tree in whose numbers an engine searches: in fractions, rounded, or in floats."""
    if tree.exact and (engine in (Engine.INTERPRETED, Engine.COMPILED) or is_inexact(tree)):
        return tree.floats
    return tree.computed


def search_window(
    tree: Tree,
    algorithm: Algorithm,
    known: tuple[Bounds, str],
    window: Bounds,
    engine: str = "auto",
    max_visits: int | None = None,
    watch: Any = None,
) -> Search:
    """Search a tree in a window, by the contract of `star_minimax`.

    `known` is what `choose_bounds` returns.
    `watch` is an `Observer` of a depth-first search, or a `WalkObserver` of best-first: such a
    search must not be compiled. Raises `SearchError` if the search needs a utility that is not
    known.
    """
    if tree.attitude is not None and algorithm.player_cuts:
        raise SearchError(
            f"found the attitude {tree.attitude.text}, expected no attitude to risk for "
            f"{algorithm.full_name}: search the tree with -a expectiminimax, or remove the "
            "attitude with --attitude none (`with_attitude(None)` in Python)"
        )
    if not algorithm.player_cuts or len(tree) == 1:
        check_known(tree)
    if tree.attitude is not None and tree.attitude.risk_tolerance is None:

        def search(utilities: Tree) -> Search:
            return search_window(utilities, algorithm, (NO_BOUNDS, known[1]), NO_BOUNDS, engine)

        return search_by_utility(tree, known[0], search)
    setup = SearchSetup.of(tree, algorithm, *known, engine)
    if not algorithm.player_cuts:
        return _run_backward_induction(setup)
    if tree.unknown:
        setup = setup.waiting_for_unknown()
    if not algorithm.in_order:
        from expectitree.searches.best_first_search import run_best_first  # takes time

        return run_best_first(setup, max_visits, watch)
    if not setup.compiled:
        return _search_interpreted(setup, window, max_visits, watch)
    return _run_star_minimax(setup, window, max_visits)


def _run_backward_induction(setup: SearchSetup) -> Search:
    tree, count = setup.tree, len(setup.tree)
    value = compiling.unwritten("d", count) if setup.compiled else setup.column("d")
    tolerance = None if tree.attitude is None else tree.attitude.risk_tolerance
    if tolerance is not None:
        tolerance *= tree.gain_sign  # who avoids a small gain avoids a large cost
    setup.begin()
    setup.run(backward_induction, setup.columns, value, setup.zero, tolerance)
    nothing = Repeated(0, count)
    windows = Repeated(-INFINITY, count), Repeated(INFINITY, count)
    columns = value, value, Repeated(1, count), *windows, nothing, nothing
    follows_from_values = tree.rounds and not tree.exact and tree.attitude is None
    eps = None if follows_from_values else setup.eps
    return setup.result(eps, *columns, 0, False)


def _run_star_minimax(setup: SearchSetup, window: Bounds, max_visits: int | None) -> Search:
    tree, settings = setup.tree, settings_of(setup, max_visits)
    root = setup.index(tree.root_id)
    work = start_work(setup, settings, tree.heights[-1] + 1)
    window = float(window[0]), float(window[1])
    setup.begin()
    while True:
        cuts, ended = setup.run(star_minimax, setup.columns, work, settings, root, window)
        if ended != PAUSED:
            break
        entries = int(work.resume[RESUME_ENTRIES])
        report(entries, max_visits or len(tree))
        settings = settings._replace(pause=entries + setup.pause)
    if ended == WAITING:
        raise SearchError(why_unknown(tree, setup.columns.child[next_branch(work)[1]]))
    columns = work.by_node(setup.columns, settings)
    return setup.result(setup.eps, *columns, cuts, ended == STOPPED_EARLY)


def _search_interpreted(
    setup: SearchSetup, window: Bounds, max_visits: int | None, watch: Any
) -> Search:
    """Search a tree in a window by recursion."""
    tree, columns = setup.tree, setup.columns

    def grow(branch: int) -> bool:
        raise SearchError(why_unknown(tree, columns.child[branch]))

    found = Found(*map(setup.column, "IddBI"))
    problem = Problem(
        columns,
        *setup.intervals(),
        tree.root_id,
        window,
        setup.algorithm,
        Allowance(max_visits, setup.pause, len(tree)),
        setup.eps / 3 if setup.eps else 0,
        setup.zero,
        shares=tree.is_sharing,
        observer=watch,
        grow=grow,
    )
    problem.probe_up_to(int(tree.widest))
    if tree.exact:
        problem.use_infinities()
    setup.begin()
    DeepCall(CALLS_A_PLY * tree.heights[-1] + 100).run(search_depth_first, problem, found)
    close_intervals(problem, found)
    numbers: Any = problem.lower, problem.upper, found.alpha, found.beta
    lower, upper, alpha, beta = map(without_infinities, numbers) if tree.exact else numbers
    written = lower, upper, found.visits, alpha, beta, found.cut, found.cut_after
    return setup.result(setup.eps, *written, found.cuts, found.stopped)


def start_work(setup: SearchSetup, settings: Settings, depths: int) -> Work:
    """Return the columns of a search at the start."""
    tree, columns = setup.tree, setup.columns
    if not settings.lean:
        return Work.of(setup.intervals(), setup.column, len(tree), len(columns.child), depths)
    inner = len(tree) - tree.leaves
    lower, upper = (compiling.filled("d", end, inner, True) for end in settings.ends)
    own: Any = memoryview(bytearray(columns.kind)), tree.inner_before
    return Work.of((lower, upper), setup.column, inner, 0, depths, own)


def settings_of(setup: SearchSetup, max_visits: int | None) -> Settings:
    """Return the settings of a compiled depth-first search."""
    tree, chosen = setup.tree, setup.algorithm
    far = far_of(greatest_total(tree), bool(tree.unit), greatest_number(tree, setup.bounds))
    # A reward may move a bound beyond the greatest float.
    bounded = not setup.columns.pays and far == NO_FAR and all(map(is_finite, setup.bounds))

    def switch(is_on: bool) -> tuple[bool, ...]:
        return (True,) if is_on else ()

    return Settings(
        zero=0.0,
        most=sys.float_info.max,
        chance_cuts=chosen.chance_cuts,
        # More probes than any node has children find nothing to do.
        probes=min(chosen.probes, max(tree.widest, 1)),
        cyclic=chosen.probe_order == "cyclic",
        eps=float(setup.eps),  # one type, so one machine code
        far=far,
        most_visits=NO_LIMIT if max_visits is None else max_visits,
        pause=setup.pause,
        one=setup.index(1),
        pays=switch(setup.columns.pays),
        bounded=switch(bounded),
        limited=switch(max_visits is not None),
        shares=switch(tree.is_sharing),
        lean=switch(
            bounded
            and setup.bounds[0] < setup.bounds[1]  # a terminal is open until it is visited
            and len(tree) > 1
            and not (tree.is_sharing or tree.unknown)
            and tree.local_bounds.keys() <= {tree.root_id}
        ),
        ends=(float(setup.bounds[0]), float(setup.bounds[1])),
    )


def search_known(tree: Tree, bounds: ChosenBounds = None) -> Search:
    """Return what the known utilities of a tree prove about each node: a search that stopped."""
    from expectitree.searches.best_first_search import begin_best_first, end_best_first
    from expectitree.searches.estimates import narrow

    check_tree(tree, "a search of a tree with unknown utilities")
    tree = tree.computed
    chosen = find_algorithm("best-first", goal="value")
    setup = SearchSetup.of(tree, chosen, *choose_bounds(tree, bounds), Engine.INTERPRETED)
    beliefs, limits = begin_best_first(setup)
    unknown = frozenset(tree.unknown)
    for n, kind in enumerate(setup.columns.kind):
        if kind != TERMINAL:
            narrow(setup.columns, beliefs, limits, n)
        elif n not in unknown:
            beliefs.lower[n] = beliefs.upper[n] = setup.columns.utility[n]
    return end_best_first(setup, beliefs, stopped=True)


def usual_algorithms(
    tree: Tree, among: Iterable[Algorithm] = tuple(ALGORITHMS.values())
) -> list[Algorithm]:
    """Return the default algorithms for a tree; best-first is left out if it would be slow.

    A tree with an attitude to risk can only be searched by those that do not prune.
    """
    if tree.attitude is not None:
        return [chosen for chosen in among if not chosen.player_cuts]
    is_slow = path_children(tree) > MAX_PATH_CHILDREN
    return [chosen for chosen in among if chosen.in_order or not is_slow]


def path_children(tree: Tree) -> float:
    """Return about how many children a best-first search compares if it visits all leaves."""
    leaves = compiling.zeros("d", len(tree))
    found: float = tree.scan(scans.count_path_children, tree.columns, leaves, float(tree.leaves))
    return found


def choose_bounds(
    tree: Tree, bounds: ChosenBounds, algorithm: Algorithm | None = None
) -> tuple[Bounds, str]:
    """Return the root's bounds and where they came from: "option", "file", "leaves" or "none".

    Those who prune by hand do not know the leaves, so alphabeta has no bounds by default.
    """
    if bounds is None:
        written = tree.local_bounds.get(tree.root_id)
        if written is not None:
            return written, "file"
        is_alphabeta = algorithm and algorithm.player_cuts and not algorithm.chance_cuts
        bounds = "none" if tree.unknown or is_alphabeta else "leaves"
    if bounds == "none":
        return NO_BOUNDS, "none"
    if bounds == "leaves":
        check_known(tree)
        return tree.total_ends, "leaves"
    if (
        not isinstance(bounds, Sequence)
        or isinstance(bounds, str)
        or len(bounds) != 2
        or not all(isinstance(end, Real) for end in bounds)
    ):
        raise SearchError(
            f"found {quote(str(bounds))} as bounds, expected a lower and an upper number"
        )
    if bounds[0] != bounds[0] or bounds[1] != bounds[1]:
        raise SearchError("NaN is not a bound: give numbers, or inf or -inf")
    if bounds[0] > bounds[1]:
        raise SearchError(
            f"bounds are lower, upper, and {exact_text(bounds[0])} is greater than "
            f"{exact_text(bounds[1])}: swap them"
        )
    bounds = _bound_of(tree, bounds[0]), _bound_of(tree, bounds[1])
    try:
        check_bounds(tree, bounds)
    except TreeError as error:
        raise SearchError(str(error)) from None
    return bounds, "option"


def _bound_of(tree: Tree, end: Number) -> Number:
    """Return a bound in the numbers of a tree: those of others would be rounded differently."""
    if not tree.exact:
        return to_nearest_float(end)
    found = to_exact_bound(end)
    return Rounded.of(found) if tree.is_rounded and isinstance(found, Fraction) else found


def check_known(tree: Tree) -> None:
    """Raise `SearchError` if the utility of a terminal is not known."""
    if tree.unknown:
        raise SearchError(why_unknown(tree))
