"""An evaluation as one JSON object; shared nodes are written once, and nesting is limited."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from expectitree.analysis.evaluate.cuts import Cut
from expectitree.analysis.evaluate.reasons import Reasons
from expectitree.analysis.evaluate.report import Evaluation
from expectitree.analysis.evaluate.sentences import Sentences
from expectitree.text.console import text_console
from expectitree.text.json_values import MOST_NESTED, dumps, json_number, json_path, search_fields
from expectitree.text.phrases import untied
from expectitree.tree.columns import Bounds
from expectitree.tree.model import Kind

YIELDS_PIECES = True
_KIND_NAMES = tuple(kind.name for kind in Kind)


def render(
    evaluation: Evaluation, most_rows: int | None = None, notes: bool = True
) -> Iterator[str]:
    """Yield the object with the whole tree, as pieces of one line that may be larger than memory.

    `most_rows` and `notes` are for text.
    """
    fields = search_fields(evaluation.file, evaluation.search)
    if evaluation.reasons is not None:
        fields["explanation"] = explanation_fields(evaluation.reasons)
    evaluation = evaluation.shown
    ids = _Ids(evaluation)
    # Ids are digits and counts are words: docs/decisions/0003-json-nodes.md.
    counts = dumps(fields.pop("nodes"))[1:-1]
    yield f'{dumps(fields)[:-1]}, "nodes": {{{counts}'
    for n in ids.aside:
        yield f', "{ids.of(n)}": '
        yield from _objects(evaluation, n, ids)
    yield '}, "tree": '
    yield from _objects(evaluation, len(evaluation.tree) - 1, ids)
    yield "}\n"


class _Ids:
    """The numbers of shared nodes, and of nodes every `MOST_NESTED` plies below the root.

    The latter would nest too deeply in the tree: each has an object of its own, `aside`.
    """

    def __init__(self, evaluation: Evaluation) -> None:
        tree, self.shared = evaluation.tree, evaluation.shared_number
        self.aside: dict[int, int] = {}
        if tree.heights[-1] >= MOST_NESTED:
            count = max(self.shared)
            order, _, _, depth = tree.first_paths
            for n in order:
                if depth[n] and depth[n] % MOST_NESTED == 0:
                    count += not self.shared[n]
                    self.aside[n] = self.shared[n] or count

    def of(self, node: int) -> int:
        """Return the number of a node, 0 if it has none."""
        return self.aside.get(node, 0) or int(self.shared[node])


def _objects(evaluation: Evaluation, root: int, ids: _Ids) -> Iterator[str]:
    """Yield the object of a node with its children's in it, except those in `ids.aside`."""
    tree = evaluation.tree
    kind, first, child = tree.columns.kind, tree.columns.first, tree.columns.child
    first_branch = tree.first_paths.branch
    ways = [(root, iter(tree.branches_of(root)))]
    yield _opened(evaluation, root, {}, ids)
    while ways:
        n, branches = ways[-1]
        b = next(branches, None)
        if b is None:
            ways.pop()
            yield "]}" if kind[n] else "}"
            continue
        c = child[b]
        comma = ", " if b > first[n] else ""
        branch = _branch_object(evaluation, n, b)
        if first_branch[c] != b or c in ids.aside:
            yield comma + dumps(branch | {"ref": ids.of(c)})
            continue
        yield comma + _opened(evaluation, c, branch, ids)
        ways.append((c, iter(tree.branches_of(c))))


def _opened(evaluation: Evaluation, n: int, branch: dict[str, Any], ids: _Ids) -> str:
    """Return the text of a node's object as far as its first child."""
    text = dumps(_node_object(evaluation, n, branch, ids))[:-1]
    return f'{text}, "children": [' if evaluation.tree.columns.kind[n] else text


def _branch_object(evaluation: Evaluation, n: int, b: int) -> dict[str, Any]:
    tree = evaluation.tree
    branch: dict[str, Any] = {"label": tree.branch_label(n, b)}
    if tree.columns.kind[n] == Kind.CHANCE:
        branch["p"] = json_number(tree.columns.probability[b])
    if b in tree.branch_notes:
        branch["branch_note"] = tree.branch_notes[b]
    return branch


def cut_fields(cut: Cut) -> dict[str, Any]:
    """Return the fields of a cut that evaluations and traces share."""
    return {
        "kind": cut.kind, "fails": "low" if cut.is_low else "high", "after": cut.after,
        "of": cut.of, "probing": cut.probing, "bound": json_number(cut.bound),
    }  # fmt: skip


def explanation_fields(report: Reasons) -> dict[str, Any]:
    """Return what `--explain` adds: the node, its children, the cuts, and all in sentences."""
    sentences, tree = Sentences(report, text_console().options), report.tree
    children = [
        {
            "label": tree.branch_label(report.node, one.branch),
            "lower": json_number(one.lower),
            "upper": json_number(one.upper),
            "best": one.is_best,
        }
        for one in report.alternatives
    ]
    cuts = [
        {"node": one.node, "path": json_path(tree, one.node)}
        | cut_fields(one.cut)
        | {"window": _interval(one.cut.window), "sentence": untied(sentences.cut(one))}
        for one in report.cuts
    ]
    return {
        "node": report.node,
        "path": json_path(tree, report.node),
        "because": children,
        "more_children": report.others,
        "cuts": cuts,
        "more_cuts": report.more_cuts,
        "sentences": [untied(sentence) for sentence, _ in sentences.all()],
    }


def _interval(bounds: Bounds) -> list[Any]:
    return [json_number(end) for end in bounds]


def _node_object(
    evaluation: Evaluation, n: int, branch: dict[str, Any], ids: _Ids
) -> dict[str, Any]:
    search, tree = evaluation.search, evaluation.tree
    kind, utility = tree.columns.kind, tree.columns.utility
    node = branch
    node["kind"] = _KIND_NAMES[kind[n]]
    if number := ids.of(n):
        node["id"] = number
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
            node["window"] = _interval((search.alpha[n], search.beta[n]))
        best = next(search.best_branches(n), None)
        if best is not None:
            node["best"] = tree.branch_label(n, best)
    if n in tree.local_bounds:
        node["bounds"] = _interval(tree.local_bounds[n])
    if n in tree.notes:
        node["note"] = tree.notes[n]
    cut = evaluation.explanation.cut(n)
    if cut is not None:
        more = {"window": _interval(cut.window), "nodes": cut.nodes, "leaves": cut.leaves}
        node["cut"] = cut_fields(cut) | more
    reason = evaluation.explanation.skipped(n)
    if reason is not None:
        node["skipped"] = reason
    return node
