"""Plots of sensitivity analyses, by matplotlib (extra `plot`)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import singledispatch
from itertools import cycle
from textwrap import fill
from typing import TYPE_CHECKING, Any

from expectitree.analysis.plotting import (
    COLORS,
    HATCHES,
    axis_label,
    finish,
    line_style,
    new_figure,
    plain,
    value_label,
)
from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import display_text
from expectitree.base.tree.columns import MAX
from expectitree.decide.records import Fields, Labels
from expectitree.decide.sensitivity.decisions import Piece, number_text, short_text
from expectitree.decide.sensitivity.exact import BreakEven, Everywhere, TwoWay
from expectitree.decide.sensitivity.report import Sensitivity, Tornado
from expectitree.decide.sensitivity.sampling import POINTS, Sampler
from expectitree.decide.sensitivity.strategies import Strategies
from expectitree.text.phrases import names_text, plural, with_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEIGHT, _HEIGHT_OF_ROW = 1.4, 0.5  # inches
_NO_EDGE: Fields = {"edgecolor": "white", "linewidth": 0}
_MAX_NAME = 36  # characters of a line beside a bar
_MAX_BARS = 30  # of strategies
_MAX_LINES = 14  # of actions; of more, only those that are best somewhere

Corner = tuple[float, float]


def figure_of(report: Any) -> Any:
    """Return a figure of a report that has a plot."""
    figure, axes = new_figure()
    _plot(report, axes)
    pad = 20 if isinstance(report, Sensitivity) else 8
    finish(axes, report.tree.title, pad)
    return figure


@singledispatch
def _plot(report: Any, axes: Axes) -> None:
    raise TypeError(f"no plot of {type(report).__name__}")


def _styles(rows: Iterable[Iterable[Piece]], axes: Axes) -> dict[Labels, Fields]:
    """Return the style of each set of best actions, and add it to the legend."""
    styles: dict[Labels, Fields] = {}
    looks = zip(cycle(COLORS), cycle(HATCHES), strict=False)
    for best in dict.fromkeys(piece.best for row in rows for piece in row):
        color, hatch = next(looks)
        styles[best] = {"facecolor": color, "hatch": hatch, "alpha": 0.6} | _NO_EDGE
        axes.fill([], [], label=plain(names_text(best)), **styles[best])
    return styles


# ---- One parameter.


@_plot.register(Sensitivity)
def _(report: Sensitivity, axes: Axes) -> None:
    one = report.range
    places = sorted({*one.places(POINTS), *(threshold.middle for threshold in report.thresholds)})
    xs = [*map(float, places)]
    best, actions = _values(report, places)
    axes.plot(xs, best, color="0.8", linewidth=7, solid_capstyle="round", label="best", zorder=1)
    somewhere = {action for piece in report.pieces for action in piece.best}
    shown = [name for name in actions if len(actions) <= _MAX_LINES or name in somewhere]
    for name in shown:
        axes.plot(xs, actions[name], label=plain(name), **line_style(len(axes.lines) - 1))
    for threshold in report.thresholds:
        place, above = float(threshold.middle), axes.get_xaxis_transform()
        axes.axvline(place, color="0.3", linewidth=1, linestyle=":", zorder=0)
        style: Fields = {"ha": "center", "fontsize": 8, "color": "0.3", "transform": above}
        axes.text(place, 1.01, short_text(threshold), **style)
    if one.low <= one.current <= one.high:
        axes.plot([float(one.current)], [float(report.value)], "ko", markersize=6, label="now")
    axes.set_xlabel(axis_label(one))
    name = "certainty equivalent" if report.tree.attitude else "value"
    axes.set_ylabel(value_label(report.tree, name))
    axes.margins(x=0.02)


def _values(
    report: Sensitivity, places: Sequence[Fraction]
) -> tuple[list[float], dict[str, list[float]]]:
    """Return the values of the tree at some places, and those of each action at the root."""
    if report.function is not None:
        actions = {name: [float(f(at)) for at in places] for name, f in report.actions.items()}
        return [float(report.function(at)) for at in places], actions
    found, sign = Sampler(report.tree, report.range).estimates(places), 1
    if report.tree.root.kind == MAX:
        sign = -1
    names = found[0].behind
    actions = {name: [one.value + sign * one.behind[name] for one in found] for name in names}
    return [one.value for one in found], actions


@_plot.register(BreakEven)
def _(report: BreakEven, axes: Axes) -> None:
    one, meetings = report.range, report.meetings
    places = sorted({*one.places(POINTS), *(meeting.middle for meeting in meetings)})
    for name, side in zip((report.left, report.right), report.sides, strict=True):
        values, style = [float(side(at)) for at in places], line_style(len(axes.lines))
        axes.plot([*map(float, places)], values, label=plain(name), **style)
    if meetings:
        points = [(float(meeting.middle), float(meeting.value)) for meeting in meetings]
        axes.plot(*zip(*points, strict=True), "ko", markersize=6, label="equal")
    axes.axvline(float(one.current), color="0.3", linewidth=1, linestyle=":", label="now")
    axes.set_xlabel(axis_label(one))
    axes.set_ylabel(value_label(report.tree))


# ---- Two parameters.


@_plot.register(TwoWay)
def _(report: TwoWay, axes: Axes) -> None:
    from matplotlib.collections import PolyCollection

    for best, style in _styles((row.pieces for row in report.rows), axes).items():
        axes.add_collection(PolyCollection([*_regions(report, best)], **style))
    now = report.across.current, report.down.current
    axes.plot([float(now[0])], [float(now[1])], "ko", markersize=6, label="now", linestyle="none")
    axes.set_xlim(float(report.across.low), float(report.across.high))
    axes.set_ylim(float(report.down.low), float(report.down.high))
    axes.set_xlabel(axis_label(report.across))
    axes.set_ylabel(axis_label(report.down))


def _regions(report: TwoWay, best: tuple[str, ...]) -> Iterator[list[Corner]]:
    """Yield the polygons on which these actions are best.

    Straight lines join the boundaries of neighbouring rows that have the same actions in the same
    order. Other rows meet halfway, to where the last of these lines lead.
    """
    rows, limits = report.rows, (float(report.across.low), float(report.across.high))
    half = (rows[1].at - rows[0].at) / 2
    runs = itertools.groupby(rows, key=lambda row: [piece.best for piece in row.pieces])
    for actions, run in runs:
        band = list(run)
        bottom = max(band[0].at - half, rows[0].at)
        top = min(band[-1].at + half, rows[-1].at)
        heights = [float(place) for place in (bottom, *(row.at for row in band), top)]
        for position, found in enumerate(actions):
            if found == best:
                pieces = [row.pieces[position] for row in band]
                left = _border([float(piece.start) for piece in pieces], heights, limits)
                right = _border([float(piece.end) for piece in pieces], heights, limits)
                yield left + right[::-1]


def _border(
    places: Sequence[float], heights: Sequence[float], limits: tuple[float, float]
) -> list[Corner]:
    """Return a border through the places of some rows, with the corners below and above them."""
    first, last = places[0], places[-1]
    if len(places) > 1:
        low, high = limits
        before = (heights[1] - heights[0]) / (heights[2] - heights[1])
        after = (heights[-1] - heights[-2]) / (heights[-2] - heights[-3])
        first = min(max(first + before * (first - places[1]), low), high)
        last = min(max(last + after * (last - places[-2]), low), high)
    return list(zip((first, *places, last), heights, strict=True))


# ---- Tornado.


@_plot.register(Tornado)
def _(report: Tornado, axes: Axes) -> None:
    bars, value = report.moving, float(report.value)
    if not bars:
        raise AnalysisError("no parameter has an effect on the value: there is nothing to draw")
    rows = range(len(bars), 0, -1)
    least = [(bar.least, bar.least_at) for bar in bars]
    greatest = [(bar.greatest, bar.greatest_at) for bar in bars]
    for ends, clip, side, color, hatch, label in (
        (least, min, "right", COLORS[1], "///", "less than now"),
        (greatest, max, "left", COLORS[0], "", "more than now"),
    ):
        places = [clip(float(worth), value) for worth, _ in ends]
        style: Fields = {"color": color, "hatch": hatch, "alpha": 0.8} | _NO_EDGE
        widths = [place - value for place in places]
        axes.barh(rows, widths, 0.6, left=value, label=label, **style)
        for row, bar, x, (worth, at) in zip(rows, bars, places, ends, strict=True):
            place = plain(with_unit(number_text(at), bar.range.unit))
            text = f"  {display_text(worth)}  \n  at {place}  "
            if x != value:
                axes.text(x, row, text, ha=side, va="center", fontsize=8)
    axes.axvline(value, color="black", linewidth=1)
    pairs = zip(rows, bars, strict=True)
    marks = [(float(change.value), row) for row, bar in pairs for change in bar.changes]
    if marks:
        style = {"marker": "D", "color": "white", "markeredgecolor": "black", "linestyle": "none"}
        label = "the best action changes"
        axes.plot(*zip(*marks, strict=True), markersize=6, label=label, **style)
    _name_rows(axes, rows, [axis_label(bar.range) for bar in bars])
    axes.margins(x=0.35)
    policy = report.policy.replace("fixed", "fixed policy")
    label = f"{value_label(report.tree)}, {policy}; at a bar's ends: the value, and where"
    if idle := len(report.bars) - len(bars):
        label += f"\n{plural(idle, 'input')} without effect: not drawn"
    axes.set_xlabel(label)


def _name_rows(axes: Any, rows: Sequence[int], names: Sequence[str]) -> None:
    """Name the rows of a plot, and make it as high as they need."""
    axes.set_yticks(rows, [fill(name, _MAX_NAME) for name in names])
    axes.figure.set_figheight(_HEIGHT + _HEIGHT_OF_ROW * len(rows))


# ---- Strategies.


@_plot.register(Strategies)
def _(report: Strategies, axes: Axes) -> None:
    shown = report.strategies[:_MAX_BARS]
    rows, values = range(len(shown), 0, -1), [float(one.value) for one in shown]
    axes.barh(rows, values, 0.6, color=COLORS[0], alpha=0.8, label="value of the strategy")
    names = []
    for row, value, strategy in zip(rows, values, shown, strict=True):
        side = "left" if value >= 0 else "right"
        text = f" {display_text(strategy.value)} "
        axes.text(value, row, text, ha=side, va="center", fontsize=8)
        choices = ", ".join(map(": ".join, strategy.choices.items()))
        names.append(plain(choices.removeprefix("/: ")))
    _name_rows(axes, rows, names)
    axes.margins(x=0.15)
    label = f"{value_label(report.tree)}, from the best for {report.player}"
    left_out = len(report.strategies) - len(shown)
    if left_out:
        label += f"; {left_out:,} more are not drawn"
    axes.set_xlabel(label)


# ---- Every decision.


@_plot.register(Everywhere)
def _(report: Everywhere, axes: Axes) -> None:
    one, rows = report.range, range(len(report.decisions), 0, -1)
    for best, style in _styles(report.decisions.values(), axes).items():
        for row, pieces in zip(rows, report.decisions.values(), strict=True):
            parts = [(float(p.start), float(p.end - p.start)) for p in pieces if p.best == best]
            axes.broken_barh(parts, (row - 0.3, 0.6), **style)
    axes.axvline(float(one.current), color="black", linewidth=1, label="now")
    _name_rows(axes, rows, [*map(plain, report.decisions)])
    axes.set_xlim(float(one.low), float(one.high))
    axes.set_xlabel(axis_label(one))
