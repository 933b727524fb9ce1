"""The place of everything in a picture: symbols, lines and texts with their coordinates.

The layout has two axes: `cross` within a row, and `on` from row to row. Rows of nodes and rows of
the texts on their branches take turns. Each text, and each branch that passes a row, has room of
its own there, so no line runs through a node or a text. Only a branch to a shared node that is
drawn elsewhere ends with a curve, which stays between two rows. Where the tree grows to the right,
the axes are exchanged when points are written.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias
from unicodedata import bidirectional

from expectitree.analysis.evaluate.report import Evaluation
from expectitree.picture.content import (
    BEST,
    ELSEWHERE,
    NOTE,
    Content,
    Edge,
    Glyph,
    Style,
    content,
)
from expectitree.picture.text import LINE, broken, text_width
from expectitree.picture.tidy import tidy

Point: TypeAlias = tuple[float, float]

FONT, LABEL_FONT, SMALL_FONT, TITLE_FONT = 13.0, 12.0, 11.0, 16.0
HALF = 12.0  # of a symbol's width and height
_BESIDE = HALF + 5  # from a symbol's middle to its text
_BOX = 11.0  # half the height of a terminal's box
_MARGIN = 16.0
_STROKE = 6.5  # half of a stroke across a branch
_STROKES_APART = 2.2  # half of the distance between two strokes
_NARROWEST = 300.0  # of a picture with a heading


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


class Text(NamedTuple):
    """One line of text; `y` is its baseline."""

    x: float
    y: float
    text: str
    size: float
    anchor: str  # start or middle
    is_bold: bool = False


class Path(NamedTuple):
    """A line through points; then perhaps a curve, and a straight piece after that."""

    points: tuple[Point, ...]
    curve: tuple[Point, Point, Point] | None = None  # two control points and the curve's end
    goal: Point | None = None  # the end of the straight piece


class Box(NamedTuple):
    """The room that something takes."""

    left: float
    top: float
    right: float
    bottom: float


class PlacedGlyph(NamedTuple):
    """A glyph, the middle of its symbol, its texts, and the room of all that."""

    glyph: Glyph
    x: float
    y: float
    half_width: float  # of the symbol
    texts: tuple[Text, ...]
    box: Box


class PlacedEdge(NamedTuple):
    """An edge, its line in one or two parts, its texts, and the strokes of a cut across it."""

    edge: Edge
    paths: tuple[Path, ...]
    texts: tuple[Text, ...]
    box: Box | None  # of the texts
    strokes: tuple[tuple[Point, Point], ...]


@dataclass
class Diagram:
    """A whole picture."""

    content: Content
    style: Style
    width: float = 0
    height: float = 0
    heading: list[Text] = field(default_factory=list)
    glyphs: list[PlacedGlyph] = field(default_factory=list)
    edges: list[PlacedEdge] = field(default_factory=list)


def diagram(evaluation: Evaluation, style: Style) -> Diagram:
    """Return the picture of an evaluated tree, with the place of everything."""
    return _Layout(content(evaluation, style), style).diagram()


class _Block(NamedTuple):
    """The room of a glyph or of an edge's texts, in the picture, around an origin."""

    box: Box
    texts: tuple[Text, ...]
    half_width: float = 0  # of a glyph's symbol
    symbol: Point = (0, 0)  # how far it reaches to the left of its middle, and above it


class _Item(NamedTuple):
    """What takes room in a row: a glyph, the texts of an edge, or an edge that passes."""

    row: int
    glyph: int = -1
    edge: int = -1
    is_text: bool = False


class _Layout:
    """Lays out a picture's content along the two axes."""

    def __init__(self, found: Content, style: Style) -> None:
        self.content, self.style = found, style
        self.is_down = style.direction == "down"
        self.distances = _DISTANCES[style.direction]
        self.glyph_blocks = [_glyph_block(glyph) for glyph in found.glyphs]
        self.edge_blocks = [self.edge_block(edge) for edge in found.edges]
        self.items: list[_Item] = []
        self.children: list[list[int]] = []
        self.glyph_item = [0] * len(found.glyphs)
        self.text_item = [0] * len(found.edges)
        self.last_item = [0] * len(found.edges)  # the last item of an edge before its child
        self.offset = (0.0, 0.0)  # from a place in the layout to that in the picture

    def diagram(self) -> Diagram:
        """Return the whole picture."""
        self.make_items()
        sizes = [self.room(item) for item in self.items]
        self.cross = tidy(self.children, [size[0] for size in sizes], [size[1] for size in sizes])
        self.make_rows()
        picture = Diagram(self.content, self.style)
        self.frame(picture)
        picture.glyphs = [self.placed_glyph(glyph) for glyph in range(len(self.content.glyphs))]
        picture.edges = [self.placed_edge(edge) for edge in range(len(self.content.edges))]
        return picture

    # ---- What depends on the direction.

    def edge_block(self, edge: Edge) -> _Block | None:
        """Return the room of an edge's texts; the origin is where they begin, in their middle."""
        lines = edge.label
        if edge.probability:
            is_one_line = len(lines) == 1 and not self.is_down and not _is_right_to_left(lines[0])
            lines = (
                (f"{lines[0]}, p {edge.probability}",)
                if is_one_line
                else (*lines, edge.probability)
            )
        if not lines:
            return None
        is_bold = edge.rank == BEST
        width = max(text_width(line, LABEL_FONT, is_bold) for line in lines)
        high = len(lines) * LABEL_FONT * LINE
        texts = _lines([(lines, LABEL_FONT)], 0 if self.is_down else 3, is_bold)
        if not self.is_down:
            return _Block(Box(0, -high / 2, width + 6, high / 2), texts)
        texts = _moved(texts, 0, high / 2 + 1)
        return _Block(Box(-width / 2, 0, width / 2, high + 2), texts)

    def across(self, box: Box) -> tuple[float, float]:
        """Return how far a block reaches from its origin to both sides, within its row."""
        return (-box.left, box.right) if self.is_down else (-box.top, box.bottom)

    def along(self, box: Box) -> tuple[float, float]:
        """Return how far a block reaches from its origin, back and on."""
        return (-box.top, box.bottom) if self.is_down else (-box.left, box.right)

    def point(self, cross: float, on: float) -> Point:
        """Return a place in the picture."""
        x, y = (cross, on) if self.is_down else (on, cross)
        return x + self.offset[0], y + self.offset[1]

    def exit(self, glyph: int) -> float:
        """Return how far from a glyph's middle its edges begin."""
        return HALF if self.is_down else self.glyph_blocks[glyph].box.right + 3

    def entry(self, glyph: int) -> float:
        """Return how far before a glyph's middle its edge ends."""
        return self.glyph_blocks[glyph].symbol[1 if self.is_down else 0]

    # ---- Items and rows.

    def make_items(self) -> None:
        """Create one item per glyph, per edge's texts, and per row that an edge passes."""
        edges, layer = self.content.edges, self.content.layer
        stack = [(self.add(_Item(0, glyph=0), -1), 0)]
        while stack:
            item, glyph = stack.pop()
            for edge in self.content.below[glyph]:
                row = 2 * layer[glyph] + 1
                last = self.text_item[edge] = self.add(_Item(row, edge=edge, is_text=True), item)
                child = edges[edge].child
                for between in range(row + 1, 2 * layer[child]):
                    last = self.add(_Item(between, edge=edge), last)
                self.last_item[edge] = last
                if edges[edge].is_first:
                    stack.append((self.add(_Item(2 * layer[child], glyph=child), last), child))

    def add(self, item: _Item, parent: int) -> int:
        """Add an item below another and return its number."""
        number = len(self.items)
        self.items.append(item)
        self.children.append([])
        if parent >= 0:
            self.children[parent].append(number)
        if item.glyph >= 0:
            self.glyph_item[item.glyph] = number
        return number

    def room(self, item: _Item) -> tuple[float, float]:
        """Return how far an item reaches to both sides, with its part of the distance to others."""
        block, apart = self.edge_blocks[item.edge] if item.is_text else None, self.distances[-1]
        if item.glyph >= 0:
            block = self.glyph_blocks[item.glyph]
            is_terminal = self.content.glyphs[item.glyph].kind == "TERMINAL"
            apart = self.distances.apart_terminals if is_terminal else self.distances.apart
        before, after = self.across(block.box) if block else (0.0, 0.0)
        return before + apart / 2, after + apart / 2

    def make_rows(self) -> None:
        """Compute where each row begins."""
        count = 2 * max(self.content.layer) + 1
        before, after, fan = [0.0] * count, [0.0] * count, [0.0] * count
        for item in self.items:
            block = self.glyph_blocks[item.glyph] if item.glyph >= 0 else None
            if item.is_text:
                block = self.edge_blocks[item.edge]
                parent = self.cross[self.glyph_item[self.content.edges[item.edge].parent]]
                way = abs(parent - self.cross[self.text_item[item.edge]])
                fan[item.row] = max(fan[item.row], way)
            if block:
                back, on = self.along(block.box)
                before[item.row] = max(before[item.row], back)
                after[item.row] = max(after[item.row], on)
        curve = [9.0 if size else 0.0 for size in after]
        for number, edge in enumerate(self.content.edges):
            if not edge.is_first:
                row = 2 * self.content.layer[edge.child] - 1
                end = self.cross[self.glyph_item[edge.child]]
                way = abs(self.cross[self.last_item[number]] - end) * self.distances.steepness
                curve[row] = max(curve[row], 26 + min(way, self.distances.most_fan))
        self.before = before
        self.fan_start, self.start, self.end = [0.0] * count, [0.0] * count, [0.0] * count
        on = 0.0
        for row in range(count):
            is_text = row % 2 == 1
            self.fan_start[row] = on
            if is_text:
                spread = self.distances.fan + fan[row] * self.distances.steepness
                on += min(spread, self.distances.most_fan)
            self.start[row] = on
            on += before[row] + after[row]
            self.end[row] = on
            on += curve[row] if is_text else 0.0

    def middle(self, glyph: int) -> tuple[float, float]:
        """Return where a glyph's middle is: across, and on. A column is flush left."""
        item = self.glyph_item[glyph]
        row = self.items[item].row
        own = self.along(self.glyph_blocks[glyph].box)[0]
        return self.cross[item], self.start[row] + (self.before[row] if self.is_down else own)

    def edge_origin(self, edge: int) -> tuple[float, float]:
        """Return where the texts of an edge begin: across, and on."""
        item = self.text_item[edge]
        return self.cross[item], self.start[self.items[item].row]

    # ---- Places.

    def frame(self, picture: Diagram) -> None:
        """Write the heading and the size, and move the layout to positive coordinates."""
        glyphs = [(block, self.middle(n)) for n, block in enumerate(self.glyph_blocks)]
        edges = [(block, self.edge_origin(n)) for n, block in enumerate(self.edge_blocks) if block]
        boxes = [_moved_box(block.box, *self.point(*place)) for block, place in glyphs + edges]
        left, top = min(box.left for box in boxes), min(box.top for box in boxes)
        wide, high = max(box.right for box in boxes) - left, max(box.bottom for box in boxes) - top
        inner = max(wide, _NARROWEST) if self.style.title else wide
        y = _MARGIN
        if self.style.title:
            title, summary = self.content.title, self.content.summary
            for text, size, is_bold in ((title, TITLE_FONT, True), (summary, LABEL_FONT, False)):
                for line in broken(text, int(inner / size / 0.6), 6):
                    inner = max(inner, text_width(line, size, is_bold))
                    picture.heading.append(Text(_MARGIN, y + size, line, size, "start", is_bold))
                    y += size * LINE
            y += 14
        self.offset = (_MARGIN + (inner - wide) / 2 - left, y - top)
        picture.width, picture.height = inner + 2 * _MARGIN, y + high + _MARGIN

    def placed_glyph(self, number: int) -> PlacedGlyph:
        block = self.glyph_blocks[number]
        x, y = self.point(*self.middle(number))
        texts, box = _moved(block.texts, x, y), _moved_box(block.box, x, y)
        return PlacedGlyph(self.content.glyphs[number], x, y, block.half_width, texts, box)

    def placed_edge(self, number: int) -> PlacedEdge:
        edge, block, layer = (
            self.content.edges[number],
            self.edge_blocks[number],
            self.content.layer,
        )
        from_cross, from_on = self.middle(edge.parent)
        to_cross, to_on = self.middle(edge.child)
        cross, text_start = self.edge_origin(number)
        fan_start = self.fan_start[2 * layer[edge.parent] + 1]
        parts = [
            [
                self.point(from_cross, from_on + self.exit(edge.parent)),
                self.point(from_cross, fan_start),
            ]
        ]
        goal = self.point(to_cross, to_on - self.entry(edge.child))
        if layer[edge.child] == layer[edge.parent] + 1 and self.is_bare(edge.parent):
            strokes = _strokes(edge, parts[0][-1], goal)
            return PlacedEdge(edge, (Path((*parts[0], goal)),), (), None, strokes)
        parts[0].append(self.point(cross, text_start))
        strokes = _strokes(edge, parts[0][-2], parts[0][-1])
        texts: tuple[Text, ...] = ()
        box = None
        if block:
            texts = _moved(block.texts, *parts[0][-1])
            box = _moved_box(block.box, *parts[0][-1])
            parts.append([self.point(cross, text_start + self.along(block.box)[1])])
        if edge.is_first:
            parts[-1].append(goal)
            paths = [Path(tuple(part)) for part in parts]
        else:
            end, row_start = self.end[2 * layer[edge.child] - 1], self.start[2 * layer[edge.child]]
            parts[-1].append(self.point(cross, end))
            half = (end + row_start) / 2
            ends = (cross, half), (to_cross, half), (to_cross, row_start)
            one, other, last = (self.point(*end) for end in ends)
            paths = [Path(tuple(part)) for part in parts]
            paths[-1] = Path(paths[-1].points, (one, other, last), goal)
        return PlacedEdge(edge, tuple(paths), texts, box, strokes)

    def is_bare(self, glyph: int) -> bool:
        """Say whether the branches of a glyph are straight lines: no text, no curve."""
        below = self.content.below[glyph]
        return all(self.edge_blocks[n] is None and self.content.edges[n].is_first for n in below)


# ---- Sizes.


def _glyph_block(glyph: Glyph) -> _Block:
    """Return the room of a glyph around the middle of its symbol."""
    if glyph.kind in (NOTE, ELSEWHERE):
        lines = glyph.remarks or (glyph.value,)
        half = max(text_width(line, SMALL_FONT) for line in lines) / 2
        high = len(lines) * SMALL_FONT * LINE / 2
        texts = _lines([(lines, SMALL_FONT)], 0)
        return _Block(Box(-half, -high, half, high), texts, half, (half + 3, high + 1))
    if glyph.kind == "TERMINAL":
        half = max(HALF, text_width(glyph.value, FONT) / 2 + 5)
        texts = _lines([((glyph.value,), FONT)], 0)
        return _Block(Box(-half, -_BOX, half, _BOX), texts, half, (half, _BOX))
    remarks = max((text_width(line, SMALL_FONT) for line in glyph.remarks), default=0.0)
    width = max(text_width(glyph.value, FONT), remarks)
    texts = _lines([((glyph.value,), FONT), (glyph.remarks, SMALL_FONT)], _BESIDE)
    high = max(HALF, (FONT + SMALL_FONT * len(glyph.remarks)) * LINE / 2)
    reach = HALF if glyph.kind == "CHANCE" else HALF / 2
    return _Block(Box(-HALF, -high, _BESIDE + width, high), texts, HALF, (reach, HALF))


def _lines(
    blocks: list[tuple[tuple[str, ...], float]], x: float, is_bold: bool = False
) -> tuple[Text, ...]:
    """Return lines one below the other around y = 0; they begin at x, or are centred at x = 0."""
    y = -sum(len(lines) * size for lines, size in blocks) * LINE / 2
    anchor = "start" if x else "middle"
    placed = []
    for lines, size in blocks:
        for line in lines:
            placed.append(Text(x, y + size * (LINE / 2 + 0.35), line, size, anchor, is_bold))
            y += size * LINE
    return tuple(placed)


def _is_right_to_left(text: str) -> bool:
    return any(bidirectional(character) in ("R", "AL", "AN") for character in text)


def _moved(texts: tuple[Text, ...], x: float, y: float) -> tuple[Text, ...]:
    return tuple(text._replace(x=text.x + x, y=text.y + y) for text in texts)


def _moved_box(box: Box, x: float, y: float) -> Box:
    return Box(box.left + x, box.top + y, box.right + x, box.bottom + y)


def _strokes(edge: Edge, start: Point, end: Point) -> tuple[tuple[Point, Point], ...]:
    """Return the two strokes across the slanted part of a branch that was cut."""
    if not edge.is_cut:
        return ()
    way_x, way_y = end[0] - start[0], end[1] - start[1]
    long = (way_x**2 + way_y**2) ** 0.5 or 1.0
    ahead_x, ahead_y = way_x / long, way_y / long
    found = []
    for apart in (-_STROKES_APART, _STROKES_APART):
        x, y = start[0] + way_x * 0.58 + ahead_x * apart, start[1] + way_y * 0.58 + ahead_y * apart
        aside_x, aside_y = -ahead_y * _STROKE, ahead_x * _STROKE
        found.append(((x - aside_x, y - aside_y), (x + aside_x, y + aside_y)))
    return tuple(found)
