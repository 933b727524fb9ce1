"""A diagram as SVG: valid XML that stands for itself, with no script, no style sheet and no reference to anything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias
from xml.sax.saxutils import escape

from expectitree.analysis.evaluate.report import Evaluation
from expectitree.picture.content import BEST, Glyph, Style
from expectitree.picture.diagram import (
    HALF,
    Diagram,
    Path,
    PlacedEdge,
    PlacedGlyph,
    Point,
    Text,
    diagram,
)

Colours: TypeAlias = dict[str, Any]  # what is painted -> its colour; of a kind: fill and line
THEMES: dict[str, Colours] = {
    "light": {
        "paper": "#ffffff", "ink": "#1f2328", "line": "#57606a", "dim": "#59636e", "grey": "#868e97", "cut": "#a40e91",
        "MAX": ("#d3f0da", "#1a7f37"), "MIN": ("#ffdcd7", "#b62324"), "CHANCE": ("#d8e9ff", "#0b5cc4"),
        "TERMINAL": ("#f6f8fa", "#868e97"), "hidden": ("#ffffff", "#a4abb3"),
    },
    "dark": {
        "paper": "#0d1117", "ink": "#f0f6fc", "line": "#a3acb6", "dim": "#a3acb6", "grey": "#7d8590", "cut": "#f08fe5",
        "MAX": ("#123d20", "#4ac26b"), "MIN": ("#4b1a19", "#ff7b72"), "CHANCE": ("#10305c", "#6cb6ff"),
        "TERMINAL": ("#1c2330", "#7d8590"), "hidden": ("#0d1117", "#59626c"),
    },
}  # fmt: skip
FONTS = "Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif"


def picture_svg(evaluation: Evaluation, style: Style | None = None) -> Iterator[str]:
    """Yield the lines of the picture of an evaluated tree."""
    yield from _Svg(diagram(evaluation, style or Style())).lines()


class _Svg:
    def __init__(self, picture: Diagram) -> None:
        self.picture = picture
        self.colour = THEMES[picture.style.theme]

    def lines(self) -> Iterator[str]:
        picture, content = self.picture, self.picture.content
        width, height = _n(picture.width), _n(picture.height)
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
            f' role="img" font-family="{FONTS}" stroke-linejoin="round">'
        )
        yield f"<title>{escape(content.title or content.summary)}</title>"
        yield f"<desc>{escape(content.description)}</desc>"
        yield f'<rect width="{width}" height="{height}" fill="{self.colour["paper"]}"/>'
        for position, text in enumerate(picture.heading):
            is_summary = not text.is_bold and position >= 0
            yield self.text(text, "dim" if is_summary else "ink")
        yield f'<g fill="none" stroke="{self.colour["line"]}" stroke-width="1.2">'
        for edge in sorted(picture.edges, key=_importance):
            yield self.edge(edge)
        yield "</g>"
        # What is written on a branch has a rim of paper, where another branch passes below it.
        yield f'<g stroke="{self.colour["paper"]}" stroke-width="3" stroke-linejoin="round" paint-order="stroke">'
        for edge in picture.edges:
            yield from self.edge_texts(edge)
        yield "</g>"
        for glyph in picture.glyphs:
            yield self.glyph(glyph)
        yield "</svg>"

    def edge(self, placed: PlacedEdge) -> str:
        edge = placed.edge
        drawn = " ".join(map(_path, placed.paths))
        how = ""
        if edge.is_grey:
            how = f' stroke="{self.colour["grey"]}" stroke-width="1" stroke-dasharray="4 3"'
        elif edge.rank:
            how = f' stroke="{self.colour["ink"]}" stroke-width="{3 if edge.rank == BEST else 2}"'
        path = f'<path d="{drawn}"{how}/>'
        if placed.strokes:
            strokes = " ".join(f"M{_p(a)}L{_p(b)}" for a, b in placed.strokes)
            path += f'<path d="{strokes}" stroke="{self.colour["cut"]}" stroke-width="2"/>'
        return f"<g><title>{escape(edge.tooltip)}</title>{path}</g>"

    def edge_texts(self, placed: PlacedEdge) -> Iterator[str]:
        colour = "grey" if placed.edge.is_grey else "ink" if placed.edge.rank else "dim"
        for text in placed.texts:
            yield self.text(text, colour)

    def glyph(self, placed: PlacedGlyph) -> str:
        glyph = placed.glyph
        shape = self.shape(placed)
        texts = "".join(
            self.text(text, "grey" if glyph.is_grey else "ink" if not position and shape else "dim")
            for position, text in enumerate(placed.texts)
        )
        return f"<g><title>{escape(glyph.tooltip)}</title>{shape}{texts}</g>"

    def shape(self, placed: PlacedGlyph) -> str:
        glyph, x, y, half = placed.glyph, placed.x, placed.y, placed.half_width
        pair = self.colour.get("hidden" if glyph.is_grey else glyph.kind)
        if glyph.kind not in self.colour or not isinstance(pair, tuple):
            return ""
        paint = f'fill="{pair[0]}" stroke="{pair[1]}" stroke-width="1.4"'
        if glyph.is_estimate:
            paint += ' stroke-dasharray="3 2"'
        if glyph.kind == "CHANCE":
            return f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(HALF)}" {paint}/>'
        if glyph.kind == "TERMINAL":
            high = placed.box.bottom - placed.box.top
            return (
                f'<rect x="{_n(x - half)}" y="{_n(placed.box.top)}" width="{_n(2 * half)}" height="{_n(high)}" rx="3"'
                f" {paint}/>"
            )
        top, bottom = triangle(glyph, x, y)
        return f'<path d="M{_p(top)}L{_p(bottom[0])}L{_p(bottom[1])}Z" {paint}/>'

    def text(self, text: Text, colour: str) -> str:
        anchor = ' text-anchor="middle"' if text.anchor == "middle" else ""
        bold = ' font-weight="bold"' if text.is_bold else ""
        return (
            f'<text x="{_n(text.x)}" y="{_n(text.y)}" font-size="{_n(text.size)}" fill="{self.colour[colour]}"'
            f"{anchor}{bold}>{escape(text.text)}</text>"
        )


def triangle(glyph: Glyph, x: float, y: float) -> tuple[Point, tuple[Point, Point]]:
    """Return the tip of a player's triangle, and the two ends of the side across from it."""
    up = HALF if glyph.kind == "MAX" else -HALF
    return (x, y - up), ((x - HALF, y + up), (x + HALF, y + up))


def _importance(edge: PlacedEdge) -> int:
    """The best branches are drawn last, over all others."""
    return -1 if edge.edge.is_grey else edge.edge.rank


def _path(path: Path) -> str:
    text = "M" + "L".join(map(_p, path.points))
    if path.curve:
        text += "C" + " ".join(map(_p, path.curve))
    return text + (f"L{_p(path.goal)}" if path.goal else "")


def _p(point: Point) -> str:
    return f"{_n(point[0])},{_n(point[1])}"


def _n(number: float) -> str:
    """Return a number with a digit after the point, where it has one."""
    return "0" if abs(number) < 0.05 else f"{number:.1f}".removesuffix(".0")
