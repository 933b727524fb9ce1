"""The report for a terminal: a table of the actions, and the distribution of the best one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import ConsoleOptions, RenderableType
from rich.text import Text

from expectitree.base.numbers import Number, cell_text, display_text, escape, probability_text
from expectitree.decide.risk.report import ActionRisk, Risk
from expectitree.text.console import characters, report_heading, safe
from expectitree.text.phrases import plural
from expectitree.text.tables import Column, table

MAX_BARS = 20
_WIDEST = 40  # terminal columns of a bar
ORDERS = {1: "first", 2: "second"}


def render(reports: Sequence[Risk], options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield a table and bars for each tree."""
    for position, report in enumerate(reports):
        yield from report_heading(reports, position, options)
        yield from _table(report, options)
        best = next((one for one in report.actions if one.is_best), report.actions[0])
        yield ""
        yield from _bars(best, options)
        yield ""
        for sentence in _sentences(report):
            yield Text(safe(sentence, options))


def _table(report: Risk, options: ConsoleOptions) -> Iterator[RenderableType]:
    below, least = ("<", "≥") if report.tree.gain_sign > 0 else (">", "≤")
    spare = {"mean": 0, "sd": 0, "min": 0, "5%": 3, "50%": 2, "95%": 3, "max": 0}
    spare[f"P({below} 0)"] = 1
    columns = [Column("action"), *(Column(name, True, rank) for name, rank in spare.items())]
    columns.append(Column("worst 5%", number=True, spare=4))
    if report.target is not None:
        columns.append(Column(f"P({least} {display_text(report.target)})", number=True))
    mark = f" {characters(options).best.strip()}"
    rows = []
    for one in report.actions:
        numbers = [one.mean, one.sd, one.least, *one.quantiles.values(), one.greatest]
        cells = [escape(one.action or "the tree")]
        if one.is_best:
            cells[0] += mark
        cells += [cell_text(_rounded(x)) for x in numbers]
        cells += [_chance(one.loss), cell_text(_rounded(one.cvar))]
        if one.reach is not None:
            cells.append(_chance(one.reach))
        rows.append(cells)
    return table(columns, rows, options)


def _rounded(value: Number) -> Number:
    """Return a number without the rounding errors that those of large trees have."""
    return round(value, 10) if isinstance(value, float) else value


def _chance(probability: Number) -> str:
    return probability_text(_rounded(probability))


def _bars(one: ActionRisk, options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield a bar for each total of an action, or of a few bins if there are many."""
    found = one.distribution
    totals = [display_text(_rounded(total)) for total in found.totals]
    step = max(1, -(-len(totals) // MAX_BARS))
    rows = []
    for start in range(0, len(totals), step):
        part = slice(start, start + step)
        last = totals[part][-1]
        label = totals[start] if last == totals[start] else f"{totals[start]} to {last}"
        rows.append((label, sum(found.probabilities[part])))
    labels, numbers = max(len(label) for label, _ in rows), [_chance(p) for _, p in rows]
    wide = max(map(len, numbers))
    room = max(10, min(_WIDEST, options.max_width - labels - wide - 30))
    name = safe(escape(one.action or "the tree"), options)
    greatest = max(p for _, p in rows)
    for position, ((label, p), number) in enumerate(zip(rows, numbers, strict=True)):
        head = name if not position else " " * len(name)
        bar = characters(options).bar * max(1 if p else 0, round(float(p / greatest) * room))
        text = f"{head}  {label:>{labels}}  {number:<{wide}}  {bar}".rstrip()
        yield Text(text, style="bar")


def _sentences(report: Risk) -> Iterator[str]:
    if report.ties:
        more = len(report.ties) - 1
        where = escape(report.ties[0]) + (f" and {plural(more, 'more node')}" if more else "")
        yield f"Several actions are best at {where}: play takes the first."
    sign = report.tree.gain_sign
    ends = {one.action: sorted([sign * one.least, sign * one.greatest]) for one in report.actions}
    for one in report.dominance:
        kind = f"{ORDERS[one.order]} order"
        if ends[one.action][0] >= ends[one.other][1]:
            kind = "deterministic dominance"
        yield f"{escape(one.action)} dominates {escape(one.other)} ({kind})."
    if len(report.actions) > 1 and not report.dominance:
        yield "No action dominates another, in the first or the second order."
