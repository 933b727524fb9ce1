"""A picture as a Mermaid flowchart, as GitHub shows it within Markdown; Mermaid places everything itself."""

from __future__ import annotations

import json
from collections.abc import Iterator

from expectitree.analysis.evaluate.report import Evaluation
from expectitree.picture.content import BEST, Edge, Glyph, Style, content
from expectitree.picture.svg import THEMES, Colours

# There are no triangles in all versions: a trapezium that is narrow above is MAX, one that is
# narrow below MIN.
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
    order = [found.edges[number] for below in found.below for number in below]
    for edge in order:
        yield f"  n{edge.parent} {_line(edge)} n{edge.child}"
    for kind in (*SHAPES, "hidden"):
        fill, line = colours[kind]
        ink = colours["grey" if kind == "hidden" else "ink"]
        yield f"  classDef {kind} fill:{fill},stroke:{line},color:{ink}"
    yield f"  classDef note fill:none,stroke:none,color:{colours['grey']}"
    yield from _edge_styles(order, colours)


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
    text = [
        *(["‖"] if edge.is_cut else []),
        *edge.label,
        *([edge.probability] if edge.probability else []),
    ]
    stroke = "-.-" if edge.is_grey else "===" if edge.rank == BEST else "---"
    return f'{stroke}|"{_escaped(text)}"|' if text else stroke


def _edge_styles(edges: list[Edge], colours: Colours) -> Iterator[str]:
    for what, colour in (("is_cut", "cut"), ("is_grey", "grey")):
        places = [
            str(i)
            for i, edge in enumerate(edges)
            if getattr(edge, what) and (what == "is_cut" or not edge.is_cut)
        ]
        if places:
            yield f"  linkStyle {','.join(places)} stroke:{colours[colour]},color:{colours[colour]}"


def _escaped(lines: list[str]) -> str:
    """Return lines as Mermaid takes them: whatever might mean something is written by its number."""
    return "<br/>".join(
        "".join(c if c.isalnum() or c in _PLAIN else f"#{ord(c)};" for c in line) or " "
        for line in lines
    )
