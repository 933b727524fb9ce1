"""The report as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from expectitree.decide.information.report import Finding, Information
from expectitree.text.json_values import about_fields, dumps, json_number


def render(reports: Sequence[Information]) -> Iterator[str]:
    """Yield one object for each file, one a line."""
    for report in reports:
        found = {
            **about_fields(report.file, report.tree),
            "event": report.event,
            "at": report.at,
            "value": json_number(report.value),
            "best": report.best,
            "with_information": json_number(report.with_information),
            "evpi": json_number(report.evpi),
            "best_by_outcome": _findings(report.outcomes),
            "control": {
                "outcome": report.control.outcome,
                "value": json_number(report.control.value),
                "worth": json_number(report.control.worth),
            },
        }
        if report.with_test is not None and report.evsi is not None:
            found |= {
                "with_test": json_number(report.with_test),
                "evsi": json_number(report.evsi),
                "efficiency": report.efficiency,
                "best_by_signal": _findings(report.signals),
            }
        yield dumps(found)


def _findings(findings: Sequence[Finding]) -> dict[str, Any]:
    return {
        one.name: {
            "probability": json_number(one.probability),
            "best": one.best,
            "value": json_number(one.value),
        }
        for one in findings
    }
