"""A tree before and after a map of its utilities, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from rich.console import ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from expectitree.base.numbers import cell_text, display_text
from expectitree.decide.rescale.report import Rescaling
from expectitree.decide.rescale.scales import AFFINE, ORDERED, MapClass
from expectitree.searches.result import Search
from expectitree.text.console import characters, safe
from expectitree.text.headings import report_heading
from expectitree.text.phrases import plural
from expectitree.text.tables import Column, table
from expectitree.tree.model import Kind

_MAX_ROWS = 40
_MAX_PAIRS = 8
_MAX_TIES = 3  # actions that are named

ANSWERS = {
    "yes": "An order-preserving map of these utilities changes",
    "no": "No order-preserving map of these utilities changes",
    "unknown": "It is unknown whether an order-preserving map of these utilities changes",
}


def render(reports: Sequence[Rescaling], options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield for each file the map, the nodes that optimal play reaches, and the result."""
    for position, report in enumerate(reports):
        yield from report_heading(reports, position, options)
        if report.map_class is not None:
            yield _map_facts(report, report.map_class, options)
            yield ""
        if report.strategy:
            yield from _strategy_table(report, options)
            yield ""
        for remark in report.remarks:
            yield Text(safe(remark, options))
        for sentence in _sentences(report):
            yield Text(safe(sentence, options), style="title")


def _map_facts(report: Rescaling, found: MapClass, options: ConsoleOptions) -> Table:
    text = report.scale.text if report.scale else ""
    others = "; other utilities stay" if report.scale and report.scale.names else ""
    arrow, pairs = characters(options).arrow, report.pairs[:_MAX_PAIRS]
    images = ", ".join(f"{display_text(u)} {arrow} {display_text(image)}" for u, image in pairs)
    if len(report.pairs) > len(pairs):
        images += f", and {len(report.pairs) - len(pairs):,} more"
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="dim")
    grid.add_column(overflow="fold")
    facts = ("map", text + others), ("utilities", images), ("class", _class_text(found))
    for name, fact in facts:
        grid.add_row(name, Text(safe(fact, options)))
    return grid


def _class_text(found: MapClass) -> str:
    if found.name == AFFINE:
        offset = f" - {display_text(-found.offset)}" if found.offset < 0 else ""
        offset = f" + {display_text(found.offset)}" if found.offset > 0 else offset
        line = f"{display_text(found.slope)} * u{offset}"
        return f"positive affine, {line}: no best action changes, which was checked at every node"
    if found.name == ORDERED:
        return "order-preserving, not affine: expectations may change their order"
    u, image, v, other = (display_text(x) for pair in found.witness for x in pair)
    return (
        f"neither positive affine nor order-preserving: {u} < {v}, but they become {image} "
        f"and {other}"
    )


def _strategy_table(report: Rescaling, options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield a table of nodes: of many the root, those that changed, and the first others."""
    nodes = report.strategy
    changed = [n for n in nodes if n in report.changes]
    kept = set(islice(dict.fromkeys([*nodes[:1], *changed, *nodes]), _MAX_ROWS))
    columns = (
        Column("node", most=max(8, options.max_width // 3), keep_end=True),
        Column("kind", spare=4),
        Column("before", number=True, spare=2),
        Column("best"),
        Column("after", number=True, spare=1),
        Column("new best"),
        Column("changed", spare=3),
    )
    yield from table(columns, (_row(report, n) for n in nodes if n in kept), options)
    if len(nodes) > len(kept):
        ellipsis = characters(options).ellipsis
        left = plural(len(nodes) - len(kept), "more node")
        yield Text(f"{ellipsis} {left}", style="dim")


def _row(report: Rescaling, node: int) -> list[str]:
    cells = [report.tree.path_of(node), Kind(report.tree.columns.kind[node]).name]
    for search in (report.before, report.after):
        if search is not None:
            cells += [cell_text(search.lower[node], search.eps), _best_text(search, node) or "-"]
    return [*cells, "changed" if node in report.changes else ""]


def _best_text(search: Search, node: int, joint: str = ", ") -> str:
    """Return the best actions of a node, of many the first ones; of CHANCE nothing."""
    best = [search.tree.branch_label(node, b) for b in search.best_branches(node)]
    others = f" and {len(best) - _MAX_TIES:,} more" if len(best) > _MAX_TIES else ""
    return joint.join(best[:_MAX_TIES]) + others


def _sentences(report: Rescaling) -> Iterator[str]:
    """Yield the answer to whether a map changes the decision, and what this map changes."""
    answer, before, after, root = report.answer, report.before, report.after, report.tree.root_id
    if answer is not None:
        decision = f"the decision {answer.action}" if answer.action else "the decision"
        yield f"{ANSWERS[answer.answer]} {decision}: {answer.reason}."
    if after is None:
        return
    old, new = (_best_text(search, root, " and ") for search in (before, after))
    values = display_text(before.lower[root]), display_text(after.lower[root])
    if report.changed:
        yield f"The decision changes: {old} ({values[0]}) before, {new} ({values[1]}) after."
        return
    start = f"The decision stays {old}" if old else "No player decides at the root"
    yield f"{start}: {values[0]} before, {values[1]} after."
    if report.changed_nodes:
        count = plural(len(report.changed_nodes), "node")
        yield f"Below the root the best action changes at {count}."
