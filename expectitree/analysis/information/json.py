"""The report as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from expectitree.analysis.information.report import Information
from expectitree.text.json_values import dumps, json_number


def render(reports: Sequence[Information]) -> Iterator[str]:
    """Yield one object for each file, one a line."""
    for report in reports:
        outcome, value = report.control
        yield dumps(
            {
                "file": report.file,
                "title": report.tree.title,
                "event": report.event,
                "value": json_number(report.value),
                "best": report.best,
                "with_information": json_number(report.with_information),
                "evpi": json_number(report.evpi),
                "evsi": json_number(report.worth) if report.is_test else None,
                "best_by_outcome": {
                    one.name: {
                        "probability": json_number(one.probability),
                        "best": one.best,
                        "value": json_number(one.value),
                    }
                    for one in report.findings
                },
                "control": {"outcome": outcome, "value": json_number(value)},
            }
        )
