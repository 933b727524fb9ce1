"""A picture as a Mermaid flowchart, as GitHub shows it within Markdown; Mermaid places everything itself."""

from __future__ import annotations

import json
from collections.abc import Iterator

from expectitree.analysis.evaluate.report import Evaluation
from expectitree.picture.content import BEST, Link, Spot, Style, content
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


def picture_mermaid(evaluation: Evaluation, style: Style | None = None) -> Iterator[str]:
    """Yield the lines of a flowchart in Mermaid's language."""
    style = style or Style()
    found, colours = content(evaluation, style), THEMES[style.theme]
    if style.title:
        yield "---"
        yield f"title: {json.dumps(found.title or found.summary, ensure_ascii=False)}"
        yield "---"
    yield f"flowchart {'LR' if style.direction == 'right' else 'TD'}"
    for number, spot in enumerate(found.spots):
        yield f"  n{number}{_shape(spot)}:::{_class(spot)}"
    order = [found.links[number] for below in found.below for number in below]
    for link in order:
        yield f"  n{link.parent} {_line(link)} n{link.child}"
    for kind in (*SHAPES, "hidden"):
        fill, line = colours[kind]
        ink = colours["grey" if kind == "hidden" else "ink"]
        yield f"  classDef {kind} fill:{fill},stroke:{line},color:{ink}"
    yield f"  classDef note fill:none,stroke:none,color:{colours['grey']}"
    yield from _link_styles(order, colours)


def _shape(spot: Spot) -> str:
    text = [f"{SYMBOLS.get(spot.kind, '')}{spot.value}".strip(), *spot.remarks]
    if spot.kind == "CHANCE":  # a circle grows with the width of what is in it
        text[:1] = text[0].replace(", ", ",\n").split("\n")
    opening, closing = SHAPES.get(spot.kind, ("[", "]"))
    return f'{opening}"{_escaped([line for line in text if line])}"{closing}'


def _class(spot: Spot) -> str:
    if spot.kind not in SHAPES:
        return "note"
    return "hidden" if spot.is_grey else spot.kind


def _line(link: Link) -> str:
    text = [
        *(["‖"] if link.is_cut else []),
        *link.label,
        *([link.probability] if link.probability else []),
    ]
    stroke = "-.-" if link.is_grey else "===" if link.rank == BEST else "---"
    return f'{stroke}|"{_escaped(text)}"|' if text else stroke


def _link_styles(links: list[Link], colours: Colours) -> Iterator[str]:
    for what, colour in (("is_cut", "cut"), ("is_grey", "grey")):
        places = [
            str(i)
            for i, link in enumerate(links)
            if getattr(link, what) and (what == "is_cut" or not link.is_cut)
        ]
        if places:
            yield f"  linkStyle {','.join(places)} stroke:{colours[colour]},color:{colours[colour]}"


def _escaped(lines: list[str]) -> str:
    """Return lines as Mermaid takes them: whatever might mean something is written by its number."""
    return "<br/>".join(
        "".join(c if c.isalnum() or c in _PLAIN else f"#{ord(c)};" for c in line) or " "
        for line in lines
    )
