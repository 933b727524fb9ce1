"""The reports for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import singledispatch
from typing import Any

from rich.console import ConsoleOptions, RenderableType
from rich.text import Text

from expectitree.algebra.thresholds import Threshold
from expectitree.analysis.sensitivity.break_even import BreakEven
from expectitree.analysis.sensitivity.extremes import Bar, Spider, Tornado
from expectitree.analysis.sensitivity.phrases import (
    formula_text,
    number_text,
    place_texts,
    with_unit,
)
from expectitree.analysis.sensitivity.report import Sensitivity
from expectitree.analysis.sensitivity.strategies import Strategies
from expectitree.analysis.sensitivity.tolerance import Tolerances
from expectitree.analysis.sensitivity.two_way import TwoWay
from expectitree.numbers import cell_text, display_text, escape
from expectitree.text.console import characters, safe
from expectitree.text.headings import file_heading
from expectitree.text.phrases import plural
from expectitree.text.tables import Column, table

VERIFIED = "Each threshold is verified on both sides, by evaluating the tree in exact arithmetic."
MOST_ROWS = 50  # of strategies or thresholds that are listed
_LETTERS = "abcdefghijklmnopqrstuvwxyz"

Lines = Iterator[RenderableType]


def render(reports: Sequence[Any], options: ConsoleOptions) -> Lines:
    """Yield the answer about each tree, below its title."""
    for position, report in enumerate(reports):
        if position:
            yield ""
        yield from file_heading(report.file, report.tree, options, len(reports) > 1)
        yield ""
        yield from _lines(report, options)


@singledispatch
def _lines(report: Any, options: ConsoleOptions) -> Lines:
    raise TypeError(f"no text of {type(report).__name__}")


# ---- One parameter.


@_lines.register
def _(report: Sensitivity, options: ConsoleOptions) -> Lines:
    name, times = report.range.name, characters(options).times
    rows = []
    ends = _ends(report, characters(options).ellipsis)
    for (start, end), piece in zip(ends, report.pieces, strict=True):
        value = piece.value and formula_text(piece.value, name, times)
        rows.append([f"{start} to {end}", _names(piece.best), value or ""])
    columns = [Column(name), Column("best"), Column("value")]
    yield from table(columns, rows, options)
    yield ""
    for sentence in _sentences(report, characters(options).ellipsis):
        yield Text(safe(sentence, options))
    if report.method == "sampled":
        found = f"Found by sampling, since {report.reason}: narrower parts may be missed."
        yield Text(safe(found, options), style="dim")
    elif report.thresholds:
        yield Text(VERIFIED, style="dim")


def _ends(report: Sensitivity, ellipsis: str) -> list[tuple[str, str]]:
    """Return the ends of each piece as text; those between two pieces are thresholds."""
    texts = {one.middle: place_texts(one, ellipsis)[0] for one in report.thresholds}
    return [
        (texts.get(p.start, number_text(p.start)), texts.get(p.end, number_text(p.end)))
        for p in report.pieces
    ]


def _sentences(report: Sensitivity, ellipsis: str) -> Iterator[str]:
    one = report.range
    here = f"{one.name} is {with_unit(number_text(one.current), one.unit)}"
    if not report.actions and report.method == "exact":
        yield f"{here}: the tree is worth {number_text(report.value)}. No player moves at the root."
        return
    yield f"{here}: the best action is {_names(report.best)}, worth {number_text(report.value)}."
    fall, rise = report.slack
    if one.low <= one.current <= one.high:
        moves = []
        if fall is not None:
            moves.append(f"fall by {display_text(float(fall), 4)}")
        if rise is not None:
            moves.append(f"rise by {display_text(float(rise), 4)}")
        if moves:
            yield f"It can {' or '.join(moves)} before another action is best."
        else:
            yield f"No value from {number_text(one.low)} to {number_text(one.high)} changes that."
    for threshold in report.thresholds[:MOST_ROWS]:
        place = place_texts(threshold, ellipsis)[1]
        value = display_text(float(threshold.value), 10)
        yield f"At {place} {_names(threshold.at)} tie at {value}."


def _names(actions: Sequence[str]) -> str:
    """Return the names of actions: `a, b and c`."""
    names = [escape(action) for action in actions[:3]]
    if len(actions) > 3:
        names.append(f"{len(actions) - 3:,} more")
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:]))) or "-"


# ---- Two parameters.


@_lines.register
def _(report: TwoWay, options: ConsoleOptions) -> Lines:
    labels = dict.fromkeys(p.best for row in report.rows for p in row.pieces)
    letters = dict(zip(labels, _letters_of([*labels]), strict=True))
    legend = ", ".join(f"{letter} {_names(best)}" for best, letter in letters.items())
    yield Text(safe(f"best action: {legend}", options))
    head = f"{report.down.name} "
    marks = [number_text(row.at) for row in report.rows]
    margin = max(len(head) + max(map(len, marks)), len(report.across.name)) + 2
    width = max(10, min(60, options.max_width - margin))
    span = report.across.high - report.across.low
    places = [report.across.low + span * i / (width - 1) for i in range(width)]
    for position, row in enumerate(reversed(report.rows)):
        start = f"{head if not position else '':<{len(head)}}{marks[len(marks) - 1 - position]}"
        found = (report.best_at(row, place) for place in places)
        cells = "".join(" " if best is None else letters[best] for best in found)
        yield Text(safe(f"{start:<{margin}}{cells}".rstrip(), options))
    low, high = number_text(report.across.low), number_text(report.across.high)
    yield Text(safe(f"{report.across.name:<{margin}}{low}{high:>{width - len(low)}}", options))


def _letters_of(labels: Sequence[tuple[str, ...]]) -> list[str]:
    """Return a different letter for each set of best actions, the first of its name if possible."""
    found: list[str] = []
    for label in labels:
        if len(label) != 1:
            wanted = "="
        else:
            wanted = next((c for c in label[0].lower() if c.isalnum() and c not in found), "")
        spare = next((c for c in _LETTERS + _LETTERS.upper() if c not in found), "?")
        found.append(wanted if wanted and wanted not in found else spare)
    return found


# ---- Tornado and spider.


@_lines.register
def _(report: Tornado, options: ConsoleOptions) -> Lines:
    base = display_text(float(report.value))
    kind = "the strategy of today is kept" if report.is_fixed else "decisions follow the parameter"
    yield Text(safe(f"{base} now, with {_names(report.best)}; {kind}.", options), style="dim")
    yield ""
    low = min((bar.least for bar in report.bars), default=report.value)
    high = max((bar.greatest for bar in report.bars), default=report.value)
    width = max(10, min(40, options.max_width - 50))
    rows = []
    for bar in report.bars:
        ends = f"{number_text(bar.range.low)} to {number_text(bar.range.high)}"
        drawn = _bar_text(bar, low, high, width, characters(options))
        least, greatest = (display_text(float(end)) for end in (bar.least, bar.greatest))
        changes = ", ".join(number_text(one.middle) for one in bar.thresholds[:3])
        rows.append([bar.range.name, ends, least, drawn, greatest, changes])
    columns = [
        Column("parameter"),
        Column("range", spare=2),
        Column("least", number=True),
        Column(""),
        Column("greatest", number=True),
        Column("decision changes at", spare=1),
    ]
    shown = columns if not report.is_fixed else columns[:-1]
    yield from table(shown, [row[: len(shown)] for row in rows], options)
    sampled = [bar.range.name for bar in report.bars if bar.method == "sampled"]
    if sampled:
        yield Text(safe(f"Found by sampling: {', '.join(sampled)}.", options), style="dim")


def _bar_text(bar: Bar, low: Fraction, high: Fraction, width: int, marks: Any) -> str:
    """Return a bar from the least to the greatest value, on a scale for all bars."""
    span = high - low or Fraction(1)
    start, end = (round((value - low) / span * (width - 1)) for value in (bar.least, bar.greatest))
    return f"{' ' * start}{marks.bar * (end - start + 1)}{' ' * (width - 1 - end)}"


@_lines.register
def _(report: Spider, options: ConsoleOptions) -> Lines:
    columns = [Column("change", number=True)]
    columns += [Column(one.name, number=True) for one in report.ranges]
    rows = []
    for i, change in enumerate(report.changes):
        values = (report.values[one.name][i] for one in report.ranges)
        cells = ["" if value is None else cell_text(float(value)) for value in values]
        rows.append([f"{float(change):+.0%}", *cells])
    yield from table(columns, rows, options)
    if any(None in values for values in report.values.values()):
        yield Text("A value is left out where a probability would leave [0, 1].", style="dim")


# ---- Break-even points and strategies.


@_lines.register
def _(report: BreakEven, options: ConsoleOptions) -> Lines:
    one, ellipsis = report.range, characters(options).ellipsis
    what = f"{report.left} = {report.right}"
    if not report.meetings:
        low, high = number_text(one.low), number_text(one.high)
        yield Text(safe(f"{what} for no {one.name} from {low} to {high}.", options))
    for meeting in report.meetings:
        if meeting.is_part:
            place = f"from {number_text(meeting.lower)} to {number_text(meeting.upper)}"
            yield Text(safe(f"{what} for every {one.name} {place}.", options))
            continue
        threshold = Threshold(
            meeting.lower, meeting.upper, meeting.value, (), (), (), meeting.value, meeting.value
        )
        place = place_texts(threshold, ellipsis)[1]
        value = display_text(float(meeting.value), 10)
        yield Text(safe(f"{what} at {one.name} = {place}, where both are worth {value}.", options))
    yield Text(safe(f"{one.name} is {number_text(one.current)} now.", options), style="dim")


@_lines.register
def _(report: Strategies, options: ConsoleOptions) -> Lines:
    rows = []
    for one in report.strategies[:MOST_ROWS]:
        root = one.choices.get("/", "")
        rest = ", ".join(f"{path}: {label}" for path, label in one.choices.items() if path != "/")
        rows.append([display_text(one.value), root, rest])
    columns = [Column("value", number=True), Column("action"), Column("then")]
    yield from table(columns, rows, options)
    count = len(report.strategies)
    if count > MOST_ROWS:
        yield Text(f"The first {MOST_ROWS} of {plural(count, 'strategy')}.", style="dim")


# ---- The attitude to risk.


@_lines.register
def _(report: Tolerances, options: ConsoleOptions) -> Lines:
    rows = []
    for at, piece in enumerate(report.pieces):
        low, high = display_text(piece.low), display_text(piece.high)
        place = f"{low} to {high}"
        if at == 0 or at == len(report.pieces) - 1:
            place = f"more than {low}" if at == 0 else f"less than {high}"
        ends = display_text(piece.value_low), display_text(piece.value_high)
        value = ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
        rows.append(["any" if len(report.pieces) == 1 else place, piece.best, value])
    columns = [Column("risk tolerance"), Column("best"), Column("certainty equivalent")]
    yield from table(columns, rows, options)
    yield ""
    least = display_text(report.pieces[-1].low)
    found = f"Found by evaluating the tree at risk tolerances down to {least}: narrower ranges may"
    yield Text(f"{found} be missed.", style="dim")
