"""Explanations of best-first searches: statements are true, and each node is accounted for."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from helpers import ROOT, cuts_of, invoke, rendered_lines, typed
from random_trees import BEST_FIRST, Case, with_slow_variants

import expectitree as et
from expectitree.analysis.compare.report import Comparison, ComparisonRow
from expectitree.analysis.evaluate.cuts import Explanation
from expectitree.analysis.evaluate.report import Evaluation
from expectitree.analysis.evaluate.tree_text import tree_lines
from expectitree.base.algorithms import Algorithm, algorithm
from expectitree.base.errors import AnalysisError, SearchError
from expectitree.base.tree.model import Kind
from expectitree.searches import engine
from expectitree.searches.engine import search_tree
from expectitree.searches.result import Outcome, Search

LEFT = "trees/aima-5.12-left.yaml"
BALLARD = "trees/ballard.yaml"
PLAIN = algorithm("best-first")
ACTION = algorithm("best-first", goal="action")
SHOWN = [*BEST_FIRST, ACTION]
ONLY = "max: {only: {chance: [2, 4]}}"


@pytest.fixture(
    scope="module", params=with_slow_variants(SHOWN), ids=lambda chosen: chosen.full_name
)
def searches(request: pytest.FixtureRequest) -> list[Search]:
    chosen: Algorithm = request.param
    cases = [Case(seed, pays) for pays in (False, True) for seed in range(100 - 50 * pays)]
    return [case.run(chosen, exact) for case in cases for exact in (True, False)]


# ---- Every node is accounted for once.


def topmost(search: Search, n: int) -> int:
    """Return the topmost node of the unvisited part that a node belongs to, by its first path."""
    parent = search.tree.first_paths.parent
    while parent[n] >= 0 and not search.visits[parent[n]]:
        n = parent[n]
    return n


def check_accounting(search: Search) -> set[str | None]:
    tree, explanation = search.tree, Explanation(search)
    kind, _, _, _, probability, _ = tree.columns.stored
    parent, branch = tree.first_paths.parent, tree.first_paths.branch
    unvisited = [n for n in range(len(tree)) if not search.visits[n]]
    reasons_of = {n: explanation.skipped(topmost(search, n)) for n in unvisited}
    assert None not in reasons_of.values()
    for n in unvisited:
        assert explanation.skipped_above(n) == reasons_of[n]
        assert topmost(search, n) == n or explanation.skipped(n) is None
    for n in range(len(tree)):
        if search.visits[n]:
            assert explanation.skipped(n) is explanation.skipped_above(n) is None
    cut = [n for n in unvisited if reasons_of[n] == "cut"]
    cuts = cuts_of(explanation)
    assert sum(one.nodes for one in cuts.values()) == len(cut)
    assert sum(one.leaves for one in cuts.values()) == sum(kind[n] == 0 for n in cut)
    assert explanation.passed_over == sum(reason == "passed over" for reason in reasons_of.values())
    assert len(cuts) == search.counts.cuts
    for n in {topmost(search, n) for n in unvisited}:
        assert (explanation.skipped(n) == "probability 0") is (probability[branch[n]] == 0)
    # A cut node lies below a node with a cut; only nodes visited, not needed, may be in between.
    for n in {topmost(search, n) for n in cut}:
        above = parent[n]
        for _ in range(len(tree)):
            if explanation.cut(above) is not None:
                break
            assert search.cut[above] == 5
            above = search.asked_by[above]
        assert explanation.cut(above) is not None
    return set(reasons_of.values())


@pytest.mark.slow
def test_every_node_is_accounted_for_once(searches: list[Search]) -> None:
    seen = set().union(*map(check_accounting, searches))
    assert seen == {"cut", "passed over", "probability 0"}


@pytest.mark.slow
@pytest.mark.parametrize("chosen", SHOWN, ids=lambda chosen: chosen.full_name)
def test_every_node_is_accounted_for_in_a_stopped_search(chosen: Algorithm) -> None:
    seen = set()
    for seed in range(80):
        case = Case(seed)
        for most in (1, 2, 3, 5, 8, 13, 21):
            search = et.evaluate(case.tree(), chosen, bounds=case.bounds, max_visits=most)
            assert (search.outcome is not Outcome.STOPPED) is (
                not search.stopped or search.is_exact(search.tree.root_id)
            )
            seen |= check_accounting(search)
    assert "not reached" in seen


# ---- Every statement is true.


def test_cuts_are_inequalities_that_hold(searches: list[Search]) -> None:
    for search in searches:
        tree, explanation, slack = search.tree, Explanation(search), 4 * search.eps
        kind, _, first, child, probability, _ = tree.columns.stored
        value: Any = et.evaluate(tree).lower
        for n, cut in cuts_of(explanation).items():
            alpha, beta = cut.window
            own = range(first[n], first[n + 1])
            assert cut.after == sum(search.visits[child[b]] > 0 for b in own)
            assert cut.of == len(own)
            assert any(
                search.lower[child[b]] < search.upper[child[b]] and probability[b] > 0 for b in own
            )
            if cut.is_low:
                assert value[n] - slack <= cut.bound == search.upper[n]
                assert cut.bound <= alpha + slack
                assert kind[n] != Kind.MAX
            else:
                assert value[n] + slack >= cut.bound == search.lower[n]
                assert cut.bound >= beta - slack
                assert kind[n] != Kind.MIN
            if cut.rest is not None:  # The bound is the sum of the outcomes with this rest.
                ends = search.upper if cut.is_low else search.lower
                assert all(
                    ends[child[b]] + tree.reward_of(b) == cut.rest
                    for b in own
                    if probability[b] and is_rest(search, child[b])
                )


def is_rest(search: Search, n: int) -> bool:
    return not search.visits[n] and bool(search.lower[n] < search.upper[n])


ROUNDED = 1e-5
_LEFT = re.compile(r"at (most|least) (\S+) by its bounds, and (.*)$")


def number(text: str) -> Any:
    return float(text) if "inf" in text else Fraction(text)


def test_every_reason_to_pass_over_a_node_is_true(searches: list[Search]) -> None:
    """The test parses the lines of exact searches and checks the arithmetic."""
    left = 0
    for search in searches:
        if not search.tree.exact:
            continue
        lines = rendered_lines(tree_lines, Evaluation("", search), 10_000, False, most_rows=None)
        assert not any("probed" in line for line in lines)
        for line in map(typed, lines):
            if found := _LEFT.search(line):
                left += 1
                end, reason = number(found[2]), found[3]
                if "can be better" in reason:
                    continue
                (other,) = re.findall(r"-?[\d/.]+(?:e-?\d+)?|-?inf", reason)
                gap = number(other) - end  # one of them may be a rounded decimal
                assert gap >= -ROUNDED if found[1] == "most" else gap <= ROUNDED
    assert left > 10


# ---- By hand.


def test_walks_match_a_worked_example() -> None:
    """The search lowers the upper bound of bold first, since that is needed in any case.

    After the leaf 9, it expects more from making bold exact than from lowering it.
    """
    tree = "max: {sure: 3, bold: {chance: [{p: 0.75, min: [4, 0]}, {p: 0.25, min: [9, 8]}]}}"
    done = invoke("trace", "-a", "best-first", "--exact", "--bounds", "0,10", "-e", tree)
    assert done.stderr == ""
    assert done.stdout == (
        " 1  Walk 1: enter ▲ / (MAX), in [0, 10], to make it exact\n"
        " 2    Visit sure: its utility is 3\n"
        " 3  So ▲ / is worth at least 3 (was 0)\n"
        " 4  Walk 2: enter ▲ / (MAX), in [3, 10], to make it exact\n"
        " 5    Enter ● bold (CHANCE), in [0, 10], to lower its upper bound\n"
        " 6      Enter ▼ bold/#1 (MIN), in [0, 10], to lower its upper bound\n"
        " 7        Visit bold/#1/#1: its utility is 4\n"
        " 8      So ▼ bold/#1 is worth at most 4 (was 10)\n"
        " 9    So ● bold is worth at most 0.75·4 + 0.25·10 = 5.5 (was 10)\n"
        "10  So ▲ / is worth at most 5.5 (was 10)\n"
        "11  Walk 3: enter ▲ / (MAX), in [3, 5.5], to make it exact\n"
        "12    Enter ● bold (CHANCE), in [0, 5.5], to lower its upper bound\n"
        "13      Enter ▼ bold/#2 (MIN), in [0, 10], to lower its upper bound\n"
        "14        Visit bold/#2/#1: its utility is 9\n"
        "15      So ▼ bold/#2 is worth at most 9 (was 10)\n"
        "16    So ● bold is worth at most 0.75·4 + 0.25·9 = 5.25 (was 5.5)\n"
        "17  So ▲ / is worth at most 5.25 (was 5.5)\n"
        "18  Walk 4: enter ▲ / (MAX), in [3, 5.25], to make it exact\n"
        "19    Enter ● bold (CHANCE), in [0, 5.25], to make it exact\n"
        "20      Enter ▼ bold/#1 (MIN), in [0, 4], to make it exact\n"
        "21        Visit bold/#1/#2: its utility is 0\n"
        "22      So ▼ bold/#1 is worth 0 (was in [0, 4])\n"
        "23    So ● bold is worth at most 0.75·0 + 0.25·9 = 2.25 (was 5.25)\n"
        "24  So ▲ / is worth 3 (was in [3, 5.25])\n"
        "25    Reconstructed: chance cut after 2 of 2: ● bold is worth at most 0.75·0 +\n"
        "        0.25·9 = 2.25 ≤ alpha 3\n"
        "26      Reconstructed: alpha cut after 1 of 2: ▼ bold/#2 is worth at most 9\n"
        "          ≤ alpha 12\n"
        "\n"
        "best-first visited 4 of 5 leaves, with 2 cuts. The value is 3, and the best\n"
        "action is sure.\n"
    )
    shown = invoke("eval", "-a", "best-first", "--exact", "--bounds", "0,10", "-e", tree)
    text = " ".join(shown.stdout.replace("│", " ").split())
    assert "alpha cut after 1 of 2: at most 9 ≤ alpha 12; 1 leaf not visited" in text


def test_a_cut_includes_an_unvisited_outcome_before_a_visited_one() -> None:
    """The search visits the second outcome (p = 3/4) first and cuts the first one."""
    tree = "max: {a: 5, b: {chance: [{p: 1/4, utility: 9}, {p: 3/4, utility: 1}]}}"
    done = invoke("eval", "-a", "best-first", "--bounds", "0,10", "-e", tree)
    assert done.stdout.splitlines()[:4] == [
        "▲ MAX 5",
        "├─★ a  5",
        "└── b  ● CHANCE [0.75, 3.25] of 1/4·(9) + 3/4·1",
        "      chance cut after 1 of 2: even if the rest were 10, at most 3.25 ≤ alpha 5;",
    ]
    assert "passed over" not in done.stdout
    search = et.evaluate(et.loads(tree), PLAIN, bounds=(0, 10))
    (cut,) = cuts_of(Explanation(search)).values()
    assert (cut.after, cut.of, cut.nodes, cut.leaves) == (1, 2, 1, 1)
    assert Explanation(search).skipped(search.tree.find("b/#1").id) == "cut"


# ---- Step by step.


def test_json_lines_contain_walks_aims_and_reasons() -> None:
    lines = invoke("trace", "-a", "best-first", "--format", "json", LEFT).stdout.splitlines()
    start, *events, end = map(json.loads, lines)
    assert start["goal"] == "value"
    walks = [event for event in events if event["event"] in ("enter", "visit")]
    assert all({"walk", "aim"} <= set(event) and "window" not in event for event in walks)
    assert {event["aim"] for event in walks} <= {"exact", "lower", "raise"}
    closed = [event for event in events if event["event"] == "close"]
    assert all(event["lower"] == event["upper"] for event in closed)
    assert closed[-1]["path"] == "/"
    cuts = [event for event in events if event["event"] == "cut"]
    assert len(cuts) == end["cuts"] >= 1
    assert all("walk" not in event and "aim" not in event and event["window"] for event in cuts)
    followed = invoke("trace", "-a", "best-first", "--at", "a2", LEFT).stdout
    assert "Enter ● a2 (CHANCE)" in followed
    assert "a1" not in followed.split("\n\n")[1]


# ---- Searches for the best action only.


def test_the_only_action_is_proved_whatever_its_value() -> None:
    done = invoke("eval", "-a", "best-first", "--goal", "action", "-e", ONLY)
    assert done.exit_code == 0
    assert done.stdout == (
        "▲ MAX [2, 4]\n"
        "└─★ only  ● CHANCE [2, 4] of mean((2), (4))  passed over\n"
        "      at least 2 by its bounds, and no other can be better\n"
        "\n"
        "algorithm best-first (action)\n"
        "value     in [2, 4]\n"
        "asked     which action is best, not its value (--goal action)\n"
        "best      only\n"
        "nodes     1 of 4 visited\n"
        "leaves    0 of 2 visited (0%)\n"
        "cuts      0; 3 nodes passed over\n"
        "bounds    [2, 4] from the leaves\n"
    )
    command = ("-a", "best-first", "--goal", "action", "-e", ONLY)
    explained = invoke("eval", "--explain", *command)
    assert explained.exit_code == 2
    assert "to explain the value, remove --goal action" in explained.stderr
    found = json.loads(invoke("eval", "--format", "json", *command).stdout)
    assert (found["value"], found["interval"], found["best"]) == (None, [2, 4], "only")
    assert "stopped" not in found
    assert found["tree"]["best"] == "only"
    traced = invoke("trace", *command)
    assert (traced.exit_code, "to find its best action" in traced.stdout) == (0, True)
    assert "The value is in [2, 4], and the best action is only." in " ".join(traced.stdout.split())
    strategy = invoke("eval", "--strategy", *command)
    assert (strategy.exit_code, "└─★ only" in strategy.stdout) == (0, True)


@pytest.mark.parametrize("sign", [1, -1])
def test_an_equal_action_that_cannot_be_better_is_not_a_tie(sign: int) -> None:
    """The value of a may exceed 5 and that of b equals 5: a is best, and b is not a tie."""
    kind, bounds = ("max", "[5, 9]") if sign == 1 else ("min", "[-9, -5]")
    low, high = 5 * sign, 9 * sign
    tree = et.loads(f"{kind}: {{a: {{bounds: {bounds}, chance: [{low}, {high}]}}, b: {low}}}")
    search = search_tree(tree, ACTION, bounds=(0, 10) if sign == 1 else (-10, 0))
    assert search.outcome is not Outcome.STOPPED
    assert search.ties == ("a",)
    for branch, is_best in zip(range(*tree.columns.first[-2:]), (True, False), strict=True):
        assert search.is_best(len(tree) - 1, branch) is is_best
    if search.outcome is not Outcome.VALUE:
        assert search.outcome is Outcome.ACTION
        assert len(search.ties) == 1
        with pytest.raises(
            SearchError, match="the search was not asked for more: the value lies in"
        ):
            _ = search.value


def test_a_stopped_search_for_the_action_has_no_answer() -> None:
    done = invoke("eval", "-a", "best-first", "--goal", "action", "--max-visits", "3", BALLARD)
    assert done.exit_code == 1
    assert "stopped   after" in done.stdout
    assert "best  " not in done.stdout
    assert "asked" not in done.stdout
    with pytest.raises(AnalysisError, match="no strategy is known"):
        Evaluation("", et.evaluate(et.load(BALLARD), ACTION, max_visits=3), strategy_only=True)


def test_a_comparison_does_not_report_a_proved_action_as_stopped() -> None:
    done = invoke("compare", "-a", "star1", "-a", "best-first", "--goal", "action", "-e", ONLY)
    assert done.exit_code == 0
    text = " ".join(done.stdout.split())
    assert "stopped" not in text
    assert "in [2, 4] only" in text
    assert (
        "Every algorithm visited all 2 leaves for the value. "
        "best-first (action) visited the fewest leaves for the best action alone: "
        "0 of 2 leaves (0%)." in text
    )
    command = ("-a", "best-first", "--goal", "action", "-e", ONLY)
    lines = invoke("compare", "--format", "csv", *command).stdout.splitlines()
    row = dict(zip(lines[0].split(","), lines[1].split(","), strict=True))
    keys = ("value", "value_lower", "value_upper", "stopped")
    assert [row[key] for key in keys] == ["", "2", "4", "0"]
    limit = invoke("limit", *command)
    assert limit.exit_code == 0
    assert re.search(r"best-first \(action\) +0 +-\n", limit.stdout)


@pytest.mark.slow
def test_ties_are_no_contradictions() -> None:
    """Of two equally good actions, each search may prove only one."""
    tree = et.loads("max: {a: {min: [5, 9]}, b: {min: [5, 8]}}")
    one, other = (
        search_tree(tree, "star1", bounds=(0, 10)), search_tree(tree, "best-first", bounds=(0, 10))
    )  # fmt: skip
    rows = [ComparisonRow(search, 0.0) for search in (one, other)]
    assert Comparison("", rows).disagreements == []
    random = Random(1)
    for seed in range(60):
        case = Case(seed)
        names: list[Algorithm | str] = ["star1", "star2", "alphabeta", *SHOWN]
        random.shuffle(names)
        assert et.compare(case.tree(), names, bounds=case.bounds).disagreements == []


def test_slow_default_algorithms_are_left_out_with_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    """This applies if the user names no algorithm."""
    monkeypatch.setattr(engine, "MAX_PATH_CHILDREN", 16)
    monkeypatch.chdir(ROOT)
    note = "trees/ballard.yaml: best-first is left out, it is slow on so many leaves: -a best-first"
    files = ["trees/risk.yaml", "trees/ballard.yaml"]
    for command in (["compare"], ["limit"]):
        done = invoke(*command, *files)
        assert (done.exit_code, done.stderr) == (0, f"{note} runs it\n")
        assert done.stdout.count("best-first") == 1
    warning = (
        "trees/ballard.yaml: best-first may be slow on this tree: the paths to its leaves have 243 "
        "children to compare; --max-visits N stops it\n"
    )
    for command in (["compare"], ["limit"], ["eval"], ["trace"]):
        named = invoke(*command, "-a", "best-first", files[1])
        assert (named.exit_code, named.stderr) == (0, warning)
        assert "best-first visited" in named.stdout or command != ["compare"]
    tree = et.load(files[1])
    for rows in (et.compare(tree).rows, et.limit(tree).rows):
        assert len(rows) == len(et.ALGORITHMS) - 1
    assert len(et.compare(et.load(files[0])).rows) == len(et.ALGORITHMS)


def test_a_search_for_the_action_is_compared_with_the_limit_if_it_found_the_value() -> None:
    tree = et.load(ROOT / "trees" / "ballard-random.yaml")
    report = et.limit(tree, [ACTION, "best-first"])
    action, value = report.rows
    assert action.outcome is Outcome.VALUE
    assert report.exact.count == 58
    assert report.surplus(action) == action.counts.leaves_visited - 58
    assert report.surplus(value) == value.counts.leaves_visited - 58
    report = et.limit(et.loads(ONLY), [ACTION])
    assert (report.rows[0].outcome, report.surplus(report.rows[0])) == (Outcome.ACTION, None)
