"""The report as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from expectitree.algorithms import OPTIONS
from expectitree.analysis.trace.report import Trace
from expectitree.analysis.trace.text import Board
from expectitree.text.json_values import dumps, search_fields
from expectitree.text.look import Look


def render(report: Trace, look: Look) -> Iterator[str]:
    """Yield an object a line: the start, every step, the end."""
    search, tree = report.search, report.tree
    about = search_fields(report.file, search)
    board = Board(report, look)
    given = ("file", "title", "algorithm", *OPTIONS, "engine", "bounds", "bounds_from")
    start = {"event": "start"} | {key: about[key] for key in given if key in about}
    yield dumps(start | {"nodes": len(tree), "leaves": tree.leaves})
    for event in report.events:
        yield dumps({"event": event.kind, "step": event.step} | board.fields(event))
    found = {key: value for key, value in about.items() if key not in start}
    yield dumps(
        {"event": "end", "steps": report.total, "left_out": report.total - len(report.events)}
        | found
    )
