"""Search a game from its rules, by the loops of `searches` over a tree that grows on demand."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from expectitree.base.algorithms import Algorithm
from expectitree.base.algorithms import algorithm as find_algorithm
from expectitree.base.errors import SearchError
from expectitree.base.numbers import Number
from expectitree.base.tree.builder import EXACT_NODES
from expectitree.base.tree.columns import NONE, Bounds
from expectitree.base.tree.model import Tree
from expectitree.games.calls import Warn, naming_errors
from expectitree.games.finding import game_of
from expectitree.games.found import GameSearch, Order
from expectitree.games.grown import Grown
from expectitree.games.growth import Growth
from expectitree.games.loops import BestFirst, Budget, DepthFirst, harvest
from expectitree.games.protocol import Game
from expectitree.games.rules import Estimate, InexactError, Options, RowsError, Rules
from expectitree.searches.engine import check_window, search_tree
from expectitree.searches.intervals import NO_LIMIT, PAUSED, STOPPED_EARLY, WAITING
from expectitree.searches.result import Search

if TYPE_CHECKING:
    from expectitree.games.plies import Plies

MAX_DEPTH = 10**9  # more than any number of rows
FEW_ROWS = 500  # NumPy takes longer to start
Made = TypeVar("Made")
Progress = Callable[[GameSearch], object]


@naming_errors()
def search(
    game: Game | str,
    *,
    depth: int | None = None,
    algorithm: str | Algorithm = "star2",
    state: Any = None,
    deepen: bool = False,
    max_rows: int | None = None,
    seconds: float | None = None,
    max_visits: int | None = None,
    bounds: Bounds | None = None,
    window: Bounds | None = None,
    merge: bool = True,
    exact: bool = False,
    estimate: Estimate | None = None,
    warn: Warn | None = None,
    width: Number = 0,
    after: GameSearch | None = None,
    progress: Progress | None = None,
    **options: int | str | None,
) -> GameSearch:
    """Search a game from its rules: make only the nodes that the search asks for.

    A game whose numbers are whole, fractions, or texts such as "0.1" is computed in fractions up to
    1,000 nodes, and each number that the search returns is rounded once. A game that gives floats
    is computed in floats.

        >>> import expectitree as et
        >>> found = et.search("game:pig(target=10)", depth=5)
        >>> found.best, round(found.value, 4), found.grown.evaluations
        ('roll', 0.4889, 56)

    The result is a `GameSearch` of the tree that has grown, in which nodes that the search did not
    enter are leaves with unknown utilities. `Search.grown` counts what the search needed. The
    algorithm expectiminimax makes the whole tree first, without `deepen`, `seconds` and
    `max_visits`; a large one by the game's method `expand`, if it has that.

    Args:
        game: A game (`Game` explains the methods), or its name, such as "game:pig(target=20)",
            "open_spiel:backgammon", or "path/to/file.py:Class". A game or a state of `pyspiel`
            works too.
        depth: How many plies deep to search. At this depth, states are worth their estimates.
            Without it, `seconds` are needed: the search deepens until the time is over.
        algorithm: A key of `ALGORITHMS`, or what `algorithm` returns.
        state: The state to start from; by default the start of the game.
        deepen: Search to depth 1, then 2, and so on. At each depth, sort the players' moves by
            the intervals found at the previous depth. A value that is that of the whole game stays.
        max_rows: Stop before the tree has more rows (nodes) than this. By default 5 million,
            times the environment variable EXPECTITREE_BUDGET.
        seconds: Stop after this time.
        max_visits: Stop after this many visits of nodes, counted at each depth.
        bounds: `(lower, upper)` of all values, in place of the game's.
        window: `(alpha, beta)`, as for `evaluate`. With `deepen`, it is that of each depth.
        merge: Search equal states once if they have the same number of plies left.
        exact: Compute in fractions whatever the numbers of the game, and return each number as a
            `Fraction`. A float counts as the decimal that Python prints.
        estimate: A function of a state, in place of the game's estimates; or such as
            "rollouts:100", the mean of so many random games.
        warn: Called with a message if there are no estimates.
        width: With `goal="moves"`: how wide the interval of a move may be.
        after: A search of the same game, such as that of the move before, whose order of moves this
            search begins with. With `deepen`, it begins at the depth that `after` reached there.
        progress: With `deepen`: called with the search of each depth that was finished, which has
            `move`, `line` and `grown`. If it returns True, the search ends.
        options: Those of the algorithm, such as `probes=3`. With `goal="moves"`, the search first
            finds the value, in half of the time, then searches each move at the root until its
            value is known, or lies in an interval that is no wider than `width`.

    Returns:
        The search. If it was stopped, its outcome is `Outcome.STOPPED`, and the intervals contain
        the values; with `deepen`, it is the last search that was finished.

    Raises:
        GameError: The game is unknown or breaks the rules of the protocol.
        SearchError: The algorithm is unknown, or cannot be limited; or the depth is out of range.
    """
    ranks = options.get("goal") == "moves"
    if ranks:
        del options["goal"]
    chosen = find_algorithm(algorithm, **options)
    if window is not None:
        if ranks:
            raise SearchError("goal moves finds the value of each move: remove it, or the window")
        window = check_window(chosen, window)
    budget = Budget(max_visits, seconds)
    end = budget.end
    if depth is None and seconds is None:
        raise SearchError("a search of a game needs a depth, in plies, or a limit of seconds")

    def run(is_exact: bool | None) -> GameSearch:
        settings = Options(is_exact, merge, bounds, estimate, warn, max_rows, window)
        rules, start = _begin(game, depth or 0, state, settings)
        if ranks and seconds is not None:
            budget.end = (monotonic() + end) / 2

        def is_enough(search: Search) -> bool:
            found = replace(GameSearch.of(search, rules, start), rounds=not exact)
            return progress is not None and progress(found) is True

        on_depth = None if progress is None else is_enough
        deepens = deepen or depth is None
        search = search_rules(rules, chosen, start, depth, deepens, budget, after, on_depth)
        found = GameSearch.of(search, rules, start)
        budget.end = end
        return _with_ranks(found, width, budget) if ranks else found

    return replace(_exactly_or_not(run, exact), rounds=not exact)


def _with_ranks(found: GameSearch, width: Number, budget: Budget) -> GameSearch:
    """Return a search with the values of all moves at the root, or with narrow intervals.

    Each move is searched from the state after it, to the same depth as the root.
    """
    rules, grown, choices = found.rules, found.grown, list(found.choices)
    assert grown is not None
    open_places = [at for at, c in enumerate(choices) if c.upper - c.lower > width]
    for waiting, at in zip(range(len(open_places), 0, -1), open_places, strict=True):
        choice = choices[at]
        state = rules.play(found.state, choice.move)
        plies = grown.depth - (not rules.is_same_turn(state))
        own = copy(budget)
        if budget.seconds is not None:
            own.end = monotonic() + max(0, budget.end - monotonic()) / waiting
        # The whole game may end far above the depth limit.
        deepens = not grown.estimated and found.algorithm.prunes
        below = search_rules(rules, found.algorithm, state, plies, deepens, own)
        more = below.grown
        assert more is not None
        if not (deepens and more.why_stopped):  # or it is of another depth
            lower, upper = below.interval_of(below.tree.root_id)
            lower, upper = max(lower, choice.lower), min(upper, choice.upper)
            choices[at] = choice._replace(lower=lower, upper=max(lower, upper))
        grown = replace(
            grown,
            rows=grown.rows + more.rows,
            merged=grown.merged + more.merged,
            evaluations=rules.evaluations,
            why_stopped=grown.why_stopped or more.why_stopped,
            estimated=grown.estimated + more.estimated,
        )
    return replace(found, _choices=tuple(choices), grown=grown)


def _exactly_or_not(run: Callable[[bool | None], Made], exact: bool) -> Made:
    """Return what a function computes in fractions, or in floats if the game asks for that."""
    try:
        return run(exact or None)
    except InexactError:
        return run(False)


def search_rules(
    rules: Rules,
    chosen: Algorithm,
    start: Any,
    depth: int | None,
    deepen: bool,
    budget: Budget,
    after: GameSearch | None = None,
    on_depth: Callable[[Search], bool] | None = None,
) -> Search:
    """Search the tree of some rules, or its whole tree if the algorithm needs that.

    With `deepen`, return the search of the last depth that could be finished; `on_depth` receives
    the search of each, and returns whether it is enough.
    """
    if chosen.needs_whole_tree:
        if deepen or budget.seconds is not None or budget.max_visits != NO_LIMIT:
            raise SearchError(
                "deepen, seconds and max_visits are for searches that make the tree as they go, "
                f"and {chosen.name} searches the whole tree: remove them, or choose another "
                "algorithm, such as star2"
            )
        assert depth is not None
        whole = _whole(rules, depth, start, estimates=False)
        if isinstance(whole, Growth):
            search = search_tree(harvest(whole, whole=True)[0], chosen)
        else:
            search = whole.search(chosen)
            rules.evaluations = search.tree.leaves
        counts = len(search.tree), rules.evaluations, whole.merged
        grown = Grown(depth, *counts, estimated=len(search.tree.estimated))
        return replace(search, grown=grown)
    finished: DepthFirst | BestFirst | None = None
    found: Search | None = None
    before: Any = None
    twin, least = NONE, 0
    if after is not None:
        before, twin, least = after.order_at(start, rules)
    reached = rows = merged = 0  # rows of all depths
    repeats, why_stopped = 0, ""
    values: dict[Any, Number] = {}
    last = MAX_DEPTH if depth is None else depth
    for plies in range(min(max(1, least), last), last + 1) if deepen else (last,):
        new = partial(_new_growth, twin, rules, plies, start, before, values if deepen else None)
        loop, why_stopped = _search_at_depth(new, chosen, budget)
        growth = loop.growth
        growth.before = None
        repeats = max(repeats, growth.repeats())
        rows += growth.made
        merged += growth.merged
        # If no leaf is an estimate, the values are those of every greater depth.
        is_over = not growth.estimated
        if finished is None or not why_stopped:
            finished, found = loop, None
            reached = plies if depth is None or why_stopped or not is_over else depth
        before, twin = growth, 0
        if not why_stopped and on_depth is not None:
            found = loop.result(stopped=False)  # which clears the tree that grew
            grown = Grown(plies, rows, rules.evaluations, merged, "", len(found.tree.estimated))
            if on_depth(replace(found, grown=grown)):
                break
            before = Order(GameSearch.of(found, rules, start))
            twin = found.tree.root_id
        if why_stopped or is_over:
            break
    assert finished is not None
    if found is None:
        found = finished.result(stopped=bool(why_stopped) and finished is loop)
    estimated = len(found.tree.estimated)
    grown = Grown(reached, rows, rules.evaluations, merged, why_stopped, estimated, repeats)
    return replace(found, grown=grown)


def _new_growth(twin: int, *arguments: Any) -> Growth:
    growth = Growth(*arguments)
    growth.twin = twin
    return growth


def _search_at_depth(
    new: Callable[[], Growth], chosen: Algorithm, budget: Budget
) -> tuple[DepthFirst | BestFirst, str]:
    """Search a growing tree; return the loop, which is done, and why it stopped, if it did."""
    growth = new()
    if chosen.in_order:
        depth_first = DepthFirst(growth, chosen, budget)
        growth.plant()
        depth_first.search()
        return depth_first, depth_first.why_stopped
    loop = BestFirst(growth, chosen, budget.max_visits)
    growth.plant()
    why_stopped = ""
    while (ended := loop.run()) in (WAITING, PAUSED):
        if monotonic() > budget.end:
            why_stopped = budget.time_reached
        elif ended == WAITING:
            try:
                loop.go_on()
            except RowsError as error:
                why_stopped = str(error)
        if why_stopped:
            loop.most_visits = 0
    if ended == STOPPED_EARLY and not why_stopped:
        why_stopped = budget.visits_reached
    return loop, why_stopped


@naming_errors()
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
        rules.most_exact = EXACT_NODES  # as in the text of the tree
        whole = _whole(rules, depth, start, estimates=True)
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
    rules = Rules(game_of(game), options)
    rules.check_searchable()
    return rules, rules.start if state is None else state


def _whole(rules: Rules, depth: int, start: Any, estimates: bool) -> Growth | Plies:
    """Return the whole tree: grown by plies if it may and has many rows, otherwise by rows."""
    if rules.expands and find_spec("numpy"):
        if rules.exact:
            most, rules.most_exact = rules.most_exact, FEW_ROWS
            try:
                return _by_rows(rules, depth, start, estimates)
            except InexactError:
                rules.most_exact = most
        from expectitree.games.plies import Plies

        plies = Plies(rules, start, depth)
        if plies.grow() and (not rules.exact or plies.made > rules.most_exact):
            return plies
    return _by_rows(rules, depth, start, estimates)


def _by_rows(rules: Rules, depth: int, start: Any, estimates: bool = True) -> Growth:
    """Return the whole tree grown row by row, with `estimates` also at inner rows."""
    rules.evaluations = 0  # without those of an attempt
    growth = Growth(rules, depth, start, shares=False, estimates=estimates)
    growth.plant()
    growth.grow_all()
    return growth
