"""Find the reasons for a node's value and for the cuts below it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import isclose
from typing import NamedTuple, TypeAlias

from expectitree.analysis.evaluate.cuts import Cut, Explanation
from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import Number, is_finite
from expectitree.base.tree.columns import NONE
from expectitree.base.tree.model import Kind, Tree
from expectitree.base.tree.scans import shifted
from expectitree.searches.intervals import outcome_limit
from expectitree.searches.result import Outcome, Search

MAX_TERMS = 8  # outcomes of a sum that is written out
MAX_ALTERNATIVES = 12  # children with a sentence of their own
MAX_CUTS = 20
_MAX_STEPS = 12  # from a cut up to the player who makes it sound

# For each outcome of positive probability: the probability, and the bound of its branch.
Terms: TypeAlias = tuple[tuple[Number, Number], ...]


class Quotient(NamedTuple):
    """An end of an outcome's window: `(limit - reward - the sum of the others) / p`.

    Both ends are those of branches: they include the rewards of the branches.
    """

    limit: Number  # the same end of the CHANCE node's window
    others: Terms
    p: Number
    found: Number
    reward: Number = 0  # of the branch to the CHANCE node


class Alternative(NamedTuple):
    """One branch of a node that is explained."""

    branch: int
    node: int
    lower: Number  # of the branch: the reward included
    upper: Number
    is_best: bool
    terms: Terms  # of a CHANCE node's upper bound (at MIN its lower), where there are few outcomes


class Step(NamedTuple):
    """One step up from a cut, which explains one end of its window.

    `why` is "has" (a player is sure of `limit` at `node`, by `branch`), "share" (`limit` at the
    CHANCE node `node` is `asked` at its outcome), "bound" (`limit` is the root's bound) or "far"
    (it comes from further up).

    Numbers are those of branches, rewards included. A branch that pays above a player's node makes
    a "share" too, of the whole.
    """

    why: str
    node: int
    limit: Number
    branch: int = -1
    way: int = -1  # the branch to `node`, whose reward a share includes
    asked: Number = 0
    quotient: Quotient | None = None  # of a share, unless the others have become tighter since


class CutReason(NamedTuple):
    """The proof that one cut was sound."""

    node: int
    branch: int  # to the node: by which the cut is explained
    cut: Cut
    terms: Terms  # of a CHANCE node with few outcomes: their sum is the bound of the cut
    steps: Sequence[Step]  # up to what makes the window end where it does


class Reasons(NamedTuple):
    """The reasons for a node's value, as far as a search knows it."""

    search: Search
    node: int
    branch: int  # to the node; -1 at the root
    skipped: str | None  # why it, or the part of the tree that it belongs to, was not entered
    alternatives: Sequence[Alternative]  # the first children, the best among them
    others: int  # how many more there are,
    others_end: Number  # and what they are worth at most (at MIN: at least)
    terms: Terms  # of a CHANCE node with few outcomes: their sum is its value
    cuts: Sequence[CutReason]
    more_cuts: int

    @property
    def tree(self) -> Tree:
        """The tree that was searched."""
        return self.search.tree


def reasons(search: Search, node: int, branch: int | None = None) -> Reasons:
    """Return the reasons for the value of a node, and for the cuts at and below it.

    `branch` leads to the node; its reward is a part of the value. Raises `AnalysisError` if the
    search was only asked which action is best.
    """
    if search.outcome is Outcome.ACTION:
        raise AnalysisError(
            "the search found the best action without its value: to explain the value, remove "
            "--goal action"
        )
    finder = _Finder(search)
    tree = search.tree
    if branch is None or not tree.columns.pays:
        branch = tree.first_paths.branch[node]
    branches = tree.branches_of(node)
    chosen = list(branches[:MAX_ALTERNATIVES])
    best = next(search.best_branches(node), None) if branches else None
    if best is not None and best not in chosen:
        chosen[-1] = best
    rest = [search.interval_of_branch(b) for b in set(branches).difference(chosen)]
    best_rest = max((upper for _, upper in rest), default=0)
    if tree.columns.kind[node] == Kind.MIN:
        best_rest = min((lower for lower, _ in rest), default=0)
    cuts = finder.cuts_below(node)
    return Reasons(
        search,
        node,
        branch,
        finder.explanation.skipped_above(node),
        [finder.alternative(node, b) for b in chosen],
        len(rest),
        best_rest,
        finder.final_terms(node, True) if search.is_exact(node) else (),
        [finder.cut_reason(n, cut) for n, cut in islice(cuts, MAX_CUTS)],
        sum(1 for _ in cuts),
    )


class Sums(ABC):
    """Finds the sums that make the bounds of CHANCE nodes, and the windows of their outcomes.

    Numbers are equal if they differ by rounding, about `eps`.
    """

    def __init__(self, tree: Tree, eps: Number) -> None:
        self.tree = tree
        self.eps = eps

    @abstractmethod
    def end_of(self, branch: int, low: bool) -> Number:
        """Return the lower or the upper bound of a branch, its reward included."""

    def is_same(self, one: Number, other: Number) -> bool:
        """Return whether two numbers are equal but for rounding."""
        return bool(one == other) or (
            not self.tree.exact and isclose(one, other, rel_tol=1e-9, abs_tol=4 * self.eps)
        )

    def terms(self, node: int, low: bool, total: Number) -> Terms:
        """Return the terms of `total`, a CHANCE node's bound; none if many or not its sum.

        A bound from elsewhere, such as the tree file, can be tighter than the sum.
        """
        branches = self.tree.branches_of(node)
        if self.tree.columns.kind[node] == Kind.CHANCE and len(branches) <= MAX_TERMS:
            terms = self._terms_of(branches, low)
            if self.is_same(sum_of(terms), total):
                return terms
        return ()

    def quotient(
        self, above: int, branch: int, low: bool, limit: Number, end: Number
    ) -> Quotient | None:
        """Return how the end of an outcome's window follows from `limit`, its CHANCE node's.

        `above` is the branch to the CHANCE node. Both ends are given as the nodes have them,
        without rewards. Alpha follows from upper bounds, beta from lower ones (`low`). Return None
        if there are many outcomes, an end is infinite, or the others' bounds have changed since.
        """
        tree = self.tree
        p = tree.columns.probability[branch]
        branches = tree.branches_of(tree.parent_of(branch))
        if len(branches) > MAX_TERMS:
            return None
        others = self._terms_of((b for b in branches if b != branch), low)
        if not all(map(is_finite, (limit, *(bound for _, bound in others)))):
            return None
        end = shifted(end, tree.reward_of(branch))
        if not self.is_same(outcome_limit(limit, sum_of(others), p), end):
            return None
        reward = tree.reward_of(above)
        return Quotient(shifted(limit, reward), others, p, end, reward)

    def _terms_of(self, branches: Iterable[int], low: bool) -> Terms:
        probability = self.tree.columns.probability
        return tuple((probability[b], self.end_of(b, low)) for b in branches if probability[b])


def sum_of(terms: Terms) -> Number:
    """Return the sum of some terms."""
    return sum(p * end for p, end in terms)


class _Finder(Sums):
    """Finds reasons in the intervals and windows that a search ended with."""

    def __init__(self, search: Search) -> None:
        super().__init__(search.tree, search.eps)
        self.search = search
        self.columns = search.tree.columns
        self.explanation = Explanation(search)

    def end_of(self, branch: int, low: bool) -> Number:
        """Return the lower or the upper bound of a branch at the end."""
        return self.search.interval_of_branch(branch)[not low]

    def final_terms(self, node: int, is_high: bool) -> Terms:
        """Return the terms of a node's own bound."""
        return self.terms(node, not is_high, self.search.interval_of(node)[is_high])

    def alternative(self, node: int, branch: int) -> Alternative:
        """Return one child, with the sum of the bound that matters to its parent's player."""
        child = self.columns.child[branch]
        ends = self.search.interval_of_branch(branch)
        terms = self.final_terms(child, self.columns.kind[node] != Kind.MIN)
        return Alternative(branch, child, *ends, self.search.is_best(node, branch), terms)

    def cuts_below(self, node: int) -> Iterator[tuple[int, Cut]]:
        """Yield every cut that holds at and below a node, parents first."""
        columns = self.columns
        seen = {node}
        stack = [node]
        while stack:
            n = stack.pop()
            cut = self.explanation.cut(n)
            if cut is not None:
                yield n, cut
            for b in reversed(self.tree.branches_of(n)):
                c = columns.child[b]
                is_entered = columns.kind[c] and self.search.visits[c] and columns.probability[b]
                if is_entered and c not in seen:
                    seen.add(c)
                    stack.append(c)

    def cut_reason(self, node: int, cut: Cut) -> CutReason:
        """Return the proof that a cut was sound."""
        steps = tuple(self._steps_up(node, cut.limit, cut.is_low))
        return CutReason(node, self._way_to(node), cut, self.final_terms(node, cut.is_low), steps)

    def _steps_up(self, node: int, limit: Number, low: bool) -> Iterator[Step]:
        """Yield where a node's alpha (`low`) or beta comes from, up to the player who is sure.

        The intervals are final; those of other outcomes may have tightened after the cut.
        """
        ends = self.search.alpha if low else self.search.beta
        for _ in range(_MAX_STEPS):
            above, own = self.search.asking(node)
            asked = shifted(limit, self.tree.reward_of(own))
            if above < 0:
                yield Step("bound", node, asked, way=own)
                return
            if self.columns.probability[own] == 0:
                break  # the node was asked from elsewhere
            way = self._way_to(above)
            reward = self.tree.reward_of(way)
            quotient = None
            is_share = self.columns.kind[above] == Kind.CHANCE
            if is_share:
                quotient = self.quotient(way, own, not low, ends[above], limit)
                limit = ends[above]
            elif not self.is_same(asked, ends[above]):
                yield self._at_player(above, own, asked, low)
                return
            else:
                limit = asked
                if reward:
                    quotient = Quotient(shifted(limit, reward), (), 1, asked, reward)
            if is_share or reward:
                yield Step("share", above, shifted(limit, reward), own, way, asked, quotient)
            node = above
        way = self._way_to(node)
        yield Step("far", node, shifted(limit, self.tree.reward_of(way)), way=way)

    def _way_to(self, node: int) -> int:
        """Return the branch that leads to a node where its window is explained; -1 at the root."""
        if self.columns.pays:
            return self.search.asking(node)[1]
        return self.tree.first_paths.branch[node]

    def _at_player(self, node: int, own: int, limit: Number, low: bool) -> Step:
        """Return why a limit that a player's node passes to a child is not the node's own limit."""
        child = self.columns.child
        way = self._way_to(node)
        if (self.columns.kind[node] == Kind.MAX) != low:
            return Step("far", node, limit, own, way)
        others = [b for b in self.tree.branches_of(node) if child[b] != child[own]]
        for b in others:
            if self.is_same(self.end_of(b, low), limit):
                return Step("has", node, limit, b, way)
        for b in (*others, own):  # a child may have become better since
            end = self.end_of(b, low)
            if end == limit or (end > limit) == low:
                return Step("has", node, limit, b, way)
        return Step("far", node, limit, NONE, way)
