"""Write the expected data of the JavaScript tests: a page and the moments of its searches.

python tests/page/golden.py > golden.json
GOLDEN=golden.json node --test tests/page/*.test.js
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import expectitree as et
from expectitree.analysis.trace.moment import Moment
from expectitree.analysis.trace.report import Trace
from expectitree.page.data import page_data
from expectitree.page.replays import replays
from expectitree.text.json_values import json_number

TREES = Path(__file__).resolve().parents[2] / "trees"


def golden(name: str) -> dict[str, Any]:
    report = replays(et.load(TREES / name))
    moments = {trace.search.algorithm.full_name: moments_of(trace) for trace in report.traces}
    return {"data": page_data(report), "moments": moments}


def moments_of(trace: Trace) -> list[dict[str, Any]]:
    """Return the state before the first step and after each step."""
    moment = Moment(trace)
    found = [state(moment)]
    while moment.forward():
        found.append(state(moment))
    return found


def state(moment: Moment) -> dict[str, Any]:
    search = moment.search
    return {
        "lower": list(map(json_number, moment.lower)),
        "upper": list(map(json_number, moment.upper)),
        "visits": list(moment.visits),
        "best": [list(search.best_branches(n)) for n in range(len(moment.tree))],
        "open": [event.node for event in moment.open],
        "cuts": moment.cuts,
        "nodes": moment.visited,
        "leaves": moment.leaves_visited,
    }


if __name__ == "__main__":
    names = ("ballard.yaml", "shared.yaml", "decision.json")
    print(json.dumps({name: golden(name) for name in names}))
