"""Properties of every search on every tree: v*, the contract, the mirror, one visit a leaf."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from oracle import ExactNode, definitions, exact_root
from random_trees import BEST_FIRST, EVERY, PROVE_ACTION, PRUNED, Case, in_numbers

from expectitree import Kind, Search
from expectitree.base.numbers import Number
from expectitree.searches.cuts import PROBED
from expectitree.searches.engine import search_tree

SEEDS = st.integers(0, 2**32 - 1)
CASES = st.builds(Case, seed=SEEDS, pays=st.booleans(), rare=st.booleans())
# Next to 1e300, floats lose what ties depend on.
PLAIN_CASES = st.builds(Case, seed=SEEDS, pays=st.booleans())


RARE_CASES = st.builds(Case, seed=SEEDS, pays=st.booleans(), rare=st.just(True))


def near(a: Number, b: Number, search: Search) -> bool:
    return abs(a - b) <= 10 * search.eps


def check_intervals(search: Search, values: list[Number]) -> None:
    """Check that every node's interval holds its v*, in floats up to rounding."""
    slack = 10 * search.eps
    for n, value in enumerate(values):
        assert search.lower[n] - slack <= value <= search.upper[n] + slack, n


def check_contract(search: Search, n: int, alpha: Number, beta: Number) -> None:
    """Check that a node ended exact, failing low or failing high in its window."""
    slack = 10 * search.eps
    lower, upper = search.lower[n], search.upper[n]
    assert lower == upper or upper <= alpha + slack or lower >= beta - slack, (
        n,
        lower,
        upper,
        alpha,
        beta,
    )


def check_entered_nodes(search: Search) -> None:
    """Check the contract for the last window of every inner node that was not only probed."""
    for n, kind in enumerate(search.tree.columns.kind):
        if kind != Kind.TERMINAL and search.visits[n] and search.cut[n] != PROBED:
            check_contract(search, n, search.alpha[n], search.beta[n])


def value_of_strategy(search: Search, node: ExactNode) -> Number:
    """Return the value of a node if both players follow the search's strategy."""
    if node.utility is not None:
        utility: Number = node.utility
        return utility
    if node.kind == Kind.CHANCE:
        outcomes = [branch for branch in node.branches if branch.p > 0]
        return sum(
            branch.p * (branch.reward + value_of_strategy(search, branch.child))
            for branch in outcomes
        )
    chosen = node.branches[search.strategy_branches[node.id] - node.tree.columns.first[node.id]]
    return chosen.reward + value_of_strategy(search, chosen.child)


@pytest.mark.parametrize("exact", [True, False])
@given(case=CASES)
@example(case=Case(1012257, pays=True, rare=True))  # a window divided by p = 1e-160 overflows
def test_every_algorithm_finds_the_value(exact: bool, case: Case) -> None:
    values = definitions(case.tree(exact))
    for chosen in EVERY:
        search = case.run(chosen, exact)
        assert search.is_exact(len(values) - 1)
        if search.tree.roundoff:
            assert near(search.value, values[-1], search)
        else:
            assert search.value == values[-1]
        check_intervals(search, values)


@pytest.mark.parametrize("exact", [True, False])
@given(case=CASES)
def test_the_contract_holds_for_any_window(exact: bool, case: Case) -> None:
    values = definitions(case.tree(exact))
    for chosen in PRUNED + BEST_FIRST:
        search = case.run_in_window(chosen, exact)
        check_intervals(search, values)
        check_contract(search, len(values) - 1, *in_numbers(case.window, exact))
        check_entered_nodes(search)
        check_entered_nodes(case.run(chosen, exact))


@pytest.mark.slow
@given(case=RARE_CASES)
@example(case=Case(1854, rare=True))  # a bound is an integer, and another that is equal is not
@example(case=Case(2840, rare=True))
@example(case=Case(4881, pays=True, rare=True))
def test_values_of_200_bits_are_near_the_exact_ones(case: Case) -> None:
    """Trees whose values have more than 4,000 bits are searched in this way."""
    values, tree = definitions(case.tree()), case.tree().rounded
    assume(tree.has_rounding)
    size = max(map(abs, tree.total_ends))
    for chosen in EVERY:
        search = search_tree(tree, chosen, bounds=case.bounds)
        assert search.is_exact(len(values) - 1)
        assert search.eps <= max(size * 1000, tree.greatest_magnitude) / Fraction(2) ** 170
        check_intervals(search, values)


@given(case=CASES)
def test_the_window_of_evaluate_is_the_bounds(case: Case) -> None:
    """Thus the contract for any window covers `evaluate` too."""
    case.window = case.window_bounds
    for chosen in PRUNED:
        if case.bounds is not None:
            here, there = case.run_in_window(chosen), case.run(chosen)
            for column in ("lower", "upper", "visits", "alpha", "beta", "cut", "cut_after", "cuts"):
                assert getattr(here, column) == getattr(there, column), column


@pytest.mark.slow
@pytest.mark.parametrize("exact", [True, False])
@given(case=CASES)
def test_the_mirror_negates_every_interval_exactly(exact: bool, case: Case) -> None:
    for chosen in (*EVERY, PROVE_ACTION):
        runs = [case.run] if chosen.name == "expectiminimax" else [case.run, case.run_in_window]
        for run in runs:
            seen, mirror = run(chosen, exact), run(chosen, exact, mirror=True)
            assert list(mirror.lower) == [-x for x in seen.upper]
            assert list(mirror.upper) == [-x for x in seen.lower]
            assert list(mirror.visits) == list(seen.visits)
            assert list(mirror.cut_after) == list(seen.cut_after)
            assert mirror.cuts == seen.cuts


@pytest.mark.slow
@given(case=CASES)
def test_every_leaf_is_visited_at_most_once(case: Case) -> None:
    assert set(case.run(EVERY[0]).visits) == {1}
    for chosen in PRUNED + BEST_FIRST:
        for search in (case.run(chosen), case.run_in_window(chosen)):
            leaf_visits = [
                v for v, k in zip(search.visits, search.tree.columns.kind, strict=True) if not k
            ]
            assert max(leaf_visits) <= 1


# Best-first hoped to gain a rounding error at a node of this tree.
NEARLY_EXACT = Case(1014307889, pays=True)


@pytest.mark.slow
@given(case=PLAIN_CASES)
@example(case=NEARLY_EXACT)
def test_exact_and_float_agree(case: Case) -> None:
    """Values agree up to rounding. Counts agree too, since exact ties are ties within eps."""
    for chosen in EVERY:
        exact, rounded = case.run(chosen), case.run(chosen, exact=False)
        assert near(float(exact.value), rounded.value, rounded)
        assert list(rounded.visits) == list(exact.visits)
        assert rounded.counts == exact.counts
        assert rounded.ties == exact.ties


@pytest.mark.slow
@given(case=CASES)
def test_pruning_changes_neither_the_best_action_nor_the_value_of_the_strategy(case: Case) -> None:
    assume(not case.tree().computed.is_rounded)
    full = case.run(EVERY[0])
    for chosen in EVERY:
        search = case.run(chosen)
        assert search.counts.leaves_visited <= full.counts.leaves_visited == full.tree.leaves
        assert search.best == full.best or (
            not chosen.in_order and search.best in full.ties
        )  # the first it proved
        assert set(search.ties) <= set(full.ties)
        assert value_of_strategy(search, exact_root(search.tree)) == full.value


@given(case=CASES)
def test_every_visited_node_but_the_root_was_asked_for_by_a_visited_parent(case: Case) -> None:
    for chosen in EVERY:
        search = case.run(chosen)
        tree, root = search.tree, search.tree.root_id
        assert search.asking(root) == (-1, -1)
        for n in range(root):
            # In order, a shared node counts as asked for on its first path, entered or not.
            if not search.visits[n] or (chosen.in_order and tree.is_sharing):
                continue
            above, branch = search.asking(n)
            assert search.visits[above]
            assert branch in tree.branches_of(above)
            assert tree.columns.child[branch] == n
