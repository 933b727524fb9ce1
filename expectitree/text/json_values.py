"""What all JSON outputs have in common: numbers, and what is said of a search as a whole."""

from __future__ import annotations

import json
from typing import Any

from expectitree.numbers import INFINITY, Number, exact_text
from expectitree.searches.result import Outcome, Search
from expectitree.tree import paths
from expectitree.tree.model import Tree

MOST_NESTED = 300  # nodes; what lies deeper is not nested, nor spelled out as a path


def dumps(value: Any) -> str:
    """Return JSON on one line, with the characters that people wrote."""
    return json.dumps(value, ensure_ascii=False)


def search_fields(file: str, search: Search) -> dict[str, Any]:
    """Return what is said of a search as a whole, in every JSON output."""
    counts = search.counts
    interval = [json_number(end) for end in search.interval_of(-1)]
    return {
        "file": file,
        "title": search.tree.title,
        "algorithm": search.algorithm.name,
        **search.algorithm.options,
        "engine": search.engine,
        "value": json_number(search.value) if search.outcome is Outcome.VALUE else None,
        **({"stopped": True} if search.stopped else {}),
        **({"interval": interval} if search.stopped or search.outcome is not Outcome.VALUE else {}),
        "best": search.best,
        "ties": list(search.ties),
        "bounds": [json_number(end) for end in search.bounds],
        "bounds_from": search.bounds_source,
        "nodes": {
            "total": counts.total,
            "visited": counts.visited,
            "visits": counts.visits,
            "unfolded": counts.unfolded,
        },
        "leaves": {"total": counts.leaves_total, "visited": counts.leaves_visited},
        "cuts": counts.cuts,
    }


def json_path(tree: Tree, node: int, branch: int | None = None) -> str | None:
    """Return the first path to a node, or the one that ends with another branch to it; None where it is very long."""
    parent, first_branch, depth = (
        tree.first_paths.parent,
        tree.first_paths.branch,
        tree.first_paths.depth,
    )
    if branch is None or branch < 0 or branch == first_branch[node]:
        return tree.path_of(node) if depth[node] <= MOST_NESTED else None
    above = tree.parent_of(branch)
    if depth[above] >= MOST_NESTED:
        return None
    start = f"{tree.path_of(above)}/" if parent[above] >= 0 else ""
    return start + paths.join([tree.branch_label(above, branch)])


def json_number(value: Number) -> int | float | str:
    """Return a number as JSON has it: an infinity, an exact number, and one that is not known yet (`?`) are text."""
    if value != value:
        return "?"
    if isinstance(value, (float, int)):
        if value in (INFINITY, -INFINITY):
            return "inf" if value > 0 else "-inf"
        return int(value) if value == int(value) and abs(value) < 2**53 else float(value)
    text = exact_text(value)
    return text if text.startswith("about") else str(value)
