"""Write the expected data of the JavaScript tests: a page and the moments of its searches.

python tests/page/golden.py > golden.json
GOLDEN=golden.json node --test tests/page/*.test.js
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import expectitree as et
from expectitree.analysis.trace.events import CUT
from expectitree.analysis.trace.report import Trace
from expectitree.base.tree.scans import shifted
from expectitree.page import replays
from expectitree.page.data import page_data
from expectitree.page.steps import Moment
from expectitree.text.json_values import json_number

TREES = Path(__file__).resolve().parents[2] / "trees"


# A root, actions and outcomes that pay; a shared node is reached with different rewards.
PAYING = """
cost: 5
nodes: {coin: {chance: {heads: {reward: 1, utility: 4}, tails: {cost: 2, utility: 2}}}}
max:
  a: {cost: 3, ref: coin}
  b: {reward: 1/4, ref: coin}
  c: {min: [{cost: 100000, utility: 1}, {reward: 2, utility: 7}, {reward: 2, ref: coin}]}
"""


def golden(tree: et.Tree) -> dict[str, Any]:
    traces = replays(tree)
    moments = {trace.search.algorithm.full_name: moments_of(trace) for trace in traces}
    return {"data": page_data(traces, "star1"), "moments": moments}


def moments_of(trace: Trace) -> list[dict[str, Any]]:
    """Return the state before the first step and after each step."""
    moment = Moment(trace)
    found = [state(moment)]
    while moment.forward():
        found.append(state(moment))
    return found


def state(moment: Moment) -> dict[str, Any]:
    search, branches = moment.search, moment.tree.first_paths.branch
    visited = [n for n, visits in enumerate(moment.visits) if visits]
    rewards = [moment.tree.reward_of(b) for b in branches]
    ends = zip(moment.lower, moment.upper, rewards, strict=True)
    return {
        "lower": list(map(json_number, moment.lower)),
        "upper": list(map(json_number, moment.upper)),
        "worth": [[json_number(shifted(end, r)) for end in (low, high)] for low, high, r in ends],
        "visits": list(moment.visits),
        "best": [list(search.best_branches(n)) for n in range(len(moment.tree))],
        "open": [event.node for event in moment.open],
        "cuts": sum(event.kind == CUT for event in moment.events[: moment.done]),
        "nodes": len(visited),
        "leaves": sum(not moment.tree.columns.kind[n] for n in visited),
    }


if __name__ == "__main__":
    names = ("ballard.yaml", "shared.yaml", "decision.json")
    trees = {name: et.load(TREES / name) for name in names} | {"paying": et.loads(PAYING)}
    print(json.dumps({name: golden(tree) for name, tree in trees.items()}))
