"""The report as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from expectitree.analysis.limit.report import Limit
from expectitree.analysis.limit.text import leaf_names
from expectitree.searches.result import Search
from expectitree.text.json_values import dumps, json_number
from expectitree.text.look import Look


def render(reports: Sequence[Limit], look: Look, show_all: bool = True) -> Iterator[str]:
    """Yield an object for each file, one line each, always with all leaves."""
    for report in reports:
        search, tree = report.search, report.tree
        yield dumps(
            {
                "file": report.file,
                "title": tree.title,
                "bounds": [json_number(end) for end in search.bounds],
                "bounds_from": search.bounds_source,
                "leaves": tree.leaves,
                "value": json_number(search.value),
                "best": search.best,
                "ties": list(search.ties),
                **limit_fields(report),
                "best_action_proved": report.proved,
                "exact_leaves": leaf_names(tree, report.exact),
                "best_action_leaves": None
                if report.best_action is None
                else leaf_names(tree, report.best_action),
                "rows": [_row_fields(report, row) for row in report.rows],
            }
        )


def limit_fields(report: Limit) -> dict[str, Any]:
    """Return the two counts: null where they are known only to lie within the bounds beside them."""
    exact, best = report.exact, report.best_action
    return {
        "exact": exact.count,
        "exact_bounds": [exact.least, exact.most],
        "best_action": None if best is None else best.count,
        "best_action_bounds": None if best is None else [best.least, best.most],
    }


def _row_fields(report: Limit, row: Search) -> dict[str, Any]:
    counts = row.counts
    surplus, enough = report.surplus(row), report.enough(row)
    return {
        "algorithm": row.algorithm.name,
        **row.algorithm.options,
        "leaves_visited": counts.leaves_visited,
        "surplus": surplus,
        "ratio": None
        if surplus is None or not enough.most
        else counts.leaves_visited / enough.most,
        **({"stopped": True} if row.stopped else {}),
    }
