"""What `verify` reports about expectations that do not hold."""

from __future__ import annotations

import json

import pytest

import expectitree as et
from expectitree.analysis.verify.report import Hint
from expectitree.text.json_values import render as render_json


@pytest.mark.parametrize(
    ("text", "hint", "sentence"),
    [
        (
            "{expect: {best: a}, chance: {a: 1, b: 2}}",
            Hint.NO_BEST,
            "the root is not a player's, so it has no best action: remove `best`",
        ),
        (
            "{expect: {best: b}, max: {a: 1, b: 1}}",
            Hint.TIE,
            "it is worth as much, and comes later",
        ),
        (
            "{expect: {value: 0.33}, max: [1/3]}",
            Hint.DIGITS,
            "only the digits written agree: write 1/3",
        ),
        ("{expect: {value: 2}, max: [1/3]}", None, ""),
    ],
)
def test_a_hint_is_data_in_the_report_and_a_sentence_in_the_output(
    text: str, hint: Hint | None, sentence: str
) -> None:
    report = et.verify(et.loads(text))
    (check,) = report.checks
    assert (check.kept, check.hint) == (False, hint)
    (fields,) = json.loads(next(render_json([report])))["checks"]
    assert fields["hint"] == sentence
    assert et.to_text(report).splitlines()[1].endswith(f"({sentence})" if sentence else "found 1/3")


def test_an_unknown_path_has_the_error_as_its_hint() -> None:
    text = "{expect: {values: {x: 1}, star1: {skipped: [a, x]}}, max: {a: 1, b: 2}}"
    report = et.verify(et.loads(text))
    assert [check.found for check in report.checks] == ["no such node", "visited", "no such node"]
    assert [str(check.hint or "")[:9] for check in report.checks] == ["no node x", "", "no node x"]
    assert report.checks[0].replacement is report.checks[2].replacement is None


def test_a_value_by_path_includes_what_the_branch_pays() -> None:
    expect = "{value: 12, values: {a: 3, b/x: 5, b: 12}}"
    paid = "{reward: 7, chance: {x: {reward: 2, utility: 3}, y: 5}}"
    text = f"{{expect: {expect}, reward: 1, max: {{a: {{cost: 1, utility: 4}}, b: {paid}}}}}"
    found = {check.what: check.found for check in et.verify(et.loads(text)).broken}
    assert found == {"value": "13"}
