"""The report for a terminal."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from functools import partial

from rich.console import ConsoleOptions

from expectitree.base.numbers import COMPUTED, display_text, escape, percent_text, probability_text
from expectitree.decide.information.report import Events, Information
from expectitree.decide.lines import Lines, notes, render_each, sentences
from expectitree.text.phrases import amount_heading, names_text, worth_text
from expectitree.text.tables import Column, table


def _lines(report: Information | Events, options: ConsoleOptions) -> Lines:
    """Yield the values with and without information."""
    if isinstance(report, Events):
        yield from _event_lines(report, options)
        return
    headings = ["signal"] if report.signals else report.events
    yield from _table(headings, report, options)
    yield ""
    yield from sentences(_sentences(report), options)


render = partial(render_each, _lines)


def _event_lines(report: Events, options: ConsoleOptions) -> Lines:
    columns = [Column("event"), Column("if known", number=True), Column("EVPI", number=True)]
    rows = [
        [escape(one.event), display_text(one.with_information), display_text(one.evpi)]
        for one in report.events
    ]
    if rows:
        yield from table(columns, rows, options)
        yield ""
        first = report.events[0]
        value = worth_text(report.tree, first.value)
        yield from sentences([f"The tree is worth {value} now{_best(first)}."], options)
        hint = (
            f"Ask further: --event {shlex.quote(first.event)} shows the best action for each "
            "outcome, --likelihood FILE adds a test."
        )
        yield from sentences([hint], options, "hint")
    for name, why in report.left_out.items():
        yield from notes(options, f"No EVPI of {escape(name)}: {why}.")


def _best(report: Information) -> str:
    """Return the best actions in parentheses; nothing if no player decides at the root."""
    return f" ({escape(', '.join(report.best))})" if report.best else ""


def _table(headings: Sequence[str], report: Information, options: ConsoleOptions) -> Lines:
    columns = [*(Column(escape(heading)) for heading in headings), Column("p", number=True)]
    columns += [Column("best"), Column(amount_heading(report.tree), number=True)]
    rows = []
    for one in report.signals or report.outcomes:
        best = ", ".join(map(escape, one.best)) or "-"
        if one.later:
            later = [f"{path}: {', '.join(actions)}" for path, actions in one.later.items()]
            best += f", then {names_text(later)}"
        labels = map(escape, one.labels)
        rows.append(
            [*labels, probability_text(one.p, most=COMPUTED), best, display_text(one.value)]
        )
    return table(columns, rows, options)


def _sentences(report: Information) -> Iterator[str]:
    event = names_text(report.events)
    worth = partial(worth_text, report.tree)
    now, best = worth(report.value), _best(report)
    if report.with_test is not None and report.evsi is not None:
        yield (
            f"The tree is worth {worth(report.with_test)} with the free test for {event}, "
            f"and {now} without it{best}."
        )
        yield f"The test is worth at most {worth(report.evsi)} (EVSI)."
        perfect = f"Perfect information is worth at most {worth(report.evpi)} (EVPI)"
        if report.efficiency is not None:
            perfect += f": the test has {percent_text(report.efficiency, 1)} of it"
        yield f"{perfect}."
    else:
        known = worth(report.with_information)
        verb = "are" if report.events[1:] else "is"
        yield f"The tree is worth {known} if {event} {verb} known in advance, and {now} now{best}."
        yield f"The information is worth at most {worth(report.evpi)} (EVPI)."
    attitude = report.tree.attitude
    if attitude is not None:
        what = "what information is worth is the price that leaves no gain"
        yield f"Values are certainty equivalents ({attitude.text}); {what}."
    if len(report.tree.deciders) > 1:
        yield "MIN knows what MAX knows, so information can also be worth less than nothing."
