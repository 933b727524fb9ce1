"""A tree before and after a map of its utilities, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from expectitree.base.numbers import cell_text, display_text
from expectitree.decide.rescale.report import AFFINE, ORDERED, MapClass, Rescaling
from expectitree.text.console import characters, report_heading, safe
from expectitree.text.phrases import names_text, plus_text
from expectitree.text.tables import Column, table

_MAX_ROWS = 40  # of actions
_MAX_PAIRS = 8

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
        if report.actions:
            yield from _actions(report, options)
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
        line = f"{display_text(found.slope)} * u{plus_text(found.offset)}"
        return f"positive affine, {line}: no best action changes, which was checked at every node"
    if found.name == ORDERED:
        return "order-preserving, not affine: expectations may change their order"
    u, image, v, other = (display_text(x) for pair in found.witness for x in pair)
    return (
        f"neither positive affine nor order-preserving: {u} < {v}, but they become {image} "
        f"and {other}"
    )


def _actions(report: Rescaling, options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield a table of the actions at the root, of many the first ones."""
    columns = Column("action"), Column("before", number=True), Column("after", number=True)
    ends = [0 if search is None else search.eps for search in (report.before, report.after)]
    rows = [[label, *map(cell_text, values, ends)] for label, *values in report.actions[:_MAX_ROWS]]
    yield from table(columns, rows, options)
    left_out = len(report.actions) - len(rows)
    if left_out:
        yield Text(f"{characters(options).ellipsis} {left_out:,} more", style="dim")


def _sentences(report: Rescaling) -> Iterator[str]:
    """Yield the answer to whether a map changes the decision, and what this map changes."""
    answer, before, after = report.answer, report.before, report.after
    if answer is not None:
        decision = f"the decision {answer.action}" if answer.action else "the decision"
        yield f"{ANSWERS[answer.answer]} {decision}: {answer.reason}."
    if after is None:
        return
    values = display_text(before.value), display_text(after.value)
    old, new = names_text(before.ties), names_text(after.ties)
    if report.changed:
        yield f"The decision changes: {old} ({values[0]}) before, {new} ({values[1]}) after."
    else:
        start = f"The decision stays {old}" if before.ties else "No player decides at the root"
        yield f"{start}: {values[0]} before, {values[1]} after."
