"""Random trees with two parameters, a and b, and what they are worth by definition."""

from __future__ import annotations

import json
from fractions import Fraction
from random import Random
from typing import Any

from helpers import loads
from oracle import best_actions, definition, exact_root

from expectitree import Tree
from expectitree.decide.sensitivity.report import Sensitivity

# From 0 to 1 while a and b are: affine, products, powers, posteriors.
PROBABILITIES = (
    *("a", "b", "1 - a", "1/4 + a/2", "a*b", "a^2", "(1 - a)*b", "a/(a + 1)"),
    *("a*b/(a*b + (1 - a)*(1 - b))", "(1 - a)*b/(1 - a*b)", "a*derived", "1/3"),
)
AMOUNTS = (
    *("3*a", "2 - 4*a", "(a - 1/2)^2", "4*a*(1 - a)", "b - a", "6*a*b", "1/(1 + a)"),
    *("a/(2 - a) - b", "derived*a - 1", "a^3 - a", "1/2", "1"),
)


def random_tree(seed: int, exact: bool = True) -> Tree:
    """Return a tree with a from 0 to 1 and b, of MAX, MIN and CHANCE, with some shared nodes."""
    random = Random(seed)
    shared: dict[str, Any] = {}

    def grow(depth: int) -> dict[str, Any]:
        if shared and random.random() < 0.15:
            return {"ref": random.choice([*shared])}
        if depth == 0 or random.random() < 0.15:
            return {"utility": random.choice((*AMOUNTS, random.randint(-2, 3)))}
        kind = random.choice(("max", "max", "min", "chance", "chance", "chance"))
        node = {kind: branches(kind, depth - 1)}
        if random.random() < 0.15:
            name = f"n{len(shared)}"
            shared[name] = node
            return {"ref": name}
        return node

    def branches(kind: str, depth: int) -> list[dict[str, Any]]:
        found = [grow(depth) for _ in range(2 if kind == "chance" else random.randint(1, 3))]
        if kind == "chance":
            found = [{**found[0], "p": random.choice(PROBABILITIES)}, {**found[1], "p": "rest"}]
        return [
            {**one, "reward": random.choice(AMOUNTS)} if random.random() < 0.2 else one
            for one in found
        ]

    kind = random.choice(("max", "max", "max", "min", "chance"))
    root = {kind: branches(kind, random.randint(1, 4))}
    parameters = {
        "a": {"value": random.choice(("1/3", "0.5", "0", "0.9")), "range": [0, 1]},
        "b": {"value": random.choice(("1/2", "0.25", "0.9")), "range": [0.1, 0.9]},
        "derived": "1 - b/2",
    }
    document = {"parameters": parameters, "nodes": shared, **root}
    return loads(json.dumps({k: v for k, v in document.items() if v}), exact=exact)


def at(tree: Tree, place: Fraction, name: str = "a") -> tuple[Fraction, tuple[str, ...]]:
    """Return the value and the best actions by definition, at a value of a parameter."""
    moved = tree.with_parameters(**{name: place})
    root = exact_root(moved)
    return Fraction(moved.root_reward) + definition(root), best_actions(root)


def predicted(report: Sensitivity, place: Fraction) -> tuple[str, ...] | None:
    """Return the best actions by a report; None within the interval of a threshold."""
    for one in report.thresholds:
        if one.lower <= place <= one.upper:
            return one.at if one.exact is not None else None
    for piece in report.pieces:
        if piece.start <= place <= piece.end:
            return piece.best
    raise AssertionError("no piece contains the place")


def random_cohorts(seed: int, cycles: int) -> tuple[Tree, dict[str, tuple[Fraction, Fraction]]]:
    """Return an unrolled Markov tree: a node for each strategy, cycle and state, which are shared.

    `wtp` is the weight of an effect, and `u` the effect of a cycle of illness. Also return the cost
    and the effect of each strategy, which the cohort gives as it moves forward. Probabilities have
    17 digits, so values have thousands.
    """
    random = Random(seed)
    nodes: dict[str, Any] = {}
    totals: dict[str, tuple[Fraction, Fraction]] = {}
    discount = Fraction(random.choice(("1", "1.03", "1.035")))
    utility = Fraction(3, 4)
    for strategy in random.sample(("none", "old", "new"), random.randint(2, 3)):
        moves, dies = (
            {state: f"{random.uniform(0.01, 0.4):.17f}" for state in ("well", "ill")}
            for _ in range(2)
        )
        costs = {"well": random.randint(0, 3_000), "ill": random.randint(500, 20_000)}
        alive = {"well": Fraction(1), "ill": Fraction(0)}
        cost = effect = Fraction(0)
        for cycle in range(cycles):
            for state, other in (("well", "ill"), ("ill", "well")):
                factor = f"/({discount})^{cycle}"
                gained = "u" if state == "ill" else "1"
                paid = {"cost": f"{costs[state]}{factor}", "effect": f"{gained}{factor}"}
                ends: dict[str, Any] = {"utility": 0}
                stays, goes = (
                    {"ref": f"{strategy} {to} {cycle + 1}"} if cycle + 1 < cycles else ends
                    for to in (state, other)
                )
                outcomes = {
                    state: {"p": "rest", **stays},
                    other: {"p": moves[state], **goes},
                    "dead": {"p": dies[state], **ends},
                }
                chance = {label: {"reward": paid, **outcome} for label, outcome in outcomes.items()}
                nodes[f"{strategy} {state} {cycle}"] = {"chance": chance}
            cost += sum(alive[state] * costs[state] for state in alive) / discount**cycle
            effect += (alive["well"] + alive["ill"] * utility) / discount**cycle
            stay = {s: 1 - Fraction(moves[s]) - Fraction(dies[s]) for s in alive}
            alive = {
                state: alive[state] * stay[state] + alive[other] * Fraction(moves[other])
                for state, other in (("well", "ill"), ("ill", "well"))
            }
        totals[strategy] = cost, effect
    document = {
        "parameters": {"wtp": {"value": 30_000, "range": [0, 200_000]}, "u": f"{utility}"},
        "criteria": ["cost", "effect"],
        "objective": "wtp*effect - cost",
        "nodes": nodes,
        "max": {strategy: {"ref": f"{strategy} well 0"} for strategy in totals},
    }
    return loads(json.dumps(document)), totals
