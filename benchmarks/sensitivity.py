"""Measures sensitivity analyses of generated trees in which many nodes depend on parameters."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

from benchmarks.measuring import Row, Size, best_seconds
from expectitree import Tree, loads, sensitivity, sensitivity_map, tornado

NAMES = [f"a{i}" for i in range(20)]


def sensitivities(size: Size) -> Iterator[Row]:
    """Yield the seconds of an analysis of one parameter, of a tornado, and of a map."""
    small = 10 if size.search_nodes < 100_000 else 1
    large, middle = decision_tree(14_000 // small), decision_tree(1_400 // small)
    for what, run, limit in (
        (f"sensitivity, one parameter, {len(large):,} nodes", partial(sensitivity, large, "a0"), 2),
        (f"sensitivity, 20 parameters, {len(middle):,} nodes", partial(tornado, middle), 5),
        (
            f"sensitivity, map of 41 rows, {len(middle):,} nodes",
            partial(sensitivity_map, middle, "a0", "a1"),
            5,
        ),
    ):
        (seconds,) = best_seconds([run], min(3, size.repetitions))
        yield Row(what, seconds, "s", limit, at_most=True)


def decision_tree(nodes: int, seed: int = 1) -> Tree:
    """Return MAX over CHANCE, repeated, with 20 parameters.

    Each chance node has a probability that depends on one of them: a third on the first. So does
    each fifth terminal. The parameters are probabilities.
    """
    random = Random(seed)
    weights = [10, *[1] * 19]

    def parameter() -> str:
        return random.choices(NAMES, weights)[0]

    def grow(count: int, kind: str) -> dict[str, Any]:
        if count < 3:
            amount = random.randint(0, 1000)
            return {"utility": f"{amount} - 300*{parameter()}" if random.random() < 0.2 else amount}
        below = "chance" if kind == "max" else "max"
        width = random.randint(2, 3)
        share = (count - 1) // width
        children = [grow(share, below) for _ in range(width)]
        if kind == "chance":
            a = parameter()
            p = random.choice((a, f"1 - {a}", f"({a} + 1)/3", f"{a}*{parameter()}"))
            children = [{**child, "p": "rest"} for child in children]
            children[0]["p"] = p
        return {kind: children}

    parameters = {
        name: {"value": round(random.uniform(0.2, 0.8), 2), "range": [0, 1]} for name in NAMES
    }
    return loads(json.dumps({"parameters": parameters, **grow(nodes, "max")}))
