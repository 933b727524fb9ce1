"""The report as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from expectitree.decide.algebra.thresholds import TOLERANCE, Threshold
from expectitree.decide.opponents.report import Opponents
from expectitree.decide.opponents.text import TOO_LARGE
from expectitree.decide.thresholds import ends_of, fraction_text
from expectitree.text.json_values import about_fields, dumps, json_number


def render(reports: Sequence[Opponents]) -> Iterator[str]:
    """Yield one object for each file and each Nature, one a line."""
    for report in reports:
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
                "crossings": [_crossing_object(crossing) for crossing in report.crossings],
                "tolerance": json_number(TOLERANCE),
                "crossings_complete": report.complete,
                "reason": None if report.complete else TOO_LARGE,
            }
        )


def _crossing_object(crossing: Threshold) -> dict[str, Any]:
    lower, upper = ends_of(crossing.lower, crossing.upper)
    return {
        "epsilon": json_number(crossing.middle),
        "epsilon_lower": lower,
        "epsilon_upper": upper,
        "exact": fraction_text(crossing.exact),
        "value": json_number(crossing.value),
        "value_lower": json_number(crossing.value_lower),
        "value_upper": json_number(crossing.value_upper),
        "before": crossing.before,
        "at": crossing.at,
        "after": crossing.after,
    }
