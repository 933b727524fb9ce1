"""Find the reasons for a node's value and for the cuts below it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import isclose
from typing import Any

from expectitree.analysis.evaluate.cuts import Cut, Explanation
from expectitree.numbers import Number
from expectitree.searches.result import Outcome, Search
from expectitree.tree.columns import Bounds
from expectitree.tree.model import Kind, Tree

MOST_ALTERNATIVES = 12  # children with a sentence of their own
MOST_CUTS = 20
MOST_TERMS = 8  # outcomes of a sum that is written out
_MOST_STEPS = 12  # from a cut up to the player who makes it sound

Terms = tuple[
    tuple[Number, Number], ...
]  # of every possible outcome: p, and what it is multiplied with


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
    "share" (`limit` at the CHANCE node `node` comes to `asked` at its outcome, the others being
    `terms`), "since" (the same, but the others have become tighter since), "bound" (`limit` is the
    root's bound) or "far" (it comes from further up).
    """

    why: str
    node: int
    limit: Number
    branch: int = -1
    asked: Number = 0
    p: Number = 1
    terms: Terms = ()


@dataclass(frozen=True)
class CutReason:
    """Why one cut was sound."""

    node: int
    cut: Cut
    terms: Terms  # whose sum is the bound that the cut goes by, of a CHANCE node with few outcomes
    steps: Sequence[Step]  # up to what makes the window end where it does


@dataclass(frozen=True)
class Reasons:
    """Why a node is worth what it is, as far as a search knows."""

    search: Search
    node: int
    skipped: str | None  # why it was not entered, if it was not
    skipped_above: str | None  # the same, or why what it belongs to was not
    alternatives: Sequence[Alternative]  # the first children, the best among them
    others: int  # how many more there are,
    others_end: Number  # and what they are worth at most (at MIN: at least)
    terms: Terms  # of a CHANCE node with few outcomes: its value's
    cuts: Sequence[CutReason]
    more_cuts: int

    @property
    def tree(self) -> Tree:
        """The tree that was searched."""
        return self.search.tree


def reasons(search: Search, node: int, explanation: Explanation | None = None) -> Reasons:
    """Return the reasons for the value of a node, and for the cuts at and below it."""
    explanation = explanation or Explanation(search)
    tree = search.tree
    kind, child = tree.columns.kind, tree.columns.child
    own = tree.branches_of(node)
    some = list(own[:MOST_ALTERNATIVES])
    best = next(search.best_branches(node), None) if kind[node] else None
    is_decided = search.outcome is Outcome.ACTION and node == tree.root_id
    if best is not None and best not in some:
        some = [*some[:-1], best]
    alternatives = []
    for b in some:
        is_best = search.is_best(node, b)
        # For an action that is proved best without its value: the bound that the player is sure of.
        high = (kind[node] != Kind.MIN) != (is_decided and is_best)
        terms = _terms(search, child[b], high=high)
        alternatives.append(Alternative(b, child[b], *search.interval_of(child[b]), is_best, terms))
    rest = sorted(set(own).difference(some)) if len(own) > len(some) else []
    others_end: Number = 0
    if rest:
        ends = [search.interval_of(child[b])[kind[node] != Kind.MIN] for b in rest]
        others_end = min(ends) if kind[node] == Kind.MIN else max(ends)
    found = _cuts_below(search, explanation, node)
    cuts = [_reason(search, explanation, n, cut) for n, cut in islice(found, MOST_CUTS)]
    return Reasons(
        search,
        node,
        explanation.skipped(node) if not search.visits[node] else None,
        explanation.skipped_above(node) if not search.visits[node] else None,
        alternatives,
        len(rest),
        others_end,
        _terms(search, node, high=True) if search.is_exact(node) else (),
        cuts,
        sum(1 for _ in found),
    )


def _terms(search: Search, node: int, high: bool) -> Terms:
    """Return the terms of a CHANCE node's upper (or lower) bound, or nothing if they are many."""
    columns, probability = search.tree.columns, search.tree.columns.probability
    kind, child = columns.kind, columns.child
    own = search.tree.branches_of(node)
    if kind[node] != Kind.CHANCE or len(own) > MOST_TERMS:
        return ()
    column = search.upper if high else search.lower
    terms = tuple((probability[b], column[child[b]]) for b in own if probability[b] > 0)
    total: Any = sum(p * end for p, end in terms)
    return terms if _same(search, total, column[node]) else ()


def _same(search: Search, one: Any, other: Any) -> bool:
    return bool(one == other) or (
        not search.tree.exact and isclose(one, other, rel_tol=1e-9, abs_tol=4 * search.eps)
    )


def _cuts_below(search: Search, explanation: Explanation, node: int) -> Iterator[tuple[int, Cut]]:
    """Yield every cut that stands at and below a node, parents first."""
    columns, probability = search.tree.columns, search.tree.columns.probability
    kind, child = columns.kind, columns.child
    seen = {node}
    stack = [node]
    while stack:
        n = stack.pop()
        cut = explanation.cut(n)
        if cut is not None:
            yield n, cut
        for b in reversed(search.tree.branches_of(n)):
            c = child[b]
            if kind[c] and search.visits[c] and probability[b] > 0 and c not in seen:
                seen.add(c)
                stack.append(c)


def _reason(search: Search, explanation: Explanation, node: int, cut: Cut) -> CutReason:
    low = cut.fails == "low"
    steps = tuple(_steps_up(search, node, cut.window, low))
    return CutReason(node, cut, _terms(search, node, high=low), steps)


def _steps_up(search: Search, node: int, window: Bounds, low: bool) -> Iterator[Step]:
    """Yield where a node's alpha (`low`) or beta comes from, up to the player who is sure of it.

    That is read from the intervals at the end: those of a CHANCE node's other outcomes may have
    become tighter since. The windows of a search not in order are made of these same intervals.
    """
    tree = search.tree
    columns, probability = tree.columns, tree.columns.probability
    kind, first, child = columns.kind, columns.first, columns.child
    limit: Any = window[0] if low else window[1]
    ends = search.lower if low else search.upper
    player = Kind.MAX if low else Kind.MIN
    for _ in range(_MOST_STEPS):
        above, own = search.asking(node)
        if above < 0:
            yield Step("bound", node, limit)
            return
        above_limit: Any = (search.alpha if low else search.beta)[above]
        if probability[own] == 0:
            break  # the node was asked from elsewhere
        if kind[above] == Kind.CHANCE:
            p = probability[own]
            terms = tuple(
                (probability[b], (search.upper if low else search.lower)[child[b]])
                for b in tree.branches_of(above)[: MOST_TERMS + 1]
                if b != own and probability[b] > 0
            )
            is_it = len(terms) < MOST_TERMS and _same(
                search, (above_limit - sum(q * e for q, e in terms)) / p, limit
            )
            yield Step(
                "share" if is_it else "since",
                above,
                above_limit,
                own,
                limit,
                p,
                terms if is_it else (),
            )
            limit = above_limit
        elif (
            above == tree.root_id
            and kind[above] != player
            and search.outcome is Outcome.ACTION
            and search.is_best(above, own)
        ):
            yield Step("rivals", above, limit, own)
            return
        elif kind[above] == player and (other := _other_with(search, above, own, limit, low)) >= 0:
            yield Step("has", above, limit, other)
            return
        elif kind[above] == player and not _same(search, limit, above_limit):
            # In order, it was known of a branch before; else the node itself may be the one that is
            # worth so much.
            in_order = search.algorithm.in_order
            others: Iterable[int] = range(first[above], own)
            if not in_order:
                others = sorted(tree.branches_of(above), key=lambda b: b == own)
            for b in others:
                end = ends[child[b]]
                is_more = not in_order and (
                    end > limit if low else end < limit
                )  # the node's other limit is reached
                if is_more or _same(search, end, limit):
                    yield Step("has", above, limit, b)
                    return
            break
        elif not _same(search, limit, above_limit):
            break  # the node was asked from elsewhere
        node = above
    yield Step("far", node, limit)


def _other_with(search: Search, node: int, own: int, limit: Any, low: bool) -> int:
    """Return another branch whose child is sure to be worth a limit, in best-first; else -1.

    Windows are found from the top there, and so one further up may have the same limit by way of
    this node.
    """
    if search.algorithm.in_order or limit == search.bounds[not low]:
        return -1
    child = search.tree.columns.child
    ends = search.lower if low else search.upper
    own_child = child[own]
    others = (b for b in search.tree.branches_of(node) if child[b] != own_child)
    return next((b for b in others if _same(search, ends[child[b]], limit)), -1)
