"""`expectitree trace`: each step as text and as JSON lines."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from helpers import error_of, invoke, rendered_lines
from random_trees import EVERY, Case, with_slow_variants

from expectitree.analysis.trace.json import render as trace_json
from expectitree.analysis.trace.report import Trace, trace
from expectitree.analysis.trace.text import render as trace_text
from expectitree.base.numbers import show_exact
from expectitree.page.steps import Moment

LEFT = "trees/aima-5.12-left.yaml"


def test_each_step_is_a_sentence() -> None:
    tree = "max: {safe: 3, risky: {chance: [{p: 0.25, min: [4, 9]}, {p: 0.75, min: [1, 0]}]}}"
    done = invoke("trace", "-a", "star1", "--bounds", "0,10", "-e", tree)
    assert done.stderr == ""
    assert done.stdout == (
        " 1  Enter ▲ / (MAX), in [0, 10]: alpha 0, beta 10\n"
        " 2    Visit safe: its utility is 3\n"
        " 3  So ▲ / is worth at least 3 (was 0)\n"
        " 4    Enter ● risky (CHANCE), in [0, 10]: alpha 3, beta 10\n"
        " 5      Enter ▼ risky/#1 (MIN), in [0, 10]: alpha −18, beta 40\n"
        "          alpha = (3 − 0.75·10) / 0.25 = −18\n"
        "          beta = (10 − 0.75·0) / 0.25 = 40\n"
        " 6        Visit risky/#1/#1: its utility is 4\n"
        " 7      So ▼ risky/#1 is worth at most 4 (was 10)\n"
        " 8        Visit risky/#1/#2: its utility is 9\n"
        " 9      Leave ▼ risky/#1: it is worth 4\n"
        "10    So ● risky is worth at least 0.25·4 + 0.75·0 = 1 (was 0)\n"
        "11    So ● risky is worth at most 0.25·4 + 0.75·10 = 8.5 (was 10)\n"
        "12      Enter ▼ risky/#2 (MIN), in [0, 10]: alpha 2.66667, beta 12\n"
        "          alpha = (3 − 0.25·4) / 0.75 = 2.66667\n"
        "          beta = (10 − 0.25·4) / 0.75 = 12\n"
        "13        Visit risky/#2/#1: its utility is 1\n"
        "14      So ▼ risky/#2 is worth at most 1 (was 10)\n"
        "15      Alpha cut after 1 of 2: ▼ risky/#2 is worth at most 1 ≤ alpha 2.66667\n"
        "16      Leave ▼ risky/#2: it fails low, at most 1 ≤ alpha 2.66667\n"
        "17    So ● risky is worth at most 0.25·4 + 0.75·1 = 1.75 (was 8.5)\n"
        "18    Leave ● risky: it fails low, at most 1.75 ≤ alpha 3\n"
        "19  Leave ▲ /: it is worth 3\n"
        "\n"
        "star1 visited 4 of 5 leaves, with 1 cut. The value is 3, and the best action is\n"
        "safe.\n"
    )


def test_backward_induction_has_a_line_for_each_value() -> None:
    tree = (
        "min: [{max: [1, 5]}, {chance: [1, 2, 6]}, "
        "{chance: [{p: 1/2, utility: -4}, {p: 1/2, max: [3]}]}]"
    )
    done = invoke("trace", "-e", tree)
    assert done.stdout == (
        " 1      Visit #1/#1: its utility is 1\n"
        " 2      Visit #1/#2: its utility is 5\n"
        " 3    ▲ #1 = max(1, 5) = 5\n"
        " 4      Visit #2/#1: its utility is 1\n"
        " 5      Visit #2/#2: its utility is 2\n"
        " 6      Visit #2/#3: its utility is 6\n"
        " 7    ● #2 = (1 + 2 + 6)/3 = 3\n"
        " 8      Visit #3/#1: its utility is −4\n"
        " 9        Visit #3/#2/#1: its utility is 3\n"
        "10      ▲ #3/#2 = max(3) = 3\n"
        "11    ● #3 = ((−4) + 3)/2 = −0.5\n"
        "12  ▼ / = min(5, 3, −0.5) = −0.5\n"
        "\n"
        "expectiminimax visited 7 of 7 leaves. The value is −0.5, and the best action is\n"
        "#3.\n"
    )


@pytest.fixture(
    scope="module", params=with_slow_variants(EVERY), ids=lambda chosen: chosen.full_name
)
def traces(request: pytest.FixtureRequest) -> list[Trace]:
    found = []
    for seed in range(90):
        case = Case(seed, pays=seed >= 60)
        exact = seed % 2 == 0
        bounds = case.bounds if case.bounds is None or exact else tuple(map(float, case.bounds))
        tree = replace(case.tree(exact), root_reward=case.tree(exact).reward_of(0))
        found.append(trace(tree, request.param, bounds=bounds, file=f"{seed}.yaml", exact=True))
    return found


_EQUATION = re.compile(
    r"(?:at least|at most|worth(?! at)|to be|alpha =|beta =|^ *\d+ .* =) (\S.*) = (-?[\d./e+-]+)"
)


def test_every_equation_is_true(traces: list[Trace]) -> None:
    """Exact equations hold exactly; those in floats, which have six digits, approximately."""
    seen = 0
    for one in traces:
        with show_exact(one.tree.exact):
            lines = rendered_lines(trace_text, one, 2_000, False)
        for line in lines:
            for left, right in _EQUATION.findall(line):
                seen += 1
                text = (
                    re.sub(r"(?<![\d.e])(\d+(\.\d+)?)", r"Fraction('\1')", left)
                    if one.tree.exact
                    else left
                )
                found = eval(text, {"Fraction": Fraction, "max": max_of, "min": min_of})
                if one.tree.exact:
                    assert found == Fraction(right), line
                else:
                    assert found == pytest.approx(float(right), rel=1e-3, abs=2e-3), line
    assert seen > 20 or not traces[0].search.algorithm.chance_cuts


def max_of(*values: Any) -> Any:
    return max(values)


def min_of(*values: Any) -> Any:
    return min(values)


@pytest.mark.slow
@pytest.mark.parametrize("width", [40, 60, 80])
@pytest.mark.parametrize("unicode", [True, False])
def test_lines_fit_the_width(traces: list[Trace], width: int, unicode: bool) -> None:
    for one in traces:
        lines = rendered_lines(trace_text, one, width, unicode)
        assert max(map(len, lines)) <= max(width, 45)
        assert unicode or all(line.isascii() for line in lines)
        assert not any(
            character in line for line in lines for character in "\N{NO-BREAK SPACE}\x1b"
        )


def test_json_lines_reproduce_every_interval(traces: list[Trace]) -> None:
    """A reader of the JSON lines can compute every interval from the bounds and the events."""
    for one in traces:
        if one.tree.exact:
            continue
        start, *events, end = (json.loads(line) for line in trace_json(one))
        assert (start["event"], end["event"], end["steps"]) == ("start", "end", len(events))
        moment = Moment(one)
        lower, upper = list(moment.lower), list(moment.upper)
        for step, event in enumerate(events, 1):
            assert event["step"] == step
            lower[event["node"]], upper[event["node"]] = (
                float(event["lower"]),
                float(event["upper"]),
            )
            if event["path"] is not None:
                assert one.tree.find(event["path"]).id == event["node"]
            if event["event"] == "tighten":
                assert float(event["to"]) == float(event[event["bound"]])
        while moment.forward():
            pass
        assert (lower, upper) == (moment.lower, moment.upper)
        assert end["value"] == pytest.approx(one.search.value)
        entered = {
            event["node"] for event in events if event["event"] in ("leave", "visit", "enter")
        }
        assert len(entered) == end["nodes"]["visited"]
        assert sum(event["event"] == "cut" for event in events) == end["cuts"]


def test_json_of_an_exact_search_is_in_fractions() -> None:
    done = invoke(
        "trace",
        "--exact",
        "-a",
        "star2",
        "--format",
        "json",
        "-e",
        "chance: [{p: 1/3, max: [1, 2]}, {p: 2/3, utility: 5}]",
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines[0]["engine"] == "exact"
    assert lines[-1]["value"] == "4"
    assert ["1/3", "2"] in [term for line in lines for term in line.get("terms", [])]


def test_limit_and_at_choose_steps() -> None:
    done = invoke("trace", "-a", "star2", "--limit", "3", LEFT)
    assert "… 33 more steps: --limit shows more, --at PATH follows one node" in done.stdout
    assert [line.split()[0] for line in done.stdout.splitlines()[4:7]] == ["1", "2", "3"]
    whole = invoke(
        "trace", "-a", "star2", "--limit", "0", LEFT, "--format", "json"
    ).stdout.splitlines()
    assert len(whole) == 38
    cut_short = invoke(
        "trace", "-a", "star2", "--limit", "3", LEFT, "--format", "json"
    ).stdout.splitlines()
    assert cut_short[:4] == whole[:4]
    assert json.loads(cut_short[-1])["left_out"] == 33
    assert (
        "star1 did not visit a2/#2: `expectitree eval` shows why"
        in invoke("trace", "-a", "star1", "--at", "a2/#2", LEFT).stdout
    )
    one = invoke("trace", "-a", "star1", "--at", "a2", LEFT).stdout
    assert "Enter ● a2" in one
    assert "a1/" not in one


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-a", "star1", "-a", "star2", LEFT], "trace follows one algorithm: give -a once"),
        (
            ["-a", "best-first", "--engine", "compiled", LEFT],
            "a compiled search cannot be followed",
        ),
        (
            ["--engine", "compiled", LEFT],
            "a compiled search cannot be followed: remove --engine compiled",
        ),
        (["--at", "a9", LEFT], "no node a9: the branches of / are a1, a2"),
        (["--limit", "-1", LEFT], "-1 is not in the range"),
        ([], "no tree was given"),
    ],
)
def test_wrong_usage_is_refused(words: list[str], message: str) -> None:
    assert message in error_of("trace", *words)


def test_a_stopped_search_is_shown_up_to_its_end() -> None:
    done = invoke("trace", "-a", "star1", "--max-visits", "4", LEFT)
    assert done.exit_code == 1
    assert "was stopped after 4 visits. The value is in [1, 4]." in re.sub(r"\s+", " ", done.stdout)
