"""Searches at the limits of floating point: the value is right, or a message refuses the tree.

These are the claims of docs/decisions/0002-tolerance.md:

- In exact numbers, every algorithm finds the value itself, however great or small the numbers.
- In floats, every algorithm finds the exact value within a few eps. `eps` is 1e-9 of the greatest
  total of a play, or 1e-14 of the greatest total that a node may receive. So next to 1e300, smaller
  numbers are rounding errors; alone, utilities of 1e-300 keep their digits, however far the bounds
  are.
- A number above 2^1000, or a positive probability that floats round to 0, is refused with the
  advice to use --exact. Totals may be greater than each of their numbers.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from helpers import loads
from hypothesis import given
from hypothesis import strategies as st
from oracle import definition
from random_trees import EVERY, Case, Row, build, random_rows

import expectitree as et
from expectitree.errors import ExpectitreeError
from expectitree.numbers import INFINITY
from expectitree.searches import star_minimax
from expectitree.searches.engine import search_tree

UTILITIES = ("0", "1", "-1", "1e301", "-1e301", "1e-300", "-1e-300", "3e-310", "-5e-324")
SMALL = ("1e-40", "1e-160", "1e-300", "1e-310", "5e-324", "0", "0.25")
REFUSED = "use --exact"
LEAST_FLOAT = Fraction(5e-324)


def random_text(seed: int) -> str:
    """Return a small tree with numbers at the limits of floats, MIN below MIN included."""
    random = Random(seed)
    few = random.sample(UTILITIES, random.randint(2, 4))

    def node(depth: int) -> str:
        paid = f"reward: {random.choice(few)}, " if random.random() < 0.1 else ""
        if depth == 0 or random.random() < 0.1:
            return f"{{{paid}utility: {random.choice(few)}}}"
        kind = random.choice(("max", "min", "chance", "chance"))
        children = [node(depth - 1) for _ in range(random.randint(1, 3))]
        if kind == "chance":
            shares = [random.choice(SMALL) for _ in children[1:]]
            children = [
                child.replace("{", f"{{p: {p}, ", 1)
                for child, p in zip(children, ["rest", *shares], strict=True)
            ]
        return f"{{{paid}{kind}: [{', '.join(children)}]}}"

    return node(4)


def claimed_eps(tree: et.Tree) -> Fraction:
    """Return the greatest eps that decision 0002 allows for a tree in exact numbers."""
    total = max(map(abs, tree.total_range))
    least = max(total / 10**9, Fraction(tree.greatest_magnitude) / 10**14)
    return least * (1 + Fraction(1, 10**6)) + LEAST_FLOAT


@given(text=st.integers(0, 2**32 - 1).map(random_text))
def test_floats_find_the_exact_value_within_eps(text: str) -> None:
    tree = et.loads(text)
    exact = tree.root_reward + definition(tree.root)
    for chosen in EVERY:
        assert search_tree(tree, chosen).value == exact
    rounded = et.loads(text)
    for search in [search_tree(rounded, chosen) for chosen in EVERY]:
        assert abs(Fraction(search.value) - exact) <= 10 * claimed_eps(tree)
        assert search.eps <= claimed_eps(tree)


@given(seed=st.integers(0, 2**32 - 1), pays=st.booleans())
def test_every_algorithm_is_near_the_exact_value(seed: int, pays: bool) -> None:
    case = Case(seed, pays, rare=True)
    exact = definition(case.tree().root)
    for chosen in EVERY:
        search = case.run(chosen, exact=False)
        assert abs(Fraction(search.value) - exact) <= 10 * claimed_eps(case.tree())
        assert search.eps <= claimed_eps(case.tree())


def test_the_random_texts_have_what_they_are_for() -> None:
    """No other test would fail if the generator lost a feature."""
    texts = [random_text(seed) for seed in range(300)]
    for part in ("min: [{min", "max: [{max", "reward: 1e301", *UTILITIES, *SMALL):
        assert sum(part in text for text in texts) > 5, part


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("max: [1e302, 0]", "1e302"),
        (
            "chance: [{p: 1e-330, utility: 1}, {p: rest, utility: 0}]",
            "too small for floating point",
        ),
    ],
)
def test_what_floats_cannot_hold_is_refused(text: str, message: str) -> None:
    for chosen in EVERY:
        with pytest.raises(ExpectitreeError, match=message) as caught:
            search_tree(et.loads(text), chosen)
        assert REFUSED in str(caught.value)
        tree = et.loads(text)
        assert search_tree(tree, chosen).value == definition(tree.root)


SURE: list[tuple[str, Any]] = [
    # Ties within eps: next to 1e300, 1 and 0 are the same.
    ("max: {a: {chance: [1e300, -1e300]}, b: 1}", 0),
    ("max: {a: {chance: {0.5: 1e300, rest: -1e300}}, b: {min: [1e300, {min: [5]}]}}", 5),
    # Utilities that are all small keep their digits.
    ("max: {a: {chance: [1e-300, 3e-300]}, b: {min: [{min: [4e-300]}, 5e-300]}}", 4e-300),
    ("max: {a: {chance: [5e-324, 0]}, b: {min: [4e-323, {min: [2e-323, 3e-323]}]}}", 2e-323),
    # Each number is at most 1e301, and totals may be greater.
    ("max: [{reward: 1e301, max: [{reward: 1e301, utility: -1e301}]}]", 1e301),
    ("min: [{reward: 1e301, max: [{reward: 1e301, utility: 1e301}]}]", 3e301),
    # An outcome of 1e-40 counts if its utility is great enough.
    (
        "chance: {0.5: 0, rest: {chance: [{p: 1e-40, utility: 1e300}, {p: rest, utility: 0}]}}",
        5e259,
    ),
]


@pytest.mark.parametrize(("text", "value"), SURE)
def test_values_within_eps(text: str, value: Any) -> None:
    for chosen in EVERY:
        search = et.evaluate(et.loads(text), chosen)
        assert abs(search.value - value) <= search.eps
        if max(map(abs, search.tree.total_range)) < 1:
            assert search.value == pytest.approx(value, rel=1e-12)


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


@given(seed=st.integers(0, 2**32 - 1))
def test_far_bounds_cost_no_digits(seed: int) -> None:
    """Someone who knows no bounds may write 1e15 or 1e99, for the root or any other node."""
    rows, bounds = with_far_bounds(seed)
    tree, rounded = build(rows, exact=True), build(rows, exact=False)
    exact = definition(tree.root)
    near = claimed_eps(tree)
    for chosen in EVERY:
        assert search_tree(tree, chosen, bounds=bounds).value == exact
        search = search_tree(rounded, chosen, bounds=bounds, engine="interpreted")
        assert search.eps <= near
        assert abs(Fraction(search.value) - exact) <= 10 * near


@given(seed=st.integers(0, 2**32 - 1))
def test_far_bounds_cost_no_digits_with_an_attitude(seed: int) -> None:
    rows, bounds = with_far_bounds(seed)
    tree = build(rows, exact=False)
    far = max(map(abs, tree.total_range)) or 1.0
    for text in (f"exponential={far / 3}", f"logarithmic={3 * far}", f"utility=x^3+{far * far}*x"):
        risky = tree.with_attitude(text)
        value = search_tree(risky).value
        for chosen in ("star1", "star2", "best-first"):
            search = search_tree(risky, chosen, bounds=bounds, engine="interpreted")
            assert abs(search.value - value) <= 1000 * search.eps


FAR = "{bounds: [0, 1e12], max: [5, {chance: [{min: [1]}, {bounds: [0, 2], min: [1, 2]}]}]}"
FAR_MIRRORED = (
    "{bounds: [-1e12, 0], min: [-5, {chance: [{max: [-1]}, {bounds: [-2, 0], max: [-1, -2]}]}]}"
)


@pytest.mark.parametrize("text", [FAR, FAR_MIRRORED])
def test_a_chance_node_is_cut_once_no_far_bound_is_left(text: str) -> None:
    """The first outcome is worth 1, so the node is worth at most (1 + 2) / 2 < 5."""
    for exact in (False, True):
        assert search_tree(loads(text, exact=exact), "star1").counts.leaves_visited == 2


@given(case=st.builds(Case, seed=st.integers(0, 2**32 - 1)))
def test_without_far_bounds_no_sum_is_added_up_anew(case: Case) -> None:
    """That would take quadratic time."""

    def add(*arguments: object) -> None:
        raise AssertionError("added up anew")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(star_minimax, "sum_anew", add)
        for chosen in ("star1", "star2"):
            search = search_tree(case.tree(exact=False), chosen, engine="interpreted")
            assert search.value is not None


@pytest.mark.parametrize("bounds", [(math.nan, 1), (0, math.nan), (math.nan, math.nan)])
def test_nan_is_no_bound(bounds: tuple[float, float]) -> None:
    with pytest.raises(et.SearchError, match="NaN is no bound: give numbers, or inf or -inf"):
        et.evaluate(et.loads("max: [1]"), "star1", bounds=bounds)
