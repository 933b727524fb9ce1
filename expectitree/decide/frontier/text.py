"""The report for a terminal: the league table, and the actions that are never best."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from rich.console import ConsoleOptions

from expectitree.base.expressions.syntax import text_of
from expectitree.base.numbers import INFINITY, cell_text, escape
from expectitree.base.tree.paths import ROOT
from expectitree.decide.frontier.envelope import ONCE, SAME, WORSE
from expectitree.decide.frontier.report import Frontier, Strategy
from expectitree.decide.lines import Lines, render_each, sentences
from expectitree.decide.sensitivity.parameters import verified_text
from expectitree.text.console import characters
from expectitree.text.phrases import with_unit
from expectitree.text.tables import Column, table


def _lines(report: Frontier, options: ConsoleOptions) -> Lines:
    """Yield the tables and the sentences."""
    yield from _tables(report, options)
    yield ""
    yield from sentences(_sentences(report), options)


render = partial(render_each, _lines)


def _tables(report: Frontier, options: ConsoleOptions) -> Lines:
    """Yield the strategies that are best for some weight, then the others."""
    both = (report.other, report.weighed)
    spare = {name: 3 * (name not in both) for name in report.best[0].criteria}
    shared = [Column(""), Column("action")]
    shared += [Column(name, True, rank) for name, rank in spare.items()]
    marks = dict.fromkeys(_best_now(report), f" {characters(options).best.strip()}")
    rows = []
    for i, strategy in enumerate(report.best, 1):
        added = [""] * 3
        if strategy.increments:
            numbers = *strategy.increments.values(), strategy.start
            added = [*map(cell_text, numbers)]
        rows.append([f"{i}{marks.get(i, '')}", *_cells(strategy), *added])
    columns = [Column(f"incr. {name}", True, 2) for name in both]
    ratio = "ICER" if report.is_icer else f"from {report.range.name}"
    yield from table([*shared, *columns, Column(ratio, True)], rows, options)
    if report.never:
        yield ""
        rows = [["", *_cells(strategy), _reason(strategy)] for strategy in report.never]
        yield from table([*shared, Column("why not above")], rows, options)


def _reason(one: Strategy) -> str:
    """Return why a strategy is not one of those that are best for some weight."""
    if one.status == ONCE:
        return f"best only at {cell_text(one.start)}"
    verbs = {SAME: "same as", WORSE: "worse in this range than"}
    verb = verbs.get(one.status, f"{one.status} by")
    return f"{verb} {' and '.join(map(str, one.by))}"


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
    known = "that is outside the range"
    if now:
        verb = "are" if now[1:] else "is"
        known = f"{' and '.join(map(str, now))} {verb} best"
    yield f"{one.name} is {with_unit(cell_text(one.current), one.unit)} now: {known}."
    if len(report.best) > 1:
        yield verified_text(report.tree)
