"""What `verify` reports about expectations that do not hold."""

from __future__ import annotations

import pytest

import expectitree as et


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (
            "{expect: {best: a}, chance: {a: 1, b: 2}}",
            "the root is not a player's, so it has no best action: remove `best`",
        ),
        ("{expect: {best: b}, max: {a: 1, b: 1}}", "it is worth as much, and comes later"),
        ("{expect: {value: 0.33}, max: [1/3]}", "only the digits written agree: write 1/3"),
        ("{expect: {value: 2}, max: [1/3]}", ""),
    ],
)
def test_a_hint_explains_why_an_expectation_does_not_hold(text: str, hint: str) -> None:
    report = et.verify(et.loads(text))
    (check,) = report.checks
    assert (check.kept, check.hint) == (False, hint)
    assert et.to_text(report).splitlines()[1].endswith(f"({hint})" if hint else "found 1/3")


def test_an_unknown_path_has_the_error_as_its_hint() -> None:
    text = "{expect: {values: {x: 1}, star1: {skipped: [a, x]}}, max: {a: 1, b: 2}}"
    report = et.verify(et.loads(text))
    assert [check.found for check in report.checks] == ["no such node", "visited", "no such node"]
    assert [check.hint[:9] for check in report.checks] == ["no node x", "", "no node x"]
    assert report.checks[0].replacement is report.checks[2].replacement is None


def test_a_value_by_path_includes_what_the_branch_pays() -> None:
    expect = "{value: 12, values: {a: 3, b/x: 5, b: 12}}"
    paid = "{reward: 7, chance: {x: {reward: 2, utility: 3}, y: 5}}"
    text = f"{{expect: {expect}, reward: 1, max: {{a: {{cost: 1, utility: 4}}, b: {paid}}}}}"
    found = {check.what: check.found for check in et.verify(et.loads(text)).broken}
    assert found == {"value": "13"}
