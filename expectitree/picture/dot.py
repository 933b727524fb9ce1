"""A picture as a graph for Graphviz, which computes the places itself."""

from __future__ import annotations

import json
from collections.abc import Iterator

from expectitree.picture.content import PLAYED, Content, Edge, Glyph, Style
from expectitree.picture.marks import THEMES

SHAPES = {
    "BOX": "box", "UP": "triangle", "DOWN": "invtriangle", "CIRCLE": "circle",
    "SQUARE": "square", "END": "plaintext",
}  # fmt: skip


def draw(shown: Content, style: Style) -> Iterator[str]:
    """Yield the lines of a graph in Graphviz's language."""
    colours = THEMES[style.theme]
    heading, ink, font = "", colours["ink"], "Helvetica"
    if style.title:
        heading = "\n".join(filter(None, [shown.title, *shown.summary]))
    graph = _attributes(
        label=heading, labelloc="t", fontname=font, fontsize=13, fontcolor=ink,
        bgcolor=colours["paper"], ordering="out",
        rankdir={"right": "LR"}.get(style.direction, "TB"),
    )  # fmt: skip
    node = _attributes(
        fontname=font, fontsize=11, fontcolor=ink, margin="0.05,0.03", width=0.3, height=0.3
    )
    edge = _attributes(
        fontname=font, fontsize=10, fontcolor=colours["dim"], color=colours["line"], dir="none"
    )
    yield "digraph tree {"
    yield from (f"  graph [{graph}]", f"  node [{node}]", f"  edge [{edge}]")
    names = {glyph: f"n{number}" for number, glyph in enumerate(shown.glyphs)}
    for glyph, name in names.items():
        yield f"  {name} [{_of_glyph(glyph, colours)}]"
    for line in shown.edges:
        yield f"  {names[line.parent]} -> {names[line.child]} [{_of_edge(line, colours)}]"
    yield "}"


def _of_glyph(glyph: Glyph, colours: dict[str, str]) -> str:
    value, filled, kind, ink = glyph.value, {}, glyph.kind, None
    if glyph.is_grey:
        kind = "hidden"
        ink = colours["grey"]
    if glyph.shape in SHAPES:
        value = value.replace(", ", ",\n")  # it is within the shape
        filled = {"style": "filled", "fillcolor": colours[kind], "color": colours[f"{kind}line"]}
        if glyph.is_estimate:
            filled["style"] = "filled,dashed"
    return _attributes(
        label="\n".join(filter(None, [value, *glyph.remarks])),
        tooltip=glyph.tooltip,
        shape=SHAPES.get(glyph.shape, "plaintext"),
        **filled,
        fontcolor=ink,
    )


def _of_edge(edge: Edge, colours: dict[str, str]) -> str:
    attributes: dict[str, object] = {
        "tooltip": edge.tooltip,
        "label": "\n".join(edge.lines) or None,
    }
    colour = None
    if edge.rank:
        colour, attributes["penwidth"] = colours["ink"], 2 + (edge.rank == PLAYED)
    if edge.is_grey:
        colour, attributes["style"] = colours["grey"], "dashed"
    attributes |= {"color": colour, "fontcolor": colour}
    if edge.is_left:  # two strokes across the branch, or one
        attributes |= {
            "color": colours["cut"],
            "dir": "back",
            "arrowtail": "tee" * (1 + edge.is_cut),
        }
    if not edge.is_first:
        attributes["constraint"] = "false"
    return _attributes(**attributes)


def _attributes(**attributes: object) -> str:
    known = {key: str(value) for key, value in attributes.items() if value is not None}
    return " ".join(f"{key}={json.dumps(text, ensure_ascii=False)}" for key, text in known.items())
