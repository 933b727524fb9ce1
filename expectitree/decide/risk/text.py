"""The report for a terminal: a table of the actions, one distribution, and a table of rules."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from rich.console import ConsoleOptions
from rich.text import Text

from expectitree.base.numbers import (
    COMPUTED,
    Number,
    cell_text,
    display_text,
    escape,
    probability_text,
)
from expectitree.decide.lines import Lines, render_each, sentences
from expectitree.decide.records import Amount
from expectitree.decide.risk.report import ActionRisk, Risk
from expectitree.decide.risk.rules import Rules
from expectitree.text.console import characters, safe
from expectitree.text.phrases import plural, tied
from expectitree.text.tables import Column, table

MAX_BARS = 20
_WIDEST = 40  # terminal columns of a bar
_SIGNS = {True: ("<", "≥"), False: (">", "≤")}  # of a loss and of a target, by who decides


def _lines(report: Risk, options: ConsoleOptions) -> Lines:
    """Yield a table, the bars of an action, and sentences; of a payoff table, also the rules."""
    if report.actions:
        yield from _table(report, options)
        yield ""
        yield from _bars(report.charted_action, options)
        yield ""
        yield from sentences(_sentences(report), options)
    if report.rules:
        if report.actions:
            yield ""
        yield from _rules(report.rules, options)
        if report.is_detailed:
            yield from _regrets(report.rules, options)


render = partial(render_each, _lines)


def _table(report: Risk, options: ConsoleOptions) -> Lines:
    below, least = _SIGNS[report.tree.gain_sign > 0]
    spare = {"mean": 0, "sd": 0, "min": 0, "5%": 3, "50%": 2, "95%": 3, "max": 0}
    spare[tied(f"P({below} 0)")] = 1
    columns = [Column("action"), *(Column(name, True, rank) for name, rank in spare.items())]
    columns.append(Column("worst 5%", number=True, spare=4))
    if report.target is not None:
        columns.append(Column(tied(f"P({least} {display_text(report.target)})"), number=True))
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


def _rules(found: Rules, options: ConsoleOptions) -> Lines:
    """Yield a row for each action, with the choices of each rule marked."""
    mark = f" {characters(options).best.strip()}"
    columns, rows = [Column("action")], [[escape(action)] for action in found.regrets]
    for rule in found.rules:
        heading = rule.name
        if heading == "Hurwicz":
            heading += f" {cell_text(found.hurwicz)}"
        columns.append(Column(heading, number=True, spare=len(columns) - 1))
        marks = dict.fromkeys(rule.best, mark)
        for row, (action, number) in zip(rows, rule.numbers.items(), strict=True):
            row.append(cell_text(_rounded(number)) + marks.get(action, " " * len(mark)))
    yield from table(columns, rows, options)


def _regrets(found: Rules, options: ConsoleOptions) -> Lines:
    """Yield the regret of each action in each state."""
    columns = [Column("regret"), *(Column(escape(state), number=True) for state in found.states)]
    rows = [
        [escape(action), *(cell_text(_rounded(number)) for number in row)]
        for action, row in found.regrets.items()
    ]
    yield ""
    yield from table(columns, rows, options)


def _rounded(value: Number) -> Number:
    """Return a number without the rounding errors that those of large trees have."""
    return round(value, 10) if isinstance(value, float) else value


def _chance(probability: Number) -> str:
    return probability_text(_rounded(probability), most=COMPUTED)


def _bars(action: ActionRisk, options: ConsoleOptions) -> Lines:
    """Yield a bar for each total of an action, or of a few bins if there are many."""
    probabilities = action.distribution.probabilities
    totals = [display_text(_rounded(total)) for total in action.distribution.totals]
    step = -(-len(totals) // MAX_BARS)
    rows: list[tuple[str, Amount, str]] = []
    for start in range(0, len(totals), step):
        part = slice(start, start + step)
        ends = dict.fromkeys((totals[start], totals[part][-1]))  # which may read alike
        p = sum(probabilities[part])
        rows.append((" to ".join(ends), p, _chance(p)))
    label_width = max(len(label) for label, _, _ in rows)
    number_width = max(len(number) for _, _, number in rows)
    room = max(10, min(_WIDEST, options.max_width - label_width - number_width - 30))
    head = safe(escape(action.action or "the tree"), options)
    greatest = max(p for _, p, _ in rows)
    for label, p, number in rows:
        bar = characters(options).bar * max(bool(p), round(float(p / greatest) * room))
        text = f"{head}  {label:>{label_width}}  {number:<{number_width}}  {bar}".rstrip()
        yield Text(text, style="bar")
        head = " " * len(head)


def _sentences(report: Risk) -> Iterator[str]:
    if report.ties:
        where = escape(report.ties[0])
        if report.ties[1:]:
            where += f" and {plural(len(report.ties) - 1, 'more node')}"
        yield f"Several actions are best at {where}: play takes the first."
    for one, kind in report.dominance_lines.items():
        yield f"{escape(one.action)} dominates {escape(one.other)} ({kind})."
    if report.draws:
        means = "Means are exact."
        if report.tree.attitude is not None:
            widest = max(one.sd for one in report.actions) / report.draws**0.5
            means = f"That of a mean is at most {display_text(widest)}."
        yield (
            f"Simulated by {report.draws:,} plays, since there are too many totals: the standard "
            f"error of a probability is at most {0.5 / report.draws**0.5:.2%}. {means} "
            "Dominance is not tested."
        )
    elif len(report.actions) > 1 and not report.dominance:
        yield "No action dominates another, in the first or the second order."
    if report.tree.unit is not None:
        yield f"Totals are in {report.tree.unit}."
    attitude = report.tree.attitude
    if attitude is not None:
        yield f"Best is the greatest certainty equivalent ({attitude.text}); the rest is of totals."
