"""The trace of a cohort: probabilities of entering nodes that repeat, by matrices."""

from __future__ import annotations

import pytest
from files.test_repetition import COHORT, PUT

import expectitree as et


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
    assert et.reach(et.loads(PUT), "t").to_records()[1]["t"] == 1


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
