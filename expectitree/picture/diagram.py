"""The place of everything in a picture: symbols, lines and texts with their coordinates.

The layout has two axes: `cross` within a row, and `along` from row to row. Rows of nodes and rows
of the texts on their branches take turns. Each text, and each branch that passes a row, has room of
its own there, so no line runs through a node or a text. Only a branch to a shared node that is
drawn elsewhere ends with a curve, which stays between two rows. Points of the layout are (cross,
along). They become (x, y) at the end, exchanged where the tree grows to the right.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias
from unicodedata import bidirectional

from expectitree.analysis.evaluate.report import Evaluation
from expectitree.picture.content import (
    BEST,
    PLAIN,
    SYMBOLS,
    TIE,
    Content,
    Edge,
    Glyph,
    Style,
    content,
)
from expectitree.picture.marks import Box, Group, Line, Path, Point, Symbol, Text
from expectitree.picture.text import LINE, broken, text_width
from expectitree.picture.tidy import Item, tidy

FONT, LABEL_FONT, SMALL_FONT, TITLE_FONT = 13.0, 12.0, 11.0, 16.0
HALF = 12.0  # of a symbol's width and height
_BESIDE = HALF + 5  # from a symbol's middle to its text
_BOX = 11.0  # half the height of a terminal's box
_MARGIN = 16.0
_STROKE = 6.5  # half of a stroke across a branch
_STROKES_APART = 2.2  # half of the distance between two strokes
_NARROWEST = 300.0  # of a picture with a heading
_EMPTY = Box(0, 0, 0, 0)


class _Distances(NamedTuple):
    """The distances that depend on the direction of growth."""

    fan: float  # least between a row of nodes and that of their branches' texts
    most_fan: float
    steepness: float  # how much of a branch's way across is added to that
    apart: float  # between nodes
    apart_terminals: float
    apart_lines: float


_DISTANCES = {
    "down": _Distances(28, 130, 0.12, 14, 10, 10),
    "right": _Distances(26, 150, 0.15, 10, 4, 6),
}


class Diagram(NamedTuple):
    """A whole picture: its groups of marks from the back to the front."""

    content: Content
    style: Style
    width: float
    height: float
    groups: list[Group]


def diagram(evaluation: Evaluation, style: Style) -> Diagram:
    """Return the picture of an evaluated tree, with the place of everything."""
    return _Layout(content(evaluation, style), style).diagram()


class _Block(NamedTuple):
    """The marks of a glyph or of an edge's texts, and their room, around an origin as (x, y)."""

    box: Box
    marks: tuple[Symbol | Text, ...]
    symbol: Point = (0, 0)  # how far a glyph's symbol reaches to the left and above


@dataclass(eq=False)
class _Item(Item):
    """A glyph, the texts of an edge, or an edge that passes a row."""

    row: int = 0
    block: _Block | None = None
    box: Box = _EMPTY  # of the block, as (cross, along)
    along: float = 0


@dataclass
class _Row:
    """A row of the layout. Above a row of texts, branches fan out; below it are curves."""

    before: float = 0  # the most that an item reaches back from its origin
    after: float = 0
    spread: float = 0  # the most that a branch to a text goes across
    curve: float = 0  # the room of curves below the row
    fan: float = 0  # where branches begin to fan out
    start: float = 0
    end: float = 0


class _Layout:
    """Lays out a picture's content along the two axes."""

    def __init__(self, found: Content, style: Style) -> None:
        self.content, self.style = found, style
        self.is_down = style.direction == "down"
        self.distances = _DISTANCES[style.direction]
        self.items: list[_Item] = []
        self.item: dict[Glyph | Edge, _Item] = {}  # of a glyph, and of an edge's texts
        self.last: dict[Edge, _Item] = {}  # the last item of an edge before its child
        self.offset = (0.0, 0.0)  # from a place in the layout to that in the picture

    def diagram(self) -> Diagram:
        """Return the whole picture."""
        self.make_items()
        tidy(self.items)
        self.make_rows()
        width, height, heading = self.frame()
        return Diagram(self.content, self.style, width, height, [heading, *self.groups()])

    def make_items(self) -> None:
        """Create one item per glyph, per edge's texts, and per row that an edge passes."""
        layer, stack = self.content.layer, [self.content.glyphs[0]]
        self.add_glyph(stack[0], None)
        while stack:
            glyph = stack.pop()
            item = self.item[glyph]
            for edge in glyph.below:
                last = self.add(item.row + 1, _edge_block(edge, self.is_down), item)
                self.item[edge] = last
                for row in range(item.row + 2, 2 * layer[edge.child]):
                    last = self.add(row, None, last)
                self.last[edge] = last
                if edge.is_first:
                    self.add_glyph(edge.child, last)
                    stack.append(edge.child)

    def add_glyph(self, glyph: Glyph, parent: _Item | None) -> None:
        """Add the item of a glyph below another item."""
        distances, row = self.distances, 2 * self.content.layer[glyph]
        apart = distances.apart_terminals if glyph.kind == "TERMINAL" else distances.apart
        self.item[glyph] = self.add(row, _glyph_block(glyph), parent, apart)

    def add(
        self, row: int, block: _Block | None, parent: _Item | None, apart: float | None = None
    ) -> _Item:
        """Add an item below another; `apart` is its distance from its neighbours."""
        item, half = _Item(row=row, block=block), (apart or self.distances.apart_lines) / 2
        if block:
            item.box = block.box if self.is_down else block.box.transposed
        item.left, item.right = half - item.box.left, half + item.box.right
        self.items.append(item)
        if parent:
            parent.children.append(item)
        return item

    def make_rows(self) -> None:
        """Compute where each row begins, and with it the place of each item along the rows."""
        distances = self.distances
        rows = self.rows = [_Row() for _ in range(2 * max(self.content.layer.values()) + 1)]
        for item in self.items:
            row = rows[item.row]
            row.before, row.after = max(row.before, -item.box.top), max(row.after, item.box.bottom)
        for row in rows[1::2]:
            row.curve = 9.0 if row.after else 0.0
        for edge in self.content.edges:
            parent, text, child = self.item[edge.parent], self.item[edge], self.item[edge.child]
            row = rows[text.row]
            row.spread = max(row.spread, abs(parent.place - text.place))
            if not edge.is_first:
                way = abs(self.last[edge].place - child.place) * distances.steepness
                row = rows[child.row - 1]
                row.curve = max(row.curve, 26 + min(way, distances.most_fan))
        along = 0.0
        for number, row in enumerate(rows):
            row.fan = along
            if number % 2:
                fan = distances.fan + row.spread * distances.steepness
                along += min(fan, distances.most_fan)
            row.start = along
            row.end = along + row.before + row.after
            along = row.end + row.curve
        for item in self.items:
            row = rows[item.row]
            item.along = row.start
            if item.row % 2 == 0:  # a column of nodes is flush left
                item.along += row.before if self.is_down else -item.box.top

    # ---- Places in the picture.

    def frame(self) -> tuple[float, float, Group]:
        """Return the picture's size and its heading; move the layout to positive coordinates."""
        boxes = [item.box.moved(item.place, item.along) for item in self.items if item.block]
        if not self.is_down:
            boxes = [box.transposed for box in boxes]
        left, top = min(box.left for box in boxes), min(box.top for box in boxes)
        wide, high = max(box.right for box in boxes) - left, max(box.bottom for box in boxes) - top
        inner, y, heading = wide, _MARGIN, []
        if self.style.title:
            inner = max(wide, _NARROWEST)
            title, summary = self.content.title, self.content.summary
            for text, size, is_bold in (title, TITLE_FONT, True), (summary, LABEL_FONT, False):
                colour = "ink" if is_bold else "dim"
                for line in broken(text, int(inner / size / 0.6), 6):
                    inner = max(inner, text_width(line, size, is_bold))
                    heading.append(Text(_MARGIN, y + size, line, size, colour, is_bold=is_bold))
                    y += size * LINE
            y += 14
        self.offset = (_MARGIN + (inner - wide) / 2 - left, y - top)
        return inner + 2 * _MARGIN, y + high + _MARGIN, Group(tuple(heading))

    def groups(self) -> Iterator[Group]:
        """Yield the groups of marks; the best branches lie over all others."""
        edges = self.content.edges
        for edge in sorted(edges, key=lambda edge: (not edge.is_grey, edge.rank)):
            yield Group(tuple(self.lines(edge)), edge)
        things: list[Edge | Glyph] = [*edges, *self.content.glyphs]
        for of in things:
            item = self.item[of]
            if item.block:
                x, y = self.point(item.place, item.along)
                marks = tuple(mark.moved(x, y) for mark in item.block.marks)
                yield Group(marks, of, item.block.box.moved(x, y))

    def point(self, cross: float, along: float) -> Point:
        """Return a place in the picture."""
        x, y = (cross, along) if self.is_down else (along, cross)
        return x + self.offset[0], y + self.offset[1]

    def path(self, *parts: list[Point]) -> Path:
        """Return a path of the layout as one of the picture."""
        return Path(*(tuple(self.point(*point) for point in part) for part in parts))

    def lines(self, edge: Edge) -> Iterator[Line]:
        """Yield the line of an edge, and the strokes of a cut across it."""
        parent, text, child = self.item[edge.parent], self.item[edge], self.item[edge.child]
        assert child.block is not None
        below = HALF if self.is_down else parent.box.bottom + 3
        above = child.block.symbol[1 if self.is_down else 0]
        goal = (child.place, child.along - above)
        fan = (parent.place, self.rows[text.row].fan)
        points, slanted_to = [(parent.place, parent.along + below), fan], goal
        if child.row > text.row + 1 or not self.is_bare(edge.parent):
            slanted_to = (text.place, text.along)
            points.append(slanted_to)
        paths, curve = [], []
        if text.block:
            paths.append(self.path(points))
            points = [(text.place, text.along + text.box.bottom)]
        if not edge.is_first:
            end, begin = self.rows[child.row - 1].end, self.rows[child.row].start
            half = (end + begin) / 2
            points.append((text.place, end))
            curve = [(text.place, half), (child.place, half), (child.place, begin)]
        paths.append(self.path(points, curve, [goal]))
        colour = "grey" if edge.is_grey else "ink" if edge.rank else "line"
        width = 1 if edge.is_grey else {PLAIN: 1.2, TIE: 2, BEST: 3}[edge.rank]
        yield Line(tuple(paths), colour, width, edge.is_grey)
        if edge.is_cut:
            yield Line(self.strokes(fan, slanted_to), "cut", 2)

    def is_bare(self, glyph: Glyph) -> bool:
        """Say whether the branches of a glyph are straight lines: no text, no curve."""
        return all(edge.is_first and not self.item[edge].block for edge in glyph.below)

    def strokes(self, start: Point, end: Point) -> tuple[Path, ...]:
        """Return the two strokes across the slanted part of a branch that was cut."""
        (x, y), way_x, way_y = start, end[0] - start[0], end[1] - start[1]
        long = (way_x**2 + way_y**2) ** 0.5 or 1.0
        aside_x, aside_y = -way_y / long * _STROKE, way_x / long * _STROKE
        paths = []
        for apart in (-_STROKES_APART, _STROKES_APART):
            part = 0.58 + apart / long
            at_x, at_y = x + way_x * part, y + way_y * part
            ends = [(at_x - aside_x, at_y - aside_y), (at_x + aside_x, at_y + aside_y)]
            paths.append(self.path(ends))
        return tuple(paths)


# ---- Sizes.


_Lines: TypeAlias = list[tuple[str, float, str]]  # each a text, its size, and its colour


def _glyph_block(glyph: Glyph) -> _Block:
    """Return the marks of a glyph around the middle of its symbol."""
    first, rest = ("grey", "grey") if glyph.is_grey else ("ink", "dim")
    lines = [(line, SMALL_FONT, rest) for line in glyph.remarks]
    if glyph.kind not in SYMBOLS:
        lines = lines or [(glyph.value, SMALL_FONT, rest)]
        half, high = _widest(lines) / 2, len(lines) * SMALL_FONT * LINE / 2
        return _Block(Box(-half, -high, half, high), _texts(lines), (half + 3, high + 1))
    lines.insert(0, (glyph.value, FONT, first))
    colour = "hidden" if glyph.is_grey else glyph.kind
    if glyph.kind == "TERMINAL":
        half = max(HALF, _widest(lines) / 2 + 5)
        box = Box(-half, -_BOX, half, _BOX)
        symbol = Symbol(glyph.kind, box, colour, glyph.is_estimate)
        return _Block(box, (symbol, *_texts(lines)), (half, _BOX))
    high = max(HALF, sum(size for _, size, _ in lines) * LINE / 2)
    box = Box(-HALF, -high, _BESIDE + _widest(lines), high)
    symbol = Symbol(glyph.kind, Box(-HALF, -HALF, HALF, HALF), colour, glyph.is_estimate)
    reach = HALF if glyph.kind == "CHANCE" else HALF / 2
    return _Block(box, (symbol, *_texts(lines, x=_BESIDE)), (reach, HALF))


def _edge_block(edge: Edge, is_down: bool) -> _Block | None:
    """Return the texts of an edge; the origin is where they begin, in their middle."""
    texts = edge.lines
    if not texts:
        return None
    if edge.probability and len(texts) == 2 and not is_down and not _is_right_to_left(texts[0]):
        texts = (f"{texts[0]}, p {edge.probability}",)
    colour, is_bold = "grey" if edge.is_grey else "ink" if edge.rank else "dim", edge.rank == BEST
    lines = [(line, LABEL_FONT, colour) for line in texts]
    width, high = _widest(lines, is_bold), len(lines) * LABEL_FONT * LINE
    if is_down:
        box, x, y = Box(-width / 2, 0, width / 2, high + 2), 0, high / 2 + 1
    else:
        box, x, y = Box(0, -high / 2, width + 6, high / 2), 3, 0
    texts_ = _texts(lines, x, y, is_bold)
    return _Block(box, tuple(text._replace(has_rim=True) for text in texts_))


def _widest(lines: _Lines, is_bold: bool = False) -> float:
    return max(text_width(text, size, is_bold) for text, size, _ in lines)


def _texts(lines: _Lines, x: float = 0, y: float = 0, is_bold: bool = False) -> tuple[Text, ...]:
    """Return lines one below the other around `y`; they begin at `x`, or are centred at x = 0."""
    y -= sum(size for _, size, _ in lines) * LINE / 2
    placed = []
    for text, size, colour in lines:
        placed.append(Text(x, y + size * (LINE / 2 + 0.35), text, size, colour, not x, is_bold))
        y += size * LINE
    return tuple(placed)


def _is_right_to_left(text: str) -> bool:
    return any(bidirectional(character) in ("R", "AL", "AN") for character in text)
