"""A picture as a Mermaid flowchart, as GitHub shows it in Markdown. Mermaid computes the places."""

from __future__ import annotations

import json
from collections.abc import Iterator

from expectitree.analysis.evaluate.report import Evaluation
from expectitree.picture.content import BEST, Edge, Glyph, Style, content
from expectitree.picture.svg import THEMES, Colours

# Older versions of Mermaid have no triangles. MAX is a trapezium that is narrow at the top, MIN one
# that is narrow at the bottom.
SHAPES = {
    "MAX": ("[/", "\\]"),
    "MIN": ("[\\", "/]"),
    "CHANCE": ("((", "))"),
    "TERMINAL": ("[", "]"),
}
SYMBOLS = {"MAX": "▲ ", "MIN": "▼ "}
_PLAIN = frozenset(" ,.-+=/()[]:…→∞αβ·▲▼‖")


def draw(evaluation: Evaluation, style: Style | None = None) -> Iterator[str]:
    """Yield the lines of a flowchart in Mermaid's language."""
    style = style or Style()
    found, colours = content(evaluation, style), THEMES[style.theme]
    if style.title:
        yield "---"
        yield f"title: {json.dumps(found.title or found.summary, ensure_ascii=False)}"
        yield "---"
    yield f"flowchart {'LR' if style.direction == 'right' else 'TD'}"
    for number, glyph in enumerate(found.glyphs):
        yield f"  n{number}{_shape(glyph)}:::{_class(glyph)}"
    for edge in found.ordered_edges:
        yield f"  n{edge.parent} {_line(edge)} n{edge.child}"
    for kind in (*SHAPES, "hidden"):
        fill, line = colours[kind]
        ink = colours["grey" if kind == "hidden" else "ink"]
        yield f"  classDef {kind} fill:{fill},stroke:{line},color:{ink}"
    yield f"  classDef note fill:none,stroke:none,color:{colours['grey']}"
    yield from _edge_styles(found.ordered_edges, colours)


def _shape(glyph: Glyph) -> str:
    text = [f"{SYMBOLS.get(glyph.kind, '')}{glyph.value}".strip(), *glyph.remarks]
    if glyph.kind == "CHANCE":  # a circle grows with the width of what is in it
        text[:1] = text[0].replace(", ", ",\n").split("\n")
    opening, closing = SHAPES.get(glyph.kind, ("[", "]"))
    return f'{opening}"{_escaped([line for line in text if line])}"{closing}'


def _class(glyph: Glyph) -> str:
    if glyph.kind not in SHAPES:
        return "note"
    return "hidden" if glyph.is_grey else glyph.kind


def _line(edge: Edge) -> str:
    text = list(filter(None, ["‖" * edge.is_cut, *edge.label, edge.probability]))
    stroke = "-.-" if edge.is_grey else "===" if edge.rank == BEST else "---"
    return f'{stroke}|"{_escaped(text)}"|' if text else stroke


def _edge_styles(edges: list[Edge], colours: Colours) -> Iterator[str]:
    cut = [str(i) for i, edge in enumerate(edges) if edge.is_cut]
    grey = [str(i) for i, edge in enumerate(edges) if edge.is_grey and not edge.is_cut]
    for places, colour in ((cut, colours["cut"]), (grey, colours["grey"])):
        if places:
            yield f"  linkStyle {','.join(places)} stroke:{colour},color:{colour}"


def _escaped(lines: list[str]) -> str:
    """Return lines for Mermaid: each character that could mean something is written by number."""
    return "<br/>".join(
        "".join(c if c.isalnum() or c in _PLAIN else f"#{ord(c)};" for c in line) or " "
        for line in lines
    )
