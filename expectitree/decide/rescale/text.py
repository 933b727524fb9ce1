"""A tree before and after a map of its utilities, as text."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from rich.console import ConsoleOptions
from rich.table import Table
from rich.text import Text

from expectitree.base.numbers import cell_text, display_text
from expectitree.decide.lines import Lines, notes, render_each, sentences
from expectitree.decide.rescale.report import AFFINE, ORDERED, MapClass, Rescaling
from expectitree.text.console import characters, safe
from expectitree.text.phrases import names_text, plus_text
from expectitree.text.tables import Column, table

_MAX_ROWS = 40  # of actions
_MAX_PAIRS = 8


def _lines(report: Rescaling, options: ConsoleOptions) -> Lines:
    """Yield the map, the actions before and after it, and the result."""
    yield _map_facts(report, options)
    yield ""
    if report.actions:
        yield from _actions(report, options)
        yield ""
    yield from sentences(report.remarks, options)
    yield from sentences(_sentences(report), options, "title")


render = partial(render_each, _lines)


def _map_facts(report: Rescaling, options: ConsoleOptions) -> Table:
    text = report.scale.text
    if report.scale.names:
        text += "; other utilities stay"
    arrow, pairs = characters(options).arrow, report.pairs[:_MAX_PAIRS]
    images = ", ".join(f"{display_text(u)} {arrow} {display_text(image)}" for u, image in pairs)
    left_out = len(report.pairs) - len(pairs)
    if left_out:
        images += f", and {left_out:,} more"
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="dim")
    grid.add_column(overflow="fold")
    facts = {"map": text, "utilities": images, "class": _class_text(report.map_class)}
    for name, fact in facts.items():
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


def _actions(report: Rescaling, options: ConsoleOptions) -> Lines:
    """Yield a table of the actions at the root, of many the first ones."""
    columns = Column("action"), Column("before", number=True), Column("after", number=True)
    errors = [search.eps for search in (report.before, report.after)]
    rows = [
        [label, *map(cell_text, values, errors)] for label, *values in report.actions[:_MAX_ROWS]
    ]
    yield from table(columns, rows, options)
    left_out = len(report.actions) - len(rows)
    if left_out:
        yield from notes(options, f"{characters(options).ellipsis} {left_out:,} more")


def _sentences(report: Rescaling) -> Iterator[str]:
    """Yield what the map changes."""
    before, after = report.before, report.after
    old, new = display_text(before.value), display_text(after.value)
    best = names_text(before.ties)
    if report.changed:
        yield (
            f"The decision changes: {best} ({old}) before, {names_text(after.ties)} ({new}) after."
        )
    elif before.ties:
        yield f"The decision stays {best}: {old} before, {new} after."
    else:
        yield f"No player decides at the root: {old} before, {new} after."
