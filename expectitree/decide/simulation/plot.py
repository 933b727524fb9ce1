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
    draw = _curve if isinstance(report, Acceptability) else _distributions
    for at, (label, xs, ys) in enumerate(draw(report, axes)):
        color, dash = COLORS[at % len(COLORS)], DASHES[at % len(DASHES)]
        axes.plot(xs, ys, label=plain(label), color=color, linestyle=dash)
    axes.xaxis.set_major_formatter("{x:,.12g}")
    axes.set_ylim(-0.02, 1.02)
    finish(axes, report.tree.title)
    return figure


def _distributions(report: Any, axes: Any) -> list[tuple[str, Any, Any]]:
    import numpy as np

    shares = np.linspace(0, 1, _STEPS + 1)
    ends = np.array([np.quantile(values, (0.001, 0.999)) for values in report.values])
    margin = np.ptp(ends) * 0.02 or 1
    axes.set_xlim(ends.min() - margin, ends.max() + margin)
    axes.set_xlabel("value")
    axes.set_ylabel("probability of this value or less")
    marks = [" (best)" * (one.is_best and one.action is not None) for one in report.actions]
    names = [f"{a.action or 'the tree'}{m}" for a, m in zip(report.actions, marks, strict=True)]
    return [(n, np.quantile(v, shares), shares) for n, v in zip(names, report.values, strict=True)]


def _curve(report: Any, axes: Any) -> list[tuple[str, Any, Any]]:
    one, xs = report.range, [float(point.at) for point in report.points]
    best = [point.shares[report.actions.index(point.best)] for point in report.points]
    axes.plot(xs, best, color="0.8", linewidth=7, label="best on average", zorder=1)
    axes.set_xlabel(plain(f"{one.name} ({one.unit})" if one.unit else one.name))
    axes.set_ylabel("share of draws in which it is best")
    shares = zip(*(point.shares for point in report.points), strict=True)
    return [(action, xs, ys) for action, ys in zip(report.actions, shares, strict=True)]
