"""A picture as a Mermaid flowchart, as GitHub shows it in Markdown. Mermaid computes the places."""

from __future__ import annotations

import json
from collections.abc import Iterator

from expectitree.picture.content import PLAYED, SYMBOLS, Content, Edge, Glyph, Style
from expectitree.picture.marks import THEMES

# Older versions of Mermaid have no triangles. MAX is a trapezium that is narrow at the top, MIN one
# that is narrow at the bottom.
SHAPES = {
    "UP": ("[/", "\\]"),
    "DOWN": ("[\\", "/]"),
    "CIRCLE": ("((", "))"),
    "BOX": ("[", "]"),
    "SQUARE": ("[", "]"),
    "END": (">", "]"),
}
MARKS = {"UP": "▲ ", "DOWN": "▼ ", "SQUARE": "■ "}
_PLAIN = frozenset(" ,.-+=/()[]:…→∞αβ·▲▼■‖┊−≤≥")


def draw(shown: Content, style: Style) -> Iterator[str]:
    """Yield the lines of a flowchart in Mermaid's language."""
    colours = THEMES[style.theme]
    if style.title:
        yield "---"
        yield f"title: {json.dumps(shown.title or shown.summary[0], ensure_ascii=False)}"
        yield "---"
    direction = {"right": "LR"}.get(style.direction, "TD")
    yield f"flowchart {direction}"
    names = {glyph: f"n{number}" for number, glyph in enumerate(shown.glyphs)}
    for glyph, name in names.items():
        yield f"  {name}{_shape(glyph)}:::{_class(glyph)}"
    for edge in shown.edges:
        yield f"  {names[edge.parent]} {_line(edge)} {names[edge.child]}"
    inks = dict.fromkeys(SYMBOLS, "ink") | {"hidden": "grey"}
    for kind, ink in inks.items():
        fill = colours[kind]
        line = colours[f"{kind}line"]
        yield f"  classDef {kind} fill:{fill},stroke:{line},color:{colours[ink]}"
    yield f"  classDef note fill:none,stroke:none,color:{colours['grey']}"
    cut = []
    grey = []
    for i, edge in enumerate(shown.edges):
        if edge.is_left:
            cut.append(str(i))
        elif edge.is_grey:
            grey.append(str(i))
    for places, colour in ((cut, colours["cut"]), (grey, colours["grey"])):
        if places:
            yield f"  linkStyle {','.join(places)} stroke:{colour},color:{colour}"


def _shape(glyph: Glyph) -> str:
    text = [f"{MARKS.get(glyph.shape, '')}{glyph.value}".strip(), *glyph.remarks]
    if glyph.kind == "CHANCE":  # a circle grows with the width of what is in it
        text[:1] = text[0].replace(", ", ",\n").split("\n")
    opening, closing = SHAPES.get(glyph.shape, ("[", "]"))
    return f'{opening}"{_escaped([line for line in text if line])}"{closing}'


def _class(glyph: Glyph) -> str:
    if glyph.kind not in SYMBOLS:
        return "note"
    if glyph.is_grey:
        return "hidden"
    return glyph.kind


def _line(edge: Edge) -> str:
    text = ["‖"] * edge.is_cut + ["┊"] * edge.is_unprobed + [*edge.lines]
    stroke = "---"
    if edge.is_grey:
        stroke = "-.-"
    elif edge.rank == PLAYED:
        stroke = "==="
    if text:
        stroke += f'|"{_escaped(text)}"|'
    return stroke


def _escaped(lines: list[str]) -> str:
    """Return lines for Mermaid: each character that could mean something is written by number."""
    return "<br/>".join(
        "".join(c if c.isalnum() or c in _PLAIN else f"#{ord(c)};" for c in line) or " "
        for line in lines
    )
