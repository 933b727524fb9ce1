"""Where everything in a picture is: symbols, lines and texts with their coordinates, for whatever draws them.

The layers of the tree are rows (or columns, where it grows to the right): one of nodes, one of the
texts on the branches below them, one of nodes. Each text on a branch has a room of its own in its
row, above the child, and each branch that passes by a row has one there: so nothing runs through a
node or a text, however wide they are. Only a branch to a node that hangs elsewhere ends with a
curve, which stays between two rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias
from unicodedata import bidirectional

from expectitree.analysis.evaluate.report import Evaluation
from expectitree.picture.content import BEST, ELSEWHERE, NOTE, Content, Link, Spot, Style, content
from expectitree.picture.text import LINE, broken, text_width
from expectitree.picture.tidy import tidy

Point: TypeAlias = tuple[float, float]

FONT, LABEL_FONT, SMALL_FONT, TITLE_FONT = 13.0, 12.0, 11.0, 16.0
HALF = 12.0  # of a symbol's width and height
_BESIDE = HALF + 5  # from a symbol's middle to its text
_BOX = 11.0  # half the height of a terminal's box
_MARGIN = 16.0
_STROKE, _STROKES_APART = (
    6.5,
    2.2,
)  # half of a stroke across a branch, and half of what is between two
_NARROWEST = 300.0  # of a picture with a heading


class Text(NamedTuple):
    """One line of text; `y` is its baseline."""

    x: float
    y: float
    text: str
    size: float
    anchor: str  # start or middle
    is_bold: bool = False


class Path(NamedTuple):
    """A line through points; perhaps a curve goes on from the last of them, and then a straight piece."""

    points: tuple[Point, ...]
    curve: tuple[Point, Point, Point] | None = None  # two control points and the curve's end
    goal: Point | None = None  # beyond that


class Box(NamedTuple):
    """The room that something takes."""

    left: float
    top: float
    right: float
    bottom: float


class PlacedSpot(NamedTuple):
    """A spot, the middle of its symbol, its texts, and the room of all that."""

    spot: Spot
    x: float
    y: float
    half_width: float  # of the symbol
    texts: tuple[Text, ...]
    box: Box


class PlacedLink(NamedTuple):
    """A link, its line in one or two parts, its texts, and where a cut crosses it."""

    link: Link
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
    spots: list[PlacedSpot] = field(default_factory=list)
    links: list[PlacedLink] = field(default_factory=list)


def diagram(evaluation: Evaluation, style: Style) -> Diagram:
    """Return the picture of an evaluated tree, with the place of everything."""
    found = content(evaluation, style)
    return (_Right if style.direction == "right" else _Down)(found, style).diagram()


class _Extent(NamedTuple):
    """How far something reaches from its middle."""

    left: float
    right: float
    up: float
    down: float


class _Item(NamedTuple):
    """What takes room in a row: a spot, the text on a link, or a link that passes by."""

    row: int
    spot: int = -1
    link: int = -1
    is_text: bool = False


class _Layout:
    """Lays out along two axes: across the rows (`cross`), and on from row to row (`on`)."""

    fan, most_fan, steepness = (
        28.0,
        130.0,
        0.12,
    )  # between a row of nodes and that of their branches' texts
    apart, apart_terminals, apart_lines = 14.0, 10.0, 10.0

    def __init__(self, found: Content, style: Style) -> None:
        self.content, self.style = found, style
        self.measured = [measured(spot) for spot in found.spots]
        self.texts = [self.link_texts(link) for link in found.links]
        self.items: list[_Item] = []
        self.children: list[list[int]] = []
        self.spot_item = [0] * len(found.spots)
        self.text_item = [0] * len(found.links)
        self.last_item = [0] * len(
            found.links
        )  # where a link to a node that hangs elsewhere leaves its way down

    # ---- To be said by each direction.

    def link_texts(self, link: Link) -> tuple[str, ...]:
        raise NotImplementedError

    def across(self, extent: _Extent) -> tuple[float, float]:
        raise NotImplementedError

    def along(self, extent: _Extent) -> tuple[float, float]:
        raise NotImplementedError

    def text_size(self, link: int) -> tuple[float, float]:
        """How much room a link's text takes across, and on."""
        raise NotImplementedError

    def point(self, cross: float, on: float) -> Point:
        raise NotImplementedError

    def middle(self, start: float, before: float, own: float) -> float:
        """Where in a row a spot's middle is."""
        raise NotImplementedError

    def exit(self, spot: int) -> float:
        """How far from a spot's middle its branches begin."""
        raise NotImplementedError

    def entry(self, spot: int) -> float:
        """How far before a spot's middle its branch ends."""
        raise NotImplementedError

    def placed_texts(self, link: int, cross: float, on: float) -> tuple[Text, ...]:
        raise NotImplementedError

    # ---- The same for both.

    def diagram(self) -> Diagram:
        self.make_items()
        sizes = [self.room(item) for item in self.items]
        self.cross = tidy(self.children, [size[0] for size in sizes], [size[1] for size in sizes])
        self.make_rows()
        picture = Diagram(self.content, self.style)
        picture.spots = [self.placed_spot(spot) for spot in range(len(self.content.spots))]
        picture.links = [self.placed_link(link) for link in range(len(self.content.links))]
        return _framed(picture)

    def make_items(self) -> None:
        """Hang up all that takes room: below a spot the texts of its links, below these what the links lead to."""
        links, layer = self.content.links, self.content.layer
        stack = [(self.hang(_Item(0, spot=0), -1), 0)]
        while stack:
            item, spot = stack.pop()
            for link in self.content.below[spot]:
                row = 2 * layer[spot] + 1
                last = self.text_item[link] = self.hang(_Item(row, link=link, is_text=True), item)
                child = links[link].child
                for between in range(row + 1, 2 * layer[child]):
                    last = self.hang(_Item(between, link=link), last)
                self.last_item[link] = last
                if links[link].is_first:
                    stack.append((self.hang(_Item(2 * layer[child], spot=child), last), child))

    def hang(self, item: _Item, parent: int) -> int:
        number = len(self.items)
        self.items.append(item)
        self.children.append([])
        if parent >= 0:
            self.children[parent].append(number)
        if item.spot >= 0:
            self.spot_item[item.spot] = number
        return number

    def room(self, item: _Item) -> tuple[float, float]:
        """How far an item reaches across, to both sides."""
        if item.spot >= 0:
            before, after = self.across(self.measured[item.spot].extent)
            is_small = self.content.spots[item.spot].kind == "TERMINAL"
            half = (self.apart_terminals if is_small else self.apart) / 2
            return before + half, after + half
        if item.is_text and self.texts[item.link]:
            half = self.text_size(item.link)[0] / 2 + self.apart_lines / 2
        else:
            half = self.apart_lines / 2
        return half, half

    def make_rows(self) -> None:
        """Find out where each row begins, and how thick it is."""
        links = self.content.links
        count = 2 * max(self.content.layer) + 1
        before, after = [0.0] * (count + 1), [0.0] * (count + 1)  # of rows of nodes
        thick = [0.0] * (count + 1)  # of rows of texts
        spread, curve = [0.0] * (count + 1), [0.0] * (count + 1)  # how far lines have to go across
        for item in self.items:
            if item.spot >= 0:
                sides = self.along(self.measured[item.spot].extent)
                before[item.row] = max(before[item.row], sides[0])
                after[item.row] = max(after[item.row], sides[1])
            elif item.is_text:
                if self.texts[item.link]:
                    thick[item.row] = max(thick[item.row], self.text_size(item.link)[1])
                parent = self.cross[self.spot_item[links[item.link].parent]]
                spread[item.row] = max(
                    spread[item.row], abs(parent - self.cross[self.text_item[item.link]])
                )
        for number, link in enumerate(links):
            if not link.is_first:
                row = 2 * self.content.layer[link.child] - 1
                way = abs(
                    self.cross[self.last_item[number]] - self.cross[self.spot_item[link.child]]
                )
                curve[row] = max(curve[row], 26 + min(way * self.steepness, self.most_fan))
        self.start, self.before = [0.0] * (count + 1), before
        self.fan_start, self.end = [0.0] * (count + 1), [0.0] * (count + 1)  # of rows of texts
        on = 0.0
        for row in range(count):
            self.start[row] = on
            if row % 2 == 0:
                on += before[row] + after[row]
                continue
            self.fan_start[row] = on
            on += min(self.fan + spread[row] * self.steepness, self.most_fan)
            self.start[row] = on
            on += thick[row]
            self.end[row] = on
            on += max(curve[row], 9.0 if thick[row] else 0.0)

    def spot_middle(self, spot: int) -> Point:
        """Where a spot's middle is: across, and on."""
        item = self.spot_item[spot]
        row = self.items[item].row
        own = self.along(self.measured[spot].extent)[0]
        return self.cross[item], self.middle(self.start[row], self.before[row], own)

    def placed_spot(self, spot: int) -> PlacedSpot:
        x, y = self.point(*self.spot_middle(spot))
        size = self.measured[spot]
        texts = tuple(text._replace(x=text.x + x, y=text.y + y) for text in size.texts)
        extent = size.extent
        box = Box(x - extent.left, y - extent.up, x + extent.right, y + extent.down)
        return PlacedSpot(self.content.spots[spot], x, y, size.half_width, texts, box)

    def placed_link(self, number: int) -> PlacedLink:
        link = self.content.links[number]
        from_cross, from_on = self.spot_middle(link.parent)
        to_cross, to_on = self.spot_middle(link.child)
        row = 2 * self.content.layer[link.parent] + 1
        cross = self.cross[self.text_item[number]]
        text_start = self.start[row]
        way = [
            self.point(from_cross, from_on + self.exit(link.parent)),
            self.point(from_cross, self.fan_start[row]),
        ]
        texts = self.texts[number]
        goal = self.point(to_cross, to_on - self.entry(link.child))
        is_straight = not texts and link.is_first and self.is_bare(link.parent)
        if is_straight and self.content.layer[link.child] == self.content.layer[link.parent] + 1:
            way.append(goal)
            return PlacedLink(link, (Path(tuple(way)),), (), None, _strokes(link, way[-2], way[-1]))
        way.append(self.point(cross, text_start))
        strokes = _strokes(link, way[-2], way[-1])
        parts = [way]
        placed: tuple[Text, ...] = ()
        box = None
        if texts:
            size = self.text_size(number)
            placed = self.placed_texts(number, cross, text_start)
            parts.append([self.point(cross, text_start + size[1])])
            corners = (
                self.point(cross - size[0] / 2, text_start),
                self.point(cross + size[0] / 2, text_start + size[1]),
            )
            box = Box(*corners[0], *corners[1])
        if link.is_first:
            parts[-1].append(goal)
            return PlacedLink(
                link, tuple(Path(tuple(part)) for part in parts), placed, box, strokes
            )
        end = self.end[2 * self.content.layer[link.child] - 1]
        parts[-1].append(self.point(cross, end))
        row_start = self.start[
            2 * self.content.layer[link.child]
        ]  # where others in this row may begin
        half = (end + row_start) / 2
        curve = self.point(cross, half), self.point(to_cross, half), self.point(to_cross, row_start)
        paths = [Path(tuple(part)) for part in parts]
        paths[-1] = paths[-1]._replace(curve=curve, goal=goal)
        return PlacedLink(link, tuple(paths), placed, box, strokes)

    def is_bare(self, spot: int) -> bool:
        """Say whether no branch of a spot has a text, or leads elsewhere: then they are straight lines."""
        return all(
            not self.texts[link] and self.content.links[link].is_first
            for link in self.content.below[spot]
        )


class _Down(_Layout):
    """The root on top."""

    def link_texts(self, link: Link) -> tuple[str, ...]:
        return (*link.label, link.probability) if link.probability else link.label

    def across(self, extent: _Extent) -> tuple[float, float]:
        return extent.left, extent.right

    def along(self, extent: _Extent) -> tuple[float, float]:
        return extent.up, extent.down

    def text_size(self, link: int) -> tuple[float, float]:
        return _texts_width(self.content.links[link], self.texts[link]), len(
            self.texts[link]
        ) * LABEL_FONT * LINE + 2

    def point(self, cross: float, on: float) -> Point:
        return cross, on

    def middle(self, start: float, before: float, own: float) -> float:
        return start + before

    def exit(self, spot: int) -> float:
        return HALF

    def entry(self, spot: int) -> float:
        return self.measured[spot].symbol[1]

    def placed_texts(self, link: int, cross: float, on: float) -> tuple[Text, ...]:
        is_bold = self.content.links[link].rank == BEST
        step = LABEL_FONT * LINE
        return tuple(
            Text(
                cross,
                on + 1 + step * (line + 0.5) + 0.35 * LABEL_FONT,
                text,
                LABEL_FONT,
                "middle",
                is_bold,
            )
            for line, text in enumerate(self.texts[link])
        )


class _Right(_Layout):
    """The root on the left."""

    fan, most_fan, steepness = 26.0, 150.0, 0.15
    apart, apart_terminals, apart_lines = 10.0, 4.0, 6.0

    def link_texts(self, link: Link) -> tuple[str, ...]:
        if not link.probability:
            return link.label
        if len(link.label) == 1 and not any(
            bidirectional(c) in ("R", "AL", "AN") for c in link.label[0]
        ):
            return (f"{link.label[0]}, p {link.probability}",)
        return (*link.label, link.probability)

    def across(self, extent: _Extent) -> tuple[float, float]:
        return extent.up, extent.down

    def along(self, extent: _Extent) -> tuple[float, float]:
        return extent.left, extent.right

    def text_size(self, link: int) -> tuple[float, float]:
        return len(self.texts[link]) * LABEL_FONT * LINE, _texts_width(
            self.content.links[link], self.texts[link]
        ) + 6

    def point(self, cross: float, on: float) -> Point:
        return on, cross

    def middle(self, start: float, before: float, own: float) -> float:
        return start + own

    def exit(self, spot: int) -> float:
        return self.measured[spot].extent.right + 3

    def entry(self, spot: int) -> float:
        return self.measured[spot].symbol[0]

    def placed_texts(self, link: int, cross: float, on: float) -> tuple[Text, ...]:
        is_bold = self.content.links[link].rank == BEST
        step = LABEL_FONT * LINE
        top = cross - step * len(self.texts[link]) / 2
        return tuple(
            Text(
                on + 3,
                top + step * (line + 0.5) + 0.35 * LABEL_FONT,
                text,
                LABEL_FONT,
                "start",
                is_bold,
            )
            for line, text in enumerate(self.texts[link])
        )


# ---- Sizes.


class _Measured(NamedTuple):
    extent: _Extent
    half_width: float  # of the symbol
    symbol: Point  # how far it reaches to the left of its middle (half way up), and above it
    texts: tuple[Text, ...]  # beside its middle


def measured(spot: Spot) -> _Measured:
    """Return how much room a spot takes, and where its texts are beside its middle."""
    if spot.kind in (NOTE, ELSEWHERE):
        lines = spot.remarks or (spot.value,)
        half = max(text_width(line, SMALL_FONT) for line in lines) / 2
        high = len(lines) * SMALL_FONT * LINE / 2
        return _Measured(
            _Extent(half, half, high, high),
            half,
            (half + 3, high + 1),
            _lines([(lines, SMALL_FONT)], 0),
        )
    if spot.kind == "TERMINAL":
        half = max(HALF, text_width(spot.value, FONT) / 2 + 5)
        texts = _lines([((spot.value,), FONT)], 0)
        return _Measured(_Extent(half, half, _BOX, _BOX), half, (half, _BOX), texts)
    width = max(
        text_width(spot.value, FONT), *(text_width(line, SMALL_FONT) for line in spot.remarks), 0.0
    )
    texts = _lines([((spot.value,), FONT), (spot.remarks, SMALL_FONT)], _BESIDE)
    high = max(HALF, (FONT + SMALL_FONT * len(spot.remarks)) * LINE / 2)
    reach = HALF if spot.kind == "CHANCE" else HALF / 2
    return _Measured(_Extent(HALF, _BESIDE + width, high, high), HALF, (reach, HALF), texts)


def _lines(blocks: list[tuple[tuple[str, ...], float]], x: float) -> tuple[Text, ...]:
    """Return lines one below the other, their middle at 0; they begin at x, or are centred where that is 0."""
    y = -sum(len(lines) * size for lines, size in blocks) * LINE / 2
    placed = []
    for lines, size in blocks:
        for line in lines:
            placed.append(
                Text(x, y + size * (LINE / 2 + 0.35), line, size, "start" if x else "middle")
            )
            y += size * LINE
    return tuple(placed)


def _texts_width(link: Link, texts: tuple[str, ...]) -> float:
    return max((text_width(text, LABEL_FONT, link.rank == BEST) for text in texts), default=0.0)


def _strokes(link: Link, start: Point, end: Point) -> tuple[tuple[Point, Point], ...]:
    """Return the two strokes across the slanted part of a branch that was cut."""
    if not link.is_cut:
        return ()
    long = ((end[0] - start[0]) ** 2 + (end[1] - start[1]) ** 2) ** 0.5 or 1.0
    ahead = (end[0] - start[0]) / long, (end[1] - start[1]) / long
    found = []
    for apart in (-_STROKES_APART, _STROKES_APART):
        x, y = (start[i] + (end[i] - start[i]) * 0.58 + ahead[i] * apart for i in (0, 1))
        aside = -ahead[1] * _STROKE, ahead[0] * _STROKE
        found.append(((x - aside[0], y - aside[1]), (x + aside[0], y + aside[1])))
    return tuple(found)


# ---- The frame.


def _framed(picture: Diagram) -> Diagram:
    """Add the heading, and move everything to where coordinates are positive."""
    boxes = [spot.box for spot in picture.spots] + [link.box for link in picture.links if link.box]
    left, top = min(box.left for box in boxes), min(box.top for box in boxes)
    wide, high = max(box.right for box in boxes) - left, max(box.bottom for box in boxes) - top
    inner = max(wide, _NARROWEST) if picture.style.title else wide
    y = _MARGIN
    if picture.style.title:
        for text, size, is_bold in (
            (picture.content.title, TITLE_FONT, True),
            (picture.content.summary, 12.0, False),
        ):
            for line in broken(text, int(inner / size / 0.6), 6) if text else ():
                inner = max(inner, text_width(line, size, is_bold))
                picture.heading.append(Text(_MARGIN, y + size, line, size, "start", is_bold))
                y += size * LINE
        y += 14
    dx, dy = _MARGIN + (inner - wide) / 2 - left, y - top
    picture.spots = [_moved_spot(spot, dx, dy) for spot in picture.spots]
    picture.links = [_moved_link(link, dx, dy) for link in picture.links]
    picture.width, picture.height = inner + 2 * _MARGIN, y + high + _MARGIN
    return picture


def _moved_spot(spot: PlacedSpot, dx: float, dy: float) -> PlacedSpot:
    texts = tuple(_moved_texts(spot.texts, dx, dy))
    return spot._replace(
        x=spot.x + dx, y=spot.y + dy, texts=texts, box=_moved_box(spot.box, dx, dy)
    )


def _moved_link(link: PlacedLink, dx: float, dy: float) -> PlacedLink:
    def moved(point: Point) -> Point:
        return point[0] + dx, point[1] + dy

    paths = tuple(
        Path(
            tuple(map(moved, path.points)),
            path.curve and (moved(path.curve[0]), moved(path.curve[1]), moved(path.curve[2])),
            path.goal and moved(path.goal),
        )
        for path in link.paths
    )
    return PlacedLink(
        link.link,
        paths,
        tuple(_moved_texts(link.texts, dx, dy)),
        link.box and _moved_box(link.box, dx, dy),
        tuple((moved(a), moved(b)) for a, b in link.strokes),
    )


def _moved_texts(texts: tuple[Text, ...], dx: float, dy: float) -> Iterator[Text]:
    for text in texts:
        yield text._replace(x=text.x + dx, y=text.y + dy)


def _moved_box(box: Box, dx: float, dy: float) -> Box:
    return Box(box.left + dx, box.top + dy, box.right + dx, box.bottom + dy)
