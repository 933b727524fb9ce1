"""The report as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from expectitree.analysis.rescale.report import Rescaling
from expectitree.analysis.rescale.scales import AFFINE
from expectitree.analysis.rescale.text import _paths
from expectitree.numbers import Number
from expectitree.searches.result import Search
from expectitree.text.json_values import dumps, json_number
from expectitree.text.look import Look
from expectitree.tree.model import Kind

MOST_ITEMS = 1000  # of the strategies and of the pairs, in JSON


def render(reports: Sequence[Rescaling], look: Look, show_all: bool = False) -> Iterator[str]:
    """Yield an object for each file, one line each."""
    most = None if show_all else MOST_ITEMS
    for report in reports:
        answer, nodes = report.answer, report.strategy
        paths = _paths(report, nodes[:most])
        root = len(report.tree) - 1
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
                        "path": path,
                        "kind": Kind(report.tree.columns.kind[n]).name,
                        "before": _at(report.before, n),
                        "after": _at(report.after, n),
                        "changed": n in report.changed_nodes,
                    }
                    for n, path in zip(nodes[:most], paths, strict=True)
                ],
                "strategy_total": len(nodes),
                "strategy_changed": len(report.changed_nodes),
                "remarks": list(report.remarks),
                **(
                    {
                        "any": {
                            "answer": answer.answer,
                            "reason": answer.reason,
                            "tried": answer.tried,
                        }
                    }
                    if answer
                    else {}
                ),
            }
        )


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
