"""Several criteria: reading and writing them, and what is expected of each."""

from __future__ import annotations

import json
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from helpers import for_each, invoke
from random_criteria import random_node

import expectitree as et
from expectitree.base.tree.folding import fold_with_formulas
from expectitree.decide.flip import flip
from expectitree.searches.engine import search_tree

TREATMENTS = """title: Treatments
parameters:
  wtp: 20000
  cured: 0.7
  drug: 9000
criteria:
  cost: {unit: "€"}
  effect: {description: years of life}
objective: wtp*effect - cost
max:
  in use: {chance: {cured: {utility: {effect: 8, cost: 1000}}, ill: {utility: {effect: 5}}}}
  new:
    note: a new drug
    reward: {cost: drug}
    chance:
      cured: {p: cured, utility: {effect: 8, cost: 1000}}
      ill: {p: rest, utility: {effect: 5, cost: 6000}}
"""


def amounts_of(node: dict[str, Any], weights: dict[str, Fraction]) -> dict[str, Fraction]:
    """Return what is expected of each criterion, by the definition; of equal actions, the first."""

    def total(amounts: dict[str, Fraction]) -> Fraction:
        return sum((weights[name] * x for name, x in amounts.items()), Fraction(0))

    own = {
        name: sum(Fraction((node.get(key) or {}).get(name, 0)) for key in ("reward", "utility"))
        for name in weights
    }
    kind = next((key for key in ("max", "min", "chance") if key in node), "")
    if not kind:
        return own
    below = [amounts_of(child, weights) for child in node[kind]]
    if kind == "chance":
        shares = [Fraction(child["p"]) for child in node[kind]]
        mean = {k: sum(p * x[k] for p, x in zip(shares, below, strict=True)) for k in weights}
    else:
        mean = (max if kind == "max" else min)(below, key=total)
    return {name: own[name] + mean[name] for name in weights}


@for_each("seed", range(4), range(4, 300))
def test_random_trees_by_the_definition(seed: int) -> None:
    random = Random(seed)
    weights = {name: Fraction(random.randint(-3, 3)) for name in ("cost", "effect", "risk")}
    node = random_node(random, 3, [*weights], ("max", "min", "chance", "chance"))
    node["reward"] = {"cost": 1}
    weights["effect"] = Fraction(7, 2)
    terms = " + ".join(f"({weight})*{name}" for name, weight in weights.items())
    root = {"criteria": [*weights], "objective": f"w*({terms})", "parameters": {"w": 1}}
    tree = et.from_dict({**root, **node})
    expected = amounts_of(node, weights)
    search = search_tree(tree)
    assert search.criteria_of() == expected
    assert search.value == sum(weights[name] * x for name, x in expected.items())
    for again in (
        et.loads(et.dumps(tree)),
        et.loads(et.dumps(tree, "json")),
        fold_with_formulas(tree, pytest.fail),
        tree.floats,
    ):
        found = search_tree(again)
        assert found.value == pytest.approx(float(search.value))
        for name, x in found.criteria_of().items():
            assert float(x) == pytest.approx(float(expected[name])), name
    assert search_tree(tree, et.algorithm("star2")).criteria_of() == expected


# ---- Reading.


def test_amounts_become_the_objective() -> None:
    tree = et.loads(TREATMENTS)
    assert search_tree(tree).value_of("new/cured") == 20000 * 8 - 1000
    assert search_tree(tree).criteria_of("in use") == {"cost": 500, "effect": Fraction(13, 2)}
    assert search_tree(tree.with_parameters(wtp=0)).best == "in use"
    text = et.dumps(tree)
    assert text.startswith(TREATMENTS.partition("  new")[0])
    assert "  new: {reward: {cost: drug}, note: a new drug, chance: {cured: {p: cured, " in text
    assert et.dumps(et.loads(text)) == text


def test_a_cost_is_an_amount_of_the_criterion_of_that_name() -> None:
    head = "{criteria: [cost, gain], objective: gain - 2*cost, "
    short = et.loads(head + "max: {a: {cost: 3, utility: {gain: 9}}, b: 0}}")
    assert search_tree(short).criteria_of("a") == {"cost": 3, "gain": 9}
    assert search_tree(short).value == 3
    long = et.loads(head + "max: {a: {reward: {cost: 3}, utility: {gain: 9}}, b: 0}}")
    assert et.dumps(short) == et.dumps(long)


def test_a_criterion_that_the_objective_leaves_out() -> None:
    text = (
        "{parameters: {p: 1/4}, criteria: [cost, deaths], objective: -cost, "
        "max: {a: {utility: {cost: 5, deaths: p}}, b: {reward: {cost: 2}, utility: {cost: 4}}}}"
    )
    warnings: list[str] = []
    tree = et.loads(text, warn=warnings.append)
    assert warnings == []
    assert search_tree(tree).criteria_of() == {"cost": 5, "deaths": Fraction(1, 4)}
    assert search_tree(et.loads(et.dumps(tree))).value == -5


def test_an_estimate_and_a_reward_of_the_root() -> None:
    head = "{criteria: [x], objective: 3*x, reward: {x: 1}, "
    tree = et.loads(head + "max: {a: {estimate: {x: 7}, max: [0, {utility: {x: 2}}]}, b: 0}}")
    assert search_tree(tree).criteria_of() == {"x": 3}
    assert search_tree(tree).criteria_of(tree.root) == {"x": 2}
    assert search_tree(et.prepare(tree, depth=1)).criteria_of() == {"x": 8}
    assert search_tree(et.loads(et.dumps(tree))).value == 9


def test_a_flipped_tree_keeps_its_criteria() -> None:
    inner = "{chance: {x: {p: 1/4, utility: {c: 3}}, y: {p: 3/4, reward: {c: 1}, utility: {d: 5}}}}"
    text = f"{{criteria: [c, d], objective: c - d, chance: {{a: {inner}, b: {inner}}}}}"
    tree = et.loads(text.replace("a: {", "a: {reward: {d: 2}, "))
    flipped = flip(tree, "/")
    assert search_tree(flipped).criteria_of() == search_tree(tree).criteria_of()
    assert search_tree(et.loads(et.dumps(flipped))).value == search_tree(tree).value


def test_what_a_search_did_not_prove() -> None:
    text = "max: {a: {utility: {x: 5}}, b: {min: [{utility: {x: 1}}, 0]}}"
    text = f"{{criteria: [x], objective: x, {text}}}"
    search = et.evaluate(et.loads(text), "star1")
    assert search.criteria_of() == {"x": 5}
    with pytest.raises(et.SearchError, match="star1 did not prove which actions are best at b"):
        search.criteria_of("b")
    assert et.evaluate(et.loads("max: [1, 2]")).criteria_of() == {}


# ---- Outputs.


def test_eval_shows_the_criteria() -> None:
    lines = invoke("eval", "-e", TREATMENTS).stdout.splitlines()
    assert lines[-7:] == [
        "value     130,500",
        "criteria  cost €11,500, effect 7.1",
        "best      new",
        "",
        "action    value    cost  effect",
        "in use  129,500     500     6.5",
        "new ★   130,500  11,500     7.1",
    ]
    found = json.loads(invoke("eval", "-e", TREATMENTS, "--format", "json").stdout)
    assert found["criteria"] == {"cost": 11500, "effect": 7.1}
    assert found["criteria_of_actions"]["in use"] == {"cost": 500, "effect": 6.5}


def test_formats_that_hold_numbers_only_say_what_they_leave_out(tmp_path: Any) -> None:
    notes: list[str] = []
    et.dumps(et.loads(TREATMENTS), "efg", warn=notes.append)
    assert notes[0].endswith("cannot hold: notes, parameters, formulas, criteria")


def test_criteria_are_replaced_below_a_ref() -> None:
    """Also an amount to which the objective gives no weight."""
    tree = et.loads("""
    parameters: {w: 3, a: 1, b: 2}
    criteria: [cost, effect, risk]
    objective: w*effect - cost
    nodes:
      care: {chance: [{utility: {effect: a, cost: b}}, {utility: {risk: a}}]}
    max:
      now: {ref: care}
      later: {ref: care, with: {a: 5*a, b: 7}}
    """)
    found = et.evaluate(tree)
    assert found.best == "later"
    assert found.criteria_of("now") == {"cost": 1, "effect": 0.5, "risk": 0.5}
    assert found.criteria_of("later") == {"cost": 3.5, "effect": 2.5, "risk": 2.5}
    assert et.evaluate(et.loads(et.dumps(tree))).criteria_of("later") == found.criteria_of("later")
