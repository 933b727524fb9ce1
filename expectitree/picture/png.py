"""A picture as PNG, made from its SVG by vl-convert (extra `draw`), without system libraries."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from expectitree.analysis.evaluate.report import Evaluation
from expectitree.errors import AnalysisError, install_hint
from expectitree.picture import svg
from expectitree.picture.content import Style

SCALE = 2.0  # pixels for each unit of the SVG
MOST_PIXELS = 12_000  # of a side; a larger picture is made smaller


def draw(evaluation: Evaluation, style: Style | None = None) -> bytes:
    """Return the picture as PNG."""
    text = "\n".join(svg.draw(evaluation, style))
    sides = [float(text.split(f' {side}="', 1)[1].split('"', 1)[0]) for side in ("width", "height")]
    wanted = style.width / sides[0] if style and style.width else SCALE
    return bytes(library().svg_to_png(text, scale=min(SCALE, wanted, MOST_PIXELS / max(sides))))


def library() -> Any:
    """Return the library that converts SVG; raise `AnalysisError` where it is missing."""
    if find_spec("vl_convert") is None:
        raise AnalysisError(
            f"pictures as .png and .pdf need vl-convert: {install_hint('draw')}, or draw .svg"
        )
    return import_module("vl_convert")
