"""A picture as SVG: valid XML without scripts, style sheets and references."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape

from expectitree.analysis.evaluate.report import Evaluation
from expectitree.picture.content import Style
from expectitree.picture.diagram import diagram
from expectitree.picture.marks import Line, Mark, Path, Point, Symbol, Text
from expectitree.picture.theme import THEMES

FONTS = "Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif"


def draw(evaluation: Evaluation, style: Style | None = None) -> Iterator[str]:
    """Yield the lines of the picture of an evaluated tree."""
    picture = diagram(evaluation, style or Style())
    content, colours = picture.content, THEMES[picture.style.theme]
    width, height = _number(picture.width), _number(picture.height)
    size = f'width="{width}" height="{height}"'
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width} {height}" role="img"'
        f' font-family="{FONTS}" fill="none" stroke-linejoin="round">'
    )
    yield f"<title>{escape(content.title or content.summary[0])}</title>"
    yield f"<desc>{escape(content.description)}</desc>"
    yield f'<rect {size} fill="{colours["paper"]}"/>'
    for group in picture.groups:
        title = f"<title>{escape(group.of.tooltip)}</title>" if group.of else ""
        yield f"<g>{title}{''.join(_mark(mark, colours) for mark in group.marks)}</g>"
    yield "</svg>"


def _mark(mark: Mark, colours: dict[str, str]) -> str:
    if isinstance(mark, Text):
        anchor = ' text-anchor="middle"' if mark.is_centred else ""
        bold = ' font-weight="bold"' if mark.is_bold else ""
        place = f'x="{_number(mark.x)}" y="{_number(mark.y)}" font-size="{_number(mark.size)}"'
        look = f'fill="{colours[mark.colour]}"{anchor}{bold}'
        if mark.has_rim:
            look += f' stroke="{colours["paper"]}" stroke-width="3" paint-order="stroke"'
        return f"<text {place} {look}>{escape(mark.text)}</text>"
    if isinstance(mark, Line):
        d = "".join(map(_path, mark.paths))
        pen = f'stroke="{colours[mark.colour]}" stroke-width="{mark.width}"'
        dashes = ' stroke-dasharray="4 3"' if mark.is_dashed else ""
        return f'<path d="{d}" {pen}{dashes}/>'
    return _symbol(mark, colours)


def _symbol(symbol: Symbol, colours: dict[str, str]) -> str:
    fill, line = colours[symbol.colour], colours[f"{symbol.colour}line"]
    paint = f'fill="{fill}" stroke="{line}" stroke-width="{symbol.width}"'
    if symbol.is_dashed:
        paint += ' stroke-dasharray="3 2"'
    x, y = symbol.box.left, symbol.box.top
    width, high = symbol.box.right - x, symbol.box.bottom - y
    if symbol.kind == "CHANCE":
        middle = f'cx="{_number(x + width / 2)}" cy="{_number(y + high / 2)}"'
        return f'<circle {middle} r="{_number(width / 2)}" {paint}/>'
    if symbol.kind == "TERMINAL":
        size = f'width="{_number(width)}" height="{_number(high)}"'
        return f'<rect x="{_number(x)}" y="{_number(y)}" {size} rx="3" {paint}/>'
    return f'<path d="{_path(symbol.triangle)}Z" {paint}/>'


def _path(path: Path) -> str:
    text = "M" + "L".join(map(_point, path.points))
    if path.curve:
        text += "C" + " ".join(map(_point, path.curve))
    return text + "".join(f"L{_point(point)}" for point in path.rest)


def _point(point: Point) -> str:
    return f"{_number(point[0])},{_number(point[1])}"


def _number(number: float) -> str:
    """Return a number with one decimal, or none where that is 0."""
    return "0" if abs(number) < 0.05 else f"{number:.1f}".removesuffix(".0")
