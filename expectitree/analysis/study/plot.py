"""Plots of a study, by matplotlib (extra `plot`)."""

from __future__ import annotations

import os
import warnings
from importlib.util import find_spec
from operator import itemgetter
from typing import Any

from expectitree.algorithms import OPTIONS
from expectitree.analysis.study.summary import Summary, SummaryRow
from expectitree.errors import AnalysisError, install_hint
from expectitree.files.saving import whole_file
from expectitree.numbers import escape

_MOST_TICKS = 10  # more numbers along the axis would run into each other
ENDINGS = (".svg", ".png", ".pdf")


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

    A line for each search shows the leaves visited over one parameter. Raises `AnalysisError` if
    there is nothing to draw, and `FileError` if the file cannot be written. `check_plot` comes
    first.
    """
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "expectitree"  # the same plot gives the same file
    from matplotlib import pyplot

    plot = summary.study.plot
    numeric = (n for n in summary.varying if any(_x(row, n) is not None for row in summary.rows))
    x_name = plot.x or next(numeric, "")
    lines = _lines(summary, x_name)
    if not lines:
        over = x_name or "any parameter"
        raise AnalysisError(f"there is nothing to draw over {over}: it has no numbers here")
    figure, axes = pyplot.subplots(figsize=(7.2, 4.8), layout="constrained")
    for label, points in sorted(lines.items()):
        xs, ys, halves = zip(*sorted(points, key=itemgetter(0)), strict=True)
        errors = halves if any(halves) else None
        axes.errorbar(xs, ys, errors, label=_plain(label), marker="o", markersize=4, capsize=3)
    all_x = sorted({x for points in lines.values() for x, _, _ in points})
    for line in plot.lines:
        drawn = [x for x in all_x if x > 0 and (line.factor > 0 or not plot.log)]
        heights = [line.factor * x**line.power for x in drawn]
        axes.plot(drawn, heights, "--", label=_plain(line.label), color="0.4", linewidth=1)
    _label_axes(axes, summary, x_name, all_x)
    _save(figure, path)
    pyplot.close(figure)


def _save(figure: Any, path: str) -> None:
    ending = os.path.splitext(path)[1][1:].lower()
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(ending, {})
    with whole_file(path) as temporary, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # characters that the font lacks are drawn as boxes
        figure.savefig(temporary, format=ending, dpi=150, metadata=metadata)


def _label_axes(axes: Any, summary: Summary, x_name: str, all_x: list[float]) -> None:
    plot = summary.study.plot
    if plot.log:
        axes.set_xscale("log")
        axes.set_yscale("log")
    if len(all_x) <= _MOST_TICKS:
        axes.set_xticks(all_x, [f"{x:g}" for x in all_x])
        axes.set_xticks([], minor=True)
    axes.set_xlabel(_plain(x_name))
    axes.set_ylabel("leaves visited" if plot.y == "leaves" else "leaves visited, % of all")
    if summary.study.title:
        axes.set_title(_plain(summary.study.title), fontsize=11)
    axes.grid(alpha=0.25)
    axes.legend(frameon=False, fontsize=9)


def _lines(summary: Summary, x_name: str) -> dict[str, list[tuple[float, float, float]]]:
    """Return the points of each line: x, y, and half the width of the interval of y."""
    lines: dict[str, list[tuple[float, float, float]]] = {}
    for row in summary.rows:
        x = _x(row, x_name)
        if x is not None:
            y = row.leaves if summary.study.plot.y == "leaves" else row.leaf_share
            points = lines.setdefault(_label(summary, row, x_name), [])
            points.append((x, y.value, y.half or 0.0))
    return lines


def _label(summary: Summary, row: SummaryRow, x_name: str) -> str:
    """Return the name of the search and of the trees, without the parameter on the axis."""
    chosen, engine = row.run.algorithm, row.run.engine
    names = [row.run.name]
    if x_name in chosen.options:
        names = [chosen.name, *(str(v) for k, v in chosen.options.items() if k != x_name)]
        names += [engine] if engine != "auto" else []
    others = [name for name in summary.varying if name != x_name and name in row.tree]
    return ", ".join([*names, *(f"{other} {row.tree[other]}" for other in others)])


def _x(row: SummaryRow, name: str) -> float | None:
    try:
        return float(row.run.algorithm.options[name] if name in OPTIONS else row.tree[name])
    except (KeyError, ValueError):
        return None


def _plain(text: str) -> str:
    """Return a text that matplotlib draws literally, not as a formula."""
    return escape(text).replace("$", r"\$")
