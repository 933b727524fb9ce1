"""The fewest leaves that prove the value of a tree's root, or which action is best there.

A list says what k leaves can prove of a node, for k = 0, 1, 2, …: at index k is the least upper
bound of its value. The list falls, and ends at the value. Lower bounds are the upper bounds of the
mirrored tree: MAX and MIN swapped and numbers negated (`sign` -1). Bottom-up, the lists are

    terminal  its bound, and after one leaf its value
    CHANCE    the least sum over all ways to split k leaves among the outcomes
    MAX       all children need a proof: k leaves remove the k greatest bounds of their lists
    MIN       one proof is enough: the smallest bound of all lists

Two lists are joined at a time, paired off like a tournament. Any two leaves of a tree without
shared nodes meet in one pair, so that the work is quadratic in the leaves.

The fewest leaves that prove a value are, of CHANCE, the sum over its outcomes; of MAX, those that
prove a best child, and of the other children that they are worth no more. MIN mirrors.

Where paths share leaves, one leaf may serve several proofs. Counting each path's leaves separately
gives a set that is large enough; with `together`, children that share a leaf share all of them,
which gives a count that is never too large.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from operator import add
from typing import Any, NamedTuple

from expectitree import compiling
from expectitree.analysis.limit.lists import LEAST, MERGED, SUM, TOGETHER, join_lists
from expectitree.analysis.limit.proof_tree import ProofTree
from expectitree.tree.columns import Column
from expectitree.tree.model import Kind

SIGNS = (1, -1)  # of upper and of lower bounds
VALUE, ACTION = GOALS = ("value", "action")  # what a proof is about
TOLERANCE = 4  # eps within which a search takes an interval as one value
_MOST_BITS = 2**29  # of lists that are kept at once (64 MB)
_MANY_NUMBERS = 300  # read by a loop that is worth a call of compiled code


class Operand(NamedTuple):
    """A list in a tournament: that of a child, or of two that are joined."""

    bounds: Column
    factor: Any
    mask: int  # the leaves below, where nodes are shared


class Proofs:
    """Counts the leaves of the smallest proofs of a tree, and finds which they are."""

    def __init__(self, tree: ProofTree, together: bool, compiled: bool | None) -> None:
        self.tree, self.root, self.together = tree, tree.root, together
        pays = compiling.pays(tree.work) if compiled is None else compiled
        self.compiled = pays and bool(tree.code)
        is_player = tree.kind[self.root] in (Kind.MAX, Kind.MIN)
        self.actions = tree.children[self.root] if is_player else {}
        self.best = next(iter(self.actions), None)  # the action proved best
        self.best_count = 0
        self.count = [0] * len(tree.kind)  # the fewest leaves that prove a node's value
        self.choice: dict[int, int] = {}  # the child that a player's proof of a value proves
        self.lists: dict[tuple[int, int], Column] = {}  # (node, sign) -> bounds
        self.proved = {self.root}  # nodes whose value the proof of the root's value proves
        self.demands: defaultdict[tuple[str, int, int], int]  # (goal, node, sign) -> leaves
        self.demands = defaultdict(int)
        self.chosen: dict[str, set[int]] = {goal: set() for goal in GOALS}  # leaves
        self._find_wants()

    def _find_wants(self) -> None:
        """Find the nodes whose proofs and lists a count needs."""
        tree = self.tree
        self.exact, self.wanted = {self.root}, set[tuple[int, int]]()
        self.best_children: dict[int, set[int]] = {}
        if len(self.actions) > 1:
            sign = tree.sign(self.root)
            self.wanted.update((action, sign) for action in self.actions)
            self.wanted.update((action, -sign) for action in tree.best_children(self.root))
        for n in range(self.root, -1, -1):
            children = tree.children[n]
            for sign in SIGNS:
                if (n, sign) in self.wanted:
                    self.wanted.update((child, sign) for child in children)
            if n in self.exact and tree.kind[n] == Kind.CHANCE:
                self.exact.update(children)
            elif n in self.exact and children:
                best = self.best_children[n] = tree.best_children(n)
                others = children if len(best) > 1 else children.keys() - best
                self.exact |= best
                self.wanted.update((child, tree.sign(n)) for child in others)

    # ---- Making lists.

    def solve(self, trace: bool) -> None:
        """Make all lists, count, and (with `trace`) find the leaves of the smallest proofs.

        Where the lists are too long to keep all of them, keep those that are still needed at every
        √n-th node, and make the others again when they are traced.
        """
        total, last_use = len(self.count), self.tree.last_use
        bits = 64 if self.tree.code else self.tree.infinity.bit_length()
        is_long = bits * sum(self.tree.leaves[n] + 1 for n, _ in self.wanted) > _MOST_BITS
        length = math.isqrt(total) + 1 if is_long else total
        blocks = [range(start, min(start + length, total)) for start in range(0, total, length)]
        kept = []
        for block in blocks:
            self.lists = {
                (n, sign): bounds for (n, sign), bounds in self.lists.items()
                if last_use[n] >= block.start or n in self.actions
            }  # fmt: skip
            kept.append(dict(self.lists))
            self._fill(block)
        if len(self.actions) > 1:
            self._count_best()
        for block in reversed(blocks if trace else []):
            lists = kept.pop()
            if block is not blocks[-1]:
                self.lists = lists
                self._fill(block)
            for n in reversed(block):
                self._trace_back(n)

    def _fill(self, block: range) -> None:
        for n in block:
            for sign in SIGNS:
                if (n, sign) in self.wanted and self.tree.children[n]:
                    final = self._rounds(n, sign)[-1]
                    self.lists[n, sign] = self._join(n, sign, final).bounds
            if n in self.exact:
                self._count(n)

    def _list(self, n: int, sign: int) -> Column:
        """Return a list of a node. Those of terminals are made when they are needed."""
        tree = self.tree
        if tree.children[n]:
            return self.lists[n, sign]
        value = sign * tree.value[n]
        bound = min(tree.upper[n] if sign > 0 else -tree.lower[n], tree.infinity)
        is_open = tree.leaves[n] and bound > value + tree.eps
        return self._column([bound, value] if is_open else [value])

    def _column(self, bounds: list[Any]) -> Column:
        return array(self.tree.code, bounds) if self.tree.code else bounds

    def _rounds(self, n: int, sign: int) -> list[list[Operand]]:
        """Return the rounds of a node's tournament, from its children until two lists are left."""
        tree = self.tree
        row = [
            Operand(self._list(child, sign), factor, tree.mask[child])
            for child, factor in tree.children[n].items()
        ]
        rounds = [row]
        while len(row) > 2:
            row = [self._join(n, sign, row[i : i + 2]) for i in range(0, len(row), 2)]
            rounds.append(row)
        return rounds

    def _join(self, n: int, sign: int, operands: Sequence[Operand]) -> Operand:
        """Return the list of a node, or of some of its children, from one or two lists."""
        if len(operands) == 1:
            return operands[0]
        (one, f, mask), (other, g, more) = sorted(operands, key=lambda o: len(o.bounds))
        how = self._how(n, sign)
        size = max(len(one), len(other))
        if how != LEAST and self.together and mask & more:
            how += TOGETHER
        elif how != LEAST:
            size = len(one) + len(other) - (how == SUM)
        bounds = self._column([self.tree.infinity]) * size
        pays = (len(one) * len(other) if how == SUM else size) >= _MANY_NUMBERS
        join = compiled_join if self.compiled and pays else join_lists
        join(how, one, f, other, g, self.tree.infinity, bounds)
        value = max(f * one[-1], g * other[-1]) if how == MERGED else bounds[-1]
        end, leaves = first_below(bounds, value + self.tree.eps), (mask | more).bit_count()
        if self.tree.is_sharing and end > leaves:  # the leaves of all paths, counted once
            end = leaves
            bounds[end] = value
        return Operand(bounds[: end + 1], self.tree.one, mask | more)

    def _how(self, n: int, sign: int) -> int:
        if self.tree.kind[n] == Kind.CHANCE:
            return SUM
        return MERGED if self.tree.sign(n) == sign else LEAST

    # ---- Counting.

    def _count(self, n: int) -> None:
        """Count the leaves that prove a node's value; of a player's node, choose the child."""
        tree = self.tree
        if not tree.children[n]:
            self.count[n] = tree.leaves[n]
            return
        is_chance = tree.kind[n] == Kind.CHANCE
        least: float = math.inf  # with the proof of a best child
        total = seen = 0  # without one
        for child in tree.children[n]:
            combine = max if self.together and seen & tree.mask[child] else add
            seen |= tree.mask[child]
            need = self.count[child] if is_chance else self._need(n, child)
            least = combine(least, need)
            if not is_chance and child in self.best_children[n]:
                count = combine(total, self.count[child])
                if count < least:
                    least, self.choice[n] = count, child
            total = combine(total, need)
        count = total if is_chance else int(least)
        self.count[n] = min(count, tree.leaves[n]) if tree.is_sharing else count

    def _need(self, n: int, child: int) -> int:
        """Return how many leaves prove of a child that it is worth no more than a player's node."""
        sign = self.tree.sign(n)
        if (child, sign) not in self.wanted:
            return 0  # it is the only best child
        threshold = sign * self.tree.value[n] + self.tree.eps
        return first_below(self._list(child, sign), threshold, self.tree.children[n][child])

    def _count_best(self) -> None:
        """Find the fewest leaves that prove of one action a threshold that no other one exceeds."""
        sign, slack = self.tree.sign(self.root), TOLERANCE * self.tree.eps
        best = [a for a in self.actions if a in self.tree.best_children(self.root)]
        rivals = self._independent_rivals(best[0])
        if not rivals or (len(best) > 1 and len(rivals) < len(self.actions) - 1):
            return  # shared leaves may leave the actions in one order, whatever they are worth
        proofs = {a: [f * x for x in self._list(a, sign)] for a, f in self.actions.items()}
        given = {a: [self.actions[a] * x for x in self._list(a, -sign)] for a in best}
        if len(best) > 1:  # the threshold can be nothing but their common value
            threshold = sign * self.tree.value[self.root] + slack
            needs = {a: first_below(bounds, threshold) for a, bounds in proofs.items()}
            self.best = min(best, key=lambda a: len(given[a]) - needs[a])
            leaves = len(given[self.best]) - 1
            self.best_count = sum(needs.values()) - needs[self.best] + leaves
        else:
            self.best = best[0]
            floor = max(proofs[a][-1] for a in rivals)
            falls = sorted(bound for a in rivals for bound in proofs[a])
            self.best_count, leaves, threshold = min(
                (len(falls) - bisect_right(falls, slack - x) + k, k, slack - x)
                for k, x in enumerate(given[self.best])
                if x < self.tree.infinity and slack - x >= floor
            )
        for action, bounds in proofs.items():
            if action != self.best:
                self.demands[ACTION, action, sign] = first_below(bounds, threshold)
        self.demands[ACTION, self.best, -sign] = leaves

    def _independent_rivals(self, action: int) -> list[int]:
        """Return the other actions; with `together` those that share no leaf with it or another."""
        seen, found = self.tree.mask[action], []
        for other in self.actions:
            mask = self.tree.mask[other]
            if other != action and not (self.together and seen & mask):
                found.append(other)
                seen |= mask
        return found

    # ---- Finding the leaves.

    def _trace_back(self, n: int) -> None:
        """Pass what the proofs demand of a node on to its children; of a terminal, choose it."""
        children = self.tree.children[n]
        if n in self.proved:
            self._trace_value(n)
        for sign in SIGNS:
            goals = [goal for goal in GOALS if self.demands.get((goal, n, sign))]
            rounds = self._rounds(n, sign) if goals and children else []
            for goal in goals:
                if not children:
                    self.chosen[goal].add(n)
                    continue
                shares = self._split(n, sign, self.demands[goal, n, sign], rounds)
                for child, share in zip(children, shares, strict=True):
                    self._demand(goal, child, sign, share)

    def _trace_value(self, n: int) -> None:
        """Pass on what the proof of a node's value needs."""
        children = self.tree.children[n]
        if not children and self.tree.leaves[n]:
            self.chosen[VALUE].add(n)
        elif self.tree.kind[n] == Kind.CHANCE:
            self.proved.update(children)
        for child in children if n in self.choice else ():
            if child == self.choice[n]:
                self.proved.add(child)
            else:
                self._demand(VALUE, child, self.tree.sign(n), self._need(n, child))

    def _demand(self, goal: str, n: int, sign: int, leaves: int) -> None:
        self.demands[goal, n, sign] = max(self.demands[goal, n, sign], leaves)

    def _split(
        self, n: int, sign: int, leaves: int, rounds: Sequence[Sequence[Operand]]
    ) -> list[int]:
        """Return how many leaves each child gets for the bound of a node at a place in its list."""
        shares, joined = [leaves], [self._list(n, sign)]
        for row in reversed(rounds):
            split: list[int] = []
            for at, (k, bounds) in enumerate(zip(shares, joined, strict=True)):
                split += self._split_pair(n, sign, row[2 * at : 2 * at + 2], k, bounds)
            shares, joined = split, [operand.bounds for operand in row]
        return shares

    def _split_pair(
        self, n: int, sign: int, pair: Sequence[Operand], k: int, bounds: Column
    ) -> Sequence[int]:
        """Return how k leaves are split between two lists for the bound of the joined list."""
        if len(pair) == 1:
            return [k]
        (one, f, mask), (other, g, more) = pair
        ends, how = (len(one) - 1, len(other) - 1), self._how(n, sign)
        if self.tree.is_sharing and k >= (mask | more).bit_count():
            return ends
        if how == SUM:
            ways = range(max(0, k - ends[1]), min(k, ends[0]) + 1)
            i = min(ways, key=lambda i: f * one[i] + g * other[k - i])
            return i, k - i
        if how == MERGED:
            return first_below(one, bounds[k], f), first_below(other, bounds[k], g)
        i, j = min(k, ends[0]), min(k, ends[1])
        if f * one[i] <= g * other[j]:
            return first_below(one, one[i]), 0
        return 0, first_below(other, other[j])


def compiled_join(*arguments: Any) -> None:
    """Run `join_lists` compiled."""
    compiling.run_compiled(join_lists, *arguments)


def first_below(bounds: Column, limit: Any, factor: Any = 1) -> int:
    """Return the first place of a falling list whose bound, times a factor, is at most a limit."""
    return min(bisect_left(bounds, -limit, key=lambda x: -factor * x), len(bounds) - 1)
