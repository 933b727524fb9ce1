"""Find the reasons for a node's value and for the cuts below it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from expectitree.analysis.evaluate.cuts import Cut, Explanation
from expectitree.analysis.evaluate.terms import (
    Quotient,
    Terms,
    child_ends,
    find_quotient,
    is_same,
    sum_terms,
)
from expectitree.numbers import Number
from expectitree.searches.result import Outcome, Search
from expectitree.tree.model import Kind, Tree

MOST_ALTERNATIVES = 12  # children with a sentence of their own
MOST_CUTS = 20
_MOST_STEPS = 12  # from a cut up to the player who makes it sound


@dataclass(frozen=True)
class Alternative:
    """One child of a node that is explained."""

    branch: int
    node: int
    lower: Number
    upper: Number
    is_best: bool
    terms: Terms  # of a CHANCE node's upper bound (at MIN its lower), where there are few outcomes


@dataclass(frozen=True)
class Step:
    """One step up from a cut: why its window ends where it does.

    `why` is "has" (a player is sure of `limit` at `node`, by `branch`), "rivals" (no other action
    at `node`, the root of a search for the best one, is worth more than `limit`; at MIN: less),
    "share" (`limit` at the CHANCE node `node` is `asked` at its outcome), "bound" (`limit` is the
    root's bound) or "far" (it comes from further up).
    """

    why: str
    node: int
    limit: Number
    branch: int = -1
    asked: Number = 0
    quotient: Quotient | None = None  # of a share, unless the others have become tighter since


@dataclass(frozen=True)
class CutReason:
    """Why one cut was sound."""

    node: int
    cut: Cut
    terms: Terms  # of a CHANCE node with few outcomes: their sum is the bound of the cut
    steps: Sequence[Step]  # up to what makes the window end where it does


@dataclass(frozen=True)
class Reasons:
    """Why a node has its value, as far as a search knows it."""

    search: Search
    node: int
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

    @property
    def is_decided(self) -> bool:
        """Whether the node is the root of a search that only asked which action is best."""
        return self.search.outcome is Outcome.ACTION and self.node == self.tree.root_id


def reasons(search: Search, node: int) -> Reasons:
    """Return the reasons for the value of a node, and for the cuts at and below it."""
    explanation, tree = Explanation(search), search.tree
    child, branches = tree.columns.child, tree.branches_of(node)
    is_min = tree.columns.kind[node] == Kind.MIN
    chosen = list(branches[:MOST_ALTERNATIVES])
    best = next(search.best_branches(node), None) if branches else None
    if best is not None and best not in chosen:
        chosen[-1] = best
    ends = search.lower if is_min else search.upper
    rest = [ends[child[b]] for b in set(branches).difference(chosen)]
    cuts = _cuts_below(search, explanation, node)
    return Reasons(
        search,
        node,
        explanation.skipped_above(node),
        [_alternative(search, node, b) for b in chosen],
        len(rest),
        (min(rest) if is_min else max(rest)) if rest else 0,
        _terms(search, node, True) if search.is_exact(node) else (),
        [_cut_reason(search, n, cut) for n, cut in islice(cuts, MOST_CUTS)],
        sum(1 for _ in cuts),
    )


def _alternative(search: Search, node: int, branch: int) -> Alternative:
    """Return one child, with the sum of the bound that matters to its parent's player."""
    tree, child = search.tree, search.tree.columns.child[branch]
    is_best, is_high = search.is_best(node, branch), tree.columns.kind[node] != Kind.MIN
    if is_best and search.outcome is Outcome.ACTION and node == tree.root_id:
        is_high = not is_high  # proved best without its value: the bound that the player is sure of
    terms = _terms(search, child, is_high)
    return Alternative(branch, child, *search.interval_of(child), is_best, terms)


def _terms(search: Search, node: int, is_high: bool) -> Terms:
    """Return the terms of a node's own bound, from the intervals at the end."""
    tree, ends = search.tree, search.upper if is_high else search.lower
    return sum_terms(tree, search.eps, node, child_ends(tree, ends), ends[node])


def _cuts_below(search: Search, explanation: Explanation, node: int) -> Iterator[tuple[int, Cut]]:
    """Yield every cut that holds at and below a node, parents first."""
    tree, columns = search.tree, search.tree.columns
    seen = {node}
    stack = [node]
    while stack:
        n = stack.pop()
        cut = explanation.cut(n)
        if cut is not None:
            yield n, cut
        for b in reversed(tree.branches_of(n)):
            c = columns.child[b]
            if columns.kind[c] and search.visits[c] and columns.probability[b] and c not in seen:
                seen.add(c)
                stack.append(c)


def _cut_reason(search: Search, node: int, cut: Cut) -> CutReason:
    terms = _terms(search, node, cut.is_low)
    return CutReason(node, cut, terms, tuple(_steps_up(search, node, cut.limit, cut.is_low)))


def _steps_up(search: Search, node: int, limit: Any, low: bool) -> Iterator[Step]:
    """Yield where a node's alpha (`low`) or beta comes from, up to the player who is sure of it.

    That is read from the intervals at the end: those of a CHANCE node's other outcomes may have
    become tighter since.
    """
    tree, columns = search.tree, search.tree.columns
    for _ in range(_MOST_STEPS):
        above, own = search.asking(node)
        if above < 0:
            yield Step("bound", node, limit)
            return
        if columns.probability[own] == 0:
            break  # the node was asked from elsewhere
        above_limit = (search.alpha if low else search.beta)[above]
        if columns.kind[above] == Kind.CHANCE:
            ends = child_ends(tree, search.upper if low else search.lower)
            quotient = find_quotient(tree, search.eps, own, ends, above_limit, limit)
            yield Step("share", above, above_limit, own, limit, quotient)
            limit = above_limit
        elif not is_same(tree, search.eps, limit, above_limit):
            yield _at_player(search, above, own, limit, low)
            return
        node = above
    yield Step("far", node, limit)


def _at_player(search: Search, node: int, own: int, limit: Any, low: bool) -> Step:
    """Return why a limit that a player's node passes to a child is not the node's own limit."""
    tree, child = search.tree, search.tree.columns.child
    if tree.columns.kind[node] != (Kind.MAX if low else Kind.MIN):
        is_decided = node == tree.root_id and search.outcome is Outcome.ACTION
        is_rival = is_decided and search.is_best(node, own)
        return Step("rivals" if is_rival else "far", node, limit, own)
    ends: Sequence[Any] = search.lower if low else search.upper
    others = [b for b in tree.branches_of(node) if child[b] != child[own]]
    near = [b for b in others if is_same(tree, search.eps, ends[child[b]], limit)]
    reaching = [  # a child may have become better since
        b for b in (*others, own)
        if (ends[child[b]] >= limit if low else ends[child[b]] <= limit)
    ]  # fmt: skip
    branch = next(iter(near + reaching), None)
    return Step("far", node, limit) if branch is None else Step("has", node, limit, branch)
