"""The trace of a cohort: probabilities of entering nodes that repeat, by matrices."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import pytest
from files.test_repetition import COHORT, PUT

import expectitree as et
from tests.helpers import for_each


def test_a_cohort_is_traced_as_a_matrix_power() -> None:
    found = et.reach(et.loads(COHORT), "cycle", exact=True)
    assert [one.action for one in found.actions] == ["usual", "new"]
    for one in found.actions:
        well, ill, ended = 1.0, 0.0, 0.0
        for cycle, stage in enumerate(one.stages):
            assert stage.number == cycle
            shares = [*map(float, (*stage.entered.values(), stage.ended))]
            assert shares == pytest.approx([well, ill, ended])
            p = 0.1 if one.action == "new" and cycle < 2 else 0.2
            well, ill, ended = well * (1 - p), well * p + ill * 0.7, ended + ill * 0.3
        assert len(one.stages) == 13


def test_a_trace_follows_the_best_actions() -> None:
    hold = et.reach(et.loads(PUT), "t", exact=True).actions[1]
    assert [stage.number for stage in hold.stages] == [1, 2, 3]
    assert all(sum(stage.entered.values()) + stage.ended == 1 for stage in hold.stages)
    assert et.reach(et.loads(PUT), "t").to_records()[0]["t"] == 1


@pytest.mark.parametrize(
    ("text", "counter", "message"),
    [
        (COHORT, "cycl", "did you mean 'cycle'.*the counters are cycle"),
        (COHORT, "new", "no node repeats by 'new'"),
        ("max: [1, 2]", "t", "a node that repeats has one, as in `until: cycle = 20`"),
    ],
)
def test_another_name_is_refused(text: str, counter: str, message: str) -> None:
    with pytest.raises(et.AnalysisError, match=message):
        et.reach(et.loads(text), counter)


@for_each("seed", range(15), range(15, 200))
def test_a_member_of_a_cohort_is_in_one_state_or_has_ended(seed: int) -> None:
    """Some nodes end early by their own `until`, or lead to shared nodes that do not repeat."""
    rng = random.Random(seed)
    names, last = ["a", "b", "c"], rng.randint(1, 4)
    most = {name: rng.randint(1, 3) for name in names}  # of k
    others = {"dead": "utility: 0", "gone": "chance: {x: 1, y: {ref: dead}}", "late": "utility: t"}
    ways, text = {}, ["parameters: {t: 0, k: 0}", "nodes:"]
    text += [f"  {name}: {{{node}}}" for name, node in others.items()]
    for name in names:
        targets = rng.choices([*names, *names, *others], k=3)
        ways[name] = [(target, rng.randint(0, 1)) for target in targets]
        text += [f"  {name}:", f"    until: t = {last} or k >= {most[name]}"]
        text += ["    utility: k", "    chance:"]
        for target, more in ways[name]:
            step = f", with: {{t: t + 1, k: k + {more}}}" * (target in names)
            step = ", with: {t: t + 1}" if target == "late" else step
            text.append(f"      - {{ref: {target}{step}}}")
    text.append("max: {one: {ref: a}, two: {chance: [{ref: b}, {ref: dead}]}, three: {ref: dead}}")

    def rows(start: Counter[tuple[str, int]], ended: Fraction) -> list[list[Fraction]]:
        found = []
        for t in range(last + 1):
            shares = [sum(p for (n, _), p in start.items() if n == name) for name in shown]
            if sum(shares):
                found.append([t, *shares, ended])
            after = Counter[tuple[str, int]]()
            for (name, k), p in start.items():
                is_over = k >= most.get(name, 0)
                for target, more in [] if is_over else ways[name]:
                    if target in (*names, "late"):
                        after[target, k + more * (target != "late")] += p / 3
                    else:
                        ended += p / 3
                ended += p * is_over
            start = after
        return found

    found = et.reach(et.loads("\n".join(text)), "t", exact=True)
    shown, half = found.names, Fraction(1, 2)
    expected = [
        rows(Counter({("a", 0): Fraction(1)}), Fraction(0)), rows(Counter({("b", 0): half}), half),
        [],
    ]  # fmt: skip
    for action, traced in zip(found.actions, expected, strict=True):
        stages = [[s.number, *s.entered.values(), s.ended] for s in action.stages]
        assert stages == traced
        assert all(sum(row[1:]) == 1 for row in stages)
