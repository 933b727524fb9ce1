"""Plots of a study, by matplotlib (extra `plot`)."""

from __future__ import annotations

from operator import itemgetter
from typing import Any, TypeAlias

from expectitree.analysis.plotting import COLORS, finish, look, new_figure, plain
from expectitree.base.algorithms import OPTIONS
from expectitree.base.errors import AnalysisError
from expectitree.lab.study.report import Summary, SummaryRow

_MAX_TICKS = 10  # more numbers along the axis would run into each other
_MAX_ENTRIES = 24  # of the legend in one column, next to the plot

Point: TypeAlias = tuple[float, float, float]  # x, y, and half the width of the interval of y


def figure_of(summary: Summary) -> Any:
    """Return a figure with a line for each search: the leaves visited over one parameter.

    Raises `AnalysisError` if there is nothing to draw.
    """
    plot = summary.study.plot
    numeric = (n for n in summary.varying if any(_x(row, n) is not None for row in summary.rows))
    x_name = plot.x or next(numeric, "")
    series = _series(summary, x_name)
    if not series:
        over = x_name or "any parameter"
        raise AnalysisError(f"there is nothing to draw over {over}: it has no numbers here")
    figure, axes = new_figure()
    all_x = sorted({x for points in series.values() for x, _, _ in points})
    _label_axes(axes, summary, x_name, all_x)
    _draw_series(axes, series)
    columns = 1 + (len(series) - 1) // _MAX_ENTRIES
    finish(axes, summary.study.title, columns=columns)
    return figure


def _draw_series(axes: Any, series: dict[str, list[Point]]) -> None:
    for place, (name, points) in enumerate(series.items()):
        style = look(*divmod(place, len(COLORS)))
        xs, ys, halves = zip(*sorted(points, key=itemgetter(0)), strict=True)
        axes.plot(xs, ys, label=plain(name), **style)
        if any(halves):
            bars = {"ecolor": style["color"], "elinewidth": 0.8, "capsize": 2.5, "alpha": 0.6}
            axes.errorbar(xs, ys, halves, fmt="none", **bars)


def _label_axes(axes: Any, summary: Summary, x_name: str, all_x: list[float]) -> None:
    plot = summary.study.plot
    if plot.log:
        from matplotlib.ticker import LogFormatter

        axes.set_xscale("log")
        axes.set_yscale("log")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter("{x:,.12g}")
            axis.set_minor_formatter(LogFormatter())  # labels where there are few powers of ten
    if len(all_x) <= _MAX_TICKS:
        axes.set_xticks(all_x, [f"{x:g}" for x in all_x])
        axes.set_xticks([], minor=True)
    axes.set_xlabel(x_name)
    axes.set_ylabel("leaves visited" if plot.y == "leaves" else "leaves visited (% of all)")


def _series(summary: Summary, x_name: str) -> dict[str, list[Point]]:
    """Return the points of each series by its name.

    A search that lacks the option on the axis has a point at each of its values.
    """
    plot = summary.study.plot
    found = {x for row in summary.rows if (x := _x(row, x_name)) is not None}
    series: dict[str, list[Point]] = {}
    for row in summary.rows:
        own = {x} if (x := _x(row, x_name)) is not None else set()
        if x_name in OPTIONS and x_name not in row.algorithm.options:
            own = found
        y = row.leaves if plot.y == "leaves" else row.leaf_share or row.leaves
        points = [(x, y.value, y.half or 0.0) for x in own if x > 0 or not plot.log]
        if points:  # a logarithmic axis has no place for 0
            series.setdefault(_name(summary, row, x_name), []).extend(points)
    return series


def _name(summary: Summary, row: SummaryRow, x_name: str) -> str:
    """Return the names of the search and of the trees, without the parameter on the axis."""
    names = [row.algorithm.full_name]
    options = row.algorithm.options
    if x_name in options:
        names = [row.algorithm.name, *(str(v) for k, v in options.items() if k != x_name)]
    others = [name for name in summary.varying if name != x_name and name in row.tree]
    return ", ".join([*names, *(f"{other} {row.tree[other]}" for other in others)])


def _x(row: SummaryRow, name: str) -> float | None:
    try:
        return float(row.algorithm.options[name] if name in OPTIONS else row.tree[name])
    except (KeyError, ValueError):
        return None
