"""A picture as SVG: valid XML without scripts, style sheets and references."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.sax.saxutils import escape

from expectitree.picture.content import Content, Style
from expectitree.picture.diagram import Diagram, diagram_of
from expectitree.picture.marks import THEMES, Group, Line, Path, Symbol, Text
from expectitree.picture.text import is_measured, text_width

FONTS = "Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif"


def draw(content: Content, style: Style) -> Iterator[str]:
    """Yield the lines of the picture of a content, which may be folded."""
    return svg_lines(diagram_of(content, style), style.theme)


def svg_lines(picture: Diagram, theme: str = "light") -> Iterator[str]:
    """Yield the lines of a picture whose marks have their places."""
    content = picture.content
    writer = _Writer(THEMES[theme], picture.scale)
    width, height = writer.number(picture.width), writer.number(picture.height)
    area = f'width="{width}" height="{height}"'
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" {area} viewBox="0 0 {width} {height}" role="img"'
        f' font-family="{FONTS}" fill="none" stroke-linejoin="round">'
    )
    yield f"<title>{escape(content.title or content.summary[0])}</title>"
    yield f"<desc>{escape(content.description)}</desc>"
    yield f'<rect {area} fill="{writer.colours["paper"]}"/>'
    yield from map(writer.group, picture.groups)
    yield "</svg>"


class _Writer:
    """Writes marks at a scale; lines keep their width."""

    def __init__(self, colours: dict[str, str], scale: float) -> None:
        self.colours = colours
        self.scale = scale

    def group(self, group: Group) -> str:
        write: Any = {Text: self.text, Line: self.line, Symbol: self.symbol}
        marks = "".join(write[type(mark)](mark) for mark in group.marks)
        if group.of:
            marks = f"<title>{escape(group.of.tooltip)}</title>{marks}"
        return f"<g>{marks}</g>"

    def text(self, text: Text) -> str:
        x, y, size = map(self.number, (text.x, text.y, text.size))
        look = f'fill="{self.colours[text.colour]}"'
        if text.is_centred:
            look += ' text-anchor="middle"'
        if text.is_bold:
            look += ' font-weight="bold"'
        if text.has_rim:
            look += f' stroke="{self.colours["paper"]}" stroke-width="3" paint-order="stroke"'
        if is_measured(text.text):  # so that another font has this width, too
            width = self.number(text_width(text.text, text.size, text.is_bold))
            look += f' textLength="{width}" lengthAdjust="spacingAndGlyphs"'
        return f'<text x="{x}" y="{y}" font-size="{size}" {look}>{escape(text.text)}</text>'

    def line(self, line: Line) -> str:
        d = "".join(map(self.path, line.paths))
        pen = f'stroke="{self.colours[line.colour]}" stroke-width="{line.width}"'
        if line.dashes:
            pen += f' stroke-dasharray="{line.dashes}"'
        return f'<path d="{d}" {pen}/>'

    def symbol(self, symbol: Symbol) -> str:
        fill = self.colours[symbol.colour]
        line = self.colours[f"{symbol.colour}line"]
        paint = f'fill="{fill}" stroke="{line}" stroke-width="{symbol.width}"'
        if symbol.is_dashed:
            paint += ' stroke-dasharray="3 2"'
        x, y, right, bottom = symbol.box
        if symbol.shape == "CIRCLE":
            circle = (x + right) / 2, (y + bottom) / 2, (right - x) / 2
            cx, cy, radius = map(self.number, circle)
            return f'<circle cx="{cx}" cy="{cy}" r="{radius}" {paint}/>'
        if symbol.shape in ("BOX", "SQUARE"):
            left, top, width, height = map(self.number, (x, y, right - x, bottom - y))
            place = f'x="{left}" y="{top}" width="{width}" height="{height}"'
            if symbol.shape == "BOX":
                place += ' rx="3"'
            return f"<rect {place} {paint}/>"
        return f'<path d="{self.path(symbol.triangle)}Z" {paint}/>'

    def path(self, path: Path) -> str:
        parts = (("M", "L", path.points), ("C", " ", path.curve), ("L", "L", path.rest))
        return "".join(
            start + between.join(f"{self.number(x)},{self.number(y)}" for x, y in points)
            for start, between, points in parts
            if points
        )

    def number(self, number: float) -> str:
        """Return a number at the scale, with one decimal, or none where that is 0."""
        return f"{number * self.scale:z.1f}".removesuffix(".0")
