"""The report as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import inf, nextafter
from typing import Any

from expectitree.algebra.thresholds import TOLERANCE, Threshold
from expectitree.analysis.opponents.report import Opponents
from expectitree.analysis.opponents.text import TOO_LARGE
from expectitree.numbers import Number
from expectitree.text.json_values import about_fields, dumps, json_number
from expectitree.text.thresholds import fraction_text


def render(reports: Sequence[Opponents]) -> Iterator[str]:
    """Yield one object for each file and each Nature, one a line."""
    for report in reports:
        exact = report.tree.exact
        rows = [
            {
                "opponent": row.opponent,
                "epsilon": json_number(row.epsilon),
                "value": json_number(row.value),
                "best": row.best,
                "ties": row.ties,
            }
            for row in report.rows
        ]
        yield dumps(
            {
                **about_fields(report.file, report.tree),
                "chance": report.chance,
                "rows": rows,
                "crossings": [_crossing_object(crossing, exact) for crossing in report.crossings],
                "tolerance": _plain(TOLERANCE, exact),
                "crossings_complete": report.complete,
                "reason": None if report.complete else TOO_LARGE,
            }
        )


def _crossing_object(crossing: Threshold, exact: bool) -> dict[str, Any]:
    lower, upper = (_plain(end, exact) for end in (crossing.lower, crossing.upper))
    if not exact and crossing.exact is None:  # round outwards
        if Fraction(lower) > crossing.lower:
            lower = nextafter(float(lower), -inf)
        if Fraction(upper) < crossing.upper:
            upper = nextafter(float(upper), inf)
    return {
        "epsilon": _plain(crossing.middle, exact),
        "epsilon_lower": lower,
        "epsilon_upper": upper,
        "exact": fraction_text(crossing.exact),
        "value": _plain(crossing.value, exact),
        "value_lower": _plain(crossing.value_lower, exact),
        "value_upper": _plain(crossing.value_upper, exact),
        "before": crossing.before,
        "at": crossing.at,
        "after": crossing.after,
    }


def _plain(value: Number, exact: bool) -> int | float | str:
    return json_number(value if exact else float(value))
