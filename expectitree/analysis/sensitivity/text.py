"""The reports for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import singledispatch
from string import ascii_letters
from typing import Any

from rich.console import ConsoleOptions, RenderableType
from rich.text import Text

from expectitree.analysis.sensitivity.break_even import BreakEven
from expectitree.analysis.sensitivity.extremes import Bar, Spider, Tornado
from expectitree.analysis.sensitivity.phrases import (
    formula_text,
    move_text,
    number_text,
    with_unit,
)
from expectitree.analysis.sensitivity.report import Sensitivity
from expectitree.analysis.sensitivity.strategies import Strategies
from expectitree.analysis.sensitivity.two_way import TwoWay
from expectitree.numbers import cell_text, display_text
from expectitree.text.console import Characters, characters, safe
from expectitree.text.headings import file_heading
from expectitree.text.phrases import plural
from expectitree.text.tables import GAP, Column, table
from expectitree.text.thresholds import names_text, place_texts, threshold_texts

VERIFIED = "Each threshold is verified on both sides, by evaluating the tree in exact arithmetic."
MOST_ROWS = 50  # of strategies or thresholds that are listed
_MOST_CHANGES = 3  # of a bar of a tornado
_LEAST_BAR, _MOST_BAR = 10, 40  # columns

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
        rows.append([f"{start} to {end}", names_text(piece.best), value or ""])
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
    texts = {one.middle: threshold_texts(one, ellipsis)[0] for one in report.thresholds}
    return [
        (texts.get(p.start, number_text(p.start)), texts.get(p.end, number_text(p.end)))
        for p in report.pieces
    ]


def _sentences(report: Sensitivity, ellipsis: str) -> Iterator[str]:
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
    for threshold in report.thresholds[:MOST_ROWS]:
        place = threshold_texts(threshold, ellipsis)[1]
        ties, worth = names_text(threshold.at), display_text(float(threshold.value), 10)
        yield f"At {place} {ties} tie at {worth}."


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
    now = (
        "pays nothing" if not pays else f"{'costs' if pays < 0 else 'pays'} {move_text(abs(pays))}"
    )
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


# ---- Two parameters.


@_lines.register
def _(report: TwoWay, options: ConsoleOptions) -> Lines:
    labels = dict.fromkeys(p.best for row in report.rows for p in row.pieces)
    letters = dict(zip(labels, _letters_of([*labels]), strict=True))
    legend = ", ".join(f"{letter} {names_text(best)}" for best, letter in letters.items())
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
        cells = _with_borders([" " if best is None else letters[best] for best in found])
        yield Text(safe(f"{start:<{margin}}{cells}".rstrip(), options))
    low, high = number_text(report.across.low), number_text(report.across.high)
    yield Text(safe(f"{report.across.name:<{margin}}{low}{high:>{width - len(low)}}", options))


def _with_borders(cells: Sequence[str]) -> str:
    """Return the cells of a row, with | at the start of a region that is wider than one cell."""
    text = "".join(cells)
    for i in range(len(cells) - 2, 0, -1):
        before, here, after = cells[i - 1 : i + 2]
        if before != here == after and before != " " != here:
            text = f"{text[:i]}|{text[i + 1 :]}"
    return text


def _letters_of(labels: Sequence[tuple[str, ...]]) -> list[str]:
    """Return a different letter for each set of best actions: where its name differs from others.

    Actions that tie have the sign =.
    """
    names = [label[0].lower() if len(label) == 1 else "=" for label in labels]
    found: list[str] = []
    for name in names:
        alike = [other for other in names if other != name and other[:1] == name[:1]]
        start = min((_common_length(name, other) for other in alike), default=0)
        usable = [c for c in name[start:] + name if c.isalnum() or c == "="]
        spare = [*usable, *ascii_letters, "?"]
        found.append(next(c for c in spare if c not in found or c == "?"))
    return found


def _common_length(a: str, b: str) -> int:
    """Return how many characters two texts have in common at their start."""
    pairs = enumerate(zip(a, b, strict=False))
    return next((i for i, (x, y) in pairs if x != y), min(len(a), len(b)))


# ---- Tornado and spider.


@_lines.register
def _(report: Tornado, options: ConsoleOptions) -> Lines:
    base = display_text(float(report.value))
    kind = "the strategy of today is kept" if report.is_fixed else "decisions follow the parameter"
    yield Text(safe(f"{base} now, with {names_text(report.best)}; {kind}.", options), style="dim")
    yield ""
    marks = characters(options)
    cells = [_bar_cells(bar, report.is_fixed) for bar in report.bars]
    columns = [Column(""), Column("range"), Column("least", number=True), Column("")]
    columns += [Column("greatest", number=True)]
    columns += [] if report.is_fixed else [Column("changes at", spare=1)]
    headings = [column.heading for column in columns]
    taken = sum(max(map(len, column)) + GAP for column in zip(headings, *cells, strict=True))
    width = max(_LEAST_BAR, min(_MOST_BAR, options.max_width - taken))
    for bar, row in zip(report.bars, cells, strict=True):
        row[3] = _bar_text(bar, report, width, marks)
    yield from table(columns, cells, options)
    sampled = [bar.range.name for bar in report.bars if bar.method == "sampled"]
    if sampled:
        yield Text(safe(f"Found by sampling: {', '.join(sampled)}.", options), style="dim")


def _bar_cells(bar: Bar, is_fixed: bool) -> list[str]:
    """Return the cells of a row; the picture of the bar comes later."""
    ends = f"{number_text(bar.range.low)}..{number_text(bar.range.high)}"
    least, greatest = (display_text(float(end)) for end in (bar.least, bar.greatest))
    places = []
    for one in bar.thresholds[:_MOST_CHANGES]:
        is_change = one.before and one.after and one.before != one.after
        places.append(number_text(one.middle) + ("" if is_change else " (tie)"))
    if len(bar.thresholds) > _MOST_CHANGES:
        places.append(f"{len(bar.thresholds) - _MOST_CHANGES:,} more")
    return [bar.range.name, ends, least, "", greatest, ", ".join(places)][: 5 if is_fixed else 6]


def _bar_text(bar: Bar, report: Tornado, width: int, marks: Characters) -> str:
    """Return a bar from the least to the greatest value, on a scale for all bars.

    The sign | is the value now.
    """
    low = min(report.value, *(one.least for one in report.bars))
    span = max(report.value, *(one.greatest for one in report.bars)) - low or Fraction(1)
    start, base, end = (
        round((value - low) / span * (width - 1))
        for value in (bar.least, report.value, bar.greatest)
    )
    drawn = [marks.bar if start <= i <= end else " " for i in range(width)]
    drawn[base] = "|"
    return "".join(drawn)


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
        place = place_texts(meeting.exact, meeting.lower, ellipsis)[1]
        value = display_text(float(meeting.value), 10)
        both = f", where both are worth {value}" if report.is_of_two else ""
        yield Text(safe(f"{what} at {one.name} = {place}{both}.", options))
    yield Text(
        safe(f"{one.name} is {with_unit(number_text(one.current), one.unit)} now.", options),
        style="dim",
    )


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
