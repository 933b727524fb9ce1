"""The report as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from expectitree.decide.risk.report import ActionRisk, Risk
from expectitree.text.json_values import about_fields, dumps, json_number


def render(reports: Sequence[Risk]) -> Iterator[str]:
    """Yield one object for each file, one a line."""
    for report in reports:
        yield dumps(
            {
                **about_fields(report.file, report.tree),
                "target": None if report.target is None else json_number(report.target),
                "actions": [_action(one) for one in report.actions],
                "ties": [
                    {"path": tie.path, "used": tie.used, "others": tie.others}
                    for tie in report.ties
                ],
                "dominance": [
                    {"a": one.action, "b": one.other, "order": one.order}
                    for one in report.dominance
                ],
            }
        )


def _action(one: ActionRisk) -> dict[str, Any]:
    return {
        "action": one.action,
        "is_best": one.is_best,
        "mean": json_number(one.mean),
        "sd": one.sd,
        "min": json_number(one.least),
        "max": json_number(one.greatest),
        "quantiles": {share: json_number(total) for share, total in one.quantiles.items()},
        "loss": json_number(one.loss),
        "reach": None if one.reach is None else json_number(one.reach),
        "semideviation": one.semideviation,
        "cvar": json_number(one.cvar),
        "binned": one.distribution.is_binned,
        "distribution": [
            [json_number(total), json_number(p)] for total, p in one.distribution.pairs()
        ],
    }
