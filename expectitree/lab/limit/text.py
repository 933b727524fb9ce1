"""The fewest leaves that are enough, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import ConsoleOptions, RenderableType
from rich.text import Text

from expectitree.base.numbers import display_text
from expectitree.lab.limit.report import Limit
from expectitree.searches.result import Outcome, Search
from expectitree.text.console import characters, clipped_start, file_heading, indented, safe
from expectitree.text.phrases import bounds_text, interval_text, plural
from expectitree.text.tables import Column, table

COLUMNS = (
    Column("algorithm"),
    Column("leaves", number=True),
    Column("surplus", number=True),
)
MAX_SHOWN = 20  # leaves that are named


def render(reports: Sequence[Limit], options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield for each file the fewest leaves, their names, and a table of the searches."""
    for position, report in enumerate(reports):
        if position:
            yield ""
        tree, search = report.tree, report.search
        yield from file_heading(report.file, tree, options, len(reports) > 1)
        bounds = bounds_text(search.root_bounds, search.bounds_source)
        yield Text(f"{plural(tree.leaves, 'leaf')}, bounds {bounds}")
        yield ""
        for sentence in _results(report):
            yield Text(sentence, style="title")
        if 0 < report.exact.count < tree.leaves:
            yield from _named(report, options)
        if report.rows:
            yield ""
            yield from table(COLUMNS, [_row(report, row) for row in report.rows], options)
        if report.below:
            yield ""
            yield from map(Text, notes(report))


def notes(report: Limit) -> list[str]:
    """Return a sentence for each search that visited fewer leaves than are needed."""
    return [
        f"{row.algorithm.full_name} took numbers that differ by about {display_text(row.eps, 2)} "
        "as equal, so it needed fewer leaves than the limit; with --exact it does not."
        for row in report.below
    ]


def _row(report: Limit, row: Search) -> list[str]:
    visited, exact = row.counts.leaves_visited, report.exact
    surplus = f"{visited - exact.count:,}"
    if row.outcome is not Outcome.VALUE:
        surplus = "-"
        if row.stopped:
            surplus = "stopped"
    return [row.algorithm.short_name, f"{visited:,}", surplus]


def _results(report: Limit) -> Iterator[str]:
    tree, exact = report.tree, report.exact
    leaves, value = plural(tree.leaves, "leaf"), display_text(report.search.value)
    if exact.count == 0:
        yield f"No leaf is needed to prove the value {value}: the bounds alone prove it."
    elif exact.count == tree.leaves > 1:
        yield f"All {leaves} are needed to prove the value {value}."
    else:
        has_local = tree.local_bounds.keys() - {tree.root_id}
        within = "their bounds" if has_local else interval_text(*report.search.root_bounds)
        yield (
            f"{exact.count:,} of {leaves} prove{'s' * (exact.count == 1)} the value {value}, "
            f"whatever the others are within {within}."
        )


def _named(report: Limit, options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield the names of the leaves that prove the value."""
    most = report.exact.count
    yield ""
    subject = "Leaves that prove" if most > 1 else "A leaf that proves"
    yield Text(f"{subject} the value:", style="dim")
    ellipsis = characters(options).ellipsis
    names = []
    for name in report.leaf_names(MAX_SHOWN):
        text = f"node {name}" if isinstance(name, int) else safe(name, options)
        names.append(clipped_start(text, options.max_width - 3, ellipsis))
    if most <= MAX_SHOWN:
        yield indented(", ".join(names))
    else:
        yield indented(f"{', '.join(names)}, {ellipsis}")
        yield indented(f"{most - MAX_SHOWN:,} more (--format json names them)")
