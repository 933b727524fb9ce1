"""Diagrams of SilverDecisions, their definition of a payoff, and texts of them."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import expectitree as et
from expectitree.files import loads

# Written for these tests. SilverDecisions' library sd-computations 0.6.1 added the results.
STALL = Path(__file__).parent / "silverdecisions" / "stall.json"
RULES = {
    "expected-value-maximization": ("MAX", "CHANCE"),
    "expected-value-minimization": ("MIN", "CHANCE"),
    "maxi-min": ("MAX", "MIN"),
    "maxi-max": ("MAX", "MAX"),
    "mini-min": ("MIN", "MIN"),
    "mini-max": ("MIN", "MAX"),
}
Json = dict[str, Any]


def edge(name: str, payoff: object, child: Json, probability: object = None) -> Json:
    """Return an edge; without a probability it is that of a decision."""
    found = {"name": name, "payoff": [payoff, "0"], "childNode": child}
    return found if probability is None else {**found, "probability": probability}


def terminal() -> Json:
    return {"type": "terminal", "name": "", "code": "", "childEdges": []}


def decision(*edges: Json, **keys: Any) -> Json:
    return {"type": "decision", "name": "", "code": "", "childEdges": [*edges], **keys}


def chance(*edges: Json, **keys: Any) -> Json:
    return {**decision(*edges, **keys), "type": "chance"}


def file_of(*trees: Json, code: str = "", scope: Json | None = None, **keys: Any) -> str:
    """Return the text of a file of version 1.2 with some trees."""
    data = {"code": code, "expressionScope": scope or {}, "trees": [*trees], "texts": []}
    return json.dumps({"SilverDecisions": "1.2.0", **keys, "data": data})


def read(text: str, **options: Any) -> tuple[et.Tree, list[str]]:
    """Return the tree of a text, exact, and the notes about it without the name of the text."""
    notes: list[str] = []
    tree = loads(text, warn=notes.append, **options)
    return tree, [note.removeprefix("<text>: ") for note in notes]


def tree_of(text: str, **options: Any) -> et.Tree:
    return read(text, **options)[0]


def payoff(node: Json, rule: str, paid: Fraction = Fraction(0)) -> Fraction:
    """Return the payoff of a node as SilverDecisions defines it."""
    values = [
        payoff(one["childNode"], rule, Fraction(one["payoff"][0])) for one in node["childEdges"]
    ]
    chosen = RULES[rule][node["type"] == "chance"]
    value = Fraction(0)
    if chosen == "CHANCE" and values:
        shares = [Fraction(one["probability"]) for one in node["childEdges"]]
        value = sum((p * v for p, v in zip(shares, values, strict=True)), value)
    elif values:
        value = max(values) if chosen == "MAX" else min(values)
    return paid + value


def random_diagram(source: random.Random, depth: int) -> Json:
    """Return a random decision tree."""
    if not depth or source.random() < 0.2:
        return terminal()
    count = source.randint(1, 3)
    weights = [source.randint(0, 4) for _ in range(count - 1)] + [1]
    edges = [
        edge(
            source.choice(["", "a", "b", "c"]),
            str(Fraction(source.randint(-20, 20), source.choice((1, 2, 3, 7)))),
            random_diagram(source, depth - 1),
            str(Fraction(weight, sum(weights))),
        )
        for weight in weights
    ]
    return source.choice((decision, chance))(*edges)
