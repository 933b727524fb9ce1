"""Pictures as PNG and PDF: vl-convert (extra `draw`) makes them of the SVG."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from expectitree.base.errors import AnalysisError, install_hint

SCALE = 2.0  # pixels for each unit of the SVG
MAX_PIXELS = 12_000  # of a side; a larger picture is made smaller


def converted(svg: str, kind: str, width: float | None) -> bytes:
    """Return a picture as "pdf", or as "png" of at most `width` pixels."""
    if kind == "pdf":
        return bytes(library().svg_to_pdf(svg))
    sides = [float(svg.split(f' {side}="', 1)[1].split('"', 1)[0]) for side in ("width", "height")]
    wanted = width / sides[0] if width else SCALE
    return bytes(library().svg_to_png(svg, scale=min(SCALE, wanted, MAX_PIXELS / max(sides))))


def library() -> Any:
    """Return the library that converts SVG; raise `AnalysisError` where it is missing."""
    if find_spec("vl_convert") is None:
        raise AnalysisError(
            f"pictures as .png and .pdf need vl-convert: {install_hint('draw')}, or draw .svg"
        )
    return import_module("vl_convert")
