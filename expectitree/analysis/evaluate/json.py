"""An evaluation as one JSON object; shared nodes are written once, and nesting is limited."""

from __future__ import annotations

from collections.abc import Iterator

from expectitree.analysis.evaluate.cuts import Cut
from expectitree.analysis.evaluate.reasons import Reasons
from expectitree.analysis.evaluate.report import Evaluation
from expectitree.analysis.evaluate.sentences import Sentences
from expectitree.base.tree.columns import NONE, Bounds
from expectitree.base.tree.model import Kind, Tree
from expectitree.searches.result import Outcome, Search
from expectitree.text.console import text_console
from expectitree.text.json_values import (
    MAX_NESTED,
    Fields,
    about_fields,
    dumps,
    json_number,
    json_path,
    json_value,
)
from expectitree.text.phrases import untied

YIELDS_PIECES = True
_KIND_NAMES = tuple(kind.name for kind in Kind)


def render(
    evaluation: Evaluation, most_rows: int | None = None, notes: bool = True
) -> Iterator[str]:
    """Yield the object with the whole tree, as pieces of one line that may be larger than memory.

    `most_rows` and `notes` are for text.
    """
    about = about_fields(evaluation.file, evaluation.search.tree)
    fields = about | search_fields(evaluation.search)
    if evaluation.tree.parameters:
        fields["parameters"] = json_value(evaluation.parameters)
    if evaluation.tree.criteria:
        label = evaluation.tree.branch_label
        known = json_value(evaluation.criteria)
        fields["criteria"] = known.pop(NONE, None)
        root = evaluation.tree.root_id
        fields["criteria_of_actions"] = {label(root, b): amounts for b, amounts in known.items()}
    if evaluation.reasons is not None:
        fields["explanation"] = explanation_fields(evaluation.reasons)
    # Ids are digits and counts are words: docs/decisions/0003-json-nodes.md.
    counts = dumps(fields.pop("nodes"))[1:-1]
    yield f'{dumps(fields)[:-1]}, "nodes": {{{counts}'
    writer = _Writer(evaluation.shown)
    for n in writer.aside:
        yield f', "{writer.ids[n]}": '
        yield from writer.pieces(n, {})
    yield '}, "tree": '
    tree = evaluation.shown.tree
    yield from writer.pieces(tree.root_id, reward_fields(tree, NONE))
    yield "}\n"


class _Writer:
    """Writes nodes with their children in them, except those that have an object of their own.

    Shared nodes have an id, and so have the nodes every `MAX_NESTED` plies below the root. These
    would nest too deeply in the tree: each has an object of its own, `aside`.
    """

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation, self.search, self.tree = evaluation, evaluation.search, evaluation.tree
        self.ids = {n: int(number) for n, number in enumerate(evaluation.shared_number) if number}
        self.aside: dict[int, None] = {}  # in order; without values
        if self.tree.heights[-1] >= MAX_NESTED:
            order, _, _, depth = self.tree.first_paths
            self.aside = {n: None for n in order if depth[n] and depth[n] % MAX_NESTED == 0}
            for n in self.aside:
                self.ids.setdefault(n, len(self.ids) + 1)

    def pieces(self, n: int, branch: Fields) -> Iterator[str]:
        """Yield the text of a node and of what is below it, at most `MAX_NESTED` plies."""
        text = dumps(branch | self.node_fields(n))
        if not self.tree.columns.kind[n]:
            yield text
            return
        yield f'{text[:-1]}, "children": ['
        branches = self.tree.branches_of(n)
        for b in branches:
            c = self.tree.columns.child[b]
            fields = self.branch_fields(n, b)
            if b > branches.start:
                yield ", "
            if c in self.aside or not self.tree.is_first_path(c, b):
                yield dumps(fields | {"ref": self.ids[c]})
            else:
                yield from self.pieces(c, fields)
        yield "]}"

    def branch_fields(self, n: int, b: int) -> Fields:
        fields: Fields = {"label": self.tree.branch_label(n, b)}
        if self.tree.columns.kind[n] == Kind.CHANCE:
            fields["p"] = json_number(self.tree.columns.probability[b])
        if self.tree.columns.pays:
            fields |= reward_fields(self.tree, b)
        if b in self.tree.branch_notes:
            fields["branch_note"] = self.tree.branch_notes[b]
        return fields

    def node_fields(self, n: int) -> Fields:
        search, tree, explanation = self.search, self.tree, self.evaluation.explanation
        kind = tree.columns.kind[n]
        utility = tree.columns.utility[n]
        fields = {"kind": _KIND_NAMES[kind], **_state_fields(tree, n)}
        if n in self.ids:
            fields["id"] = self.ids[n]
        if not kind:
            fields |= _leaf_fields(tree, n)
        elif utility is not None and utility == utility:
            fields["estimate"] = json_number(utility)
        fields["lower"], fields["upper"] = _interval(search.interval_of(n))
        fields["visited"] = bool(search.visits[n])
        if kind and search.visits[n]:
            if self.evaluation.windows:
                fields["window"] = _interval((search.alpha[n], search.beta[n]))
            best = next(search.best_branches(n), None)
            if best is not None:
                fields["best"] = tree.branch_label(n, best)
        if n in tree.local_bounds:
            fields["bounds"] = _interval(tree.local_bounds[n])
        if n in tree.notes:
            fields["note"] = tree.notes[n]
        cut = explanation.cut(n)
        reason = explanation.skipped(n)
        if cut is not None:
            spared = {"nodes": cut.nodes, "leaves": cut.leaves}
            if cut.is_of_game:
                spared = {"branches": cut.leaves}
            fields["cut"] = cut_fields(cut) | {"window": _interval(cut.window)} | spared
        if reason is not None:
            fields["skipped"] = reason
        return fields


def _state_fields(tree: Tree, n: int) -> Fields:
    """Return the name and the counters of a node that repeats."""
    if n not in tree.formulas.states:
        return {}
    name, counters = tree.formulas.states[n]
    return {"name": name, "counters": json_value(counters)}


def _leaf_fields(tree: Tree, n: int) -> Fields:
    fields: Fields = {"utility": json_number(tree.columns.utility[n])}
    if n in tree.estimated:
        fields["estimated"] = True
    return fields


def reward_fields(tree: Tree, branch: int) -> Fields:
    """Return the reward of a branch as a field, if it pays."""
    reward = tree.reward_of(branch)
    if not reward:
        return {}
    return {"reward": json_number(reward)}


def cut_fields(cut: Cut) -> Fields:
    """Return the fields of a cut that evaluations and traces share."""
    return {
        "kind": cut.kind, "fails": cut.side.name, "after": cut.after,
        "of": cut.of, "probing": cut.probing, "bound": json_number(cut.bound),
    }  # fmt: skip


def explanation_fields(report: Reasons) -> Fields:
    """Return what `--explain` adds: the node and the sentences about it."""
    sentences = Sentences(report, text_console().options).all()
    return {
        "node": report.node,
        "path": json_path(report.tree, report.node, report.branch),
        "sentences": [untied(sentence) for sentence, _ in sentences],
    }


def _interval(bounds: Bounds) -> list[object]:
    return [json_number(end) for end in bounds]


def search_fields(search: Search) -> Fields:
    """Return the fields of a search that every JSON output has."""
    is_known, interval = search.outcome is Outcome.VALUE, search.interval_of_branch(NONE)
    found: Fields = {
        "algorithm": search.algorithm.name,
        **search.algorithm.options,
        "engine": search.engine,
        "value": interval[0] if is_known else None,
    }
    if search.outcome is Outcome.ESTIMATE:
        found["estimate"] = search.estimate
    if search.tree.attitude is not None and search.under_attitude is not None:
        found["attitude"] = search.tree.attitude.text
        found["decision_maker"] = search.tree.decision_maker.name
        found["expected_utility"] = search.under_attitude.utility
        found["mean"] = search.under_attitude.mean
        found["risk_premium"] = search.under_attitude.premium
    if search.stopped:
        found["stopped"] = True
    if search.stopped or not is_known:
        found["interval"] = interval
    found |= {"best": search.best, "ties": search.ties}
    if search.eps:
        found["rounding"] = float(search.eps)
    found |= {"bounds": search.root_bounds, "bounds_from": search.bounds_source}
    if search.root_window != search.root_bounds:
        found["window"] = search.root_window
    counts = search.counts
    nodes = {"total": counts.total, "visited": counts.visited, "visits": counts.visits}
    leaves = {"total": counts.leaves_total, "visited": counts.leaves_visited}
    if search.tree.made_of:
        nodes["made_of"] = search.tree.made_of
    if search.grown is not None:  # of a game, the totals are not known
        found["game"] = search.grown
        del nodes["total"], leaves["total"]
    found |= {"nodes": nodes, "leaves": leaves, "cuts": counts.cuts}
    return {key: json_value(value) for key, value in found.items()}
