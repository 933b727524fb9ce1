"""Searches at the limits of floating point: the value is right, or a message refuses the tree.

These are the claims of docs/decisions/0002-tolerance.md:

- In fractions, every algorithm finds the value itself, however great or small the numbers. If
  values may have more than 4,000 bits, numbers have 200 bits, and the value is within `eps`.
- In floats, every algorithm finds the exact value within a few `eps`. `eps` follows the rounding of
  sums: it grows with the greatest number, up to 1e5 times the greatest total of a play. So next to
  1e300, smaller numbers are rounding errors; alone, utilities of 1e-300 keep their digits, however
  far the bounds are.
- Floats refuse a number above 2^1000, and a positive probability that they round to 0. Totals may
  be greater than each of their numbers.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from helpers import COMPILED, loads
from hypothesis import given
from hypothesis import strategies as st
from oracle import definition
from random_trees import EVERY, Case, Row, build, random_rows

import expectitree as et
from expectitree import Search
from expectitree.base.errors import ExpectitreeError
from expectitree.base.numbers import INFINITY, is_finite
from expectitree.base.rounding import UNIT as UNIT_OF_200_BITS
from expectitree.base.tree.columns import Bounds
from expectitree.searches.engine import search_tree

UTILITIES = ("0", "1", "-1", "1e301", "-1e301", "1e-300", "-1e-300", "3e-310", "-5e-324")
WEIGHTS = ((0, 1), (1, 3), *((1, 10**digits) for digits in (40, 100, 190)))
REFUSED = "beyond floating point"
MIN_FLOAT = Fraction(5e-324)
UNIT = Fraction(1, 2**53)


def extreme_tree(seed: int) -> et.Tree:
    """Return a tree with numbers at the limits of floats."""
    random = Random(seed)
    few = [*map(Fraction, random.sample(UTILITIES, random.randint(2, 4)))]
    weights = random.choice(WEIGHTS)
    return build(random_rows(random, 0, [0] * 9 + few, utilities=few, weights=weights), exact=True)


def claimed_eps(tree: et.Tree, bounds: Bounds | None = None, unit: Fraction = UNIT) -> Fraction:
    """Return the greatest eps that decision 0002 allows for a tree in fractions.

    On each ply, the end of an interval takes an operation for each outcome, and two more, and three
    times as much is claimed. No bound in it is greater than 1e5 times the greatest total.
    """
    assert tree.exact
    ends = [end for pair in (bounds or (), *tree.local_bounds.values()) for end in pair]
    size = max([tree.greatest_magnitude, *(abs(end) for end in ends if is_finite(end))])
    far = max(10**5 * max(map(abs, tree.total_ends)), tree.greatest_magnitude)
    size = Fraction(min(size, far))
    operations = (tree.heights[-1] + 1) * 3 * (tree.widest + 2)  # one ply for the numbers read
    return operations * size * unit * Fraction(102, 100) + operations * MIN_FLOAT


def check_value(search: Search, exact: Any, bounds: Bounds | None, tree: et.Tree) -> None:
    """Check that a search in fractions found the value, or is near it in 200 bits."""
    if search.tree.is_rounded:
        assert abs(search.value - exact) <= search.eps
        assert search.eps <= claimed_eps(tree, bounds, Fraction(UNIT_OF_200_BITS))
    else:
        assert search.value == exact
        assert search.eps == 0


@pytest.mark.slow
@given(tree=st.integers(0, 2**32 - 1).map(extreme_tree))
def test_floats_find_the_exact_value_within_eps(tree: et.Tree) -> None:
    exact = definition(tree.root)
    for chosen in EVERY:
        check_value(search_tree(tree, chosen), exact, None, tree)
    rounded, near = tree.floats, claimed_eps(tree)
    for search in [search_tree(rounded, chosen) for chosen in EVERY]:
        assert not search.tree.exact
        assert abs(Fraction(search.value) - exact) <= 2 * near
        assert search.eps <= near


@pytest.mark.slow
@given(seed=st.integers(0, 2**32 - 1), pays=st.booleans())
def test_every_algorithm_is_near_the_exact_value(seed: int, pays: bool) -> None:
    case = Case(seed, pays, rare=True)
    exact, near = definition(case.tree().root), claimed_eps(case.tree(), case.bounds)
    for chosen in EVERY:
        search = case.run(chosen, exact=False)
        assert abs(Fraction(search.value) - exact) <= 2 * near
        assert search.eps <= near


@pytest.mark.parametrize("engine", ["interpreted", COMPILED])
@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("max: [1e302, 0]", "1e+302"),
        ("chance: [{p: 1e-330, utility: 1}, {p: rest, utility: 0}]", "1e-330"),
    ],
)
def test_what_floats_cannot_hold_is_refused(text: str, number: str, engine: str) -> None:
    tree = et.loads(text)
    for chosen in EVERY:
        with pytest.raises(ExpectitreeError, match=REFUSED) as caught:
            search_tree(tree, chosen, engine=engine)
        assert number in str(caught.value)
        assert search_tree(tree, chosen).value == definition(tree.root)


SURE: list[tuple[str, str]] = [
    # Ties within eps in floats: next to 1e300, 1 and 0 are the same.
    ("max: {a: {chance: [1e300, -1e300]}, b: 1}", "1"),
    ("max: {a: {chance: {0.5: 1e300, rest: -1e300}}, b: {min: [1e300, {min: [5]}]}}", "5"),
    # Utilities that are all small keep their digits.
    ("max: {a: {chance: [1e-300, 3e-300]}, b: {min: [{min: [4e-300]}, 5e-300]}}", "4e-300"),
    ("max: {a: {chance: [5e-324, 0]}, b: {min: [4e-323, {min: [2e-323, 3e-323]}]}}", "2e-323"),
    # Each number is at most 1e301, and totals may be greater.
    ("max: [{reward: 1e301, max: [{reward: 1e301, utility: -1e301}]}]", "1e301"),
    ("min: [{reward: 1e301, max: [{reward: 1e301, utility: 1e301}]}]", "3e301"),
    # An outcome of 1e-40 counts if its utility is great enough.
    (
        "chance: {0.5: 0, rest: {chance: [{p: 1e-40, utility: 1e300}, {p: rest, utility: 0}]}}",
        "5e259",
    ),
]


@pytest.mark.parametrize(("text", "value"), SURE)
def test_values_within_eps(text: str, value: str) -> None:
    tree = et.loads(text)
    for chosen in EVERY:
        assert search_tree(tree, chosen).value == Fraction(value)
        search = search_tree(tree.floats, chosen)
        assert abs(search.value - float(value)) <= search.eps
        if max(map(abs, search.tree.total_ends)) < 1:
            assert search.value == pytest.approx(float(value), rel=1e-12)


FAR_ENDS = (1e3, 1e6, 1e9, 1e12, 1e14, 1e17, 1e25, 1e100, 1e300)


def with_far_bounds(seed: int) -> tuple[list[Row], Any]:
    """Return the rows of a tree whose bounds are far from all totals, and the root's bounds."""
    random = Random(seed)
    rewards = random.choice(((0,), (0,), (0, Fraction(-1, 3), 2)))
    far = random.choice(FAR_ENDS)

    def end() -> Any:
        return random.choice((far, far * random.uniform(0.5, 1), far, INFINITY))

    rows = [
        replace(row, bounds=(-end(), end())) if row.children and random.random() < 0.5 else row
        for row in random_rows(random, 0, rewards)
    ]
    return rows, random.choice(((-end(), end()), (-INFINITY, INFINITY), None))


@pytest.mark.slow
@given(seed=st.integers(0, 2**32 - 1))
def test_far_bounds_cost_no_digits(seed: int) -> None:
    """Someone who knows no bounds may write 1e15 or 1e99, for the root or any other node."""
    rows, bounds = with_far_bounds(seed)
    tree, rounded = build(rows, exact=True), build(rows, exact=False)
    exact = definition(tree.root)
    near = claimed_eps(tree, bounds)
    assert near <= Fraction(tree.greatest_magnitude) / 10**8 + 10**4 * MIN_FLOAT
    for chosen in EVERY:
        check_value(search_tree(tree, chosen, bounds=bounds), exact, bounds, tree)
        search = search_tree(rounded, chosen, bounds=bounds, engine="interpreted")
        assert search.eps <= near
        assert abs(Fraction(search.value) - exact) <= 2 * near


FAR = "{bounds: [0, 1e12], max: [5, {chance: [{min: [1]}, {bounds: [0, 2], min: [1, 2]}]}]}"


def test_a_chance_node_is_cut_once_no_far_bound_is_left() -> None:
    """The first outcome is worth 1, so the node is worth at most (1 + 2) / 2 < 5."""
    for exact in (False, True):
        assert search_tree(loads(FAR, exact=exact), "star1").counts.leaves_visited == 2


@pytest.mark.parametrize("bounds", [(math.nan, 1), (0, math.nan), (math.nan, math.nan)])
def test_nan_is_no_bound(bounds: tuple[float, float]) -> None:
    with pytest.raises(et.SearchError, match="NaN is not a bound: give numbers, or inf or -inf"):
        et.evaluate(et.loads("max: [1]"), "star1", bounds=bounds)
