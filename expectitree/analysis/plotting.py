"""What the plots of all questions share, by matplotlib (extra `plot`): looks, legends, files."""

from __future__ import annotations

import io
import os
import warnings
from importlib.util import find_spec
from textwrap import fill
from typing import IO, Any

from expectitree.base.errors import AnalysisError, install_hint
from expectitree.base.numbers import escape
from expectitree.base.tree.model import Tree
from expectitree.files.writing import whole_file
from expectitree.text.phrases import amount_heading

# The palette of Okabe and Ito (2008), without yellow, which is too light on white.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
DASHES = ((0, ()), (0, (4, 1.5)), (0, (1, 1.2)), (0, (6, 1.5, 1, 1.5)))
HATCHES = ("", "///", "++", "xxx", "\\\\\\", "|||", "---")  # circles make large files
_NUMBER = "{x:,.12g}"
_MAX_TICKS = 5  # along the x axis, so that labels of seven digits do not collide
ENDINGS = (".svg", ".png", ".pdf")


def check_plot(path: str) -> None:
    """Raise `AnalysisError` if the ending is not a picture's or matplotlib is missing.

    A command calls this before long work.
    """
    if find_spec("matplotlib") is None:
        raise AnalysisError(f"plots need matplotlib\n{install_hint('plot')}")
    if not path.lower().endswith(ENDINGS):
        raise AnalysisError(f"{path}: a plot's ending is one of {', '.join(ENDINGS)}")


def new_figure(panels: int = 1) -> tuple[Any, ...]:
    """Return a figure and the axes of its panels, below each other."""
    import matplotlib
    from matplotlib.figure import Figure

    matplotlib.rcParams["svg.hashsalt"] = "expectitree"  # the same plot gives the same file
    figure = Figure(figsize=(6.4, 4.6 * panels))
    figure.subplots(panels)
    for axes in figure.axes:
        axes.xaxis.set_major_formatter(_NUMBER)
        axes.yaxis.set_major_formatter(_NUMBER)
    return figure, *figure.axes


def finish(axes: Any, title: str | None, pad: float | None = None) -> None:
    """Draw a title, some points above the axes, a grid, and the legend beside them."""
    if title:
        axes.set_title(fill(plain(title), 80), fontsize=11, loc="left", pad=pad)
    axes.grid(alpha=0.25)
    axes.tick_params(labelsize=9)
    if axes.get_xscale() == "linear":
        axes.locator_params(axis="x", nbins=_MAX_TICKS)
    axes.legend(
        loc="upper left", bbox_to_anchor=(1.02, 1), borderaxespad=0,
        frameon=False, fontsize=9, handlelength=3.5,
    )  # fmt: skip


def save_figure(figure: Any, path: str) -> None:
    """Write a figure to a file; the ending sets the format.

    Raises `FileError` if the file cannot be written. `check_plot` comes first.
    """
    with whole_file(path) as stream:
        _write(figure, stream, os.path.splitext(path)[1][1:].lower())


def svg_text(figure: Any) -> str:
    """Return a figure as an SVG element, for a page or a notebook."""
    stream = io.BytesIO()
    _write(figure, stream, "svg")
    text = stream.getvalue().decode()
    return text[text.index("<svg") :]


def _write(figure: Any, stream: IO[bytes], format: str) -> None:
    dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    metadata = {"Title": in_words(figure), **dates.get(format, {})}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # characters that the font lacks are drawn as boxes
        # "tight" includes the legend.
        figure.savefig(stream, format=format, dpi=150, metadata=metadata, bbox_inches="tight")


def in_words(figure: Any) -> str:
    """Return what a plot shows, for those who do not see it."""
    parts = []
    for axes in figure.axes:
        sides = [axes.get_ylabel(), axes.get_xlabel()]
        names = [text.get_text() for text in axes.get_legend().get_texts()]
        parts += [" ".join(axes.get_title(loc="left").split())]
        parts += [" against ".join(filter(None, sides)), ", ".join(names)]
    return ". ".join(filter(None, parts)).replace(r"\$", "$")


def line_style(position: int) -> dict[str, Any]:
    """Return the colour and the dashes of a line without markers."""
    dashes = DASHES[position % len(DASHES)]
    return {"color": COLORS[position % len(COLORS)], "linestyle": dashes, "linewidth": 1.4}


def value_label(tree: Tree, name: str = "value") -> str:
    """Return the label of an axis for values of a tree, with their unit."""
    return plain(amount_heading(tree, name))


def axis_label(one: Any) -> str:
    """Return the label of an axis for a parameter or a criterion: name, description and unit."""
    label = ": ".join(filter(None, (one.name, one.description)))
    if one.unit:
        label += f" ({one.unit})"
    return plain(label)


def plain(text: str) -> str:
    """Return a text that matplotlib draws literally, not as a formula."""
    return escape(text).replace("$", r"\$")
