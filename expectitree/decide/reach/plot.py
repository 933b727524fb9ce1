"""A plot of a trace, by matplotlib (extra `plot`)."""

from __future__ import annotations

from typing import Any

from expectitree.analysis.plotting import finish, line_style, new_figure, plain
from expectitree.decide.reach.report import Reach


def figure_of(report: Reach) -> Any:
    """Return a figure with a line for each node after the best action that enters one."""
    figure, axes = new_figure()
    best = max(report.actions, key=lambda one: (bool(one.stages), one.is_best))
    numbers = [float(stage.number) for stage in best.stages]
    for position, name in enumerate(report.names):
        shares = [float(stage.entered[name]) for stage in best.stages]
        axes.plot(numbers, shares, label=plain(name), **line_style(position))
    ended = [float(stage.ended) for stage in best.stages]
    axes.plot(numbers, ended, label="ended", **line_style(len(report.names)))
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlabel(plain(report.counter))
    of = "" if best.action is None else f" with {plain(best.action)}"
    axes.set_ylabel(f"probability{of}")
    finish(axes, report.tree.title)
    return figure
