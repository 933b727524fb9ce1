"""What order-preserving maps can tell apart in a tree: the tree reduced to it, and what its players make sure of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from math import lcm
from typing import Any, TypeAlias

from expectitree.numbers import Number, to_exact
from expectitree.searches.backward_induction import backward_induction
from expectitree.tree.builder import TreeBuilder
from expectitree.tree.model import Columns, Kind, Tree

MOST_WORK = (
    4_000_000  # rows that are evaluated in floats, elements of vectors that a proof computes
)
MOST_ARITHMETIC = 1e12  # bits^2 of all fractions: some seconds
MOST_BITS = 20_000  # of one fraction
MOST_CHOICES = 12  # vectors that are kept of a node
ROUNDING = Fraction(1, 10**12)  # of probabilities in floats: what is no difference

Vector: TypeAlias = (
    "list[int]"  # by threshold: how likely it is reached, times the node's denominator
)


class UnknownError(Exception):
    """No answer was found; the message says what was done."""


@dataclass(frozen=True)
class Game:
    """What is left of a tree when subtrees that are worth a utility under every map are that utility.

    Children come before their parents. The root is not among the nodes: `actions` are what its
    branches lead to.
    """

    utilities: Sequence[
        Fraction
    ]  # by rank, the least first; only those that can still make a difference
    columns: Columns  # `utility` holds ranks; probabilities are fractions, all above 0
    denominator: Sequence[int]  # by node: of its value, if utilities are whole numbers
    actions: Sequence[int]  # by branch of the root: a node
    is_max: bool  # the root
    slack: Fraction  # by how much probabilities may differ and be taken as equal

    def values(self, images: Sequence[Any], floats: Columns | None = None) -> list[Any]:
        """Return the value of every node where utilities have these images; in floats if columns of such are given."""
        columns = floats or self.columns
        utility = [images[rank] if rank >= 0 else None for rank in columns.utility]
        value: list[Any] = [None] * len(utility)
        backward_induction(
            columns._replace(utility=utility), value, Fraction(0) if floats is None else 0.0
        )
        return value

    def shares(self, vectors: Mapping[int, Sequence[Vector]], node: int) -> list[Fraction]:
        """Return how likely each threshold is reached, of the first vector of a node."""
        return [Fraction(x, self.denominator[node]) for x in vectors[node][0]]


class Budget:
    """So much work may be done, whatever the machine."""

    def __init__(self, what: str, most: int = MOST_WORK) -> None:
        self.what, self.left = what, most

    def take(self, work: int) -> None:
        """Do so much of it; raise `UnknownError` where nothing is left."""
        self.left -= work
        if self.left < 0:
            raise UnknownError(self.what)


def reduced(tree: Tree) -> Game:
    """Return what is left of a tree: its root's actions, and the nodes below that differ under some map."""
    same, rank = _simplified(tree)
    kind, _, first, child, _ = tree.columns
    root = len(tree) - 1
    actions = [same[child[b]] for b in range(first[root], first[root + 1])]
    branches: dict[int, list[tuple[int, Fraction]]] = {}
    waiting = list(dict.fromkeys(actions))
    builder = TreeBuilder(exact=True)
    while waiting:
        n = waiting.pop()
        if n in branches:
            continue
        branches[n] = [] if rank[n] is not None else _merged_branches(tree, n, same, rank, builder)
        waiting += [c for c, _ in branches[n] if c not in branches]
    utilities = sorted({u for n in branches if (u := rank[n]) is not None})
    place = {u: at for at, u in enumerate(utilities)}
    new = {n: at for at, n in enumerate(sorted(branches))}
    columns = Columns([], [], [0], [], [])
    denominator: list[int] = []
    arithmetic = 0.0
    for n in new:
        utility = rank[n]
        columns.kind.append(int(kind[n]) if utility is None else 0)
        columns.utility.append(-1 if utility is None else place[utility])
        common = 1
        for c, p in branches[n]:
            columns.child.append(new[c])
            columns.probability.append(p)
            common = lcm(common, p.denominator * denominator[new[c]])
            arithmetic += common.bit_length() ** 2
            if common.bit_length() > MOST_BITS or arithmetic > MOST_ARITHMETIC:
                raise UnknownError(
                    "its probabilities multiply to fractions that are too long to compute with"
                )
        denominator.append(common)
        columns.first.append(len(columns.child))
    exactly = [to_exact(u) for u in utilities]
    slack = Fraction(0) if tree.exact else ROUNDING
    return Game(
        exactly, columns, denominator, [new[a] for a in actions], kind[root] == Kind.MAX, slack
    )


def _simplified(tree: Tree) -> tuple[list[int], list[Number | None]]:
    """Return for every node one that is worth as much under every order-preserving map; and the utility, if it is one.

    All nodes that come to the same utility are the same one. So is a node with one child that
    matters and that child.
    """
    kind, utility, first, child, probability = tree.columns
    same: list[int] = []
    settled: list[Number | None] = []
    by_utility: dict[Number, int] = {}
    for n in range(len(tree)):
        k = kind[n]
        if not k:
            same.append(by_utility.setdefault(utility[n], n))
            settled.append(utility[n])
            continue
        own = range(first[n], first[n + 1])
        below = dict.fromkeys(same[child[b]] for b in own if k != Kind.CHANCE or probability[b] > 0)
        if k != Kind.CHANCE and len(below) > 1:
            below = _mattering(k, below, settled)
        if len(below) == 1:
            (only,) = below
            same.append(only)
            settled.append(settled[only])
        else:
            same.append(n)
            settled.append(None)
    return same, settled


def rivals(game: Game, best: int) -> list[int]:
    """Return what the root's other actions lead to, each once; of those that are worth a utility, the best one."""
    kind, rank = game.columns.kind, game.columns.utility
    others = [c for c in dict.fromkeys(game.actions) if c != best]
    known = [c for c in others if not kind[c]]
    if len(known) > 1:
        foremost = (max if game.is_max else min)(known, key=rank.__getitem__)
        others = [c for c in others if kind[c] or c == foremost]
    return others


def _mattering(
    kind: int, below: dict[int, None], settled: Sequence[Number | None]
) -> dict[int, None]:
    """Return a player's children without those that are worth a utility, but for the best of them."""
    known: list[tuple[Any, int]] = [(settled[c], c) for c in below if settled[c] is not None]
    if len(known) < 2:
        return below
    _, best = max(known) if kind == Kind.MAX else min(known)
    return dict.fromkeys(c for c in below if settled[c] is None or c == best)


def _merged_branches(
    tree: Tree, n: int, same: Sequence[int], settled: Sequence[Number | None], builder: TreeBuilder
) -> list[tuple[int, Fraction]]:
    """Return the children of an inner node that matter, each once, with its probability."""
    kind, _, first, child, probability = tree.columns
    own = range(first[n], first[n + 1])
    if kind[n] != Kind.CHANCE:
        below = dict.fromkeys(same[child[b]] for b in own)
        return [(c, Fraction(1)) for c in _mattering(kind[n], below, settled)]
    shares: Any = [to_exact(probability[b]) for b in own]
    if not tree.exact:
        shares = builder.distribution(shares, len(shares))[0]
    merged: dict[int, Fraction] = {}
    for b, p in zip(own, shares, strict=True):
        if p > 0:
            merged[same[child[b]]] = merged.get(same[child[b]], Fraction(0)) + p
    return list(merged.items())


def distribution(game: Game, node: int, budget: Budget) -> dict[int, Fraction]:
    """Return how likely each utility is, by rank, below a node where nobody decides: parents hand down to children."""
    kind, rank, first, child, probability = game.columns
    mass = {node: Fraction(1)}
    waiting = [-node]
    found: dict[int, Fraction] = {}
    weight = 1 + game.denominator[node].bit_length() // 300
    while waiting:
        n = -heappop(waiting)
        share = mass.pop(n)
        if not kind[n]:
            found[rank[n]] = found.get(rank[n], Fraction(0)) + share
            continue
        budget.take((first[n + 1] - first[n]) * weight)
        for b in range(first[n], first[n + 1]):
            c = child[b]
            if c not in mass:
                mass[c] = Fraction(0)
                heappush(waiting, -c)
            mass[c] += share * probability[b]
    return found


# ---- What a player makes sure of.


def envelopes(
    game: Game, tops: Sequence[int], low: bool | None, budget: Budget
) -> dict[int, list[Vector]]:
    """Return of every node at or below `tops` how likely each threshold is reached, whatever the map.

    With `low` each vector bounds the value from below: it is the expectation under some play of
    MAX, MIN taking for every threshold the reply that makes it least likely, all at once. Else it
    bounds it from above, in the mirror. With None there is one vector: of each threshold the value
    of reaching it, which both play for alone. A bound holds whichever vectors are kept, so that few
    are.
    """
    kind, rank, first, child, probability = game.columns
    thresholds = range(1, len(game.utilities))
    below = set(tops)
    for n in range(max(tops), -1, -1):
        if n in below:
            below.update(child[first[n] : first[n + 1]])
    found: dict[int, list[Vector]] = {}
    for n in sorted(below):
        k, common = kind[n], game.denominator[n]
        if not k:
            budget.take(len(thresholds))
            found[n] = [[int(rank[n] >= t) for t in thresholds]]
            continue
        weight = len(thresholds) * (1 + common.bit_length() // 500)
        parts = []  # of each child its vectors, over the denominator of this node
        for b in range(first[n], first[n + 1]):
            c = child[b]
            factor = probability[b] * common / game.denominator[c]
            budget.take(len(found[c]) * weight)
            parts.append([[factor.numerator * x for x in vector] for vector in found[c]])
        if low is not None and k == (Kind.MAX if low else Kind.MIN):
            found[n] = _best_few([vector for part in parts for vector in part], low, budget)
            continue
        joined = parts[0]
        for part in parts[1:]:
            budget.take(len(joined) * len(part) * weight)
            joined = [_joined(k, one, other) for one in joined for other in part]
            if low is not None:
                joined = _best_few(joined, low, budget)
        found[n] = joined
    return found


def _joined(kind: int, one: Vector, other: Vector) -> Vector:
    if kind == Kind.CHANCE:
        return [x + y for x, y in zip(one, other, strict=True)]
    return list(map(max if kind == Kind.MAX else min, one, other))


def _best_few(vectors: list[Vector], low: bool, budget: Budget) -> list[Vector]:
    """Return the vectors that no other one dominates, of many the ones with the best sums."""
    kept: list[Vector] = []
    for vector in sorted(vectors, key=sum, reverse=low):
        budget.take(len(kept) * len(vector) // 4)
        if not any(all(map((int.__ge__ if low else int.__le__), other, vector)) for other in kept):
            kept.append(vector)
            if len(kept) == MOST_CHOICES:
                break
    return kept
