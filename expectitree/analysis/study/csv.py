"""A study as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

from expectitree.algorithms import OPTIONS
from expectitree.analysis.study.report import Summary, SummaryRow


def fields(row: SummaryRow) -> dict[str, Any]:
    """Return the figures of a row by name, for CSV and JSON."""
    chosen = row.run.algorithm
    return {
        "algorithm": chosen.name,
        **{key.replace("-", "_"): chosen.options.get(key) for key in OPTIONS},
        "engine": row.run.engine,
        "trees": row.trees,
        "leaves_total": row.leaves_total,
        "leaves": row.leaves.value,
        "leaves_half": row.leaves.half,
        "leaf_share": row.leaf_share.value,
        "leaf_share_half": row.leaf_share.half,
        "node_share": row.node_share.value,
        "node_share_half": row.node_share.half,
        "visits": row.visits.value,
        "seconds": row.seconds,
        "published": row.published,
    }


def render(summary: Summary) -> Iterator[str]:
    """Yield a heading, and a row for each kind of tree and search; each parameter has a column."""
    if not summary.rows:
        return
    parameters = dict.fromkeys(name for row in summary.rows for name in row.tree)
    rows = [{**parameters, **row.tree, **fields(row)} for row in summary.rows]
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    yield from text.getvalue().splitlines()
