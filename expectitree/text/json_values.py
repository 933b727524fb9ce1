"""What all JSON outputs share: numbers, paths, and the fields of a search."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from typing import Any

from expectitree.numbers import (
    Number,
    exact_text,
    is_finite,
    is_shown_as_fraction,
    to_nearest_float,
)
from expectitree.searches.result import Outcome, Search
from expectitree.tree import paths
from expectitree.tree.columns import NONE
from expectitree.tree.model import Tree

_UNSAFE = re.compile("[\x7f-\x9f\ud800-\udfff]")  # control characters, lone surrogates
MOST_NESTED = 300  # plies; deeper nodes are not nested, and have no path


def dumps(value: Any) -> str:
    """Return JSON on one line, with printable characters beyond ASCII as they are.

    Lone surrogates, of file names that are not UTF-8, are the text that a terminal shows for them.
    """
    return _UNSAFE.sub(_escaped, json.dumps(value, ensure_ascii=False))


def _escaped(found: re.Match[str]) -> str:
    text = f"\\u{ord(found[0]):04x}"
    return text if found[0] <= "\x9f" else f"\\{text}"


def about_fields(file: str, tree: Tree) -> dict[str, Any]:
    """Return the fields about the tree that every report of a file has."""
    return {"file": file, "title": tree.title, **warning_fields(tree)}


def warning_fields(tree: Tree) -> dict[str, Any]:
    """Return the warnings about the tree, if there are any."""
    return {"warnings": [*tree.warnings]} if tree.warnings else {}


def search_fields(file: str, search: Search) -> dict[str, Any]:
    """Return the fields of a search that every JSON output has."""
    counts = search.counts
    interval = [json_number(end) for end in search.interval_of_branch(NONE)]
    return {
        "file": file,
        "title": search.tree.title,
        "algorithm": search.algorithm.name,
        **search.algorithm.options,
        "engine": search.engine,
        "value": json_number(search.unrounded.value) if search.outcome is Outcome.VALUE else None,
        **_attitude_fields(search),
        **({"stopped": True} if search.stopped else {}),
        **({"interval": interval} if search.stopped or search.outcome is not Outcome.VALUE else {}),
        "best": search.best,
        "ties": list(search.ties),
        **({"rounding": float(search.eps)} if search.eps else {}),
        "bounds": [json_number(end) for end in search.root_bounds],
        "bounds_from": search.bounds_source,
        **_count_fields(search),
        "cuts": counts.cuts,
    }


def _count_fields(search: Search) -> dict[str, Any]:
    """Return the counts of nodes and leaves; of a game the totals are not known."""
    counts, grown = search.counts, search.grown
    nodes = {"visited": counts.visited, "visits": counts.visits}
    if grown is not None:
        leaves = {"visited": counts.leaves_visited}
        return {"game": asdict(grown), "nodes": nodes, "leaves": leaves}
    return {
        "nodes": {"total": counts.total, **nodes, "unfolded": counts.unfolded},
        "leaves": {"total": counts.leaves_total, "visited": counts.leaves_visited},
    }


def _attitude_fields(search: Search) -> dict[str, Any]:
    """Return the attitude to risk, the expected value and the risk premium, if there is one."""
    attitude = search.tree.attitude
    if attitude is None:
        return {}
    return {
        "attitude": attitude.text,
        "mean": json_number(search.unrounded.mean),
        "risk_premium": json_number(search.unrounded.risk_premium),
    }


def json_path(tree: Tree, node: int, branch: int | None = None) -> str | None:
    """Return the path to a node by its first branch or another; None if it is very long."""
    paths_ = tree.first_paths
    parent, first_branch, depth = paths_.parent, paths_.branch, paths_.depth
    if branch is None or branch < 0 or branch == first_branch[node]:
        return tree.path_of(node) if depth[node] <= MOST_NESTED else None
    above = tree.parent_of(branch)
    if depth[above] >= MOST_NESTED:
        return None
    start = f"{tree.path_of(above)}/" if parent[above] >= 0 else ""
    return start + paths.join([tree.branch_label(above, branch)])


def json_number(value: Number) -> int | float | str:
    """Return a number for JSON.

    A fraction is rounded to a float, or a text in that notation. Infinities, unknown numbers (`?`)
    and numbers beyond all floats are text.
    """
    if value != value:
        return "?"
    if not is_shown_as_fraction(value):
        rounded = to_nearest_float(value)
        if is_finite(rounded):
            return int(rounded) if rounded.is_integer() and abs(rounded) < 2**53 else rounded
        if not is_finite(value):
            return "inf" if value > 0 else "-inf"
    text = exact_text(value)
    return text if text.startswith("about") else str(value)
