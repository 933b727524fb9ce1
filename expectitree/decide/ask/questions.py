"""The search behind an inquiry: best-first from the beginning, up to the first unknown utility."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from expectitree.base.tree.model import Kind, Tree
from expectitree.decide.information.beliefs import possible_branches, reached
from expectitree.searches.beliefs import Beliefs, begin
from expectitree.searches.best_first import back_up, is_reached, renew, walk
from expectitree.searches.best_first_search import begin_best_first, end_best_first
from expectitree.searches.estimates import take_in
from expectitree.searches.intervals import NO_LIMIT
from expectitree.searches.problem import Problem
from expectitree.searches.result import Search
from expectitree.searches.tolerance import rounding_of_sums


class Progress(NamedTuple):
    """How far a search comes with the utilities that are known.

    `route` holds the nodes from the root to the leaf to ask for; it is empty if there is none.
    """

    problem: Problem
    beliefs: Beliefs
    route: list[int]

    def result(self) -> Search:
        """Return the search so far."""
        is_stopped = bool(self.route)
        found = end_best_first(self.problem, self.beliefs, is_stopped)
        return Search.from_found(self.problem, found)


def search_known(problem: Problem, answers: Collection[int]) -> Progress:
    """Search a tree until a walk leads to an unknown leaf.

    The utilities of the leaves in `answers` become known when a walk leads there, as in a search
    that waits for them; those of leaves that no walk leads to, before the next question. All other
    known leaves count as visited from the beginning.
    """
    tree, columns = problem.tree, problem.columns
    beliefs = _begin(problem)
    unknown, waiting = {*tree.unknown}, {*answers}
    known = {n for n, kind in enumerate(columns.kind) if kind == Kind.TERMINAL}
    _enter(tree, beliefs, known - unknown - waiting)
    renew(columns, beliefs)

    route: list[int] = []
    while not is_reached(columns, beliefs) and not route:
        depth = walk(columns, beliefs, NO_LIMIT)
        nodes = list(beliefs.route[: depth + 1])
        leaf = nodes[-1]
        if leaf in waiting:
            waiting.remove(leaf)
            take_in(beliefs, leaf, columns.utility[leaf])
            back_up(columns, beliefs, depth)
            continue
        for n in nodes:
            beliefs.visits[n] -= 1  # only an answer counts as a visit
        if leaf not in unknown:  # a shared node that an answer along another path has closed
            back_up(columns, beliefs, depth)
        elif waiting:
            _enter(tree, beliefs, waiting)
            waiting.clear()
            renew(columns, beliefs)
        else:
            route = nodes

    if waiting or tree.is_sharing:  # the search narrows only intervals along the path of each walk
        _enter(tree, beliefs, waiting)
        renew(columns, beliefs)
    if is_reached(columns, beliefs):
        route = []
    return Progress(problem, beliefs, route)


def _begin(problem: Problem) -> Beliefs:
    """Return the columns and numbers that the search starts from."""
    tree = problem.tree
    beliefs = begin_best_first(problem)
    if tree.roundoff:  # the bounds of unknown leaves are differences of floats
        magnitude = tree.greatest_magnitude
        eps = rounding_of_sums(magnitude, tree.heights[-1], tree.most_outcomes, tree.roundoff)
        beliefs = beliefs._replace(eps=eps)
    beliefs = beliefs._replace(shares=True)  # each renewal narrows the intervals of all nodes
    begin(problem.columns, beliefs)
    return beliefs


def _enter(tree: Tree, beliefs: Beliefs, leaves: Collection[int]) -> None:
    """Enter the utilities of some leaves; count a visit where play can reach them."""
    columns, in_play = tree.columns, reached(tree, (tree.root_id,))
    for n, kind in enumerate(columns.kind):
        if kind == Kind.TERMINAL:
            is_visited = n in leaves
            if is_visited:
                take_in(beliefs, n, columns.utility[n])
        else:
            below = (columns.child[b] for b in possible_branches(tree, n))
            is_visited = any(beliefs.visits[child] for child in below)
        if is_visited and in_play[n]:
            beliefs.visits[n] = max(beliefs.visits[n], 1)
