"""A tree before and after a map of its utilities, as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from expectitree.analysis.rescale.report import Rescaling
from expectitree.analysis.rescale.scales import AFFINE
from expectitree.analysis.rescale.text import reason_text, remark_text
from expectitree.numbers import Number, escape
from expectitree.searches.result import Search
from expectitree.text.json_values import dumps, json_number
from expectitree.tree.model import Kind

MOST_ITEMS = 1000  # of the strategies and of the pairs, in JSON


def render(reports: Sequence[Rescaling], show_all: bool = False) -> Iterator[str]:
    """Yield an object for each file, one line each."""
    most = None if show_all else MOST_ITEMS
    for report in reports:
        nodes, root = report.strategy, report.tree.root_id
        yield dumps(
            {
                "file": report.file,
                "title": report.tree.title,
                "map": _map_object(report, most),
                "before": _at(report.before, root),
                "after": _at(report.after, root),
                "changed": report.changed,
                "strategy": [
                    {
                        "path": escape(report.tree.path_of(n)),
                        "kind": Kind(report.tree.columns.kind[n]).name,
                        "before": _at(report.before, n),
                        "after": _at(report.after, n),
                        "changed": n in report.changed_nodes,
                    }
                    for n in nodes[:most]
                ],
                "strategy_total": len(nodes),
                "strategy_changed": len(report.changed_nodes),
                "remarks": list(map(remark_text, report.remarks)),
                **({"any": _answer_object(report)} if report.answer else {}),
            }
        )


def _answer_object(report: Rescaling) -> dict[str, Any]:
    assert report.answer is not None
    answer = report.answer
    return {"answer": answer.answer, "reason": reason_text(report), "tried": answer.tried}


def _map_object(report: Rescaling, most: int | None) -> dict[str, Any] | None:
    scale, found = report.scale, report.map_class
    if scale is None or found is None:
        return None
    affine = {"slope": _plain(found.slope, report), "offset": _plain(found.offset, report)}
    return {
        "kind": scale.kind,
        "text": scale.text,
        "class": found.name,
        **(affine if found.name == AFFINE else {}),
        "pairs": [[json_number(u), json_number(image)] for u, image in report.pairs[:most]],
        "pairs_total": len(report.pairs),
    }


def _plain(value: Number, report: Rescaling) -> int | float | str:
    return json_number(value if report.tree.exact else float(value))


def _at(search: Search | None, node: int) -> dict[str, Any] | None:
    if search is None:
        return None
    ties = [search.tree.branch_label(node, b) for b in search.best_branches(node)]
    return {
        "value": json_number(search.lower[node]),
        "best": ties[0] if ties else None,
        "ties": ties,
    }
