"""Rewards of branches: a search of a tree with rewards is a search of the folded tree.

Folding moves all rewards into the terminals of the unshared tree. The folded tree has no rewards,
so every test of searches without rewards covers it.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import definition
from random_trees import EVERY, Case, with_slow_variants

import expectitree as et
from expectitree import Search, Tree
from expectitree.algorithms import Algorithm
from expectitree.numbers import INFINITY, Number
from expectitree.searches.engine import search_window
from expectitree.tree.columns import Bounds
from expectitree.tree.folding import fold_rewards, unshare

SEEDS = st.integers(0, 2**32 - 1)


def shift(end: Number, by: Number) -> Number:
    return end if end in (INFINITY, -INFINITY) else end + by


def shift_all(bounds: Bounds, by: Number) -> Bounds:
    return shift(bounds[0], by), shift(bounds[1], by)


def paid_on_the_way(tree: Tree) -> list[Number]:
    """Return what the branches on the way to each node of a tree without sharing pay."""
    paid: list[Number] = [0] * len(tree)
    for node, _ in tree.walk():
        if node.id == tree.root_id:
            paid[node.id] = tree.root_reward
        for branch in node.branches:
            paid[branch.child.id] = paid[node.id] + branch.reward
    return paid


class Folded:
    """A random tree in fractions that pays, without sharing, and the same tree folded."""

    def __init__(self, seed: int) -> None:
        self.case = Case(seed, pays=True)
        self.shared = replace(self.case.tree(), root_reward=Random(seed).choice((0, Fraction(7))))
        self.tree = unshare(self.shared)
        self.paid = paid_on_the_way(self.tree)
        self.folded = fold_rewards(self.tree)

    def run(self, chosen: Algorithm, folded: bool, **options: int) -> Search:
        bounds = self.case.bounds
        if folded:
            bounds = bounds and shift_all(bounds, self.tree.root_reward)
            return et.evaluate(self.folded, chosen, bounds=bounds, **options)
        return et.evaluate(self.tree, chosen, bounds=bounds, **options)

    def run_in_window(self, chosen: Algorithm, folded: bool) -> Search:
        bounds, window, tree = self.case.window_bounds, self.case.window, self.tree
        if folded:
            tree = self.folded
            bounds, window = (shift_all(pair, self.tree.root_reward) for pair in (bounds, window))
        return search_window(tree, chosen, bounds, "option", window)

    def check_same(self, one: Search, other: Search) -> None:
        """Check that a search with rewards did the same as one of the folded tree."""
        assert other.tree is self.folded
        for column in ("visits", "cut", "cut_after"):
            assert list(getattr(one, column)) == list(getattr(other, column)), column
        assert one.counts == other.counts
        self.check_same_result(one, other)
        for n, paid in enumerate(self.paid):
            assert shift_all(one.interval_of(n), paid) == other.interval_of(n), n
            if one.visits[n] and self.tree.columns.kind[n]:
                window = one.alpha[n], one.beta[n]
                assert shift_all(window, paid) == (other.alpha[n], other.beta[n]), n

    def check_same_result(self, one: Search, other: Search) -> None:
        assert one.outcome == other.outcome
        assert one.interval("/") == other.interval("/")
        assert (one.best, one.ties, one.strategy) == (other.best, other.ties, other.strategy)


FOLDED = st.builds(Folded, seed=SEEDS)


@pytest.mark.parametrize("chosen", with_slow_variants([one for one in EVERY if one.in_order]))
@given(case=FOLDED, most=st.integers(1, 40))
def test_a_search_does_the_same_in_the_folded_tree(
    chosen: Algorithm, case: Folded, most: int
) -> None:
    assert definition(case.tree.root) + case.tree.root_reward == definition(case.folded.root)
    case.check_same(case.run(chosen, False), case.run(chosen, True))
    if chosen.player_cuts:
        case.check_same(case.run_in_window(chosen, False), case.run_in_window(chosen, True))
        stopped = (case.run(chosen, folded, max_visits=most) for folded in (False, True))
        case.check_same(*stopped)
