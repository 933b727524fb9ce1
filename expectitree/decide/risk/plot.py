"""Plots of risk profiles, by matplotlib (extra `plot`)."""

from __future__ import annotations

from typing import Any

from expectitree.analysis.plotting import (
    COLORS,
    DASHES,
    finish,
    line_style,
    new_figure,
    plain,
    value_label,
)
from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import display_text
from expectitree.decide.risk.report import Risk

_MAX_LINES = len(COLORS) * len(DASHES)  # that differ
_MARGIN = 0.04  # of the range of totals, on both sides


def figure_of(report: Risk) -> Any:
    """Return a figure with a line of steps for each action; raise `AnalysisError` for too many."""
    if len(report.distributed) > _MAX_LINES:
        raise AnalysisError(
            f"a plot of {len(report.actions)} actions cannot be read, and {_MAX_LINES} is the most"
        )
    figure, axes = new_figure()
    ends = [one.distribution.totals[end] for one in report.actions for end in (0, -1)]
    if report.target is not None:
        ends.append(report.target)
    low, high = float(min(ends)), float(max(ends))
    margin = (high - low) * _MARGIN or max(abs(low) * _MARGIN, 1.0)
    for position, one in enumerate(report.actions):
        found = one.distribution
        xs = [low - margin, *map(float, found.totals), high + margin]
        ys = [0.0, *map(float, found.cumulative), 1.0]
        style, label = line_style(position), plain(one.action or "the tree")
        if one.is_best:
            style["linewidth"] = 2.4
            label += " (best)" * (one.action is not None)
        axes.step(xs, ys, where="post", label=label, **style)
    if report.target is not None:
        label = f"target {display_text(report.target)}"
        axes.axvline(float(report.target), color="0.3", linewidth=1, linestyle=":", label=label)
    axes.set_xlim(low - margin, high + margin)
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlabel(value_label(report.tree, "total"))
    axes.set_ylabel("probability of this total or less")
    finish(axes, report.tree.title)
    return figure
