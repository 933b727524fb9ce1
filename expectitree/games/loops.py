"""Run the loops of `searches` over a tree that grows, and make an ordinary `Tree` of it."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from time import monotonic
from typing import Any

from expectitree.base.algorithms import Algorithm
from expectitree.base.errors import GameError, SearchError
from expectitree.base.numbers import INFINITY, Number, is_finite, message_text
from expectitree.base.tree.columns import CHANCE, NONE, TERMINAL, UNSEEN, Columns
from expectitree.base.tree.model import Tree
from expectitree.games.growth import MAX_TURNS, Growth, lengthen
from expectitree.games.rules import RowsError
from expectitree.searches.beliefs import (
    ENTRIES,
    LEARNING,
    PLACE,
    Beliefs,
    Limits,
    in_float,
    middle_of,
    start_from,
)
from expectitree.searches.best_first import best_first
from expectitree.searches.best_first_search import end_best_first
from expectitree.searches.intervals import STOPPED_EARLY
from expectitree.searches.levels import pass_level_to_children
from expectitree.searches.recursion import MAX_PLIES, search_recursively
from expectitree.searches.result import Search
from expectitree.searches.setup import FAR, SearchSetup, far_of, rounding_of_sums
from expectitree.searches.star_minimax import star_minimax
from expectitree.searches.work import NO_LIMIT, RESUME_ENTRIES, Settings, Work, next_branch

PAUSE = 1000  # visits until a loop returns to its caller, who checks the time
MAX_UNBOUNDED = 1e100  # in magnitude, without bounds; the squares of greater values overflow


class Budget:
    """The limits of a search besides its rows: visits at each depth, and time."""

    visits_reached = "the limit of visits was reached"

    def __init__(self, max_visits: int | None = None, seconds: float | None = None) -> None:
        if max_visits is not None and max_visits < 1:
            raise SearchError(f"a search needs at least 1 visit, got max_visits {max_visits}")
        if seconds is not None and not seconds > 0:
            raise SearchError(f"a search needs more than 0 seconds, got {seconds}")
        self.max_visits = NO_LIMIT if max_visits is None else max_visits
        self.end = INFINITY if seconds is None else monotonic() + seconds
        self.seconds = seconds

    @property
    def time_reached(self) -> str:
        return f"the limit of {self.seconds:g} s was reached"


class _Loop:
    def __init__(self, growth: Growth, algorithm: Algorithm, most_visits: int) -> None:
        self.growth, self.algorithm, self.rules = growth, algorithm, growth.rules
        self.most_visits = most_visits  # 0 makes the loop end when it is run again
        growth.measures = not (self.rules.exact and algorithm.in_order)  # fractions have no `eps`
        ends: list[Any] = [abs(end) for end in self.rules.bounds if is_finite(end)]
        self.greatest_bound: Number = max(ends, default=0)  # in magnitude
        self.is_bounded = len(ends) == 2
        self._greatest: Number = 0  # in magnitude, of the leaves that `eps` was computed from

    def update_greatest(self) -> bool:
        """Take in the leaves since the last call; return whether `eps` has to grow with them.

        Bounds may be far from all leaves, or infinite (decision 0002-tolerance).
        """
        before, self._greatest = self._greatest, self.growth.greatest
        return bool(self._greatest > before)

    def tolerance(self) -> Number:
        """What sums of the leaves so far, and of the bounds, may lose to rounding."""
        growth = self.growth
        if self.rules.exact or not growth.has_chances:
            return 0
        size = max(growth.greatest, min(self.greatest_bound, FAR * growth.greatest))
        return rounding_of_sums(size, growth.depth, growth.widest)

    def setup(self, tree: Tree) -> SearchSetup:
        rules = self.rules
        source = "game" if rules.options.bounds is None else "option"
        engine = "auto" if rules.exact else "interpreted"
        return SearchSetup.of(tree, self.algorithm, rules.bounds, source, engine)

    def harvest(self, columns: Sequence[Any], codes: str) -> tuple[Tree, list[Any]]:
        """Return the tree that has grown, and columns by node from those by row.

        Only what labels need stays in memory.
        """
        tree, rows = harvest(self.growth)
        found = []
        for column, code in zip(columns, codes, strict=True):
            if code == "d":
                found.append(number_column(column, rows, self.rules.exact))
            else:
                found.append(array(code, map(column.__getitem__, rows)))
            column.clear()
        self.growth.forget()
        return tree, found

    def column(self, code: str, length: int = 0) -> list[Any]:
        """Return a column of zeros: of floats, fractions or whole numbers."""
        return [self.rules.zero if code == "d" else 0] * length

    def has_room(self, work: Work | Beliefs, first: str, end: str | None = None) -> None:
        """Make the columns by depth, from one to another, as long as the longest path needs."""
        names = work._fields
        columns = work[names.index(first) : None if end is None else names.index(end)]
        growth = self.growth
        turns = MAX_TURNS + 1 if self.rules.continues_turns else 1
        deepest = min((growth.depth - growth.fewest_plies + 1) * turns, growth.made)  # rows differ
        # A row that is made before the next call may be a ply deeper, and has children. Best-first
        # estimates the same for all depths without leaves, the last but one of which has numbers.
        if len(columns[0]) < deepest + 3:
            for column in columns:
                column[-1] = column[-2]
            lengthen([(column, column[-2]) for column in columns], deepest + 3)


class DepthFirst(_Loop):
    """alpha-beta, Star1, Star2 and Star2.5 by the loop that is compiled for trees."""

    def __init__(self, growth: Growth, algorithm: Algorithm, most_visits: int) -> None:
        super().__init__(growth, algorithm, most_visits)
        rules = self.rules
        self.work = work = Work.of((growth.lower, growth.upper), self.column, 0, 0, 2)
        numbers = ((column, rules.zero) for column in (work.alpha, work.beta))
        growth.node_columns += [(work.visits, 0), *numbers, (work.cut, 0), (work.cut_after, 0)]
        growth.branch_columns += [(work.low_term, rules.zero), (work.high_term, rules.zero)]
        self.cuts = 0
        settings = Settings.of(algorithm, rules.exact, rules.zero)
        self.probes = settings.probes
        self.settings = settings._replace(
            far=far_of(0, not rules.exact),
            shares=(True,) if rules.merges else (),
            limited=(True,),
        )
        self._about: Any = None  # what the settings were computed from

    def run(self) -> int:
        """Search until a node has to grow, for some visits, or to the end; return how it ended."""
        growth, window = self.growth, self.rules.bounds
        about = growth.greatest, growth.widest, self.most_visits
        entries = self.work.resume[RESUME_ENTRIES]
        if about != self._about or entries >= self.settings.pause:
            self.settings, self._about = self._settings_from(entries), about
        self.has_room(self.work, "frame_node", "frame_depth")
        self.cuts, ended = star_minimax(growth.columns, self.work, self.settings, 0, window)
        return ended

    def _settings_from(self, entries: int) -> Settings:
        """Return the settings for the leaves so far, after some entries of nodes."""
        window, growth = self.rules.bounds, self.growth
        settings = self.settings._replace(
            pause=entries + PAUSE,
            most_visits=self.most_visits,
            probes=min(self.probes, growth.widest),  # no node has more children to probe
        )
        if self.update_greatest() and not self.rules.exact:
            settings = settings._replace(eps=self.tolerance(), far=far_of(growth.greatest, True))
        if -settings.far <= window[0] and window[1] <= settings.far:
            settings = settings._replace(bounded=(True,))
        return settings

    def go_on(self) -> None:
        """Make the row that the search waits for."""
        self.growth.grow(*next_branch(self.work))

    def result(self, stopped: bool) -> Search:
        tree, columns = self.harvest(self.work[:7], "ddIddBI")
        setup = self.setup(tree)
        found: Search = setup.result(setup.eps, *columns, self.cuts, stopped)
        return found


class UnfitError(Exception):
    """A game is too deep to search it by recursion, or its bounds are too far."""


class Recursion(DepthFirst):
    """alpha-beta, Star1, Star2 and Star2.5 by recursion, which makes rows where it enters them."""

    def __init__(self, growth: Growth, algorithm: Algorithm, budget: Budget) -> None:
        super().__init__(growth, algorithm, budget.max_visits)
        if not self.is_bounded:
            raise UnfitError
        self.budget, self.why_stopped = budget, ""
        self.eps: Number = 0
        self.ranks: list[int] = []
        self.leave: Callable[[int], None] | None = growth.leave if self.rules.merges else None

    def search(self) -> None:
        settings = self._settings_from(0)._replace(bounded=(True,), probes=self.probes)
        arguments = self.growth.columns, self.work, settings, 0, self.rules.bounds
        if self.growth.kind[0] == TERMINAL:
            star_minimax(*arguments)
            return
        self._update()
        try:
            self.cuts, ended = search_recursively(*arguments, self._is_over, self)
        except (RecursionError, GameError) as error:
            if isinstance(error.__cause__ or error, RecursionError):  # the caller is deep in calls
                raise UnfitError from None
            raise
        self._check_far()
        if ended == STOPPED_EARLY and not self.why_stopped:
            self.why_stopped = self.budget.visits_reached

    def grow(self, parent: int, branch: int) -> bool:
        """Make the row that a branch leads to; return False to stop."""
        growth = self.growth
        if self.budget.seconds is not None and monotonic() > self.budget.end:
            self.why_stopped = self.budget.time_reached
            return False
        try:
            growth.grow(parent, branch)
        except RowsError as error:
            self.why_stopped = str(error)
            return False
        if growth.is_news:
            self._update()
        return True

    def _update(self) -> None:
        """Take in the leaves and the number of branches so far."""
        if self.update_greatest():
            self.eps = self.tolerance()
        growth = self.growth
        growth.is_news = False
        # No node has more children to probe.
        self.ranks += range(len(self.ranks), min(self.probes, growth.widest))
        if growth.depth - growth.fewest_plies > MAX_PLIES:
            raise UnfitError

    def _is_over(self, _: int) -> bool:
        """Return whether the time is over."""
        self._check_far()
        if monotonic() > self.budget.end:
            self.why_stopped = self.budget.time_reached
        return bool(self.why_stopped)

    def _check_far(self) -> None:
        """Raise `UnfitError` if sums may lose digits, by the leaves so far."""
        if self.greatest_bound > far_of(self.growth.greatest, not self.rules.exact):
            raise UnfitError


class BestFirst(_Loop):
    def __init__(self, growth: Growth, algorithm: Algorithm, most_visits: int) -> None:
        super().__init__(growth, algorithm, most_visits)
        intervals = growth.lower, growth.upper
        self.beliefs = beliefs = Beliefs.of(
            intervals, self.column, lambda length: [0.0] * length, 0, 0, 2
        )
        low, tally = map(Beliefs._fields.index, ("low", "tally"))
        growth.node_columns += [(column, 0) for column in beliefs[2:low]]
        growth.node_columns += [(column, 0.0) for column in beliefs[low:tally]]
        growth.on_rows = self._begin_rows
        self.limits = self._limits()

    def run(self) -> int:
        """Search until a node has to grow, for some visits, or to the end; return how it ended."""
        if self.update_greatest():
            self.limits = self._limits()
        if not self.is_bounded and self.growth.greatest > MAX_UNBOUNDED:
            raise GameError(
                f"{self.rules.title}: best-first needs finite utility_bounds if values are as "
                f"large as {message_text(self.growth.greatest)}"
            )
        self.has_room(self.beliefs, "leaf_variance")
        pause = int(self.beliefs.tally[ENTRIES]) + PAUSE
        arguments = self.beliefs, self.limits, self.most_visits, pause
        return best_first(self.growth.columns, *arguments)

    def go_on(self) -> None:
        """Make the row that the search waits for."""
        growth, route = self.growth, self.beliefs.route
        depth = int(self.beliefs.tally[PLACE])
        parent, row = route[depth], route[depth + 1]
        growth.grow(parent, growth.child.index(row, growth.first[parent], growth.last[parent]))

    def result(self, stopped: bool) -> Search:
        tree, columns = self.harvest(self.beliefs[:3], "ddI")
        found = self.beliefs._replace(**dict(zip(self.beliefs._fields, columns, strict=False)))
        return end_best_first(self.setup(tree), found, stopped)

    def _limits(self) -> Limits:
        """Return the numbers that control the search, by the leaves so far."""
        total, exact, zero = self.growth.greatest, self.rules.exact, self.rules.zero
        greatest = max(total, self.greatest_bound)
        found = Limits.of(self.algorithm, exact, self.tolerance(), total, greatest, zero)
        return found._replace(grows=(True,))

    def _begin_rows(self, parent: int, rows: Sequence[int]) -> None:
        """Fill in the beliefs about new rows, the children of a parent."""
        growth, beliefs, limits = self.growth, self.beliefs, self.limits
        for branch, row in enumerate(rows, NONE if parent == NONE else growth.first[parent]):
            beliefs.low[row] = in_float(beliefs.lower[row], limits.scale)
            beliefs.high[row] = in_float(beliefs.upper[row], limits.scale)
            beliefs.counting_branch[row] = branch
            beliefs.mean[row] = middle_of(beliefs, row)
            beliefs.cost_lower[row] = beliefs.cost_raise[row] = 1.0
        if parent == NONE:
            start_from(beliefs, limits)
            return
        for row in rows:
            beliefs.depth[row] = beliefs.depth[parent] + 1
        if limits.guide == LEARNING:
            if growth.parent[parent] != NONE:
                pass_level_to_children(growth.columns, beliefs, growth.parent[parent])
            pass_level_to_children(growth.columns, beliefs, parent)


# ---- The tree that has grown.


class Labels(Sequence["str | None"]):
    """The labels of the branches of a tree that has grown, made when they are first read.

    `source` makes those of some branches of a row by its method `labels`.
    """

    def __init__(
        self, source: Any, first: Sequence[int], rows: Sequence[int], branches: Sequence[int]
    ) -> None:
        self._source, self._first, self._rows, self._branches = source, first, rows, branches
        self._known: dict[int, str | None] = {}

    def __len__(self) -> int:
        return len(self._branches)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self[b] for b in range(*at.indices(len(self)))]
        at = range(len(self))[at]
        if at not in self._known:
            node = bisect_right(self._first, at) - 1
            self._known.update(enumerate(self._of(node), self._first[node]))
        return self._known[at]

    def __iter__(self) -> Iterator[str | None]:
        for node in range(len(self._first) - 1):
            yield from self._of(node)

    def _of(self, node: int) -> list[str | None]:
        """Return the labels of a node's branches."""
        own = self._branches[self._first[node] : self._first[node + 1]]
        return self._source.labels(self._rows[node], own) if len(own) else []

    @property
    def growth(self) -> Growth | None:
        """The tree whose rows have the labels, if it grew row by row."""
        return self._source if isinstance(self._source, Growth) else None

    def row(self, node: int) -> int:
        return self._rows[node]

    def moves(self, branches: Sequence[int]) -> list[Any]:
        """Return the moves of some branches, if the tree grew row by row."""
        return [self._source.moves[self._branches[b]] for b in branches]

    def __reduce__(self) -> Any:
        return list, (list(self),)


def harvest(growth: Growth, whole: bool = False) -> tuple[Tree, Sequence[int]]:
    """Return the tree that has grown, and the row of each of its nodes.

    A row that no search asked for is a leaf whose utility is unknown. If the `whole` tree has
    grown, there is none, and branches of a node that lead to the same row become one.
    """
    child, kind, exact = growth.child, growth.kind, growth.rules.exact
    rows = array("I", [c for c in child if kind[c] == UNSEEN])
    rows.extend(growth.in_order())
    first, branches, probability = array("I", [0]), array("I"), []
    for row in rows:
        start, end = growth.first[row], growth.last[row]
        own: Sequence[int] = range(start, end)
        weights = growth.probability[start:end]
        if whole and len(set(child[start:end])) < len(own):
            own, weights = _without_repeats(growth, own, kind[row] == CHANCE)
        branches.extend(own)
        probability += weights
        first.append(len(branches))
    node = dict(zip(rows, range(len(rows)), strict=True))
    columns = Columns.of(
        array("B", [kind[row] % UNSEEN for row in rows]),
        number_column(growth.utility, rows, exact),
        first,
        array("I", [node[child[b]] for b in branches]),
        probability if exact else array("d", probability),
    )
    labels: Sequence[str | None] = Labels(growth, first, rows, branches)
    tree = Tree(
        columns,
        [*labels] if whole else labels,
        exact,
        local_bounds={node[row]: growth.bounds_of(row) for row in {0, *growth.own_bounds}},
        estimated=frozenset(map(node.__getitem__, growth.estimated)),
        title=growth.rules.title,
    )
    return tree, rows


def _without_repeats(
    growth: Growth, own: Sequence[int], is_chance: bool
) -> tuple[list[int], list[Any]]:
    """Return the first branch to each row, for CHANCE with the sum of the probabilities."""
    first: dict[int, int] = {}
    found: dict[int, Any] = {}
    for b in own:
        known = first.setdefault(growth.child[b], b)
        if known == b:
            found[b] = growth.probability[b]
        elif is_chance:
            found[known] += growth.probability[b]
    return [*found], [*found.values()]


def number_column(column: Sequence[Any], rows: Sequence[int], exact: bool) -> Any:
    """Return the numbers of some rows."""
    numbers = map(column.__getitem__, rows)
    return [*numbers] if exact else array("d", numbers)
