"""SilverDecisions' trees of two criteria: a league table, and every rule."""

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


# By rule: which of the treatments is best at the weight 1, and its combined payoff.
@pytest.mark.parametrize(
    ("rule", "value"), [("min-max", "17/5"), ("max-min", "1/10"), ("min-min", -4), ("max-max", 13)]
)
def test_every_rule(rule: str, value: str | int) -> None:
    tree = tree_of(of_two(TREATMENTS, rule))
    assert search_tree(tree).value == Fraction(value)
