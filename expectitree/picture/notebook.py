"""What a notebook shows: trees, searches and plots as pictures, reports as text of the terminal.

A console shows the text alone. A notebook keeps what it shows, so large things are shortened.
"""

from __future__ import annotations

from html import escape
from importlib.util import find_spec
from typing import Any

from expectitree.analysis.evaluate.report import Evaluation
from expectitree.analysis.show import MAX_NODES, MAX_ROWS, to_text
from expectitree.base.errors import AnalysisError, ExpectitreeError
from expectitree.base.tables import QUESTIONS, module_of
from expectitree.base.tree.model import Tree
from expectitree.picture import svg
from expectitree.picture.content import Style
from expectitree.searches.engine import evaluate
from expectitree.searches.result import Search

MAX_LINES = 200
WIDTH = 100
# Pages that notebooks become may have no font for `pre`. At this height, lines that characters draw
# join.
_STYLE = "font-family: monospace; line-height: 1.2; overflow-x: auto; white-space: pre"
_SVG_STYLE = "max-width: 100%; height: auto"  # of the page


def bundle(shown: Any) -> dict[str, str]:
    """Return what a notebook shows, by MIME type; nothing where it shows the `repr`.

    A tree is shown with its values, unless it has more than `MAX_NODES` nodes.
    """
    try:
        if isinstance(shown, Tree):
            if len(shown) > MAX_NODES:
                return {}
            shown = evaluate(shown)
        text = _text(shown)
        if isinstance(shown, Search):
            picture = "\n".join(svg.draw(Evaluation("", shown), Style(rows=MAX_ROWS)))
            styled = picture.replace("<svg ", f'<svg style="{_SVG_STYLE}" ', 1)
            return {"image/svg+xml": styled, "text/plain": text}
        plot = _plot(shown)
        if plot is not None:
            return {"image/svg+xml": plot, "text/plain": text}
    except ExpectitreeError:  # a notebook would show a traceback, of a thing that is all right
        return {}
    return {"text/html": f'<pre style="{_STYLE}">{escape(text)}</pre>', "text/plain": text}


def _plot(shown: Any) -> str | None:
    """Return the plot of a report as SVG; None if it has none, or matplotlib is missing."""
    if not shown.has_plot or find_spec("matplotlib") is None:
        return None
    from expectitree.analysis.plotting import svg_text

    module = module_of(f"{QUESTIONS[shown.question]}.plot")
    try:
        return svg_text(module.figure_of(shown))
    except AnalysisError:  # this report has only a text
        return None


def _text(shown: Any) -> str:
    lines = to_text(shown, width=WIDTH).split("\n")
    if len(lines) > MAX_LINES:
        rest = f"{len(lines) - MAX_LINES:,} more lines"
        lines[MAX_LINES:] = [f"… {rest}: print(expectitree.to_text(…)) shows them all"]
    return "\n".join(lines)
