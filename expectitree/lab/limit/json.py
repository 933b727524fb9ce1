"""The fewest leaves that are enough, as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from expectitree.lab.limit.report import Limit
from expectitree.lab.limit.text import leaf_names
from expectitree.searches.result import Search
from expectitree.text.json_values import about_fields, dumps, json_number


def render(reports: Sequence[Limit], show_all: bool = True) -> Iterator[str]:
    """Yield an object for each file on one line, always with all leaves."""
    for report in reports:
        search, tree, best = report.search, report.tree, report.best_action
        yield dumps(
            {
                **about_fields(report.file, tree),
                "bounds": [json_number(end) for end in search.root_bounds],
                "bounds_from": search.bounds_source,
                "leaves": tree.leaves,
                "value": json_number(search.value),
                "best": search.best,
                "ties": list(search.ties),
                **limit_fields(report),
                "best_action_proved": report.proved,
                "exact_leaves": leaf_names(tree, report.exact),
                "best_action_leaves": None if best is None else leaf_names(tree, best),
                "rows": [_row_fields(report, row) for row in report.rows],
            }
        )


def limit_fields(report: Limit) -> dict[str, Any]:
    """Return the two counts; a count is null where only its bounds are known."""
    exact, best = report.exact, report.best_action
    return {
        "exact": exact.count,
        "exact_bounds": list(exact.ends),
        "best_action": None if best is None else best.count,
        "best_action_bounds": None if best is None else list(best.ends),
    }


def _row_fields(report: Limit, row: Search) -> dict[str, Any]:
    return {
        "algorithm": row.algorithm.name,
        **row.algorithm.options,
        "leaves_visited": row.counts.leaves_visited,
        "surplus": report.surplus(row),
        "ratio": report.ratio(row),
        **({"stopped": True} if row.stopped else {}),
    }
