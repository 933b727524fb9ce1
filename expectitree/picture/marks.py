"""What a picture is drawn with: texts, lines and symbols. A format writes these three."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from expectitree.picture.content import Edge, Glyph

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

    def scaled(self, by: float) -> Box:
        """Return the box at another scale."""
        return Box(*(end * by for end in self))

    @property
    def transposed(self) -> Box:
        """The box with its two axes exchanged."""
        return Box(self.top, self.left, self.bottom, self.right)


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

    def scaled(self, by: float) -> Text:
        """Return the text at another scale."""
        return self._replace(x=self.x * by, y=self.y * by, size=self.size * by)


class Path(NamedTuple):
    """A line through points; then perhaps a curve, and a line through more points."""

    points: tuple[Point, ...]
    curve: tuple[Point, ...] = ()  # two control points and the curve's end
    rest: tuple[Point, ...] = ()

    def scaled(self, by: float) -> Path:
        """Return the path at another scale."""
        return Path(*(tuple((x * by, y * by) for x, y in part) for part in self))


class Line(NamedTuple):
    """A stroke along some paths."""

    paths: tuple[Path, ...]
    colour: str  # a key of a theme
    width: float
    is_dashed: bool = False

    def scaled(self, by: float) -> Line:
        """Return the line at another scale, with the same thickness."""
        return self._replace(paths=tuple(path.scaled(by) for path in self.paths))


class Symbol(NamedTuple):
    """A filled shape: a triangle for MAX and MIN, a circle for CHANCE, a box for a terminal."""

    kind: str
    box: Box
    colour: str  # a key of a theme
    is_dashed: bool
    width: float = 1.4  # of its line

    @property
    def triangle(self) -> Path:
        """The corners of a player's symbol, its tip first."""
        left, top, right, bottom = self.box
        tip, side = (top, bottom) if self.kind == "MAX" else (bottom, top)
        return Path((((left + right) / 2, tip), (left, side), (right, side)))

    def moved(self, x: float, y: float) -> Symbol:
        """Return the symbol at another place."""
        return self._replace(box=self.box.moved(x, y))

    def scaled(self, by: float) -> Symbol:
        """Return the symbol at another scale."""
        return self._replace(box=self.box.scaled(by))


Mark: TypeAlias = Text | Line | Symbol


class Group(NamedTuple):
    """Marks that belong together."""

    marks: tuple[Mark, ...]
    of: Glyph | Edge | None = None  # whose tooltip they have
    box: Box | None = None  # of texts and symbols

    def scaled(self, by: float) -> Group:
        """Return the group at another scale."""
        marks = tuple(mark.scaled(by) for mark in self.marks)
        return Group(marks, self.of, self.box and self.box.scaled(by))
