"""The reports as JSON, one object a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import singledispatch
from typing import Any

from expectitree.algebra.thresholds import Threshold
from expectitree.analysis.sensitivity.break_even import BreakEven, Meeting
from expectitree.analysis.sensitivity.everywhere import Everywhere
from expectitree.analysis.sensitivity.extremes import Bar, Spider, Tornado
from expectitree.analysis.sensitivity.phrases import formula_text
from expectitree.analysis.sensitivity.pieces import Piece
from expectitree.analysis.sensitivity.ranges import Range
from expectitree.analysis.sensitivity.report import Sensitivity
from expectitree.analysis.sensitivity.strategies import Strategies
from expectitree.analysis.sensitivity.tolerance import Tolerances
from expectitree.analysis.sensitivity.two_way import TwoWay
from expectitree.numbers import Number, to_shown
from expectitree.text.json_values import dumps, json_number
from expectitree.text.thresholds import ends_of, fraction_text


def render(reports: Sequence[Any]) -> Iterator[str]:
    """Yield one object for each report."""
    for report in reports:
        title = report.tree.title
        yield dumps({"file": report.file, "title": title, **_fields(report, report.tree.exact)})


@singledispatch
def _fields(report: Any, exact: bool) -> dict[str, Any]:
    raise TypeError(f"no JSON of {type(report).__name__}")


@_fields.register
def _(report: Sensitivity, exact: bool) -> dict[str, Any]:
    fall, rise = report.slack
    return {
        **_range(report.range, exact),
        **_branch(report, exact),
        "best": report.best,
        "value": _number(report.value, exact),
        "can_fall_by": None if fall is None else _number(fall, exact),
        "can_rise_by": None if rise is None else _number(rise, exact),
        "pieces": [_piece(piece, report.range.name, exact) for piece in report.pieces],
        "thresholds": [_threshold(one, exact) for one in report.thresholds],
        "method": report.method,
        "reason": report.reason or None,
    }


def _branch(report: Sensitivity, exact: bool) -> dict[str, Any]:
    if report.branch is None:
        return {}
    return {"branch": report.branch, "branch_pays": _number(report.branch_pays, exact)}


@_fields.register
def _(report: TwoWay, exact: bool) -> dict[str, Any]:
    return {
        "across": _range(report.across, exact),
        "down": _range(report.down, exact),
        "rows": [
            {
                "at": _number(row.at, exact),
                "pieces": [_piece(piece, report.across.name, exact) for piece in row.pieces],
            }
            for row in report.rows
        ],
        "method": "exact",
    }


@_fields.register
def _(report: Tornado, exact: bool) -> dict[str, Any]:
    return {
        "value": _number(report.value, exact),
        "best": report.best,
        "strategy": "fixed" if report.is_fixed else "re-optimized",
        "bars": [_bar(bar, exact) for bar in report.bars],
    }


def _bar(bar: Bar, exact: bool) -> dict[str, Any]:
    return {
        **_range(bar.range, exact),
        "least": _number(bar.least, exact),
        "least_at": _number(bar.least_at, exact),
        "greatest": _number(bar.greatest, exact),
        "greatest_at": _number(bar.greatest_at, exact),
        "thresholds": [_threshold(one, exact) for one in bar.thresholds],
        "method": bar.method,
    }


@_fields.register
def _(report: Spider, exact: bool) -> dict[str, Any]:
    return {
        "strategy": "fixed" if report.is_fixed else "re-optimized",
        "changes": [_number(change, exact) for change in report.changes],
        "parameters": [
            {
                **_range(one, exact),
                "values": [
                    None if value is None else _number(value, exact)
                    for value in report.values[one.name]
                ],
            }
            for one in report.ranges
        ],
    }


@_fields.register
def _(report: BreakEven, exact: bool) -> dict[str, Any]:
    return {
        **_range(report.range, exact),
        "left": report.left,
        "right": report.right,
        "places": [
            {
                **_place(one, exact),
                "value": _number(one.value, exact),
                "is_part": one.is_part,
            }
            for one in report.meetings
        ],
        "method": "exact",
    }


@_fields.register
def _(report: Everywhere, exact: bool) -> dict[str, Any]:
    name = report.range.name
    return {
        **_range(report.range, exact),
        "decisions": [
            {"node": one.path, "pieces": [_piece(piece, name, exact) for piece in one.pieces]}
            for one in report.decisions
        ],
        "method": "exact",
    }


@_fields.register
def _(report: Strategies, exact: bool) -> dict[str, Any]:
    return {
        "player": report.player,
        "strategies": [
            {"choices": dict(one.choices), "value": _number(one.value, exact)}
            for one in report.strategies
        ],
    }


def _range(range: Range, exact: bool) -> dict[str, Any]:
    return {
        "parameter": range.name,
        "range": [_number(range.low, exact), _number(range.high, exact)],
        "current": _number(range.current, exact),
        "unit": range.unit,
        "description": range.description,
    }


def _piece(piece: Piece, name: str, exact: bool) -> dict[str, Any]:
    return {
        "from": _number(piece.start, exact),
        "to": _number(piece.end, exact),
        "best": piece.best,
        "value": None if piece.value is None else formula_text(piece.value, name),
    }


def _place(one: Threshold | Meeting, exact: bool) -> dict[str, Any]:
    lower, upper = ends_of(one.lower, one.upper, exact)
    return {
        "at": _number((one.lower + one.upper) / 2, exact),
        "at_lower": lower,
        "at_upper": upper,
        "exact": fraction_text(one.exact),
    }


def _threshold(one: Threshold, exact: bool) -> dict[str, Any]:
    return {
        **_place(one, exact),
        "value": _number(one.value, exact),
        "before": one.before,
        "at_ties": one.at,
        "after": one.after,
    }


def _number(value: Number, exact: bool) -> int | float | str:
    return json_number(value if exact else to_shown(value))


@_fields.register
def _(report: Tolerances, exact: bool) -> dict[str, Any]:
    del exact  # certainty equivalents are floats
    pairs = zip(report.pieces, report.pieces[1:], strict=False)
    return {
        "parameter": "risk tolerance",
        "pieces": [
            {
                "from": json_number(piece.low),
                "to": json_number(piece.high),
                "best": piece.best,
                "value_from": json_number(piece.value_low),
                "value_to": json_number(piece.value_high),
            }
            for piece in report.pieces
        ],
        "thresholds": [
            {
                "at": json_number(above.low),
                "value": json_number(above.value_low),
                "above": above.best,
                "below": below.best,
            }
            for above, below in pairs
        ],
        "method": "sampled",
    }
