"""Run the loops of `searches` over a tree that grows, and make an ordinary `Tree` of it."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from time import monotonic
from typing import Any

from expectitree.base.algorithms import Algorithm
from expectitree.base.deep_calls import DeepCall
from expectitree.base.errors import GameError, SearchError
from expectitree.base.numbers import INFINITY, Number, is_finite, message_text
from expectitree.base.tree.columns import CHANCE, NONE, UNSEEN, Columns
from expectitree.base.tree.model import Tree
from expectitree.games.growth import MAX_TURNS, Growth, lengthen
from expectitree.games.rules import RowsError
from expectitree.searches.beliefs import (
    ENTRIES,
    PLACE,
    TALLIES,
    Beliefs,
    Limits,
    begin_node,
    begin_prior,
)
from expectitree.searches.best_first import best_first
from expectitree.searches.best_first_search import end_best_first
from expectitree.searches.depth_first import CALLS_A_PLY, search_depth_first
from expectitree.searches.levels import pass_level_to_children
from expectitree.searches.problem import Found, Problem, close_intervals
from expectitree.searches.result import Search
from expectitree.searches.setup import FAR, SearchSetup, rounding_of_sums
from expectitree.searches.work import NO_LIMIT

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


class DepthFirst(_Loop):
    """alpha-beta, Star1, Star2 and Star2.5, which make rows where they enter them."""

    def __init__(self, growth: Growth, algorithm: Algorithm, budget: Budget) -> None:
        super().__init__(growth, algorithm, budget.max_visits)
        self.budget, self.why_stopped = budget, ""
        rules = self.rules
        self.found = found = Found([], [], [], [], [])
        for column, value in zip(found.columns, (0, rules.zero, rules.zero, 0, 0), strict=True):
            growth.node_columns.append((column, value))
        self.problem = Problem(
            growth.columns,
            growth.lower,
            growth.upper,
            0,
            rules.bounds,
            algorithm,
            self._allow,
            zero=rules.zero,
            shares=rules.merges,
            grow=self._grow,
            done=growth.leave if rules.merges else None,
        )
        self._calls = DeepCall()
        self._visits = 0  # that were allowed so far

    def search(self) -> None:
        """Search to the end, or until the budget is used up."""
        self._update()
        self._calls.run(search_depth_first, self.problem, self.found)
        close_intervals(self.problem, self.found)
        if self.found.stopped and not self.why_stopped:
            self.why_stopped = self.budget.visits_reached

    def result(self, stopped: bool) -> Search:
        """Return the search of the tree that has grown."""
        found = self.found
        rows = self.problem.lower, self.problem.upper, *found.columns
        tree, columns = self.harvest(rows, "ddIddBI")
        setup = self.setup(tree)
        search: Search = setup.result(setup.eps, *columns, found.cuts, stopped)
        return search

    def _allow(self) -> int:
        """Return how many visits are allowed until the clock is read again."""
        if monotonic() > self.budget.end:
            self.why_stopped = self.budget.time_reached
            return 0
        more = min(PAUSE, self.budget.max_visits - self._visits)
        self._visits += more
        return more

    def _grow(self, branch: int) -> bool:
        """Make the row that a branch leads to; return False to stop."""
        growth = self.growth
        if self.budget.seconds is not None and monotonic() > self.budget.end:
            self.why_stopped = self.budget.time_reached
            return False
        try:
            growth.grow(growth.parent[growth.child[branch]], branch)
        except RowsError as error:
            self.why_stopped = str(error)
            return False
        if growth.is_news:
            self._update()
        return True

    def _update(self) -> None:
        """Take in the leaves and the depth so far."""
        growth = self.growth
        growth.is_news = False
        if self.update_greatest():
            self.problem.eps = self.tolerance() / 3
        self.problem.probe_up_to(growth.widest)
        plies = growth.depth - growth.fewest_plies + 1
        self._calls.need(CALLS_A_PLY * plies * (1 + growth.longest_turn))


class BestFirst(_Loop):
    def __init__(self, growth: Growth, algorithm: Algorithm, most_visits: int) -> None:
        super().__init__(growth, algorithm, most_visits)
        self.by_depth: list[list[Any]] = []  # columns
        self.beliefs = Beliefs.of(growth.lower, growth.upper, self._column)
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
        self.has_room()
        pause = int(self.beliefs.tally[ENTRIES]) + PAUSE
        arguments = self.beliefs, self.limits, self.most_visits, pause
        return best_first(self.growth.columns, *arguments)

    def _column(self, code: str, rows: str) -> list[Any]:
        """Return a column of zeros, which grows with the rows or with the depth."""
        zero = 0.0 if code == "d" else 0
        column: list[Any] = [zero] * {"node": 0, "branch": 0, "depth": 2, "tally": TALLIES}[rows]
        if rows == "node":
            self.growth.node_columns.append((column, zero))
        elif rows == "depth":
            self.by_depth.append(column)
        return column

    def has_room(self) -> None:
        """Make the columns by depth as long as the longest path needs."""
        columns = self.by_depth
        growth = self.growth
        turns = MAX_TURNS + 1 if self.rules.continues_turns else 1
        deepest = min((growth.depth - growth.fewest_plies + 1) * turns, growth.made)  # rows differ
        # A row that is made before the next call may be a ply deeper, and has children. Best-first
        # estimates the same for all depths without leaves, the last but one of which has numbers.
        if len(columns[0]) < deepest + 3:
            for column in columns:
                column[-1] = column[-2]
            lengthen([(column, column[-2]) for column in columns], deepest + 3)

    def go_on(self) -> None:
        """Make the row that the search waits for."""
        growth, route = self.growth, self.beliefs.route
        depth = int(self.beliefs.tally[PLACE])
        parent, row = route[depth], route[depth + 1]
        growth.grow(parent, growth.child.index(row, growth.first[parent], growth.last[parent]))

    def result(self, stopped: bool) -> Search:
        beliefs = self.beliefs
        tree, columns = self.harvest((beliefs.lower, beliefs.upper, beliefs.visits), "ddI")
        names = ("lower", "upper", "visits")
        found = beliefs._replace(**dict(zip(names, columns, strict=True)))
        return end_best_first(self.setup(tree), found, stopped)

    def _limits(self) -> Limits:
        """Return the numbers that control the search, by the leaves so far."""
        total, exact = self.growth.greatest, self.rules.exact
        greatest = max(total, self.greatest_bound)
        found = Limits.of(self.algorithm, exact, self.tolerance(), total, greatest)
        return found._replace(grows=(True,))

    def _begin_rows(self, parent: int, rows: Sequence[int]) -> None:
        """Fill in the beliefs about new rows, the children of a parent."""
        growth, beliefs, limits = self.growth, self.beliefs, self.limits
        for branch, row in enumerate(rows, NONE if parent == NONE else growth.first[parent]):
            begin_node(beliefs, limits, row)
            beliefs.counting_branch[row] = branch
        if parent == NONE:
            begin_prior(beliefs, limits)
            return
        for row in rows:
            beliefs.depth[row] = beliefs.depth[parent] + 1
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
