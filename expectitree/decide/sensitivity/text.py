"""The reports for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import singledispatch
from typing import Any

from rich.console import ConsoleOptions, RenderableType
from rich.text import Text

from expectitree.base.numbers import decimal_text, display_text, exact_text
from expectitree.decide.algebra.rationals import Rational, formula_text
from expectitree.decide.algebra.thresholds import Threshold
from expectitree.decide.sensitivity.break_even import BreakEven
from expectitree.decide.sensitivity.charts import map_lines, tornado_lines
from expectitree.decide.sensitivity.everywhere import Everywhere
from expectitree.decide.sensitivity.extremes import Tornado
from expectitree.decide.sensitivity.phrases import (
    move_text,
    number_text,
    with_unit,
)
from expectitree.decide.sensitivity.report import Sensitivity
from expectitree.decide.sensitivity.strategies import Strategies
from expectitree.decide.sensitivity.two_way import TwoWay
from expectitree.decide.thresholds import names_text, place_texts, threshold_texts
from expectitree.text.console import Characters, characters, safe
from expectitree.text.headings import report_heading
from expectitree.text.phrases import plural
from expectitree.text.tables import Column, table

VERIFIED = "Each threshold is verified on both sides, by evaluating the tree in exact arithmetic."
MAX_ROWS = 50  # of strategies or thresholds that are listed
_FORMULA_DIGITS = 6  # of a coefficient that is rounded
_MAX_WORTH_LENGTH = 16  # characters of a fraction
_MAX_CONSTANT = 10  # decisions that never change

Lines = Iterator[RenderableType]


def render(reports: Sequence[Any], options: ConsoleOptions) -> Lines:
    """Yield the answer about each tree, below its title."""
    for position, report in enumerate(reports):
        yield from report_heading(reports, position, options)
        yield from _lines(report, options)


@singledispatch
def _lines(report: Any, options: ConsoleOptions) -> Lines:
    raise TypeError(f"no text of {type(report).__name__}")


_lines.register(TwoWay)(map_lines)
_lines.register(Tornado)(tornado_lines)


# ---- One parameter.


@_lines.register
def _(report: Sensitivity, options: ConsoleOptions) -> Lines:
    marks = characters(options)
    rows = []
    for (start, end), piece in zip(_ends(report, marks), report.pieces, strict=True):
        rows.append([f"{start} to {end}", names_text(piece.best)])
        if report.method == "exact":
            rows[-1].append(_value_of_piece(report, piece.value, marks))
    columns = [Column(report.range.name), Column("best"), Column("value")]
    yield from table(columns[: len(rows[0])], rows, options)
    yield ""
    for sentence in _sentences(report, marks):
        yield Text(safe(sentence, options))
    if report.method == "sampled":
        found = f"Found by sampling, since {report.reason}: narrower parts may be missed."
        yield Text(safe(found, options), style="dim")
    elif report.thresholds:
        yield Text(VERIFIED, style="dim")


def _value_of_piece(report: Sensitivity, value: Rational | None, marks: Characters) -> str:
    """Return the value on a part of the range: a formula, or why there is none."""
    name = report.range.name
    if value is None:
        changed = "a later decision changes"
        return changed if report.branch else f"{changed}: --everywhere"
    exact = formula_text(value, name, marks.times)
    rounded = formula_text(value, name, marks.times, _FORMULA_DIGITS)
    return exact or (f"{marks.about} {rounded}" if rounded else "a long formula")


def _ends(report: Sensitivity, marks: Characters) -> list[tuple[str, str]]:
    """Return the ends of each piece as text; those between two pieces are thresholds."""
    texts = {one.middle: threshold_texts(one, marks)[0] for one in report.thresholds}
    return [
        (texts.get(p.start, number_text(p.start)), texts.get(p.end, number_text(p.end)))
        for p in report.pieces
    ]


def _sentences(report: Sensitivity, marks: Characters) -> Iterator[str]:
    one, best, value = report.range, names_text(report.best), number_text(report.value)
    here = f"{one.name} is {with_unit(number_text(one.current), one.unit)}"
    if not report.best:
        yield f"{here}: the tree is worth {value}. No player moves at the root."
        return
    verb = "actions are" if len(report.best) > 1 else "action is"
    if report.branch is not None:
        yield f"The best {verb} {best} now, worth {value}."
        yield from _limits_of_branch(report)
    else:
        yield f"{here}: the best {verb} {best}, worth {value}."
        yield from _moves(report)
    for threshold in report.thresholds[:MAX_ROWS]:
        place = threshold_texts(threshold, marks)[1]
        if threshold.at:
            yield f"At {place} {names_text(threshold.at)} tie at {_worth_text(threshold)}."
        else:
            change = f"from {names_text(threshold.before)} to {names_text(threshold.after)}"
            yield f"At {place} the value jumps, and the best action changes {change}."


def _worth_text(threshold: Threshold) -> str:
    """Return the value at a threshold: `8875/7 = 1267.857143`, or a decimal."""
    text = exact_text(threshold.value)
    decimal = decimal_text(threshold.value, 10)
    is_fraction = threshold.exact is not None and "/" in text and len(text) <= _MAX_WORTH_LENGTH
    return f"{text} = {decimal}" if is_fraction else decimal


def _moves(report: Sensitivity) -> Iterator[str]:
    one, (fall, rise) = report.range, report.slack
    if not one.low <= one.current <= one.high:
        return
    moves = [
        f"{verb} by {with_unit(move_text(by), one.unit)}"
        for verb, by in (("fall", fall), ("rise", rise))
        if by is not None
    ]
    if 0 in (fall, rise):
        yield "This is a threshold."
    elif moves:
        yield f"It can {' or '.join(moves)} before another action is best."
    else:
        yield f"No value from {number_text(one.low)} to {number_text(one.high)} changes that."


def _limits_of_branch(report: Sensitivity) -> Iterator[str]:
    """Yield what a branch may cost or pay at most before another action is best."""
    (fall, rise), pays = report.slack, report.branch_pays
    now = "pays nothing"
    if pays:
        verb = "costs" if pays < 0 else "pays"
        now = f"{verb} {move_text(abs(pays))}"
    if fall is None and rise is None:
        yield f"No amount at {report.branch} changes that; it {now} now."
    for limit, is_least in ((fall, True), (rise, False)):
        if limit is None:
            continue
        end = pays - limit if is_least else pays + limit
        costs = end < 0 or (end == 0 and pays < 0)
        verb = "cost" if costs else "pay"
        bound = "at most" if is_least == costs else "at least"
        amount = move_text(abs(end))
        if costs and is_least and report.best == (report.branch,):
            yield f"{report.branch} may cost up to {amount}; it {now} now."
        else:
            best = names_text(report.best)
            yield f"{best} stays best if {report.branch} {verb}s {bound} {amount}; it {now} now."


# ---- Every decision, break-even points and strategies.


@_lines.register
def _(report: Everywhere, options: ConsoleOptions) -> Lines:
    changing = [one for one in report.decisions if len({p.best for p in one.pieces}) > 1]
    rows = []
    for one in changing[:MAX_ROWS]:
        for position, piece in enumerate(one.pieces):
            part = f"{number_text(piece.start)} to {number_text(piece.end)}"
            rows.append(["" if position else one.path, part, names_text(piece.best)])
    if rows:
        columns = [Column("decision"), Column(report.range.name), Column("best")]
        yield from table(columns, rows, options)
        yield ""
    if len(changing) > MAX_ROWS:
        count = plural(len(changing), "decision")
        yield Text(f"The first {MAX_ROWS} of {count} that change.", style="dim")
    others = [one for one in report.decisions if one not in changing]
    for one in others[:_MAX_CONSTANT]:
        line = f"{one.path}: always {names_text(one.pieces[0].best)}, where play reaches it."
        yield Text(safe(line, options))
    if len(others) > _MAX_CONSTANT:
        more = plural(len(others) - _MAX_CONSTANT, "more decision")
        yield Text(f"{more} where the best action never changes.", style="dim")
    if not report.decisions:
        yield Text("Play reaches no decision.")


@_lines.register
def _(report: BreakEven, options: ConsoleOptions) -> Lines:
    one = report.range
    what = f"{report.left} = {report.right}"
    if not report.meetings:
        low, high = number_text(one.low), number_text(one.high)
        yield Text(safe(f"{what} for no {one.name} from {low} to {high}.", options))
    for meeting in report.meetings:
        if meeting.is_part:
            place = f"from {number_text(meeting.lower)} to {number_text(meeting.upper)}"
            yield Text(safe(f"{what} for every {one.name} {place}.", options))
            continue
        place = place_texts(meeting.exact, meeting.lower, meeting.upper, characters(options))[1]
        value = decimal_text(meeting.value, 10)
        both = f", where both are worth {value}" if report.is_of_two else ""
        yield Text(safe(f"{what} at {one.name} = {place}{both}.", options))
    yield Text(
        safe(f"{one.name} is {with_unit(number_text(one.current), one.unit)} now.", options),
        style="dim",
    )


@_lines.register
def _(report: Strategies, options: ConsoleOptions) -> Lines:
    rows = []
    for one in report.strategies[:MAX_ROWS]:
        root = one.choices.get("/", "")
        rest = ", ".join(f"{path}: {label}" for path, label in one.choices.items() if path != "/")
        rows.append([display_text(one.value), root, rest])
    columns = [Column("value", number=True), Column("action"), Column("then")]
    yield from table(columns, rows, options)
    count = len(report.strategies)
    if count > MAX_ROWS:
        yield Text(f"The first {MAX_ROWS} of {plural(count, 'strategy')}.", style="dim")
