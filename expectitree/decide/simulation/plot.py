"""Plots of simulations, by matplotlib (extra `plot`)."""

from __future__ import annotations

from typing import Any

from expectitree.analysis.plotting import axis_label, finish, line_style, new_figure, plain
from expectitree.decide.simulation.report import Acceptability, Simulation

_STEPS = 500  # of a distribution


def figure_of(report: Simulation | Acceptability) -> Any:
    """Return a figure with a line for each action."""
    figure, axes = new_figure()
    if isinstance(report, Acceptability):
        _plot_curve(report, axes)
    else:
        _plot_distributions(report, axes)
    axes.xaxis.set_major_formatter("{x:,.12g}")
    axes.set_ylim(-0.02, 1.02)
    finish(axes, report.tree.title)
    return figure


def _plot_distributions(report: Simulation, axes: Any) -> None:
    import numpy as np

    shares = np.linspace(0, 1, _STEPS + 1)
    for at, (one, values) in enumerate(zip(report.actions, report.values, strict=True)):
        name = plain(one.action or "the tree") + " (best)" * (one.action in report.best)
        axes.plot(np.quantile(values, shares), shares, label=name, **line_style(at))
    ends = np.quantile(report.values, (0.001, 0.999), axis=1)
    margin = np.ptp(ends) * 0.02 or 1
    axes.set_xlim(ends.min() - margin, ends.max() + margin)
    axes.set_xlabel("value")
    axes.set_ylabel("probability of this value or less")


def _plot_curve(report: Acceptability, axes: Any) -> None:
    xs = [float(point.at) for point in report.points]
    best = [point.shares[report.actions.index(point.best)] for point in report.points]
    axes.plot(xs, best, color="0.8", linewidth=7, label="best on average", zorder=1)
    for at, action in enumerate(report.actions):
        shares = [point.shares[at] for point in report.points]
        axes.plot(xs, shares, label=plain(action), **line_style(at))
    axes.set_xlabel(axis_label(report.range))
    axes.set_ylabel("share of draws in which it is best")
