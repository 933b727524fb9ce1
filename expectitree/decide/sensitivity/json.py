"""The reports as JSON, one object a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import singledispatch
from typing import Any

from expectitree.decide.algebra.thresholds import Threshold
from expectitree.decide.sensitivity.break_even import BreakEven
from expectitree.decide.sensitivity.everywhere import Everywhere
from expectitree.decide.sensitivity.extremes import Bar, Tornado
from expectitree.decide.sensitivity.phrases import formula_text
from expectitree.decide.sensitivity.pieces import Piece
from expectitree.decide.sensitivity.ranges import Range
from expectitree.decide.sensitivity.report import Sensitivity
from expectitree.decide.sensitivity.strategies import Strategies
from expectitree.decide.sensitivity.two_way import TwoWay
from expectitree.decide.thresholds import place_fields
from expectitree.text.json_values import about_fields, dumps, json_number


def render(reports: Sequence[Any]) -> Iterator[str]:
    """Yield one object for each report."""
    for report in reports:
        about = about_fields(report.file, report.tree)
        yield dumps({**about, **_fields(report)})


@singledispatch
def _fields(report: Any) -> dict[str, Any]:
    raise TypeError(f"no JSON of {type(report).__name__}")


@_fields.register
def _(report: Sensitivity) -> dict[str, Any]:
    fall, rise = report.slack
    return {
        **_range(report.range),
        **_branch(report),
        "best": report.best,
        "value": json_number(report.value),
        "can_fall_by": None if fall is None else json_number(fall),
        "can_rise_by": None if rise is None else json_number(rise),
        "pieces": [_piece(piece, report.range.name) for piece in report.pieces],
        "thresholds": [_threshold(one) for one in report.thresholds],
        "method": report.method,
        "reason": report.reason or None,
    }


def _branch(report: Sensitivity) -> dict[str, Any]:
    if report.branch is None:
        return {}
    return {"branch": report.branch, "branch_pays": json_number(report.branch_pays)}


@_fields.register
def _(report: TwoWay) -> dict[str, Any]:
    return {
        "across": _range(report.across),
        "down": _range(report.down),
        "rows": [
            {
                "at": json_number(row.at),
                "pieces": [_piece(piece, report.across.name) for piece in row.pieces],
            }
            for row in report.rows
        ],
        "method": "exact",
    }


@_fields.register
def _(report: Tornado) -> dict[str, Any]:
    return {
        "value": json_number(report.value),
        "best": report.best,
        "strategy": "fixed" if report.is_fixed else "re-optimized",
        "bars": [_bar(bar) for bar in report.bars],
    }


def _bar(bar: Bar) -> dict[str, Any]:
    return {
        **_range(bar.range),
        "least": json_number(bar.least),
        "least_at": json_number(bar.least_at),
        "greatest": json_number(bar.greatest),
        "greatest_at": json_number(bar.greatest_at),
        "thresholds": [_threshold(one) for one in bar.thresholds],
        "method": bar.method,
    }


@_fields.register
def _(report: BreakEven) -> dict[str, Any]:
    return {
        **_range(report.range),
        "left": report.left,
        "right": report.right,
        "places": [
            {
                **place_fields(one, "at"),
                "value": json_number(one.value),
                "is_part": one.is_part,
            }
            for one in report.meetings
        ],
        "method": "exact",
    }


@_fields.register
def _(report: Everywhere) -> dict[str, Any]:
    name = report.range.name
    return {
        **_range(report.range),
        "decisions": [
            {"node": one.path, "pieces": [_piece(piece, name) for piece in one.pieces]}
            for one in report.decisions
        ],
        "method": "exact",
    }


@_fields.register
def _(report: Strategies) -> dict[str, Any]:
    return {
        "player": report.player,
        "strategies": [
            {"choices": dict(one.choices), "value": json_number(one.value)}
            for one in report.strategies
        ],
    }


def _range(range: Range) -> dict[str, Any]:
    return {
        "parameter": range.name,
        "range": [json_number(range.low), json_number(range.high)],
        "current": json_number(range.current),
        "unit": range.unit,
        "description": range.description,
    }


def _piece(piece: Piece, name: str) -> dict[str, Any]:
    return {
        "from": json_number(piece.start),
        "to": json_number(piece.end),
        "best": piece.best,
        "value": None if piece.value is None else formula_text(piece.value, name),
    }


def _threshold(one: Threshold) -> dict[str, Any]:
    return {
        **place_fields(one, "at"),
        "value": json_number(one.value),
        "before": one.before,
        "at_ties": one.at,
        "after": one.after,
    }
