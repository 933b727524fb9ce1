"""A tree before and after a map of its utilities, as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from expectitree.decide.rescale.report import Rescaling
from expectitree.decide.rescale.scales import AFFINE
from expectitree.numbers import escape
from expectitree.searches.result import Search
from expectitree.text.json_values import about_fields, dumps, json_number
from expectitree.tree.model import Kind

MOST_ITEMS = 1000  # of the strategies and of the pairs, in JSON


def render(reports: Sequence[Rescaling], show_all: bool = False) -> Iterator[str]:
    """Yield an object for each file, one line each."""
    most = None if show_all else MOST_ITEMS
    for report in reports:
        tree, answer = report.tree, report.answer
        fields = {
            **about_fields(report.file, tree),
            "map": _map_object(report, most),
            **_before_and_after(report, tree.root_id),
            "strategy": [
                {
                    "path": escape(tree.path_of(n)),
                    "kind": Kind(tree.columns.kind[n]).name,
                    **_before_and_after(report, n),
                }
                for n in report.strategy[:most]
            ],
            "strategy_total": len(report.strategy),
            "strategy_changed": len(report.changed_nodes),
            "remarks": report.remarks,
        }
        if answer is not None:
            fields["any"] = {
                "answer": answer.answer,
                "reason": answer.reason,
                "tried": answer.tried,
            }
        yield dumps(fields)


def _map_object(report: Rescaling, most: int | None) -> dict[str, Any] | None:
    scale, found = report.scale, report.map_class
    if scale is None or found is None:
        return None
    fields: dict[str, Any] = {"text": scale.text, "class": found.name}
    if found.name == AFFINE:
        fields |= {"slope": json_number(found.slope), "offset": json_number(found.offset)}
    pairs = [[json_number(u), json_number(image)] for u, image in report.pairs[:most]]
    return {**fields, "pairs": pairs, "pairs_total": len(report.pairs)}


def _before_and_after(report: Rescaling, node: int) -> dict[str, Any]:
    return {
        "before": _at(report.before, node),
        "after": None if report.after is None else _at(report.after, node),
        "changed": node in report.changes,
    }


def _at(search: Search, node: int) -> dict[str, Any]:
    ties = [search.tree.branch_label(node, b) for b in search.best_branches(node)]
    value = json_number(search.lower[node])
    return {"value": value, "best": ties[0] if ties else None, "ties": ties}
