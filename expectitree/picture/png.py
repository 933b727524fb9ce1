"""A picture as PNG, made from its SVG by vl-convert (extra `draw`), without system libraries."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from expectitree.analysis.evaluate.report import Evaluation
from expectitree.base.errors import AnalysisError, install_hint
from expectitree.picture import svg
from expectitree.picture.content import Style

SCALE = 2.0  # pixels for each unit of the SVG
MAX_PIXELS = 12_000  # of a side; a larger picture is made smaller


def draw(evaluation: Evaluation, style: Style) -> bytes:
    """Return the picture as PNG, at most `style.width` pixels wide."""
    text, width = "\n".join(svg.draw(evaluation, style)), style.width
    sides = [float(text.split(f' {side}="', 1)[1].split('"', 1)[0]) for side in ("width", "height")]
    wanted = width / sides[0] if width else SCALE
    return bytes(library().svg_to_png(text, scale=min(SCALE, wanted, MAX_PIXELS / max(sides))))


def library() -> Any:
    """Return the library that converts SVG; raise `AnalysisError` where it is missing."""
    if find_spec("vl_convert") is None:
        raise AnalysisError(
            f"pictures as .png and .pdf need vl-convert: {install_hint('draw')}, or draw .svg"
        )
    return import_module("vl_convert")
