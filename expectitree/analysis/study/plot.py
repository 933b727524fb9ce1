"""Plots of a study, by matplotlib (extra `plot`)."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import cycle
from operator import itemgetter
from textwrap import fill
from typing import Any, TypeAlias

from expectitree.algorithms import OPTIONS
from expectitree.analysis.study.report import Summary, SummaryRow
from expectitree.errors import AnalysisError, install_hint
from expectitree.families.parameters import PARAMETERS
from expectitree.files.saving import whole_file
from expectitree.numbers import escape

_MOST_TICKS = 10  # more numbers along the axis would run into each other
_MOST_ENTRIES = 24  # of the legend in one column, next to the plot
# The palette of Okabe and Ito (2008), without yellow, which is too light on white.
_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
_MARKERS = "osD^vPX"
_DASHES = ((0, ()), (0, (4, 1.5)), (0, (1, 1.2)), (0, (6, 1.5, 1, 1.5)))
ENDINGS = (".svg", ".png", ".pdf")

Point: TypeAlias = tuple[float, float, float]  # x, y, and half the width of the interval of y


def check_plot(path: str) -> None:
    """Raise `AnalysisError` if the ending is not a picture's or matplotlib is missing.

    The command calls this before a long study.
    """
    if find_spec("matplotlib") is None:
        raise AnalysisError(f"plots need matplotlib: {install_hint('plot')}")
    if not path.lower().endswith(ENDINGS):
        raise AnalysisError(f"{path}: a plot's ending is one of {', '.join(ENDINGS)}")


def draw_study(summary: Summary, path: str) -> None:
    """Write a plot of a study to a file; the ending sets the format.

    Raises `AnalysisError` if there is nothing to draw, and `FileError` if the file cannot be
    written. `check_plot` comes first.
    """
    figure = figure_of(summary)
    ending = os.path.splitext(path)[1][1:].lower()
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(ending, {})
    settings = {"format": ending, "dpi": 150, "metadata": metadata}
    with whole_file(path) as temporary, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # characters that the font lacks are drawn as boxes
        figure.savefig(temporary, bbox_inches="tight", **settings)  # with the legend


def figure_of(summary: Summary) -> Any:
    """Return a figure with a line for each search: the leaves visited over one parameter.

    Raises `AnalysisError` if there is nothing to draw.
    """
    import matplotlib
    from matplotlib.figure import Figure

    matplotlib.rcParams["svg.hashsalt"] = "expectitree"  # the same plot gives the same file
    plot = summary.study.plot
    numeric = (n for n in summary.varying if any(_x(row, n) is not None for row in summary.rows))
    x_name = plot.x or next(numeric, "")
    series = _series(summary, x_name)
    if not series:
        over = x_name or "any parameter"
        raise AnalysisError(f"there is nothing to draw over {over}: it has no numbers here")
    figure = Figure(figsize=(6.4, 4.6))
    axes: Any = figure.subplots()
    all_x = sorted({x for points in series.values() for x, _, _ in points})
    _label_axes(axes, summary, x_name, all_x)
    _draw_series(axes, series)
    for line, dashes in zip(plot.lines, cycle(_DASHES[1:])):
        drawn = [x for x in all_x if x > 0 and (line.factor > 0 or not plot.log)]
        style = {"color": "0.3", "linewidth": 1, "linestyle": dashes, "zorder": 3}
        axes.plot(drawn, [line.height(x) for x in drawn], label=_plain(line.label), **style)
    columns = 1 + (len(series) + len(plot.lines) - 1) // _MOST_ENTRIES
    beside = {"loc": "upper left", "bbox_to_anchor": (1.02, 1), "borderaxespad": 0}
    axes.legend(frameon=False, fontsize=9, handlelength=3.5, ncols=columns, **beside)
    return figure


def _draw_series(axes: Any, series: dict[tuple[str, str], list[Point]]) -> None:
    for (names, points), look in zip(series.items(), looks(list(series)), strict=True):
        xs, ys, halves = zip(*sorted(points, key=itemgetter(0)), strict=True)
        axes.plot(xs, ys, label=_plain(", ".join(filter(None, names))), **look)
        if any(halves):
            bars = {"ecolor": look["color"], "elinewidth": 0.8, "capsize": 2.5, "alpha": 0.6}
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
    if len(all_x) <= _MOST_TICKS:
        axes.set_xticks(all_x, [f"{x:g}" for x in all_x])
        axes.set_xticks([], minor=True)
    axes.set_xlabel(axis_label(x_name))
    axes.set_ylabel("leaves visited" if plot.y == "leaves" else "leaves visited (% of all)")
    if summary.study.title:
        axes.set_title(fill(_plain(summary.study.title), 80), fontsize=11, loc="left")
    axes.grid(alpha=0.25)


def axis_label(name: str) -> str:
    """Return the first phrase of the help of a parameter or an option."""
    text = OPTIONS[name].description if name in OPTIONS else PARAMETERS[name].help
    phrase = re.split(r"[;,.]( |$)", text)[0]
    return phrase[0].lower() + phrase[1:]


def looks(series: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    """Return the colour, marker and line style of each series, given its search and its trees.

    Up to 28 series differ without colour too. Where there are few enough searches and trees, one of
    them has a colour and a marker, the other a line style.
    """
    names = [list(dict.fromkeys(column)) for column in zip(*series, strict=True)]
    dashed, colored = sorted((1, 0), key=lambda i: len(names[i]))
    if len(names[dashed]) <= len(_DASHES) and len(names[colored]) <= len(_COLORS):
        places = [[names[i].index(one[i]) for i in (dashed, colored)] for one in series]
    else:
        places = [list(divmod(i, len(_COLORS))) for i in range(len(series))]
    return [_look(*place) for place in places]


def _look(dash: int, color: int) -> dict[str, Any]:
    turn, dash = divmod(dash, len(_DASHES))
    return {
        "color": _COLORS[color],
        "marker": _MARKERS[(color + turn) % len(_MARKERS)],
        "linestyle": _DASHES[dash],
        "markerfacecolor": "white" if dash % 2 else _COLORS[color],
        "markersize": 6 - dash / 2,
        "linewidth": 1.4,
    }


def _series(summary: Summary, x_name: str) -> dict[tuple[str, str], list[Point]]:
    """Return the points of each series, by the names of its search and its trees.

    A search that lacks the option on the axis has a point at each of its values.
    """
    plot = summary.study.plot
    found = {x for row in summary.rows if (x := _x(row, x_name)) is not None}
    series: dict[tuple[str, str], list[Point]] = {}
    for row in summary.rows:
        own = {x} if (x := _x(row, x_name)) is not None else set()
        if x_name in OPTIONS and x_name not in row.run.algorithm.options:
            own = found
        y = row.leaves if plot.y == "leaves" else row.leaf_share
        points = [(x, y.value, y.half or 0.0) for x in own if x > 0 or not plot.log]
        if points:  # a logarithmic axis has no place for 0
            series.setdefault(_names(summary, row, x_name), []).extend(points)
    return series


def _names(summary: Summary, row: SummaryRow, x_name: str) -> tuple[str, str]:
    """Return the names of the search and of the trees, without the parameter on the axis."""
    chosen, engine = row.run.algorithm, row.run.engine
    names = [row.run.name]
    if x_name in chosen.options:
        names = [chosen.name, *(str(v) for k, v in chosen.options.items() if k != x_name)]
        names += [engine] if engine != "auto" else []
    others = [name for name in summary.varying if name != x_name and name in row.tree]
    return ", ".join(names), ", ".join(f"{other} {row.tree[other]}" for other in others)


def _x(row: SummaryRow, name: str) -> float | None:
    try:
        return float(row.run.algorithm.options[name] if name in OPTIONS else row.tree[name])
    except (KeyError, ValueError):
        return None


def _plain(text: str) -> str:
    """Return a text that matplotlib draws literally, not as a formula."""
    return escape(text).replace("$", r"\$")
