"""A trace as JSON: an object a line."""

from __future__ import annotations

from collections.abc import Iterator

from expectitree.analysis.evaluate.json import cut_fields, reward_fields, search_fields
from expectitree.analysis.trace.events import CUT, PROBE, TIGHTEN, VISIT, Event
from expectitree.analysis.trace.report import Trace
from expectitree.base.algorithms import OPTIONS
from expectitree.base.tree.model import Kind, Tree
from expectitree.text.json_values import Fields, about_fields, dumps, json_number, json_path


def render(report: Trace) -> Iterator[str]:
    """Yield the start, every step, and the end."""
    search = report.search
    tree = report.tree
    about = about_fields(report.file, tree) | search_fields(search)
    given = ("file", "title", "warnings", "algorithm", *OPTIONS, "engine", "bounds", "bounds_from")
    start = {"event": "start"} | {key: about[key] for key in given if key in about}
    yield dumps(start | {"nodes": len(tree), "leaves": tree.leaves})
    for event in report.events:
        yield dumps({"event": event.kind, "step": event.step} | event_fields(event, tree))
    found = {key: value for key, value in about.items() if key not in start}
    left_out = report.total - len(report.events)
    yield dumps({"event": "end", "steps": report.total, "left_out": left_out} | found)


def event_fields(event: Event, tree: Tree) -> Fields:
    """Return the fields of a step; the path unless it is very long."""
    n = event.node
    fields = {"node": n, "kind": Kind(tree.columns.kind[event.node]).name, "depth": event.depth}
    if event.branch >= 0:
        above = tree.parent_of(event.branch)
        fields |= {"parent": above, "label": tree.branch_label(above, event.branch)}
    fields["path"] = json_path(tree, n, event.branch)
    fields |= reward_fields(tree, event.branch)
    fields |= {key: value for key, value in (("walk", event.walk), ("aim", event.aim)) if value}
    if event.window is not None:
        fields["window"] = list(map(json_number, event.window))
    if event.kind == PROBE and tree.columns.kind[n]:
        fields["child"] = tree.branch_label(n, tree.columns.first[n] + event.place)
    if event.kind == VISIT:
        fields["utility"] = json_number(event.lower)
    if event.kind == TIGHTEN:
        end, before, after = event.tightened
        fields |= {"bound": end, "from": json_number(before), "to": json_number(after)}
    if event.kind == CUT:
        fields["cut"] = cut_fields(event.cut_in(tree))
    if event.terms:
        fields["terms"] = [[json_number(p), json_number(end)] for p, end in event.terms]
    return fields | {"lower": json_number(event.lower), "upper": json_number(event.upper)}
