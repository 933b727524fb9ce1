"""The report as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any

from expectitree.algorithms import OPTIONS
from expectitree.analysis.compare.report import Comparison
from expectitree.numbers import exact_text
from expectitree.text.look import Look

CHOICE_COLUMNS = tuple(key.replace("-", "_") for key in OPTIONS)


CSV_COLUMNS = (
    "file", "algorithm", *CHOICE_COLUMNS, "value", "best", "bounds_lower", "bounds_upper", "nodes_total",
    "nodes_visited", "visits", "leaves_total", "leaves_visited", "cuts", "seconds", "stopped", "value_lower",
    "value_upper",
)  # fmt: skip


CSV_LIMIT_COLUMNS = (
    "needed_lower",
    "needed_upper",
    "needed_for_best_lower",
    "needed_for_best_upper",
)


def render(comparisons: Sequence[Comparison], look: Look) -> Iterator[str]:
    """Yield a heading, and a row for each file and algorithm."""
    with_limit = bool(comparisons) and comparisons[0].limit is not None
    yield ",".join(CSV_COLUMNS + (CSV_LIMIT_COLUMNS if with_limit else ()))
    for comparison in comparisons:
        for row in comparison.rows:
            search, counts = row.search, row.search.counts
            fields: list[Any] = [
                comparison.file, search.algorithm.name, *map(search.algorithm.options.get, OPTIONS),
                exact_text(search.value) if search.is_known else "", search.best or "",
                exact_text(search.bounds[0]), exact_text(search.bounds[1]), counts.total, counts.visited,
                counts.visits, counts.leaves_total, counts.leaves_visited, counts.cuts, f"{row.seconds:.6f}",
                int(search.stopped), *map(exact_text, search.interval_of(-1)),
            ]  # fmt: skip
            if comparison.limit is not None:
                for enough in (comparison.limit.exact, comparison.limit.best_action):
                    fields += ["", ""] if enough is None else [enough.least, enough.most]
            line = io.StringIO()
            csv.writer(line, lineterminator="").writerow(fields)
            yield line.getvalue()
