"""The report for a terminal: the league table, and the actions that are never best."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import ConsoleOptions, RenderableType
from rich.text import Text

from expectitree.base.expressions.syntax import text_of
from expectitree.base.numbers import INFINITY, cell_text, escape
from expectitree.base.tree.paths import ROOT
from expectitree.decide.frontier.envelope import ONCE, SAME
from expectitree.decide.frontier.report import Frontier, Strategy
from expectitree.decide.sensitivity.text import VERIFIED
from expectitree.text.console import characters, report_heading, safe
from expectitree.text.phrases import with_unit
from expectitree.text.tables import Column, table


def render(reports: Sequence[Frontier], options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield the tables for each tree."""
    for position, report in enumerate(reports):
        yield from report_heading(reports, position, options)
        yield from _tables(report, options)
        yield ""
        for sentence in _sentences(report):
            yield Text(safe(sentence, options))


def _tables(report: Frontier, options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield the strategies that are best for some weight, then the others."""
    both = (report.other, report.weighed)
    shared = [Column(""), Column("action")]
    for name in report.best[0].criteria:
        shared.append(Column(name, number=True, spare=0 if name in both else 3))
    rows, now = [], _best_now(report)
    for i, one in enumerate(report.best, 1):
        mark = f" {characters(options).best.strip()}" if i in now else ""
        numbers = [*one.increments.values(), one.start] if one.increments else []
        more = [cell_text(number) for number in numbers] or [""] * 3
        rows.append([f"{i}{mark}", *_cells(one), *more])
    columns = [Column(f"incr. {name}", number=True, spare=2) for name in both]
    ratio = "ICER" if report.is_icer else f"from {report.range.name}"
    yield from table([*shared, *columns, Column(ratio, number=True)], rows, options)
    if report.never:
        yield ""
        rows = [["", *_cells(one), _reason(one)] for one in report.never]
        yield from table([*shared, Column("why not above")], rows, options)


def _reason(one: Strategy) -> str:
    """Return why a strategy is not one of those that are best for some weight."""
    if one.status == ONCE:
        return f"best only at {cell_text(one.start)}"
    by = " and ".join(map(str, one.by))
    return f"same as {by}" if one.status == SAME else f"{one.status} by {by}"


def _cells(one: Strategy) -> list[str]:
    later = [f"{escape(path)}: {escape(a)}" for path, a in one.choices.items() if path != ROOT]
    actions = ", then ".join(filter(None, (escape(one.action or ""), ", ".join(later))))
    return [actions, *map(cell_text, one.criteria.values())]


def _best_now(report: Frontier) -> list[int]:
    """Return the numbers of the strategies that are best at the current weight."""
    now = report.range.current
    return [i for i, one in enumerate(report.best, 1) if one.start <= now <= one.end]


def _sentences(report: Frontier) -> Iterator[str]:
    one, criteria, now = report.range, report.tree.criteria, _best_now(report)
    end = "up" if one.high == INFINITY else f"to {cell_text(one.high)}"
    objective = text_of(criteria.objective)
    yield f"Objective: {objective}, with {one.name} from {cell_text(one.low)} {end}."
    best = f"{' and '.join(map(str, now))} {'are' if now[1:] else 'is'} best"
    known = best if now else "that is outside the range"
    yield f"{one.name} is {with_unit(cell_text(one.current), one.unit)} now: {known}."
    if len(report.best) > 1 and not report.tree.error:  # which irrational numbers have
        yield VERIFIED
