"""The plane of two criteria with its frontier, by matplotlib (extra `plot`)."""

from __future__ import annotations

from typing import Any

from expectitree.analysis.plotting import COLORS, axis_label, finish, new_figure, plain
from expectitree.base.tree.formulas import Criterion
from expectitree.decide.frontier.envelope import DOMINATED, EXTENDEDLY, ONCE, SAME, WORSE
from expectitree.decide.frontier.report import Frontier, Strategy
from expectitree.decide.records import Fields

_LOOKS = {
    DOMINATED: {"color": COLORS[1], "marker": "X"},
    EXTENDEDLY: {"color": COLORS[3], "marker": "^"},
    SAME: {"color": COLORS[2], "marker": "s"},
    ONCE: {"color": COLORS[4], "marker": "D"},
    WORSE: {"color": COLORS[5], "marker": "v"},
}


def figure_of(report: Frontier) -> Any:
    """Return a figure of the plane, in which a line joins the strategies that are best."""
    figure, axes = new_figure()

    def points(some: list[Strategy]) -> list[list[float]]:
        return [[float(report.amounts_of(one)[k]) for one in some] for k in report.parts]

    look: Fields = {"color": COLORS[0], "marker": "o", "linewidth": 1.4}
    axes.plot(*points([*report.best]), label="best for some weight", **look)
    for status, look in _LOOKS.items():
        if some := [one for one in report.never if one.status == status]:
            axes.plot(*points(some), linestyle="none", label=status, **look)
    for i, one in enumerate((*report.best, *report.never), 1):
        name, offset, side = one.action or "", (-5, 5), "right"
        if i <= len(report.best):
            name, offset, side = f"{i} {name}".strip(), (6, -10), "left"
        aside: Fields = {"xytext": offset, "textcoords": "offset points", "ha": side}
        axes.annotate(plain(name), [x for (x,) in points([one])], fontsize=8, **aside)
    for name, axis in zip(report.parts, (axes.xaxis, axes.yaxis), strict=True):
        criterion = report.tree.criteria.by_name.get(name, Criterion(name))
        axis.set_label_text(axis_label(criterion))
    axes.margins(x=0.25, y=0.12)  # room for the names
    finish(axes, report.tree.title)
    return figure
