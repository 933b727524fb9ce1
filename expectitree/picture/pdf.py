"""A picture as PDF, made from its SVG as a PNG is (`png`)."""

from __future__ import annotations

from expectitree.analysis.evaluate.report import Evaluation
from expectitree.picture import svg
from expectitree.picture.content import Style
from expectitree.picture.png import library


def draw(evaluation: Evaluation, style: Style) -> bytes:
    """Return the picture as PDF."""
    return bytes(library().svg_to_pdf("\n".join(svg.draw(evaluation, style))))
