"""Opponents that make mistakes: against the definition, evaluated in fractions for each epsilon."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from helpers import for_each, loads
from oracle import ExactNode, best_actions, definition, exact_root
from random_trees import REWARDS, build, random_rows

import expectitree as et
from expectitree import Kind, Tree, TreeBuilder
from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import to_digits
from expectitree.decide.algebra.polynomials import TOLERANCE
from expectitree.decide.opponents import report as module
from expectitree.decide.opponents.mistakes import replace_opponent
from expectitree.decide.opponents.report import Opponents, opponents
from expectitree.decide.sensitivity import parameters
from expectitree.decide.sensitivity.decisions import Threshold

F = Fraction

# As functions of epsilon: A is 32 e, B is 32 e - 16 (e - 1/4)(e - 3/4).
A = "{min: [0, 64]}"
B = "{min: [{min: [-3, 61]}, 29]}"


def worth(node: ExactNode, epsilon: Fraction) -> Any:
    """Return the value of a node by definition, where MIN makes mistakes."""

    def of_min(values: list[Any]) -> Any:
        return (1 - epsilon) * min(values) + epsilon * sum(values) / len(values)

    return definition(node, of_min)


def value(tree: Tree, epsilon: Fraction) -> Any:
    return tree.root_reward + worth(exact_root(tree), epsilon)


def best_at(tree: Tree, epsilon: Fraction) -> tuple[str, ...]:
    return best_actions(exact_root(tree), lambda node: worth(node, epsilon))


def predicted(report: Opponents, epsilon: Fraction) -> tuple[str, ...] | None:
    """Return the best actions by a report; None within the interval of a crossing."""
    best = report.rows[0].ties
    for crossing in report.crossings:
        if epsilon < crossing.lower:
            break
        if epsilon <= crossing.upper:
            return crossing.at if crossing.exact is not None else None
        best = crossing.after
    return best


def report_of(text: str, exact: bool = True, **options: Any) -> Opponents:
    return opponents(loads(text, exact=exact), **options)


def report_text(report: Opponents) -> str:
    """Return the report as text, with single blanks."""
    return " ".join(et.to_text(report, width=200).split())


def only(report: Opponents) -> Threshold:
    assert len(report.crossings) == 1
    return report.crossings[0]


KINDS = (*[Kind.MAX] * 2, *[Kind.MIN] * 3, Kind.CHANCE)


def random_tree(seed: int, pays: bool = False) -> Tree:
    """Return an exact tree with a player at the root, many MIN nodes, and some shared nodes.

    With `pays`, branches have rewards.
    """
    random = Random(seed)
    rewards = random.choice(REWARDS) if pays else (0,)
    while True:
        rows = random_rows(random, 0, rewards, kinds=KINDS)
        if len(rows) > 12 and rows[-1].kind != Kind.CHANCE and len(rows[-1].children) > 1:
            return replace(build(rows, exact=True), root_reward=F(5 if pays else 0))


def test_bad_arguments_are_refused() -> None:
    for epsilon in (-0.1, 1.1, float("nan"), F(3, 2)):
        for exact in (False, True):
            with pytest.raises(AnalysisError, match="from 0 to 1"):
                opponents(loads("min: [1, 2]", exact=exact), (epsilon,))


# ---- Against the definition.


def check(tree: Tree, steps: int = 29) -> Opponents:
    report = opponents(tree, (F(1, 7), F(3, 4)), exact=True)
    assert report.complete
    assert [row.opponent for row in report.rows] == ["perfect", "fallible", "fallible", "random"]
    for row in report.rows:
        assert isinstance(row.epsilon, Fraction)
        assert row.value == value(tree, row.epsilon)
        assert row.ties == best_at(tree, row.epsilon)
    for i in range(steps + 1):
        best = predicted(report, F(i, steps))
        assert best is None or best == best_at(tree, F(i, steps))
    check_crossings(report, tree)
    return report


def check_crossings(report: Opponents, tree: Tree) -> None:
    best = None
    for crossing in report.crossings:
        assert 0 <= crossing.lower <= crossing.upper <= 1
        assert crossing.upper - crossing.lower <= TOLERANCE
        assert {*crossing.before, *crossing.after} <= {*crossing.at}
        assert len(crossing.at) > 1
        assert not crossing.before == crossing.at == crossing.after
        ends = [value(tree, end) for end in (crossing.lower, crossing.upper)]
        if crossing.exact is None:  # the value has 17 digits, and grows with epsilon
            assert to_digits(ends[0]) <= crossing.value <= to_digits(ends[1])
        else:
            assert crossing.value == ends[0]
        assert best is None or best == crossing.before
        best = crossing.after
        if crossing.exact is None:
            assert best_at(tree, crossing.lower) == crossing.before
            assert best_at(tree, crossing.upper) == crossing.after
        else:
            assert best_at(tree, crossing.exact) == crossing.at


@for_each("seed", range(20), range(20, 200))
def test_random_trees_with_rewards_agree_with_the_definition(seed: int) -> None:
    check(random_tree(seed, pays=seed % 2 == 0), steps=7)


def test_floats_count_as_the_decimals_that_they_print_as() -> None:
    for seed in range(60):
        exact = random_tree(seed)
        if any(u.denominator == 3 for u in exact.columns.utility if u == u):
            continue  # no decimal is a third
        one, other = opponents(exact, (0.25,)), opponents(exact.floats, (0.25,))
        assert one.crossings == other.crossings
        for row, again in zip(one.rows, other.rows, strict=True):
            assert float(row.value) == pytest.approx(again.value)
            assert set(row.ties) <= set(again.ties)


# ---- By hand.


def test_a_crossing_near_zero_has_three_digits() -> None:
    text = "max: [1e-15, {min: [{max: [0, {min: [-1e-14, 1]}]}, {chance: [0, 1e-13]}]}]"
    crossing = only(report_of(text))
    assert crossing.exact is None
    assert F(1, 10**15) < crossing.lower < F(1, 10**10)
    assert crossing.lower * 100 >= crossing.upper - crossing.lower


@pytest.mark.slow
def test_crossings_of_large_trees_are_not_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    builder = TreeBuilder()
    chain = builder.terminal(1)
    for n in range(100_000):
        chain = (builder.min if n % 2 else builder.max)([chain, n % 7])
    report = opponents(builder.build(chain))
    for row in report.rows:
        value = 1.0
        for n in range(100_000):
            low, high = sorted((value, float(n % 7)))
            value = low + (high - low) * float(row.epsilon) / 2 if n % 2 else high
        assert row.value == pytest.approx(value)
    assert not report.complete
    assert "were not computed: the tree is too large" in report_text(report)
    builder = TreeBuilder()
    chain = builder.terminal(0)
    for _ in range(100):
        chain = builder.min([chain, 1])
    report = opponents(builder.build(builder.max([chain, 0.5])))
    assert (report.complete, report.crossings) == (False, [])
    for place, name, limit in ((parameters, "MAX_BITS", 3), (module, "MAX_STEPS", -1)):
        with monkeypatch.context() as patch:
            patch.setattr(place, name, limit)
            report = report_of(f"max: [{A}, {B}]")
            assert (report.complete, report.crossings, len(report.rows)) == (False, [], 3)
            assert "the decision changes were not computed: " in report_text(report)


def test_a_wrong_crossing_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "replace_opponent", lambda tree, _: replace_opponent(tree, 0))
    with pytest.raises(AnalysisError, match="this is a defect of expectitree"):
        report_of(f"max: [{A}, {B}]")
