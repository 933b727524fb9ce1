"""The reports as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import singledispatch
from typing import Any

from expectitree.decide.sensitivity.break_even import BreakEven
from expectitree.decide.sensitivity.everywhere import Everywhere
from expectitree.decide.sensitivity.extremes import Tornado
from expectitree.decide.sensitivity.report import Sensitivity
from expectitree.decide.sensitivity.strategies import Strategies
from expectitree.decide.sensitivity.two_way import TwoWay
from expectitree.text.csv import csv_lines

POINTS = 101  # of a range
Rows = Iterator[Iterable[object]]


def render(reports: Sequence[Any], points: int = POINTS) -> Iterator[str]:
    """Yield a heading and the rows of all reports; `points` is the number of values of a range."""
    for position, report in enumerate(reports):
        heading, *rows = _rows(report, points)
        if not position:
            yield from csv_lines([("file", *heading)])
        yield from csv_lines((report.file, *cells) for cells in rows)


def _places(low: Fraction, high: Fraction, points: int) -> list[Fraction]:
    return [low + (high - low) * i / max(1, points - 1) for i in range(points)]


@singledispatch
def _rows(report: Any, points: int) -> Rows:
    raise TypeError(f"no CSV of {type(report).__name__}")


@_rows.register
def _(report: Sensitivity, points: int) -> Rows:
    yield "parameter", "value", "action", "worth"
    for at in _places(report.range.low, report.range.high, points):
        if report.actions:
            for action, function in report.actions.items():
                yield report.range.name, at, action, function(at)
        else:
            best = report.best_at(at)
            yield report.range.name, at, best[0] if best else None, report.value_at(at)


@_rows.register
def _(report: TwoWay, points: int) -> Rows:
    yield report.down.name, report.across.name, "best"
    for row in report.rows:
        for at in _places(report.across.low, report.across.high, points):
            best = report.best_at(row, at)
            yield row.at, at, None if best is None else " = ".join(best)


@_rows.register
def _(report: Tornado, points: int) -> Rows:
    yield "parameter", "low", "high", "least", "least_at", "greatest", "greatest_at"
    for bar in report.bars:
        ends = bar.range.low, bar.range.high
        yield bar.range.name, *ends, bar.least, bar.least_at, bar.greatest, bar.greatest_at


@_rows.register
def _(report: BreakEven, points: int) -> Rows:
    yield "parameter", "at", "value"
    for one in report.meetings:
        yield report.range.name, (one.lower + one.upper) / 2, one.value


@_rows.register
def _(report: Everywhere, points: int) -> Rows:
    yield "node", "parameter", "from", "to", "best"
    for one in report.decisions:
        for piece in one.pieces:
            best = " = ".join(piece.best)
            yield one.path, report.range.name, piece.start, piece.end, best


@_rows.register
def _(report: Strategies, points: int) -> Rows:
    paths = [*dict.fromkeys(path for one in report.strategies for path in one.choices)]
    yield *paths, "value"
    for one in report.strategies:
        yield *(one.choices.get(path) for path in paths), one.value
