"""Search a tree: choose the numbers and the bounds, run the algorithm, return the result."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from numbers import Real
from time import perf_counter
from typing import Any

from expectitree.base.algorithms import ALGORITHMS, Algorithm, Algorithms
from expectitree.base.algorithms import algorithm as find_algorithm
from expectitree.base.errors import USER_ERRORS, ExpectitreeError, SearchError
from expectitree.base.tree import scans
from expectitree.base.tree.columns import NO_BOUNDS, TERMINAL, Bounds, ChosenBounds, zeros
from expectitree.base.tree.model import Tree, check_tree
from expectitree.base.tree.scans import shifted
from expectitree.base.tree.transform import in_fractions
from expectitree.files import TreeSource, tree_of
from expectitree.searches.bounds import checked_pair, choose_bounds, in_numbers_of
from expectitree.searches.by_utility import is_inexact, search_by_utility
from expectitree.searches.engines import Engine
from expectitree.searches.problem import Found, Problem
from expectitree.searches.result import Search, interval_text
from expectitree.searches.unknown import check_known

# Best-first is slow if its paths from the root to all leaves compare more children than this.
# Interpreted, a search compares 60,000 to 250,000 children a second.
MAX_PATH_CHILDREN = 500_000


def evaluate(
    tree: TreeSource,
    algorithm: str | Algorithm = "expectiminimax",
    *,
    bounds: ChosenBounds = None,
    window: Bounds | None = None,
    engine: str = "auto",
    max_visits: int | None = None,
    seed: int = 0,
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
        tree: The tree; or a path or a dict, as `load` and `from_dict` take them.
        algorithm: A key of `ALGORITHMS`, or a result of `algorithm`. The default visits every node.
        bounds: `(lower, upper)`: the caller guarantees that they hold for every total, the utility
            of a terminal plus the rewards on the way. `inf` is not a bound. "leaves" takes the
            least and the greatest total, and "none" no bounds. By default, the search uses the
            bounds in the file, or else "none" for alphabeta and "leaves" for all others.
        window: `(alpha, beta)`: the search finds the value only if it lies in between. Otherwise
            it may stop when it has proved `value <= alpha`, with `Outcome.FAIL_LOW`, or `value >=
            beta`, with `Outcome.FAIL_HIGH`. Then `value` raises `SearchError`, and `interval()`
            is what was proved. expectiminimax and best-first find the value in any window.
        engine: "auto", "interpreted" or "compiled" (which needs numba). The last two compute in
            floats. All engines visit the same nodes.
        max_visits: The maximum number of node visits of a pruning search. A search that is stopped
            by this limit has the outcome `Outcome.STOPPED`.
        seed: The seed of an algorithm that draws random numbers, from another package.
        exact: Return each number as a `Fraction`, whatever the size of the tree; otherwise numbers
            are floats. A float in a tree counts as the decimal that Python prints.
        options: The options of the algorithm, such as `probes=3`.

    Raises:
        SearchError: The algorithm or the engine is unknown or cannot search the tree, a utility
            lies outside the bounds, or a utility is not known.
        TreeError: `tree` is not a tree, a path or a dict.
        FileError: The file or the dict is not a tree.
    """
    tree = tree_of(tree)
    if exact:
        if engine != Engine.AUTO:
            raise SearchError(f"exact computes in fractions, engine {engine} in floats\nremove one")
        tree = in_fractions(tree)
    return search_tree(
        tree,
        algorithm,
        bounds=bounds,
        window=window,
        engine=engine,
        max_visits=max_visits,
        seed=seed,
        exact=exact,
        **options,
    )


def search_tree(
    tree: Tree,
    algorithm: str | Algorithm = "expectiminimax",
    *,
    bounds: ChosenBounds = None,
    window: Bounds | None = None,
    engine: str = "auto",
    max_visits: int | None = None,
    seed: int = 0,
    exact: bool = True,
    **options: int | str | None,
) -> Search:
    """Search a tree as `evaluate` does, in its own numbers; round each once unless `exact`."""
    check_tree(tree)
    chosen = find_algorithm(algorithm, **options)
    if max_visits is not None and max_visits < 1:
        raise SearchError(f"a search needs at least 1 visit, got max_visits {max_visits}")
    tree = searched_tree(tree, engine)
    known = choose_bounds(tree, bounds, chosen)
    ends = known[0]
    if window is not None:
        alpha, beta = in_numbers_of(tree, check_window(chosen, window))
        ends = shifted(alpha, -tree.root_reward), shifted(beta, -tree.root_reward)
    search = search_window(tree, chosen, known, ends, engine, max_visits=max_visits, seed=seed)
    return replace(search, exact=exact)


def check_window(algorithm: Algorithm, window: Any) -> Bounds:
    """Return a window; raise `SearchError` if it is wrong, or the search is not for the value."""
    if algorithm.goal == "action":
        raise SearchError(
            "a window is about the value, and goal action asks for the best action\nremove one"
        )
    return checked_pair(window, "window", "alpha and beta")


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
    **asked: Any,
) -> Search:
    """Search a tree in a window, which is without the root's reward.

    `known` is what `choose_bounds` returns, and `asked` has other attributes of the `Problem`: its
    limit of visits, seed and observer. Raises `SearchError` if the search needs a utility that is
    not known.
    """
    if tree.attitude is not None and algorithm.prunes:
        raise SearchError(
            f"found the attitude {tree.attitude.text}, expected no attitude to risk for "
            f"{algorithm.full_name}\nsearch the tree with -a expectiminimax, or remove the "
            "attitude with --attitude none (`with_attitude(None)` in Python)"
        )
    if algorithm.needs_whole_tree or len(tree) == 1:
        check_known(tree)
    if tree.attitude is not None and tree.attitude.risk_tolerance is None:
        unbounded = NO_BOUNDS, known[1]
        search = partial(
            search_window, algorithm=algorithm, known=unbounded, window=NO_BOUNDS, engine=engine
        )
        return search_by_utility(tree, known[0], search)
    problem = Problem.of(tree, algorithm, known, engine, window, **asked)
    if tree.unknown:
        problem.wait_for_unknown()
    found = algorithm.run(problem) if algorithm.is_built_in else _found_by_other(problem)
    seconds = perf_counter() - problem.started
    return Search.from_found(problem, found, seconds=seconds)


def _found_by_other(problem: Problem) -> Found:
    """Return what the search of another package finds; raise `SearchError` if it is wrong."""
    cause: BaseException | None = None
    try:
        found: Found = problem.algorithm.run(problem)
        fault = _fault_in(found, problem)
    except ExpectitreeError:
        raise
    except USER_ERRORS as error:
        cause, fault = error, f"raises {type(error).__name__}: {error}"
    if fault:
        name = problem.algorithm.name
        message = f"the search {name} {fault}\ncorrect it, or choose another algorithm"
        raise SearchError(message) from cause
    return found


def _fault_in(found: Any, problem: Problem) -> str:
    """Return what is wrong with what a search returns; empty if it is right."""
    count, root = len(problem.tree), problem.tree.root_id
    if not isinstance(found, Found):
        return f"returns an object of type {type(found).__name__}, expected Found"
    if any(len(column) != count for column in (found.lower, found.upper, found.visits)):
        return f"returns columns of other lengths, expected {count:,} rows, one for each node"
    low, high = found.lower[root], found.upper[root]
    expected, is_right = "an estimate", isinstance(found.estimate, Real)
    if problem.algorithm.proves:
        expected, (alpha, beta) = "an interval that is exact or decides the window", problem.window
        is_right = low == high or high <= alpha or low >= beta or found.stopped
    known = f"{interval_text(low, high)} and the estimate {found.estimate}"
    return "" if is_right else f"returns {known}, expected {expected}"


def search_known(tree: Tree, algorithm: Algorithm, bounds: ChosenBounds = None) -> Search:
    """Return what the known utilities of a tree prove about each node, visited or not."""
    from expectitree.searches.best_first_search import begin_best_first
    from expectitree.searches.estimates import narrow

    check_tree(tree, "a search of a tree with unknown utilities")
    tree = tree.computed
    problem = Problem.of(tree, algorithm, choose_bounds(tree, bounds), Engine.INTERPRETED)
    beliefs = begin_best_first(problem)
    unknown = frozenset(tree.unknown)
    for n, kind in enumerate(problem.columns.kind):
        if kind != TERMINAL:
            narrow(problem.columns, beliefs, n)
        elif n not in unknown:
            beliefs.lower[n] = beliefs.upper[n] = problem.columns.utility[n]
    result = Found.of(problem)
    result.lower, result.upper, result.stopped = beliefs.lower, beliefs.upper, True
    result.visits = [1] * len(tree)
    return replace(Search.from_found(problem, result), own_eps=problem.eps)


def usual_algorithms(
    tree: Tree, among: Iterable[Algorithm] = tuple(ALGORITHMS.values())
) -> list[Algorithm]:
    """Return the default algorithms for a tree; best-first is left out if it would be slow.

    A tree with an attitude to risk can only be searched by those that do not prune.
    """
    if tree.attitude is not None:
        return [chosen for chosen in among if not chosen.prunes]
    return [
        chosen for chosen in among if chosen.in_order or path_children(tree) <= MAX_PATH_CHILDREN
    ]


def algorithms_for(tree: Tree, named: Algorithms) -> Iterable[Algorithm | str]:
    """Return the algorithms that a caller names; by default, the usual ones."""
    if isinstance(named, (Algorithm, str)):
        return [named]
    return usual_algorithms(tree) if named is None else named


def path_children(tree: Tree) -> float:
    """Return about how many children a best-first search compares if it visits all leaves."""
    leaves = zeros("d", len(tree))
    count: float = tree.columns.scan(scans.count_path_children, leaves, float(tree.leaves))
    return count
