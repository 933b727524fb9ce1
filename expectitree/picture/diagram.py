"""The place of everything in a picture: symbols, lines and texts with their coordinates.

The layout has two axes: `cross` within a row, and `along` from row to row. Rows of nodes and rows
of the texts on their branches take turns. Each text, and each branch that passes a row, has room of
its own there, so no line runs through a node or a text. Only a branch to a shared node that is
drawn elsewhere ends with a curve, which stays between two rows. Points of the layout are (cross,
along). They become (x, y) at the end, exchanged where the tree grows to the right.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby, product
from math import ceil
from operator import attrgetter
from typing import NamedTuple

from rich.cells import cell_len

from expectitree.analysis.evaluate.report import Evaluation
from expectitree.base.errors import AnalysisError
from expectitree.picture.blocks import (
    HALF,
    LABEL_FONT,
    SMALL_FONT,
    TITLE_FONT,
    Block,
    Run,
    are_run,
    edge_block,
    glyph_block,
    run_of,
)
from expectitree.picture.content import Content, Edge, Glyph, Style, content
from expectitree.picture.marks import Box, Group, Line, Path, Point, Text
from expectitree.picture.text import LINE, broken, text_width
from expectitree.picture.tidy import Item, tidy

SLIDE = 960.0  # the width for which the layout is chosen, if the user wants none
LEGIBLE = 9.0  # the size of the smallest text
_MARGIN = 16.0
_STROKE = 6.5  # half of a stroke across a branch
_ARRIVALS_APART = 4.0  # between branches to one shared node
_STROKES_APART = 2.2  # half of the distance between two strokes
_WIDEST_HEADING = 480.0  # for which a picture is made wider
_LEADING = 6.0  # below a title
_LINES = (("line", 1.2), ("ink", 1.6), ("ink", 2), ("ink", 3))  # by the rank of an edge
_GREY_LINE = ("grey", 1, "4 3")
_EMPTY = Box(0, 0, 0, 0)


class _Distances(NamedTuple):
    """The distances that depend on the direction of growth."""

    fan: float  # least between a row of nodes and that of their branches' texts
    most_fan: float
    steepness: float  # how much of a branch's way across is added to that
    apart: float  # between nodes
    apart_terminals: float
    apart_lines: float
    beside_value: float  # between a value and the branches that grow from it


_DISTANCES = {
    "down": _Distances(28, 130, 0.12, 14, 10, 10, 0),
    "right": _Distances(26, 150, 0.15, 10, 4, 6, 8),
}
_TALLEST = 1.5  # height by width of a slide, or a page


class Diagram(NamedTuple):
    """A whole picture: its groups of marks from the back to the front."""

    content: Content
    width: float
    height: float
    groups: list[Group]
    scale: float = 1  # at which it is drawn

    @property
    def least_width(self) -> float:
        """The width at which the smallest text is just legible."""
        marks = (mark for group in self.groups for mark in group.marks)
        # Where a solution is set smaller, the exercise has the least size.
        sizes = (max(mark.size, SMALL_FONT) for mark in marks if isinstance(mark, Text))
        return self.width * LEGIBLE / min(sizes, default=LABEL_FONT)

    @property
    def least_slide(self) -> float:
        """The width of the slide that takes the picture with legible text."""
        return self.least_width * max(1, self.height / self.width / _TALLEST)


def diagram(evaluation: Evaluation, style: Style) -> Diagram:
    """Return the picture of an evaluated tree, with the place of everything."""
    return diagram_of(content(evaluation, style, folded=True), style)


def diagram_of(found: Content, style: Style) -> Diagram:
    """Return the picture of a content, which may be folded, with the place of everything."""
    picture = _chosen(found, style)
    if style.width and style.width < picture.width:
        return picture._replace(scale=style.width / picture.width)
    return picture


def _chosen(found: Content, style: Style) -> Diagram:
    """Return the first layout that fits the width with legible text, or the one that is closest."""
    width = style.width or SLIDE
    directions = {"auto": ("down", "right")}.get(style.direction, (style.direction,))
    pictures = []
    for direction, is_compact in product(directions, (False, True)):
        picture = _Layout(found, style, direction, is_compact).diagram()
        if picture.least_slide <= width:
            return picture
        pictures.append(picture)
    fitting = [picture for picture in pictures if not style.width or picture.least_width <= width]
    if fitting:
        return min(fitting, key=lambda picture: picture.least_slide)
    least = ceil(min(picture.least_width for picture in pictures))
    raise AnalysisError(
        f"the picture does not fit a width of {style.width:,.0f}: legible text needs {least:,}. "
        f"Give --width {least}, or draw fewer nodes with --rows N"
    )


@dataclass(eq=False)
class _Item(Item):
    """A glyph, the texts of an edge, or an edge that passes a row."""

    row: int = 0
    block: Block | None = None
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

    def __init__(self, found: Content, style: Style, direction: str, is_compact: bool) -> None:
        self.content, self.style, self.is_compact = found, style, is_compact
        self.is_down = direction == "down"
        self.distances = _DISTANCES[direction]
        self.edges: list[Edge] = []  # one for all branches to a run of leaves
        self.runs: dict[Glyph, tuple[list[Edge], Run]] = {}
        shared = {edge.child for edge in found.edges if not edge.is_first}
        runs = [glyph.below for glyph in found.glyphs if are_run(glyph.below, shared)]
        if style.style == "decision" or style.totals:  # the ends have texts
            runs = []
        self.joinable = {edges[0].parent for edges in runs if is_compact}
        leaves = [edge.child for edges in runs for edge in edges]  # all runs align
        self.leaf_half = max((glyph_block(leaf, True).box.right for leaf in leaves), default=0.0)
        self.layer = dict(found.layer)
        self.bare: set[Glyph] = set()  # whose branches are straight lines: no text, no curve
        self.items: list[_Item] = []
        self.item: dict[Glyph | Edge, _Item] = {}  # of a glyph, and of an edge's texts
        self.last: dict[Edge, _Item] = {}  # the last item of an edge before its child
        # Where a further branch arrives, from the middle, and how far down it bends.
        self.arrival: dict[Edge, tuple[float, float]] = {}
        self.offset = (0.0, 0.0)  # from a place in the layout to that in the picture

    def diagram(self) -> Diagram:
        self.make_items()
        tidy(self.items)
        self.make_rows()
        self.make_arrivals()
        width, height, heading = self.frame()
        return Diagram(self.content, width, height, [heading, *self.groups()])

    def make_items(self) -> None:
        """Create one item per glyph, per edge's texts, and per row that an edge passes."""
        stack = [self.content.glyphs[0]]
        self.add_glyph(stack[0], None)
        while stack:
            glyph = stack.pop()
            item = self.item[glyph]
            edges = self.joined(glyph)
            self.edges += edges
            for edge in edges:
                last = self.add(item.row + 1, edge_block(edge, self.is_down), item)
                self.item[edge] = last
                for row in range(item.row + 2, 2 * self.layer[edge.child]):
                    last = self.add(row, None, last)
                self.last[edge] = last
                if edge.is_first:
                    self.add_glyph(edge.child, last)
                    stack.append(edge.child)
            if all(edge.is_first and not self.item[edge].block for edge in edges):
                self.bare.add(glyph)

    def joined(self, glyph: Glyph) -> list[Edge]:
        """Return the edges of a glyph, or one edge to the run of its leaves."""
        edges = glyph.below
        if glyph not in self.joinable:
            return edges
        leaves = replace(edges[0].child, tooltip=f"{len(edges)} leaves", below=[])
        self.runs[leaves] = edges, run_of(edges, self.leaf_half, self.is_down)
        self.layer[leaves] = self.layer[glyph] + 1
        chance = edges[0].probability and f"{edges[0].probability} each"
        rank = max(edge.rank for edge in edges)
        is_grey = all(edge.is_grey for edge in edges)
        joint = replace(edges[0], child=leaves, probability=chance, rank=rank, is_grey=is_grey)
        return [replace(joint, tooltip=leaves.tooltip)]

    def add_glyph(self, glyph: Glyph, parent: _Item | None) -> None:
        """Add the item of a glyph, or of a run of leaves, below another item."""
        distances = self.distances
        apart = distances.apart
        if self.is_compact or glyph.kind == "TERMINAL":
            apart = distances.apart_terminals
        block = glyph_block(glyph, self.is_down)
        if glyph in self.runs:
            box = self.runs[glyph][1].box
            block = Block(self.turned(box), (), (-box.top, -box.top))
        self.item[glyph] = self.add(2 * self.layer[glyph], block, parent, apart)

    def add(
        self, row: int, block: Block | None, parent: _Item | None, apart: float | None = None
    ) -> _Item:
        """Add an item below another; `apart` is its distance from its neighbours."""
        item = _Item(row=row, block=block)
        half = (apart or self.distances.apart_lines) / 2
        if block:
            item.box = self.turned(block.box)
        item.left, item.right = half - item.box.left, half + item.box.right
        self.items.append(item)
        if parent:
            parent.children.append(item)
        return item

    def make_rows(self) -> None:
        """Compute where each row begins, and with it the place of each item along the rows."""
        distances = self.distances
        rows = self.rows = [_Row() for _ in range(2 * max(self.layer.values()) + 1)]
        for item in self.items:
            row = rows[item.row]
            row.before = max(row.before, -item.box.top)
            row.after = max(row.after, item.box.bottom)
        for row in rows[1::2]:
            row.curve = 9.0 * (row.after > 0)
        for edge in self.edges:
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
                row.fan = along = along + self.distances.beside_value
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
        for leaves, (edges, run) in self.runs.items():
            whole = self.item[leaves]
            for edge, block, (cross, along) in zip(edges, run.blocks, run.places, strict=True):
                place = whole.place + cross
                along = whole.along + along
                self.item[edge.child] = _Item(place=place, along=along, block=block)

    def make_arrivals(self) -> None:
        """Spread the branches to each shared node over its side, the first in the middle."""
        edges = sorted(self.edges, key=lambda edge: (id(edge.child), self.item[edge].place))
        for child, group in groupby(edges, key=attrgetter("child")):
            arriving = [*group]
            first = [edge.is_first for edge in arriving].index(True)
            block = self.item[child].block
            assert block is not None
            step = min(_ARRIVALS_APART, block.symbol[not self.is_down] / len(arriving))
            for n, edge in enumerate(arriving, -first):
                self.arrival[edge] = step * n, abs(n) / len(arriving)

    # ---- Places in the picture.

    def frame(self) -> tuple[float, float, Group]:
        """Return the picture's size and its heading; move the layout to positive coordinates."""
        placed = (item.box.moved(item.place, item.along) for item in self.items if item.block)
        lefts, tops, rights, bottoms = zip(*map(self.turned, placed), strict=True)
        left, top = min(lefts), min(tops)
        wide, high = max(rights) - left, max(bottoms) - top
        inner, y, heading = wide, _MARGIN, []
        if self.style.title:
            summary = self.content.summary
            title = self.content.title
            longest = self.content.room or summary  # which decides what room there is
            texts = [(*two, LABEL_FONT, False) for two in zip(summary, longest, strict=True)]
            if title:
                texts.insert(0, (title, title, TITLE_FONT, True))
            inner = max(wide, min(max(text_width(*text[1:]) for text in texts), _WIDEST_HEADING))

            def lines_of(text: str, size: float, is_bold: bool, most: int = 6) -> tuple[str, ...]:
                share = min(1, inner / (text_width(text, size, is_bold) or inner))
                return broken(text, ceil(cell_len(text) * share), most)

            for text, room, size, is_bold in texts:
                colour, room_lines, leading = "dim", lines_of(room, size, is_bold), 2.0
                if is_bold:
                    colour = "ink"
                    leading = _LEADING
                for row, line in enumerate(lines_of(text, size, is_bold, len(room_lines)), 1):
                    place = y + size + (row - 1) * size * LINE
                    heading.append(Text(_MARGIN, place, line, size, colour, is_bold=is_bold))
                inner = max(inner, *(text_width(line, size, is_bold) for line in room_lines))
                y += size * LINE * len(room_lines) + leading
            y += 14
        self.offset = (_MARGIN + (inner - wide) / 2 - left, y - top)
        return inner + 2 * _MARGIN, y + high + _MARGIN, Group(tuple(heading))

    def groups(self) -> Iterator[Group]:
        """Yield the groups of marks; the best branches lie over all others."""
        for edge in sorted(self.edges, key=lambda edge: (not edge.is_grey, edge.rank)):
            yield Group(tuple(self.lines(edge)), edge)
        for leaves, (edges, run) in self.runs.items():
            if run.gap:
                cut = next(edge for edge in edges if edge.is_left)
                yield Group(tuple(self.gap(self.item[leaves], cut, *run.gap)), cut)
        things: list[Edge | Glyph] = [*self.edges, *self.content.glyphs]
        for of in things:
            item = self.item[of]
            if item.block:
                x, y = self.point(item.place, item.along)
                marks = tuple(mark.moved(x, y) for mark in item.block.marks)
                yield Group(marks, of, item.block.box.moved(x, y))

    def point(self, cross: float, along: float) -> Point:
        if not self.is_down:
            cross, along = along, cross
        return cross + self.offset[0], along + self.offset[1]

    def turned(self, box: Box) -> Box:
        """Return a box of the picture as (cross, along), or the other way round."""
        if self.is_down:
            return box
        return Box(box.top, box.left, box.bottom, box.right)

    def path(self, *parts: list[Point]) -> Path:
        return Path(*(tuple(self.point(*point) for point in part) for part in parts))

    def lines(self, edge: Edge) -> Iterator[Line]:
        """Yield the line of an edge, and the strokes of a cut across it."""
        parent, text, child = self.item[edge.parent], self.item[edge], self.item[edge.child]
        assert child.block is not None
        below = HALF if self.is_down else parent.box.bottom + 3
        goal = (child.place, child.along - child.block.symbol[self.is_down])
        fan = (parent.place, self.rows[text.row].fan)
        points = [(parent.place, parent.along + below)]
        slanted_to = goal
        if fan[1] > points[0][1] + 0.1:
            points.append(fan)
        if child.row > text.row + 1 or edge.parent not in self.bare:
            slanted_to = (text.place, text.along)
            points.append(slanted_to)
        paths = []
        curve = []
        if text.block:
            paths.append(self.path(points))
            points = [(text.place, text.along + text.box.bottom)]
        if not edge.is_first:
            end, begin = self.rows[child.row - 1].end, self.rows[child.row].start
            aside, share = self.arrival[edge]
            bend = end + (begin - end) * share  # the farthest lies lowest, so none lies on another
            arrival = child.place + aside
            points.append((text.place, end))
            curve = [(text.place, bend), (arrival, bend), (arrival, begin)]
            depth = child.along  # below the symbol
            if edge.child.shape == "BOX":  # which has a text in its middle
                depth = goal[1]
            goal = (arrival, depth)
        paths.append(self.path(points, curve, [goal]))
        yield Line(tuple(paths), *(_GREY_LINE if edge.is_grey else _LINES[edge.rank]))
        if edge.is_left:
            yield self.strokes(edge, fan, slanted_to)

    def gap(self, leaves: _Item, cut: Edge, start: Point, end: Point) -> Iterator[Line]:
        """Yield the line and the strokes of a cut within a run of leaves."""
        ends = [(leaves.place + cross, leaves.along + along) for cross, along in (start, end)]
        yield Line((self.path(ends),), *_GREY_LINE)
        yield self.strokes(cut, ends[0], ends[1], 0.5)

    def strokes(self, edge: Edge, start: Point, end: Point, middle: float = 0.58) -> Line:
        """Return two strokes across a part of a branch that was cut, or a dotted one."""
        (x, y), way_x, way_y = start, end[0] - start[0], end[1] - start[1]
        long = (way_x**2 + way_y**2) ** 0.5 or 1.0
        aside_x, aside_y = -way_y / long * _STROKE, way_x / long * _STROKE
        paths = []
        dashes = "2 1.6"
        strokes: tuple[float, ...] = (0,)
        if edge.is_cut:
            strokes = (-_STROKES_APART, _STROKES_APART)
            dashes = ""
        for apart in strokes:
            part = middle + apart / long
            at_x, at_y = x + way_x * part, y + way_y * part
            ends = [(at_x - aside_x, at_y - aside_y), (at_x + aside_x, at_y + aside_y)]
            paths.append(self.path(ends))
        return Line(tuple(paths), "cut", 2, dashes)
