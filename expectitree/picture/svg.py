"""A diagram as SVG: valid XML without scripts, style sheets and references."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias
from xml.sax.saxutils import escape

from expectitree.analysis.evaluate.report import Evaluation
from expectitree.picture.content import BEST, Style
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

Colours: TypeAlias = dict[str, Any]  # its colours by purpose; of a kind: fill and line
THEMES: dict[str, Colours] = {
    "light": {
        "paper": "#ffffff", "ink": "#1f2328", "line": "#57606a", "dim": "#59636e",
        "grey": "#868e97", "cut": "#a40e91",
        "MAX": ("#d3f0da", "#1a7f37"), "MIN": ("#ffdcd7", "#b62324"),
        "CHANCE": ("#d8e9ff", "#0b5cc4"),
        "TERMINAL": ("#f6f8fa", "#868e97"), "hidden": ("#ffffff", "#a4abb3"),
    },
    "dark": {
        "paper": "#0d1117", "ink": "#f0f6fc", "line": "#a3acb6", "dim": "#a3acb6",
        "grey": "#7d8590", "cut": "#f08fe5",
        "MAX": ("#123d20", "#4ac26b"), "MIN": ("#4b1a19", "#ff7b72"),
        "CHANCE": ("#10305c", "#6cb6ff"),
        "TERMINAL": ("#1c2330", "#7d8590"), "hidden": ("#0d1117", "#59626c"),
    },
}  # fmt: skip
SYMBOLS = ("MAX", "MIN", "CHANCE", "TERMINAL")  # the glyphs that have one
FONTS = "Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif"


def draw(evaluation: Evaluation, style: Style | None = None) -> Iterator[str]:
    """Yield the lines of the picture of an evaluated tree."""
    yield from _Svg(diagram(evaluation, style or Style())).lines()


class _Svg:
    def __init__(self, picture: Diagram) -> None:
        self.picture = picture
        self.colour = THEMES[picture.style.theme]

    def lines(self) -> Iterator[str]:
        picture, content = self.picture, self.picture.content
        size = f'width="{_n(picture.width)}" height="{_n(picture.height)}"'
        box = f'viewBox="0 0 {_n(picture.width)} {_n(picture.height)}"'
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} role="img"'
            f' font-family="{FONTS}" stroke-linejoin="round">'
        )
        yield f"<title>{escape(content.title or content.summary)}</title>"
        yield f"<desc>{escape(content.description)}</desc>"
        yield f'<rect {size} fill="{self.colour["paper"]}"/>'
        for text in picture.heading:
            yield self.text(text, "ink" if text.is_bold else "dim")
        yield f'<g fill="none" stroke="{self.colour["line"]}" stroke-width="1.2">'
        for placed in sorted(picture.edges, key=importance):
            yield self.edge(placed)
        yield "</g>"
        # Texts have a rim of paper, so that they can be read where a branch passes below them.
        yield (
            f'<g stroke="{self.colour["paper"]}" stroke-width="3" stroke-linejoin="round"'
            ' paint-order="stroke">'
        )
        for placed in picture.edges:
            for text in placed.texts:
                yield self.text(text, edge_colour(placed))
        yield "</g>"
        for glyph in picture.glyphs:
            yield self.glyph(glyph)
        yield "</svg>"

    def edge(self, placed: PlacedEdge) -> str:
        edge = placed.edge
        look = ""
        if edge.is_grey:
            look = f' stroke="{self.colour["grey"]}" stroke-width="1" stroke-dasharray="4 3"'
        elif edge.rank:
            look = f' stroke="{self.colour["ink"]}" stroke-width="{3 if edge.rank == BEST else 2}"'
        path = f'<path d="{" ".join(map(_path, placed.paths))}"{look}/>'
        if placed.strokes:
            strokes = " ".join(f"M{_p(a)}L{_p(b)}" for a, b in placed.strokes)
            path += f'<path d="{strokes}" stroke="{self.colour["cut"]}" stroke-width="2"/>'
        return f"<g><title>{escape(edge.tooltip)}</title>{path}</g>"

    def glyph(self, placed: PlacedGlyph) -> str:
        shape = self.shape(placed)
        texts = "".join(
            self.text(text, glyph_colour(placed, position))
            for position, text in enumerate(placed.texts)
        )
        return f"<g><title>{escape(placed.glyph.tooltip)}</title>{shape}{texts}</g>"

    def shape(self, placed: PlacedGlyph) -> str:
        glyph, x, y, half = placed.glyph, placed.x, placed.y, placed.half_width
        if glyph.kind not in SYMBOLS:
            return ""
        fill, line = self.colour["hidden" if glyph.is_grey else glyph.kind]
        paint = f'fill="{fill}" stroke="{line}" stroke-width="1.4"'
        if glyph.is_estimate:
            paint += ' stroke-dasharray="3 2"'
        if glyph.kind == "CHANCE":
            return f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(HALF)}" {paint}/>'
        if glyph.kind == "TERMINAL":
            top, high = placed.box.top, placed.box.bottom - placed.box.top
            size = f'width="{_n(2 * half)}" height="{_n(high)}"'
            return f'<rect x="{_n(x - half)}" y="{_n(top)}" {size} rx="3" {paint}/>'
        tip, one, other = triangle(placed)
        return f'<path d="M{_p(tip)}L{_p(one)}L{_p(other)}Z" {paint}/>'

    def text(self, text: Text, colour: str) -> str:
        anchor = ' text-anchor="middle"' if text.anchor == "middle" else ""
        bold = ' font-weight="bold"' if text.is_bold else ""
        place = f'x="{_n(text.x)}" y="{_n(text.y)}" font-size="{_n(text.size)}"'
        return (
            f'<text {place} fill="{self.colour[colour]}"{anchor}{bold}>{escape(text.text)}</text>'
        )


def triangle(placed: PlacedGlyph) -> tuple[Point, Point, Point]:
    """Return the tip of a player's triangle, and the two ends of the side across from it."""
    x, y = placed.x, placed.y
    up = HALF if placed.glyph.kind == "MAX" else -HALF
    return (x, y - up), (x - HALF, y + up), (x + HALF, y + up)


def importance(placed: PlacedEdge) -> int:
    """Return when an edge is drawn: the best branches last, over all others."""
    return -1 if placed.edge.is_grey else placed.edge.rank


def edge_colour(placed: PlacedEdge) -> str:
    """Return the colour of an edge's texts."""
    return "grey" if placed.edge.is_grey else "ink" if placed.edge.rank else "dim"


def glyph_colour(placed: PlacedGlyph, position: int) -> str:
    """Return the colour of a glyph's text: the first one of a node is its value."""
    if placed.glyph.is_grey:
        return "grey"
    return "ink" if not position and placed.glyph.kind in SYMBOLS else "dim"


def _path(path: Path) -> str:
    text = "M" + "L".join(map(_p, path.points))
    if path.curve:
        text += "C" + " ".join(map(_p, path.curve))
    return text + (f"L{_p(path.goal)}" if path.goal else "")


def _p(point: Point) -> str:
    return f"{_n(point[0])},{_n(point[1])}"


def _n(number: float) -> str:
    """Return a number with one decimal, or none where that is 0."""
    return "0" if abs(number) < 0.05 else f"{number:.1f}".removesuffix(".0")
