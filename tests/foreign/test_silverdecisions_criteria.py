"""SilverDecisions' trees of two criteria: its league tables, and writing them again."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from foreign.diagrams import Json, chance, decision, edge, file_of, terminal, tree_of

import expectitree as et
from expectitree.searches.engine import search_tree


def two(
    name: str, first: object, second: object, child: Json | None = None, p: object = ""
) -> Json:
    """Return an edge with two payoffs."""
    return {**edge(name, 0, child or terminal(), p), "payoff": [first, second]}


def of_two(root: Json, rule: str, **data: object) -> str:
    """Return the file of a tree of two criteria."""
    names = {"payoffNames": ["Effect", "Cost"], "defaultCriterion1Weight": "1"}
    file = json.loads(file_of(root, rule=rule, viewMode="twoCriteria"))
    return json.dumps({**file, "data": {**file["data"], **names, **data}})


# The tree `mcdm2` of sd-computations 0.6.1, and the rows of its league table that are not
# dominated: payoffs and ratio.
TREATMENTS = decision(
    *(two(name, *pair) for name, *pair in (("A", 2, 2), ("B", 3, 3), ("C", 4, 5), ("D", 5, 8))),
    two("wait", 0, 0, chance(two("improve", "5", 0, p=".3"), two("ill", 0, 0, decision(
        *(two(name, *pair) for name, *pair in (("A", 1, 3), ("B", 2, 5), ("C", 3, 7), ("D", 4, 11)))
    ), "#"))),
)  # fmt: skip


def test_a_league_table_of_silverdecisions() -> None:
    found = et.frontier(tree_of(of_two(TREATMENTS, "max-min")))
    rows = [(one.action, *map(float, (*one.criteria.values(), one.start))) for one in found.best]
    assert rows == [
        ("A", 2, 2, 0),
        ("wait", 2.2, 2.1, 0.5),
        ("B", 3, 3, 1.125),
        ("C", 4, 5, 2),
        ("D", 5, 8, 3),
    ]
    assert found.best[1].choices["wait/ill"] == "A"


def test_dominated_strategies_of_silverdecisions() -> None:
    """The trees `mcdm` and `mcdm3`."""
    payoffs = [(-5, 5), (-5, 6), (-5, 6), (-1, 1), (0, 4), (3, 5), (5, 9), (6, 20), (7, 19)]
    root = decision(*(two(str(i), *pair) for i, pair in enumerate(payoffs, 1)))
    found = et.frontier(tree_of(of_two(root, "max-min")))
    assert [(one.action, one.start) for one in found.best[1:]] == [("6", 1), ("7", 2), ("9", 5)]
    assert {one.action: (one.status, one.by) for one in found.never} == {
        **dict.fromkeys("123", ("dominated", (1,))),
        "5": ("extendedly dominated", (1, 2)),
        "8": ("dominated", (4,)),
    }
    payoffs = [(0, 0), ("2", "3.5"), ("4.8", "5.2"), ("7", "8.5"), ("10", "10")]
    root = decision(*(two(name, *pair) for name, pair in zip("ABCDE", payoffs, strict=True)))
    found = et.frontier(tree_of(of_two(root, "max-min")))
    assert [one.action for one in found.best] == ["A", "E"]
    assert {one.status for one in found.never} == {"extendedly dominated"}


# By rule: which of the treatments is best at the weight 1, and its combined payoff.
@pytest.mark.parametrize(
    ("rule", "value"), [("min-max", "17/5"), ("max-min", "1/10"), ("min-min", -4), ("max-max", 13)]
)
def test_every_rule(rule: str, value: str | int) -> None:
    tree = tree_of(of_two(TREATMENTS, rule))
    assert search_tree(tree).value == Fraction(value)
    again = tree_of(et.dumps(tree, "silverdecisions"))
    assert et.dumps(again) == et.dumps(tree)
    assert json.loads(et.dumps(tree, "silverdecisions"))["rule"] == rule


def test_names_weights_and_formulas() -> None:
    root = decision(two("a", "x + 1", 0), two("b", 0, "2*x", chance(two("", "1/2", 5, p="#"))))
    names = {"payoffNames": ["Life years", None], "code": "x = 3"}
    text = of_two(root, "max-min", **names, defaultCriterion1Weight="2")
    assert et.dumps(tree_of(text)) == (
        "parameters:\n"
        "  x: 3\n"
        "  weight: 2\n"
        "criteria:\n"
        "  Life_years: {description: Life years}\n"
        "  criterion_2: {description: criterion 2}\n"
        "objective: weight*Life_years - criterion_2\n"
        "max:\n"
        "  a: {utility: {Life_years: x + 1}}\n"
        "  b: {reward: {criterion_2: 2*x}, chance: "
        "[{utility: {Life_years: 1/2, criterion_2: 5}}]}\n"
    )
    text = of_two(root, "min-max", code="x = 3", defaultCriterion1Weight="Infinity")
    assert "objective: -Effect\n" in et.dumps(tree_of(text))


def test_our_trees_are_written() -> None:
    head = "parameters: {wtp: {value: 3, range: [0, 10]}, drug: 5}\ncriteria: [cost, effect]\n"
    actions = "max: {a: {utility: {cost: drug, effect: 2}}, b: {reward: {cost: 1}, utility: 0}}"
    for objective, rule, names in (
        ("wtp*effect - cost", "max-min", ["effect", "cost"]),
        ("-cost - wtp*effect", "min-min", ["effect", "cost"]),
        ("effect - wtp*cost", "min-max", ["cost", "effect"]),
        ("effect + cost", "max-max", ["effect", "cost"]),
    ):
        tree = et.loads(f"{head}objective: {objective}\n{actions}")
        file = json.loads(et.dumps(tree, "silverdecisions"))
        assert (file["rule"], file["data"]["payoffNames"]) == (rule, names)
        assert file["data"]["code"] == "drug = 5"
        again = tree_of(json.dumps(file))
        assert search_tree(again).value == search_tree(tree).value
        pairs = zip(search_tree(again).criteria_of(), names, strict=True)
        assert all(one == other for one, other in pairs)
