"""Plots of simulations, by matplotlib (extra `plot`)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

from expectitree.analysis.plotting import (
    COLORS,
    axis_label,
    finish,
    line_style,
    new_figure,
    plain,
    value_label,
)
from expectitree.base.tree.formulas import Criterion
from expectitree.decide.simulation.report import Acceptability, Plane, Simulation

_STEPS = 500  # of a distribution
_DOTS = 1_000  # draws in a plane


def figure_of(report: Simulation | Acceptability) -> Any:
    """Return a figure with a line for each action."""
    if isinstance(report, Acceptability):
        figure, *panels = new_figure(2)
        _plot_acceptability(report, *panels)
    else:
        figure, *panels = new_figure(1 + (report.plane is not None))
        _plot_distributions(report, panels[0])
        if report.plane is not None:
            _plot_plane(report.plane, report.tree.criteria.by_name, panels[1])
    panels[0].set_ylim(-0.02, 1.02)
    for axes, title in zip_longest(panels, [report.tree.title]):
        finish(axes, title)
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
    axes.set_xlabel(value_label(report.tree))
    axes.set_ylabel("probability of this value or less")


def _plot_plane(plane: Plane, criteria: Mapping[str, Criterion], axes: Any) -> None:
    for position, (action, (effects, costs)) in enumerate(plane.increments.items(), 1):
        axes.scatter(
            effects[:_DOTS],
            costs[:_DOTS],
            label=f"{plain(action)}, first {len(effects[:_DOTS]):,} draws",
            color=COLORS[position % len(COLORS)],
            s=5,
            alpha=0.4,
            linewidth=0,
            rasterized=True,
        )
    axes.axhline(0, color="0.7", linewidth=0.8)
    axes.axvline(0, color="0.7", linewidth=0.8)
    label = f"{plain(plane.weight)} = {plane.wtp:,.12g}"
    axes.axline((0, 0), slope=plane.wtp, label=label, **line_style(-1))
    first = f"more than {plain(plane.first)}"
    axes.set_xlabel(f"{axis_label(criteria[plane.effect])}, {first}")
    axes.set_ylabel(f"{axis_label(criteria[plane.cost])}, {first}")


def _plot_acceptability(report: Acceptability, curve: Any, worth: Any) -> None:
    xs = [float(point.at) for point in report.points]
    best = [point.shares[report.actions.index(point.best)] for point in report.points]
    curve.plot(xs, best, color="0.8", linewidth=7, label="best on average", zorder=1)
    for at, action in enumerate(report.actions):
        shares = [point.shares[at] for point in report.points]
        curve.plot(xs, shares, label=plain(action), **line_style(at))
    for position, name in enumerate(report.points[0].worth):
        values = [point.worth[name].value for point in report.points]
        worth.plot(xs, values, label=plain(name), **line_style(position))
    curve.set_ylabel("share of draws in which it is best")
    worth.set_ylabel("worth of knowing in advance")
    for axes in (curve, worth):
        axes.set_xlabel(axis_label(report.range))
