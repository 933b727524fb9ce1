"""Rewards of branches: a search of a tree with rewards is a search of the folded tree.

Folding moves all rewards into the terminals of the unshared tree. The folded tree has no rewards,
so every test of searches without rewards covers it.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random
from time import process_time

import pytest
from helpers import COMPILED, loads
from hypothesis import given
from hypothesis import strategies as st
from oracle import definition
from random_trees import EVERY, Case, build, random_rows, with_slow_variants

import expectitree as et
from expectitree import ALGORITHMS, Search, Tree
from expectitree.base.algorithms import Algorithm
from expectitree.base.numbers import INFINITY, Number, is_finite
from expectitree.base.rounding import to_nearest_float
from expectitree.base.tree.columns import Bounds
from expectitree.base.tree.folding import fold_rewards, unshare
from expectitree.searches.engine import search_tree, search_window


@pytest.fixture(params=["exact", "float"])
def exact(request: pytest.FixtureRequest) -> bool:
    return request.param == "exact"


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
        for branch in tree.branches_of(node.id):
            paid[tree.columns.child[branch]] = paid[node.id] + tree.reward_of(branch)
    return paid


class Folded:
    """A random tree in fractions that pays, without sharing, and the same tree folded."""

    def __init__(self, seed: int) -> None:
        self.case = Case(seed, pays=True)
        self.shared = replace(self.case.tree(), root_reward=Random(seed).choice((0, Fraction(7))))
        self.tree = unshare(self.shared)
        self.paid = paid_on_the_way(self.tree)
        self.folded = fold_rewards(self.tree)

    @property
    def has_finite_bounds(self) -> bool:
        return self.case.bounds is not None and all(is_finite(end) for end in self.case.bounds)

    def run(self, chosen: Algorithm, folded: bool, **options: int) -> Search:
        bounds = self.case.bounds
        if folded:
            bounds = bounds and shift_all(bounds, self.tree.root_reward)
            return search_tree(self.folded, chosen, bounds=bounds, **options)
        return search_tree(self.tree, chosen, bounds=bounds, **options)

    def run_in_window(self, chosen: Algorithm, folded: bool) -> Search:
        bounds, window, tree = self.case.window_bounds, self.case.window, self.tree
        if folded:
            tree = self.folded
            bounds, window = (shift_all(pair, self.tree.root_reward) for pair in (bounds, window))
        return search_window(tree, chosen, (bounds, "option"), window)

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
    if chosen.prunes:
        case.check_same(case.run_in_window(chosen, False), case.run_in_window(chosen, True))
        stopped = (case.run(chosen, folded, max_visits=most) for folded in (False, True))
        case.check_same(*stopped)


@pytest.mark.parametrize("goal", ["value", "action"])
@given(case=FOLDED)
def test_best_first_proves_a_best_action(goal: str, case: Folded) -> None:
    full = search_tree(case.shared, bounds=case.case.bounds)
    search = search_tree(case.shared, "best-first", bounds=case.case.bounds, goal=goal)
    assert search.best in (full.ties or (None,))
    assert set(search.ties) <= set(full.ties)
    lower, upper = search.interval("/")
    assert lower <= full.value <= upper


@pytest.mark.slow
@pytest.mark.parametrize("chosen", with_slow_variants(EVERY))
@given(case=FOLDED)
def test_a_tree_with_sharing_is_worth_what_the_folded_tree_is(
    chosen: Algorithm, case: Folded
) -> None:
    full = search_tree(case.folded)
    search = search_tree(case.shared, chosen, bounds=case.case.bounds)
    assert search.value == full.value
    if chosen.in_order:
        assert (search.best, set(search.ties) <= set(full.ties)) == (full.best, True)
    else:
        assert search.best in (full.ties or (None,))


def test_the_value_of_a_branch_includes_its_reward(exact: bool) -> None:
    text = """
    max:
      sell: 750
      test: {cost: 100, chance: {good: 1500, bad: {reward: 50, utility: 800}}}
    """
    tree = loads(text, exact=exact)
    for name in ALGORITHMS:
        search = search_tree(tree, name)
        assert (search.value, search.best) == (1075, "test")
        assert search.value_of("test") == 1075
        assert search.value_of(tree.find("test")) == 1175
    assert search_tree(tree).value_of("test/bad") == 850


def test_one_child_below_branches_that_pay_differently(exact: bool) -> None:
    """The second action is proved best without the child: the other one leads to the same.

    Infinite bounds do not show which one pays more.
    """
    text = "{max: [{ref: c}, {reward: 2, ref: c}], nodes: {c: {chance: [0, 1, 5]}}}"
    tree = loads(text, exact=exact)
    for name in ALGORITHMS:
        search = search_tree(tree, name)
        assert (search.value, search.ties) == (4, ("#2",))
    for bounds in (None, (-INFINITY, INFINITY)):
        search = search_tree(tree, "best-first", goal="action", bounds=bounds)
        assert (search.ties, search.counts.leaves_visited) == (("#2",), 0)


# ---- Many paths: rewards are never folded on loading.


def chained(exact: bool, length: int = 1000) -> tuple[Tree, Number]:
    """Return a chain of nodes that each lead to the next one twice, and its value."""
    builder = et.TreeBuilder(exact=exact)
    add = (builder.max, builder.chance, builder.min)
    node, value = builder.terminal(Fraction(1)), Fraction(1)
    for i in range(length):
        cheap, dear = Fraction(i % 7 - 3), Fraction(i % 5)
        node = add[i % 3]([node, node], rewards=[cheap, dear])
        value += (max(cheap, dear), (cheap + dear) / 2, min(cheap, dear))[i % 3]
    return builder.build(node), value


@pytest.mark.slow
@pytest.mark.parametrize("chosen", EVERY)
def test_a_chain_of_shared_nodes_is_not_unfolded(chosen: Algorithm, exact: bool) -> None:
    tree, value = chained(exact)
    start = process_time()
    for bounds in (None, (-INFINITY, INFINITY)):
        search = search_tree(tree, chosen, bounds=bounds)
        assert search.value == value
    assert process_time() - start < 5


# ---- What the root's reward loses to rounding.

PAID = (Fraction(-71, 3), Fraction(1, 10), Fraction(-(10**15), 7), Fraction(3 * 10**30), 5)


@pytest.mark.parametrize("engine", ["interpreted", COMPILED])
@pytest.mark.parametrize("name", ["expectiminimax", "alphabeta", "star1"])
@pytest.mark.parametrize("paid", PAID)
@pytest.mark.parametrize("rewards", [(0,), (0, 1, Fraction(1, 3))])
def test_eps_includes_the_roots_reward(
    rewards: tuple[Fraction], paid: Fraction, name: str, engine: str
) -> None:
    for seed in range(20):
        tree = build(random_rows(Random(seed), 0, rewards), True)
        tree = replace(tree, root_reward=paid)
        value = to_nearest_float(search_tree(tree, "expectiminimax").value)
        search = et.evaluate(tree, name, bounds="leaves", engine=engine)
        assert abs(Fraction(search.value) - Fraction(value)) <= search.eps
        assert search.eps > 0


def test_the_roots_reward_changes_no_decision() -> None:
    tree = et.loads("{max: [{chance: [0, 1]}, {chance: [0, 2]}], reward: 1e17}")
    search = et.evaluate(tree, engine="interpreted")
    assert (search.best, search.eps > 1) == ("#2", True)
    assert [search.is_best(tree.root_id, branch) for branch in (4, 5)] == [False, True]


@pytest.mark.parametrize("engine", ["interpreted", COMPILED])
@pytest.mark.parametrize(
    ("utilities", "value"),
    [
        ((5e-324, 5e-324), 5e-324),
        ((0.0, 5e-324), 0.0),  # half of it, rounded to a float
        ((5e-324, -5e-324), 0.0),
        ((1e-323, 1.5e-323), 1e-323),
        ((3e-310, 5e-324), 1.5e-310),
        ((0.0, 0.0), 0.0),
    ],
)
def test_eps_includes_what_the_least_floats_lose(
    utilities: tuple[float, float], value: float, engine: str
) -> None:
    builder = et.TreeBuilder(exact=False)
    tree = builder.build(builder.max([builder.chance(utilities)]))
    for name in ("expectiminimax", "star1", "star2"):
        search = et.evaluate(tree, name, bounds="leaves", engine=engine)
        assert abs(search.value - value) <= search.eps <= 1e-320
        assert (search.eps > 0) == any(utilities)
