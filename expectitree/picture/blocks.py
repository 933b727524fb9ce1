"""The marks of what takes room in a picture: a node, the texts of a branch, a run of leaves."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple, TypeAlias
from unicodedata import bidirectional

from expectitree.picture.content import BEST, NOTE, PLAYED, SYMBOLS, Edge, Glyph
from expectitree.picture.hidden import BLANK
from expectitree.picture.marks import Box, Point, Symbol, Text
from expectitree.picture.text import LINE, text_width

FONT, LABEL_FONT, SMALL_FONT, TITLE_FONT = 13.0, 12.0, 11.0, 16.0
HALF = 12.0  # of a symbol's width and height
_BESIDE = 5.0  # from a symbol to its text
_END = 7.0  # half of the triangle at the end of a decision tree
_PLAYERS = ("UP", "DOWN")  # triangles
_BOX = 11.0  # half the height of a terminal's box
_CLOSE = 3.0  # between the leaves of a run
_GAP = 14.0  # where a cut divides a run
_MAX_RUN_LENGTH = 8  # leaves in a line of a run
# Of a node in an exercise: room for a value, written by hand or printed, and for each remark.
_ROOM, _ROOM_HEIGHT, _REMARK_HEIGHT = 63.0, 32.5, 20.0


class Block(NamedTuple):
    """The marks of a glyph or of an edge's texts, and their room, around an origin as (x, y)."""

    box: Box
    marks: tuple[Symbol | Text, ...]
    symbol: Point = (0, 0)  # how far a glyph's symbol reaches to the left and above


Lines: TypeAlias = list[tuple[str, float, str]]  # each a text, its size, and its colour


def glyph_block(glyph: Glyph, is_down: bool) -> Block:
    """Return the marks of a glyph around the middle of its symbol.

    Where branches come from above, no text reaches above the symbol.
    """
    first, rest, colour = "ink", "dim", glyph.kind
    if glyph.is_grey:
        first, rest, colour = "grey", "grey", "hidden"
    lines = [(line, SMALL_FONT, rest) for line in glyph.remarks]
    if glyph.kind not in SYMBOLS:
        if not (lines and is_down):
            lines = [(glyph.value or ", ".join(glyph.remarks), SMALL_FONT, rest)]
        half = _widest(lines) / 2
        high = _high(lines) / 2
        return Block(Box(-half, -high, half, high), _texts(lines), (half + 3, high + 1))
    lines.insert(0, (glyph.value, FONT, first))
    longest = lines
    if glyph.room is not None:  # in a solution, the value of a terminal may have parentheses
        longest = [(f"({glyph.value.strip('()')})", FONT, first), *lines[1:]]
    if glyph.shape == "BOX":
        return _box_block(glyph, lines, _widest(longest[:1]), colour, is_down)
    half = reach = HALF
    if glyph.shape in _PLAYERS:
        reach = HALF / 2
    elif glyph.shape == "END":
        half = reach = _END
    symbol = Symbol(glyph.shape, Box(-half, -half, half, half), colour, glyph.is_estimate)
    if glyph.shape == "END" and is_down:
        return _with_texts_below(symbol.box, symbol._replace(shape="UP"), lines, _widest(longest))
    if glyph.room is not None:
        box, texts = _in_room(glyph, lines, is_down)
        return Block(box, (symbol, *texts), (reach, HALF))
    high = max(HALF, _high(lines) / 2)
    y = high - HALF if is_down else 0.0
    box = Box(-half, y - high, half + _BESIDE + _widest(lines), y + high)
    return Block(box, (symbol, *_texts(lines, half + _BESIDE, y)), (reach, HALF))


def _box_block(glyph: Glyph, lines: Lines, width: float, colour: str, is_down: bool) -> Block:
    """Return a box around the value of a terminal, with its remarks below or to the right."""
    half = max(HALF, width / 2 + 5)
    box = Box(-half, -_BOX, half, _BOX)
    symbol = Symbol("BOX", box, colour, glyph.is_estimate)
    inside = _texts(lines[:1])
    remarks = lines[1:]
    if not remarks or is_down:
        block = _with_texts_below(box, symbol, remarks, _widest(lines))
    else:
        right = half + _BESIDE
        texts = _texts(remarks, right)
        block = Block(box._replace(right=right + _widest(remarks)), (symbol, *texts))
    return Block(block.box, (*block.marks, *inside), (half, _BOX))


def _with_texts_below(box: Box, symbol: Symbol, lines: Lines, width: float) -> Block:
    """Return a symbol above the middle of lines."""
    if not lines:
        return Block(box, (symbol,))
    high = _high(lines)
    half = max(box.right, width / 2)
    texts = _texts(lines, 0, box.bottom + 2 + high / 2)
    whole = Box(-half, box.top, half, box.bottom + 2 + high)
    return Block(whole, (symbol, *texts), (box.right, box.bottom))


def _in_room(glyph: Glyph, lines: Lines, is_down: bool) -> tuple[Box, tuple[Text, ...]]:
    """Return the room of a node in an exercise, and its texts: blank ones, or those filled in.

    A long interval has two lines. What is longer still is set in smaller type.
    """
    beside = HALF + _BESIDE
    high = _ROOM_HEIGHT + (glyph.room or 0) * _REMARK_HEIGHT
    top = -high / 2
    if is_down:
        top = -HALF
    (value, size, colour), *remarks = lines
    parts = [value]
    if text_width(value, size) > _ROOM:
        parts = value.replace(", ", ",\n").split("\n")
    size *= min(1, _ROOM / max(1, *(text_width(part, size) for part in parts)))
    middle = top + HALF + 6 * (value == BLANK)
    if len(parts) > 1:
        middle = top + _ROOM_HEIGHT / 2
    texts = [*_texts([(part, size, colour) for part in parts], beside, middle)]
    for row, (text, small, dim) in enumerate(remarks):
        small *= min(1, _ROOM / max(text_width(text, small), 1))
        middle = top + _ROOM_HEIGHT + (row + 0.5) * _REMARK_HEIGHT
        texts += _texts([(text, small, dim)], beside, middle)
    return Box(-HALF, top, beside + _ROOM, top + high), tuple(texts)


def edge_block(edge: Edge, is_down: bool) -> Block | None:
    """Return the texts of an edge; the origin is where they begin, in their middle."""
    texts = edge.lines
    if not texts:
        return None
    if not is_down:
        texts = _in_few_lines(edge)
    colour = "dim"
    is_bold = edge.rank == PLAYED
    if edge.is_grey:
        colour = "grey"
    elif edge.rank:
        colour = "ink"
    lines = [(line, LABEL_FONT, colour) for line in texts]
    # An exercise has room for the bold text of its solution.
    width = _widest(lines, is_bold or edge.parent.room is not None)
    high = _high(lines)
    if is_down:
        box, x, y = Box(-width / 2, 0, width / 2, high + 2), 0, high / 2 + 1
    else:
        box, x, y = Box(0, -high / 2, width + 6, high / 2), 3, 0
    return Block(box, tuple(text._replace(has_rim=True) for text in _texts(lines, x, y, is_bold)))


def _in_few_lines(edge: Edge) -> tuple[str, ...]:
    """Return the texts of an edge: `oil, p 0.45, −250`; a probability alone has no name.

    A label of several lines, or one from right to left, keeps lines of its own.
    """
    if edge.lines == (edge.probability,):
        return edge.lines
    label = edge.label
    rest = edge.probability and f"p {edge.probability}"
    rest = ", ".join(filter(None, (rest, edge.payment)))
    is_right_to_left = any(bidirectional(c) in ("R", "AL", "AN") for c in "".join(label))
    if len(label) == 1 and rest and not is_right_to_left:
        return (f"{label[0]}, {rest}",)
    return tuple(filter(None, (*label, rest)))


class Run(NamedTuple):
    """The leaves of one node, close together, and their places as (cross, along)."""

    box: Box  # as (cross, along), around the middle of the side where the branch arrives
    blocks: list[Block]
    places: list[Point]
    gap: tuple[Point, Point] | None  # where a cut is, between two parts


def are_run(edges: Sequence[Edge], shared: Collection[Glyph]) -> bool:
    """Return whether a node's branches lead to leaves that need neither texts nor lines."""
    if any(edge.label or edge.payment or edge.child in shared for edge in edges):
        return False
    kinds = {edge.child.kind for edge in edges}
    chances = {edge.probability for edge in edges}
    return len(edges) > 1 == len(chances) and {"TERMINAL"} <= kinds <= {"TERMINAL", NOTE}


def run_of(edges: Sequence[Edge], half: float, is_down: bool) -> Run:
    """Return the run of a node's leaves: lines of equal boxes, one after the other.

    A cut divides the run into two parts. In an exercise, leaves stay where they are.
    """
    blocks = [_leaf_block(edge, half) for edge in edges]
    across, along = 2 * _BOX + _CLOSE, 2 * half + _CLOSE
    if is_down:
        across, along = along, across
    least = -(-len(blocks) // _MAX_RUN_LENGTH)
    lines = next((n for n in range(least, 2 * least) if len(blocks) % n == 0), least)
    first_cut = next((i for i, edge in enumerate(edges) if edge.is_left), 0)
    cut = first_cut if edges[0].parent.room is None else 0
    places, begin, gap = [], 0.0, None
    for part in (range(cut), range(cut, len(blocks))):
        long = -(-len(part) // lines)
        for i in range(len(part)):
            row, column = divmod(i, long)
            if is_down:
                column, row = divmod(i, lines)
            places.append(((row - (lines - 1) / 2) * across, begin + column * along))
        begin += long * along
        if part and cut and not gap:
            gap = (0, begin - along / 2), (0, begin - along / 2 + _GAP)
            begin += _GAP
    if first_cut > cut and lines == 1:
        middle = places[first_cut][1] - along / 2
        gap = (0, middle - _CLOSE / 2), (0, middle + _CLOSE / 2)
    side = (lines * across - _CLOSE) / 2
    end = begin - (along + _CLOSE) / 2
    return Run(Box(-side, (_CLOSE - along) / 2, side, end), blocks, places, gap)


def _leaf_block(edge: Edge, half: float) -> Block:
    """Return the marks of a leaf in a run, as wide as the others; the best has a thick rim."""
    block = glyph_block(edge.child, is_down=True)
    box = block.box._replace(left=-half, right=half)
    marks: list[Symbol | Text] = []
    for mark in block.marks:
        if isinstance(mark, Text):
            marks.append(mark._replace(is_bold=edge.rank >= BEST))
        elif edge.rank >= BEST:
            marks.append(mark._replace(box=box, colour="best", width=2.4))
        else:
            marks.append(mark._replace(box=box))
    return Block(box, tuple(marks))


def _high(lines: Lines) -> float:
    return sum(size for _, size, _ in lines) * LINE


def _widest(lines: Lines, is_bold: bool = False) -> float:
    return max(text_width(text, size, is_bold) for text, size, _ in lines)


def _texts(lines: Lines, x: float = 0, y: float = 0, is_bold: bool = False) -> tuple[Text, ...]:
    """Return lines one below the other around `y`; they begin at `x`, or are centred at x = 0."""
    y -= _high(lines) / 2
    placed = []
    for text, size, colour in lines:
        placed.append(Text(x, y + size * (LINE / 2 + 0.35), text, size, colour, not x, is_bold))
        y += size * LINE
    return tuple(placed)
