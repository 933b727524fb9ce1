"""An engine: it searches the positions of one game, and remembers what it found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Any, Literal

from expectitree.base.algorithms import Algorithm
from expectitree.base.algorithms import algorithm as find_algorithm
from expectitree.base.errors import SearchError
from expectitree.base.numbers import Number, to_exact_bound
from expectitree.base.rounding import to_nearest_float
from expectitree.base.tree.columns import NONE, Bounds
from expectitree.base.tree.model import Tree
from expectitree.games.calls import naming_errors
from expectitree.games.finding import game_of
from expectitree.games.found import GameSearch
from expectitree.games.grown import Grown
from expectitree.games.growth import MAX_DEPTH, Rows
from expectitree.games.loops import BestFirst, Budget, DepthFirst, harvest
from expectitree.games.protocol import Game
from expectitree.games.rules import EXACT_ROWS, Options, RowsError, Rules
from expectitree.games.states import States
from expectitree.searches.engine import check_window, search_tree
from expectitree.searches.intervals import NO_LIMIT
from expectitree.searches.result import Search

ADDED = ("rows", "merged", "evaluations", "estimated")  # what searches of moves need together
FEW_ROWS = 500  # NumPy takes longer to start
MAX_STATES = 1_000_000  # that an engine remembers, unless one search finds more
Numbers = Literal["auto", "float", "fraction"]
IS_EXACT: dict[str, bool | None] = {"auto": None, "float": False, "fraction": True}
Progress = Callable[[GameSearch], object]


class Engine:
    """A search of the positions of one game, which remembers states and their intervals.

        >>> import expectitree as et
        >>> engine = et.Engine("game:pig(target=10)")
        >>> first = engine.search(depth=5)
        >>> first.best, round(first.value, 4), first.grown.evaluations
        ('roll', 0.4889, 56)
        >>> engine.search(depth=5).grown.evaluations
        0

    A later search starts with all intervals that earlier ones proved, whatever their windows,
    algorithms and positions were. If there are more than `max_states` states when a search starts,
    the engine forgets those that its position cannot reach.

    Args:
        game: As for `search`, as are `max_rows`, `bounds`, `merge`, `exact`, `numbers`, `estimate`
            and `warn`.
        max_states: How many states to remember.

    Raises:
        GameError: The game is unknown or breaks the rules of the protocol.
    """

    @naming_errors()
    def __init__(
        self,
        game: Game | str,
        *,
        max_states: int = MAX_STATES,
        exact: bool = False,
        numbers: Numbers = "auto",
        **options: Any,
    ) -> None:
        if numbers not in IS_EXACT:
            raise SearchError(f"numbers are {', '.join(IS_EXACT)}, got {numbers!r}")
        self.rules = rules_of(game, Options(exact or IS_EXACT[numbers], **options))
        self.max_states, self._exact = max_states, exact
        self._rows = Rows(States(self.rules))
        self._budget = Budget()

    def stop(self) -> None:
        """Stop the search that runs, from another thread: it returns what it found so far."""
        self._budget.stop()

    @naming_errors()
    def move(self, state: Any, seconds: float) -> Any:
        """Return the best move in a state that a search finds within a time limit."""
        return self.search(state, seconds=seconds).move

    @naming_errors()
    def search(
        self,
        state: Any = None,
        *,
        depth: int | None = None,
        seconds: float | None = None,
        algorithm: str | Algorithm = "star2",
        window: Bounds | None = None,
        deepen: bool = False,
        max_visits: int | None = None,
        width: Number = 0,
        progress: Progress | None = None,
        **options: int | str | None,
    ) -> GameSearch:
        """Search a state, by default the start of the game.

        Args:
            state: The state to start from.
            depth: As for `expectitree.search`.
            seconds: As for `expectitree.search`.
            algorithm: As for `expectitree.search`.
            window: As for `expectitree.search`.
            deepen: As for `expectitree.search`.
            max_visits: As for `expectitree.search`.
            width: As for `expectitree.search`.
            progress: As for `expectitree.search`.
            **options: As for `expectitree.search`.

        Raises:
            GameError: The game breaks the rules of the protocol.
            SearchError: The algorithm is unknown, or a limit or the window is out of range.
        """
        ranks = options.get("goal") == "moves"
        if ranks:
            del options["goal"]
        chosen = find_algorithm(algorithm, **options)
        budget = self._budget = Budget(max_visits, seconds)
        if depth is None and seconds is None:
            raise SearchError("a search of a game needs a depth, in plies, or a limit of seconds")
        check_depth(depth or 0)
        deepens = deepen or depth is None
        start = self.rules.start if state is None else state
        if window is not None:
            if ranks:
                raise SearchError(
                    "goal moves finds the value of each move\nremove it, or the window"
                )
            window = check_window(chosen, window)
        if chosen.needs_whole_tree:
            search = self._search_whole(chosen, start, depth, deepens, budget)
            return GameSearch.of(search, self.rules, start, exact=self._exact)
        rows = self._rows
        if len(rows.states) > self.max_states or 2 * rows.count > self.rules.max_rows:
            rows = self._rows = rows.reached_from(rows.states.find(start))
        task = _Task(rows, chosen, window, self._exact)
        end = budget.end
        if ranks and seconds is not None:
            budget.end = (monotonic() + end) / 2
        result = task.search_depths(rows.states.find(start), depth, deepens, budget, progress)
        budget.end = end
        return task.with_ranks(result, width, budget) if ranks else result

    def _search_whole(
        self, chosen: Algorithm, start: Any, depth: int | None, deepens: bool, budget: Budget
    ) -> Search:
        """Return the search of the whole tree, for an algorithm that cuts nothing."""
        if deepens or depth is None or budget.is_limited:
            raise SearchError(
                "deepen, seconds and max_visits are for searches that make the tree as they go, "
                f"and {chosen.name} searches the whole tree\nremove them, or choose another "
                "algorithm, such as star2"
            )
        tree, made = whole_tree(self.rules, start, depth, EXACT_ROWS)
        search = search_tree(tree, chosen)
        grown = Grown(depth, len(tree), tree.leaves, made - len(tree), "", len(tree.estimated))
        return replace(search, grown=grown)


class _Task:
    """The searches that one call of `Engine.search` makes, by one algorithm."""

    def __init__(
        self, rows: Rows, algorithm: Algorithm, window: Bounds | None, exact: bool
    ) -> None:
        self.rows, self.states, self.rules = rows, rows.states, rows.rules
        self.algorithm, self._asked, self.exact = algorithm, window, exact

    @property
    def window(self) -> Bounds:
        """Alpha and beta in the numbers of the rules; by default the bounds."""
        if self._asked is None:
            return self.rules.bounds
        alpha, beta = map(to_exact_bound if self.rules.exact else to_nearest_float, self._asked)
        return alpha, beta

    def search_depths(
        self,
        state: int,
        depth: int | None,
        deepens: bool,
        budget: Budget,
        progress: Progress | None = None,
    ) -> GameSearch:
        """Return the search of the last depth that could be finished.

        `progress` receives the search of each depth, and returns True if it is enough.
        """
        last, evaluations = MAX_DEPTH if depth is None else depth, self.rules.evaluations
        last_result: tuple[Any, ...] = ()
        runs: list[tuple[int, int]] = []  # the plies of each search, and the limit of its visits
        made = merged = 0
        counts: tuple[Any, ...] = ()
        for plies in range(min(1, last), last + 1) if deepens else (last,):
            try:
                loop = self._search(state, plies, budget)
            except RowsError as error:
                if not last_result:
                    raise
                counts, is_over = (*counts[:3], str(error)), False
                break
            why_stopped, is_over = loop.why_stopped, loop.rows.is_complete(loop.root)
            runs.append((plies, loop.visits if why_stopped else NO_LIMIT))
            made += loop.rows.count - loop.before[0]
            merged += loop.rows.merged - loop.before[1]
            counts = made, self.rules.evaluations - evaluations, merged, why_stopped
            if not last_result or not why_stopped:
                last_result = state, loop, [*runs], plies
            if not why_stopped and progress is not None:
                shown = self._result(*last_result, *counts)
                if progress(shown) is True:
                    return shown
            if why_stopped or is_over:
                break
        if is_over and not counts[3] and depth is not None:
            # No leaf is an estimate: this is the value of any depth.
            last_result = *last_result[:3], depth
        return self._result(*last_result, *counts)

    def with_ranks(self, found: GameSearch, width: Number, budget: Budget) -> GameSearch:
        """Return a search with the values of all moves at the root, or with narrow intervals.

        Each move is searched from the state after it, to the same depth as the root.
        """
        grown, choices, states = found.grown, list(found.choices), self.states
        open_places = [place for place, c in enumerate(choices) if c.upper - c.lower > width]
        for waiting, place in zip(range(len(open_places), 0, -1), open_places, strict=True):
            choice = choices[place]
            number = states.find(self.rules.play(found.state, choice.move))
            plies = grown.depth - (not (states.same_turn and states.same_turn[number]))
            end, now = budget.end, monotonic()
            budget.end = now + max(0, end - now) / waiting
            # The whole game may end far above the depth limit.
            deepens = not grown.estimated and self.algorithm.prunes
            below = self.search_depths(number, plies, deepens, budget)
            budget.end = end
            more = below.grown
            if not (deepens and more.why_stopped):  # or it is of another depth
                lower, upper = below.top.interval_of_branch(NONE)
                lower, upper = max(lower, choice.lower), min(upper, choice.upper)
                choices[place] = choice._replace(lower=lower, upper=max(lower, upper))
            sums = {name: getattr(grown, name) + getattr(more, name) for name in ADDED}
            why_stopped = grown.why_stopped or more.why_stopped
            grown = replace(grown, **sums, why_stopped=why_stopped)
        return found.changed(choices=tuple(choices), grown=grown)

    def _search(self, state: int, plies: int, budget: Budget) -> DepthFirst | BestFirst:
        """Search a state to a depth."""
        if self.algorithm.in_order:
            loop: DepthFirst | BestFirst = DepthFirst(self.rows, self.algorithm, budget)
        else:
            loop = BestFirst(Rows(self.states), self.algorithm, budget)
        loop.search(state, plies, self.window)
        return loop

    def _result(
        self, state: int, loop: DepthFirst | BestFirst, runs: Any, depth: int, *counts: Any
    ) -> GameSearch:
        """Return the result of the last of some searches; `counts` are those of `Grown`."""
        repeats = len(self.states.repeated)
        _, estimated = loop.extent
        if loop.before[0]:  # otherwise all rows are below the root
            estimated = loop.rows.estimated(loop.root, loop.extent)
        grown = Grown(depth, *counts)
        grown = replace(grown, estimated=estimated, repeats=repeats)
        about = self.rules, self.states.state(state)
        if isinstance(loop, BestFirst):
            search = replace(loop.record(), grown=grown)
            return GameSearch.of(search, *about, exact=self.exact)
        record = partial(self._record, state, runs)
        return GameSearch.of(replace(loop.top(), grown=grown), *about, record, exact=self.exact)

    def _record(self, state: int, runs: list[tuple[int, int]]) -> Search:
        """Make the last search again, from new rows, and return it with its tree.

        The searches before it, which are made first, only say which moves are best: so the tree has
        all that the value follows from.
        """
        rows = Rows(self.states)
        for plies, visits in runs:
            if plies == runs[-1][0]:
                rows = Rows(self.states, best=rows.best_moves())
            budget = Budget()
            budget.max_visits = visits
            loop = DepthFirst(rows, self.algorithm, budget)
            loop.search(state, plies, self.window)
        return loop.record()


def rules_of(game: Game | str, options: Options) -> Rules:
    """Return the rules of a game that can be searched."""
    if options.max_rows is not None and options.max_rows < 1:
        raise SearchError(f"a search needs at least 1 row, got max_rows {options.max_rows}")
    rules = Rules(game_of(game), options)
    rules.check_searchable()
    return rules


def check_depth(depth: int) -> None:
    if not isinstance(depth, int) or not 0 <= depth <= MAX_DEPTH:
        raise SearchError(
            f"a depth limit is a whole number of plies from 0 to {MAX_DEPTH:,}, got {depth!r}"
        )


def whole_tree(
    rules: Rules, start: Any, depth: int, most_exact: int, estimates: bool = False
) -> tuple[Tree, int]:
    """Return the whole tree, and how many nodes it had before equal states became one.

    It grows by plies if it may and has many rows, otherwise by rows. Up to `most_exact` rows are
    computed in fractions. With `estimates`, inner nodes have them too.
    """
    states = States(rules)
    rows = Rows(states, is_whole=True, estimates=estimates)
    rows.most_exact = most_exact
    rows.plant(states.find(start), depth)
    if not rows.grow_all(FEW_ROWS) and rules.expands:
        from expectitree.games.plies import Plies

        plies = Plies(rules, start, depth)
        if plies.grow() and (not rules.exact or plies.rows > most_exact):
            return plies.tree(), plies.made
    rows.grow_all(rules.max_rows)
    return harvest(rows, rows.in_order(0), 0)[0], rows.count + rows.merged
