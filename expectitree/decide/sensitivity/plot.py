"""Plots of sensitivity analyses, by matplotlib (extra `plot`)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from expectitree.analysis.plotting import COLORS, DASHES, HATCHES, finish, new_figure, plain
from expectitree.decide.sensitivity.decisions import number_text
from expectitree.decide.sensitivity.exact import TwoWay
from expectitree.decide.sensitivity.parameters import Range
from expectitree.decide.sensitivity.report import Sensitivity, Tornado
from expectitree.decide.sensitivity.sampling import POINTS
from expectitree.text.phrases import names_text

_MAX_LINES = 14  # of actions; of more, only those that are best somewhere
_FIXED = {True: "today's strategy", False: "decisions follow the parameter"}

Corner = tuple[float, float]


def figure_of(report: Any) -> Any:
    """Return a figure of a report that has a plot."""
    figure, axes = new_figure()
    plots: dict[Any, Any] = {Sensitivity: _plot_lines, TwoWay: _plot_map, Tornado: _plot_bars}
    plots[type(report)](report, axes)
    finish(axes, report.tree.title, pad=20 if isinstance(report, Sensitivity) else 8)
    return figure


def _label(one: Range) -> str:
    """Return the label of a parameter's axis: its name, description and unit."""
    named = f"{one.name}: {one.description}" if one.description else one.name
    return plain(f"{named} ({one.unit})" if one.unit else named)


# ---- One parameter.


def _plot_lines(report: Sensitivity, axes: Any) -> None:
    one = report.range
    places = sorted({*one.places(POINTS), *(threshold.middle for threshold in report.thresholds)})
    xs = [float(place) for place in places]
    best = [float(report.value_at(place)) for place in places]
    axes.plot(xs, best, color="0.8", linewidth=7, solid_capstyle="round", label="best", zorder=1)
    somewhere = {action for piece in report.pieces for action in piece.best}
    for action, function in report.actions.items():
        if len(report.actions) <= _MAX_LINES or action in somewhere:
            position = len(axes.lines) - 1
            line = {"color": COLORS[position % len(COLORS)], "linewidth": 1.4}
            line["linestyle"] = DASHES[position % len(DASHES)]
            axes.plot(xs, [float(function(at)) for at in places], label=plain(action), **line)
    for threshold in report.thresholds:
        axes.axvline(float(threshold.middle), color="0.3", linewidth=1, linestyle=":", zorder=0)
        place, above = float(threshold.middle), axes.get_xaxis_transform()
        style = {"ha": "center", "fontsize": 8, "color": "0.3", "transform": above}
        axes.text(place, 1.01, number_text(threshold.middle), **style)
    if one.low <= one.current <= one.high:
        axes.plot([float(one.current)], [float(report.value)], "ko", markersize=6, label="now")
    axes.set_xlabel(_label(one))
    axes.set_ylabel("value")
    axes.margins(x=0.02)


# ---- Two parameters.


def _plot_map(report: TwoWay, axes: Any) -> None:
    from matplotlib.collections import PolyCollection

    labels = dict.fromkeys(p.best for row in report.rows for p in row.pieces)
    for position, best in enumerate(labels):
        color = COLORS[position % len(COLORS)]
        style: dict[str, Any] = {
            "facecolor": color,
            "hatch": HATCHES[position % len(HATCHES)],
            "linewidth": 0,
        }
        regions = PolyCollection([*_regions(report, best)], edgecolor="white", alpha=0.6, **style)
        axes.add_collection(regions)
        axes.fill([], [], edgecolor="white", alpha=0.6, label=plain(names_text(best)), **style)
    now = report.across.current, report.down.current
    axes.plot([float(now[0])], [float(now[1])], "ko", markersize=6, label="now", linestyle="none")
    axes.set_xlim(float(report.across.low), float(report.across.high))
    axes.set_ylim(float(report.down.low), float(report.down.high))
    axes.set_xlabel(_label(report.across))
    axes.set_ylabel(_label(report.down))


def _regions(report: TwoWay, best: tuple[str, ...]) -> Iterator[list[Corner]]:
    """Yield the polygons on which these actions are best.

    Straight lines join the boundaries of neighbouring rows that have the same actions in the same
    order. Other rows meet halfway.
    """
    rows = report.rows
    half = float(rows[1].at - rows[0].at) / 2
    runs = itertools.groupby(rows, key=lambda row: [piece.best for piece in row.pieces])
    for actions, run in runs:
        band = list(run)
        bottom = float(band[0].at) - (0 if band[0] is rows[0] else half)
        top = float(band[-1].at) + (0 if band[-1] is rows[-1] else half)
        heights = [bottom, *(float(row.at) for row in band), top]
        for position, found in enumerate(actions):
            if found == best:
                pieces = [row.pieces[position] for row in (band[0], *band, band[-1])]
                left = [(float(p.start), y) for p, y in zip(pieces, heights, strict=True)]
                right = [(float(p.end), y) for p, y in zip(pieces, heights, strict=True)]
                yield left + right[::-1]


# ---- Tornado.


def _plot_bars(report: Tornado, axes: Any) -> None:
    value = float(report.value)
    names = [bar.range.name for bar in report.bars]
    rows = range(len(names), 0, -1)
    least = [min(float(bar.least), value) for bar in report.bars]
    greatest = [max(float(bar.greatest), value) for bar in report.bars]
    for ends, color, hatch, label in (
        (least, COLORS[1], "///", "less than now"),
        (greatest, COLORS[0], "", "more than now"),
    ):
        widths = [end - value for end in ends]
        style = {"color": color, "hatch": hatch, "edgecolor": "white", "linewidth": 0}
        axes.barh(rows, widths, 0.6, left=value, label=label, alpha=0.8, **style)
    for row, bar, low, high in zip(rows, report.bars, least, greatest, strict=True):
        for x, at, align in ((low, bar.least_at, "right"), (high, bar.greatest_at, "left")):
            axes.text(x, row, f" {number_text(at)} ", ha=align, va="center", fontsize=8)
    axes.axvline(value, color="black", linewidth=1)
    axes.set_yticks(rows, [_label(bar.range) for bar in report.bars])
    axes.margins(x=0.12)
    axes.set_xlabel(f"value ({_FIXED[report.is_fixed]}); at a bar's ends: the parameter")
