"""The search behind an inquiry: best-first, stopped at every leaf whose utility is unknown."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from expectitree.base.numbers import Number
from expectitree.base.tree.model import Kind, Tree
from expectitree.searches.beliefs import LOWER, RAISE, Beliefs, Limits, begin
from expectitree.searches.best_first import back_up, is_reached, renew, walk
from expectitree.searches.best_first_search import begin_best_first, end_best_first
from expectitree.searches.estimates import narrow, take_in
from expectitree.searches.result import Search
from expectitree.searches.setup import (
    SearchSetup,
    greatest_number,
    greatest_total,
    rounding_of_sums,
)
from expectitree.searches.work import NO_LIMIT


class Questions:
    """A best-first search that stops at unknown leaves and continues with each answer.

    `route` holds the nodes from the root to the leaf to ask for; it is empty if there is none. The
    search writes `beliefs`. Where nodes are shared, it backs up along one path only, so `known`
    holds the intervals backed up along all.
    """

    def __init__(self, setup: SearchSetup) -> None:
        self.setup, self.tree, self.columns = setup, setup.tree, setup.columns
        self.beliefs, self.limits = begin_best_first(setup)
        self.bounds = list(self.beliefs.lower), list(self.beliefs.upper)
        self.answers: dict[int, Number] = {}
        self._greatest_answer: Any = 0  # in magnitude, plus the greatest rewards on a path
        self._most_paid = _most_paid(self.tree)
        self.route: list[int] = []
        self._parents = _parents_in_play(self.tree)
        self._visit_known_leaves()
        self._set_limits()
        self._learn()
        self._choose_leaf()

    @property
    def leaf(self) -> int | None:
        """The leaf to ask for."""
        return self.route[-1] if self.route else None

    def take(self, leaf: int, utility: Number) -> None:
        """Continue with the utility of a leaf: the one to ask for, or any other."""
        route = self.route if leaf == self.leaf else self._path_to(leaf)
        for depth, n in enumerate(route):
            self.beliefs.route[depth] = n
            self.beliefs.visits[n] += 1
        self.answers[leaf] = utility
        self._greatest_answer = max(self._greatest_answer, abs(utility) + self._most_paid)
        scale = self.limits.scale
        self._set_limits()
        if self.limits.scale != scale:
            self._learn()
        else:
            take_in(self.beliefs, self.limits, leaf, utility)
            back_up(self.columns, self.beliefs, self.limits, len(route) - 1)
        self._choose_leaf()

    def result(self, answered: Tree) -> Search:
        """Return the search so far. `answered` is the tree with the answers."""
        found = self.known._replace(
            lower=list(self.known.lower),
            upper=list(self.known.upper),
            visits=list(self.beliefs.visits),
        )
        return end_best_first(replace(self.setup, tree=answered), found, not self.is_done)

    # ---- Learning.

    def _visit_known_leaves(self) -> None:
        """Enter the utilities that the file gives; count a visit where play can reach them."""
        columns, beliefs, unknown = self.columns, self.beliefs, frozenset(self.tree.unknown)
        for n, kind in enumerate(columns.kind):
            if kind == Kind.TERMINAL:
                is_visited = n not in unknown
                if is_visited:
                    beliefs.lower[n] = beliefs.upper[n] = columns.utility[n]
            else:
                possible = (b for b in self.tree.branches_of(n) if columns.probability[b] > 0)
                is_visited = any(beliefs.visits[columns.child[b]] for b in possible)
            beliefs.visits[n] = int(is_visited and n in self._parents)

    def _set_limits(self) -> None:
        """Set the numbers that control the search: from the bounds, the file and the answers.

        The answers may be greater than the utilities in the file.
        """
        tree = self.tree
        found = greatest_total(tree), greatest_number(tree, self.setup.bounds)
        total, greatest = (max(one, self._greatest_answer) for one in found)
        eps: Number = 0
        if tree.unit:
            size = max(tree.greatest_magnitude, self._greatest_answer)
            eps = rounding_of_sums(size, tree.heights[-1], tree.most_outcomes, tree.unit)
        limits = Limits.of(self.setup.algorithm, tree.exact, eps, total, greatest)
        self.limits = limits._replace(root=tree.root_id)

    def _learn(self) -> None:
        """Learn from every leaf visited, from the beginning."""
        begin(self.columns, self.beliefs, self.limits)
        for n, kind in enumerate(self.columns.kind):
            if kind == Kind.TERMINAL and self.beliefs.visits[n]:
                utility = self.answers.get(n, self.columns.utility[n])
                take_in(self.beliefs, self.limits, n, utility)
        renew(self.columns, self.beliefs, self.limits)

    def _backed_up(self) -> Beliefs:
        """Return the beliefs, with intervals that are backed up along all paths."""
        if not self.tree.is_sharing:
            return self.beliefs
        found = self.beliefs
        found = found._replace(lower=list(found.lower), upper=list(found.upper))
        found = found._replace(bound=(list(found.bound[LOWER]), list(found.bound[RAISE])))
        for n, kind in enumerate(self.columns.kind):
            if kind != Kind.TERMINAL:
                narrow(self.columns, found, self.limits, n)
        return found

    # ---- Choosing.

    def _choose_leaf(self) -> None:
        self.known, self.route = self._backed_up(), []
        if not is_reached(self.columns, self.known, self.limits):
            self.route = self._walk()
        self.is_done = not self.route

    def _walk(self) -> list[int]:
        """Return the nodes to the leaf that the search visits next; none if the search ends."""
        beliefs = self.beliefs
        while not is_reached(self.columns, beliefs, self.limits):
            depth = walk(self.columns, beliefs, self.limits, NO_LIMIT)
            route = list(beliefs.route[: depth + 1])
            for n in route:
                beliefs.visits[n] -= 1  # an answer counts as a visit, a question does not
            if self.columns.kind[route[-1]] == Kind.TERMINAL:
                return route
            # The walk met a shared node that an answer along another path has closed.
            back_up(self.columns, beliefs, self.limits, depth)
        return []

    def _path_to(self, leaf: int) -> list[int]:
        """Return the nodes from the root to a leaf, along possible outcomes if there are such."""
        path = [leaf]
        parents = self._parents if leaf in self._parents else self.tree.first_paths.parent
        while path[-1] != self.tree.root_id:
            path.append(parents[path[-1]])
        return path[::-1]


def _parents_in_play(tree: Tree) -> dict[int, int]:
    """Return a parent of each node that play can reach: the last in the table, the root its own."""
    columns = tree.columns
    parents = {tree.root_id: tree.root_id}
    for n in range(tree.root_id, -1, -1):
        if n in parents:
            for b in tree.branches_of(n):
                if columns.probability[b] > 0:
                    parents.setdefault(columns.child[b], n)
    return parents


def _most_paid(tree: Tree) -> Any:
    """Return the greatest sum of the magnitudes of rewards on a path."""
    columns = tree.columns
    if not columns.pays:
        return 0
    most: list[Any] = []
    for n in range(len(tree)):
        ways = (abs(columns.reward[b]) + most[columns.child[b]] for b in tree.branches_of(n))
        most.append(max(ways, default=0))
    return most[-1]
