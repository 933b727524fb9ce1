"""The trace for a terminal: a table for each action."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import ConsoleOptions, RenderableType
from rich.text import Text

from expectitree.base.numbers import cell_text, escape, probability_text
from expectitree.decide.reach.report import Reach
from expectitree.text.console import characters, report_heading, safe
from expectitree.text.tables import Column, table


def render(reports: Sequence[Reach], options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield a table for each action of each tree."""
    for position, report in enumerate(reports):
        yield from report_heading(reports, position, options)
        names = (report.counter, *report.names, "ended")
        columns = [Column(escape(name), number=True) for name in names]
        for one in report.actions:
            if one.action is not None:
                mark = f" {characters(options).best.strip()}" if one.is_best else ""
                yield Text(f"{safe(escape(one.action), options)}{mark}")
            rows = []
            for stage in one.stages:
                shares = (*stage.entered.values(), stage.ended)
                rows.append([cell_text(stage.number), *map(probability_text, shares)])
            if rows:
                yield from table(columns, rows, options)
            else:
                yield Text(f"  enters no node that uses {report.counter}")
            yield ""
        entered = [p for one in report.actions for row in one.stages for p in row.entered.values()]
        what = "The probability of entering each node"
        if max(entered, default=0) > 1:  # a `with` may set the counter back
            what = "How often play enters each node on average"
        yield Text(
            f"{what} at each {report.counter}, and the probability that it has ended before."
        )
