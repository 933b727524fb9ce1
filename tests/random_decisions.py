"""Random trees of one decision maker as plain data, and their mirrors.

The mirror swaps MAX and MIN and negates every total: utilities and rewards or, with criteria, the
objective alone.
"""

from __future__ import annotations

from random import Random
from typing import Any

AMOUNTS = ("x", "2*x - 1", "10*p - 4", "7 - x", "x^2/4")
CRITERIA = {"criteria": ["cost", "effect"], "objective": "x*effect - cost"}
EVENTS = {
    "e": {"prior": {"up": "p", "down": "rest"}},
    "t": {
        "test_of": "e",
        "likelihood": {"plus": {"up": 0.8, "down": 0.3}, "minus": {"up": "rest", "down": "rest"}},
    },
}
Data = Any


def random_decision(seed: int, has_criteria: bool = False, unknown: float = 0) -> dict[str, Data]:
    """Return a tree of MAX with the parameters p and x, and the event e and its test t.

    Few nodes belong to MIN, who has one action there. `unknown` is the share of leaves that are
    not known.
    """
    random = Random(seed)
    payments = ("reward",) if has_criteria else ("reward", "cost")

    def amount() -> Data:
        if has_criteria:
            return {"cost": random.randint(-3, 9), "effect": random.randint(-2, 4)}
        return random.choice((*AMOUNTS, *range(-6, 13)))

    def node(depth: int, is_known: bool) -> dict[str, Data]:
        if not depth or random.random() < 0.15:
            return {"utility": "?" if random.random() < unknown else amount()}
        kind = random.choice(("max", "max", "event", "chance", "min"))
        if kind == "event" and not is_known:
            labels = {"up": None, "down": None}
            return {"event": "e", "chance": children(labels, depth - 1, True)}
        if kind in ("event", "chance"):
            share = random.choice((0.1, 0.25, 0.5))
            labels = {"good": share, "bad": "rest"}
            return {"chance": children(labels, depth - 1, is_known)}
        names = ("only",) if kind == "min" else ("a", "b", "c")[: random.randint(1, 3)]
        return {kind: children(dict.fromkeys(names), depth - 1, is_known)}

    def children(shares: dict[str, Data], depth: int, is_known: bool) -> dict[str, Data]:
        found = {}
        for label, p in shares.items():
            found[label] = node(depth, is_known)
            if p is not None:
                found[label]["p"] = p
            if random.random() < 0.25:
                found[label][random.choice(payments)] = amount()
        return found

    test = {"event": "t", "chance": {s: node(2, False) for s in ("plus", "minus")}}
    met = {"event": "e", "chance": {"up": node(1, True), "down": node(1, True)}}
    root = {"one": met, "two": node(3, False), "test": test}
    parameters = {
        "p": {"value": random.choice(("0.3", "0.5", "4/5")), "range": [0, 1]},
        "x": {"value": random.choice((0, 2, "5/2")), "range": [-1, 4]},
    }
    parameters["p"]["distribution"] = "beta(2, 3)"
    parameters["x"]["distribution"] = "normal(2, 1)"
    if has_criteria:
        del parameters["x"]["distribution"]
    about = CRITERIA if has_criteria else {"reward": random.choice((0, -4, "x/2"))}
    return {"parameters": parameters, **about, "events": EVENTS, "max": root}


def mirror(node: Data) -> Data:
    """Return the mirror of a tree, or of a node."""
    if not isinstance(node, dict):
        return node
    found = dict(node)
    for kind, other in (("max", "min"), ("min", "max"), ("chance", "chance")):
        if kind in node:
            below = found.pop(kind)
            found[other] = {label: mirror(child) for label, child in below.items()}
    for key in ("utility", "reward", "cost", "objective"):
        value = node.get(key)
        if value is not None and value != "?" and not isinstance(value, dict):
            found[key] = f"-({value})" if isinstance(value, str) else -value
    return found
