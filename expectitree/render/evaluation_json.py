"""An evaluation as one JSON object, its keys as in the design; nothing unfolds, and nothing nests without end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from expectitree.analysis.evaluation import Evaluation
from expectitree.number import INFINITY, Number, shortest
from expectitree.render.look import Look
from expectitree.search.result import Search
from expectitree.tree import Kind

MOST_NESTED = 300  # nodes; deeper ones stand beside the tree, under "nodes"
_KIND_NAMES = tuple(kind.name for kind in Kind)


def evaluation_json(
    evaluation: Evaluation, look: Look, most_rows: int | None = None, notes: bool = True
) -> Iterator[str]:
    """Yield the object as one line; it is always the whole tree."""
    tree, nodes = _tree_object(evaluation)
    fields = search_fields(evaluation.file, evaluation.search) | {"tree": tree}
    fields["nodes"] |= nodes  # ids are digits and counts are words: docs/decisions/0003-json-nodes.md
    yield dumps(fields)


def dumps(value: Any) -> str:
    """Return JSON on one line, with the characters that people wrote."""
    return json.dumps(value, ensure_ascii=False)


def search_fields(file: str, search: Search) -> dict[str, Any]:
    """Return what is said of a search as a whole, in every JSON output."""
    counts = search.counts
    return {
        "file": file,
        "title": search.tree.title,
        "algorithm": search.algorithm.name,
        **(
            {"probes": search.algorithm.probes, "probe-order": search.algorithm.probe_order}
            if search.algorithm.name == "star2.5"
            else {}
        ),
        "value": json_number(search.value),
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


def json_number(value: Number) -> int | float | str:
    """Return a number as JSON has it: an infinity and an exact number are text."""
    if isinstance(value, (float, int)):
        if value in (INFINITY, -INFINITY):
            return "inf" if value > 0 else "-inf"
        return int(value) if value == int(value) and abs(value) < 2**53 else float(value)
    text = shortest(value)
    return text if text.startswith("about") else str(value)


def _tree_object(evaluation: Evaluation) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the root's object, and by id those that would nest too deeply in it."""
    tree = evaluation.tree
    kind, _, first, child, probability = tree.columns
    order, _, first_branch, _ = tree.first_paths
    ids = dict(evaluation.shared)
    aside: dict[str, Any] = {}
    root = len(tree) - 1
    objects = {root: _node_object(evaluation, root, {}, ids)}
    nested = {root: 1}
    result = objects[root]
    for n in order:
        own = objects.pop(n)
        depth = nested.pop(n)
        if not kind[n]:
            continue
        children = own["children"] = []
        for b in range(first[n], first[n + 1]):
            c = child[b]
            branch: dict[str, Any] = {"label": tree.branch_label(n, b)}
            if kind[n] == Kind.CHANCE:
                branch["p"] = json_number(probability[b])
            if b in tree.branch_notes:
                branch["branch_note"] = tree.branch_notes[b]
            if first_branch[c] != b:
                children.append(branch | {"ref": ids[c]})
            elif depth < MOST_NESTED:
                objects[c] = _node_object(evaluation, c, branch, ids)
                nested[c] = depth + 1
                children.append(objects[c])
            else:
                ids.setdefault(c, len(ids) + 1)
                children.append(branch | {"ref": ids[c]})
                objects[c] = aside[str(ids[c])] = _node_object(evaluation, c, {}, ids)
                nested[c] = 1
    return result, aside


def _node_object(evaluation: Evaluation, n: int, branch: dict[str, Any], ids: dict[int, int]) -> dict[str, Any]:
    search, tree = evaluation.search, evaluation.tree
    kind, utility, _, _, _ = tree.columns
    node = branch
    node["kind"] = _KIND_NAMES[kind[n]]
    if n in ids:
        node["id"] = ids[n]
    if not kind[n]:
        node["utility"] = json_number(utility[n])
        if n in tree.estimated:
            node["estimated"] = True
    elif utility[n] is not None and utility[n] == utility[n]:
        node["estimate"] = json_number(utility[n])
    node["lower"] = json_number(search.lower[n])
    node["upper"] = json_number(search.upper[n])
    node["visited"] = bool(search.visits[n])
    if kind[n] and search.visits[n]:
        if evaluation.windows:
            node["window"] = [json_number(search.alpha[n]), json_number(search.beta[n])]
        best = search.best_actions(n)
        if best:
            node["best"] = best[0]
    if n in tree.local_bounds:
        node["bounds"] = [json_number(end) for end in tree.local_bounds[n]]
    if n in tree.notes:
        node["note"] = tree.notes[n]
    cut = evaluation.explanation.cuts.get(n)
    if cut is not None:
        node["cut"] = {
            "kind": cut.kind,
            "fails": cut.fails,
            "after": cut.after,
            "of": cut.of,
            "probing": cut.probing,
            "bound": json_number(cut.bound),
            "window": [json_number(end) for end in cut.window],
            "nodes": cut.nodes,
            "leaves": cut.leaves,
        }
    reason = evaluation.explanation.skipped.get(n)
    if reason is not None:
        node["skipped"] = reason
    return node
