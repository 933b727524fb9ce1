"""Who the decision maker is, and that every question is asked for him.

A tree of MAX and its mirror, a tree of MIN, have the same answers: totals change their signs, and
everything else is equal.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from foreign.diagrams import chance, decision, edge, file_of, terminal
from helpers import for_each, invoke, object_of
from random_decisions import mirror, random_decision

import expectitree as et
from expectitree import Tree
from expectitree.decide.information.report import every_event
from expectitree.decide.sensitivity.exact import break_even, everywhere
from expectitree.decide.sensitivity.report import added
from expectitree.decide.sensitivity.strategies import strategies_of

# By name: the answer for a tree, in which `sign` times a total is a gain.
QUESTIONS: dict[str, Callable[[Tree, int], Any]] = {}
ATTITUDES = (
    *("exponential=9", "exponential=-20", "logarithmic=100", "utility=x + x^2/500 + x^3/90000"),
    "points=-90:-200,-3:-8,0:0,7:5,90:20",
)
TEST = {"yes": {"up": 0.9, "down": 0.2}, "no": {"up": "rest", "down": "rest"}}


def question(function: Callable[[Tree, int], Any]) -> Callable[[Tree, int], Any]:
    QUESTIONS[function.__name__] = function
    return function


@question
def value(tree: Tree, sign: int) -> Any:
    found = et.evaluate(tree, exact=True)
    return sign * found.value, found.ties, found.strategy


@question
def attitudes(tree: Tree, sign: int) -> Any:
    searches = [et.evaluate(tree.with_attitude(text)) for text in ATTITUDES]
    return [
        (sign * one.value, sign * one.mean, one.risk_premium, one.ties, one.strategy)
        for one in searches
    ]


@question
def information(tree: Tree, sign: int) -> Any:
    answers = []
    for event, test in (("e", None), ("e", TEST), ("t", None), ("two", None), ("two/a", None)):
        with suppress(et.AnalysisError):  # such as: play can meet the event twice
            found = et.information(tree, event, likelihood=test, exact=True)
            values = [
                sign * (x or 0) for x in (found.value, found.with_information, found.with_test)
            ]
            worth = found.best, found.evpi, found.evsi, found.efficiency
            findings = [
                (one.name, one.p, sign * one.value, one.best)
                for one in (*found.outcomes, *found.signals)
            ]
            answers.append((values, worth, findings))
    order = [one.event for one in every_event(tree).events]
    return answers, order


@question
def prices(tree: Tree, sign: int) -> Any:
    answers = []
    for text in ATTITUDES[::2]:
        with suppress(et.AnalysisError):
            found = et.information(tree.with_attitude(text), "e", likelihood=TEST)
            answers.append((sign * found.with_information, found.evpi, found.evsi, found.best))
    return answers


@question
def risk(tree: Tree, sign: int) -> Any:
    answers = []
    for attitude in (None, *ATTITUDES[:2]):
        found = et.risk(tree.with_attitude(attitude), target=sign * Fraction(3), exact=True)
        actions = [
            {
                "about": (one.action, one.is_best, one.variance, one.loss, one.reach),
                "totals": (sign * one.mean, sign * one.cvar),
                "ends": sorted((sign * one.least, sign * one.greatest)),
                "median": sign * one.mean if one.sd == 0 else None,
                "pairs": sorted((sign * t, p) for t, p in one.distribution.pairs()),
            }
            for one in found.actions
        ]
        answers.append((actions, found.dominance, found.ties))
    return answers


def changes(report: Any, sign: int) -> Any:
    places = [
        (t.lower, t.upper, t.before, t.at, t.after, sign * t.value) for t in report.thresholds
    ]
    return places, [(piece.start, piece.end, piece.best) for piece in report.pieces], report.slack


@question
def sensitivity(tree: Tree, sign: int) -> Any:
    return [changes(et.sensitivity(tree, name), sign) for name in ("p", "x")]


@question
def sensitivity_with_an_attitude(tree: Tree, sign: int) -> Any:
    found = et.sensitivity(tree.with_attitude("exponential=12"), "p")
    return [(t.before, t.after, float(t.middle), float(sign * t.value)) for t in found.thresholds]


@question
def an_added_amount(tree: Tree, sign: int) -> Any:
    """An amount in the mirror has the other sign, so what is before it comes after it."""
    found = added(tree, "two")
    places = [(sign * t.middle, *(t.before, t.after)[::sign]) for t in found.thresholds]
    return sorted(places), found.slack[::sign]


@question
def tornado(tree: Tree, sign: int) -> Any:
    answers = []
    averse = tree.with_attitude(ATTITUDES[0])
    for changed, is_fixed in ((tree, False), (tree, True), (averse, True)):
        for bar in et.tornado(changed, fixed=is_fixed).bars:
            ends = sorted([float(sign * bar.least), float(sign * bar.greatest)])
            answers.append((bar.range.name, ends))
    return answers


@question
def other_questions_of_sensitivity(tree: Tree, sign: int) -> Any:
    table = et.sensitivity_map(tree, "p", "x", grid=3)
    rows = [(row.at, [(piece.end, piece.best) for piece in row.pieces]) for row in table.rows]
    decisions = {
        path: [(piece.start, piece.end, piece.best) for piece in pieces]
        for path, pieces in everywhere(tree, "x").decisions.items()
    }
    meetings = break_even(tree, "x", "one = two").meetings
    found = strategies_of(tree)
    assert found.player == tree.decision_maker.name
    strategies = [(sign * one.value, one.choices) for one in found.strategies]
    return rows, decisions, [(one.lower, one.upper) for one in meetings], strategies


@question
def simulation(tree: Tree, sign: int) -> Any:
    found = et.simulate(tree, draws=200)
    actions = [
        (one.action, one.is_best, sign * one.mean, one.sd, one.share, one.loss)
        for one in found.actions
    ]
    known = [(one.name, one.evppi.value) for one in found.evppi]
    curve = et.acceptability(tree, "x", draws=100)
    points = [(one.best, one.shares, one.evpi.value) for one in curve.points[::10]]
    return actions, sign * found.value.value, found.best, found.evpi.value, known, points


@question
def rescaling(tree: Tree, sign: int) -> Any:
    found = et.rescale(tree, "u^3/50 + u", exact=True)  # an odd function
    assert found.after is not None
    return [(sign * one.value, one.ties) for one in (found.before, found.after)], found.changed


def near(answer: Any) -> Any:
    """Return an answer in which floats may differ by rounding."""
    if isinstance(answer, float):
        return pytest.approx(answer, rel=1e-6, abs=1e-6)
    if isinstance(answer, (list, tuple)):
        return [near(part) for part in answer]
    return {key: near(part) for key, part in answer.items()} if isinstance(answer, dict) else answer


def plain(answer: Any) -> Any:
    """Return an answer with tuples as lists, as `near` has them."""
    if isinstance(answer, (list, tuple)):
        return [plain(part) for part in answer]
    return {k: plain(part) for k, part in answer.items()} if isinstance(answer, dict) else answer


@pytest.mark.parametrize("name", QUESTIONS)
@for_each("seed", range(6), slow=range(6, 60), more=range(60, 1000))
def test_a_tree_and_its_mirror_have_the_same_answers(name: str, seed: int) -> None:
    data = random_decision(seed)
    of_max, of_min = et.from_dict(data), et.from_dict(mirror(data))
    assert (of_max.decision_maker, of_min.decision_maker) == (et.Kind.MAX, et.Kind.MIN)
    assert plain(QUESTIONS[name](of_min, -1)) == near(QUESTIONS[name](of_max, 1))


def test_a_tree_of_one_decision_and_its_mirror_have_the_same_answers() -> None:
    """With a fixed strategy no decision is left, and the price is most of the least cost."""
    bet = {"event": "e", "chance": {"up": {"utility": -60}, "down": {"utility": "x"}}}
    other = {"event": "e", "chance": {"up": 0, "down": {"utility": "-60 + x"}}}
    data = random_decision(0) | {"reward": 0, "max": {"bet": bet, "other": other}}
    for name in ("tornado", "attitudes", "prices"):
        of_max, of_min = et.from_dict(data), et.from_dict(mirror(data))
        assert plain(QUESTIONS[name](of_min, -1)) == near(QUESTIONS[name](of_max, 1))
    found = et.information(et.from_dict(mirror(data)).with_attitude("utility=-exp(-x/9)"), "e")
    assert found.evpi == pytest.approx(found.value - found.with_information, abs=1e-6)
    assert found.evpi > 40


@for_each("seed", range(20), slow=range(20, 300), more=range(300, 3000))
def test_a_frontier_and_that_of_its_mirror_are_the_same(seed: int) -> None:
    data = random_decision(seed, has_criteria=True)
    of_max, of_min = et.from_dict(data), et.from_dict(mirror(data))
    one, two = et.frontier(of_max, "x"), et.frontier(of_min, "x")
    assert (one.best, one.never) == (two.best, two.never)
    assert (one.weighed, one.other) == (two.weighed, two.other)
    assert one.is_icer
    assert two.is_icer
    for attitude in (None, "exponential=50"):
        searches = [et.evaluate(tree.with_attitude(attitude)) for tree in (of_max, of_min)]
        assert searches[0].criteria_of() == pytest.approx(searches[1].criteria_of())
        assert searches[0].value == pytest.approx(-searches[1].value)


@for_each("seed", range(20), slow=range(20, 300), more=range(300, 3000))
def test_an_inquiry_asks_in_the_mirror_for_the_same_leaves(seed: int) -> None:
    asked = []
    for sign in (1, -1):
        data = random_decision(seed, unknown=0.4)
        tree = et.from_dict(data if sign > 0 else mirror(data))
        inquiry = et.inquire(tree, bounds=(-99, 99), exact=True)
        asked.append([])
        while inquiry.path is not None:
            asked[-1].append((inquiry.path, inquiry.best, inquiry.loss))
            inquiry.answer(sign * (len(inquiry.path) % 7 - 3))
        asked[-1] += [inquiry.best, inquiry.loss]
    assert asked[0] == asked[1]


def test_risk_tolerances_of_the_mirror() -> None:
    of_max = et.loads("max: {sell: 40, bet: {chance: [0, 100]}}")
    of_min = et.loads("min: {sell: -40, bet: {chance: [0, -100]}}")
    found = [et.risk_tolerances(tree, 50, 500) for tree in (of_max, of_min)]
    assert [(t.before, t.after) for t in found[0]] == [(t.before, t.after) for t in found[1]]
    assert [float(t.middle) for t in found[0]] == pytest.approx([float(t.middle) for t in found[1]])


# ---- Forms of one tree, in which repairing costs 20 or 100, and replacing 60.

TABLE = ",ok,bad\nrepair,20,100\nreplace,60,60\nprobability,0.6,0.4\n"
YAML = (
    "min: {repair: {chance: {ok: {p: 0.6, utility: 20}, bad: {p: 0.4, utility: 100}}}, replace: 60}"
)
PAID = "min: {repair: {reward: 20, chance: {ok: {p: 0.6, utility: 0}, bad: {p: 0.4, reward: 70, "
PAID += "utility: 10}}}, replace: {reward: 60, utility: 0}}"
RADIANT = """\
name: repair or replace
type: decision
repair:
    type: chance
    ok: {p: 0.6, payoff: 20}
    bad: {p: 0.4, payoff: 100}
replace: {payoff: 60}
"""
AMOUNTS = "criteria: [cost, effect]\nobjective: cost - 10*effect\nmin: {repair: {chance: {ok: "
AMOUNTS += "{p: 0.6, utility: {cost: 20}}, bad: {p: 0.4, utility: {cost: 100}}}}, replace: "
AMOUNTS += "{utility: {cost: 70, effect: 1}}}"
REPAIRED = decision(
    edge("repair", 0, chance(edge("ok", 20, terminal(), "0.6"), edge("bad", 100, terminal(), "#"))),
    edge("replace", 60, terminal()),
)
FORMS = {
    "costs.csv": (TABLE, "--minimize"),
    "semicolons.csv": (
        TABLE.replace(",", ";").replace("0.4", "40%").replace("0.6", "60%"),
        "--minimize",
    ),
    "min.yaml": (YAML,),
    "paid.yaml": (PAID,),
    "criteria.yaml": (AMOUNTS,),
    "min.json": (et.dumps(et.loads(YAML), "json"),),
    "radiant.yaml": (RADIANT, "--minimize"),
    "silver.json": (file_of(REPAIRED, rule="expected-value-minimization"),),
    "players.efg": (et.dumps(et.loads(YAML), "efg"),),
}


@pytest.fixture
def form(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    """Return the arguments of a command for a form of the tree."""
    text, *options = FORMS[request.param]
    path = tmp_path / request.param
    path.write_text(text, encoding="utf-8")
    return [str(path), *options]


@pytest.mark.parametrize("form", FORMS, indirect=True)
def test_every_form_of_costs_has_the_same_answers(form: list[str]) -> None:
    found = object_of("information", "--event", "repair", *form)
    assert (found["decision_maker"], found["evpi"], found["with_information"]) == ("MIN", 16, 36)
    found = object_of("risk", *form, "--target", "70")
    measures = [(one["cvar"], one["loss"], one["reach"]) for one in found["actions"]]
    assert (found["decision_maker"], found["dominance"]) == ("MIN", [])
    assert measures == [(100, 1, 0.6), (60, 1, 1)]
    found = object_of("eval", *form, "--attitude", "exponential=50")
    assert (found["decision_maker"], found["best"], found["value"]) == ("MIN", "replace", 60)
    (repair,) = (one for one in found["tree"]["children"] if one["label"] == "repair")
    ce = 50 * math.log(0.6 * math.exp(0.4) + 0.4 * math.exp(2))
    assert repair["lower"] + repair.get("reward", 0) == pytest.approx(ce)
    found = object_of("sensitivity", *form, "--strategies")
    assert [one["value"] for one in found["strategies"]] == [52, 60]
    for command in (
        "risk",
        "information --event repair",
        "sensitivity --strategies",
        "rescale --map u^2",
    ):
        shown = invoke(*command.split(), *form).stdout
        assert "The decision maker is MIN, who prefers small totals." in shown, command


@pytest.mark.extra
@pytest.mark.parametrize("form", FORMS, indirect=True)
def test_a_report_about_costs_agrees_with_itself(form: list[str], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    for attitude, best in ((None, "repair"), ("exponential=50", "replace")):
        options = [] if attitude is None else ["--attitude", attitude]
        assert invoke("report", *form, *options, "-o", str(page), "--force").exit_code == 0
        text = page.read_text(encoding="utf-8")
        assert f"Choose {best}." in text
        assert text.count("The decision maker is MIN, who prefers small totals.") == 1
        assert "No action dominates another" in text
        assert "MIN chooses" not in text
    assert "−16" not in text


# ---- Who the decision maker is.


@pytest.mark.parametrize(
    ("text", "name", "deciders"),
    [
        ("max: [1, 2]", "MAX", "MAX"),
        ("min: [1, 2]", "MIN", "MIN"),
        ("max: [{min: [1, 2]}]", "MIN", "MIN"),  # MAX has one action
        ("chance: [{min: [1, 2]}, {max: {a: {min: [3]}}}]", "MIN", "MIN"),
        ("min: [{max: [1, 2]}]", "MAX", "MAX"),
        ("max: [{min: [1, 2]}, 3]", "MAX", "MAX MIN"),
        ("min: [{max: [1, 2]}, 3]", "MAX", "MAX MIN"),
        ("chance: [1, 2]", "MAX", ""),  # nobody has a choice
        ("7", "MAX", ""),
        ("min: [{chance: [1, 2]}]", "MIN", "MIN"),
        ("max: [{chance: [1, 2]}]", "MAX", "MAX"),
        ("max: [{min: [1]}]", "MAX", ""),
    ],
)
def test_who_decides(text: str, name: str, deciders: str) -> None:
    tree = et.loads(text if text != "7" else "{utility: 7}")
    assert tree.decision_maker.name == name
    assert " ".join(kind.name for kind in tree.deciders) == deciders
    assert tree.gain_sign == (-1 if name == "MIN" else 1)
