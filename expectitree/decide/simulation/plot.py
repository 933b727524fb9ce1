"""Plots of simulations, by matplotlib (extra `plot`)."""

from __future__ import annotations

from typing import Any

from expectitree.analysis.plotting import COLORS, DASHES, finish, new_figure, plain
from expectitree.base.errors import AnalysisError
from expectitree.decide.simulation.report import Acceptability, Simulation

_MAX_LINES = len(COLORS) * len(DASHES)  # that differ
_STEPS = 500  # of a distribution


def figure_of(report: Simulation | Acceptability) -> Any:
    """Return a figure with a line for each action; raise `AnalysisError` for too many."""
    if len(report.actions) > _MAX_LINES:
        found = f"a plot of {len(report.actions)} actions cannot be read"
        raise AnalysisError(f"{found}, and {_MAX_LINES} is the most")
    figure, axes = new_figure()
    if isinstance(report, Acceptability):
        one = report.range
        xs = [float(point.at) for point in report.points]
        for at, action in enumerate(report.actions):
            shares = [point.shares[at] for point in report.points]
            axes.plot(xs, shares, label=plain(action), **_style(at))
        best = [point.shares[report.actions.index(point.best)] for point in report.points]
        axes.plot(xs, best, color="0.8", linewidth=7, label="best on average", zorder=1)
        axes.set_xlabel(plain(f"{one.name} ({one.unit})" if one.unit else one.name))
        axes.set_ylabel("share of draws in which it is best")
    else:
        import numpy as np

        shares = np.linspace(0, 1, _STEPS + 1)
        for at, (action, values) in enumerate(zip(report.actions, report.values, strict=True)):
            name = plain(action.action or "the tree")
            label = f"{name} (best)" if action.is_best and action.action is not None else name
            axes.plot(np.quantile(values, shares), shares, label=label, **_style(at))
        ends = [np.quantile(values, (0.001, 0.999)) for values in report.values]
        axes.set_xlim(min(low for low, _ in ends), max(high for _, high in ends))
        axes.set_xlabel("value")
        axes.set_ylabel("probability of this value or less")
    axes.xaxis.set_major_formatter("{x:,.12g}")
    axes.set_ylim(-0.02, 1.02)
    finish(axes, report.tree.title)
    return figure


def _style(at: int) -> dict[str, Any]:
    return {"color": COLORS[at % len(COLORS)], "linestyle": DASHES[at % len(DASHES)]}
