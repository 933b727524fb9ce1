"""Rewards and costs of branches in what `eval` shows: values of branches, and true arithmetic."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from helpers import invoke, loads, rendered_lines, typed
from oracle import definitions
from random_trees import EVERY, Case, with_slow_variants

import expectitree as et
from expectitree.analysis.evaluate.outline import outline
from expectitree.analysis.evaluate.reasons import reasons
from expectitree.analysis.evaluate.report import Evaluation
from expectitree.analysis.evaluate.sentences import explanation_lines
from expectitree.analysis.evaluate.tree_text import tree_lines
from expectitree.base.numbers import show_exact
from expectitree.searches.engine import search_tree
from expectitree.searches.prepare import cut_at_depth
from expectitree.searches.result import Search

ROCK = """
max:
  sell: 750
  install: {cost: 250, chance: {oil: {p: 0.5, utility: 2500}, none: {p: 0.5, utility: 0}}}
  test:
    cost: 100
    chance:
      plus:
        p: 0.6
        max:
          install: {cost: 250, chance: {oil: {p: .75, utility: 2500}, none: {p: .25, utility: 0}}}
          sell: 1000
      minus:
        p: 0.4
        max:
          install: {cost: 250, chance: {oil: {p: .125, utility: 2500}, none: {p: .875, utility: 0}}}
          sell: 500
"""
PAYS = """
reward: 3
nodes:
  coin: {chance: [{max: [0, {reward: 2, utility: 4}]}, {cost: 1/3, utility: 6}]}
max:
  once: {ref: coin}
  again: {ref: coin, cost: 2}
  duel:
    reward: 1
    min:
      hit: {cost: 5, utility: 20}
      wait: {cost: 4, max: {a: {min: [1, 2, 9], cost: 2}, b: {reward: 7, utility: 3}}}
      coin: {ref: coin, reward: 10}
"""


@pytest.fixture(
    scope="module", params=with_slow_variants(EVERY), ids=lambda chosen: chosen.full_name
)
def searches(request: pytest.FixtureRequest) -> list[Search]:
    """Return searches in fractions of random trees that pay, some also at the root."""
    found = []
    for seed in range(60):
        case = Case(seed, pays=True)
        tree = replace(case.tree(), root_reward=Fraction(seed % 3 * 5, 3))
        found.append(search_tree(tree, request.param, bounds=case.bounds))
    return found


# ---- The annotated tree.


def drawn(text: str, name: str = "expectiminimax", **options: Any) -> list[str]:
    search = search_tree(loads(text, exact=options.pop("exact", False)), name)
    with show_exact(search.tree.exact):
        return rendered_lines(tree_lines, Evaluation("", search, **options), 80)


def test_a_row_shows_the_payment_and_the_value_of_the_branch() -> None:
    assert drawn(ROCK) == [
        "▲ MAX 1,075",
        "├── sell               750",
        "├── install  cost 250  ● CHANCE 1,000 = mean(oil: 2,500, none: 0) − 250",
        "└─★ test     cost 100  ● CHANCE 1,075",
        "    ├── plus   p 0.6  ▲ MAX 1,625",
        "    │   ├─★ install  cost 250  ● CHANCE 1,625",
        "    │   │     = oil: 0.75·2,500 + none: 0.25·0 − 250",
        "    │   └── sell               1,000",
        "    └── minus  p 0.4  ▲ MAX 500",
        "        ├── install  cost 250  ● CHANCE 62.5",
        "        │     = oil: 0.125·2,500 + none: 0.875·0 − 250",
        "        └─★ sell               500",
    ]


def test_each_branch_to_a_shared_node_has_its_own_value() -> None:
    assert drawn(PAYS, "star1", exact=True, windows=True) == [
        "reward 3  ▲ MAX 10",
        "│   alpha −1, beta 20 (−4 and 17 without the reward)",
        "├── once             @1 ● CHANCE 35/6  p 0.5 each",
        "│   │   alpha −4, beta 17",
        "│   ├── #1            ▲ MAX 6 = max(0, 4 + 2)",
        "│   │     alpha −14, beta 36",
        "│   └── #2  cost 1/3  17/3 = 6 − 1/3",
        "├── again  cost 2    → @1 ● CHANCE 23/6",
        "└─★ duel   reward 1  ▼ MIN 7",
        "    │   alpha 35/6, beta 17 (29/6 and 16 without the reward)",
        "    ├── hit   cost 5     15 = 20 − 5",
        "    ├─★ wait  cost 4     ▲ MAX 6",
        "    │   │   alpha 29/6, beta 15 (53/6 and 19 without the cost)",
        "    │   ├── a  cost 2    ▼ MIN −1 = min(1, (2), (9)) − 2",
        "    │   │     alpha 53/6, beta 19 (65/6 and 21 without the cost)",
        "    │   │     alpha cut after 1 of 3: at most −1 ≤ alpha 53/6; 2 leaves not",
        "    │   │     visited",
        "    │   └─★ b  reward 7  10 = 3 + 7",
        "    └── coin  reward 10  → @1 ● CHANCE 95/6",
    ]


def test_a_leaf_that_was_not_visited_is_in_parentheses_with_its_sum() -> None:
    tree = "max: {a: {cost: 1, utility: 9}, b: {min: [1, {cost: 5, utility: 9}]}}"
    assert drawn(tree, "star1")[3:4] == [
        "└─╫ b          ▼ MIN [1, 8] of min((1), (9) − 5)  not visited",
    ]
    tree = "bounds: [0, 9]\nmax: [7, {reward: 4, bounds: [0, 2], utility: 1}]"
    assert drawn(tree, "star1")[2:] == [
        "└── #2  reward 4  (5 = 1 + 4)  passed over",
        "      at most 6 by its bounds, and MAX is sure of 7",
    ]


def test_an_estimate_keeps_its_name_in_the_sum() -> None:
    tree = cut_at_depth(et.loads("max: [1, {cost: 2, estimate: 8, min: [3, 4]}]"), 1)
    lines = rendered_lines(tree_lines, Evaluation("", et.evaluate(tree)), 80)
    assert lines[2] == "└─★ #2  cost 2  6 = estimate 8 − 2"


def test_a_row_shows_the_value_of_its_branch(searches: list[Search]) -> None:
    """Values are those of the definition: the reward plus the value of the node."""
    for search in searches:
        tree, value = search.tree, definitions(search.tree)
        for row in outline(search, None, folded=False):
            lower, upper = search.interval_of_branch(row.branch)
            assert lower <= value[row.node] + tree.reward_of(row.branch) <= upper


def mean(*values: Fraction) -> Fraction:
    return sum(values, Fraction()) / len(values)


def worth(text: str) -> Any:
    """Return the value of a formula of fractions."""
    text = re.sub(r"(?<![\d.])\d+(\.\d+)?", r"Fraction('\g<0>')", text)
    functions: dict[str, Any] = {
        "Fraction": Fraction,
        "mean": mean,
        "max": lambda *values: max(values),
        "min": lambda *values: min(values),
    }
    return eval(text, functions)


_FORMULA = re.compile(r"[ (](-?[\d/.]+) = (.+?)(?:  |$)")


def test_every_formula_of_the_tree_is_true(searches: list[Search]) -> None:
    seen = 0
    for search in searches:
        with show_exact(True):
            lines = rendered_lines(
                tree_lines, Evaluation("", search), 10_000, False, most_rows=None
            )
        for line in map(typed, lines):
            if found := _FORMULA.search(line):
                left, right = found.groups()
                seen += 1
                is_in_parentheses = right.count(")") > right.count("(")
                assert worth(left) == worth(right[:-1] if is_in_parentheses else right), line
    assert seen > 100


# ---- Sentences.


def explained(text: str, name: str, path: str = "/") -> str:
    return re.sub(r"\s+", " ", et.explain(search_tree(et.loads(text), name), path))


def test_a_sentence_names_the_cost_and_the_reward() -> None:
    text = explained(ROCK, "star1")
    assert "install is worth (2,500 + 0)/2 less its cost of 250 = 1,000: worse than 1,075." in text
    assert "test is worth 0.6·1,625 + 0.4·500 less its cost of 100 = 1,075." in text
    text = explained(PAYS, "star1")
    assert "MAX chooses duel: it is worth 7 plus its reward of 3 = 10. once" in text
    assert "duel is worth 6 plus its reward of 1 = 7." in text
    assert (
        "Alpha cut at ▼ duel/wait/a after 1 of 3: it is worth at most 1 less its cost of 2 = −1; "
        "up to 53/6 = 29/6 + 4 it cannot lift ▲ duel/wait above 29/6; "
        "up to 29/6 = 35/6 − 1 it cannot lift ▼ duel above 35/6, "
        "which MAX is sure of at ▲ / with once. What is left, 2 leaves, cannot change that."
    ) in text


def test_a_path_is_explained_with_the_reward_of_its_last_branch() -> None:
    assert "● again (CHANCE) is worth (6 + (17/3))/2 less its cost of 2 = 23/6." in explained(
        PAYS, "star1", "again"
    )
    assert "● once (CHANCE) is worth (6 + (17/3))/2 = 35/6." in explained(PAYS, "star1", "once")
    assert explained(PAYS, "star1", "duel/hit") == (
        "duel/hit is a leaf: its utility is 20 less its cost of 5 = 15."
    )


_SIDES = re.compile(r"(-?[\d(][-\d./()*+ ]*) = (-?[\d(][-\d./()*+ ]*)")


def test_every_equation_of_a_sentence_is_true(searches: list[Search]) -> None:
    seen = paid = 0
    for search in searches:
        for node in range(len(search.tree)):
            report = reasons(search, node)
            with show_exact(True):
                text = " ".join(rendered_lines(explanation_lines, report, 100_000, False))
            text = re.sub(r"(?<=\d),(?=\d{3})", "", text)  # 1,000
            paid += " its cost of " in text
            text = typed(text)
            text = re.sub(r" (less|plus) its \w+ of ", lambda m: PAID[m[1]], text)
            for left, right in _SIDES.findall(text):
                seen += 1
                right = right.rstrip(" .(") if right.count("(") > right.count(")") else right
                assert worth(left.strip()) == worth(right.rstrip(" .")), (left, right, text)
    assert seen > 500
    assert paid > 100


PAID = {"less": " - ", "plus": " + "}


# ---- JSON.


def test_json_has_rewards_next_to_intervals_without_them() -> None:
    found = json.loads(invoke("eval", "-a", "star1", "--format", "json", "-e", PAYS).stdout)
    assert (found["value"], found["bounds"]) == (10, [-4, 17])
    tree = found["tree"]
    assert (tree["reward"], tree["lower"], tree["upper"]) == (3, 7, 7)
    once, again, duel = tree["children"]
    assert "reward" not in once
    assert again == {"label": "again", "reward": -2, "ref": 1}
    assert (duel["reward"], duel["lower"]) == (1, 6)
    assert duel["children"][0] == {
        "label": "hit", "reward": -5, "kind": "TERMINAL", "utility": 20, "lower": 20, "upper": 20,
        "visited": True,
    }  # fmt: skip


def test_the_interval_of_a_stopped_search_includes_the_reward_of_the_root() -> None:
    done = invoke("eval", "-a", "star1", "--max-visits", "3", "--format", "json", "-e", PAYS)
    found = json.loads(done.stdout)
    assert found["interval"] == [1, 20]
    text = invoke("eval", "-a", "star1", "--max-visits", "3", "-e", PAYS).stdout
    assert "value     in [1, 20]\n" in text
    assert text.endswith("from the leaves, without the root's reward of 3\n")
