"""What a notebook shows: trees, searches and plots as pictures, reports as tables and text.

A console shows the text alone. A notebook keeps what it shows, so large things are shortened.
"""

from __future__ import annotations

import re
from base64 import b64encode
from importlib.util import find_spec
from typing import Any

from expectitree.analysis.evaluate.report import Evaluation
from expectitree.analysis.show import MAX_NODES, MAX_ROWS, in_format, to_text
from expectitree.base.errors import AnalysisError, ExpectitreeError
from expectitree.base.tables import QUESTIONS, module_of
from expectitree.base.tree.model import Tree
from expectitree.picture.content import Style
from expectitree.picture.diagram import diagram
from expectitree.picture.svg import svg_lines
from expectitree.searches.engine import evaluate
from expectitree.searches.result import Search
from expectitree.text.console import text_console
from expectitree.text.markup import shortened

WIDTH = 100
_IN_WORDS = re.compile(r"<(?:title|desc)>(.*?)</", re.DOTALL)


class Picture(str):
    """An SVG file as text, which a notebook shows."""

    def __repr__(self) -> str:
        return f"<Picture, {len(self):,} characters of SVG: str() returns them>"

    def _repr_html_(self) -> str:
        """Return an image, in which ids and styles do not meet those of other pictures."""
        words = ". ".join(_IN_WORDS.findall(self)[:2]).replace('"', "&quot;")
        data = b64encode(self.encode()).decode()
        style = "max-width: 100%; height: auto"
        return f'<img alt="{words}" style="{style}" src="data:image/svg+xml;base64,{data}">\n'


def bundle(shown: Any) -> dict[str, str]:
    """Return what a notebook can show, by MIME type; nothing where it shows the `repr`.

    A tree is shown with its values, unless it has more than `MAX_NODES` nodes.
    """
    try:
        if isinstance(shown, Tree):
            if len(shown) > MAX_NODES:
                return {}
            shown = evaluate(shown)
        text = shortened(to_text(shown, width=WIDTH))
        if isinstance(shown, Search):
            picture = diagram(Evaluation("", shown), Style(rows=MAX_ROWS))
            html = Picture("\n".join(svg_lines(picture)))._repr_html_()
        else:
            html = plot_of(shown) + in_format(shown, "html", text_console(WIDTH))
    except ExpectitreeError:  # a notebook would show a traceback, of a thing that is all right
        return {}
    return {"text/html": html, "text/plain": text}


def plot_of(shown: Any, scale: float = 1) -> str:
    """Return the plot of a report as HTML; nothing if it has none, or matplotlib is missing.

    With a `scale` below 1, the plot is smaller, and its text as large.
    """
    if not shown.has_plot or find_spec("matplotlib") is None:
        return ""
    from expectitree.analysis.plotting import svg_text

    module = module_of(f"{QUESTIONS[shown.question]}.plot")
    try:
        figure = module.figure_of(shown)
        figure.set_size_inches(figure.get_size_inches() * scale)
        return Picture(svg_text(figure))._repr_html_()
    except AnalysisError:  # this report has only a text
        return ""
