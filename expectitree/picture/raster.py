"""A picture as PNG and PDF: made of its SVG by vl-convert, which needs nothing of the system (extra `draw`)."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from expectitree.analysis.evaluate.report import Evaluation
from expectitree.errors import AnalysisError
from expectitree.picture.content import Style
from expectitree.picture.svg import picture_svg

SCALE = 2.0  # pixels for each unit of the SVG
MOST_PIXELS = 12_000  # of a side; a larger picture is made smaller


def check_raster() -> None:
    """Raise `AnalysisError` where the library is missing."""
    if find_spec("vl_convert") is None:
        raise AnalysisError(
            "pictures as .png and .pdf need vl-convert: pip install 'expectitree[draw]', or draw .svg"
        )


def picture_png(evaluation: Evaluation, style: Style | None = None) -> bytes:
    """Return the picture as PNG."""
    svg = "\n".join(picture_svg(evaluation, style))
    width, height = (
        float(svg.split(f' {side}="', 1)[1].split('"', 1)[0]) for side in ("width", "height")
    )
    return bytes(_library().svg_to_png(svg, scale=min(SCALE, MOST_PIXELS / max(width, height))))


def picture_pdf(evaluation: Evaluation, style: Style | None = None) -> bytes:
    """Return the picture as PDF."""
    return bytes(_library().svg_to_pdf("\n".join(picture_svg(evaluation, style))))


def _library() -> Any:
    check_raster()
    import vl_convert

    return vl_convert
