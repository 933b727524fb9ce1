"""Attitudes to risk: certainty equivalents against the definition, the mirror, the numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from helpers import cases, load, loads
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import gain_sign
from random_trees import BEST_FIRST, PRUNED, Case, in_numbers

import expectitree as et
from expectitree import Kind, Node, Search, Tree, evaluate
from expectitree.base.algorithms import Algorithm
from expectitree.base.errors import FileError, SearchError, TreeError
from expectitree.base.numbers import INFINITY
from expectitree.base.tree.attitude import read_attitude
from expectitree.searches.engine import search_tree

PRECISE = Context(prec=80)
TOLERANCES = ("1", "-1", "7", "-40", "1e6", "-1e6", "0.02")
CASES = st.builds(Case, seed=st.integers(0, 2**32 - 1), pays=st.booleans())

U = Callable[[Decimal], Decimal]


def exponential(r: Decimal) -> tuple[U, U]:
    """Return u and its inverse, in 80 digits."""
    sign = 1 if r > 0 else -1
    return (lambda x: -sign * (-x / r).exp()), (lambda u: -r * (-sign * u).ln())


def expected_utility(node: Node, paid: Decimal, u: U) -> Decimal:
    """Return the expected utility of optimal play below a node, by enumerating it."""
    if node.utility is not None:
        return u(paid + Decimal(node.utility))
    below = [
        expected_utility(branch.child, paid + Decimal(branch.reward), u) for branch in node.branches
    ]
    if node.kind == Kind.CHANCE:
        shares = [Decimal(branch.p) for branch in node.branches]
        # Floats may sum to 1 only by rounding.
        return sum(p * w for p, w in zip(shares, below, strict=True)) / sum(shares, Decimal(0))
    return max(below) if node.kind == Kind.MAX else min(below)


def certainty(node: Node, u: U, inverse: U, paid: Any = 0) -> float:
    """Return u^-1 of the expected utility: what the certainty equivalent is defined as.

    A utility is that of a gain, which is minus the total if MIN is the decision maker.
    """
    sign = gain_sign(node.tree)
    with localcontext(PRECISE):
        expected = expected_utility(node, Decimal(paid), lambda x: sign * u(sign * x))
        return float(sign * inverse(sign * expected))


def with_tolerance(tree: Tree, r: str) -> Tree:
    return replace(tree, attitude=read_attitude(f"exponential={r}"))


def run(case: Case, r: str, mirror: bool = False) -> Search:
    tree = with_tolerance(case.tree(False, mirror), r)
    return evaluate(tree, bounds=case.bounds and in_numbers(case.bounds, False, mirror))


@given(case=CASES, r=st.sampled_from(TOLERANCES))
def test_the_mirror_negates_each_value(case: Case, r: str) -> None:
    """If one player decides, his tolerance is that of the other one in the mirror.

    Otherwise totals are gains of MAX in both trees, so the mirror has minus the tolerance.
    """
    signs = [gain_sign(case.tree(False, mirror)) for mirror in (False, True)]
    other = f"{float(r) * -signs[0] * signs[1]!r}"
    assert [-x for x in run(case, other, mirror=True).lower] == list(run(case, r).upper)


# Each attitude with its utility function and the inverse.
ROUNDED: dict[str, tuple[U, U]] = {
    "exponential=50": exponential(Decimal(50)),
    "exponential=-30": exponential(Decimal(-30)),
    "exponential=1000000": exponential(Decimal(10**6)),
    "logarithmic=210": (lambda x: (x + 210).ln(), lambda u: u.exp() - 210),
    "logarithmic=10000000": (lambda x: (x + 10**7).ln(), lambda u: u.exp() - 10**7),
    "utility=sqrt(x+100)": (lambda x: (x + 100).sqrt(), lambda u: u * u - 100),
    # The differences of utilities are much smaller than the roots.
    "utility=sqrt(x+500)": (lambda x: (x + 500).sqrt(), lambda u: u * u - 500),
    "utility=sqrt(x+1000000)": (lambda x: (x + 10**6).sqrt(), lambda u: u * u - 10**6),
}


@pytest.mark.slow
@pytest.mark.parametrize("attitude", ROUNDED)
def test_rounding_errors_stay_within_eps(attitude: str) -> None:
    for seed in range(120):
        tree = Case(seed).tree(False)
        if min(gain_sign(tree) * end for end in tree.total_ends) < -100:
            continue  # x + 100 has no root there
        tree = tree.with_attitude(attitude)
        found = evaluate(tree)
        expected = certainty(tree.root, *ROUNDED[attitude])
        assert abs(found.value - expected) <= found.eps + abs(expected) * 1.2e-16 + 1e-40, seed


# ---- Attitudes that depend on what was paid earlier.


def logarithm(w: Decimal) -> tuple[U, U]:
    return (lambda x: (x + w).ln()), (lambda u: u.exp() - w)


def piecewise(points: list[tuple[int, int]]) -> tuple[U, U]:
    def line(pairs: list[tuple[int, int]]) -> U:
        def between(x: Decimal) -> Decimal:
            for (a, u), (b, v) in pairwise(pairs):
                if x <= b or b == pairs[-1][0]:
                    return Decimal(u) + (x - Decimal(a)) * Decimal(v - u) / Decimal(b - a)
            raise AssertionError

        return between

    return line(points), line([(u, x) for x, u in points])


POINTS = [(-3000, -50), (-5, 0), (1, 9), (100, 20), (3000, 400)]
ATTITUDES = {
    **{f"exponential={r}": exponential(Decimal(r)) for r in TOLERANCES},
    "logarithmic=5000": logarithm(Decimal(5000)),
    "points=" + ",".join(f"{x}:{u}" for x, u in POINTS): piecewise(POINTS),
}


@given(case=CASES, text=st.sampled_from([*ATTITUDES]), reward=st.sampled_from((0, 7, -300)))
@settings(max_examples=50)
def test_each_value_is_the_certainty_equivalent(case: Case, text: str, reward: int) -> None:
    """Without the root's reward, on which values of logarithms and points depend."""
    tree = replace(case.tree(False), attitude=read_attitude(text), root_reward=float(reward))
    search = evaluate(tree, bounds=case.bounds and in_numbers(case.bounds, False))
    for n in range(len(search.tree)):
        value = certainty(search.tree.node(n), *ATTITUDES[text], reward) - reward
        assert search.lower[n] == search.upper[n]
        assert abs(search.lower[n] - value) <= 1000 * search.eps + 1e-8, n


@given(case=CASES)
@settings(max_examples=25)
def test_any_utility_function_finds_the_certainty_equivalent(case: Case) -> None:
    tree = replace(case.tree(False), attitude=read_attitude("utility=x^3/1000 + x + 7"))
    search = evaluate(tree, bounds=case.bounds and in_numbers(case.bounds, False))
    with localcontext(PRECISE):
        seven = 7 * gain_sign(tree)  # the other terms change their signs with x
        goal = expected_utility(tree.root, Decimal(0), lambda x: x**3 / 1000 + x + seven)
        found = Decimal(search.value)
        near = Decimal(10 * search.eps) * (1 + 3 * found**2 / 1000)
        assert abs(found**3 / 1000 + found + seven - goal) <= near + abs(goal) / 10**8


@given(case=CASES)
@settings(max_examples=30)
def test_points_are_exact(case: Case) -> None:
    text = "points=" + ",".join(f"{x}:{u}" for x, u in POINTS)
    tree = replace(case.tree(), attitude=read_attitude(text))
    value = search_tree(tree).value
    assert isinstance(value, (Fraction, int))
    with localcontext(PRECISE):
        assert abs(float(value) - certainty(tree.root, *piecewise(POINTS))) <= 1e-9


def test_what_was_paid_earlier_decides_at_a_shared_node() -> None:
    tree = loads(
        "nodes: {bet: {max: {pass: 0, play: {chance: [-9, 11]}}}}\n"
        "max: {rich: {reward: 1000, ref: bet}, poor: {ref: bet}}\nattitude: {logarithmic: 10}"
    )
    found = evaluate(tree)
    assert found.counts.total == 11  # the bet is evaluated with and without the 1000
    assert found.best == "rich"
    assert evaluate(loads("max: {pass: 0, play: {chance: [-9, 11]}}\nattitude: {logarithmic: 10}")
                    ).best == "pass"  # fmt: skip


# ---- Published numbers.

BID = """\
nodes:
  costs300: {chance: {1/4: 100, 50%: -100, 25%: -300}}
  costs500: {chance: {1/4: 300, 50%: 100, 25%: -100}}
  costs700: {chance: {1/4: 500, 50%: 300, 25%: 100}}
max:
  300: {ref: costs300}
  500: {chance: {0.35: 0, 0.5: {ref: costs500}, 0.15: {ref: costs500}}}
  700: {chance: {0.85: 0, 0.15: {ref: costs700}}}
  none: 0
"""
PUBLISHED = {
    "500": (55.205969, 46.192925, 37.932689, 30.369424, 23.435045,
            17.059969, 11.179425, 5.736366, 0.682183, -4.023832),
    "700": (36.620035, 30.328977, 25.563104, 21.903377, 19.048741,
            16.785671, 14.962826, 13.472262, 12.236194, 11.197883),
}  # fmt: skip


def test_the_published_certainty_equivalents_of_a_bid() -> None:
    tree = loads(BID)
    for i in range(10):
        found = evaluate(tree.with_attitude(f"exponential={750 / (i + 1)!r}"))
        for bid, published in PUBLISHED.items():
            assert abs(found.value_of(bid) - published[i]) <= 5e-7
    found = evaluate(tree.with_attitude("exponential=1000"))
    assert [round(found.value_of(bid), 2) for bid in ("300", "500", "700")] == [
        -109.98, 57.58, 38.49,
    ]  # fmt: skip


def test_the_tolerance_at_which_the_bid_changes() -> None:
    tree = loads(BID)
    assert evaluate(tree.with_attitude("exponential=123.6196")).best == "500"
    assert evaluate(tree.with_attitude("exponential=123.6194")).best == "700"


def test_risk_premium() -> None:
    found = evaluate(loads("chance: [0, 100]").with_attitude("exponential=100"))
    assert found.mean == 50
    assert found.risk_premium == found.mean - found.value > 0
    assert evaluate(loads("chance: [0, 100]")).risk_premium == 0
    assert evaluate(loads("chance: [0, 100]").with_attitude("exponential=-9")).risk_premium < 0


# ---- Refusals.


@pytest.mark.parametrize(
    ("text", "message"),
    cases("formulas", "attitudes"),
)
def test_what_is_not_an_attitude(text: str, message: str) -> None:
    with pytest.raises(TreeError, match=message):
        loads("chance: [0, 50]").with_attitude(text)


@pytest.mark.parametrize("exact", [False, True])
def test_an_attitude_is_checked_once_a_total_is_known(exact: bool) -> None:
    text = 'attitude: {logarithmic: 1}\nreward: 2\nchance: [{utility: "?"}, {utility: NUMBER}]'
    unknown = loads(text.replace("NUMBER", '"?"'), exact=exact)
    assert unknown.attitude == read_attitude("logarithmic=1")
    loads(text.replace("NUMBER", "-2.5"), exact=exact)
    with pytest.raises(FileError, match="the total -1 leaves 0 of the wealth 1"):
        loads(text.replace("NUMBER", "-3"), exact=exact)


def test_too_many_copies() -> None:
    levels = "\n".join(
        f"  n{i}: {{max: [{{reward: {2**i}, ref: n{i + 1}}}, {{ref: n{i + 1}}}]}}"
        for i in range(40)
    )
    tree = loads(f"nodes:\n{levels}\n  n40: {{chance: [0, 1]}}\nmax: [{{ref: n0}}]")
    assert evaluate(tree.with_attitude("exponential=1e9")).value > 2**40 - 1
    with pytest.raises(SearchError, match="without sharing the tree has"):
        evaluate(tree.with_attitude("logarithmic=9"))


@pytest.mark.extra
@pytest.mark.slow
def test_compiled_equals_interpreted() -> None:
    for seed in range(40):
        case = Case(seed, pays=seed % 2 == 1)
        for text in ("exponential=1", "exponential=-7", "exponential=1e6", "logarithmic=5000"):
            tree = replace(case.tree(False), attitude=read_attitude(text))
            one = evaluate(tree, engine="interpreted")
            other = evaluate(tree, engine="compiled")
            assert list(one.lower) == pytest.approx(list(other.lower), abs=1e-12)


# ---- What searches report besides the value.


def test_bounds_exclude_the_reward_of_the_root() -> None:
    text = "{reward: 100, max: {a: {reward: 3, chance: [0, 10]}, b: 4}}"
    for attitude in ("logarithmic=50", "exponential=50"):
        tree = loads(text).with_attitude(attitude)
        found = evaluate(tree, bounds=(0, 13))
        assert (found.bounds, found.best) == ((0, 13), "a")
        assert found.value == pytest.approx(100 + found.value_of("a"))
        assert 107 < found.value < 108
        assert found.mean == 108


@pytest.mark.parametrize("text", ["points=2:0,9:1", "logarithmic=0", "utility=log(x)"])
def test_bounds_may_be_outside_what_an_attitude_covers(text: str) -> None:
    tree = loads("{bounds: [-20, 30], max: [{chance: [2, 9]}, {chance: [3, 8]}]}")
    for bounds in (None, (-5, 100), (1, 10), (-INFINITY, INFINITY)):
        found = evaluate(tree.with_attitude(text), bounds=bounds)
        assert found.value == pytest.approx(evaluate(tree.with_attitude(text)).value)


# ---- What cannot search a tree with an attitude.


@pytest.mark.parametrize("chosen", [*PRUNED, *BEST_FIRST], ids=str)
@pytest.mark.parametrize("text", ["exponential=3", "logarithmic=20"])
def test_searches_that_prune_refuse(chosen: Algorithm, text: str) -> None:
    tree = load("example:ballard").with_attitude(text)
    with pytest.raises(SearchError) as error:
        evaluate(tree, chosen)
    assert str(error.value) == (
        f"found the attitude {text}, expected no attitude to risk for {chosen.full_name}: search "
        "the tree with -a expectiminimax, or remove the attitude with --attitude none "
        "(`with_attitude(None)` in Python)"
    )
    assert evaluate(tree.with_attitude(None), chosen).value == 6


def test_the_default_algorithms_are_those_that_can_search_the_tree() -> None:
    tree = load("example:ballard")
    assert len(et.compare(tree).rows) == len(et.ALGORITHMS)
    (row,) = et.compare(tree.with_attitude("exponential=3")).rows
    assert row.search.algorithm.name == "expectiminimax"
    with pytest.raises(SearchError, match="for star1: search the tree with -a expectiminimax"):
        et.compare(tree.with_attitude("exponential=3"), ["expectiminimax", "star1"])
