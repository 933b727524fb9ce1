"""Comparisons as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from expectitree.algorithms import OPTIONS
from expectitree.analysis.compare.report import Comparison, ComparisonRow
from expectitree.numbers import exact_text
from expectitree.searches.result import Outcome

CHOICE_COLUMNS = tuple(key.replace("-", "_") for key in OPTIONS)

# A table of (key, field) that gives the heading and every row their order.
COLUMNS: dict[str, Callable[[Comparison, ComparisonRow], object]] = {
    "file": lambda comparison, _: comparison.file,
    "algorithm": lambda _, row: row.search.algorithm.name,
    **{
        column: partial(lambda key, _, row: row.search.algorithm.options.get(key), key)
        for key, column in zip(OPTIONS, CHOICE_COLUMNS, strict=True)
    },
    "value": lambda _, row: (
        exact_text(row.search.value) if row.search.outcome is Outcome.VALUE else ""
    ),
    "best": lambda _, row: row.search.best or "",
    "bounds_lower": lambda _, row: exact_text(row.search.bounds[0]),
    "bounds_upper": lambda _, row: exact_text(row.search.bounds[1]),
    "nodes_total": lambda _, row: row.search.counts.total,
    "nodes_visited": lambda _, row: row.search.counts.visited,
    "visits": lambda _, row: row.search.counts.visits,
    "leaves_total": lambda _, row: row.search.counts.leaves_total,
    "leaves_visited": lambda _, row: row.search.counts.leaves_visited,
    "cuts": lambda _, row: row.search.counts.cuts,
    "seconds": lambda _, row: f"{row.seconds:.6f}",
    "stopped": lambda _, row: int(row.search.stopped),
    "value_lower": lambda _, row: exact_text(row.search.interval_of(-1)[0]),
    "value_upper": lambda _, row: exact_text(row.search.interval_of(-1)[1]),
}
LIMIT_COLUMNS = ("needed_lower", "needed_upper", "needed_for_best_lower", "needed_for_best_upper")


def render(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Yield a heading, and a row for each file and algorithm."""
    with_limit = bool(comparisons) and comparisons[0].limit is not None
    yield ",".join([*COLUMNS, *(LIMIT_COLUMNS if with_limit else ())])
    for comparison in comparisons:
        for row in comparison.rows:
            fields = [field(comparison, row) for field in COLUMNS.values()]
            if comparison.limit is not None:
                for enough in (comparison.limit.exact, comparison.limit.best_action):
                    fields += ["", ""] if enough is None else [enough.least, enough.most]
            line = io.StringIO()
            csv.writer(line, lineterminator="").writerow(fields)
            yield line.getvalue()
