"""Run the searches of `searches` over rows that grow, and make an ordinary `Tree` of them."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from time import monotonic
from typing import Any

from expectitree.base.algorithms import Algorithm
from expectitree.base.deep_calls import DeepCall
from expectitree.base.errors import GameError, SearchError
from expectitree.base.numbers import INFINITY, message_text
from expectitree.base.tree.columns import CHANCE, NONE, Bounds, Columns
from expectitree.base.tree.formulas import TreeText
from expectitree.base.tree.model import Tree
from expectitree.games.growth import Rows
from expectitree.games.rules import RowsError
from expectitree.games.states import Replay, lengthen
from expectitree.searches.beliefs import (
    ENTRIES,
    PLACE,
    TALLIES,
    Beliefs,
    begin_node,
    begin_prior,
)
from expectitree.searches.best_first import best_first
from expectitree.searches.best_first_search import end_best_first
from expectitree.searches.depth_first import CALLS_A_PLY, search_depth_first
from expectitree.searches.intervals import NO_LIMIT, PAUSED, STOPPED_EARLY, WAITING
from expectitree.searches.levels import pass_level_to_children
from expectitree.searches.problem import Found, Problem, Window
from expectitree.searches.recursion import Recursion, close_intervals
from expectitree.searches.result import Search

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
        self.is_limited = max_visits is not None or seconds is not None

    def stop(self) -> None:
        """Stop the search, perhaps from another thread."""
        self.end = -INFINITY

    @property
    def time_reached(self) -> str:
        if self.end == -INFINITY:
            return "the search was stopped"
        return f"the limit of {self.seconds:g} s was reached"


class Loop:
    """A search of rows, which it makes."""

    extent: tuple[int, int]  # of the rows after the search

    def __init__(self, rows: Rows, algorithm: Algorithm, budget: Budget) -> None:
        self.rows, self.algorithm, self.budget, self.why_stopped = rows, algorithm, budget, ""
        self.root = self.visits = 0
        self.before = rows.count, rows.merged
        self.window = rows.rules.bounds

    def _is_over(self) -> bool:
        """Return whether time is over, and note it."""
        if monotonic() <= self.budget.end:
            return False
        self.why_stopped = self.budget.time_reached
        return True

    def _grow(self, row: int) -> bool:
        """Make a row; return False to stop."""
        if self._is_over():
            return False
        try:
            self.rows.grow(row)
        except RowsError as error:
            self.why_stopped = str(error)
        return not self.why_stopped

    def _problem(self, tree: Tree) -> Problem:
        """Return the problem that the search of a tree that has grown has solved."""
        rows, window, engine = self.rows, self.window, "auto"
        if not rows.exact:  # perhaps since the search began
            window, engine = (float(window[0]), float(window[1])), "interpreted"
        source = "game" if rows.rules.options.bounds is None else "option"
        problem = Problem.of(tree, self.algorithm, (rows.rules.bounds, source), engine, window)
        problem.eps = rows.tolerance
        return problem


class DepthFirst(Loop):
    """Alpha-beta, Star1, Star2 and Star2.5 over rows, which they make where they enter them."""

    def __init__(self, rows: Rows, algorithm: Algorithm, budget: Budget) -> None:
        super().__init__(rows, algorithm, budget)
        if not rows.found:
            zero = rows.rules.zero
            rows.found = [], [], [], [], []
            rows.add_columns(zip(rows.found, (0, zero, zero, 0, 0), strict=True))
        self.found = Found(rows.lower, rows.upper, *rows.found)
        self._calls = DeepCall()
        self._allowed = 0  # visits

    def search(self, state: int, plies: int, window: Window) -> None:
        """Search a state, to the end or until the budget is used up."""
        rows, rules = self.rows, self.rows.rules
        self.window, self.root = window, rows.plant(state, plies)
        self.recursion = Recursion(
            rows.columns,
            self.root,
            window,
            self.algorithm,
            self._allow,
            shares=rules.merges,
            grow=self._grow_and_update,
        )
        before = sum(self.found.visits)
        self._update()
        self._calls.run(search_depth_first, self.recursion, self.found)
        close_intervals(self.recursion, self.found)
        if rows.last[self.root]:
            rows.leave(self.root)
        self.visits = sum(self.found.visits) - before
        self.extent = rows.extent
        if not self.found.stopped:
            self.why_stopped = ""  # the limit came after the last visit
        elif not self.why_stopped:
            self.why_stopped = self.budget.visits_reached

    def top(self) -> Search:
        """Return the search of the root, its children, and the line of best play."""
        return self._result(self.rows.line(self.root)[::-1])

    def record(self) -> Search:
        """Return the search of the whole tree that has grown."""
        return self._result(self.rows.in_order(self.root))

    def _result(self, inner: Sequence[int]) -> Search:
        """Return the search as far as these inner rows, children before their parents."""
        rows, found = self.rows, self.found
        tree, nodes = harvest(rows, inner, self.root)
        columns: list[Any] = []
        for column, code in zip((rows.lower, rows.upper, *rows.found), "ddIddBI", strict=True):
            columns.append(by_node(column, nodes, rows.exact, code))
        whole = Found(*columns)
        whole.cuts, whole.stopped = found.cuts, found.stopped
        return Search.from_found(self._problem(tree), whole)

    def _allow(self) -> int:
        """Return how many visits are allowed until the clock is read again."""
        if self._is_over():
            return 0
        more = min(PAUSE, self.budget.max_visits - self._allowed)
        self._allowed += more
        return more

    def _grow_and_update(self, row: int) -> bool:
        """Make a row, and take in what is new; return False to stop."""
        has_grown = self._grow(row)
        if has_grown and self.rows.is_news:
            self._update()
        return has_grown

    def _update(self) -> None:
        """Take in the leaves and the depth so far."""
        rows, recursion = self.rows, self.recursion
        rows.is_news = False
        recursion.zero = rows.rules.zero
        if rows.has_ends:
            recursion.done = rows.leave
        recursion.eps = rows.tolerance / 3 or 0  # not 0.0, which makes floats of fractions
        recursion.probe_up_to(rows.widest)
        self._calls.need(CALLS_A_PLY * rows.longest_path)


class BestFirst(Loop):
    """Best-first over rows, which it makes when it waits for them."""

    def __init__(self, rows: Rows, algorithm: Algorithm, budget: Budget) -> None:
        super().__init__(rows, algorithm, budget)
        self._by_depth: list[list[Any]] = []  # columns
        beliefs = Beliefs.of(rows.lower, rows.upper, self._column)
        self.beliefs = beliefs._replace(grows=(True,))
        self.parent: list[int] = []  # [N] the row that a row was made for
        rows.add_columns([(self.parent, NONE)])

    def search(self, state: int, plies: int, window: Window) -> None:
        """Search a state, to the end or until the budget is used up."""
        self.window, self.root = window, self.rows.plant(state, plies)
        self._control()
        self._begin_rows(NONE, [(self.root, NONE)])
        self._begin_below(self.root, 1)
        most_visits = self.budget.max_visits
        while (ended := self._run(most_visits)) in (WAITING, PAUSED):
            if ended == WAITING:
                self._go_on()
            if self.why_stopped or self._is_over():
                most_visits = 0  # makes the loop end when it is run again
        if ended == STOPPED_EARLY and not self.why_stopped:
            self.why_stopped = self.budget.visits_reached
        for row in self.rows.in_order(self.root):
            self.rows.leave(row)
        self.extent = self.rows.extent

    def _run(self, most_visits: int) -> int:
        """Search until a node has to grow, for some visits, or to the end; return how it ended."""
        rows = self.rows
        if rows.is_news:
            self._control()
        if len(rows.rules.finite_ends) < 2 and rows.greatest > MAX_UNBOUNDED:
            raise GameError(
                f"{rows.rules.title}: best-first needs finite utility_bounds if values are as "
                f"large as {message_text(rows.greatest)}"
            )
        self.has_room()
        pause = int(self.beliefs.tally[ENTRIES]) + PAUSE
        return best_first(rows.columns, self.beliefs, most_visits, pause)

    def _column(self, code: str, rows: str) -> list[Any]:
        """Return a column of zeros, which grows with the rows or with the depth."""
        zero = 0.0 if code == "d" else 0
        column: list[Any] = [zero] * {"node": 0, "branch": 0, "depth": 2, "tally": TALLIES}[rows]
        if rows == "node":
            self.rows.add_columns([(column, zero)])
        elif rows == "depth":
            self._by_depth.append(column)
        return column

    def has_room(self) -> None:
        """Make the columns by depth as long as the longest path needs."""
        columns = self._by_depth
        # A row that is made before the next call may be a ply deeper, and has children. Best-first
        # estimates the same for all depths without leaves, the last but one of which has numbers.
        deepest = self.rows.longest_path + 3
        if len(columns[0]) < deepest:
            for column in columns:
                column[-1] = column[-2]
            lengthen([(column, column[-2]) for column in columns], deepest)

    def _go_on(self) -> None:
        """Make the row that the search waits for."""
        place = int(self.beliefs.tally[PLACE])
        row, before = self.beliefs.route[place + 1], self.rows.count
        if self._grow(row):
            self._begin_below(row, before)

    def record(self) -> Search:
        """Return the search of the tree that has grown."""
        rows = self.rows
        tree, nodes = harvest(rows, rows.in_order(self.root), self.root)
        lower, upper = (by_node(c, nodes, rows.exact) for c in (rows.lower, rows.upper))
        visits = array("I", map(self.beliefs.visits.__getitem__, nodes))
        found = self.beliefs._replace(lower=lower, upper=upper, visits=visits)
        problem = self._problem(tree)
        return Search.from_found(problem, end_best_first(problem, found, bool(self.why_stopped)))

    def _control(self) -> None:
        """Write the numbers that control the search, by the leaves so far."""
        self.rows.is_news = False
        total, exact, eps = self.rows.greatest, self.rows.exact, self.rows.tolerance
        greatest = max([total, *self.rows.rules.finite_ends])
        self.beliefs = self.beliefs.controlled(self.algorithm, exact, eps, total, greatest)

    def _begin_below(self, row: int, before: int) -> None:
        """Fill in the beliefs about the children of a row that were not there before."""
        branches = range(self.rows.first[row], self.rows.last[row])
        below = {self.rows.child[b]: b for b in reversed(branches) if self.rows.child[b] >= before}
        self._begin_rows(row, [*reversed(below.items())])

    def _begin_rows(self, parent: int, rows: Sequence[tuple[int, int]]) -> None:
        """Fill in the beliefs about new rows, the children of a parent, each with its branch."""
        columns, beliefs = self.rows.columns, self.beliefs
        for row, branch in rows:
            begin_node(beliefs, row)
            beliefs.counting_branch[row] = branch
            self.parent[row] = parent
            beliefs.depth[row] = 0 if parent == NONE else beliefs.depth[parent] + 1
        if parent == NONE:
            begin_prior(beliefs)
            return
        if self.parent[parent] != NONE:
            pass_level_to_children(columns, beliefs, self.parent[parent])
        pass_level_to_children(columns, beliefs, parent)


# ---- The tree that has grown.


class Labels(Sequence["str | None"]):
    """The labels of the branches of a tree that has grown, made when they are first read.

    A node has the state with its number in `source`, and a branch the move at its place there.
    """

    def __init__(
        self, source: Replay, first: Sequence[int], numbers: Sequence[int], places: Sequence[int]
    ) -> None:
        self.source, self.numbers = source, numbers
        self._first, self._places = first, places
        self._known: dict[int, str | None] = {}

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[b] for b in range(*place.indices(len(self)))]
        place = range(len(self))[place]
        if place not in self._known:
            node = bisect_right(self._first, place) - 1
            self._known.update(enumerate(self._of(node), self._first[node]))
        return self._known[place]

    def __iter__(self) -> Iterator[str | None]:
        for node in range(len(self._first) - 1):
            yield from self._of(node)

    def _of(self, node: int) -> list[str | None]:
        """Return the labels of a node's branches."""
        moves = self.moves(node)
        return self.source.rules.labels(self.state(node), moves) if moves else []

    def state(self, node: int) -> Any:
        """Return the state of a node."""
        return self.source.state(self.numbers[node])

    def moves(self, node: int) -> list[Any]:
        """Return the moves of a node's branches."""
        places = self._places[self._first[node] : self._first[node + 1]]
        if not len(places):  # a leaf, whose state is not needed
            return []
        moves = self.source.moves_of(self.numbers[node], self.state(node))
        return [moves[place] for place in places]

    def __reduce__(self) -> Any:
        return list, (list(self),)


def harvest(rows: Rows, inner: Sequence[int], root: int) -> tuple[Tree, Sequence[int]]:
    """Return a tree of inner rows, children before their parents, and the row of each node.

    The other rows below them are leaves. One that no search asked for has an unknown utility. If
    a whole tree is written out, branches of a node that lead to the same row become one.
    """
    child, exact, is_inner = rows.child, rows.exact, {*inner}
    below = (child[rows.first[row] : rows.last[row]] for row in inner)
    leaves = dict.fromkeys(c for branches in below for c in branches if c not in is_inner)
    if not inner:
        leaves = {root: None}
    nodes = array("I", leaves)
    nodes.extend(inner)
    first, places, children = array("I", [0] * (len(nodes) - len(inner) + 1)), array("I"), []
    probability: list[Any] = []
    for row in inner:
        branches = branches_of(rows, row)
        places.extend(place for place, _, _ in branches)
        children += [c for _, c, _ in branches]
        probability += [p for _, _, p in branches]
        first.append(len(places))
    node = dict(zip(nodes, range(len(nodes)), strict=True))
    kinds = bytes(len(nodes) - len(inner)) + bytes(rows.kind[row] for row in inner)
    columns = Columns.of(
        array("B", kinds),
        by_node(rows.utility, nodes, exact),
        first,
        array("I", [node[c] for c in children]),
        probability if exact else array("d", probability),
    )
    numbers = array("I", [rows.state[row] for row in nodes])
    labels: Sequence[str | None] = Labels(rows.states, first, numbers, places)
    if rows.estimates:  # of a tree that is written out: then errors are raised at once
        labels = [*labels]
    tree = Tree(
        columns,
        labels,
        exact,
        local_bounds=bounds_by_node(rows, columns, numbers),
        estimated=frozenset(node[row] for row in leaves if rows.is_estimated(row)),
        text=TreeText(rows.rules.title),
    )
    return tree, nodes


def bounds_by_node(rows: Rows, columns: Columns, numbers: Sequence[int]) -> dict[int, Bounds]:
    """Return the bounds of the root, and of each node with others than a node above it."""
    root, bounds = len(numbers) - 1, rows.states.bounds
    bounds_of_node = {root: rows.states.bounds_of(numbers[root])}
    for node, number in enumerate(numbers if bounds else ()):
        for child in columns.child[columns.first[node] : columns.first[node + 1]]:
            if bounds[numbers[child]] != bounds[number]:
                bounds_of_node[child] = bounds[numbers[child]]
    return bounds_of_node


def branches_of(rows: Rows, row: int) -> list[tuple[int, int, Any]]:
    """Return the branches of a row: the place of each move, its child, and the probability.

    Of branches that lead to the same row, the first one has the sum of the probabilities, if the
    tree is written out.
    """
    begin, end = rows.first[row], rows.last[row]
    columns = rows.places(row), rows.child[begin:end], rows.probability[begin:end]
    branches = [*zip(*columns, strict=True)]
    if not rows.is_whole:
        return branches
    merged: dict[int, tuple[int, int, Any]] = {}
    for place, child, p in branches:
        if child not in merged:
            merged[child] = place, child, p
        elif rows.kind[row] == CHANCE:
            merged[child] = merged[child][0], child, merged[child][2] + p
    return [*merged.values()]


def by_node(column: Sequence[Any], rows: Sequence[int], exact: bool, code: str = "d") -> Any:
    """Return the numbers of some rows."""
    numbers = map(column.__getitem__, rows)
    return [*numbers] if exact and code == "d" else array(code, numbers)
