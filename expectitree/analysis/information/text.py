"""The report for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import ConsoleOptions, RenderableType
from rich.text import Text

from expectitree.analysis.information.report import Information
from expectitree.numbers import display_text, escape, probability_text
from expectitree.text.console import safe
from expectitree.text.headings import file_heading
from expectitree.text.tables import Column, table


def render(
    reports: Sequence[Information], options: ConsoleOptions, shows_control: bool = False
) -> Iterator[RenderableType]:
    """Yield the values with and without information for each tree."""
    for position, report in enumerate(reports):
        if position:
            yield ""
        yield from file_heading(report.file, report.tree, options, len(reports) > 1)
        yield ""
        first = "signal" if report.is_test else report.event
        columns = [
            Column(escape(first)),
            Column("p", number=True),
            Column("best"),
            Column("value", number=True),
        ]
        rows = [
            [
                one.name,
                probability_text(one.probability),
                ", ".join(map(escape, one.best)) or "-",
                display_text(one.value),
            ]
            for one in report.findings
        ]
        yield from table(columns, rows, options)
        yield ""
        for sentence in _sentences(report, shows_control):
            yield Text(safe(sentence, options))


def _sentences(report: Information, shows_control: bool) -> Iterator[str]:
    now = f"{display_text(report.value)} now"
    if report.best:
        now += f" ({escape(', '.join(report.best))})"
    event = escape(report.event)
    known = f"with the signal of the test for {event}" if report.is_test else f"if {event} is known"
    yield f"The tree is worth {display_text(report.with_information)} {known} in advance, and {now}."
    if report.is_test:
        yield f"The test is worth at most {display_text(report.worth)} (EVSI)."
        if report.evpi:
            share = float(report.worth) / float(report.evpi)
            perfect = display_text(report.evpi)
            yield f"Perfect information is worth {perfect}: the test has {share:.0%} of it."
    else:
        yield f"The information is worth at most {display_text(report.worth)} (EVPI)."
    if shows_control:
        outcome, value = report.control
        worth = display_text(value - report.value)
        yield f"To make {event} {escape(outcome)} is worth at most {worth} (value of control)."
