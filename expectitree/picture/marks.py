"""What a picture is drawn with: texts, lines and symbols, which a format writes, and colours."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from expectitree.picture.content import Edge, Glyph

# The colours by purpose. A symbol has one for its area and one for its line.
THEMES = {
    "light": {
        "paper": "#ffffff", "ink": "#1f2328", "line": "#57606a", "dim": "#59636e",
        "grey": "#868e97", "cut": "#a40e91",
        "MAX": "#d3f0da", "MAXline": "#1a7f37", "MIN": "#ffdcd7", "MINline": "#b62324",
        "CHANCE": "#d8e9ff", "CHANCEline": "#0b5cc4",
        "TERMINAL": "#f6f8fa", "TERMINALline": "#868e97",
        "best": "#f6f8fa", "bestline": "#1f2328",
        "hidden": "#ffffff", "hiddenline": "#a4abb3",
    },
    "dark": {
        "paper": "#0d1117", "ink": "#f0f6fc", "line": "#a3acb6", "dim": "#a3acb6",
        "grey": "#7d8590", "cut": "#f08fe5",
        "MAX": "#123d20", "MAXline": "#4ac26b", "MIN": "#4b1a19", "MINline": "#ff7b72",
        "CHANCE": "#10305c", "CHANCEline": "#6cb6ff",
        "TERMINAL": "#1c2330", "TERMINALline": "#7d8590",
        "best": "#1c2330", "bestline": "#f0f6fc",
        "hidden": "#0d1117", "hiddenline": "#59626c",
    },
}  # fmt: skip

Point: TypeAlias = tuple[float, float]


class Box(NamedTuple):
    """The room that something takes."""

    left: float
    top: float
    right: float
    bottom: float

    def moved(self, x: float, y: float) -> Box:
        """Return the box at another place."""
        return Box(self.left + x, self.top + y, self.right + x, self.bottom + y)


class Text(NamedTuple):
    """One line of text; `y` is its baseline."""

    x: float
    y: float
    text: str
    size: float
    colour: str  # a key of a theme
    is_centred: bool = False  # around x; else it begins there
    is_bold: bool = False
    has_rim: bool = False  # of paper, so that it can be read where a branch passes below it

    def moved(self, x: float, y: float) -> Text:
        """Return the text at another place."""
        return self._replace(x=self.x + x, y=self.y + y)


class Path(NamedTuple):
    """A line through points; then perhaps a curve, and a line through more points."""

    points: tuple[Point, ...]
    curve: tuple[Point, ...] = ()  # two control points and the curve's end
    rest: tuple[Point, ...] = ()


class Line(NamedTuple):
    """A stroke along some paths."""

    paths: tuple[Path, ...]
    colour: str  # a key of a theme
    width: float
    dashes: str = ""  # the lengths of dashes and gaps


class Symbol(NamedTuple):
    """A filled shape: a triangle, whose tip is up, down or to the left (END), or another."""

    shape: str  # one of `SHAPES`
    box: Box
    colour: str  # a key of a theme
    is_dashed: bool
    width: float = 1.4  # of its line

    @property
    def triangle(self) -> Path:
        """The corners of a triangle, its tip first."""
        left, top, right, bottom = self.box
        if self.shape == "END":
            return Path(((left, (top + bottom) / 2), (right, top), (right, bottom)))
        tip, side = (top, bottom) if self.shape == "UP" else (bottom, top)
        return Path((((left + right) / 2, tip), (left, side), (right, side)))

    def moved(self, x: float, y: float) -> Symbol:
        """Return the symbol at another place."""
        return self._replace(box=self.box.moved(x, y))


Mark: TypeAlias = Text | Line | Symbol


class Group(NamedTuple):
    """Marks that belong together."""

    marks: tuple[Mark, ...]
    of: Glyph | Edge | None = None  # whose tooltip they have
    box: Box | None = None  # of texts and symbols
