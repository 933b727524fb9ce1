"""Search a game from its rules, by the loops of `searches` over a tree that grows on demand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from expectitree.base.algorithms import Algorithm
from expectitree.base.algorithms import algorithm as find_algorithm
from expectitree.base.errors import SearchError
from expectitree.base.numbers import INFINITY
from expectitree.base.tree.builder import EXACT_NODES
from expectitree.base.tree.columns import Bounds
from expectitree.base.tree.model import Tree
from expectitree.games.growth import Growth
from expectitree.games.loops import BestFirst, DepthFirst, harvest
from expectitree.games.protocol import Game
from expectitree.games.rules import Estimate, InexactError, Options, RowsError, Rules, Warn
from expectitree.searches.engine import search_tree
from expectitree.searches.intervals import PAUSED, STOPPED_EARLY, WAITING
from expectitree.searches.result import Grown, Search
from expectitree.searches.work import NO_LIMIT

if TYPE_CHECKING:
    from expectitree.games.plies import Plies

MAX_DEPTH = 10**9  # more than any number of rows
FEW_ROWS = 500  # NumPy takes longer to start
Made = TypeVar("Made")


def search(
    game: Game | str,
    *,
    depth: int,
    algorithm: str | Algorithm = "star2",
    state: Any = None,
    deepen: bool = False,
    max_rows: int | None = None,
    seconds: float | None = None,
    max_visits: int | None = None,
    bounds: Bounds | None = None,
    merge: bool = True,
    exact: bool = False,
    estimate: Estimate | None = None,
    warn: Warn | None = None,
    **options: int | str | None,
) -> Search:
    """Search a game from its rules: make only the nodes that the search asks for.

    A game whose numbers are whole, fractions, or texts such as "0.1" is computed in fractions up to
    20,000 nodes, and each number that the search returns is rounded once. A game that gives floats
    is computed in floats.

        >>> import expectitree as et
        >>> found = et.search("game:pig(target=10)", depth=5)
        >>> found.best, round(found.value, 4), found.grown.evaluations
        ('roll', 0.4889, 56)

    The result is a `Search` of the tree that has grown, in which nodes that the search did not
    enter are leaves with unknown utilities. `Search.grown` counts what the search needed. The
    algorithm expectiminimax makes the whole tree first, without `deepen`, `seconds` and
    `max_visits`; a large one by the game's method `expand`, if it has that.

    Args:
        game: A game (`Game` explains the methods), or its name, such as "game:pig(target=20)",
            "open_spiel:backgammon", or "path/to/file.py:Class".
        depth: How many plies deep to search. At this depth, states are worth their estimates.
        algorithm: A key of `ALGORITHMS`, or what `algorithm` returns.
        state: The state to start from; by default the start of the game.
        deepen: Search to depth 1, then 2, and so on. At each depth, sort the players' moves by
            the intervals found at the previous depth.
        max_rows: Stop before the tree has more rows (nodes) than this. By default 5 million,
            times the environment variable EXPECTITREE_BUDGET.
        seconds: Stop after this time.
        max_visits: Stop after this many visits of nodes, counted at each depth.
        bounds: `(lower, upper)` of all values, in place of the game's.
        merge: Search equal states once if they have the same number of plies left.
        exact: Compute in fractions whatever the numbers of the game, and return each number as a
            `Fraction`. A float counts as the decimal that Python prints.
        estimate: A function of a state, in place of the game's estimates.
        warn: Called with a message if there are no estimates.
        options: Those of the algorithm, such as `probes=3`.

    Returns:
        The search. If it was stopped, its outcome is `Outcome.STOPPED`, and the intervals contain
        the values; with `deepen`, it is the last search that was finished.

    Raises:
        GameError: The game is unknown or breaks the rules of the protocol.
        SearchError: The algorithm is unknown, or cannot be limited; or the depth is out of range.
    """
    chosen = find_algorithm(algorithm, **options)
    budget = Budget(max_visits, seconds)

    def run(is_exact: bool | None) -> Search:
        settings = Options(is_exact, merge, bounds, estimate, warn, max_rows)
        rules, start = _begin(game, depth, state, settings)
        return search_rules(rules, chosen, start, depth, deepen, budget)

    return replace(_exactly_or_not(run, exact), rounds=not exact)


def _exactly_or_not(run: Callable[[bool | None], Made], exact: bool) -> Made:
    """Return what a function computes in fractions, or in floats if the game asks for that."""
    try:
        return run(exact or None)
    except InexactError:
        return run(False)


def search_rules(
    rules: Rules, chosen: Algorithm, start: Any, depth: int, deepen: bool, budget: Budget
) -> Search:
    """Search the tree of some rules, or its whole tree if the algorithm needs that.

    With `deepen`, return the search of the last depth that could be finished.
    """
    if not chosen.player_cuts:
        if deepen or budget.seconds is not None or budget.max_visits != NO_LIMIT:
            raise SearchError(
                "deepen, seconds and max_visits are for pruning searches, and "
                f"{chosen.name} searches the whole tree: remove them, or choose another "
                "algorithm, such as star2"
            )
        whole = _whole(rules, depth, start)
        if isinstance(whole, Growth):
            search = search_tree(harvest(whole, whole=True)[0], chosen)
        else:
            search = whole.search(chosen)
        rows = rules.evaluations  # the value of each is asked for once
        grown = Grown(depth, rows, rows, whole.merged)
        return replace(search, grown=grown)
    found: Search | None = None
    before: Growth | None = None
    reached = rows = merged = 0  # rows of all depths
    repeats, why_stopped = 0, ""
    for plies in range(min(1, depth), depth + 1) if deepen else (depth,):
        growth = Growth(rules, plies, start, before)
        loop, why_stopped = _search_at_depth(growth, chosen, budget)
        growth.before = None
        repeats = max(repeats, growth.repeats())
        rows += len(growth.kind) - growth.merged
        merged += growth.merged
        # If no leaf is an estimate, the values are those of every greater depth.
        is_over = not growth.estimated
        if found is None or not why_stopped:
            found = loop.result(bool(why_stopped))
            reached = depth if is_over and not why_stopped else plies
        if why_stopped or is_over:
            break
        before = growth
    assert found is not None
    return replace(
        found, grown=Grown(reached, rows, rules.evaluations, merged, why_stopped, repeats)
    )


def _search_at_depth(
    growth: Growth, chosen: Algorithm, budget: Budget
) -> tuple[DepthFirst | BestFirst, str]:
    """Search a growing tree; return the loop, which is done, and why it stopped, if it did."""
    kind = DepthFirst if chosen.in_order else BestFirst
    loop = kind(growth, chosen, budget.max_visits)
    growth.plant()
    why_stopped = ""
    while (ended := loop.run()) in (WAITING, PAUSED):
        if monotonic() > budget.end:
            why_stopped = f"the limit of {budget.seconds:g} s was reached"
        elif ended == WAITING:
            try:
                growth.grow(loop.branch)
            except RowsError as error:
                why_stopped = str(error)
        if why_stopped:
            loop.most_visits = 0
    if ended == STOPPED_EARLY and not why_stopped:
        why_stopped = "the limit of visits was reached"
    return loop, why_stopped


def write_out(
    game: Game | str,
    *,
    depth: int,
    state: Any = None,
    max_rows: int | None = None,
    bounds: Bounds | None = None,
    merge: bool = True,
    exact: bool = False,
    estimate: Estimate | None = None,
    warn: Warn | None = None,
) -> Tree:
    """Return the whole tree of a game to a depth, with estimates at inner nodes.

        >>> import expectitree as et
        >>> tree = et.write_out("game:pig(target=10)", depth=5)
        >>> len(tree), et.evaluate(tree, "star1").best
        (164, 'roll')

    With `merge`, equal states with the same number of plies left are one node. If several branches
    of a node lead to the same child, they become one, with the sum of their probabilities.

    Args:
        game: As for `search`.
        depth: How many plies deep the tree is.
        state: As for `search`.
        max_rows: The most rows that the tree may have. By default 5 million, times the environment
            variable EXPECTITREE_BUDGET.
        bounds: As for `search`.
        merge: As for `search`.
        exact: Keep numbers as `Fraction` at any size, and if the game gives floats.
        estimate: As for `search`.
        warn: As for `search`.

    Raises:
        GameError: As for `search`, and if the tree needs more than `max_rows` rows.
    """

    def run(is_exact: bool | None) -> Tree:
        settings = Options(is_exact, merge, bounds, estimate, warn, max_rows)
        rules, start = _begin(game, depth, state, settings)
        whole = _whole(rules, depth, start)
        return harvest(whole, whole=True)[0] if isinstance(whole, Growth) else whole.tree()

    tree = _exactly_or_not(run, exact)
    return replace(tree, estimated=frozenset())  # or the tree could not be saved as text


def _begin(game: Game | str, depth: int, state: Any, options: Options) -> tuple[Rules, Any]:
    """Return the rules of a game, and the state to start from."""
    if not isinstance(depth, int) or not 0 <= depth <= MAX_DEPTH:
        raise SearchError(
            f"a depth limit is a whole number of plies from 0 to {MAX_DEPTH:,}, got {depth!r}"
        )
    if options.max_rows is not None and options.max_rows < 1:
        raise SearchError(f"a search needs at least 1 row, got max_rows {options.max_rows}")
    if isinstance(game, str):
        from expectitree.games.finding import find_game

        game = find_game(game)
    rules = Rules(game, options)
    rules.check_searchable()
    return rules, rules.start if state is None else state


def _whole(rules: Rules, depth: int, start: Any) -> Growth | Plies:
    """Return the whole tree: grown by plies if it may and has many rows, otherwise by rows."""
    if rules.expands and find_spec("numpy"):
        if rules.exact:
            rules.most_exact = FEW_ROWS
            try:
                return _by_rows(rules, depth, start)
            except InexactError:
                rules.most_exact, rules.evaluations = EXACT_NODES, 0
        from expectitree.games.plies import Plies

        plies = Plies(rules, start, depth)
        if plies.grow() and (not rules.exact or plies.made > EXACT_NODES):
            rules.evaluations += plies.rows
            return plies
    return _by_rows(rules, depth, start)


def _by_rows(rules: Rules, depth: int, start: Any) -> Growth:
    growth = Growth(rules, depth, start, estimates=True)
    growth.plant()
    growth.grow_all()
    return growth


class Budget:
    """The limits of a search besides its rows: visits at each depth, and time."""

    def __init__(self, max_visits: int | None = None, seconds: float | None = None) -> None:
        if max_visits is not None and max_visits < 1:
            raise SearchError(f"a search needs at least 1 visit, got max_visits {max_visits}")
        if seconds is not None and not seconds > 0:
            raise SearchError(f"a search needs more than 0 seconds, got {seconds}")
        self.max_visits = NO_LIMIT if max_visits is None else max_visits
        self.end = INFINITY if seconds is None else monotonic() + seconds
        self.seconds = seconds
