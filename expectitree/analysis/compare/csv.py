"""Comparisons as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from expectitree.algorithms import OPTIONS
from expectitree.analysis.compare.report import Comparison, ComparisonRow
from expectitree.numbers import exact_text
from expectitree.searches.result import Outcome


def render(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Yield a heading, and a row for each file and algorithm."""
    rows = [_fields(comparison, row) for comparison in comparisons for row in comparison.rows]
    lines: list[list[object]] = [[*rows[0]], *([*row.values()] for row in rows)]
    for cells in lines:
        line = io.StringIO()
        csv.writer(line, lineterminator="").writerow(cells)
        yield line.getvalue()


def _fields(comparison: Comparison, row: ComparisonRow) -> dict[str, object]:
    search, counts = row.search, row.search.counts
    options = search.algorithm.options
    value_lower, value_upper = map(exact_text, search.interval_of(-1))
    fields: dict[str, object] = {
        "file": comparison.file,
        "algorithm": search.algorithm.name,
        **{key.replace("-", "_"): options.get(key) for key in OPTIONS},
        "value": value_lower if search.outcome is Outcome.VALUE else "",
        "best": search.best or "",
        "bounds_lower": exact_text(search.bounds[0]),
        "bounds_upper": exact_text(search.bounds[1]),
        "nodes_total": counts.total,
        "nodes_visited": counts.visited,
        "visits": counts.visits,
        "leaves_total": counts.leaves_total,
        "leaves_visited": counts.leaves_visited,
        "cuts": counts.cuts,
        "seconds": f"{row.seconds:.6f}",
        "stopped": int(search.stopped),
        "value_lower": value_lower,
        "value_upper": value_upper,
    }
    if comparison.limit is not None:
        best = comparison.limit.best_action
        for goal, enough in (("needed", comparison.limit.exact), ("needed_for_best", best)):
            fields[f"{goal}_lower"] = "" if enough is None else enough.least
            fields[f"{goal}_upper"] = "" if enough is None else enough.most
    return fields
