"""Search a game from its rules: the loops of `searches`, over a tree that grows as they ask."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from time import monotonic
from typing import Any

from expectitree.algorithms import Algorithm
from expectitree.algorithms import algorithm as find_algorithm
from expectitree.errors import SearchError
from expectitree.games.growth import MOST_TURNS, Growth, RowsError
from expectitree.games.harvest import harvest
from expectitree.games.protocol import Game
from expectitree.games.rules import Estimate, Options, Rules, Warn
from expectitree.numbers import INFINITY, Number, is_finite
from expectitree.searches.engine import NO_LIMIT, evaluate
from expectitree.searches.result import Grown, Search
from expectitree.searches.setup import RELATIVE_EPS, Engine
from expectitree.searches.star_minimax import (
    DEPTH_CODES,
    RESUME_NUMBERS,
    STOPPED_EARLY,
    WAITING,
    Settings,
    Work,
    next_branch,
    star_minimax,
)
from expectitree.tree.columns import Bounds
from expectitree.tree.model import Tree

MOST_ROWS = 5_000_000  # of a tree that grows; some 250 bytes each
Progress = Callable[[int], None]


def search(
    game: Game | str,
    *,
    depth: int,
    algorithm: str | Algorithm = "star2",
    state: Any = None,
    deepen: bool = False,
    max_rows: int = MOST_ROWS,
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

        >>> import expectitree as et
        >>> found = et.search("game:pig(target=10)", depth=5)
        >>> found.best, round(found.value, 4)
        ('roll', 0)

    The result is a `Search` of the tree that has grown, in which nodes that the search did not
    enter are leaves with unknown utilities. `Search.grown` counts what was needed. The algorithm
    expectiminimax needs the whole tree, and writes it out first.

    Args:
        game: A game (`Game` explains the methods), or its name, such as "game:pig(target=20)",
            "open_spiel:backgammon", or "path/to/file.py:Class".
        depth: How many plies deep to search. There, states are worth their estimates.
        algorithm: A key of `ALGORITHMS`, or what `algorithm` returns.
        state: Where to start; by default where the game starts.
        deepen: Search depth 1, then 2, and so on, with each player's moves in the order of the
            last intervals.
        max_rows: Stop before the tree has more rows.
        seconds: Stop after this time.
        max_visits: Stop before nodes are entered more often, at each depth.
        bounds: `(lower, upper)` of all values, in place of the game's.
        merge: Search equal states once, if they are reached with as many plies left.
        exact: Compute in fractions.
        estimate: A function of a state, in place of the game's estimates.
        warn: Called with a message if there are no estimates.
        options: Those of the algorithm, such as `probes=3`.

    Returns:
        The search. If it was stopped, its outcome is `Outcome.STOPPED`, and the intervals contain
        the values; with `deepen`, it is the last search that was finished.

    Raises:
        GameError: The game is unknown or breaks the rules of the protocol.
        SearchError: The algorithm is unknown, or the depth is negative.
    """
    chosen = find_algorithm(algorithm, **options)
    settings = Options(exact, merge, bounds, estimate, warn)
    rules, start = _begin(game, depth, state, settings)
    if not chosen.player_cuts:
        return evaluate(_written_out(rules, depth, start, max_rows, lambda _: None), chosen)
    budget = Budget(max_rows, max_visits, seconds)
    return _GameSearch(rules, chosen, start, budget).run(depth, deepen)


def write_out(
    game: Game | str,
    *,
    depth: int,
    state: Any = None,
    max_rows: int = MOST_ROWS,
    bounds: Bounds | None = None,
    merge: bool = True,
    exact: bool = False,
    estimate: Estimate | None = None,
    warn: Warn | None = None,
    progress: Progress = lambda _: None,
) -> Tree:
    """Return the whole tree of a game to a depth, with estimates at inner nodes.

        >>> import expectitree as et
        >>> tree = et.write_out("game:pig(target=10)", depth=5)
        >>> len(tree), et.evaluate(tree, "star1").best
        (0, 'roll')

    With `merge`, equal states that are reached with as many plies left are one node. Equal moves
    are one branch, and equal outcomes too, with the sum of their probabilities. The arguments are
    those of `search`, and `progress` is called with the number of rows that are new.

    Raises:
        GameError: As for `search`, and if the tree needs more than `max_rows` rows.
    """
    rules, start = _begin(game, depth, state, Options(exact, merge, bounds, estimate, warn))
    return _written_out(rules, depth, start, max_rows, progress)


def _begin(game: Game | str, depth: int, state: Any, options: Options) -> tuple[Rules, Any]:
    """Return the rules of a game, and the state to start from."""
    if depth < 0:
        raise SearchError(f"a depth limit is 0 or more plies, got {depth}")
    if isinstance(game, str):
        from expectitree.games.finding import find_game

        rules = Rules(find_game(game), options)
    else:
        rules = Rules(game, options)
    return rules, rules.start if state is None else state


def _written_out(rules: Rules, depth: int, start: Any, max_rows: int, progress: Progress) -> Tree:
    growth = Growth(rules, depth, start, max_rows, estimates=True)
    growth.plant()
    growth.grow_all(progress)
    return harvest(growth, whole=True)[0]


class Budget:
    """What a search may use: rows, visits at each depth, and time."""

    def __init__(self, max_rows: int, max_visits: int | None, seconds: float | None) -> None:
        self.max_rows, self.max_visits = max_rows, max_visits or NO_LIMIT
        self.end = INFINITY if seconds is None else monotonic() + seconds
        self.seconds = seconds


class _GameSearch:
    """One search of a game, perhaps at several depths."""

    def __init__(self, rules: Rules, algorithm: Algorithm, start: Any, budget: Budget) -> None:
        self.rules, self.algorithm, self.start, self.budget = rules, algorithm, start, budget
        self.rows = self.merged = 0  # of the depths before

    def run(self, depth: int, deepen: bool) -> Search:
        """Return the search at a depth, or of the last depth that could be finished."""
        found: Search | None = None
        before: Growth | None = None
        for plies in range(min(1, depth), depth + 1) if deepen else (depth,):
            growth = Growth(self.rules, plies, self.start, self.budget.max_rows, before)
            work, cuts, why_stopped = self._search(growth)
            growth.before = None
            self.rows += len(growth.columns.kind)
            self.merged += growth.merged
            if why_stopped and found is not None:
                return replace(found, grown=self._grown(plies - 1, why_stopped))
            found = self._result(growth, work, cuts, why_stopped)
            before = growth
            if why_stopped:
                break
        assert found is not None
        return found

    def _search(self, growth: Growth) -> tuple[Work, int, str]:
        """Search a growing tree; return the columns, the number of cuts, and why it stopped."""
        rules, budget = self.rules, self.budget
        by_node: list[Any] = [[], [], [], [], []]
        growth.node_columns += zip(by_node, (0, rules.zero, rules.zero, 0, 0), strict=True)
        terms: list[Any] = [[], []]
        growth.branch_columns += [(column, rules.zero) for column in terms]
        deepest = growth.depth * (MOST_TURNS + 1) + 1
        frames = [[rules.zero if code == "d" else 0] * deepest for code in DEPTH_CODES]
        resume = [0] * RESUME_NUMBERS
        columns = [growth.lower, growth.upper, *by_node, *terms, [], [], *frames, resume]
        work = Work._make(columns)
        growth.plant()
        settings = self._settings(budget.max_visits)
        why_stopped = ""
        while True:
            cuts, ended = star_minimax(growth.columns, work, settings, 0, rules.bounds)
            if ended != WAITING:
                break
            if monotonic() > budget.end:
                why_stopped = f"{budget.seconds:g} seconds were over"
            else:
                try:
                    growth.grow(next_branch(work))
                except RowsError as error:
                    why_stopped = str(error)
            if why_stopped:
                settings = settings._replace(most_visits=0)
        if ended == STOPPED_EARLY and not why_stopped:
            why_stopped = "the limit of visits was reached"
        return work, cuts, why_stopped

    def _settings(self, most_visits: int) -> Settings:
        rules, algorithm = self.rules, self.algorithm
        return Settings(
            eps=self.eps,
            zero=rules.zero,
            inf=INFINITY,
            most=INFINITY if rules.exact else sys.float_info.max,
            chance_cuts=algorithm.chance_cuts,
            probes=algorithm.probes,
            cyclic=algorithm.probe_order == "cyclic",
            most_visits=most_visits,
            pause=NO_LIMIT,
            one=1,
            pays=(),
        )

    @property
    def eps(self) -> Number:
        """Numbers that differ by at most this are equal (decision 0002-tolerance)."""
        if self.rules.exact:
            return 0
        ends = [abs(float(end)) for end in self.rules.bounds if is_finite(end)]
        return RELATIVE_EPS * max(ends, default=1.0)

    def _result(self, growth: Growth, work: Work, cuts: int, why_stopped: str) -> Search:
        tree, rows = harvest(growth)
        source = "game" if self.rules.options.bounds is None else "option"
        engine = Engine.EXACT if self.rules.exact else Engine.INTERPRETED
        columns: tuple[Any, ...] = tuple([column[row] for row in rows] for column in work[:7])
        about = tree, self.algorithm, self.rules.bounds, source, self.eps, engine
        grown = self._grown(growth.depth, why_stopped)
        found: tuple[Any, ...] = (*about, *columns, cuts, bool(why_stopped), None, grown)
        return Search(*found)

    def _grown(self, depth: int, why_stopped: str) -> Grown:
        return Grown(depth, self.rows, self.rules.evaluations, self.merged, why_stopped)
