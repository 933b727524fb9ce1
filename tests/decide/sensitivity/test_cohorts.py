"""Cohorts of many cycles, whose transitions are irrational: the analyses agree."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from helpers import for_each

import expectitree as et
from expectitree.decide.sensitivity.parameters import range_of
from expectitree.decide.sensitivity.sampling import Sampler


def cohort(seed: int, cycles: int = 18) -> et.Tree:
    """Return a decision between treatments of random cohorts with three states."""
    random = Random(seed)
    nodes, actions = [], []
    for i in range(random.randint(2, 4)):
        for t in range(cycles, 0, -1):
            after = f"ref: {{}}{i}x{t + 1}" if t < cycles else "utility: 0"
            well, ill = after.format("well"), after.format("ill")
            amounts = f"{{cost: (c + {i * 400})/(1 + d)^{t}, effect: u/(1 + d)^{t}}}"
            nodes += [
                f"  well{i}x{t}: {{chance: {{well: {{p: rest, reward: {{effect: 1/(1 + d)^{t}}}, "
                f"{well}}}, ill: {{p: 1 - exp(-r/{1 + i}), reward: {amounts}, {ill}}}}}}}",
                f"  ill{i}x{t}: {{chance: {{ill: {{p: exp(-0.3), reward: {amounts}, {ill}}}, "
                "dead: {p: rest, utility: 0}}}",
            ]
        actions.append(
            f"{'abcd'[i]}: {{reward: {{cost: {random.randint(0, 900) * i}}}, ref: well{i}x1}}"
        )
    text = f"""parameters:
  wtp: {{value: 900, range: [0, 5000]}}
  r: {{value: 0.{random.randint(10, 40)}, range: [0.05, 0.5]}}
  u: {{value: 0.5, range: [0.1, 0.9]}}
  c: {{value: {random.randint(100, 900)}, range: [50, 1000]}}
  d: {{value: 0.03, range: [0, 0.06]}}
criteria: [cost, effect]
objective: wtp*effect - cost
nodes:
""" + "\n".join(nodes)
    return et.loads(f"{text}\nmax: {{{', '.join(actions)}}}")


@pytest.mark.parametrize("name", ["wtp", "u", "c", "r"])
@for_each("seed", range(1), range(1, 4))
def test_thresholds_of_cohorts(name: str, seed: int) -> None:
    tree = cohort(seed)
    found = et.sensitivity(tree, name)
    assert found.method == ("sampled" if name == "r" else "60 digits")
    for threshold in found.thresholds:
        if threshold.before and threshold.after:
            width = (found.range.high - found.range.low) / 10**5
            for place, best in (
                (threshold.middle - width, threshold.before),
                (threshold.middle + width, threshold.after),
            ):
                assert et.evaluate(tree.with_parameters(**{name: place})).ties == best
    _, sampled = Sampler(tree, range_of(tree, name)).sample()
    assert [float(one.middle) for one in sampled] == pytest.approx(
        [float(one.middle) for one in found.thresholds if one.before and one.after]
    )
    bar = et.tornado(tree, [name]).bars[0]
    assert [float(one.middle) for one in bar.changes] == pytest.approx(
        [float(one.middle) for one in sampled]
    )
    for place, value in ((bar.least_at, bar.least), (bar.greatest_at, bar.greatest)):
        expected = et.evaluate(tree.with_parameters(**{name: place})).value
        assert float(value) == pytest.approx(float(expected), rel=1e-9)


@for_each("seed", range(1), range(1, 6))
def test_the_frontier_of_a_cohort_has_the_thresholds_of_its_weight(seed: int) -> None:
    tree = cohort(seed)
    found, one = et.frontier(tree), et.sensitivity(tree, "wtp", range=(0, 10**7))
    assert [float(strategy.start) for strategy in found.best[1:]] == pytest.approx(
        [float(threshold.middle) for threshold in one.thresholds]
    )
    assert [strategy.action for strategy in found.best] == [p.best[0] for p in one.pieces]


@pytest.mark.slow
def test_a_cohort_of_75_cycles_has_thresholds_to_60_digits() -> None:
    found = et.sensitivity(cohort(2, 75), "wtp")
    assert (found.method, found.reason) == ("60 digits", "")
    assert all(threshold.exact != Fraction(0) for threshold in found.thresholds)
