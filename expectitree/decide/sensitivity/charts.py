"""Maps and tornadoes for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from string import ascii_letters

from rich.console import ConsoleOptions, RenderableType
from rich.text import Text

from expectitree.base.numbers import display_text
from expectitree.decide.sensitivity.extremes import Bar, Tornado
from expectitree.decide.sensitivity.phrases import number_text
from expectitree.decide.sensitivity.two_way import TwoWay
from expectitree.decide.thresholds import names_text
from expectitree.text.console import Characters, characters, safe
from expectitree.text.tables import GAP, Column, table

_MAX_CHANGES = 3  # of a bar of a tornado
_ROUNDING = Fraction(1, 10**12)  # of sampled values
_MIN_BAR, _MAX_BAR = 10, 40  # columns

Lines = Iterator[RenderableType]


# ---- Two parameters.


def map_lines(report: TwoWay, options: ConsoleOptions) -> Lines:
    """Yield a legend and the rows of a map, the greatest value first."""
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
        start = head if position == 0 else " " * len(head)
        start += marks[len(marks) - 1 - position]
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


# ---- Tornado.


def tornado_lines(report: Tornado, options: ConsoleOptions) -> Lines:
    """Yield the bars of a tornado, on one scale."""
    base = display_text(report.value)
    kind = "the current strategy is kept" if report.is_fixed else "decisions follow the parameter"
    best = f", with {names_text(report.best)}" if report.best else ""
    yield Text(safe(f"{base} now{best}; {kind}.", options), style="dim")
    yield ""
    marks = characters(options)
    cells = [_bar_cells(bar, report.is_fixed) for bar in report.bars]
    columns = [Column(""), Column("range"), Column("least", number=True), Column("")]
    columns += [Column("greatest", number=True)]
    columns += [] if report.is_fixed else [Column("changes at", spare=1)]
    headings = [column.heading for column in columns]
    taken = sum(max(map(len, column)) + GAP for column in zip(headings, *cells, strict=True))
    width = max(_MIN_BAR, min(_MAX_BAR, options.max_width - taken))
    for bar, row in zip(report.bars, cells, strict=True):
        row[3] = _bar_text(bar, report, width, marks)
    yield from table(columns, cells, options)
    sampled = [bar.range.name for bar in report.bars if bar.method == "sampled"]
    if sampled:
        yield Text(safe(f"Found by sampling: {', '.join(sampled)}.", options), style="dim")


def _bar_cells(bar: Bar, is_fixed: bool) -> list[str]:
    """Return the cells of a row; the picture of the bar comes later."""
    ends = f"{number_text(bar.range.low)}..{number_text(bar.range.high)}"
    least, greatest = map(display_text, (bar.least, bar.greatest))
    places = []
    for one in bar.thresholds[:_MAX_CHANGES]:
        is_change = one.before and one.after and one.before != one.after
        places.append(number_text(one.middle) + ("" if is_change else " (tie)"))
    if len(bar.thresholds) > _MAX_CHANGES:
        places.append(f"{len(bar.thresholds) - _MAX_CHANGES:,} more")
    return [bar.range.name, ends, least, "", greatest, ", ".join(places)][: 5 if is_fixed else 6]


def _bar_text(bar: Bar, report: Tornado, width: int, marks: Characters) -> str:
    """Return a bar from the least to the greatest value, on a scale for all bars.

    The sign | is the value now.
    """
    low = min(report.value, *(one.least for one in report.bars))
    high = max(report.value, *(one.greatest for one in report.bars))
    span = high - low
    if span <= _ROUNDING * max(abs(low), abs(high)):
        span = Fraction(1)  # nothing moves the value
    start, base, end = (
        round((value - low) / span * (width - 1))
        for value in (bar.least, report.value, bar.greatest)
    )
    drawn = [marks.bar if start <= i <= end else " " for i in range(width)]
    drawn[base] = "|"
    return "".join(drawn)
