"""The report as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import inf, nextafter
from typing import Any

from expectitree.analysis.opponents.report import Crossing, Opponents
from expectitree.numbers import Number
from expectitree.text.json_values import dumps, json_number
from expectitree.text.look import Look


def render(reports: Sequence[Opponents], look: Look) -> Iterator[str]:
    """Yield an object for each file and each Nature, one line each."""
    for report in reports:
        yield dumps(
            {
                "file": report.file,
                "title": report.tree.title,
                "chance": report.chance,
                "rows": [
                    {
                        "opponent": row.opponent,
                        "epsilon": json_number(row.epsilon),
                        "value": json_number(row.value),
                        "best": row.best,
                        "ties": list(row.ties),
                    }
                    for row in report.rows
                ],
                "crossings": [
                    _crossing_object(crossing, report.tree.exact) for crossing in report.crossings
                ],
                "tolerance": _plain(report.tolerance, report.tree.exact),
                "crossings_complete": report.reason is None,
                "reason": report.reason,
            }
        )


def _crossing_object(crossing: Crossing, exact: bool) -> dict[str, Any]:
    lower, upper = (_plain(end, exact) for end in (crossing.lower, crossing.upper))
    if not exact and crossing.exact is None:  # rounded outwards
        lower = (
            json_number(nextafter(float(crossing.lower), -inf))
            if Fraction(lower) > crossing.lower
            else lower
        )
        upper = (
            json_number(nextafter(float(crossing.upper), inf))
            if Fraction(upper) < crossing.upper
            else upper
        )
    fraction = None if crossing.exact is None else str(json_number(crossing.exact))
    return {
        "epsilon": _plain(crossing.epsilon, exact),
        "epsilon_lower": lower,
        "epsilon_upper": upper,
        "exact": None if fraction is None or fraction.startswith("about") else fraction,
        "value": _plain(crossing.value, exact),
        "value_lower": _plain(crossing.value_lower, exact),
        "value_upper": _plain(crossing.value_upper, exact),
        "before": list(crossing.before),
        "at": list(crossing.at),
        "after": list(crossing.after),
    }


def _plain(value: Number, exact: bool) -> int | float | str:
    return json_number(value if exact else float(value))
